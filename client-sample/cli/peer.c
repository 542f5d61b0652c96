/// One connection (app.h): carries out what its client library asks for, and tells it what has come.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "http_answer.h"
#include "isostep/heap.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/environment.h"
#include "seat.h"

static void peer_give(iso__cli_peer *peer, const iso_client_event *event);
static int peer_dial(iso__cli_peer *peer, iso__uv_stream **stream);

// ---- the stream -----------------------------------------------------------------------------------

static void peer_lost(iso__cli_peer *peer, bool is_spare, iso_status status) {
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_DISCONNECTED, .is_spare = is_spare, .status = status};
    peer_give(peer, &event);
}

static void stream_cut(iso__uv_stream *stream) {
    if (stream != NULL) {
        iso__uv_stream_cut(stream);
    }
}

static void peer_close(iso__cli_peer *peer) {
    stream_cut(peer->stream);
    stream_cut(peer->spare);
}

/// Closes a stream, and reports it to a member that has not ended.
static void peer_drop(iso__cli_peer *peer, iso__uv_stream *stream, iso_status status) {
    const bool is_spare = stream != NULL && stream == peer->spare;
    stream_cut(stream);
    if (!peer->has_ended) {
        peer_lost(peer, is_spare, status);
    }
}

// ---- actions --------------------------------------------------------------------------------------

