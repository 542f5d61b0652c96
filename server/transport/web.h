/// HTTP over TCP, and streams over WebSocket: a connection begins with requests, of which one may turn it into a
/// stream.
///
///        in: socket -> `in` -> HTTP parser -> handler.request -> iso__web_answer, or iso__web_upgrade and from then on
///            socket -> `in` -> WebSocket -> the streams' handler.frame
///       out: answers, and later messages in frames, through the queue of tcp.h
///
/// Requests of one connection are answered one after the other: the next one is looked at when the answer is written.
/// A body that is larger than the queue is produced while it is written. Before the upgrade the streams' handler knows
/// nothing of a connection; after it, it has the same place, limits and errors as one over TCP.
#ifndef ISO_TRANSPORT_WEB_H
#define ISO_TRANSPORT_WEB_H

#include "http/request.h"
#include "http/response.h"
#include "http/websocket.h"
#include "transport/tcp.h"

#define ISO__WEB_REQUEST_TIMEOUT_NS UINT64_C(3000000000)  // until a request, the upgrade too, is whole
#define ISO__WEB_IDLE_TIMEOUT_NS    UINT64_C(10000000000) // between requests
#define ISO__WEB_STALL_TIMEOUT_NS   UINT64_C(10000000000) // for a piece of an answer to be read
#define ISO__WEB_PING_NS            UINT64_C(15000000000) // of silence, after which a WebSocket peer is pinged
#define ISO__WEB_REQUESTS_MAX       100u                  // of a connection in a second
#define ISO__WEB_CONTROLS_MAX       16u                   // pings and pongs of a peer in a second
#define ISO__WEB_BODIES_MAX         (32u << 20)           // [bytes] of all requests' bodies together
#define ISO__WEB_BODY_PIECE         (32u << 10)           // [bytes] of a body that are produced at once

typedef struct iso__web_stream iso__web_stream;

/// Why a request got no answer of its own.
typedef enum iso__web_refusal {
    ISO__WEB_REFUSED_PLACE,  // there is none for the connection
    ISO__WEB_REFUSED_FORM,   // it is malformed
    ISO__WEB_REFUSED_SIZE,   // it is too large, or TLS: a foreign page can make any browser send that
    ISO__WEB_REFUSED_TIME,   // it was not whole in time
    ISO__WEB_REFUSED_RATE,   // there are too many
    ISO__WEB_REFUSED_BODIES, // its body does not fit beside those of others
} iso__web_refusal;

/// Callbacks of a listener's user. None may destroy a stream.
typedef struct iso__web_handler {
    /// A peer connected. `stream->user` may be set. @return false: the connection is refused with 503
    bool (*opened)(void *user, iso__web_stream *stream);
    /// How large the body of a request may be, whose headers have come. NULL: as iso__web_listener_init was told
    size_t (*body_max)(void *user, const iso__http_request *request);
    /// A whole request, which must be answered, upgraded or deferred before this returns.
    void (*request)(void *user, iso__web_stream *stream, const iso__http_request *request);
    /// What was received is no request, or was not looked at. It is answered (429 if there are too many), and the
    /// connection ends.
    /// @param stream  NULL: of ISO__WEB_REFUSED_PLACE
    void (*refused)(void *user, iso__web_stream *stream, iso__web_refusal why);
    /// The connection has ended without an upgrade, or is about to be upgraded. The last callback of this table.
    void (*closed)(void *user, iso__web_stream *stream);
    void *user;
} iso__web_handler;

/// The bytes of an answer: one of the three sources, or none.
typedef struct iso__web_body {
    iso__buffer *buffer;   // a reference is added
    const uint8_t *memory; // stays valid as long as the program runs
    int file;              // read from `offset` on and then closed, if `is_file`
    bool is_file;
    uint64_t offset;
    uint64_t size; // [bytes]
} iso__web_body;

struct iso__web_stream {
    iso__tcp_stream tcp;      // first
    void *user;               // of the handler of requests; the streams' handler has base.user
    iso__http_parser *parser; // until the upgrade
    iso__websocket *socket;   // from then on
    iso__web_body body;       // what is left of the answer
    bool is_known;            // the handler of requests knows it
    bool is_of_proxy;         // it is a trusted proxy's: the address is that of who the present request is for
    iso__address own;         // address of the connection itself
    const char *why;          // why the handler has not opened it: a text of its own; NULL: it has not said
    bool is_answering;
    bool is_deferred; // the answer comes later
    bool sends_body;  // with a deferred answer: the request is not HEAD
    bool ends_after;  // the connection ends with this answer
    bool has_upgraded;
    bool has_closed;      // a Close frame was queued: nothing may follow it
    uint64_t deadline_ns; // for a request to be whole
    uint64_t answered_ns; // when the present answer began
    uint64_t answered;    // bytes_out at that time
    uint64_t written;     // bytes_out when the answer last moved
    uint64_t moved_ns;
    uint64_t heard_ns, pinged_ns;
    uint64_t counted_ns; // the second in which `counted` requests, or later pings and pongs, have come
    uint32_t counted;
    uint16_t close_code; // to end with, instead of that of end_status; 0: none
};

typedef struct iso__web_listener {
    iso__tcp_listener tcp; // first
    iso__web_handler handler;
    size_t body_max;         // [bytes] of a request
    iso__http_bodies bodies; // of all its connections
} iso__web_listener;

/// Initialises a listener that is not open. Its configuration has the handler of streams.
///
/// @param listener  the caller's memory, until the loop has ended after iso__listener_close
iso__listener *iso__web_listener_init(iso__web_listener *listener, const iso__web_handler *handler, size_t body_max);

/// Answers the present request. The size of the body is the head's. @param sends_body  false: to HEAD
void iso__web_answer(iso__web_stream *stream, const iso__http_head *head, const iso__web_body *body, bool sends_body);

/// The present request is answered later, by iso__web_answer, unless the handler is told that the connection has closed
/// before that. No time limit applies meanwhile: the caller has to answer.
/// @param sends_body  kept for that answer
void iso__web_defer(iso__web_stream *stream, bool sends_body);

/// Goes on as WebSocket: the request was found to be right (iso__http_upgrade_status). The streams' handler is told of
/// a new stream, as of one over TCP; while it admits none the answer is 503.
void iso__web_upgrade(iso__web_stream *stream, const iso__http_request *request);

static inline iso__web_stream *iso__web_of(iso__stream *stream) {
    return (iso__web_stream *)stream;
}

/// What it is to those who know nothing of HTTP.
static inline iso__stream *iso__web_base(iso__web_stream *stream) {
    return &stream->tcp.base;
}

static inline iso__listener *iso__web_listener_base(iso__web_listener *listener) {
    return &listener->tcp.base;
}

/// The thread that it belongs to.
static inline const iso__affinity *iso__web_listener_io(const iso__web_listener *listener) {
    return &listener->tcp.base.io;
}

/// The first of its connections, which goes on with `next`.
static inline iso__stream *iso__web_first(const iso__web_listener *listener) {
    return listener->tcp.base.first;
}

static inline const iso__address *iso__web_address(const iso__web_stream *stream) {
    return &stream->tcp.base.address;
}

#endif
