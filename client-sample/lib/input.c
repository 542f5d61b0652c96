#include "input.h"

#include "actions.h"
#include "clock.h"
#include "commands.h"
#include "end.h"
#include "games.h"
#include "invariants.h"
#include "times.h"

/// The size of a command's canonical form.
static uint32_t canonical_size(const iso_command *command) {
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    return (uint32_t)iso_command_encode(command, bytes, sizeof(bytes));
}

static uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// The largest budget that may be saved up. A little below the server's, since inputs that leave in even steps arrive
/// in uneven ones.
static uint32_t command_tokens_max(const iso_member_limits *limits) {
    const uint32_t burst = min_u32(limits->command_burst, ISO_CLIENT_COMMANDS_MAX);
    const uint32_t spare = 2u * min_u32(limits->commands_per_tick, burst);
    return burst > 2u * spare ? burst - spare : min_u32(burst, limits->commands_per_tick);
}

/// The server counts all that a client sends. Three quarters of its allowance go to commands, saved up for a third of a
/// second; the rest is for the messages around them, confirmations, pings and uneven arrival.
static uint32_t byte_rate(const iso_member_limits *limits) {
    return limits->input_bytes_per_second / 4u * 3u;
}

static uint32_t byte_tokens_max(const iso_member_limits *limits) {
    return limits->input_bytes_per_second / 4u;
}

/// Ticks after which the game forgets a control block, or 0. A client without a world knows what the game has by
/// default.
static uint32_t control_timeout(const iso_client *client) {
    const iso_game *game =
        client->game != 0 ? client->game : iso__client_games_find(client, client->welcome.fingerprint.game);
    // Without a game nothing reads it.
    if (game == 0) {
        return 0;
    }
    return iso_game_control_timeout(game, client->world != 0 ? iso_world_get_def(client->world)->game_params : 0);
}

void iso__client_input_start(iso_client *client, uint64_t first_target) {
    ISO_ASSERT(client->is_welcomed && client->role == ISO_ROLE_PLAYER && first_target <= ISO_TICK_END);
    iso__client_input *input = &client->input;
    input->command_tokens = command_tokens_max(&client->welcome.limits);
    input->byte_tokens = byte_tokens_max(&client->welcome.limits);
    // Half of the time is left for a refresh that comes late.
    const uint32_t timeout = control_timeout(client);
    input->control_refresh = timeout > 1 ? timeout / 2u : timeout;
    input->is_held = false;
    input->tick_ns = client->now_ns;
    iso__client_clock_start(&client->clock, client->now_ns, first_target);
}

static iso_status queue_check(const iso_client *client) {
    if (client->role != ISO_ROLE_PLAYER) {
        return ISO_ERR_ROLE;
    }
    if (client->phase != ISO_CLIENT_PHASE_ACTIVE || client->is_leaving) {
        return ISO_ERR_STATE;
    }
    return client->input.waiting_count >= ISO_CLIENT_COMMANDS_MAX ? ISO_ERR_RATE : ISO_OK;
}

iso_status iso_client_command(iso_client *client, const iso_command *command, uint64_t *sequence) {
    ISO_ASSERT(command != 0 && iso__client_input_fits(&client->input));
    iso_status status = queue_check(client);
    if (status == ISO_OK) {
        status = iso_command_check(command);
    }
    // A client without a world leaves it to the server.
    if (status == ISO_OK && client->world != 0 &&
        !iso_command_has_dimensions(command->kind, iso_world_get_def(client->world)->dimensions)) {
        status = ISO_ERR_DIMENSION;
    }
    if (status != ISO_OK) {
        return status;
    }
    if (sequence != 0) {
        *sequence = client->input.next_sequence;
    }
    iso__client_commands_push(&client->input, command);
    return ISO_OK;
}

static iso_command control_command(const iso__client_input *input) {
    iso_command command;
    __builtin_memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SET_CONTROL;
    command.as.set_control = input->control;
    return command;
}

