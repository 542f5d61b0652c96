/// The recording's threads: one runs the recorder and writes, one syncs.
///
/// The session's worker hands in what is sealed, through a bounded queue, and is told through
/// `progress`: the writer sets the numbers, then calls `wake` once until the worker has read them. A
/// sync runs on its own thread, because ticks wait for their write, which must not wait for a disk.
#ifndef ISO_HOST_RECORDING_H
#define ISO_HOST_RECORDING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/disk.h"
#include "host/memory.h"
#include "host/queue.h"
#include "session/recorder.h"

typedef struct iso__recording_report {
    uint64_t written_tick;
    uint64_t durable_tick;
    bool started;
    bool degraded;
    bool finished;
    bool sealed;
    iso_status status;  // of the first error
    uint64_t written_size;
    uint64_t skipped_keyframes;
    char name[ISO_RECORDER_NAME_SIZE];
} iso__recording_report;

typedef struct iso__recording {
    iso__disk disk;
    iso_recorder *recorder;
    iso__queue queue;       // to the writer
    iso__queue syncs;       // to the syncing thread; at most one sync is out
    pthread_t writer, syncer;
    pthread_mutex_t mutex;  // guards `report`
    iso__recording_report report;
    atomic_bool report_is_new;
    void (*wake)(void *user);  // called on the writer's thread
    void *wake_user;
    bool running;
} iso__recording;

/// Starts the threads and hands in the header. The first keyframe and the ticks follow.
///
/// @param disk       open; the recording closes it
/// @param header     copied
/// @param state_size_max  [bytes] that no snapshot of the world exceeds
iso_status iso__recording_start(iso__recording *recording, const iso__disk *disk, iso__memory *memory,
                                const iso_recording_header *header, size_t state_size_max,
                                void (*wake)(void *user), void *wake_user);

/// Hand in; each copies and waits while the queue is full. @return ISO_OK; ISO_ERR_MEMORY.
iso_status iso__recording_tick(iso__recording *recording, const iso_tick_input *input, uint64_t root);
iso_status iso__recording_keyframe(iso__recording *recording, const iso_recording_keyframe *keyframe, const uint8_t *stored);
iso_status iso__recording_event(iso__recording *recording, const iso_recording_event *event);
iso_status iso__recording_seal(iso__recording *recording, uint64_t root_tick, uint64_t root);

/// What became of it, as of now. Clears the flag behind `wake`.
void iso__recording_get_report(iso__recording *recording, iso__recording_report *report);

/// Works off what was handed in, then ends the threads and closes the disk. Does not seal.
void iso__recording_stop(iso__recording *recording);

#endif
