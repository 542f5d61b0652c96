/// A connection that is silent, and another one that is tried beside it.
///
/// A network that drops what is sent says nothing: only silence tells. The server has said how long it is worth waiting
/// for it. Then another connection is tried, and the silent one is kept until the other one has its WELCOME, because
/// silence may as well be a stall that ends:
///
///     nothing --silence--> CONNECTING --connected: HELLO--> ANSWERING --WELCOME--> it is the connection
///                               |                               |
///                               +---- the silent one speaks ----+--> nothing: it goes on
///
/// The server ends the silent one when it takes the HELLO of the other one: a TAKEN_OVER that comes of the client's own
/// HELLO is no reason to end.
#include "spare.h"

#include "actions.h"
#include "end.h"
#include "handshake.h"
#include "invariants.h"
#include "resume.h"
#include "times.h"

#define PATIENCE_LEAST_NS   UINT64_C(3000000000)  // where ticks may stay away and answers to pings alone come
#define CONNECT_LIMIT_NS    UINT64_C(10000000000) // for a host that says nothing of its try
#define OWN_HELLO_NS        UINT64_C(10000000000) // for so long a TAKEN_OVER may come of a HELLO that was given up
#define PATIENCE_ROUND_TRIP 4u

/// How long the server may be silent [ns] before another connection is tried; the limit of silence: not at all.
static uint64_t patience_of(const iso_client *client) {
    ISO_ASSERT(iso__client_spare_fits(client));
    // Who is not a member yet has nothing to lose but the join, and a snapshot may come in slow pieces.
    const bool waits = client->phase != ISO_CLIENT_PHASE_ACTIVE || client->is_healing || client->snapshot.is_active;
    if (client->welcome.silence_ms == 0 || client->reconnect_ns == 0 || client->is_leaving || waits) {
        return ISO__CLIENT_SILENCE_TIMEOUT_NS;
    }
    uint64_t patience = (uint64_t)client->welcome.silence_ms * 1000000u;
    const bool has_gaps = client->is_paused || client->welcome.late_policy == ISO_LATE_STRICT;
    patience = has_gaps && patience < PATIENCE_LEAST_NS ? PATIENCE_LEAST_NS : patience;
    const uint64_t trips = client->clock.rtt_ns * PATIENCE_ROUND_TRIP;
    patience = patience < trips ? trips : patience;
    return patience < ISO__CLIENT_SILENCE_TIMEOUT_NS ? patience : ISO__CLIENT_SILENCE_TIMEOUT_NS;
}

uint64_t iso__client_spare_deadline(const iso_client *client) {
    ISO_ASSERT(iso__client_spare_fits(client));
    const iso__client_spare *spare = &client->spare;
    switch (spare->state) {
    case ISO__CLIENT_SPARE_CONNECTING:
        return spare->since_ns + CONNECT_LIMIT_NS;
    case ISO__CLIENT_SPARE_ANSWERING:
        return spare->since_ns + ISO__CLIENT_HELLO_TIMEOUT_NS;
    default:
        break;
    }
    const uint64_t patience = patience_of(client);
    uint64_t silent_ns = client->heard_ns + patience;
    if (patience == ISO__CLIENT_SILENCE_TIMEOUT_NS && silent_ns < client->grace_until_ns) {
        silent_ns = client->grace_until_ns; // then the client gives up, and tries nothing beside
    }
    return silent_ns > spare->due_ns ? silent_ns : spare->due_ns;
}

static void spare_later(iso_client *client) {
    client->spare.state = ISO__CLIENT_SPARE_NONE;
    client->spare.due_ns = client->now_ns + iso__client_resume_delay(client, client->spare.tries, ISO_OK);
    client->spare.tries += 1;
}

void iso__client_spare_if_due(iso_client *client, uint64_t before_ns) {
    ISO_ASSERT(iso__client_spare_fits(client));
    iso__client_spare *spare = &client->spare;
    if (client->now_ns < iso__client_spare_deadline(client)) {
        return;
    }
    if (spare->state != ISO__CLIENT_SPARE_NONE) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_TRY_END);
        spare_later(client);
        return;
    }
    // This machine was away itself: what has come meanwhile is read first. But once, since timers of a page in the
    // background are late always.
    const bool is_late = client->now_ns - before_ns > patience_of(client) / 2u;
    if (is_late && spare->late_ns <= client->heard_ns) {
        spare->late_ns = client->now_ns;
        return;
    }
    spare->state = ISO__CLIENT_SPARE_CONNECTING;
    spare->since_ns = client->now_ns;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_TRY);
    action->tick = client->tick;
    action->status = ISO_ERR_TIMEOUT;
}

