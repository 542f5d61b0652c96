#include "transport/tcp.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "isostep/assert.h"
#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"

/// Read at once [bytes].
#define READ_SIZE 65536u

#define ADDRESSES_MAX 16u
/// An address that has not answered in this time is not waited for alone (RFC 8305, section 8).
#define NEXT_ADDRESS_NS    UINT64_C(250000000)
#define CONNECT_TIMEOUT_MS 5000u

/// A look-up that is under way: it may outlive its dialer.
typedef struct tcp_lookup {
    uv_getaddrinfo_t request;
    struct tcp_dialer *dialer; // NULL: its result is no longer needed
    iso__uv_resolved *done;
    void *user;
} tcp_lookup;

typedef struct tcp_dialer {
    iso__uv_dialer base; // first, so that a dialer is its TCP dialer
    uv_loop_t *loop;
    tcp_lookup *lookup; // NULL: none is under way
    struct addrinfo *addresses;
    uint8_t in[READ_SIZE]; // what a stream has just read; nothing in it outlives the call
} tcp_dialer;

/// An address that is tried. The handle of the first one that connects becomes the stream's.
typedef struct tcp_try {
    uv_tcp_t tcp; // first, so that a handle is its try
    uv_connect_t connect;
    struct tcp_stream *stream; // NULL: it was given up
    uint64_t end_ns;
} tcp_try;

typedef struct tcp_stream {
    iso__uv_stream base; // first, so that a stream is its TCP stream
    tcp_dialer *dialer;
    uv_tcp_t *tcp;         // a try's; NULL: it is not connected
    uint32_t handle_count; // that are not closed yet: `tcp` and `timer`
    uv_shutdown_t shutdown;
    // While it connects.
    uv_timer_t timer;
    const struct addrinfo *addresses[ADDRESSES_MAX]; // in the order in which they are tried
    uint32_t address_count, address_next;
    uint64_t next_ns; // when the next one is tried, too
    tcp_try *tries[ADDRESSES_MAX];
    uint32_t try_count;
    iso_framer framer;
    const uint8_t *in; // what is not worked through: the dialer's memory or `kept`
    size_t in_begin, in_end;
    uint8_t *kept;       // what was read behind a held frame, or NULL
    const uint8_t *held; // the frame that the handler did not take, or NULL
    size_t held_size;
    uint8_t frame[ISO_FRAME_MAX_SERVER];
} tcp_stream;

typedef struct write_request {
    uv_write_t request;
    size_t size;
    uint8_t bytes[];
} write_request;

// ---- the end --------------------------------------------------------------------------------------

static void stream_free(tcp_stream *stream) {
    free(stream->kept);
    free(stream);
}

