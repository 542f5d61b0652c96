/// Streams: connections that carry whole frames over any transport. The layers above know only this header; each
/// transport implements it beside it: TCP (tcp.h) and WebSocket (web.h).
///
/// A frame is a message with its size in front (isostep/proto/framing.h). The handler receives messages without the
/// size; buffers to send include it, and a transport that carries whole messages by itself leaves it out.
///
/// All functions and all calls of the handler belong to the thread of the listener's loop, and none waits.
///
/// Ownership: a listener is its user's memory, and owns its streams. A stream exists from `opened` until `closed`
/// returns; after that its user must not keep the pointer.
#ifndef ISO_TRANSPORT_STREAM_H
#define ISO_TRANSPORT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/address.h"
#include "base/affinity.h"
#include "base/buffer.h"
#include "isostep/status.h"

#define ISO__STREAM_QUEUED_MAX       (256u << 10) // [bytes] that wait on one stream
#define ISO__STREAM_QUEUED_COUNT_MAX 1024u        // maximum waiting buffers, plus one

typedef struct iso__stream iso__stream;
typedef struct iso__listener iso__listener;

/// Callbacks of a listener's user. None may destroy a stream; all may call iso__stream_finish.
typedef struct iso__stream_handler {
    /// A peer wants to connect. @return false: it waits, and with it all later ones, until iso__listener_accept.
    bool (*admits)(void *user);
    /// A peer connected. `stream->user`, `id` and `frame_max` may be set. @return false: the connection ends as by
    /// iso__stream_cut, and no other callback follows.
    bool (*opened)(void *user, iso__stream *stream);
    /// A peer connected for which there is no place; a last message may be sent to it, and it is then cut.
    /// NULL: a connection could not even be accepted.
    void (*full)(void *user, iso__stream *stream);
    /// A whole frame, without its size; the bytes are valid until the call returns, or a later one of the same frame.
    /// @return false: not now; it is offered again after iso__stream_resume, and nothing is read until then.
    bool (*frame)(void *user, iso__stream *stream, const uint8_t *bytes, size_t size);
    /// The received bytes are no frame, or a frame is not completed in time; nothing more is read. Once per stream.
    /// @param status  ISO_ERR_FRAME_TOO_LARGE, ISO_ERR_MALFORMED, ISO_ERR_TIMEOUT
    void (*failed)(void *user, iso__stream *stream, iso_status status);
    /// The peer ended its side in order. @return whether it may still wait for an answer: half a second is then left to
    /// queue one, and the time of a last message to send it; else the connection is closed.
    bool (*ended)(void *user, iso__stream *stream);
    /// The waiting bytes crossed a multiple of a quarter of the maximum, up or down, or the maximum itself: then
    /// `queued` is above ISO__STREAM_QUEUED_MAX and only a last message is accepted from now on.
    void (*queued)(void *user, iso__stream *stream, size_t queued);
    /// The connection is gone. The last callback of a stream.
    void (*closed)(void *user, iso__stream *stream);
    void *user;
    /// Whether connections from this address begin with a PROXY header, which then says whose they are. NULL: none do.
    /// A transport with another way to say that does not ask.
    bool (*is_proxy)(void *user, const iso__address *address);
    /// Such a connection had no such header, or not in time, and ends. `opened` was not called.
    void (*unproxied)(void *user, const iso__address *address);
} iso__stream_handler;

typedef enum iso__stream_state {
    ISO__STREAM_OPEN,
    ISO__STREAM_FAILED,    // received bytes are discarded, sending continues
    ISO__STREAM_FINISHING, // sends what is queued, then its end, then waits for the peer's
    ISO__STREAM_CLOSING,   // `closed` was called
} iso__stream_state;

/// The operations of a transport on a stream. Called through the functions below.
typedef struct iso__stream_functions {
    void (*send)(iso__stream *stream, iso__buffer *buffer, bool farewell);
    void (*finish)(iso__stream *stream);
    void (*cut)(iso__stream *stream);
    void (*resume)(iso__stream *stream);
    void (*fail_with)(iso__stream *stream, iso_status status);
    void (*forget)(iso__stream *stream);
} iso__stream_functions;

/// The head of a stream; its transport's part follows.
struct iso__stream {
    const iso__stream_functions *functions;
    iso__listener *listener;
    iso__stream *next, *previous; // in the listener's list
    iso__stream_state state;      // set by the transport, like all members but those that say so
    uint64_t id;                  // for the user
    void *user;                   // for the user
    uint32_t
        frame_max; // [bytes] maximum of the next frame; set by the user, initially and at most ISO_FRAME_MAX_CLIENT
    iso__address address; // of the peer; IPv4 never in IPv6's form
    // Set by the user before iso__stream_finish or cut: why it ends. ISO_OK: in order. For transports that tell the
    // peer.
    iso_status end_status;
    uint64_t bytes_in, bytes_out; // including what the transport adds to frames
};

