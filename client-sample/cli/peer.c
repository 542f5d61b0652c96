#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "isostep/heap.h"
#include "isostep/proto/compression.h"

static void peer_give(iso__cli_peer *peer, const iso_client_event *event);
static void peer_connect(iso__cli_peer *peer);

// ---- the stream -----------------------------------------------------------------------------------

static void peer_lost(iso__cli_peer *peer, iso_status status) {
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = status};
    peer_give(peer, &event);
}

static void on_closed(uv_handle_t *handle) {
    iso__cli_peer *peer = handle->data;
    peer->closing = false;
}

static void peer_close(iso__cli_peer *peer) {
    if (peer->open) {
        peer->open = false;
        peer->closing = true;
        uv_close((uv_handle_t *)&peer->tcp, on_closed);
    }
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    (void)status;
    peer_close(request->data);
}

typedef struct write_request {
    uv_write_t request;
    uint8_t bytes[];
} write_request;

static void on_write(uv_write_t *request, int status) {
    iso__cli_peer *peer = request->data;
    free(request);
    if (status < 0 && status != UV_ECANCELED && peer->open) {
        peer_close(peer);
        peer_lost(peer, ISO_ERR_CONNECTION);
    }
}

/// Sends at once what the socket takes and queues the rest. @return whether the stream still stands.
static bool peer_write(iso__cli_peer *peer, const uint8_t *bytes, size_t size) {
    uv_stream_t *stream = (uv_stream_t *)&peer->tcp;
    uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);
    const int sent = uv_try_write(stream, &buffer, 1);
    if (sent < 0 && sent != UV_EAGAIN) {
        return false;
    }
    peer->bytes_out += size;
    const size_t done = sent > 0 ? (size_t)sent : 0;
    if (done == size) {
        return true;
    }
    write_request *rest = malloc(sizeof(*rest) + size - done);
    if (rest == NULL || stream->write_queue_size > ISO__CLI_WRITE_QUEUE_MAX) {
        free(rest);
        return false;
    }
    memcpy(rest->bytes, bytes + done, size - done);
    rest->request.data = peer;
    buffer = uv_buf_init((char *)rest->bytes, (unsigned)(size - done));
    if (uv_write(&rest->request, stream, &buffer, 1, on_write) < 0) {
        free(rest);
        return false;
    }
    return true;
}

// ---- actions --------------------------------------------------------------------------------------

static bool peer_send(iso__cli_peer *peer, const iso_message *message) {
    iso__cli_app *app = peer->app;
    uint8_t *body = app->out + ISO_FRAME_HEADER_SIZE_MAX;
    size_t size = 0;
    const iso_status status =
        iso_message_encode(message, app->encode_memory, ISO_ENCODE_MEMORY_SIZE, body, ISO_FRAME_MAX_CLIENT, &size);
    if (status != ISO_OK) {
        iso__cli_say(app, "a message could not be encoded: %s", iso_status_text(status));
        return false;
    }
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t header_size = iso_frame_header_write(header, (uint32_t)size);
    memcpy(body - header_size, header, header_size);
    return peer_write(peer, body - header_size, header_size + size);
}

/// Answers a DECOMPRESS; its bytes stay the client's, so the answer is given after all actions are taken.
static void peer_decompress(iso__cli_peer *peer, const iso_client_action *action) {
    iso_client_event event = {.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .status = ISO_ERR_MEMORY};
    uint8_t *raw = malloc(action->raw_size);
    if (raw != NULL) {
        event.status = iso_decompress(action->bytes, action->size, raw, action->raw_size);
        event.bytes = raw;
        event.size = action->raw_size;
    }
    peer_give(peer, &event);
    free(raw);
}

static void peer_close_timers(iso__cli_peer *peer) {
    uv_close((uv_handle_t *)&peer->timer, NULL);
    uv_close((uv_handle_t *)&peer->retry, NULL);
}

