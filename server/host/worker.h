/// The session's worker: one thread that runs one session.
///
///        I/O thread --inbound--> worker --outbound--> I/O thread
///                                  |  ^
///                                  v  | (report_is_new)
///                                recording
///
/// Inbound is bounded: peers' messages leave a reserve free, which only what cannot be repeated may
/// use (a connection's end, the recorder's report, the shutdown). Outbound is bounded as well; the
/// worker waits while it is full, the I/O thread never waits for anything.
#ifndef ISO_HOST_WORKER_H
#define ISO_HOST_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "host/buffer.h"
#include "host/queue.h"
#include "host/recording.h"
#include "session/session.h"

/// Items of the inbound queue that peers' messages and new connections may take.
#define ISO__INBOUND_MESSAGES_MAX 1024u
/// And the reserve behind them. A connection needs at most three items after its first (bad frame,
/// queued, gone), and at most ISO__INBOUND_MESSAGES_MAX + ISO__PEER_MAX connections can have one there.
#define ISO__INBOUND_RESERVE 8192u
#define ISO__OUTBOUND_MAX 1024u

/// Most connections at a time, those in the handshake and those that are ending included.
#define ISO__PEER_MAX 512u

typedef enum iso__inbound_kind {
    ISO__INBOUND_SESSION,    // `event` as it stands; `block` is freed afterwards
    ISO__INBOUND_RECORDER,   // the recording has something new to report
} iso__inbound_kind;

typedef struct iso__inbound {
    uint8_t kind;
    iso_session_event event;
    void *block;  // what `event` points into
} iso__inbound;

typedef enum iso__outbound_kind {
    ISO__OUTBOUND_SEND,
    ISO__OUTBOUND_CLOSE,
    ISO__OUTBOUND_COMPRESS,  // `bytes` stay valid until the answer
    ISO__OUTBOUND_STOPPED,   // the last item
} iso__outbound_kind;

typedef struct iso__outbound {
    uint8_t kind;
    bool welcomes;         // SEND: the connection is authenticated with it
    bool farewell;         // SEND: the last message
    iso_status status;     // CLOSE
    iso__buffer *buffer;   // SEND: a reference
    uint64_t connection;   // SEND to one, CLOSE
    uint64_t *connections; // SEND to several: to be freed
    uint32_t connection_count;
    const uint8_t *bytes;  // COMPRESS
    size_t byte_count;
    uint64_t tick;         // COMPRESS
} iso__outbound;

#define ISO__LATENESS_BUCKETS 32u

/// How late the ticks were sealed and how long that took. Written by the worker, read after its end.
typedef struct iso__worker_timing {
    uint64_t ticks;
    uint64_t late_buckets[ISO__LATENESS_BUCKETS];  // by the power of two of the microseconds
    uint64_t late_max_ns;
    uint64_t work_total_ns;
    uint64_t work_max_ns;
} iso__worker_timing;

typedef struct iso__worker {
    iso_session *session;
    iso__recording *recording;  // NULL: there is none
    iso__queue inbound, outbound;
    uv_async_t *outbound_filled;  // of the I/O thread's loop
    atomic_bool starved;          // a message found no room: wake the I/O thread when there is some
    pthread_t thread;
    bool running;
    bool closed;                  // CLOSED was given
    iso_status recording_lost;    // not ISO_OK: something could not be handed in
    iso__recording_report report; // as last told to the session
    bool degraded_told, sealed_told;
    uint8_t *encode_memory;
    uint8_t *encode_bytes;
    iso__worker_timing timing;
} iso__worker;

/// Makes the queues. The session and the recording are set before the start.
bool iso__worker_init(iso__worker *worker, uv_async_t *outbound_filled);
bool iso__worker_start(iso__worker *worker);
/// Waits for the thread's end, which follows on ISO__OUTBOUND_STOPPED.
void iso__worker_join(iso__worker *worker);
/// Frees what is left in the queues.
void iso__worker_term(iso__worker *worker);

/// Hands in what may be refused. @return false when there is no room; the I/O thread is woken when
/// there is again. The block then stays the caller's.
bool iso__worker_offer(iso__worker *worker, const iso__inbound *item);

/// Hands in what must not be lost; takes from the reserve.
void iso__worker_post(iso__worker *worker, const iso__inbound *item);

/// For iso__recording_start: posts ISO__INBOUND_RECORDER. @param user  the worker
void iso__worker_wake_for_recording(void *user);

#endif
