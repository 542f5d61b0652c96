#include "handshake.h"

#include "actions.h"
#include "clock.h"
#include "commands.h"
#include "end.h"
#include "games.h"
#include "input.h"
#include "invariants.h"
#include "names.h"
#include "resume.h"
#include "text.h"
#include "ticks.h"
#include "times.h"

void iso__client_handshake_hello_fill(iso_client *client, iso_message_hello *hello) {
    ISO_ASSERT(client->role == ISO_ROLE_PLAYER || client->role == ISO_ROLE_SPECTATOR);
    const iso_world_def def = iso_world_def_default();
    hello->protocol_min = ISO_PROTOCOL_VERSION;
    hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = client->role;
    hello->compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD;
    // The game stays empty: the answer contains the session's game, which is compared there. All zero means that this
    // client does not compute.
    if (client->verify) {
        iso_fingerprint_make(&def, 0, &hello->fingerprint);
    }
    iso__client_text_copy(hello->session, sizeof(hello->session), client->session);
    iso__client_text_copy(hello->member, sizeof(hello->member), client->name);
    iso__client_text_copy(hello->password, sizeof(hello->password), client->password);
    hello->features = ISO_FEATURE_NOTICES;
    iso__client_text_copy(hello->build, sizeof(hello->build), "isostep");
    iso__client_resume_hello(client, hello);
}

void iso__client_handshake_hello(iso_client *client) {
    ISO_ASSERT(client->phase == ISO_CLIENT_PHASE_IDLE || client->phase == ISO_CLIENT_PHASE_AWAY);
    iso_message_hello *hello = &iso__client_action_push_message(client, ISO_MESSAGE_HELLO)->as.hello;
    iso__client_handshake_hello_fill(client, hello);
    if (hello->has_resume) {
        client->tick = hello->resume.tick;
    }
    client->phase = ISO_CLIENT_PHASE_HELLO;
    client->phase_ns = client->now_ns;
    client->hello_ns = client->now_ns;
}

/// Whether this program may compute such a session, in the plane or in space. All of it is compared when the definition
/// has come.
static bool welcome_is_computed(const iso_fingerprint *theirs) {
    bool is_computed = false;
    for (uint16_t dimensions = 2; dimensions <= 3; ++dimensions) {
        iso_world_def def = iso_world_def_default();
        iso_fingerprint own;
        def.dimensions = dimensions;
        iso_fingerprint_make(&def, 0, &own);
        is_computed = is_computed ||
                      (own.simulation_version == theirs->simulation_version && own.arithmetic == theirs->arithmetic);
    }
    return is_computed;
}

/// This program must compute the same as the session.
static const char *welcome_find_fault(iso_client *client, const iso_message_welcome *welcome, iso_status *status) {
    *status = ISO_ERR_MALFORMED;
    if (welcome->protocol != ISO_PROTOCOL_VERSION) {
        *status = ISO_ERR_PROTOCOL_VERSION;
        return "the server chose a protocol version that was not offered";
    }
    if (welcome->role != client->role || (welcome->role == ISO_ROLE_PLAYER) != (welcome->slot < ISO_SLOT_COUNT_MAX)) {
        return "the server's answer gives another role than was asked for";
    }
    if (welcome->tick_rate_hz < 10 || welcome->tick_rate_hz > 128 || welcome->tick >= ISO_TICK_END) {
        return "the server's answer has a tick or a tick rate out of range";
    }
    const char *fault = iso__client_resume_find_fault(client, welcome);
    if (fault != 0 || !client->verify) {
        return fault;
    }
    const iso_game *game = iso__client_games_find(client, welcome->fingerprint.game);
    *status = ISO_ERR_FINGERPRINT;
    if (welcome->fingerprint.game[0] != 0 && game == 0) {
        *status = ISO_ERR_UNKNOWN_NAME;
        return iso__client_games_unknown(client, welcome->fingerprint.game);
    }
    if (game != 0 && game->version != welcome->fingerprint.game_version) {
        return "the session plays another version of the game";
    }
    return welcome_is_computed(&welcome->fingerprint) ? 0 : "the session's simulation is of another version";
}