/// Its last handle frees it.
static void stream_release(tcp_stream *stream) {
    stream->handle_count -= 1;
    if (stream->handle_count == 0) {
        stream_free(stream);
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    stream_release(handle->data);
}

static void on_try_closed(uv_handle_t *handle) {
    tcp_try *attempt = (tcp_try *)handle;
    if (attempt->stream != NULL) {
        stream_release(attempt->stream);
    }
    free(attempt);
}

static void try_give_up(tcp_try *attempt) {
    attempt->stream = NULL;
    uv_close((uv_handle_t *)&attempt->tcp, on_try_closed);
}

/// It connects no longer.
static void stream_end_tries(tcp_stream *stream) {
    for (uint32_t i = 0; i < stream->try_count; ++i) {
        try_give_up(stream->tries[i]);
    }
    stream->try_count = 0;
    stream->address_next = stream->address_count;
    if (!uv_is_closing((uv_handle_t *)&stream->timer)) {
        uv_close((uv_handle_t *)&stream->timer, on_timer_closed);
    }
}

static void stream_close(tcp_stream *stream) {
    if (stream->base.state == ISO__UV_STREAM_CLOSING) {
        return;
    }
    stream->base.state = ISO__UV_STREAM_CLOSING;
    stream->held = NULL;
    stream->base.handler->closed(&stream->base);
    if (stream->tcp != NULL) {
        uv_close((uv_handle_t *)stream->tcp, on_try_closed);
    }
    stream_end_tries(stream); // may have been the last handle, not before the loop runs
}

static void stream_fail(tcp_stream *stream, iso_status status, int error) {
    stream->base.error = error;
    stream->base.is_broken = true;
    stream->base.handler->failed(&stream->base, status);
    stream_close(stream);
}

static void tcp_cut(iso__uv_stream *head) {
    stream_close((tcp_stream *)head);
}

// ---- reading --------------------------------------------------------------------------------------

/// @return false when the handler does not take the frame now.
static bool stream_offer(tcp_stream *stream, const uint8_t *frame, size_t size) {
    if (stream->base.handler->frame(&stream->base, frame, size) || stream->base.state != ISO__UV_STREAM_OPEN) {
        return true;
    }
    stream->held = frame;
    stream->held_size = size;
    uv_read_stop((uv_stream_t *)stream->tcp);
    return false;
}

/// Works through what was read until it is used up, the handler holds a frame or the stream ends.
static void stream_consume(tcp_stream *stream) {
    while (stream->base.state == ISO__UV_STREAM_OPEN && stream->in_begin < stream->in_end) {
        const uint8_t *frame;
        size_t size, consumed;
        const iso_status status = iso_framer_feed(&stream->framer, stream->in + stream->in_begin,
                                                  stream->in_end - stream->in_begin, &consumed, &frame, &size);
        stream->in_begin += consumed;
        if (status != ISO_OK) {
            stream_fail(stream, status, 0);
            return;
        }
        if (frame == NULL || !stream_offer(stream, frame, size)) {
            return;
        }
    }
}

/// The dialer's memory is read into by other streams, so a stream that holds takes along what it has there.
/// @return whether there was memory.
static bool stream_keep(tcp_stream *stream) {
    const bool is_inside = stream->held != stream->frame; // else it was put together from pieces
    const uint8_t *from = is_inside ? stream->held : stream->in + stream->in_begin;
    const size_t size = (size_t)(stream->in + stream->in_end - from);
    if (size > 0) {
        stream->kept = malloc(size);
        if (stream->kept == NULL) {
            return false;
        }
        memcpy(stream->kept, from, size);
    }
    stream->held = is_inside ? stream->kept : stream->held;
    stream->in = stream->kept;
    stream->in_begin = is_inside ? stream->held_size : 0;
    stream->in_end = size;
    return true;
}

/// No more will come.
static void stream_end(tcp_stream *stream, int error) {
    const bool is_orderly = error == UV_EOF && !iso_framer_is_inside(&stream->framer);
    if (stream->base.state == ISO__UV_STREAM_FINISHING) {
        // Who has ended its side may still read what is queued.
        if (error != UV_EOF) {
            stream_close(stream);
        }
    } else if (is_orderly) {
        stream->base.handler->ended(&stream->base);
        if (stream->base.state == ISO__UV_STREAM_OPEN) {
            stream_close(stream);
        }
    } else {
        stream_fail(stream, ISO_ERR_CONNECTION, error);
    }
}

static void on_read(uv_stream_t *tcp, ssize_t count, const uv_buf_t *buffer) {
    tcp_stream *stream = tcp->data;
    if (count < 0) {
        stream_end(stream, (int)count);
        return;
    }
    stream->base.bytes_in += (uint64_t)count;
    stream->in = (const uint8_t *)buffer->base;
    stream->in_begin = 0;
    stream->in_end = (size_t)count;
    stream_consume(stream);
    if (stream->held != NULL && !stream_keep(stream)) {
        stream->held = NULL;
        stream_fail(stream, ISO_ERR_MEMORY, UV_ENOMEM);
    }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)suggested;
    const tcp_stream *stream = handle->data;
    *buffer = uv_buf_init((char *)stream->dialer->in, READ_SIZE);
}

static int stream_read(tcp_stream *stream) {
    return uv_read_start((uv_stream_t *)stream->tcp, on_allocate, on_read);
}

/// Reads on after a hold.
static void stream_read_on(tcp_stream *stream) {
    free(stream->kept);
    stream->kept = NULL;
    const int error = stream_read(stream);
    if (error != 0) {
        stream_fail(stream, ISO_ERR_CONNECTION, error);
    }
}

static void tcp_resume(iso__uv_stream *head) {
    tcp_stream *stream = (tcp_stream *)head;
    const uint8_t *frame = stream->held;
    if (frame == NULL || head->state != ISO__UV_STREAM_OPEN) {
        return;
    }
    stream->held = NULL;
    if (stream_offer(stream, frame, stream->held_size)) {
        stream_consume(stream);
        if (stream->held == NULL && head->state == ISO__UV_STREAM_OPEN) {
            stream_read_on(stream);
        }
    }
}