iso_status iso_client_set_control(iso_client *client, const uint8_t *bytes, size_t size) {
    ISO_ASSERT((bytes != 0 || size == 0) && iso__client_input_fits(&client->input));
    iso__client_input *input = &client->input;
    if (size > ISO_CONTROL_SIZE_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_status status = queue_check(client);
    if (status == ISO_ERR_ROLE || status == ISO_ERR_STATE) {
        return status;
    }
    if (input->has_control && input->control.size == size && __builtin_memcmp(input->control.bytes, bytes, size) == 0) {
        return ISO_OK;
    }
    iso_command_set_control control = {.size = (uint8_t)size};
    if (size > 0) {
        __builtin_memcpy(control.bytes, bytes, size);
    }
    // A block that still waits is replaced by the newer one.
    for (uint32_t i = 0; i < input->waiting_count; ++i) {
        iso_command *queued = &iso__client_commands_at(input, input->sent_count + i)->command;
        if (queued->kind == ISO_COMMAND_SET_CONTROL) {
            input->control = control;
            *queued = control_command(input);
            return ISO_OK;
        }
    }
    if (status != ISO_OK) {
        return status;
    }
    input->control = control;
    input->has_control = true;
    const iso_command command = control_command(input);
    iso__client_commands_push(input, &command);
    return ISO_OK;
}

/// Sends a held control block again before the game forgets it. A neutral one may be forgotten.
static void control_refresh(iso_client *client, uint64_t target) {
    iso__client_input *input = &client->input;
    if (!input->has_control || input->control_refresh == 0 || input->waiting_count > 0 ||
        target < input->control_target + input->control_refresh) {
        return;
    }
    for (size_t i = 0; i < input->control.size; ++i) {
        if (input->control.bytes[i] != 0) {
            const iso_command command = control_command(input);
            iso__client_commands_push(input, &command);
            return;
        }
    }
}

/// Moves what the budgets allow from the queue into the message.
static void commands_take(iso_client *client, iso_message_input *message) {
    iso__client_input *input = &client->input;
    const iso_member_limits *limits = &client->welcome.limits;
    const uint32_t stride = client->clock.stride;
    const uint32_t bytes_max = byte_tokens_max(limits);
    const uint32_t commands_more = min_u32(limits->commands_per_tick, ISO__CLIENT_INPUT_COMMANDS) * stride;
    input->command_tokens = min_u32(input->command_tokens + commands_more, command_tokens_max(limits));
    const uint32_t bytes_more = byte_rate(limits) / client->welcome.tick_rate_hz * stride;
    input->byte_tokens = min_u32(input->byte_tokens + bytes_more, bytes_max);
    message->commands = input->sent;
    uint32_t bytes = 0;
    while (input->waiting_count > 0 && input->sent_count < ISO__CLIENT_FLIGHT_MAX &&
           message->command_count < ISO__CLIENT_INPUT_COMMANDS && input->command_tokens > 0) {
        iso__client_command *entry = iso__client_commands_at(input, input->sent_count);
        const uint32_t canonical = canonical_size(&entry->command);
        // The frame's limit takes the worst case on the wire, the rate takes what is usual there.
        const uint32_t size_max = (uint32_t)iso_sealed_command_wire_size_max(canonical);
        const uint32_t size = canonical + canonical / 4u + 12u;
        // A command that is larger than the whole budget still leaves when the budget is full.
        const bool affordable = size <= input->byte_tokens || input->byte_tokens == bytes_max;
        // The commands of one message have sequences without a gap.
        const bool in_line =
            message->command_count == 0 || entry->sequence == message->first_sequence + message->command_count;
        if (!affordable || !in_line || bytes + size_max > ISO__CLIENT_INPUT_BYTES) {
            break;
        }
        if (entry->command.kind == ISO_COMMAND_SET_CONTROL) {
            input->control_target = message->target_tick;
        }
        if (message->command_count == 0) {
            message->first_sequence = entry->sequence;
        }
        entry->target = message->target_tick;
        input->sent[message->command_count] = entry->command;
        message->command_count += 1;
        input->sent_count += 1;
        input->waiting_count -= 1;
        input->command_tokens -= 1;
        input->byte_tokens -= min_u32(size, input->byte_tokens);
        bytes += size_max;
    }
}

// ---- holding --------------------------------------------------------------------------------------
//
// While no ticks arrive, the link or the server or this process has stalled, and it is unknown whether the server's
// clock continues. Inputs sent now would mostly be refused as too late or too far ahead. When ticks arrive again,
// inputs continue as soon as they have caught up with the estimate: then the server's clock has continued. If it has
// not, a new ping determines where it is.

static uint64_t ticks_ns(const iso_client *client, uint64_t ticks) {
    return ticks * UINT64_C(1000000000) / client->welcome.tick_rate_hz;
}

/// A delay that is within the lead and what the server moves late commands by costs none, so it is waited out; in a
/// fast session that is less than what else is waited for.
static uint64_t hold_ns(const iso_client *client) {
    const uint64_t harmless_ns = ticks_ns(client, (uint64_t)client->lead_ticks + client->welcome.limits.late_ticks_max);
    const uint64_t least_ns = ticks_ns(client, ISO__CLIENT_HOLD_TICKS);
    const uint64_t wait_ns = harmless_ns < ISO__CLIENT_HOLD_NS ? harmless_ns : ISO__CLIENT_HOLD_NS;
    return wait_ns > least_ns ? wait_ns : least_ns;
}

/// Whether no ticks have arrived for so long that the server's time is unknown.
static bool is_cut_off(const iso_client *client) {
    return client->clock.is_running && client->now_ns - client->input.tick_ns > hold_ns(client);
}

bool iso__client_input_is_held_up(const iso_client *client, uint64_t rtt_ns) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    return is_cut_off(client) && rtt_ns > iso__client_clock_rtt_min(&client->clock) + hold_ns(client);
}

