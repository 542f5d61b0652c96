#include "ticks.h"

#include "actions.h"
#include "clock.h"
#include "commands.h"
#include "end.h"
#include "images.h"
#include "input.h"
#include "invariants.h"
#include "predict.h"
#include "sync_test.h"
#include "times.h"

void iso__client_ticks_catch_up(iso_client *client, uint64_t server_tick) {
    ISO_ASSERT(client->phase != ISO_CLIENT_PHASE_CATCHUP || iso__client_is_at_tick(client));
    const bool ready = client->phase == ISO_CLIENT_PHASE_CATCHUP && client->pong_count >= ISO__CLIENT_PINGS_FIRST &&
                       !client->is_healing;
    if (!ready || client->tick + ISO__CLIENT_CAUGHT_UP_TICKS < server_tick) {
        return;
    }
    client->phase = ISO_CLIENT_PHASE_JOINING;
    client->phase_ns = client->now_ns;
    iso_message_caught_up *caught_up = &iso__client_action_push_message(client, ISO_MESSAGE_CAUGHT_UP)->as.caught_up;
    // Without a world there is no root of its own: the server's newest one is repeated.
    caught_up->tick = client->verify ? client->tick : client->server_root_tick;
    caught_up->root = client->verify ? client->roots[client->tick % ISO__CLIENT_ROOTS_MAX] : client->server_root;
}

/// Ticks follow a state: its own root is the first that is known.
static void state_begin(iso_client *client, uint64_t tick, uint64_t root) {
    client->tick = tick;
    client->base_tick = tick;
    client->roots[tick % ISO__CLIENT_ROOTS_MAX] = root;
    client->server_root_tick = tick;
    client->server_root = root;
    client->has_desynced = false;
    client->report_ns = 0;
    iso_sync_test_restart(&client->sync_test);
}

void iso__client_ticks_take_back(iso_client *client, uint64_t tick, iso_client_action *action) {
    ISO_ASSERT(tick < ISO_TICK_END);
    const uint64_t wrong = client->wrong_tick;
    action->first_tick = wrong != 0 && wrong <= tick ? wrong : tick + 1u;
    action->last_tick = action->first_tick - 1u;
    if (client->told_tick >= action->first_tick) {
        action->last_tick = client->told_tick;
        client->told_tick = action->first_tick - 1u;
    }
    client->wrong_tick = 0;
}

void iso__client_ticks_begin(iso_client *client, uint64_t tick, uint64_t root) {
    ISO_ASSERT(client->is_welcomed && tick < ISO_TICK_END);
    if (client->welcome.tick > tick + ISO__CLIENT_BEHIND_TICKS) {
        iso__client_fail(client, ISO_ERR_RANGE, "the server's state lies in the far past of its WELCOME");
        return;
    }
    // A member whose world turned out to be wrong while it was away: its snapshot may be of a tick before.
    if (client->wrong_tick != 0 || client->told_tick > tick) {
        iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_REWOUND);
        action->tick = tick;
        action->status = ISO_ERR_DESYNC;
        iso__client_ticks_take_back(client, tick, action);
    }
    state_begin(client, tick, root);
    client->phase = ISO_CLIENT_PHASE_CATCHUP;
    client->phase_ns = client->now_ns;
    iso__client_ticks_catch_up(client, iso__client_clock_arrived(&client->clock, client->now_ns));
}

void iso__client_ticks_heal(iso_client *client, uint64_t tick, uint64_t root) {
    ISO_ASSERT(client->is_healing && tick < ISO_TICK_END);
    state_begin(client, tick, root);
    client->is_healing = false;
    client->confirm_until = tick + client->welcome.tick_rate_hz;
    client->stats.heals += 1;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_HEALED);
    action->tick = tick;
    iso__client_ticks_take_back(client, tick, action);
    iso__client_predict_reset(client);
}

