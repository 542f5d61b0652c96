/// The threads that write recordings: one writes for all sessions, some sync.
///
/// Ticks wait for their write, which must not wait for a disk's sync; so syncs run on threads of their own. One writer
/// for all sessions writes what they seal at the same time in one wake-up.
#ifndef ISO_HOST_WRITER_H
#define ISO_HOST_WRITER_H

#include "base/affinity.h"
#include "base/gate.h"
#include "base/queue.h"
#include "host/recordings/folder.h"
#include "host/recordings/recording.h"

#define ISO__SYNCERS_MAX 4u

typedef struct iso__writer {
    int folder;        // of all files
    iso__folder *home; // the same as a path, which is followed; NULL: it is not
    iso__queue queue;  // iso__recording_item, to the writer
    iso__queue syncs;  // the same, to the syncing threads
    iso__queue ends;   // one item per thread, its last action
    iso__recording **recordings;
    uint32_t recording_count, recording_max;
    iso__recording *dirty;
    iso__affinity affinity; // the thread, while it runs
    pthread_t thread, syncers[ISO__SYNCERS_MAX];
    uint32_t syncer_count;
    uint32_t told_count;  // threads that were told to end, the syncing ones first
    uint32_t ended_count; // number of these that have ended
    bool is_running;
    iso__gate *gate;
    void (*published)(void *user); // after a number of wakes, on the writer's thread
    void *user;
} iso__writer;

/// @param folder  open; the caller closes it
/// @return false when there is no memory
bool iso__writer_init(iso__writer *writer, int folder, uint32_t recording_max);

/// Starts the threads, which wait at the gate: all recordings must have been created when that opens.
/// @return 0 or an errno value; iso__writer_stop must be called then as well
int iso__writer_start(iso__writer *writer, iso__gate *gate);

/// Processes what was handed in and ends the threads.
/// @return false when the disk did not respond in that time: the threads still run, and nothing that they use may be
/// freed. It may be tried again
bool iso__writer_stop(iso__writer *writer, uint32_t timeout_ms);

void iso__writer_term(iso__writer *writer);

/// @name The threads' steps, for a caller that drives a writer without them
/// @{
void iso__writer_begin(iso__writer *writer);
/// Processes what was handed in. @param may_wait  for it, or for a time of the recorders
/// @return false when it is to end
bool iso__writer_turn(iso__writer *writer, bool may_wait);
/// Carries out one sync. @return as above
bool iso__writer_sync(iso__writer *writer, bool may_wait);
/// When a recorder next needs TIME; UINT64_MAX: never
uint64_t iso__writer_next_deadline(const iso__writer *writer);
/// @}

#endif
