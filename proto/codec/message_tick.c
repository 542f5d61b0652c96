/// The hot path between plain structs and protobuf-c's: inputs, ticks, clock, confirmation.
#include "codec/internal.h"

/// The shape of every function here: envelope->snake is the message on protobuf's side.
#define PACK(snake)                                                                             \
    iso_status iso__codec_##snake##_pack(iso__codec_arena *arena, const iso_message_##snake *m, \
                                         Isostep__V1__Envelope *envelope)
#define UNPACK(snake)                                                                                      \
    iso_status iso__codec_##snake##_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope, \
                                           iso_message_##snake *m)

/// An array of pointers to `count` messages in the arena, as protobuf-c wants repeated messages.
#define NEW_ARRAY(arena, Type, snake, count, variable)                                                            \
    Isostep__V1__##Type **variable = iso__codec_arena_take((arena), (count) * sizeof(Isostep__V1__##Type *));     \
    Isostep__V1__##Type *variable##_data = iso__codec_arena_take((arena), (count) * sizeof(Isostep__V1__##Type)); \
    if (variable == NULL || variable##_data == NULL) {                                                            \
        return ISO_ERR_BUFFER;                                                                                    \
    }                                                                                                             \
    for (size_t i = 0; i < (count); ++i) {                                                                        \
        isostep__v1__##snake##__init(&variable##_data[i]);                                                        \
        variable[i] = &variable##_data[i];                                                                        \
    }

PACK(input) {
    ISO__ASSERT_KIND(envelope, INPUT);
    ISO__NEW(arena, Input, input, p);
    NEW_ARRAY(arena, Command, command, m->command_count, commands);
    for (uint32_t i = 0; i < m->command_count; ++i) {
        ISO__TRY(iso__codec_command_pack(arena, &m->commands[i], commands[i]));
    }
    p->target_tick = m->target_tick;
    p->first_sequence = m->command_count > 0 ? m->first_sequence : 0;
    p->ack_tick = m->ack_tick;
    p->commands = commands;
    p->n_commands = m->command_count;
    envelope->input = p;
    return ISO_OK;
}

UNPACK(input) {
    ISO__ASSERT_KIND(envelope, INPUT);
    const Isostep__V1__Input *p = envelope->input;
    if (p->n_commands > ISO_INPUT_COMMANDS_MAX) {
        return ISO_ERR_DECODE_BUDGET;
    }
    iso_command *commands = iso__codec_arena_take(arena, p->n_commands * sizeof(*commands));
    if (commands == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_commands; ++i) {
        ISO__TRY(iso__codec_command_unpack(p->commands[i], &commands[i]));
    }
    *m = (iso_message_input){
        .target_tick = p->target_tick,
        .first_sequence = p->n_commands > 0 ? p->first_sequence : 0,
        .ack_tick = p->ack_tick,
        .commands = commands,
        .command_count = (uint32_t)p->n_commands,
    };
    return ISO_OK;
}

static iso_status tick_pack_changes(iso__codec_arena *arena, const iso_message_tick *m, Isostep__V1__Tick *p) {
    NEW_ARRAY(arena, Change, change, m->change_count, changes);
    for (uint32_t i = 0; i < m->change_count; ++i) {
        const iso_change *change = &m->changes[i];
        changes[i]->kind = (Isostep__V1__ChangeKind)change->kind;
        changes[i]->slot = change->slot;
        changes[i]->slot_generation = change->slot_generation;
    }
    p->changes = changes;
    p->n_changes = m->change_count;
    return ISO_OK;
}

static iso_status tick_pack_commands(iso__codec_arena *arena, const iso_message_tick *m, Isostep__V1__Tick *p) {
    NEW_ARRAY(arena, SealedCommand, sealed_command, m->command_count, sealed);
    NEW_ARRAY(arena, Command, command, m->command_count, commands);
    for (uint32_t i = 0; i < m->command_count; ++i) {
        const iso_sealed_command *command = &m->commands[i];
        sealed[i]->slot = command->slot;
        sealed[i]->sequence = command->sequence;
        sealed[i]->moved = command->moved;
        sealed[i]->command = commands[i];
        ISO__TRY(iso__codec_command_pack(arena, &command->command, commands[i]));
    }
    p->commands = sealed;
    p->n_commands = m->command_count;
    return ISO_OK;
}

