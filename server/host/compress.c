/// Compression of snapshots on libuv's thread pool, which does nothing else.
#include "host/host.h"

#include <stdlib.h>

#include "host/log.h"
#include "isostep/proto/compression.h"

typedef struct compress_job {
    uv_work_t work;
    iso__host *host;
    iso__hosted *hosted;
    const uint8_t *bytes;
    size_t byte_count;
    uint64_t tick;
    uint8_t *out;
    size_t out_count;  // 0: it failed
} compress_job;

static void compress(uv_work_t *work)
{
    compress_job *job = work->data;
    size_t capacity = iso_compress_bound(job->byte_count);
    job->out = malloc(capacity);
    if (job->out != NULL)
        job->out_count = iso_compress(job->bytes, job->byte_count, job->out, capacity);
}

static void answer(iso__hosted *hosted, uint64_t tick, uint8_t *bytes, size_t byte_count)
{
    if (byte_count == 0)
        iso__log("isostep-server: session %s: the snapshot of tick %llu could not be compressed", hosted->name, (unsigned long long)tick);
    iso__worker_post(hosted->worker, &(iso__inbound){
        .hosted = hosted,
        .event = {
            .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
            .tick = tick,
            .bytes = byte_count > 0 ? bytes : NULL,
            .byte_count = byte_count,
        },
        .block = bytes,
    });
}

static void on_done(uv_work_t *work, int status)
{
    compress_job *job = work->data;
    job->host->compressing--;
    answer(job->hosted, job->tick, job->out, status == 0 ? job->out_count : 0);
    free(job);
}

void iso__host_compress(iso__host *host, const iso__outbound *item)
{
    compress_job *job = malloc(sizeof *job);
    if (job == NULL) {
        answer(item->hosted, item->tick, NULL, 0);
        return;
    }
    *job = (compress_job){.host = host, .hosted = item->hosted, .bytes = item->bytes, .byte_count = item->byte_count, .tick = item->tick};
    job->work.data = job;
    host->compressing++;
    if (uv_queue_work(&host->loop, &job->work, compress, on_done) != 0)
        on_done(&job->work, UV_ENOMEM);
}
