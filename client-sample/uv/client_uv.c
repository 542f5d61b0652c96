#include "isostep/client_uv.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "isostep/assert.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"
#include "transport/stream.h"
#include "transport/tcp.h"

#define HOST_MAX          255
#define PORT_MAX          31
#define FINISH_TIMEOUT_MS 3000 // for the last bytes; a server that does not take them is not waited for

struct iso_client_uv {
    iso_client_uv_config config; // with the copies of host and port
    char host[HOST_MAX + 1], port[PORT_MAX + 1];
    iso__uv_dialer *dialer;
    iso__uv_stream *stream; // NULL: there is none
    iso__uv_stream *spare;  // that the client tries beside it; NULL: there is none
    bool has_spare_failed;  // it could not be begun; is told after the actions
    uv_timer_t deadline;    // of the client
    uv_timer_t wait;        // ends a look-up, or the wait for the next try, or the end of a stream
    uint32_t open_timers;
    int connect_error; // libuv's; 0: none
    bool is_acting;    // the callback may be running
    bool is_leaving;   // LEAVE is to be handed in after the actions
    bool has_ended;
    bool is_closing; // the timers are
    bool is_destroyed;
    uint8_t out[ISO_FRAME_MAX_CLIENT];
    uint8_t *decode_memory, *encode_memory;
};

static void link_give(iso_client_uv *link, iso_client_event event);
static int link_dial(iso_client_uv *link);
static void link_try(iso_client_uv *link);

uint64_t iso_client_uv_now(void) {
    return uv_hrtime();
}

/// libuv counts whole milliseconds: rounded up, or a timer would fire a little before its deadline, again and again.
static void timer_set(uv_timer_t *timer, uv_timer_cb call, uint64_t ns) {
    uv_update_time(timer->loop);
    uv_timer_start(timer, call, (ns + 999999u) / 1000000u, 0);
}

// ---- the end --------------------------------------------------------------------------------------

static void link_free(iso_client_uv *link) {
    iso__uv_dialer_destroy(link->dialer);
    free(link->decode_memory);
    free(link->encode_memory);
    free(link);
}

static void on_timer_closed(uv_handle_t *handle) {
    iso_client_uv *link = handle->data;
    link->open_timers -= 1;
    if (link->open_timers == 0 && link->is_destroyed) {
        link_free(link);
    }
}

static void stream_drop(iso__uv_stream *stream) {
    if (stream != NULL) {
        iso__uv_stream_cut(stream);
    }
}

/// Leaves the loop.
static void link_close(iso_client_uv *link) {
    iso__uv_dialer_resolve_cancel(link->dialer);
    stream_drop(link->stream);
    stream_drop(link->spare);
    if (!link->is_closing) {
        link->is_closing = true;
        uv_close((uv_handle_t *)&link->deadline, on_timer_closed);
        uv_close((uv_handle_t *)&link->wait, on_timer_closed);
    }
}

static void on_finish_timeout(uv_timer_t *timer) {
    link_close(timer->data);
}

/// The client has ended. A stream that stands sends what is queued first.
static void link_end(iso_client_uv *link) {
    uv_timer_stop(&link->deadline);
    if (link->stream != NULL && link->stream->state == ISO__UV_STREAM_FINISHING) {
        timer_set(&link->wait, on_finish_timeout, FINISH_TIMEOUT_MS * UINT64_C(1000000));
    } else {
        link_close(link);
    }
}

// ---- actions --------------------------------------------------------------------------------------

/// @return ISO_OK; ISO_ERR_CONNECTION (the stream takes nothing any more); why the message cannot be encoded
static iso_status link_send(iso_client_uv *link, iso__uv_stream *stream, const iso_message *message) {
    size_t size = 0;
    const iso_status status =
        iso_message_encode(message, link->encode_memory, ISO_ENCODE_MEMORY_SIZE, link->out, sizeof(link->out), &size);
    if (status != ISO_OK) {
        return status;
    }
    return stream != NULL && iso__uv_stream_send(stream, link->out, size) ? ISO_OK : ISO_ERR_CONNECTION;
}

static void on_retry(uv_timer_t *timer) {
    iso_client_uv *link = timer->data;
    const int error = link_dial(link);
    if (error != 0) {
        link->connect_error = error;
        link_give(link, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
    }
}

/// Does what is to be done. @return that of link_send
static iso_status link_act(iso_client_uv *link, const iso_client_action *action) {
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        if (action->is_spare) {
            link->has_spare_failed = link_send(link, link->spare, action->message) != ISO_OK;
            return ISO_OK;
        }
        return link_send(link, link->stream, action->message);
    case ISO_CLIENT_ACTION_CLOSE:
        if (link->stream != NULL) {
            iso__uv_stream_finish(link->stream);
        }
        return ISO_OK;
    case ISO_CLIENT_ACTION_TRY:
        link_try(link);
        break;
    case ISO_CLIENT_ACTION_TRY_END:
        stream_drop(link->spare);
        return ISO_OK;
    case ISO_CLIENT_ACTION_SWITCH:
        stream_drop(link->stream);
        link->stream = link->spare;
        link->spare = NULL;
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        stream_drop(link->stream);
        stream_drop(link->spare);
        timer_set(&link->wait, on_retry, action->delay_ns);
        break;
    case ISO_CLIENT_ACTION_ENDED:
        link->has_ended = true;
        break;
    default:
        break;
    }
    link->config.action(link->config.user, action);
    return ISO_OK;
}