// ---- writing --------------------------------------------------------------------------------------

static void on_written(uv_write_t *request, int status) {
    tcp_stream *stream = request->data;
    write_request *rest = (write_request *)request;
    stream->base.queued -= rest->size;
    free(rest);
    if (status < 0) {
        // A connection that cannot be written to ends for its reader, too, after what has arrived: that reports the
        // end.
        stream->base.is_broken = true;
        stream->base.error = status;
    }
}

/// Leaves to libuv what the socket does not take at once: all but the first `sent` bytes.
static bool stream_queue(tcp_stream *stream, const uv_buf_t buffers[2], size_t sent) {
    const size_t size = buffers[0].len + buffers[1].len - sent;
    if (stream->base.queued + size > ISO__UV_STREAM_QUEUED_MAX) {
        return false;
    }
    write_request *rest = malloc(sizeof(*rest) + size);
    if (rest == NULL) {
        return false;
    }
    size_t fill = 0;
    for (uint32_t i = 0; i < 2; ++i) {
        const size_t skipped = sent < buffers[i].len ? sent : buffers[i].len;
        memcpy(rest->bytes + fill, buffers[i].base + skipped, buffers[i].len - skipped);
        fill += buffers[i].len - skipped;
        sent -= skipped;
    }
    rest->request.data = stream;
    rest->size = size;
    uv_buf_t buffer = uv_buf_init((char *)rest->bytes, (unsigned)size);
    if (uv_write(&rest->request, (uv_stream_t *)stream->tcp, &buffer, 1, on_written) < 0) {
        free(rest);
        return false;
    }
    stream->base.queued += size;
    return true;
}

static bool stream_write(tcp_stream *stream, const uv_buf_t buffers[2]) {
    if (stream->base.state != ISO__UV_STREAM_OPEN || stream->base.is_broken) {
        return false;
    }
    const size_t size = buffers[0].len + buffers[1].len;
    const int sent = uv_try_write((uv_stream_t *)stream->tcp, buffers, 2);
    const size_t done = sent > 0 ? (size_t)sent : 0;
    const bool is_taken = done == size || ((sent >= 0 || sent == UV_EAGAIN) && stream_queue(stream, buffers, done));
    // What is missing in the middle of a stream of bytes makes all behind it nonsense.
    stream->base.is_broken = !is_taken;
    stream->base.bytes_out += is_taken ? size : done;
    return is_taken;
}

static bool tcp_send(iso__uv_stream *head, const uint8_t *bytes, size_t size) {
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t header_size = iso_frame_header_write(header, (uint32_t)size);
    const uv_buf_t buffers[2] = {uv_buf_init((char *)header, (unsigned)header_size),
                                 uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size)};
    return stream_write((tcp_stream *)head, buffers);
}

bool iso__uv_tcp_send_raw(iso__uv_stream *head, const void *bytes, size_t size) {
    ISO_ASSERT(head->state <= ISO__UV_STREAM_CLOSING && (bytes != NULL || size == 0));
    const uv_buf_t buffers[2] = {uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size), uv_buf_init(NULL, 0)};
    return stream_write((tcp_stream *)head, buffers);
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    (void)status;
    stream_close(request->data);
}

static void tcp_finish(iso__uv_stream *head) {
    tcp_stream *stream = (tcp_stream *)head;
    if (head->state == ISO__UV_STREAM_CONNECTING) {
        stream_close(stream);
    }
    if (head->state != ISO__UV_STREAM_OPEN) {
        return;
    }
    head->state = ISO__UV_STREAM_FINISHING;
    // Reading continues: a peer that waits until its own bytes are read would never read ours.
    const bool is_paused = stream->held != NULL;
    stream->held = NULL;
    if (head->is_broken || uv_shutdown(&stream->shutdown, (uv_stream_t *)stream->tcp, on_shutdown) < 0 ||
        (is_paused && stream_read(stream) < 0)) {
        stream_close(stream);
    }
}

// ---- connecting -----------------------------------------------------------------------------------

//
// Several addresses race, as RFC 8305 has it ("happy eyeballs"): the families take turns, the next address is tried
// when the one before has failed or has not answered for a moment, and who connects first wins. So an address whose
// packets vanish costs a quarter of a second, and not the minutes until the system gives it up.

static void on_connect(uv_connect_t *request, int status);
static void on_timer(uv_timer_t *timer);

