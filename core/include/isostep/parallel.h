/// Threads of the caller for the steps of a large world. The core starts none.
///
/// A step splits the passes over its constraints, and other stages whose pieces touch nothing in common, and hands the
/// pieces to the caller's `run`. How many threads there are and which of them does what changes no bit of any state.
/// The functions of games (hooks and user constraints) always run on the thread that calls iso_world_step.
#ifndef ISOSTEP_PARALLEL_H
#define ISOSTEP_PARALLEL_H

#include "isostep/status.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_THREADS_MAX 64u

/// One piece of a stage. Pieces of one call of `run` may be done at the same time and in any order.
typedef void iso_parallel_task(void *data, uint32_t piece);

typedef struct iso_parallel {
    uint32_t thread_count; // that `run` has, with the calling one: 1 to ISO_THREADS_MAX
    /// Calls task(data, i) once for each i below count, on threads of its choice, in any order, and returns when all
    /// have returned; what they wrote is then visible to the calling thread. A piece that is left out or done twice
    /// gives a wrong state without an error. May do all of them on the calling thread. Called some hundred times in a
    /// step, for pieces of 5 to 50 us.
    void (*run)(void *context, uint32_t count, iso_parallel_task *task, void *data);
    void *context;
} iso_parallel;

/// Sets the threads for the next steps; called by the thread that steps the world, between steps, as often as it likes.
/// It is no part of a world's definition, state, images or hashes: restoring and decoding leave it as it is. Two worlds
/// may have the same `run` if it may be called from several threads at once.
/// @param parallel  copied; NULL: the calling thread alone, as in a new world
/// @return ISO_OK; ISO_ERR_RANGE: thread_count is 0 or above ISO_THREADS_MAX, or there is no `run`
iso_status iso_world_set_parallel(iso_world *world, const iso_parallel *parallel);

#ifdef __cplusplus
}
#endif

#endif
