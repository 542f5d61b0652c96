/// The host: everything that one running server consists of.
#ifndef ISO_HOST_HOST_H
#define ISO_HOST_HOST_H

#include <uv.h>

#include "host/counters.h"
#include "host/hosted.h"
#include "host/options.h"
#include "host/peers.h"
#include "host/worker.h"
#include "host/writer.h"

typedef struct iso__host {
    iso__options options;
    iso__counters counters;
    uv_loop_t loop;
    uv_async_t outbound_filled;
    uv_signal_t terminate, interrupt, report;
    uv_timer_t end;         // --for
    uv_timer_t linger;      // how long farewells may take at the end
    bool loop_opened;
    iso__hosted *sessions;
    uint32_t session_count;
    iso__worker workers[ISO__WORKERS_MAX];
    uint32_t worker_count;
    iso__key key;
    iso__disk disk;         // the folder of the recordings
    iso__writer writer;
    bool is_recorded;
    iso__peers peers;
    uint32_t compressing;   // jobs that are out
    bool ending;            // the shutdown was handed in
    uint32_t stopped_count; // workers that have said their last
    uint32_t lingered_ms;
    uint64_t started_ns;
} iso__host;

/// Compresses on another thread; the session's worker gets the answer.
void iso__host_compress(iso__host *host, const iso__outbound *item);

/// The lines at the end, on standard error. After all threads have ended.
void iso__host_summarize(iso__host *host);

#endif
