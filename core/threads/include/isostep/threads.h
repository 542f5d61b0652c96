/// A pool of threads for the steps of large worlds: a ready `run` for isostep/parallel.h. POSIX threads.
///
/// One pool serves any number of worlds, which may be stepped by several threads at once: while the pool works for one
/// of them, the others' pieces run on the thread that asks, so no step ever waits for another world's.
#ifndef ISOSTEP_THREADS_H
#define ISOSTEP_THREADS_H

#include <stdint.h>

#include "isostep/parallel.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_threads iso_threads;

/// Starts count - 1 threads; the one that steps is the last. Between steps they sleep; within a step they wait
/// actively, for up to 200 us at a time, because a step hands out pieces some hundred times.
/// @param count  1 to ISO_THREADS_MAX; more than there are processors makes steps slower
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_MEMORY: no memory, or the system starts no more threads
iso_status iso_threads_start(uint32_t count, iso_threads **threads);

/// Ends the threads. No world that has this pool may be stepping. @param threads  NULL: nothing is done
void iso_threads_stop(iso_threads *threads);

/// For iso_world_set_parallel; valid until iso_threads_stop.
iso_parallel iso_threads_parallel(iso_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