/// Hands one event in and takes its actions. @return ISO_OK: all that was sent is on its way; else why
///         the first message is not
static iso_status link_handle(iso_client_uv *link, const iso_client_event *event, iso_client_action *decompress) {
    iso_client_action action;
    iso_status status = ISO_OK;
    iso_client_handle(link->config.client, uv_hrtime(), event);
    link->is_acting = true;
    while (!link->is_destroyed && iso_client_next_action(link->config.client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            *decompress = action;
        } else {
            // A broken stream is reported after the actions; what is still to be sent is then dropped.
            const iso_status acted = link_act(link, &action);
            status = status == ISO_OK ? acted : status;
        }
    }
    link->is_acting = false;
    return status;
}

/// The answer to a DECOMPRESS; its bytes stay the client's until the answer is handed in.
static iso_client_event decompress_answer(const iso_client_action *action, uint8_t **raw) {
    iso_client_event event = {.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .status = ISO_ERR_MEMORY};
    *raw = malloc(action->raw_size);
    if (*raw != NULL) {
        event.status = iso_decompress(action->bytes, action->size, *raw, action->raw_size);
        event.bytes = *raw;
        event.size = action->raw_size;
    }
    return event;
}

static void on_deadline(uv_timer_t *timer) {
    link_give(timer->data, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
}

static void link_set_deadline(iso_client_uv *link) {
    const uint64_t deadline = iso_client_next_deadline(link->config.client), now = uv_hrtime();
    if (deadline != UINT64_MAX) {
        timer_set(&link->deadline, on_deadline, deadline > now ? deadline - now : 0);
    }
}

/// Hands an event in and does all that follows from it.
static void link_give(iso_client_uv *link, iso_client_event event) {
    uint8_t *raw = NULL;
    iso_status sent = ISO_OK;
    while (event.kind != 0) {
        iso_client_action decompress = {0};
        const iso_status status = link_handle(link, &event, &decompress);
        sent = sent == ISO_OK ? status : sent;
        free(raw);
        raw = NULL;
        event = (iso_client_event){0};
        if (link->is_destroyed) {
            return;
        }
        if (decompress.kind != 0) {
            event = decompress_answer(&decompress, &raw);
        } else if (sent != ISO_OK && !link->has_ended && link->stream != NULL) {
            iso__uv_stream_cut(link->stream);
            event = (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = sent};
            sent = ISO_OK;
        } else if (link->has_spare_failed) {
            link->has_spare_failed = false;
            stream_drop(link->spare);
            event = (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .is_spare = true};
        } else if (link->is_leaving && !link->has_ended) {
            link->is_leaving = false;
            event.kind = ISO_CLIENT_EVENT_LEAVE;
        }
    }
    if (link->has_ended) {
        link_end(link);
    } else {
        link_set_deadline(link);
    }
}

// ---- stream callbacks -----------------------------------------------------------------------------

/// The stream is gone, or is of no use any more.
static void link_lose(iso_client_uv *link, iso__uv_stream *stream, iso_status status) {
    const bool is_spare = stream != NULL && stream == link->spare;
    stream_drop(stream);
    if (!link->has_ended) {
        link_give(link,
                  (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .is_spare = is_spare, .status = status});
    }
}

static void on_connected(iso__uv_stream *stream) {
    iso_client_uv *link = stream->user;
    link->connect_error = 0;
    link_give(link, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED, .is_spare = stream == link->spare});
}

static bool on_frame(iso__uv_stream *stream, const uint8_t *frame, size_t size) {
    iso_client_uv *link = stream->user;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    if (link->has_ended) {
        return true;
    }
    const iso_status status =
        iso_message_decode(frame, size, &limits, link->decode_memory, ISO_DECODE_MEMORY_FROM_SERVER, &message);
    if (status == ISO_OK) {
        const bool is_spare = stream == link->spare;
        link_give(link,
                  (iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE, .is_spare = is_spare, .message = &message});
    } else if (status != ISO_ERR_UNSUPPORTED) { // a kind that came with a later version
        link_lose(link, stream, status);
    }
    return true;
}

