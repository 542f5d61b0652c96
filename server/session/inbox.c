/// The commands that a message brings: which of them may be sealed, and what is answered to the others.
#include "inbox.h"

#include "isostep/assert.h"

#include "bucket.h"
#include "clock.h"
#include "commands.h"
#include "end.h"
#include "invariants.h"
#include "price.h"
#include "round_trip.h"
#include "stats.h"

/// The static refusals, in the order in which they are checked. @param accepted  how many of the same message come
/// before it
static iso_status inbox_judge(iso_session *session, iso__member *member, uint32_t accepted, uint64_t sequence,
                              uint64_t target, uint32_t units) {
    const uint64_t open_tick = session->sealed_tick + 1;
    const bool replayed = sequence <= member->last_sequence;
    member->last_sequence = replayed ? member->last_sequence : sequence;
    member->late_count += target < open_tick ? 1u : 0u;
    if (target > session->sealed_tick + session->config.future_ticks_max) {
        return ISO_ERR_TICK_FUTURE;
    }
    if (replayed) {
        return ISO_ERR_REPLAY;
    }
    const uint32_t per_second = session->config.commands_per_tick * session->rate_hz;
    if (member->queue_count + accepted >= ISO__MEMBER_QUEUE ||
        !iso__bucket_take(&member->commands, session->now_ns, per_second, session->config.commands_burst, 1)) {
        return ISO_ERR_RATE;
    }
    if (!iso__bucket_take(&member->units, session->now_ns, ISO__MEMBER_UNITS * session->rate_hz,
                          ISO__MEMBER_UNITS_BURST, units)) {
        return ISO_ERR_RATE;
    }
    const uint32_t late_max = member->late_policy == ISO_LATE_MOVE ? session->config.late_ticks_max : 0;
    return open_tick > target + late_max ? ISO_ERR_TICK_LATE : ISO_OK;
}

/// Whether its check makes a hull, which costs a hundred times what all others do.
static bool inbox_has_hull(const iso_command *command) {
    switch (command->kind) {
    case ISO_COMMAND_SPAWN_BODY3:
        return command->as.spawn_body3.shape.kind == ISO_SHAPE3_HULL;
    case ISO_COMMAND_CREATE_SHAPE3:
        return command->as.create_shape3.shape.kind == ISO_SHAPE3_HULL;
    default:
        return false;
    }
}

/// What must never be sealed: the world would refuse the whole tick. Hulls are looked at later (inbox_check_hulls).
static iso_status inbox_check_command(const iso_session *session, const iso_command *command) {
    const uint32_t dimensions = iso_world_get_def(session->world)->dimensions;
    if (iso_command_dimensions(command->kind) != 0 && !iso_command_has_dimensions(command->kind, dimensions)) {
        return ISO_ERR_DIMENSION;
    }
    return inbox_has_hull(command) ? ISO_OK : iso_command_check(command);
}

/// Checks those of the commands that are to be sealed and were not checked before they were judged. @return as
/// iso_command_check, of the first that does not pass
static iso_status inbox_check_hulls(const iso_message_input *input, const iso_status *judged) {
    iso_status status = ISO_OK;
    for (uint32_t i = 0; i < input->command_count && status == ISO_OK; ++i) {
        if (judged[i] == ISO_OK && inbox_has_hull(&input->commands[i])) {
            status = iso_command_check(&input->commands[i]);
        }
    }
    return status;
}

/// Refuses a whole message.
static void inbox_refuse(iso_session *session, iso__connection *connection, const iso_message_input *input,
                         iso_status status) {
    session->stats.commands_rejected += input->command_count;
    iso__connection_reject(session, connection, 0, status);
}

/// Whether the message's commands can be handled one by one. If not, the peer has been answered.
static bool inbox_is_formed(iso_session *session, iso__connection *connection, const iso_message_input *input) {
    const uint64_t last_sequence = input->first_sequence + input->command_count;
    if (!connection->is_activated || input->ack_tick > connection->top_tick) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return false;
    }
    if (input->target_tick >= ISO_TICK_END || input->command_count > ISO_INPUT_COMMANDS_MAX ||
        input->first_sequence >= ISO_TICK_END || last_sequence > ISO_TICK_END ||
        (input->command_count > 0 && input->first_sequence == 0)) {
        iso__connection_end(session, connection, ISO_ERR_MALFORMED);
        return false;
    }
    // A spectator's commands are refused whatever they say; perhaps they were only counted.
    for (uint32_t i = 0; connection->role == ISO_ROLE_PLAYER && i < input->command_count; ++i) {
        const iso_status status = inbox_check_command(session, &input->commands[i]);
        if (status != ISO_OK) {
            inbox_refuse(session, connection, input, status);
            return false;
        }
    }
    return true;
}

/// Puts the commands that may be sealed into the member's queue and answers the others.
static void inbox_order(iso_session *session, iso__connection *connection, const iso_message_input *input,
                        uint64_t target) {
    iso__member *member = &session->members[connection->slot];
    iso_status judged[ISO_INPUT_COMMANDS_MAX];
    uint32_t units[ISO_INPUT_COMMANDS_MAX];
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < input->command_count; ++i) {
        units[i] = iso__price_of(session->world, connection->slot, 0, &input->commands[i]);
        judged[i] = inbox_judge(session, member, accepted, input->first_sequence + i, target, units[i]);
        accepted += judged[i] == ISO_OK ? 1u : 0u;
    }
    const iso_status status = inbox_check_hulls(input, judged);
    if (status != ISO_OK) {
        inbox_refuse(session, connection, input, status);
        return;
    }
    for (uint32_t i = 0; i < input->command_count && connection->phase != ISO__PHASE_ENDING; ++i) {
        const uint64_t sequence = input->first_sequence + i;
        if (judged[i] == ISO_OK) {
            iso__commands_push(member, sequence, target, units[i], &input->commands[i]);
            continue;
        }
        iso__stats_reject(session, judged[i]);
        iso__connection_reject(session, connection, sequence, judged[i]);
    }
}

void iso__inbox_input(iso_session *session, iso__connection *connection, const iso_message_input *input) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->phase != ISO__PHASE_ENDING);
    if (!inbox_is_formed(session, connection, input)) {
        return;
    }
    // Messages about the world that is being replaced are not acknowledged.
    if (!connection->is_healing && input->ack_tick > connection->acked_tick) {
        connection->acked_tick = input->ack_tick;
        iso__round_trip_acked(session, connection);
    }
    if (connection->role != ISO_ROLE_PLAYER) {
        for (uint32_t i = 0; i < input->command_count && connection->phase != ISO__PHASE_ENDING; ++i) {
            iso__stats_reject(session, ISO_ERR_ROLE);
            iso__connection_reject(session, connection, input->first_sequence + i, ISO_ERR_ROLE);
        }
        return;
    }
    ISO_ASSERT(iso__connection_is_seated(session, connection));
    iso__member *member = &session->members[connection->slot];
    member->is_waited_for = true;
    const int32_t margin = iso__clock_margin_q8(session, input->target_tick);
    if (margin < member->margin_q8) {
        member->margin_q8 = margin;
    }
    // Targets never decrease; a lower one is raised to the last.
    const uint64_t target = input->target_tick > member->last_target ? input->target_tick : member->last_target;
    if (target <= session->sealed_tick + session->config.future_ticks_max) {
        member->last_target = target;
    }
    inbox_order(session, connection, input, target);
}