void iso__client_ticks_desync(iso_client *client, uint64_t tick, uint64_t ours, uint64_t theirs) {
    ISO_ASSERT(!client->has_desynced);
    client->has_desynced = true;
    client->wrong_tick = tick;
    client->stats.desyncs += 1;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_DESYNC);
    action->tick = tick;
    action->ours = ours;
    action->theirs = theirs;
}

/// Compares the root that came with a tick with the client's own.
static void root_check(iso_client *client, uint64_t tick, uint64_t theirs) {
    if (tick >= client->server_root_tick) {
        client->server_root_tick = tick;
        client->server_root = theirs;
    }
    if (!client->verify) {
        client->stats.last_tick = client->server_root_tick;
        client->stats.last_root = client->server_root;
        return;
    }
    const bool known = tick >= client->base_tick && tick + ISO__CLIENT_ROOTS_MAX > client->tick;
    // Its own world is wrong from the first difference on; each later root would only say so again.
    if (!known || client->has_desynced) {
        return;
    }
    const uint64_t ours = client->roots[tick % ISO__CLIENT_ROOTS_MAX];
    if (ours != theirs) {
        iso__client_ticks_desync(client, tick, ours, theirs);
        iso_message_desync_report *report =
            &iso__client_action_push_message(client, ISO_MESSAGE_DESYNC_REPORT)->as.desync_report;
        report->tick = tick;
        report->root = ours;
        client->report_ns = client->now_ns;
        return;
    }
    client->stats.roots_checked += 1;
    client->stats.last_tick = tick;
    client->stats.last_root = theirs;
}

/// Who has shown that its world differs confirms nothing any more. A player acknowledges with its inputs; a spectator
/// has none but these.
static void acknowledge_with_input(iso_client *client) {
    iso_message_input *input = &iso__client_action_push_message(client, ISO_MESSAGE_INPUT)->as.input;
    input->target_tick = client->tick;
    input->ack_tick = client->tick;
}

/// Every 16 ticks, and every tick for a second after joining, coming back and being healed.
static void confirm_if_due(iso_client *client) {
    const uint64_t tick = client->tick;
    const bool periodic = tick % ISO__CLIENT_CONFIRM_PERIOD == 0, fresh = tick < client->confirm_until;
    if (client->phase != ISO_CLIENT_PHASE_ACTIVE || !(fresh || periodic)) {
        return;
    }
    if (client->has_desynced) {
        if (client->role == ISO_ROLE_SPECTATOR && periodic) {
            acknowledge_with_input(client);
        }
        return;
    }
    // A spectator acknowledges by confirming, so that one without a world repeats the server's root. A player without
    // a world acknowledges with its inputs.
    if (!client->verify && client->role == ISO_ROLE_PLAYER) {
        return;
    }
    iso_message_confirm *confirm = &iso__client_action_push_message(client, ISO_MESSAGE_CONFIRM)->as.confirm;
    confirm->tick = client->verify ? tick : client->server_root_tick;
    confirm->root = client->verify ? client->roots[tick % ISO__CLIENT_ROOTS_MAX] : client->server_root;
}

/// Takes the client in when its membership is announced and its world has reached it.
static void join_if_due(iso_client *client) {
    if (client->phase != ISO_CLIENT_PHASE_JOINING || !client->is_activated ||
        client->tick < client->activation.join_tick) {
        return;
    }
    const iso_message_activate *activation = &client->activation;
    iso_slot_view view;
    if (client->world != 0 && client->role == ISO_ROLE_PLAYER &&
        (!iso_world_get_slot(client->world, activation->slot, &view) || !view.is_occupied || view.is_held ||
         view.generation != activation->slot_generation)) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "the tick that was announced for the join has none");
        return;
    }
    const bool back = client->welcome.resumed != ISO_RESUMED_NEW;
    client->phase = ISO_CLIENT_PHASE_ACTIVE;
    client->phase_ns = client->now_ns;
    client->is_away = false;
    client->has_claim = false;
    client->confirm_until = activation->join_tick + client->welcome.tick_rate_hz;
    client->stats.resumes += back;
    client->stats.first_tick = back && client->stats.first_tick != 0 ? client->stats.first_tick : activation->join_tick;
    iso_client_action *action =
        iso__client_action_push(client, back ? ISO_CLIENT_ACTION_RESUMED : ISO_CLIENT_ACTION_JOINED);
    action->slot = activation->slot;
    action->tick = activation->join_tick;
    // After a pause the server's time is asked for again first.
    const bool knows_time = client->pong_count >= ISO__CLIENT_PINGS_FIRST;
    if (client->role == ISO_ROLE_PLAYER && !client->is_paused && knows_time) {
        iso__client_input_start(client, activation->join_tick);
    }
}