PACK(tick) {
    ISO__ASSERT_KIND(envelope, TICK);
    ISO__NEW(arena, Tick, tick, p);
    p->epoch = m->epoch;
    p->tick = m->tick;
    p->hashed_tick = m->hashed_tick;
    p->root = m->root;
    envelope->tick = p;
    ISO__TRY(tick_pack_changes(arena, m, p));
    return tick_pack_commands(arena, m, p);
}

static iso_status tick_unpack_changes(iso__codec_arena *arena, const Isostep__V1__Tick *p, iso_message_tick *m) {
    iso_change *changes = iso__codec_arena_take(arena, p->n_changes * sizeof(*changes));
    if (changes == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_changes; ++i) {
        const Isostep__V1__Change *change = p->changes[i];
        ISO__TRY(iso__codec_slot_fits(change->slot));
        changes[i] = (iso_change){.slot = (uint8_t)change->slot, .slot_generation = change->slot_generation};
        ISO__TRY(iso__codec_enum_unpack((int)change->kind, &changes[i].kind));
    }
    m->changes = changes;
    m->change_count = (uint32_t)p->n_changes;
    return ISO_OK;
}

static iso_status tick_unpack_commands(iso__codec_arena *arena, const Isostep__V1__Tick *p, iso_message_tick *m) {
    iso_sealed_command *commands = iso__codec_arena_take(arena, p->n_commands * sizeof(*commands));
    if (commands == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_commands; ++i) {
        const Isostep__V1__SealedCommand *sealed = p->commands[i];
        if (sealed->command == NULL) {
            return ISO_ERR_MALFORMED;
        }
        if (sealed->slot > UINT8_MAX || sealed->moved > UINT8_MAX) {
            return ISO_ERR_RANGE;
        }
        commands[i].slot = (uint8_t)sealed->slot;
        commands[i].sequence = sealed->sequence;
        commands[i].moved = (uint8_t)sealed->moved;
        ISO__TRY(iso__codec_command_unpack(sealed->command, &commands[i].command));
    }
    m->commands = commands;
    m->command_count = (uint32_t)p->n_commands;
    return ISO_OK;
}

UNPACK(tick) {
    ISO__ASSERT_KIND(envelope, TICK);
    const Isostep__V1__Tick *p = envelope->tick;
    if (p->n_changes > ISO_TICK_CHANGES_MAX || p->n_commands > ISO_TICK_COMMANDS_MAX) {
        return ISO_ERR_DECODE_BUDGET;
    }
    m->epoch = p->epoch;
    m->tick = p->tick;
    m->hashed_tick = p->hashed_tick;
    m->root = p->root;
    ISO__TRY(tick_unpack_changes(arena, p, m));
    return tick_unpack_commands(arena, p, m);
}

static iso_status status_pack_results(iso__codec_arena *arena, const iso_message_status *m, Isostep__V1__Status *p) {
    NEW_ARRAY(arena, CommandResult, command_result, m->result_count, results);
    for (uint32_t i = 0; i < m->result_count; ++i) {
        results[i]->sequence = m->results[i].sequence;
        results[i]->id = m->results[i].id;
        ISO__TRY(iso__codec_code_pack(m->results[i].code, &results[i]->code));
    }
    p->results = results;
    p->n_results = m->result_count;
    return ISO_OK;
}

PACK(status) {
    ISO__ASSERT_KIND(envelope, STATUS);
    ISO__NEW(arena, Status, status, p);
    p->server_tick = m->server_tick;
    p->acked_sequence = m->acked_sequence;
    p->margin_ticks_q8 = m->margin_ticks_q8;
    p->late_count = m->late_count;
    p->durable_tick = m->durable_tick;
    p->degraded = m->is_degraded;
    envelope->status = p;
    return status_pack_results(arena, m, p);
}

