#include "host/sessions/compress.h"

#include <stdlib.h>

#include "base/affinity.h"
#include "base/priority.h"
#include "base/thread.h"
#include "host/sessions/hosted.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "isostep/proto/compression.h"

struct iso__compress_job {
    iso__compress_job *next;
    iso__hosted *hosted;
    const uint8_t *bytes;
    size_t byte_count;
    uint64_t tick;
};

/// @param bytes  from the heap; ownership passes to the job
static void answer(iso__hosted *hosted, uint64_t tick, uint8_t *bytes, size_t byte_count) {
    if (byte_count == 0) {
        iso__log_session(ERROR, hosted->name, "the snapshot of tick %llu could not be compressed",
                         (unsigned long long)tick);
    }
    iso__worker_post(hosted->worker, &(iso__inbound){
                                         .hosted = hosted,
                                         .event =
                                             {
                                                 .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                                 .tick = tick,
                                                 .bytes = byte_count > 0 ? bytes : NULL,
                                                 .byte_count = byte_count,
                                             },
                                         .block = bytes,
                                     });
    iso__worker_wake_nudged(hosted->worker);
}

static void compress(const iso__compress_job *job) {
    size_t capacity = iso_compress_bound(job->byte_count);
    uint8_t *out = malloc(capacity);
    answer(job->hosted, job->tick, out, out != NULL ? iso_compress(job->bytes, job->byte_count, out, capacity) : 0);
}

/// Waits for a job. @return NULL: the thread is to stop
static iso__compress_job *take(iso__compressor *compressor) {
    pthread_mutex_lock(&compressor->mutex);
    while (compressor->first == NULL && !compressor->is_stopping) {
        pthread_cond_wait(&compressor->changed, &compressor->mutex);
    }
    iso__compress_job *job = compressor->is_stopping ? NULL : compressor->first;
    if (job != NULL) {
        compressor->first = job->next;
    }
    pthread_mutex_unlock(&compressor->mutex);
    return job;
}

static void *compressor_main(void *argument) {
    iso__priority_stand_back();
    for (iso__compress_job *job = take(argument); job != NULL; job = take(argument)) {
        compress(job);
        free(job);
    }
    return NULL;
}

int iso__compressor_start(iso__compressor *compressor, uint32_t thread_count) {
    ISO_ASSERT(compressor->thread_count == 0 && thread_count <= ISO__COMPRESSORS_MAX);
    iso__affinity_take(&compressor->io);
    pthread_mutex_init(&compressor->mutex, NULL);
    pthread_cond_init(&compressor->changed, NULL);
    int error = 0;
    while (error == 0 && compressor->thread_count < thread_count) {
        error = iso__thread_start(&compressor->threads[compressor->thread_count], compressor_main, compressor);
        compressor->thread_count += error == 0;
    }
    return error;
}

void iso__compressor_push(iso__compressor *compressor, iso__hosted *hosted, const uint8_t *bytes, size_t byte_count,
                          uint64_t tick) {
    ISO__ASSERT_ON(&compressor->io);
    ISO_ASSERT(byte_count > 0 && !compressor->is_stopping);
    iso__compress_job *job = malloc(sizeof *job);
    if (job == NULL) {
        answer(hosted, tick, NULL, 0);
        return;
    }
    *job = (iso__compress_job){.hosted = hosted, .bytes = bytes, .byte_count = byte_count, .tick = tick};
    pthread_mutex_lock(&compressor->mutex);
    if (compressor->first == NULL) {
        compressor->first = job;
    } else {
        compressor->last->next = job;
    }
    compressor->last = job;
    pthread_cond_signal(&compressor->changed);
    pthread_mutex_unlock(&compressor->mutex);
}

void iso__compressor_stop(iso__compressor *compressor) {
    ISO__ASSERT_ON(&compressor->io);
    pthread_mutex_lock(&compressor->mutex);
    compressor->is_stopping = true;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->mutex);
    for (; compressor->thread_count > 0; --compressor->thread_count) {
        pthread_join(compressor->threads[compressor->thread_count - 1], NULL);
    }
    while (compressor->first != NULL) {
        iso__compress_job *job = compressor->first;
        compressor->first = job->next;
        free(job);
    }
}