void iso__client_ticks_activate(iso_client *client, const iso_message_activate *activate) {
    ISO_ASSERT(iso__client_fits(client));
    if (client->phase != ISO_CLIENT_PHASE_JOINING || client->is_activated) {
        iso__client_fail(client, ISO_ERR_STATE, "the server sent an ACTIVATE that was not expected now");
        return;
    }
    if (activate->slot != client->welcome.slot || activate->join_tick >= ISO_TICK_END) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "the server's ACTIVATE does not fit its WELCOME");
        return;
    }
    client->is_activated = true;
    client->activation = *activate;
    join_if_due(client);
    confirm_if_due(client);
}

/// One step of the own world. @return false when the client was ended.
static bool world_step(iso_client *client, const iso_message_tick *message) {
    const iso_tick_input input = {
        .tick = message->tick,
        .changes = message->changes,
        .change_count = message->change_count,
        .commands = message->commands,
        .command_count = message->command_count,
    };
    const iso_status status = iso_world_step(client->world, &input);
    if (status != ISO_OK) {
        iso__client_fail(client, status, "a tick of the server cannot be stepped");
        return false;
    }
    if (!iso__client_sync_test_step(client, &input)) {
        return false;
    }
    // A drill waits for the membership: before it, a wrong world would only be a failed join.
    if (client->flip_at_tick != 0 && message->tick >= client->flip_at_tick &&
        client->phase == ISO_CLIENT_PHASE_ACTIVE && iso_client_flip(client) == ISO_OK) {
        client->flip_at_tick = 0;
    }
    const uint64_t root = iso_world_root(client->world);
    client->roots[message->tick % ISO__CLIENT_ROOTS_MAX] = root;
    iso__client_images_save(&client->images, client->world, message->tick, root);
    return true;
}

/// A client without a world resumes at the last root that it heard of. It has been told of later ticks before.
static void tick_tell(iso_client *client, const iso_message_tick *message) {
    if (message->tick <= client->told_tick) {
        ISO_ASSERT(client->world == 0);
        return;
    }
    client->told_tick = message->tick;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_TICK);
    action->tick = message->tick;
    action->commands = message->commands;
    action->command_count = message->command_count;
    if (client->world != 0) {
        uint32_t count;
        action->results = iso_world_get_results(client->world, &count);
    }
}

void iso__client_ticks_tick(iso_client *client, const iso_message_tick *message) {
    ISO_ASSERT(iso__client_is_at_tick(client));
    if (client->phase < ISO_CLIENT_PHASE_CATCHUP || client->is_healing) {
        iso__client_fail(client, ISO_ERR_STATE, "the server sent a tick before a whole snapshot");
        return;
    }
    if (message->tick != client->tick + 1u || message->epoch != client->welcome.epoch ||
        message->hashed_tick > message->tick) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "the server's tick does not follow the one before");
        return;
    }
    if (client->world != 0 && !world_step(client, message)) {
        return;
    }
    client->tick = message->tick;
    client->tick_epoch = message->epoch;
    tick_tell(client, message);
    iso__client_input_tick(client, iso__client_clock_arrived(&client->clock, client->now_ns));
    iso__client_predict_confirm(client, message);
    iso__client_commands_sealed(client, message);
    root_check(client, message->hashed_tick, message->root);
    iso__client_ticks_catch_up(client, iso__client_clock_arrived(&client->clock, client->now_ns));
    join_if_due(client);
    confirm_if_due(client);
}
