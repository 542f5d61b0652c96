/// Streams: connections that carry whole frames, over TCP.
///
/// All functions and all calls of the handler belong to the loop's thread. A stream reads frames and
/// hands them up one by one; it sends shared buffers in order, through a queue of its own with a cap,
/// because libuv's queue has none and the kernel's would hide a slow reader.
///
///        in: socket -> `in` -> framer -> handler.frame     (stops when the handler says "not now")
///       out: iso__stream_send -> `out` ring -> socket      (at most one write is out at a time)
#ifndef ISO_TRANSPORT_STREAM_H
#define ISO_TRANSPORT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/buffer.h"
#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"

#define ISO__STREAM_SEND_BUFFER_SIZE (128 << 10)  // [bytes] of the kernel
#define ISO__STREAM_NOTSENT_LOWAT    (16 << 10)   // [bytes] unsent in the kernel before it takes more
#define ISO__STREAM_QUEUED_MAX       (256u << 10) // [bytes] in our queue
#define ISO__STREAM_QUEUED_COUNT_MAX 1024u        // buffers in our queue
#define ISO__STREAM_WRITE_SIZE_MAX   (32u << 10)  // [bytes] handed to the kernel at once, unless one buffer is larger
#define ISO__STREAM_READ_SIZE        8192u

typedef struct iso__stream iso__stream;
typedef struct iso__stream_server iso__stream_server;

/// What the host is told. No function may destroy a stream; it may call iso__stream_finish.
typedef struct iso__stream_handler {
    /// A peer wants to connect. @return false: it waits in the kernel's queue, and with it all later ones, until
    /// iso__stream_server_accept.
    bool (*admits)(void *user);
    /// A peer connected. `stream->user` may be set. @return false: close at once, nothing else is called.
    bool (*opened)(void *user, iso__stream *stream);
    /// A peer connected that there is no place for; it may be told so with iso__stream_say_once and is then
    /// closed. NULL: a connection could not even be accepted.
    void (*full)(void *user, iso__stream *stream);
    /// A whole frame. @return false: not now; it is offered again after iso__stream_resume.
    bool (*frame)(void *user, iso__stream *stream, const uint8_t *bytes, size_t size);
    /// What came is no frame, or does not get ready; nothing more is read. Once per stream.
    void (*failed)(void *user, iso__stream *stream, iso_status status);
    /// The peer ended its side, in order. @return whether it may still wait for an answer: it then has half a second
    /// for one to be queued, and the time of a farewell for that; else the connection is closed.
    bool (*ended)(void *user, iso__stream *stream);
    /// The bytes that wait crossed a multiple of a quarter of the cap, up or down, or the cap itself:
    /// then `queued` is above ISO__STREAM_QUEUED_MAX and only a farewell is taken from now on.
    void (*queued)(void *user, iso__stream *stream, size_t queued);
    /// The connection is gone. The last call; the stream is freed at the loop's next turn.
    void (*closed)(void *user, iso__stream *stream);
    void *user;
} iso__stream_handler;

typedef enum iso__stream_state {
    ISO__STREAM_OPEN,
    ISO__STREAM_FAILED,     // what comes is thrown away, sending goes on
    ISO__STREAM_FINISHING,  // sends what is queued, then its end, then waits for the peer's
    ISO__STREAM_CLOSING,    // only libuv still knows it
} iso__stream_state;

struct iso__stream {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    iso__stream_server *server;
    iso__stream *next, *previous;  // in the server's list
    iso__stream *next_dirty;       // in the list of those that have something to write
    uint64_t id;                   // the host's
    void *user;                    // the host's
    iso__stream_state state;
    bool dirty;
    bool overflowed;        // the cap was crossed
    bool writing;           // a write is out in libuv: the head of the ring must stay
    bool shutdown_begun;
    bool shutdown_done;
    bool peer_ended;        // the peer sent its end
    bool paused;            // the handler said "not now"
    uint64_t frame_begun_ns;    // when the unfinished frame began; 0: there is none
    uint64_t finish_begun_ns;
    uint64_t bytes_in, bytes_out;

    iso_framer framer;
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    uint8_t in[ISO__STREAM_READ_SIZE];
    size_t in_begin, in_end;
    const uint8_t *held;    // the frame that the handler did not take, or NULL
    size_t held_size;

    iso__buffer *out[ISO__STREAM_QUEUED_COUNT_MAX];  // ring
    uint32_t out_head, out_count;
    size_t head_sent;       // bytes of the head that are written
    size_t queued;          // bytes that are not written
    size_t queued_step;     // the last reported, in quarters of the cap
};

struct iso__stream_server {
    uv_tcp_t listener;
    uv_timer_t sweep;       // looks for frames and farewells that take too long
    iso__stream_handler handler;
    iso__stream *first;
    iso__stream *dirty;
    uint32_t stream_count;
    uint32_t stream_max;
    uint64_t frame_timeout_ns;
    uint64_t finish_timeout_ns;
    bool opened;            // the handles are the loop's
    bool listening;
    bool accept_pending;    // a connection waits: the handler does not admit it, or there was no memory for it
    char address[64];       // as bound: "127.0.0.1:7790", "[::1]:7790"
};

/// Binds; nobody can connect yet.
///
/// @param address     where to listen
/// @param stream_max  connections at most; there must be a file descriptor more than these
/// @return 0 or libuv's error (UV_EADDRINUSE: the port is taken). On error the server is closed by
///         iso__stream_server_close as well.
int iso__stream_server_open(iso__stream_server *server, uv_loop_t *loop, const struct sockaddr *address,
                            uint32_t stream_max, uint64_t frame_timeout_ns, uint64_t finish_timeout_ns,
                            const iso__stream_handler *handler);

/// Lets peers connect. @return 0 or libuv's error
int iso__stream_server_listen(iso__stream_server *server);

/// Accepts the connection that waits, if there is one and the handler admits it now.
void iso__stream_server_accept(iso__stream_server *server);

/// Takes no more connections; those that are there stay.
void iso__stream_server_stop(iso__stream_server *server);

/// Stops, and cuts all connections; the loop then ends when they are closed.
void iso__stream_server_close(iso__stream_server *server);

/// Queues a buffer; shares it. Nothing is written before iso__stream_server_flush.
///
/// @param farewell  the last message: it is taken even beyond the cap, in place of all that waits
void iso__stream_send(iso__stream *stream, iso__buffer *buffer, bool farewell);

/// Writes to a connection that is closed afterwards, as much as the kernel takes at once.
void iso__stream_say_once(iso__stream *stream, const iso__buffer *buffer);

/// Writes what was queued since the last call, one system call per stream.
void iso__stream_server_flush(iso__stream_server *server);

/// Ends a connection: what is queued is sent, the rest of what the peer says is thrown away.
void iso__stream_finish(iso__stream *stream);

/// Ends a connection at once: what the kernel takes of the queue is sent, nothing is waited for.
void iso__stream_cut(iso__stream *stream);

/// Throws away what the peer sends from now on; sending goes on.
void iso__stream_deafen(iso__stream *stream);

/// Offers the held frame again and goes on reading.
void iso__stream_resume(iso__stream *stream);

#endif