/// The parameters of a listener.
typedef struct iso__listener_config {
    uint32_t stream_max;        // maximum connections; one more file descriptor than this must be available
    uint32_t *stream_total;     // connections of all listeners that share this maximum; NULL: it is this one's alone
    uint64_t frame_timeout_ns;  // for a frame that has begun
    uint64_t finish_timeout_ns; // for a last message to be received
    iso__stream_handler handler;
} iso__listener_config;

typedef struct iso__listener_functions {
    int (*open)(iso__listener *listener, uv_loop_t *loop, const iso__address *address);
    int (*listen)(iso__listener *listener);
    void (*accept)(iso__listener *listener);
    void (*flush)(iso__listener *listener);
    void (*stop)(iso__listener *listener);
    void (*close)(iso__listener *listener);
} iso__listener_functions;

/// The head of a listener; the part of its transport, which creates it, follows.
struct iso__listener {
    const iso__listener_functions *functions;
    iso__listener_config config;
    iso__affinity io;   // the thread of its loop, from iso__listener_open on
    iso__stream *first; // its streams, including those that are closing
    uint32_t stream_count;
    bool is_listening;
    char address[128]; // as bound: "127.0.0.1:7790", "[::1]:7790", "unix:/run/isostep.sock"
};

/// Binds the address; connecting is not possible yet.
///
/// @param address  where to listen
/// @return 0 or libuv's error (UV_EADDRINUSE: the address is in use). On error the listener must be closed by
/// iso__listener_close as well.
static inline int iso__listener_open(iso__listener *listener, uv_loop_t *loop, const iso__address *address,
                                     const iso__listener_config *config) {
    iso__affinity_take(&listener->io);
    ISO_ASSERT(listener->first == NULL && listener->stream_count == 0);
    listener->config = *config;
    return listener->functions->open(listener, loop, address);
}

/// Opens the listener. @return 0 or libuv's error
static inline int iso__listener_listen(iso__listener *listener) {
    ISO__ASSERT_ON(&listener->io);
    return listener->functions->listen(listener);
}

/// Accepts the waiting connection, if there is one and the handler admits it now.
static inline void iso__listener_accept(iso__listener *listener) {
    ISO__ASSERT_ON(&listener->io);
    listener->functions->accept(listener);
}

/// Writes what was queued on its streams since the last call, one system call per stream.
static inline void iso__listener_flush(iso__listener *listener) {
    ISO__ASSERT_ON(&listener->io);
    listener->functions->flush(listener);
}

/// Accepts no more connections; existing ones stay.
static inline void iso__listener_stop(iso__listener *listener) {
    ISO__ASSERT_ON(&listener->io);
    listener->functions->stop(listener);
}

/// Stops, and cuts all connections; the loop then ends when they are closed. Does nothing to a listener that was never
/// opened.
static inline void iso__listener_close(iso__listener *listener) {
    ISO__ASSERT_ON(&listener->io);
    listener->functions->close(listener);
}

/// Queues a buffer with a frame and adds a reference. Nothing is written before iso__listener_flush.
///
/// @param farewell  the last message: it is accepted even above the maximum, and replaces all that waits
static inline void iso__stream_send(iso__stream *stream, iso__buffer *buffer, bool farewell) {
    ISO__ASSERT_ON(&stream->listener->io);
    ISO_ASSERT(buffer->size > 0 && buffer->size <= buffer->capacity);
    stream->functions->send(stream, buffer, farewell);
}

/// Ends a connection: what is queued is sent, everything else that the peer sends is discarded.
static inline void iso__stream_finish(iso__stream *stream) {
    ISO__ASSERT_ON(&stream->listener->io);
    stream->functions->finish(stream);
}

/// Ends a connection at once: what can be written of the queue without waiting is sent.
static inline void iso__stream_cut(iso__stream *stream) {
    ISO__ASSERT_ON(&stream->listener->io);
    stream->functions->cut(stream);
}

/// Overwrites what was received and handed out as frames, the present one included: a secret was in it.
static inline void iso__stream_forget(iso__stream *stream) {
    ISO__ASSERT_ON(&stream->listener->io);
    stream->functions->forget(stream);
}

/// Treats what the peer has sent as if it were no frame: the handler's `failed` is called, and nothing more is read.
static inline void iso__stream_fail(iso__stream *stream, iso_status status) {
    ISO__ASSERT_ON(&stream->listener->io);
    ISO_ASSERT(status != ISO_OK);
    stream->functions->fail_with(stream, status);
}

/// Offers the held frame again and continues reading.
static inline void iso__stream_resume(iso__stream *stream) {
    ISO__ASSERT_ON(&stream->listener->io);
    stream->functions->resume(stream);
}

#endif
