/// The host: everything that a running server consists of.
#ifndef ISO_HOST_HOST_H
#define ISO_HOST_HOST_H

#include <uv.h>

#include "host/compress.h"
#include "host/counters.h"
#include "host/directory.h"
#include "host/gate.h"
#include "host/hosted.h"
#include "host/options.h"
#include "host/peers.h"
#ifdef ISO__HTTP
#include "host/web.h"
#endif
#include "host/worker.h"
#include "host/writer.h"
#include "isostep/threads.h"
#include "transport/tcp.h"

typedef struct iso__host {
    iso__options options;
    iso__counters counters;
    uv_loop_t loop;
    uv_async_t outbound_filled;
    uv_signal_t terminate, interrupt, hang_up, report;
    uv_timer_t end;    // --for
    uv_timer_t linger; // how long last messages may take at the end
    uv_poll_t filler;  // enlarges the loop's table of descriptors
    bool is_loop_open;
    iso__gate gate; // the threads wait here until everything is created
    iso__compressor compressor;
    iso__hosted *sessions;
    uint32_t session_count;
    iso__directory directory; // of these
    iso__worker workers[ISO__WORKERS_MAX];
    uint32_t worker_count;
    iso_threads *threads; // share the steps of large worlds; NULL: none do
    iso__key key;
    iso__disk disk; // the folder of the recordings
    int lock_file;  // the lock on it; -1: none
    iso__writer writer;
    bool is_recorded;
    iso__event_log events;
    bool has_events;
    iso__tcp_listener tcp;
    iso__peers peers;
#ifdef ISO__HTTP
    iso__web web;
#endif
    bool is_ending;         // SHUTDOWN was sent to the sessions
    uint64_t signalled_ns;  // when the first signal that ends the server came; 0: none has
    int signal_number;      // of the first signal
    uint32_t stopped_count; // workers that have sent STOPPED
    uint32_t lingered_ms;
    uint64_t started_ns;
} iso__host;

typedef struct iso__host_addresses {
    struct sockaddr_storage tcp, http;
} iso__host_addresses;

/// Reads the addresses from the options. @return false after a message, like all three
bool iso__host_resolve(iso__host *host, iso__host_addresses *addresses);

/// Binds them; connecting is not possible yet.
bool iso__host_bind(iso__host *host, const iso__host_addresses *addresses, uint32_t stream_max);

/// Opens the listeners.
bool iso__host_listen(iso__host *host);

/// Gives ticks priority over traffic: when processor time is scarce, the workers and the recordings' writer come first.
/// On Linux this affects only the calling thread and those that it creates from now on.
void iso__host_stand_back(void);

/// Writes the summary to standard error. To be called after all threads have ended.
void iso__host_summarize(iso__host *host);

#endif