static void try_forget(tcp_stream *stream, const tcp_try *attempt) {
    for (uint32_t i = 0; i < stream->try_count; ++i) {
        if (stream->tries[i] == attempt) {
            stream->tries[i] = stream->tries[--stream->try_count];
            return;
        }
    }
}

/// Tries one more address, the first that the system does not refuse at once.
static void stream_try(tcp_stream *stream, uint64_t now_ns) {
    bool is_trying = false;
    while (!is_trying && stream->address_next < stream->address_count) {
        const struct addrinfo *address = stream->addresses[stream->address_next++];
        tcp_try *attempt = calloc(1, sizeof(*attempt));
        const int made = attempt != NULL ? uv_tcp_init(stream->dialer->loop, &attempt->tcp) : UV_ENOMEM;
        if (made != 0) {
            stream->base.error = made;
            free(attempt);
            continue;
        }
        attempt->stream = stream;
        attempt->connect.data = attempt;
        attempt->end_ns = now_ns + stream->dialer->base.connect_timeout_ms * UINT64_C(1000000);
        const int error = uv_tcp_connect(&attempt->connect, &attempt->tcp, address->ai_addr, on_connect);
        is_trying = error == 0;
        if (is_trying) {
            stream->tries[stream->try_count++] = attempt;
        } else {
            stream->base.error = error;
            try_give_up(attempt);
        }
    }
    stream->next_ns = now_ns + NEXT_ADDRESS_NS;
}

/// Sets the time of what is to be done next: another address, the end of a try, or the end of all.
static void stream_wait(tcp_stream *stream, uint64_t now_ns) {
    uint64_t due_ns = stream->address_next < stream->address_count ? stream->next_ns : UINT64_MAX;
    for (uint32_t i = 0; i < stream->try_count; ++i) {
        due_ns = stream->tries[i]->end_ns < due_ns ? stream->tries[i]->end_ns : due_ns;
    }
    const uint64_t wait_ns = stream->try_count > 0 && due_ns > now_ns ? due_ns - now_ns : 0;
    uv_update_time(stream->dialer->loop);
    uv_timer_start(&stream->timer, on_timer, (wait_ns + 999999u) / 1000000u, 0);
}

/// Called from the loop alone: it may call the handler.
static void stream_try_on(tcp_stream *stream) {
    const uint64_t now_ns = uv_hrtime();
    for (uint32_t i = stream->try_count; i-- > 0;) {
        if (stream->tries[i]->end_ns <= now_ns) {
            tcp_try *attempt = stream->tries[i];
            stream->base.error = UV_ETIMEDOUT;
            try_forget(stream, attempt);
            try_give_up(attempt);
        }
    }
    if (stream->try_count == 0 || stream->next_ns <= now_ns) {
        stream_try(stream, now_ns);
    }
    if (stream->try_count == 0) {
        stream_fail(stream, ISO_ERR_CONNECTION, stream->base.error);
    } else {
        stream_wait(stream, now_ns);
    }
}

static void on_timer(uv_timer_t *timer) {
    stream_try_on(timer->data);
}

static void on_connect(uv_connect_t *request, int status) {
    tcp_try *attempt = request->data;
    tcp_stream *stream = attempt->stream;
    if (stream == NULL) {
        return; // it was given up
    }
    try_forget(stream, attempt);
    if (status == 0) {
        uv_tcp_nodelay(&attempt->tcp, 1);
        attempt->tcp.data = stream;
        stream->tcp = &attempt->tcp;
        status = stream_read(stream);
    }
    if (status != 0) {
        stream->tcp = NULL;
        stream->base.error = status;
        try_give_up(attempt);
        stream->next_ns = 0;
        stream_try_on(stream);
        return;
    }
    stream->handle_count += 1;
    stream_end_tries(stream);
    stream->base.error = 0;
    stream->base.state = ISO__UV_STREAM_OPEN;
    stream->base.handler->connected(&stream->base);
}

/// The addresses in the order of the system, but for the families, which take turns.
static void stream_order_addresses(tcp_stream *stream, const struct addrinfo *list) {
    const struct addrinfo *next[2] = {list, list}; // of the first one's family, and of others
    uint32_t turn = 0;
    while ((next[0] != NULL || next[1] != NULL) && stream->address_count < ADDRESSES_MAX) {
        const struct addrinfo **at = &next[turn];
        while (*at != NULL && ((*at)->ai_family == list->ai_family) != (turn == 0)) {
            *at = (*at)->ai_next;
        }
        if (*at != NULL) {
            stream->addresses[stream->address_count++] = *at;
            *at = (*at)->ai_next;
        }
        turn = 1u - turn;
    }
}

