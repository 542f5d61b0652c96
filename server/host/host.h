/// The host: everything that one running server consists of.
#ifndef ISO_HOST_HOST_H
#define ISO_HOST_HOST_H

#include <uv.h>

#include "host/options.h"
#include "host/peers.h"
#include "host/recording.h"
#include "host/setup.h"
#include "host/worker.h"

/// [bytes] for session, world and recorder together.
#define ISO__SESSION_MEMORY_MAX (64u << 20)

typedef struct iso__host {
    iso__options options;
    iso__memory memory;
    iso__setup setup;
    uv_loop_t loop;
    uv_async_t outbound_filled;
    uv_signal_t terminate, interrupt;
    uv_timer_t end;         // --for
    uv_timer_t linger;      // how long farewells may take at the end
    iso__worker worker;
    iso__recording recording;
    bool is_recording;
    iso__peers peers;
    uint32_t compressing;   // jobs that are out
    bool ending;            // the shutdown was handed in
    bool stopped;           // the worker has said its last
    uint32_t lingered_ms;
    uint64_t started_ns;
} iso__host;

/// Compresses on another thread; the worker gets the answer.
void iso__host_compress(iso__host *host, const iso__outbound *item);

/// The lines at the end, on standard error. After all threads have ended.
void iso__host_summarize(const iso__host *host);

#endif
