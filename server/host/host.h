/// The host: everything that one running server consists of.
#ifndef ISO_HOST_HOST_H
#define ISO_HOST_HOST_H

#include <uv.h>

#include "host/compress.h"
#include "host/counters.h"
#include "host/gate.h"
#include "host/hosted.h"
#include "host/options.h"
#include "host/peers.h"
#include "host/worker.h"
#include "host/writer.h"
#include "transport/tcp.h"

typedef struct iso__host {
    iso__options options;
    iso__counters counters;
    uv_loop_t loop;
    uv_async_t outbound_filled;
    uv_signal_t terminate, interrupt, hang_up, report;
    uv_timer_t end;    // --for
    uv_timer_t linger; // how long farewells may take at the end
    uv_poll_t filler;  // made the loop's table of descriptors large enough
    bool is_loop_open;
    iso__gate gate; // the threads wait there until everything is made
    iso__compressor compressor;
    iso__hosted *sessions;
    uint32_t session_count;
    iso__worker workers[ISO__WORKERS_MAX];
    uint32_t worker_count;
    iso__key key;
    iso__disk disk; // the folder of the recordings
    int lock_file;  // the lock on it; -1: there is none
    iso__writer writer;
    bool is_recorded;
    iso__event_log events;
    bool has_events;
    iso__tcp_listener tcp;
    iso__peers peers;
    bool is_ending;         // the shutdown was handed in
    uint64_t signalled_ns;  // when the first signal came that asks for it; 0: none has
    int signal_number;      // of that one
    uint32_t stopped_count; // workers that have said their last
    uint32_t lingered_ms;
    uint64_t started_ns;
} iso__host;

/// Ticks before traffic: when processors are scarce, the workers and the recordings' writer get theirs first. On Linux
/// this concerns the calling thread alone, and those that it makes from now on.
void iso__host_stand_back(void);

/// The lines at the end, on standard error. After all threads have ended.
void iso__host_summarize(iso__host *host);

#endif
