/// Streams over TCP.
///
/// A stream reads frames and hands them to its handler one by one. It sends shared buffers in order through its own
/// bounded queue, because libuv's queue has no bound and the kernel's would hide a slow reader.
///
///        in: socket -> `in` -> framer -> handler.frame     (stops when the handler says "not now")
///       out: iso__stream_send -> `out` ring -> socket      (at most one write is in progress)
#ifndef ISO_TRANSPORT_TCP_H
#define ISO_TRANSPORT_TCP_H

#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"
#include "transport/stream.h"

#define ISO__TCP_SEND_BUFFER_SIZE (128 << 10) // [bytes] of the kernel
#define ISO__TCP_NOTSENT_LOWAT    (16 << 10)  // [bytes] unsent in the kernel before it accepts more
#define ISO__TCP_WRITE_SIZE_MAX   (32u << 10) // [bytes] handed to the kernel at once, unless one buffer is larger
#define ISO__TCP_READ_SIZE        8192u

typedef struct iso__tcp_stream iso__tcp_stream;

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
    bool has_peer_ended;     // the peer sent its end
    bool is_paused;          // the handler said "not now"
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
    size_t head_sent;   // bytes of the head that are written
    size_t queued;      // bytes that are not written
    size_t queued_step; // last reported, in quarters of the maximum
};

typedef struct iso__tcp_listener {
    iso__listener base; // first, so that a listener is its TCP listener
    uv_tcp_t tcp;
    uv_timer_t sweep; // finds frames and last messages that take too long
    iso__tcp_stream *dirty;
    bool is_open;           // the loop owns the handles
    bool is_accept_pending; // a connection waits: the handler does not admit it, or memory was short
} iso__tcp_listener;

/// Initialises a listener that is not open.
///
/// @param listener  the caller's memory, until the loop has ended after iso__listener_close
/// @return its head
iso__listener *iso__tcp_listener_init(iso__tcp_listener *listener);

#endif
