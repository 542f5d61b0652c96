/// See parallel.h, and isostep/parallel.h for the interface to the caller.
#include "solver/parallel.h"

#include "base/assert.h"

#define PIECES_PER_THREAD 2u // so that a thread that begins late holds the others up by half its share at most

typedef struct parallel_job {
    iso_world *world;
    void *data;
    iso__range_fn *work;
    uint32_t begin, count, pieces;
} parallel_job;

static void parallel_piece(void *data, uint32_t piece) {
    const parallel_job *job = data;
    ISO_ASSERT(piece < job->pieces);
    const uint32_t begin = (uint32_t)((uint64_t)job->count * piece / job->pieces);
    const uint32_t end = (uint32_t)((uint64_t)job->count * (piece + 1) / job->pieces);
    job->work(job->world, job->data, job->begin + begin, job->begin + end);
}

void iso__parallel_run(iso_world *world, uint32_t begin, uint32_t end, uint32_t grain, iso__range_fn *work,
                       void *data) {
    ISO_ASSERT(begin <= end && grain > 0 && iso__has_threads(world));
    const uint32_t worthy = (end - begin) / grain, most = world->parallel.thread_count * PIECES_PER_THREAD;
    parallel_job job = {.world = world,
                        .data = data,
                        .work = work,
                        .begin = begin,
                        .count = end - begin,
                        .pieces = worthy < most ? worthy : most};
    if (job.pieces < 2) {
        work(world, data, begin, end);
    } else {
        world->parallel.run(world->parallel.context, job.pieces, parallel_piece, &job);
    }
}

iso_status iso_world_set_parallel(iso_world *world, const iso_parallel *parallel) {
    if (parallel == NULL) {
        world->parallel = (iso_parallel){0};
        return ISO_OK;
    }
    if (parallel->thread_count == 0 || parallel->thread_count > ISO_THREADS_MAX || parallel->run == NULL) {
        return ISO_ERR_RANGE;
    }
    world->parallel = *parallel;
    return ISO_OK;
}