/// Why there is no connection.
static void connect_fault(const iso__cli_peer *peer, char *text, size_t capacity) {
    const char *address = peer->app->options.address;
    if (peer->connect_error == UV_ECONNREFUSED) {
        snprintf(text, capacity, "connection to %s refused: is a server running there? start one with isostep-server",
                 address);
    } else {
        snprintf(text, capacity, "connection to %s failed: %s", address, uv_strerror(peer->connect_error));
    }
}

static void peer_ended(iso__cli_peer *peer, const iso_client_action *action) {
    char failure[ISO_DETAIL_TEXT_MAX + ISO_EXPECTED_TEXT_MAX + 128];
    peer_close_timers(peer);
    if (peer->connecting) {
        peer_close(peer); // a stream that stands is closed by an action of its own, when all is sent
    }
    if (action->status == ISO_OK) {
        iso__cli_news_ended(peer->app, peer, NULL);
        return;
    }
    const char *text = action->text[0] != 0 ? action->text : iso_status_text(action->status);
    const char *expected = action->expected[0] != 0 ? action->expected : NULL;
    if (iso_client_welcome(peer->client) == NULL && action->status == ISO_ERR_CONNECTION && peer->connect_error != 0) {
        connect_fault(peer, failure, sizeof(failure));
    } else {
        snprintf(failure, sizeof(failure), "%s: %s%s%s", iso_status_name(action->status), text,
                 expected != NULL ? "; expected " : "", expected != NULL ? expected : "");
    }
    iso__cli_news_ended(peer->app, peer, failure);
}

static void on_retry(uv_timer_t *timer) {
    iso__cli_peer *peer = timer->data;
    if (peer->closing) {
        uv_timer_start(timer, on_retry, 1, 0); // its handle is still in use
        return;
    }
    peer->address = peer->app->addresses;
    peer_connect(peer);
}

/// libuv counts whole milliseconds: rounded up, or a timer would fire a little before its deadline, again and again.
static uint64_t whole_ms(uint64_t ns) {
    return (ns + 999999u) / 1000000u;
}

static void peer_reconnect(iso__cli_peer *peer, const iso_client_action *action) {
    char fault[ISO__CLI_HOST_MAX + 160];
    if (iso_client_welcome(peer->client) != NULL) {
        snprintf(fault, sizeof(fault), "the connection broke at tick %llu", (unsigned long long)action->tick);
    } else if (peer->connect_error != 0) {
        connect_fault(peer, fault, sizeof(fault));
    } else {
        snprintf(fault, sizeof(fault), "%s: %s", iso_status_name(action->status), iso_status_text(action->status));
    }
    peer_close(peer);
    if (iso__cli_swarm_verifies(peer->app, peer->index)) {
        iso__cli_say(peer->app, "%s; the next try is in %.1f s", fault, (double)action->delay_ns / 1e9);
    }
    uv_update_time(&peer->app->loop);
    uv_timer_start(&peer->retry, on_retry, whole_ms(action->delay_ns), 0);
}

