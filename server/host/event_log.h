/// What happens in the sessions' worlds, as lines of JSON in a file or on standard output: --events.
///
/// A worker adds the lines of a tick when it has been sealed, to a buffer with a bound, and never waits: a line that finds no
/// room is counted, and the number stands in a line of its own where they are missing. One thread writes. What the file does
/// not take is kept and tried again; the sessions go on meanwhile. Nothing is synced: the file can be made again from the
/// recordings.
#ifndef ISO_HOST_EVENT_LOG_H
#define ISO_HOST_EVENT_LOG_H

#include <pthread.h>
#include <stdbool.h>

#include "host/gate.h"
#include "host/queue.h"
#include "isostep/world.h"

/// [bytes] of lines that may wait to be written.
#define ISO__EVENT_LOG_SIZE ((size_t)1 << 20)

/// How long it is waited until a failed write is tried again.
#define ISO__EVENT_LOG_RETRY_NS UINT64_C(500000000)

typedef struct iso__event_log {
    const char *path; // as it was given; "-": standard output
    int file;         // -1: not open
    bool is_own;      // `file` is to be closed
    pthread_t thread;
    bool is_running;
    bool serves;      // it was let write
    iso__gate gate;   // the thread waits there
    iso__queue wakes; // an item: there are lines, or it is to stop
    iso__queue ends;  // an item: the thread's last act

    pthread_mutex_t mutex; // guards the next members
    char *filling;         // lines to be written next
    size_t filled;         // [bytes]
    uint64_t dropped;      // lines that found no room behind these
    bool is_stopping;

    // The thread's, and read after its end.
    char *writing;
    size_t written, size;   // [bytes] of `writing`
    uint64_t retry_ns;      // when a failed write is tried again; 0: none has failed
    uint64_t dropped_total; // lines
} iso__event_log;

/// Opens the file, or makes it; what is there stays, and lines are added at its end.
/// @param path  must last; "-": standard output
/// @return false after a message; iso__event_log_term is due then as well
bool iso__event_log_open(iso__event_log *log, const char *path);

/// Makes the thread, which waits until iso__event_log_serve. @return 0 or an errno value
int iso__event_log_start(iso__event_log *log);
/// Lets it write.
void iso__event_log_serve(iso__event_log *log);

/// A session begins, or goes on from a recording: events of it in ticks after `tick` follow. What stands before this line of
/// later ticks of that session was not kept.
/// @param uid  ISO_RECORDING_UID_SIZE bytes
void iso__event_log_begin(iso__event_log *log, const char *session, const uint8_t *uid, uint32_t epoch, uint64_t tick);

/// Adds the events of the world's last step. From any thread.
void iso__event_log_tick(iso__event_log *log, const char *session, const iso_world *world);

/// Writes what waits, and ends the thread. Says what could not be written.
/// @return false when that takes longer: the thread is still there, and iso__event_log_term is not due
bool iso__event_log_stop(iso__event_log *log, uint32_t timeout_ms);

void iso__event_log_term(iso__event_log *log);

#endif
