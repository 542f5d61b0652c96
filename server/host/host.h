/// The host: everything that a running server consists of.
#ifndef ISO_HOST_HOST_H
#define ISO_HOST_HOST_H

#include <uv.h>

#include "base/affinity.h"
#include "base/gate.h"
#include "host/peers/bans.h"
#include "host/peers/peers.h"
#include "host/sessions/compress.h"
#include "host/sessions/created_session.h"
#include "host/sessions/directory.h"
#include "host/sessions/hosted.h"
#include "host/signals.h"
#include "host/start/options.h"
#include "host/start/sandbox.h"
#include "host/watch/audit.h"
#include "host/watch/counters.h"
#ifdef ISO__HTTP
#include "host/web/web.h"
#endif
#include "host/recordings/writer.h"
#include "host/sessions/worker.h"
#include "isostep/threads.h"
#include "transport/transport.h"

/// What sessions have done together.
typedef struct iso__host_sum {
    iso_session_stats stats;
    iso__timing timing;
    uint32_t session_count;
    bool has_gap; // a recording is incomplete
} iso__host_sum;

typedef struct iso__host {
    iso__options options;
    iso__affinity io; // the thread that runs the loop
    iso__sandbox sandbox;
    iso__counters counters;
    uv_loop_t loop;
    uv_async_t outbound_filled;
    iso__signals signals;
    uv_timer_t end;    // --for
    uv_timer_t ends;   // while somebody waits until a session's end is on the disk
    uv_timer_t linger; // how long last messages may take at the end
    uv_poll_t filler;  // enlarges the loop's table of descriptors
    bool is_loop_open;
    iso__gate gate; // the threads wait here until everything is created
    iso__compressor compressor;
    iso__hosted *sessions;
    uint32_t session_count;
    iso__created_sessions created; // sessions that are created over HTTP
    iso__directory directory;      // of all that clients can find
    uint32_t open_count;           // sessions that have a worker and have not closed
    bool is_stopping;              // the workers were told to end
    iso__job_thread session_builder;
    iso__worker workers[ISO__WORKERS_MAX];
    uint32_t worker_count;
    iso_threads *threads; // share the steps of large worlds; NULL: none do
    iso__key key;
    char password[ISO_PASSWORD_MAX + 1]; // of --password-file, until the sessions have it; "": none
    iso__disk disk;                      // the folder of the recordings
    int lock_file;                       // the lock on it; -1: none
    iso__folder folder;                  // the same as a path
    iso__writer writer;
    iso__retention retention; // with --keep
    bool is_recorded;
    iso__event_log events;
    iso__bans bans;
    char bans_shown[600]; // the path of its file in messages, if that is in the folder
    iso__audit audit;
    bool has_events;
    iso__transport transport;
    iso__peers peers;
#ifdef ISO__HTTP
    iso__web web;
    iso__web admin; // of --admin
    iso__tokens tokens;
#endif
    bool is_ending;         // SHUTDOWN was sent to the sessions
    uint32_t stopped_count; // workers that have sent STOPPED
    uint32_t lingered_ms;
    iso__host_sum left; // of the sessions that have left
    uint64_t started_ns;
} iso__host;

/// The sessions that exist, those of the start first, then those that were created over HTTP.
/// @param index  0 before the first call @return NULL: that was all
iso__hosted *iso__host_next(const iso__host *host, uint32_t *index);

#endif