static void peer_act(iso__cli_peer *peer, const iso_client_action *action, bool *lost) {
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        // A broken stream is told after the actions; what is still to be sent then goes nowhere.
        *lost = *lost || !peer->open || !peer_send(peer, action->message);
        break;
    case ISO_CLIENT_ACTION_CLOSE:
        if (peer->open && uv_shutdown(&peer->shutdown, (uv_stream_t *)&peer->tcp, on_shutdown) < 0) {
            peer_close(peer);
        }
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        peer_reconnect(peer, action);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        if (peer->joined) {
            iso__cli_news_session(peer->app, peer, action);
        } else {
            iso__cli_news_joined(peer->app, peer, action);
        }
        peer->joined = true;
        break;
    case ISO_CLIENT_ACTION_RESUMED:
    case ISO_CLIENT_ACTION_REWOUND:
    case ISO_CLIENT_ACTION_STATE:
        iso__cli_news_session(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_DESYNC_ANSWER:
        iso__cli_news_desync_answer(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_HEALED:
        iso__cli_news_healed(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_TICK:
        iso__cli_news_tick(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_REFUSED:
        peer->bot.refused += 1;
        break;
    case ISO_CLIENT_ACTION_DESYNC:
        iso__cli_news_desync(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_SYNC_TEST:
        iso__cli_news_sync_test(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_ENDED:
        peer_ended(peer, action);
        break;
    default:
        break;
    }
}

static void on_timer(uv_timer_t *timer) {
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_TIME};
    peer_give(timer->data, &event);
}

static void peer_set_timer(iso__cli_peer *peer) {
    const uint64_t deadline = iso_client_next_deadline(peer->client);
    if (peer->ended || deadline == UINT64_MAX) {
        return;
    }
    uv_update_time(&peer->app->loop);
    const uint64_t now = uv_hrtime();
    uv_timer_start(&peer->timer, on_timer, deadline > now ? whole_ms(deadline - now) : 0, 0);
}

/// Hands an event in and does what follows from it.
static void peer_give(iso__cli_peer *peer, const iso_client_event *event) {
    iso_client_action action;
    iso_client_action decompress = {0};
    bool lost = false;
    iso_client_handle(peer->client, uv_hrtime(), event);
    while (iso_client_next_action(peer->client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else {
            peer_act(peer, &action, &lost);
        }
    }
    if (decompress.kind != 0) {
        peer_decompress(peer, &decompress);
    }
    if (lost && !peer->ended && peer->open) {
        peer_close(peer);
        peer_lost(peer, ISO_ERR_CONNECTION);
    }
    peer_set_timer(peer);
}

// ---- reading --------------------------------------------------------------------------------------

/// @return false when the stream is lost.
static bool peer_frame(iso__cli_peer *peer, const uint8_t *frame, size_t size) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    const iso_status status =
        iso_message_decode(frame, size, &limits, peer->app->decode_memory, ISO_DECODE_MEMORY_FROM_SERVER, &message);
    if (status == ISO_ERR_UNSUPPORTED) {
        return true; // a kind that came with a later version
    }
    if (status != ISO_OK) {
        peer_close(peer);
        peer_lost(peer, status);
        return false;
    }
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_MESSAGE, .message = &message};
    peer_give(peer, &event);
    return !peer->ended && peer->open;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    iso__cli_peer *peer = stream->data;
    size_t used = 0;
    peer->bytes_in += count > 0 ? (uint64_t)count : 0;
    if (count < 0) {
        const bool was_open = peer->open;
        peer_close(peer);
        if (was_open && !peer->ended) {
            peer_lost(peer, ISO_ERR_CONNECTION);
        }
    }
    while (count > 0 && used < (size_t)count && !peer->ended && peer->open) {
        size_t consumed;
        size_t frame_size;
        const uint8_t *frame;
        const uint8_t *bytes = (const uint8_t *)buffer->base + used;
        const iso_status status =
            iso_framer_feed(&peer->framer, bytes, (size_t)count - used, &consumed, &frame, &frame_size);
        if (status != ISO_OK) {
            peer_close(peer);
            peer_lost(peer, status);
            break;
        }
        used += consumed;
        if (frame != NULL && !peer_frame(peer, frame, frame_size)) {
            break;
        }
    }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)suggested;
    const iso__cli_peer *peer = handle->data;
    *buffer = uv_buf_init((char *)peer->app->in, ISO__CLI_READ_SIZE);
}

// ---- connecting -----------------------------------------------------------------------------------

/// The library says when to try again, or that it was enough.
static void peer_connect_failed(iso__cli_peer *peer, int error) {
    peer->connect_error = error;
    peer_lost(peer, ISO_ERR_CONNECTION);
}

/// The next address is tried when the handle of the last one is gone.
static void on_closed_retry(uv_handle_t *handle) {
    iso__cli_peer *peer = handle->data;
    peer->closing = false;
    peer_connect(peer);
}

static void on_connect(uv_connect_t *request, int status) {
    iso__cli_peer *peer = request->data;
    peer->connecting = false;
    if (peer->ended) {
        return; // was given up in the meantime
    }
    if (status == 0) {
        uv_tcp_nodelay(&peer->tcp, 1);
        status = uv_read_start((uv_stream_t *)&peer->tcp, on_allocate, on_read);
    }
    if (status == 0) {
        const iso_client_event event = {.kind = ISO_CLIENT_EVENT_CONNECTED};
        peer->connect_error = 0;
        iso_framer_init(&peer->framer, peer->frame, ISO_FRAME_MAX_SERVER);
        peer_give(peer, &event);
        return;
    }
    if (peer->address->ai_next != NULL) {
        peer->address = peer->address->ai_next;
        peer->open = false;
        peer->closing = true;
        uv_close((uv_handle_t *)&peer->tcp, on_closed_retry);
        return;
    }
    peer_close(peer);
    peer_connect_failed(peer, status);
}

static void peer_connect(iso__cli_peer *peer) {
    if (peer->ended) {
        return;
    }
    int error = uv_tcp_init(&peer->app->loop, &peer->tcp);
    peer->tcp.data = peer;
    if (error == 0) {
        peer->open = true;
        error = uv_tcp_connect(&peer->connect, &peer->tcp, peer->address->ai_addr, on_connect);
        peer->connecting = error == 0;
    }
    if (error != 0) {
        peer_close(peer);
        peer_connect_failed(peer, error);
    }
}

bool iso__cli_peer_start(iso__cli_app *app, uint32_t index) {
    iso__cli_peer *peer = &app->peers[index];
    const iso__cli_options *options = &app->options;
    char name[ISO_MEMBER_NAME_MAX + 1];
    snprintf(name, sizeof(name), "%s", options->name);
    if (options->swarm > 1) {
        snprintf(name + strlen(name), sizeof(name) - strlen(name), "-%u", (unsigned)index);
    }
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.games = app->games;
    config.game_count = app->game_count;
    char session[ISO_SESSION_NAME_MAX + 1];
    peer->session = iso__cli_swarm_session(app, index);
    config.session = iso__cli_swarm_session_name(app, peer->session, session);
    config.name = name;
    config.role = options->role;
    config.verify = iso__cli_swarm_verifies(app, index);
    config.predict_frames = config.verify ? options->predict : 0;
    config.flip_at_tick = index == 0 ? options->flip_tick : 0;
    config.sync_test_interval = config.verify ? options->sync_test : 0;
    config.reconnect_ms = options->reconnect * 1000u;
    config.seed = app->start_ns + index;
    peer->app = app;
    peer->index = index;
    peer->frame = malloc(ISO_FRAME_MAX_SERVER);
    if (peer->frame == NULL || iso_client_create(&config, &peer->client) != ISO_OK) {
        return false;
    }
    iso__cli_bot_init(&peer->bot, options->bot, UINT64_C(0x49534F) + index);
    uv_timer_init(&app->loop, &peer->timer);
    uv_timer_init(&app->loop, &peer->retry);
    peer->timer.data = peer;
    peer->retry.data = peer;
    peer->connect.data = peer;
    peer->shutdown.data = peer;
    peer->address = app->addresses;
    peer_connect(peer);
    return true;
}

void iso__cli_peer_leave(iso__cli_peer *peer) {
    if (peer->ended) {
        return;
    }
    const iso_client_phase phase = iso_client_get_phase(peer->client);
    if (phase == ISO_CLIENT_PHASE_IDLE || phase == ISO_CLIENT_PHASE_AWAY) {
        peer_close(peer);
    }
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_LEAVE};
    peer_give(peer, &event);
}

void iso__cli_peer_term(iso__cli_peer *peer) {
    if (peer->client != NULL) {
        iso_client_destroy(peer->client);
    }
    free(peer->frame);
}
