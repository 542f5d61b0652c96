/// Commands of members that wait for their tick.
///
/// Each member has a queue in the order of its sequence numbers. A command waits for its target tick; a late one goes
/// into the next tick. Commands never overtake one another: the head of a queue holds back all behind it, so a member's
/// commands are sealed in sequence.
#include "commands.h"

#include "isostep/assert.h"

#include "bucket.h"
#include "invariants.h"
#include "price.h"

void iso__commands_reset(iso_session *session, iso__member *member) {
    ISO_ASSERT(iso__member_is_known(session, member));
    member->last_sequence = 0;
    member->last_target = 0;
    member->late_count = 0;
    member->margin_q8 = INT32_MAX;
    member->result_first = member->result_count = 0;
    member->queue_first = 0;
    member->queue_count = 0;
    member->commands = iso__bucket_full(session->now_ns, session->config.commands_per_tick * session->rate_hz,
                                        session->config.commands_burst);
    member->units = iso__bucket_full(session->now_ns, ISO__MEMBER_UNITS * session->rate_hz, ISO__MEMBER_UNITS_BURST);
}

void iso__commands_push(iso__member *member, uint64_t sequence, uint64_t target, uint32_t units,
                        const iso_command *command) {
    ISO_ASSERT(member->queue_count < ISO__MEMBER_QUEUE);
    iso__queued_command *queued = &member->queue[(member->queue_first + member->queue_count++) % ISO__MEMBER_QUEUE];
    queued->sequence = sequence;
    queued->target = target;
    queued->units = units;
    queued->command = *command;
}

/// What is left of a tick for commands.
typedef struct commands_room {
    uint32_t bytes, units, commands;
    uint32_t canonical; // bytes of the commands that are taken
    uint32_t made; // shapes and joints that its commands make: whatever body is meant may have them when its turn comes
} commands_room;

/// The price of a command at its turn: what it is about may have grown since it came.
static uint32_t commands_price(const iso_session *session, const commands_room *room, uint32_t slot,
                               const iso__queued_command *queued) {
    return iso__price_varies(queued->command.kind) ? iso__price_of(session->world, slot, room->made, &queued->command)
                                                   : queued->units;
}

/// Takes the next command of a queue if there is room for it. The first one of a tick always has room for its price.
/// Here a command is encoded, once: the ring and the recording have these bytes. One without room is encoded again when
/// its turn comes again.
static bool commands_take_next(iso_session *session, uint64_t tick, uint32_t slot, uint32_t taken,
                               commands_room *room) {
    iso__member *member = &session->members[slot];
    // A held member's commands were accepted before its connection ended.
    const bool seated = member->state >= ISO__MEMBER_JOINING;
    if (!seated || taken == member->queue_count || room->commands == 0) {
        return false;
    }
    iso__queued_command *next = &member->queue[(member->queue_first + taken) % ISO__MEMBER_QUEUE];
    if (next->target > tick) {
        return false;
    }
    next->canonical_offset = room->canonical;
    next->size = (uint32_t)iso_command_encode_checked(&next->command, session->canonical_bytes + room->canonical,
                                                      ISO__CANONICAL_MAX - room->canonical);
    ISO_ASSERT(next->size > 0);
    const uint32_t wire_size = (uint32_t)iso_sealed_command_wire_size_max(next->size);
    if (wire_size > room->bytes) {
        return false;
    }
    const uint32_t units = commands_price(session, room, slot, next);
    if (units > room->units && room->commands != ISO_TICK_COMMANDS_MAX) {
        return false;
    }
    room->bytes -= wire_size;
    room->canonical += next->size;
    room->units -= units < room->units ? units : room->units;
    room->commands -= 1;
    room->made += iso__price_makes(next->command.kind);
    return true;
}

/// How many commands of each queue go into the tick: in turns, so that no member displaces another when the tick, its
/// frame or its work is full. Each tick another slot is the first.
static void commands_share(iso_session *session, uint64_t tick, uint32_t *counts) {
    commands_room room = {.bytes = ISO_FRAME_MAX_SERVER - ISO_TICK_WIRE_BASE,
                          .units = ISO__TICK_UNITS,
                          .commands = ISO_TICK_COMMANDS_MAX};
    const uint32_t first = session->slot_count > 0 ? (uint32_t)(tick % session->slot_count) : 0;
    uint32_t waiting = session->slots_used;
    while (waiting != 0) {
        for (uint32_t i = 0; i < session->slot_count; ++i) {
            const uint32_t slot = (first + i) % session->slot_count;
            if ((waiting >> slot & 1u) == 0) {
                continue;
            }
            if (commands_take_next(session, tick, slot, counts[slot], &room)) {
                counts[slot] += 1;
            } else {
                waiting &= ~(UINT32_C(1) << slot); // its commands do not overtake one another
            }
        }
    }
}

uint32_t iso__commands_take(iso_session *session, uint64_t tick, iso_sealed_command *commands) {
    ISO_ASSERT(tick == session->sealed_tick + 1u);
    uint32_t counts[ISO_SLOT_COUNT_MAX] = {0};
    commands_share(session, tick, counts);
    uint32_t total = 0;
    for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count;
         slot = iso__slot_used_from(session, slot + 1)) {
        iso__member *member = &session->members[slot];
        for (uint32_t i = 0; i < counts[slot]; ++i) {
            const iso__queued_command *queued = &member->queue[member->queue_first];
            const uint64_t moved = tick - queued->target;
            session->canonical[total] =
                (iso__canonical){session->canonical_bytes + queued->canonical_offset, queued->size};
            iso_sealed_command *sealed = &commands[total++];
            sealed->slot = (uint8_t)slot;
            sealed->sequence = queued->sequence;
            sealed->moved = (uint8_t)(moved < 255u ? moved : 255u);
            sealed->command = queued->command;
            session->stats.commands_moved += moved > 0 ? 1u : 0u;
            member->queue_first = (member->queue_first + 1u) % ISO__MEMBER_QUEUE;
            member->queue_count -= 1;
        }
    }
    ISO_ASSERT(total <= ISO_TICK_COMMANDS_MAX);
    session->stats.commands_sealed += total;
    return total;
}