static int tcp_connect(iso__uv_dialer *head, const iso__uv_stream_handler *handler, void *user,
                       iso__uv_stream **result) {
    static const iso__uv_stream_functions functions = {tcp_send, tcp_finish, tcp_cut, tcp_resume};
    tcp_dialer *dialer = (tcp_dialer *)head;
    tcp_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL) {
        return UV_ENOMEM;
    }
    stream->base.functions = &functions;
    stream->base.handler = handler;
    stream->base.user = user;
    stream->dialer = dialer;
    stream->shutdown.data = stream;
    iso_framer_init(&stream->framer, stream->frame, sizeof(stream->frame));
    const int error = uv_timer_init(dialer->loop, &stream->timer);
    if (error != 0) {
        free(stream);
        return error;
    }
    stream->timer.data = stream;
    stream->handle_count = 1;
    stream->base.error = UV_EADDRNOTAVAIL; // of a host without an address
    stream_order_addresses(stream, dialer->addresses);
    const uint64_t now_ns = uv_hrtime();
    stream_try(stream, now_ns);
    stream_wait(stream, now_ns);
    *result = &stream->base;
    return 0;
}

// ---- the dialer -----------------------------------------------------------------------------------

static int tcp_resolve(iso__uv_dialer *head, const char *host, const char *port) {
    tcp_dialer *dialer = (tcp_dialer *)head;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    uv_getaddrinfo_t request;
    const int error = uv_getaddrinfo(dialer->loop, &request, NULL, host, port, &hints);
    if (error == 0) {
        uv_freeaddrinfo(dialer->addresses);
        dialer->addresses = request.addrinfo;
    }
    return error;
}

static void on_looked_up(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses) {
    tcp_lookup *lookup = request->data;
    tcp_dialer *dialer = lookup->dialer;
    const tcp_lookup told = *lookup;
    free(lookup);
    if (dialer == NULL) {
        uv_freeaddrinfo(addresses);
        return;
    }
    dialer->lookup = NULL;
    if (status == 0) {
        uv_freeaddrinfo(dialer->addresses);
        dialer->addresses = addresses;
    }
    told.done(told.user, status);
}

static int tcp_resolve_later(iso__uv_dialer *head, const char *host, const char *port, iso__uv_resolved *done,
                             void *user) {
    tcp_dialer *dialer = (tcp_dialer *)head;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    tcp_lookup *lookup = malloc(sizeof(*lookup));
    if (lookup == NULL) {
        return UV_ENOMEM;
    }
    *lookup = (tcp_lookup){.dialer = dialer, .done = done, .user = user};
    lookup->request.data = lookup;
    const int error = uv_getaddrinfo(dialer->loop, &lookup->request, on_looked_up, host, port, &hints);
    if (error != 0) {
        free(lookup);
        return error;
    }
    dialer->lookup = lookup;
    return 0;
}

static void tcp_resolve_cancel(iso__uv_dialer *head) {
    tcp_dialer *dialer = (tcp_dialer *)head;
    if (dialer->lookup != NULL) {
        dialer->lookup->dialer = NULL;
        uv_cancel((uv_req_t *)&dialer->lookup->request);
        dialer->lookup = NULL;
    }
}

static void tcp_destroy(iso__uv_dialer *head) {
    tcp_dialer *dialer = (tcp_dialer *)head;
    tcp_resolve_cancel(head);
    uv_freeaddrinfo(dialer->addresses);
    free(dialer);
}

iso__uv_dialer *iso__uv_tcp_dialer_create(uv_loop_t *loop) {
    static const iso__uv_dialer_functions functions = {tcp_resolve, tcp_resolve_later, tcp_resolve_cancel, tcp_connect,
                                                       tcp_destroy};
    ISO_ASSERT(loop != NULL);
    tcp_dialer *dialer = malloc(sizeof(*dialer));
    if (dialer != NULL) {
        dialer->base.functions = &functions;
        dialer->base.connect_timeout_ms = CONNECT_TIMEOUT_MS;
        dialer->loop = loop;
        dialer->lookup = NULL;
        dialer->addresses = NULL;
    }
    return dialer != NULL ? &dialer->base : NULL;
}
