/// Streams to a server: connections that carry whole frames, whatever these go over. Who uses them knows this header
/// alone; each way to carry frames implements it beside it, TCP first (tcp.h). The server's half is
/// server/transport/stream.h.
///
/// What is sent and what comes are messages (isostep/proto/framing.h calls them frames); what has to stand between two
/// of them is the transport's.
///
///                 connected                        finish, and all is sent
///     CONNECTING ----------> OPEN ----> FINISHING ------------------------> closed
///         |                    |            |
///         +--------------------+------------+----- failed, ended, cut ----> closed
///
/// All functions and all calls of the handler belong to the thread of the dialer's loop. Only iso__uv_dialer_resolve
/// waits. A write to a connection that is gone must not end the process, which therefore ignores SIGPIPE.
///
/// Ownership: a dialer owns its streams. One exists from iso__uv_dialer_connect until `closed` returns; its user must
/// not keep the pointer any longer. A dialer is destroyed after `closed` was called for all of them.
#ifndef ISO_UV_STREAM_H
#define ISO_UV_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "isostep/status.h"

/// So many [bytes] may wait on a stream; a peer that does not take them in is given up.
#define ISO__UV_STREAM_QUEUED_MAX (1u << 20)

typedef struct iso__uv_stream iso__uv_stream;
typedef struct iso__uv_dialer iso__uv_dialer;

/// The callbacks of a stream's user. Every function may send, finish and cut; none is called within a call of
/// iso__uv_dialer_connect or iso__uv_stream_send.
typedef struct iso__uv_stream_handler {
    /// The connection came to be. Once.
    void (*connected)(iso__uv_stream *stream);
    /// A whole message; the bytes are there until the call returns.
    /// @return false: not now; it is offered again by iso__uv_stream_resume, and nothing is read until then.
    bool (*frame)(iso__uv_stream *stream, const uint8_t *bytes, size_t size);
    /// There is no connection (`state` is still CONNECTING), it broke, or what came is no frame. `closed` follows.
    /// @param status  ISO_ERR_CONNECTION: `stream->error` says why; ISO_ERR_FRAME_TOO_LARGE; ISO_ERR_MALFORMED;
    ///                ISO_ERR_MEMORY
    void (*failed)(iso__uv_stream *stream, iso_status status);
    /// The peer ended its side, in order and between two messages. `closed` follows, after what was queued when
    /// iso__uv_stream_finish is called here.
    void (*ended)(iso__uv_stream *stream);
    /// The connection is gone. The last call of every stream; one that is cut hears it within that.
    void (*closed)(iso__uv_stream *stream);
} iso__uv_stream_handler;

typedef enum iso__uv_stream_state {
    ISO__UV_STREAM_CONNECTING,
    ISO__UV_STREAM_OPEN,
    ISO__UV_STREAM_FINISHING, // sends what is queued, then its end; what comes is thrown away
    ISO__UV_STREAM_CLOSING,   // `closed` was called
} iso__uv_stream_state;

/// What a transport can do with a stream. Called through the functions below.
typedef struct iso__uv_stream_functions {
    bool (*send)(iso__uv_stream *stream, const uint8_t *bytes, size_t size);
    void (*finish)(iso__uv_stream *stream);
    void (*cut)(iso__uv_stream *stream);
    void (*resume)(iso__uv_stream *stream);
} iso__uv_stream_functions;

/// The head of a stream; what follows is its transport's, and all but `user` is its transport's to set.
struct iso__uv_stream {
    const iso__uv_stream_functions *functions;
    const iso__uv_stream_handler *handler;
    void *user; // the user's
    iso__uv_stream_state state;
    int error;                    // libuv's, of what failed last; UV_EOF: the peer ended in the middle of a frame
    bool is_broken;               // a write failed: nothing is taken any more, what has come is still read
    size_t queued;                // [bytes] that wait
    uint64_t bytes_in, bytes_out; // with all that the transport adds to messages; those that wait count as out
};

/// Told once, from the loop. @param error  0 or libuv's
typedef void iso__uv_resolved(void *user, int error);

typedef struct iso__uv_dialer_functions {
    int (*resolve)(iso__uv_dialer *dialer, const char *host, const char *port);
    int (*resolve_later)(iso__uv_dialer *dialer, const char *host, const char *port, iso__uv_resolved *done,
                         void *user);
    void (*resolve_cancel)(iso__uv_dialer *dialer);
    int (*connect)(iso__uv_dialer *dialer, const iso__uv_stream_handler *handler, void *user, iso__uv_stream **stream);
    void (*destroy)(iso__uv_dialer *dialer);
} iso__uv_dialer_functions;

/// Where streams go to. The head; what follows is its transport's, which creates it.
struct iso__uv_dialer {
    const iso__uv_dialer_functions *functions;
    uint32_t connect_timeout_ms; // for each address; the user's to set
};

/// Finds out where the server is; waits for it. Before all streams, and again while none is connecting.
///
/// @param host  a name or an address, without the brackets of IPv6
/// @return 0 or libuv's error
static inline int iso__uv_dialer_resolve(iso__uv_dialer *dialer, const char *host, const char *port) {
    return dialer->functions->resolve(dialer, host, port);
}

/// The same without waiting. One at a time.
///
/// @return 0, and `done` is called later; or libuv's error, and it is not
static inline int iso__uv_dialer_resolve_later(iso__uv_dialer *dialer, const char *host, const char *port,
                                               iso__uv_resolved *done, void *user) {
    return dialer->functions->resolve_later(dialer, host, port, done, user);
}

/// `done` is not called any more, if it was to be. A look-up that has begun may keep the loop alive until the system
/// gives it up.
static inline void iso__uv_dialer_resolve_cancel(iso__uv_dialer *dialer) {
    dialer->functions->resolve_cancel(dialer);
}

/// Begins to connect, to several addresses at a time when the first ones do not answer soon: the first that connects is
/// the stream's. Each is waited for as long as the dialer says.
///
/// @param handler  constant, or there as long as the stream
/// @param stream   is set unless it fails
/// @return 0 or libuv's error (UV_ENOMEM), and the handler hears nothing
static inline int iso__uv_dialer_connect(iso__uv_dialer *dialer, const iso__uv_stream_handler *handler, void *user,
                                         iso__uv_stream **stream) {
    return dialer->functions->connect(dialer, handler, user, stream);
}

/// Frees it. NULL is allowed.
static inline void iso__uv_dialer_destroy(iso__uv_dialer *dialer) {
    if (dialer != NULL) {
        dialer->functions->destroy(dialer);
    }
}

/// Sends a message at once, as far as that goes without waiting, and queues a copy of the rest.
///
/// @return false: the stream is not open, is broken or has more waiting than it may; it takes nothing any more
static inline bool iso__uv_stream_send(iso__uv_stream *stream, const uint8_t *bytes, size_t size) {
    return stream->functions->send(stream, bytes, size);
}

/// Ends a connection in order: closes when what is queued is sent, however long the peer takes for that.
static inline void iso__uv_stream_finish(iso__uv_stream *stream) {
    stream->functions->finish(stream);
}

/// Ends a connection, or the try to make one, at once; what is queued is lost.
static inline void iso__uv_stream_cut(iso__uv_stream *stream) {
    stream->functions->cut(stream);
}

/// Offers the held message again and continues reading. Does nothing when none is held.
static inline void iso__uv_stream_resume(iso__uv_stream *stream) {
    stream->functions->resume(stream);
}

#endif
