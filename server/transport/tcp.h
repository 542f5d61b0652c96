/// Streams over TCP.
///
/// What the bytes mean is a protocol's matter (iso__tcp_protocol): frames with their size in front here, HTTP and then
/// WebSocket in web.h. Accepting, the queue, the limits and the end of a connection are the same for both.
///
/// A stream reads frames and hands them to its handler one by one. It sends shared buffers in order through its own
/// bounded queue, because libuv's queue has no bound and the kernel's would hide a slow reader.
///
///        in: socket -> `in` -> framer -> handler.frame     (stops when the handler says "not now")
///       out: iso__stream_send -> `out` ring -> socket      (at most one write is in progress)
#ifndef ISO_TRANSPORT_TCP_H
#define ISO_TRANSPORT_TCP_H

#include "base/stops.h"
#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"
#include "transport/proxy_header.h"
#include "transport/stream.h"

#define ISO__TCP_SEND_BUFFER_SIZE (128 << 10) // [bytes] of the kernel
#define ISO__TCP_NOTSENT_LOWAT    (16 << 10)  // [bytes] unsent in the kernel before it accepts more
#define ISO__TCP_WRITE_SIZE_MAX   (32u << 10) // [bytes] handed to the kernel at once, unless one buffer is larger
#define ISO__TCP_READ_SIZE        8192u

#define ISO__TCP_HEAD_MAX 10u // [bytes] that a protocol puts in front of a buffer

typedef struct iso__tcp_stream iso__tcp_stream;
typedef struct iso__tcp_listener iso__tcp_listener;

/// What a connection's bytes mean. All functions but `head` may close the stream.
typedef struct iso__tcp_protocol {
    size_t stream_size; // [bytes] of a stream, which begins with an iso__tcp_stream
    bool takes_proxy;   // connections from proxies have a PROXY header in front
    /// @return false: new connections wait, as by the handler's `admits`
    bool (*admits)(iso__tcp_listener *listener);
    /// There is no place for a connection. @param stream  NULL: it could not even be accepted
    void (*full)(iso__tcp_listener *listener, iso__tcp_stream *stream);
    /// A connection was accepted. @return false: it is cut
    bool (*begin)(iso__tcp_stream *stream);
    /// Processes `in` until it is empty, the stream pauses or ends.
    void (*consume)(iso__tcp_stream *stream);
    /// Writes what precedes a waiting buffer on the wire. @param skipped  [bytes] of the buffer that are left out.
    /// @return its size, at most ISO__TCP_HEAD_MAX; equal for equal arguments. NULL: buffers are sent as they are
    size_t (*head)(const iso__tcp_stream *stream, const iso__buffer *buffer, uint8_t *head, size_t *skipped);
    /// The queue has become empty. NULL: of no interest
    void (*drained)(iso__tcp_stream *stream);
    /// The peer ended its side in order. @return as the handler's `ended`
    bool (*ended)(iso__tcp_stream *stream);
    /// The user ends the stream: the last bytes may be queued. NULL: there are none
    void (*finish)(iso__tcp_stream *stream);
    /// Called often: ends what takes too long. NULL: nothing does
    void (*sweep)(iso__tcp_stream *stream, uint64_t now);
    /// The connection is gone: frees what the stream has. NULL: nothing
    void (*free)(iso__tcp_stream *stream);
} iso__tcp_protocol;

struct iso__tcp_stream {
    iso__stream base; // first, so that a stream is its TCP stream
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    iso__tcp_stream *next_dirty; // in the list of streams that have something to write
    bool is_taken;               // accepted by the handler, which is informed of its end
    bool is_dirty;
    bool has_overflowed; // the maximum was exceeded
    bool is_writing;     // a write is in progress in libuv: the head of the ring must stay
    bool is_shutdown_begun;
    bool is_shutdown_done;
    bool has_peer_ended; // the peer sent its end
    bool is_paused;      // the handler said "not now"
    iso__proxy_header
        *proxy; // its PROXY header, which is not whole yet: nobody knows of the stream; NULL: none is awaited
    uint64_t accepted_ns;
    uint64_t frame_begun_ns; // when the unfinished frame began; 0: there is none
    uint64_t finish_begun_ns;

    iso_framer framer;
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    uint8_t in[ISO__TCP_READ_SIZE];
    size_t in_begin, in_end;
    const uint8_t *held; // the frame that the handler did not accept, or NULL
    size_t held_size;

    iso__buffer *out[ISO__STREAM_QUEUED_COUNT_MAX]; // ring
    uint32_t out_head, out_count;
    size_t head_sent;  // bytes of the first waiting buffer, and of what precedes it, that are written
    size_t write_size; // bytes of the write in progress
    uint8_t write_head[ISO__TCP_HEAD_MAX]; // what it writes, if that precedes a buffer
    size_t queued;                         // bytes that are not written
    size_t queued_step;                    // last reported, in quarters of the maximum
};

struct iso__tcp_listener {
    iso__listener base; // first, so that a listener is its TCP listener
    const iso__tcp_protocol *protocol;
    union {
        uv_tcp_t tcp;
        uv_pipe_t local; // instead, of a socket in the file system
        uv_stream_t stream;
    };
    uint64_t local_inode; // of that, to be removed at the end; 0: there is none
    uv_timer_t sweep;     // finds frames and last messages that take too long
    iso__stops stops;     // of the sweeps
    uv_idle_t again;      // runs while streams wait for the next turn, so that the loop does not sleep
    iso__tcp_stream *dirty;
    iso__tcp_stream *flushing; // those of `dirty` whose turn it is
    bool is_open;              // the loop owns the handles
    bool is_accept_pending;    // a connection waits: the handler does not admit it, or memory was short
};

/// Initialises a listener that is not open.
///
/// @param listener  the caller's memory, until the loop has ended after iso__listener_close
/// @return its head
iso__listener *iso__tcp_listener_init(iso__tcp_listener *listener);

#endif
