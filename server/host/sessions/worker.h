/// Workers: threads that each run several sessions.
///
///        I/O thread --inbound--> worker --outbound--> I/O thread
///                                  |  ^
///                                  v  | (report_is_new)
///                                writer
///
/// Inbound is bounded: each session's peers have a number of places, and beyond these is a reserve for items that
/// cannot be repeated (a connection's end, the recorder's report, the shutdown). Outbound is bounded as well; the
/// worker waits while it is full, the I/O thread never waits.
///
/// Inputs do not wake a worker: they are taken just before the tick that they are for. They carry their arrival time,
/// so no measurement depends on that.
///
/// Of several sessions with a tick due, the one that has used the least of the worker's time goes first. So a session
/// whose ticks take too long delays its neighbours by at most one of its ticks each time, and only its own ticks become
/// late.
#ifndef ISO_HOST_WORKER_H
#define ISO_HOST_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/affinity.h"
#include "base/buffer.h"
#include "base/gate.h"
#include "base/queue.h"
#include "host/sessions/hosted.h"
#include "host/sessions/member_request.h"
#include "host/start/descriptors.h"
#include "host/watch/counters.h"

#define ISO__OUTBOUND_MAX   1024u
#define ISO__OUTBOUND_BATCH 64u

typedef enum iso__inbound_kind {
    ISO__INBOUND_SESSION,        // `event` as it is; `block` is freed afterwards
    ISO__INBOUND_RECORDER,       // the recording has something new to report
    ISO__INBOUND_MEMBER_REQUEST, // `request`, which is answered
    ISO__INBOUND_ADD,            // the session is the worker's from now on
    ISO__INBOUND_LEAVE,          // the session has closed, and nothing more comes for it from the I/O thread
    ISO__INBOUND_RETIRED,        // nor from the writer
    ISO__INBOUND_STOP,           // all sessions have closed, and no other comes: the thread ends
} iso__inbound_kind;

typedef struct iso__inbound {
    uint8_t kind;
    bool is_counted; // it has one of its session's places
    iso__hosted *hosted;
    uint64_t at_ns;   // arrival time
    uint32_t address; // of a connection that is gone: released when the session has processed that
    iso_session_event event;
    void *block;         // what `event` points into
    uint32_t block_size; // [bytes]
    iso__member_request *request;
} iso__inbound;

/// Frees what an item has brought. The secret of a Hello does not stay in freed memory.
static inline void iso__inbound_free(iso__inbound *item) {
    const iso_message *message = item->event.message;
    if (item->block != NULL && item->event.kind == ISO_SESSION_EVENT_MESSAGE && message != NULL &&
        message->kind == ISO_MESSAGE_HELLO) {
        explicit_bzero(item->block, item->block_size);
    }
    free(item->block);
}

typedef enum iso__outbound_kind {
    ISO__OUTBOUND_SEND,
    ISO__OUTBOUND_CLOSE,
    ISO__OUTBOUND_GONE,           // the session has processed a connection's end
    ISO__OUTBOUND_HOLD,           // a slot is held, or is no longer
    ISO__OUTBOUND_COMPRESS,       // `bytes` stay valid until SNAPSHOT_ENCODED
    ISO__OUTBOUND_MEMBER_REQUEST, // the answer to a request about members
    ISO__OUTBOUND_STARTED, // the recording of an added session has begun, or, with a status, has ended before that
    ISO__OUTBOUND_CLOSED,  // a session has closed; its status is that of iso_session_action
    ISO__OUTBOUND_LEFT,    // after LEAVE: no thread but the I/O thread refers to the session any more
    ISO__OUTBOUND_STOPPED, // a worker's last item
} iso__outbound_kind;

typedef struct iso__outbound {
    uint8_t kind;
    bool welcomes;                // SEND: the connection is authenticated with it
    bool activates;               // SEND: it may send INPUT from now on
    bool is_farewell;             // SEND: the last message
    bool is_held;                 // HOLD
    iso_status status;            // CLOSE, STARTED, CLOSED
    uint32_t address;             // GONE
    uint64_t origin;              // HOLD
    iso__hosted *hosted;          // COMPRESS, STARTED, CLOSED, LEFT
    struct iso__worker *worker;   // STOPPED
    iso__member_request *request; // MEMBER_REQUEST
    iso__buffer *buffer;          // SEND: a reference
    uint64_t connection;          // SEND to one, CLOSE
    uint64_t *connections;        // SEND to several: to be freed
    uint32_t connection_count;
    const uint8_t *bytes; // COMPRESS
    size_t byte_count;
    uint64_t tick; // COMPRESS
} iso__outbound;

typedef struct iso__worker {
    iso__hosted **sessions;
    uint64_t *deadlines; // of the same sessions: when each is next due; UINT64_MAX: closed
    uint32_t session_count;
    uint32_t open_count;    // of the sessions that are not closed
    uint32_t created_count; // used by the I/O thread: of the sessions that may leave
    iso__queue inbound, outbound;
    uv_async_t *outbound_filled; // of the I/O thread's loop
    iso__counters *counters;
    atomic_bool nudged; // the inbound queue has an item that should be processed now
    atomic_uint_least64_t asleep_until_ns;
    pthread_t thread;
    iso__affinity affinity; // the thread, while it runs
    iso__affinity io;       // who offers items and receives what is outbound
    bool is_running;
    bool is_stopping; // STOP was taken
    bool has_stopped; // used by the I/O thread: it has received ISO__OUTBOUND_STOPPED
    iso__gate *gate;
    uint64_t served_floor_ns;               // of the session that was served last
    iso__outbound out[ISO__OUTBOUND_BATCH]; // not pushed yet
    uint32_t out_count;
    uint8_t *encode_memory;
    uint8_t *encode_bytes;
} iso__worker;

/// Creates the queues. Sessions are added later: before the start by iso__worker_add, while the thread runs by ADD.
/// @param session_max  maximum number of sessions
bool iso__worker_init(iso__worker *worker, uint32_t session_max, uv_async_t *outbound_filled, iso__counters *counters);
void iso__worker_add(iso__worker *worker, iso__hosted *hosted);
/// Starts the thread, which waits at the gate: all sessions must have been created when that opens.
/// @return 0 or an errno value
int iso__worker_start(iso__worker *worker, iso__gate *gate);
/// Waits for the thread's end, which follows ISO__OUTBOUND_STOPPED.
void iso__worker_join(iso__worker *worker);
/// Frees what is left in the queues.
void iso__worker_term(iso__worker *worker);

/// @name The thread's steps, for a caller that drives a worker without one
/// @{
void iso__worker_begin(iso__worker *worker);
/// Processes inbound items, then the ticks that are due. @param may_wait  for one of the two
void iso__worker_turn(iso__worker *worker, bool may_wait);
/// UINT64_MAX: never
uint64_t iso__worker_next_deadline(const iso__worker *worker);
/// @}

#endif