void iso__client_handshake_welcome(iso_client *client, const iso_message_welcome *welcome) {
    ISO_ASSERT(client->lead_ticks > 0 && client->lead_ticks <= ISO_CLIENT_LEAD_MAX);
    if (client->phase != ISO_CLIENT_PHASE_HELLO) {
        iso__client_fail(client, ISO_ERR_STATE, "the server sent a second WELCOME");
        return;
    }
    iso_status status;
    const char *fault = welcome_find_fault(client, welcome, &status);
    if (fault != 0) {
        iso__client_fail(client, status, fault);
        return;
    }
    client->welcome = *welcome;
    client->is_welcomed = true;
    if (welcome->resumed == ISO_RESUMED_NEW) {
        iso__client_names_release(client); // the session may be another one
    }
    client->phase = ISO_CLIENT_PHASE_SNAPSHOT;
    client->phase_ns = client->now_ns;
    iso__client_clock_init(&client->clock, welcome->tick_rate_hz, client->lead_ticks);
    client->ping_due_ns = client->now_ns;
    client->is_paused = welcome->state == ISO_SESSION_PAUSED;
    iso__client_resume_welcome(client);
    (void)iso__client_action_push(client, ISO_CLIENT_ACTION_WELCOME);
}

void iso__client_handshake_ping_if_due(iso_client *client) {
    ISO_ASSERT(iso__client_is_connected(client) && client->ping_sent_ns <= client->now_ns);
    const bool lost = client->is_ping_out && client->now_ns - client->ping_sent_ns >= ISO__CLIENT_PING_LOST_NS;
    if (client->is_ping_out ? !lost : client->now_ns < client->ping_due_ns) {
        return;
    }
    client->ping_id += 1;
    client->is_ping_out = true;
    client->ping_sent_ns = client->now_ns;
    iso_message_ping *ping = &iso__client_action_push_message(client, ISO_MESSAGE_PING)->as.ping;
    ping->id = client->ping_id;
    ping->client_time_ns = client->now_ns;
    iso__client_commands_pinged(&client->input);
}

/// Whether the server's clock can have come so far since WELCOME, which left after HELLO: twice as fast as this one,
/// and a minute. A client that believed one from the far future would catch up with it for ever.
static bool pong_can_be(const iso_client *client, uint64_t server_tick) {
    const uint64_t rate_hz = client->welcome.tick_rate_hz;
    const uint64_t seconds = (client->now_ns - client->hello_ns) / UINT64_C(1000000000) + 1u;
    return server_tick <= client->welcome.tick + (2u * seconds + ISO__CLIENT_AHEAD_S) * rate_hz;
}

void iso__client_handshake_pong(iso_client *client, const iso_message_pong *pong) {
    ISO_ASSERT(client->ping_sent_ns <= client->now_ns && client->hello_ns <= client->now_ns);
    if (pong->server_tick >= ISO_TICK_END) {
        iso__client_fail(client, ISO_ERR_RANGE, "the server's PONG has a tick out of range");
        return;
    }
    if (!pong_can_be(client, pong->server_tick)) {
        iso__client_fail(client, ISO_ERR_RANGE, "the server's PONG lies in the far future of its WELCOME");
        return;
    }
    if (!client->is_ping_out || pong->id != client->ping_id) {
        return; // of an abandoned ping
    }
    client->is_ping_out = false;
    iso__client_commands_heard(&client->input);
    if (iso__client_input_is_held_up(client, client->now_ns - client->ping_sent_ns)) {
        client->ping_due_ns = client->now_ns + ISO__CLIENT_PING_JOIN_NS;
        return; // it says where the server's clock was some time ago
    }
    iso__client_clock_sample_add(&client->clock, client->ping_sent_ns, client->now_ns, pong->server_tick,
                                 pong->fraction_q8);
    iso__client_input_pong(client, pong->id);
    client->pong_count += 1;
    const bool active = client->phase == ISO_CLIENT_PHASE_ACTIVE;
    const bool first = client->pong_count < ISO__CLIENT_PINGS_FIRST;
    client->ping_due_ns = client->now_ns + (first    ? ISO__CLIENT_PING_GAP_NS
                                            : active ? ISO__CLIENT_PING_PERIOD_NS
                                                     : ISO__CLIENT_PING_JOIN_NS);
    // What the server had sealed when it answered has come before the answer. This holds also when it cannot keep its
    // rate, so that the clock's estimate runs ahead of it.
    iso__client_ticks_catch_up(client, pong->server_tick);
    if (active && !first && !client->is_paused && !client->clock.is_running && client->role == ISO_ROLE_PLAYER) {
        iso__client_input_start(client, client->stats.last_target > client->tick ? client->stats.last_target
                                                                                 : client->tick + 1u);
    }
}