static void hold(iso_client *client) {
    client->stats.holds += !client->input.is_held;
    client->input.is_held = true;
}

static void hold_release(iso_client *client) {
    client->input.is_held = false;
    iso__client_clock_resume(&client->clock, client->now_ns);
}

void iso__client_input_tick(iso_client *client, uint64_t arrived_tick) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    iso__client_input *input = &client->input;
    const bool cut_off = is_cut_off(client);
    input->tick_ns = client->now_ns;
    if (cut_off) {
        hold(client);
        // A ping from before has an answer that was held up.
        client->is_ping_out = false;
        client->ping_due_ns = client->now_ns;
        input->held_ping = client->ping_id + 1u;
    }
    if (input->is_held && client->tick + ISO__CLIENT_CAUGHT_UP_HELD_TICKS >= arrived_tick) {
        hold_release(client);
    }
}

void iso__client_input_pong(iso_client *client, uint32_t ping_id) {
    ISO_ASSERT(client->is_welcomed && ping_id <= client->ping_id);
    const iso__client_input *input = &client->input;
    if (input->is_held && ping_id >= input->held_ping && !is_cut_off(client)) {
        hold_release(client);
    }
}

void iso__client_input_send_if_due(iso_client *client) {
    ISO_ASSERT(iso__client_is_connected(client) && iso__client_input_fits(&client->input));
    uint64_t target;
    if (is_cut_off(client)) {
        hold(client);
    }
    if (client->phase != ISO_CLIENT_PHASE_ACTIVE || client->is_leaving || client->input.is_held ||
        !iso__client_clock_take(&client->clock, client->now_ns, &target)) {
        return;
    }
    if (target >= ISO_TICK_END) {
        iso__client_fail(client, ISO_ERR_RANGE, "the server's clock leads beyond the last tick");
        return;
    }
    iso_message_input *message = &iso__client_action_push_message(client, ISO_MESSAGE_INPUT)->as.input;
    message->target_tick = target;
    message->ack_tick = client->tick;
    // After a jump back the last target may lie beyond what the server takes; commands then wait until it does not.
    const uint64_t server_tick = iso__client_clock_server_q8(&client->clock, client->now_ns) / 256u;
    if (target <= server_tick + client->welcome.limits.ahead_ticks_max) {
        control_refresh(client, target);
        commands_take(client, message);
    }
    client->stats.last_target = target;
    client->stats.inputs_sent += 1;
    client->stats.commands_sent += message->command_count;
}

void iso__client_input_status(iso_client *client, const iso_message_status *status) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    client->stats.late_count = status->late_count;
    client->stats.durable_tick = status->durable_tick;
    client->stats.is_degraded = status->is_degraded;
    if (client->world == 0 && client->role == ISO_ROLE_PLAYER) {
        iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_RESULTS);
        action->tick = client->tick;
        action->own_results = status->results;
        action->own_result_count = status->result_count;
    }
    if (status->margin_ticks_q8 == INT32_MAX) {
        return;
    }
    client->stats.margin_q8 = status->margin_ticks_q8;
    client->stats.is_margin_known = true;
    iso__client_clock_steer(&client->clock, client->now_ns, status->margin_ticks_q8);
}