static void on_failed(iso__uv_stream *stream, iso_status status) {
    iso_client_uv *link = stream->user;
    if (stream->state == ISO__UV_STREAM_CONNECTING) {
        link->connect_error = stream->error;
    }
    link_lose(link, stream, status);
}

static void on_ended(iso__uv_stream *stream) {
    link_lose(stream->user, stream, ISO_ERR_CONNECTION);
}

static void on_closed(iso__uv_stream *stream) {
    iso_client_uv *link = stream->user;
    if (stream == link->spare) {
        link->spare = NULL;
        return;
    }
    if (stream != link->stream) {
        return;
    }
    link->stream = NULL;
    if (link->has_ended && !link->is_acting) {
        link_close(link);
    }
}

// ---- connecting -----------------------------------------------------------------------------------

static const iso__uv_stream_handler stream_handler = {on_connected, on_frame, on_failed, on_ended, on_closed};

static void on_resolve_timeout(uv_timer_t *timer) {
    iso_client_uv *link = timer->data;
    iso__uv_dialer_resolve_cancel(link->dialer);
    link->connect_error = UV_ETIMEDOUT;
    link_lose(link, NULL, ISO_ERR_CONNECTION);
}

static void on_resolved(void *user, int error) {
    iso_client_uv *link = user;
    uv_timer_stop(&link->wait);
    if (error == 0) {
        error = iso__uv_dialer_connect(link->dialer, &stream_handler, link, &link->stream);
    }
    if (error != 0) {
        link->connect_error = error;
        link_lose(link, NULL, ISO_ERR_CONNECTION);
    }
}

/// Another stream to the same addresses, beside the one that is silent.
static void link_try(iso_client_uv *link) {
    stream_drop(link->spare);
    link->has_spare_failed = iso__uv_dialer_connect(link->dialer, &stream_handler, link, &link->spare) != 0;
}

/// @return 0 or libuv's error
static int link_dial(iso_client_uv *link) {
    const int error = iso__uv_dialer_resolve_later(link->dialer, link->host, link->port, on_resolved, link);
    if (error == 0) {
        timer_set(&link->wait, on_resolve_timeout, link->config.connect_timeout_ms * UINT64_C(1000000));
    }
    return error;
}

// ---- the interface --------------------------------------------------------------------------------

iso_client_uv_config iso_client_uv_config_default(void) {
    return (iso_client_uv_config){.host = "127.0.0.1", .port = "7790", .connect_timeout_ms = 5000};
}

iso_status iso_client_uv_start(const iso_client_uv_config *config, iso_client_uv **result) {
    ISO_ASSERT(result != NULL);
    if (config->loop == NULL || config->client == NULL || config->action == NULL || config->connect_timeout_ms == 0 ||
        config->host == NULL || config->port == NULL || strlen(config->host) > HOST_MAX ||
        strlen(config->port) > PORT_MAX || iso_client_get_phase(config->client) != ISO_CLIENT_PHASE_IDLE) {
        return ISO_ERR_RANGE;
    }
    iso_client_uv *link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return ISO_ERR_MEMORY;
    }
    link->config = *config;
    strcpy(link->host, config->host);
    strcpy(link->port, config->port);
    link->config.host = link->host;
    link->config.port = link->port;
    link->decode_memory = malloc(ISO_DECODE_MEMORY_FROM_SERVER);
    link->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    link->dialer = iso__uv_tcp_dialer_create(config->loop);
    if (link->decode_memory == NULL || link->encode_memory == NULL || link->dialer == NULL) {
        link_free(link);
        return ISO_ERR_MEMORY;
    }
    link->dialer->connect_timeout_ms = config->connect_timeout_ms;
    uv_timer_init(config->loop, &link->deadline);
    uv_timer_init(config->loop, &link->wait);
    link->deadline.data = link->wait.data = link;
    link->open_timers = 2;
    if (link_dial(link) != 0) {
        iso_client_uv_destroy(link); // when the loop has closed its timers
        return ISO_ERR_CONNECTION;
    }
    *result = link;
    return ISO_OK;
}

void iso_client_uv_leave(iso_client_uv *link) {
    ISO_ASSERT(!link->is_destroyed);
    if (link->is_acting) {
        link->is_leaving = true;
    } else if (!link->has_ended) {
        link_give(link, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    }
}

void iso_client_uv_destroy(iso_client_uv *link) {
    if (link == NULL) {
        return;
    }
    ISO_ASSERT(!link->is_destroyed);
    link->has_ended = true;
    link_close(link);
    link->is_destroyed = true;
    if (link->open_timers == 0) {
        link_free(link);
    }
}

int iso_client_uv_error(const iso_client_uv *link) {
    ISO_ASSERT(!link->is_destroyed && link->connect_error <= 0); // of libuv
    return link->connect_error;
}