static iso_status status_unpack_results(iso__codec_arena *arena, const Isostep__V1__Status *p, iso_message_status *m) {
    if (p->n_results > ISO_STATUS_RESULTS_MAX) {
        return ISO_ERR_DECODE_BUDGET;
    }
    iso_member_result *results = iso__codec_arena_take(arena, p->n_results * sizeof(*results));
    if (results == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_results; ++i) {
        results[i] = (iso_member_result){.sequence = p->results[i]->sequence, .id = p->results[i]->id};
        ISO__TRY(iso__codec_code_unpack(p->results[i]->code, &results[i].code));
    }
    m->results = results;
    m->result_count = (uint32_t)p->n_results;
    return ISO_OK;
}

UNPACK(status) {
    ISO__ASSERT_KIND(envelope, STATUS);
    const Isostep__V1__Status *p = envelope->status;
    *m = (iso_message_status){
        .server_tick = p->server_tick,
        .acked_sequence = p->acked_sequence,
        .margin_ticks_q8 = p->margin_ticks_q8,
        .late_count = p->late_count,
        .durable_tick = p->durable_tick,
        .is_degraded = p->degraded != 0,
    };
    return status_unpack_results(arena, p, m);
}

PACK(ping) {
    ISO__ASSERT_KIND(envelope, PING);
    ISO__NEW(arena, Ping, ping, p);
    p->id = m->id;
    p->client_time_ns = m->client_time_ns;
    envelope->ping = p;
    return ISO_OK;
}

UNPACK(ping) {
    ISO__ASSERT_KIND(envelope, PING);
    (void)arena;
    *m = (iso_message_ping){.id = envelope->ping->id, .client_time_ns = envelope->ping->client_time_ns};
    return ISO_OK;
}

PACK(pong) {
    ISO__ASSERT_KIND(envelope, PONG);
    ISO__NEW(arena, Pong, pong, p);
    p->id = m->id;
    p->client_time_ns = m->client_time_ns;
    p->server_tick = m->server_tick;
    p->fraction_q8 = m->fraction_q8;
    envelope->pong = p;
    return ISO_OK;
}

UNPACK(pong) {
    ISO__ASSERT_KIND(envelope, PONG);
    (void)arena;
    const Isostep__V1__Pong *p = envelope->pong;
    if (p->fraction_q8 > UINT8_MAX) {
        return ISO_ERR_RANGE;
    }
    *m = (iso_message_pong){
        .id = p->id,
        .client_time_ns = p->client_time_ns,
        .server_tick = p->server_tick,
        .fraction_q8 = (uint8_t)p->fraction_q8,
    };
    return ISO_OK;
}

PACK(confirm) {
    ISO__ASSERT_KIND(envelope, CONFIRM);
    ISO__NEW(arena, Confirm, confirm, p);
    p->tick = m->tick;
    p->root = m->root;
    envelope->confirm = p;
    return ISO_OK;
}

UNPACK(confirm) {
    ISO__ASSERT_KIND(envelope, CONFIRM);
    (void)arena;
    *m = (iso_message_confirm){.tick = envelope->confirm->tick, .root = envelope->confirm->root};
    return ISO_OK;
}

PACK(reject) {
    ISO__ASSERT_KIND(envelope, REJECT);
    ISO__NEW(arena, Reject, reject, p);
    p->sequence = m->sequence;
    envelope->reject = p;
    ISO__TRY(iso__codec_code_pack(m->code, &p->code));
    return iso__codec_text_pack(m->detail, sizeof(m->detail), &p->detail);
}

UNPACK(reject) {
    ISO__ASSERT_KIND(envelope, REJECT);
    (void)arena;
    const Isostep__V1__Reject *p = envelope->reject;
    m->sequence = p->sequence;
    ISO__TRY(iso__codec_code_unpack(p->code, &m->code));
    return iso__codec_text_unpack(p->detail, m->detail, sizeof(m->detail));
}