/// @return ISO_OK; ISO_ERR_CONNECTION (the stream takes nothing any more); why the message cannot be encoded
static iso_status peer_send(iso__cli_peer *peer, iso__uv_stream *stream, const iso_message *message) {
    iso__cli_app *app = peer->app;
    size_t size = 0;
    const iso_status status =
        iso_message_encode(message, app->encode_memory, ISO_ENCODE_MEMORY_SIZE, app->out, ISO_FRAME_MAX_CLIENT, &size);
    if (status != ISO_OK) {
        iso__cli_say(app, "a message could not be encoded: %s", iso_status_text(status));
        return status;
    }
    return stream != NULL && iso__uv_stream_send(stream, app->out, size) ? ISO_OK : ISO_ERR_CONNECTION;
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

/// The seat goes with its member. One who ends while it is away is still held, and so is one who was never let in.
static void peer_give_up_seat(const iso__cli_peer *peer, iso_status status) {
    const char *path = peer->app->options.seat;
    if (path != NULL && peer->has_joined && !peer->is_away && !iso__cli_seat_is_kept(status)) {
        iso__cli_seat_remove(path);
    }
}

static void peer_keep_seat(const iso__cli_peer *peer) {
    const char *path = peer->app->options.seat;
    const iso_message_welcome *welcome = iso_client_welcome(peer->client);
    if (path == NULL || welcome->hold_ms == 0) {
        return;
    }
    const int fault = iso__cli_seat_write(path, welcome);
    if (fault != 0) {
        iso__cli_say(peer->app, "the seat could not be written to %s: %s", path, strerror(fault));
    }
}

/// What a refusal says. Without --session the name that was asked for is not what the user wrote, so it is named.
static void peer_describe_refusal(const iso__cli_peer *peer, const iso_client_action *action, char *text,
                                  size_t capacity) {
    const char *reason = action->text[0] != 0 ? action->text : iso_status_text(action->status);
    const char *expected = action->expected[0] != 0 ? action->expected : NULL;
    char session[ISO_SESSION_NAME_MAX + 1], unknown[ISO_SESSION_NAME_MAX + 64];
    if (action->status == ISO_ERR_NO_SESSION) {
        snprintf(unknown, sizeof(unknown), "there is no session \"%s\" (--session)",
                 iso__cli_swarm_session_name(peer->app, peer->session, session));
        reason = unknown;
    }
    snprintf(text, capacity, "%s: %s%s%s", iso_status_name(action->status), reason,
             expected != NULL ? "; expected " : "", expected != NULL ? expected : "");
}

static void peer_ended(iso__cli_peer *peer, const iso_client_action *action) {
    char failure[ISO_DETAIL_TEXT_MAX + ISO_EXPECTED_TEXT_MAX + 128];
    peer_close_timers(peer);
    peer_give_up_seat(peer, action->status);
    if (peer->stream != NULL && peer->stream->state == ISO__UV_STREAM_CONNECTING) {
        peer_close(peer); // an open stream is closed by an action of its own, after everything was sent
    }
    if (action->status == ISO_OK) {
        iso__cli_news_ended(peer->app, peer, NULL);
        return;
    }
    if (iso_client_welcome(peer->client) == NULL && action->status == ISO_ERR_CONNECTION && peer->connect_error != 0) {
        connect_fault(peer, failure, sizeof(failure));
    } else if (peer->is_http) {
        snprintf(failure, sizeof(failure), ISO__CLI_HTTP_TEXT, peer->app->options.address);
    } else {
        peer_describe_refusal(peer, action, failure, sizeof(failure));
    }
    iso__cli_news_ended(peer->app, peer, failure);
}

static void on_retry(uv_timer_t *timer) {
    iso__cli_peer *peer = timer->data;
    const int error = peer_dial(peer, &peer->stream);
    if (error != 0) {
        peer->connect_error = error;
        peer_lost(peer, false, ISO_ERR_CONNECTION);
    }
}

/// libuv counts whole milliseconds: rounded up, or a timer would fire a little before its deadline, again and again.
static uint64_t whole_ms(uint64_t ns) {
    return (ns + 999999u) / 1000000u;
}

static void peer_reconnect(iso__cli_peer *peer, const iso_client_action *action) {
    char fault[ISO__CLI_HOST_MAX + 160];
    peer->is_away = true;
    if (iso_client_welcome(peer->client) != NULL) {
        snprintf(fault, sizeof(fault), "the connection broke at tick %llu", (unsigned long long)action->tick);
    } else if (peer->connect_error != 0) {
        connect_fault(peer, fault, sizeof(fault));
    } else {
        snprintf(fault, sizeof(fault), "%s: %s", iso_status_name(action->status), iso_status_text(action->status));
    }
    peer_close(peer);
    if (iso__cli_swarm_speaks(peer->app, peer->index)) {
        iso__cli_say(peer->app, "%s; the next try is in %.1f s", fault, (double)action->delay_ns / 1e9);
    }
    iso__cli_swarm_reconnects(peer->app, action);
    uv_update_time(&peer->app->loop);
    uv_timer_start(&peer->retry, on_retry, whole_ms(action->delay_ns), 0);
}

/// @param sent  ISO_OK as long as all that was sent is on its way; then why the first message is not
static void peer_act(iso__cli_peer *peer, const iso_client_action *action, iso_status *sent) {
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        // A broken stream is reported after the actions; what is still to be sent is then dropped.
        if (action->is_spare) {
            peer->has_spare_failed = peer_send(peer, peer->spare, action->message) != ISO_OK;
        } else {
            *sent = *sent == ISO_OK ? peer_send(peer, peer->stream, action->message) : *sent;
        }
        break;
    case ISO_CLIENT_ACTION_CLOSE:
        if (peer->stream != NULL) {
            iso__uv_stream_finish(peer->stream);
        }
        break;
    case ISO_CLIENT_ACTION_TRY:
        iso__cli_news_session(peer->app, peer, action);
        peer->has_spare_failed = peer_dial(peer, &peer->spare) != 0;
        break;
    case ISO_CLIENT_ACTION_TRY_END:
        stream_cut(peer->spare);
        break;
    case ISO_CLIENT_ACTION_SWITCH:
        stream_cut(peer->stream);
        peer->stream = peer->spare;
        peer->spare = NULL;
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        peer_reconnect(peer, action);
        break;
    case ISO_CLIENT_ACTION_WELCOME:
        peer_keep_seat(peer);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        peer->is_away = false;
        if (peer->has_joined) {
            iso__cli_news_session(peer->app, peer, action);
        } else {
            iso__cli_news_joined(peer->app, peer, action);
        }
        peer->has_joined = true;
        break;
    case ISO_CLIENT_ACTION_RESUMED:
        peer->is_away = false;
        if (!peer->has_joined) {
            peer->has_joined = true; // with a seat that was kept
            iso__cli_news_joined(peer->app, peer, action);
        }
        iso__cli_news_session(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_REWOUND:
    case ISO_CLIENT_ACTION_STATE:
        iso__cli_news_session(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_MEMBERS:
        iso__cli_news_members(peer->app, peer, action);
        break;
    case ISO_CLIENT_ACTION_NOTICE:
        iso__cli_news_notice(peer->app, peer, action);
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
    if (peer->has_ended || deadline == UINT64_MAX) {
        return;
    }
    uv_update_time(&peer->app->loop);
    const uint64_t now = uv_hrtime();
    uv_timer_start(&peer->timer, on_timer, deadline > now ? whole_ms(deadline - now) : 0, 0);
}

/// Hands an event in and carries out the actions.
static void peer_give(iso__cli_peer *peer, const iso_client_event *event) {
    iso_client_action action;
    iso_client_action decompress = {0};
    iso_status sent = ISO_OK;
    iso_client_handle(peer->client, uv_hrtime(), event);
    while (iso_client_next_action(peer->client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else {
            peer_act(peer, &action, &sent);
        }
    }
    if (decompress.kind != 0) {
        peer_decompress(peer, &decompress);
    }
    if (sent != ISO_OK && !peer->has_ended && peer->stream != NULL) {
        peer_drop(peer, peer->stream, sent);
    }
    if (peer->has_spare_failed) {
        peer->has_spare_failed = false;
        stream_cut(peer->spare);
        if (!peer->has_ended) {
            peer_lost(peer, true, ISO_ERR_CONNECTION);
        }
    }
    peer_set_timer(peer);
}

// ---- stream callbacks -----------------------------------------------------------------------------

static void on_connected(iso__uv_stream *stream) {
    iso__cli_peer *peer = stream->user;
    const iso_client_event event = {.kind = ISO_CLIENT_EVENT_CONNECTED, .is_spare = stream == peer->spare};
    peer->connect_error = 0;
    peer_give(peer, &event);
}

static bool on_frame(iso__uv_stream *stream, const uint8_t *frame, size_t size) {
    iso__cli_peer *peer = stream->user;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    if (peer->has_ended) {
        return true;
    }
    const iso_status status =
        iso_message_decode(frame, size, &limits, peer->app->decode_memory, ISO_DECODE_MEMORY_FROM_SERVER, &message);
    const iso_client_event event = {
        .kind = ISO_CLIENT_EVENT_MESSAGE, .is_spare = stream == peer->spare, .message = &message};
    if (status == ISO_OK) {
        peer_give(peer, &event);
    } else if (status != ISO_ERR_UNSUPPORTED) { // a kind that came with a later version
        peer->is_http = iso__cli_is_http(frame, size);
        peer_drop(peer, stream, status);
    }
    return true;
}

/// The library decides when to try again, or gives up.
static void on_failed(iso__uv_stream *stream, iso_status status) {
    iso__cli_peer *peer = stream->user;
    if (stream->state == ISO__UV_STREAM_CONNECTING) {
        peer->connect_error = stream->error;
    }
    peer_drop(peer, stream, status);
}

static void on_ended(iso__uv_stream *stream) {
    peer_drop(stream->user, stream, ISO_ERR_CONNECTION);
}

static void on_closed(iso__uv_stream *stream) {
    iso__cli_peer *peer = stream->user;
    peer->bytes_in += stream->bytes_in;
    peer->bytes_out += stream->bytes_out;
    peer->spare = stream == peer->spare ? NULL : peer->spare;
    peer->stream = stream == peer->stream ? NULL : peer->stream;
}

/// @return 0 or libuv's error; the handler is called from the loop alone
static int peer_dial(iso__cli_peer *peer, iso__uv_stream **stream) {
    static const iso__uv_stream_handler handler = {on_connected, on_frame, on_failed, on_ended, on_closed};
    return iso__uv_dialer_connect(peer->app->dialer, &handler, peer, stream);
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
    config.password = options->password;
    config.role = options->role;
    config.verify = iso__cli_swarm_verifies(app, index);
    config.predict_frames = config.verify ? options->predict : 0;
    config.flip_at_tick = index == 0 ? options->flip_tick : 0;
    config.has_resume = app->has_seat && index == 0;
    config.resume = app->seat;
    config.sync_test_interval = config.verify ? options->sync_test : 0;
    config.reconnect_ms = options->reconnect * 1000u;
    config.seed = app->start_ns + index;
    config.simd = iso_environment_simd();
    peer->app = app;
    peer->index = index;
    if (iso_client_create(&config, &peer->client) != ISO_OK || peer_dial(peer, &peer->stream) != 0) {
        return false;
    }
    iso__cli_bot_init(&peer->bot, options->bot, UINT64_C(0x49534F) + index);
    uv_timer_init(&app->loop, &peer->timer);
    uv_timer_init(&app->loop, &peer->retry);
    peer->timer.data = peer;
    peer->retry.data = peer;
    return true;
}

void iso__cli_peer_leave(iso__cli_peer *peer) {
    if (peer->has_ended) {
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
}
