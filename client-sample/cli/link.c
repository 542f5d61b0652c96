#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "http_answer.h"
#include "transport/tcp.h"

#define WRITE_TIMEOUT_MS 3000

uint64_t iso__cli_now_ns(void) {
    return uv_hrtime();
}

// ---- the loop -------------------------------------------------------------------------------------

void iso__cli_links_init(iso__cli_links *links, const iso__cli_options *options) {
    links->dialer = NULL;
    links->has_loop = uv_loop_init(&links->loop) == 0;
    if (!links->has_loop) {
        return;
    }
    uv_timer_init(&links->loop, &links->timer);
    links->dialer = iso__uv_tcp_dialer_create(&links->loop);
    if (links->dialer != NULL && iso__uv_dialer_resolve(links->dialer, options->host, options->port) != 0) {
        iso__uv_dialer_destroy(links->dialer);
        links->dialer = NULL;
    }
}

void iso__cli_links_term(iso__cli_links *links) {
    if (links->has_loop) {
        uv_close((uv_handle_t *)&links->timer, NULL);
        uv_run(&links->loop, UV_RUN_DEFAULT);
        uv_loop_close(&links->loop);
    }
    iso__uv_dialer_destroy(links->dialer);
}

static void on_timer(uv_timer_t *timer) {
    (void)timer; // it has woken the loop
}

/// Waits until something happens to any link, for so long at most.
/// @return whether there was time left
static bool links_turn(iso__cli_links *links, uint64_t end_ns) {
    const uint64_t now = iso__cli_now_ns();
    if (now >= end_ns) {
        uv_run(&links->loop, UV_RUN_NOWAIT);
        return false;
    }
    uv_update_time(&links->loop);
    uv_timer_start(&links->timer, on_timer, (end_ns - now + 999999u) / 1000000u, 0);
    uv_run(&links->loop, UV_RUN_ONCE);
    uv_timer_stop(&links->timer);
    return true;
}

// ---- stream callbacks -----------------------------------------------------------------------------

static void on_connected(iso__uv_stream *stream) {
    (void)stream;
}

/// A message that is not waited for stays in the stream, as in a socket that is not read.
static bool on_frame(iso__uv_stream *stream, const uint8_t *bytes, size_t size) {
    iso__cli_link *link = stream->user;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    if (link->wanted == NULL || link->is_closed) {
        return false;
    }
    const iso_status status =
        iso_message_decode(bytes, size, &limits, link->memory, ISO_DECODE_MEMORY_FROM_SERVER, link->wanted);
    if (status == ISO_OK) {
        link->wanted = NULL;
    } else if (status != ISO_ERR_UNSUPPORTED) { // a kind that came with a later version
        link->is_http = iso__cli_is_http(bytes, size);
        link->is_closed = true;
    }
    return true;
}

static void on_failed(iso__uv_stream *stream, iso_status status) {
    (void)stream;
    (void)status;
}

static void on_ended(iso__uv_stream *stream) {
    (void)stream;
}

static void on_closed(iso__uv_stream *stream) {
    iso__cli_link *link = stream->user;
    link->stream = NULL;
    link->is_closed = true;
}

// ---- links ----------------------------------------------------------------------------------------

iso__cli_link *iso__cli_link_open(iso__cli_links *links) {
    static const iso__uv_stream_handler handler = {on_connected, on_frame, on_failed, on_ended, on_closed};
    iso__cli_link *link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return NULL;
    }
    link->links = links;
    link->memory = malloc(ISO_DECODE_MEMORY_FROM_SERVER);
    if (link->memory != NULL && links->dialer != NULL) {
        (void)iso__uv_dialer_connect(links->dialer, &handler, link, &link->stream);
    }
    while (link->stream != NULL && link->stream->state == ISO__UV_STREAM_CONNECTING) {
        uv_run(&links->loop, UV_RUN_ONCE);
    }
    if (link->stream == NULL) {
        iso__cli_link_close(link);
        return NULL;
    }
    return link;
}

void iso__cli_link_close(iso__cli_link *link) {
    if (link != NULL) {
        if (link->stream != NULL) {
            iso__uv_stream_cut(link->stream);
        }
        free(link->memory);
        free(link);
    }
}

/// Waits until everything is written.
static bool link_flush(iso__cli_link *link) {
    const uint64_t end_ns = iso__cli_now_ns() + WRITE_TIMEOUT_MS * UINT64_C(1000000);
    while (link->stream != NULL && !link->stream->is_broken && link->stream->queued > 0) {
        if (!links_turn(link->links, end_ns)) {
            return false;
        }
    }
    return link->stream != NULL && !link->stream->is_broken;
}

bool iso__cli_link_write(iso__cli_link *link, const void *bytes, size_t size) {
    return link->stream != NULL && iso__uv_tcp_send_raw(link->stream, bytes, size) && link_flush(link);
}

/// @return its size; 0 when the message cannot be encoded
static size_t link_encode(const iso_message *message, uint8_t body[ISO_FRAME_MAX_CLIENT]) {
    void *memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    size_t size = 0;
    iso_status status = ISO_ERR_MEMORY;
    if (memory != NULL) {
        status = iso_message_encode(message, memory, ISO_ENCODE_MEMORY_SIZE, body, ISO_FRAME_MAX_CLIENT, &size);
    }
    free(memory);
    return status == ISO_OK ? size : 0;
}

size_t iso__cli_frame_make(const iso_message *message, uint8_t *frame, size_t capacity) {
    uint8_t body[ISO_FRAME_MAX_CLIENT];
    const size_t size = link_encode(message, body);
    if (size == 0 || size + ISO_FRAME_HEADER_SIZE_MAX > capacity) {
        return 0;
    }
    const size_t header_size = iso_frame_header_write(frame, (uint32_t)size);
    memcpy(frame + header_size, body, size);
    return header_size + size;
}

bool iso__cli_link_send(iso__cli_link *link, const iso_message *message) {
    uint8_t body[ISO_FRAME_MAX_CLIENT];
    const size_t size = link_encode(message, body);
    return size > 0 && link->stream != NULL && iso__uv_stream_send(link->stream, body, size) && link_flush(link);
}

bool iso__cli_link_read(iso__cli_link *link, iso_message *message, uint64_t timeout_ms) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    bool has_time = true;
    link->wanted = message;
    if (link->stream != NULL) {
        iso__uv_stream_resume(link->stream);
    }
    while (link->wanted != NULL && !link->is_closed && has_time) {
        has_time = links_turn(link->links, end_ns);
    }
    const bool has_come = link->wanted == NULL;
    link->wanted = NULL;
    return has_come;
}

iso_message iso__cli_link_hello(const char *session, uint8_t role) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    hello->protocol_min = ISO_PROTOCOL_VERSION;
    hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = role;
    hello->compressions = ISO_COMPRESSION_NONE;
    strncpy(hello->session, session, ISO_SESSION_NAME_MAX);
    strcpy(hello->member, "griefer");
    return message;
}
