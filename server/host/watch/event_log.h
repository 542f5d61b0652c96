/// The events of the sessions' worlds, as lines of JSON in a file or on standard output: --events.
///
/// A worker adds the lines of a sealed tick to a bounded buffer and never waits. A line that does not fit is counted,
/// and another line gives the number at the place where they are missing. One thread writes. What the file does not
/// accept is kept and tried again, while the sessions continue. Nothing is synced: the file can be regenerated from the
/// recordings.
#ifndef ISO_HOST_EVENT_LOG_H
#define ISO_HOST_EVENT_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/gate.h"
#include "base/queue.h"
#include "isostep/proto/event_text.h"
#include "isostep/world.h"

/// [bytes] of lines that may wait to be written.
#define ISO__EVENT_LOG_SIZE ((size_t)1 << 20)

/// Lines of one tick of one session; events beyond are counted as missing. The worker makes the lines between two
/// ticks.
#define ISO__EVENT_LOG_TICK_LINES 256u

/// Time after which a failed write is tried again.
#define ISO__EVENT_LOG_RETRY_NS UINT64_C(500000000)

typedef struct iso__event_log {
    const char *path; // as it was given; "-": standard output
    int file;         // -1: not open
    bool is_own;      // `file` is to be closed
    pthread_t thread;
    bool is_running;
    off_t cut_size, kept_size; // of a file whose last line is incomplete, and up to that line; 0: it is whole
    bool serves;               // iso__event_log_serve was called: it may write
    iso__gate gate;            // the thread waits there
    iso__queue wakes;          // an item: there are lines, or it is to stop
    iso__queue ends;           // one item: the thread's last action

    pthread_mutex_t mutex;  // guards the next members
    char *filling;          // lines to be written next
    size_t filled;          // [bytes]
    uint64_t dropped;       // lines that did not fit after these
    uint64_t dropped_total; // missing lines that a line reports
    bool is_stopping;
    bool is_reopened; // the file is to be opened anew

    // Used by the thread, and read after it has ended.
    char *writing;
    size_t written, size; // [bytes] of `writing`
    uint64_t retry_ns;    // when a failed write is tried again; 0: no write has failed
} iso__event_log;

/// Opens or creates the file; its content stays, and lines are added at its end. A file that is not empty and does not
/// begin with '{', or cannot be read, is refused and left as it is.
/// @param path  must outlive the log; "-": standard output
/// @return false after a message; iso__event_log_term must be called then as well
bool iso__event_log_open(iso__event_log *log, const char *path);

/// Creates the thread, which waits until iso__event_log_serve. @return 0 or an errno value
int iso__event_log_start(iso__event_log *log);
/// Lets the thread write.
void iso__event_log_serve(iso__event_log *log);

/// The next write opens the file anew, by its path, between two lines: to be called after it was renamed. Nothing
/// happens to standard output.
void iso__event_log_reopen(iso__event_log *log);

/// A session begins, or continues from a recording: its events in ticks after `tick` follow. Lines before this one
/// about later ticks of the session are of ticks that were not kept.
/// @param uid  ISO_RECORDING_UID_SIZE bytes
void iso__event_log_begin(iso__event_log *log, const char *session, const uint8_t *uid, uint32_t epoch, uint64_t tick);

/// Adds the events of the world's last step, ISO__EVENT_LOG_TICK_LINES at most. From any thread. While there is no
/// room, no line is made.
/// @param view  which of them, and their names
void iso__event_log_tick(iso__event_log *log, const char *session, const iso_world *world, const iso_event_view *view);

/// Writes what waits, and ends the thread. Logs what could not be written.
/// @return false when that takes too long: the thread still runs, and iso__event_log_term must not be called
bool iso__event_log_stop(iso__event_log *log, uint32_t timeout_ms);

void iso__event_log_term(iso__event_log *log);

#endif