static void spare_connected(iso_client *client) {
    iso__client_spare *spare = &client->spare;
    if (spare->state != ISO__CLIENT_SPARE_CONNECTING) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_TRY_END);
        return;
    }
    spare->state = ISO__CLIENT_SPARE_ANSWERING;
    spare->since_ns = client->now_ns;
    client->is_resumable = client->role == ISO_ROLE_PLAYER && client->welcome.hold_ms > 0;
    iso_message_hello *hello = &iso__client_action_push_message(client, ISO_MESSAGE_HELLO)->as.hello;
    client->actions[client->action_count - 1u].action.is_spare = true;
    iso__client_handshake_hello_fill(client, hello);
    spare->tick = hello->has_resume ? hello->resume.tick : client->tick;
}

bool iso__client_spare_take_place(iso_client *client, iso_status why) {
    ISO_ASSERT(iso__client_spare_fits(client));
    iso__client_spare *spare = &client->spare;
    if (spare->state != ISO__CLIENT_SPARE_ANSWERING) {
        return false;
    }
    spare->state = ISO__CLIENT_SPARE_NONE;
    spare->due_ns = spare->given_up_ns = 0;
    spare->tries = 0;
    (void)iso__client_action_push(client, ISO_CLIENT_ACTION_SWITCH);
    iso__client_resume_away(client, why);
    client->stats.switches += 1;
    client->tick = spare->tick; // what the HELLO says
    client->phase = ISO_CLIENT_PHASE_HELLO;
    client->phase_ns = client->hello_ns = spare->since_ns;
    client->heard_ns = client->now_ns;
    return true;
}

/// A place becomes free when somebody leaves, or when the slot of somebody who does not come back is held no longer.
bool iso__client_refusal_may_pass(iso_status code) {
    ISO_ASSERT(code != ISO_OK);
    return code == ISO_ERR_SERVER_FULL || code == ISO_ERR_SESSION_FULL || code == ISO_ERR_SPECTATORS_FULL ||
           code == ISO_ERR_ADDRESS_LIMIT || code == ISO_ERR_TIMEOUT || code == ISO_ERR_RESTARTING;
}

/// What may be otherwise in a moment. That the server does not know this member any more is told to the client at once.
static bool refusal_is_of_the_moment(const iso_message *message) {
    return message->kind == ISO_MESSAGE_REFUSAL && message->as.refusal.code != ISO_ERR_NO_RESUME &&
           iso__client_refusal_may_pass(message->as.refusal.code);
}

bool iso__client_spare_handle(iso_client *client, const iso_client_event *event) {
    ISO_ASSERT(iso__client_spare_fits(client));
    iso__client_spare *spare = &client->spare;
    const bool is_answer = event->kind == ISO_CLIENT_EVENT_MESSAGE && spare->state == ISO__CLIENT_SPARE_ANSWERING;
    if (event->kind == ISO_CLIENT_EVENT_CONNECTED) {
        spare_connected(client);
    } else if (event->kind == ISO_CLIENT_EVENT_DISCONNECTED && spare->state != ISO__CLIENT_SPARE_NONE) {
        spare_later(client);
    } else if (is_answer && refusal_is_of_the_moment(event->message)) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_TRY_END);
        spare_later(client);
    } else if (is_answer) {
        return iso__client_spare_take_place(client, ISO_ERR_TIMEOUT);
    }
    return false;
}

void iso__client_spare_hear(iso_client *client, const iso_message *message) {
    ISO_ASSERT(iso__client_spare_fits(client));
    const bool is_taken = message->kind == ISO_MESSAGE_BYE && message->as.bye.code == ISO_ERR_TAKEN_OVER;
    if (is_taken && iso__client_spare_take_place(client, ISO_ERR_TAKEN_OVER)) {
        return;
    }
    iso__client_end_spare(client);
}

bool iso__client_spare_has_taken_over(const iso_client *client) {
    ISO_ASSERT(iso__client_spare_fits(client));
    const uint64_t given_up_ns = client->spare.given_up_ns;
    return given_up_ns != 0 && client->now_ns - given_up_ns < OWN_HELLO_NS;
}
