/// Attacks with commands and roots, as a member (griefer.h).
#include <string.h>

#include "griefer.h"

/// Runs as a member of its own, which has left afterwards.
static iso_status with_member(iso__cli_griefer *g, iso_status (*run)(iso__cli_griefer *, iso__cli_member *)) {
    iso__cli_member member;
    const bool joined = iso__cli_member_join(g, &member, "griefer");
    const iso_status answer = joined ? run(g, &member) : ISO_ERR_JOIN_TIMEOUT;
    iso__cli_member_leave(g, &member);
    return answer;
}

static iso_command command_of(uint8_t kind) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = kind;
    return command;
}

/// Worlds in space have commands of their own; on the wire their numbers have the same forms.
static bool is_in_space(const iso__cli_member *m) {
    return iso_world_get_def(iso_client_world(m->client))->dimensions == 3;
}

static iso_command throw_body(const iso__cli_member *m, iso_body_id body) {
    iso_command command = command_of(is_in_space(m) ? ISO_COMMAND_SET_VELOCITY3 : ISO_COMMAND_SET_VELOCITY);
    if (is_in_space(m)) {
        command.as.set_velocity3.body = body;
    } else {
        command.as.set_velocity.body = body;
    }
    return command;
}

static iso_command spawn3(uint8_t type) {
    iso_command command = command_of(ISO_COMMAND_SPAWN_BODY3);
    command.as.spawn_body3.body = iso_body3_def_default();
    command.as.spawn_body3.body.type = type;
    command.as.spawn_body3.body.position.y = 20 * ISO_WIDE_ONE;
    command.as.spawn_body3.shape = iso_shape3_def_sphere(ISO_FIX16_ONE / 4);
    return command;
}

static iso_command spawn(const iso__cli_member *m, uint8_t type) {
    if (is_in_space(m)) {
        return spawn3(type);
    }
    iso_command command = command_of(ISO_COMMAND_SPAWN_BODY);
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.type = type;
    command.as.spawn_body.body.position.y = 20 * ISO_WIDE_ONE;
    command.as.spawn_body.shape = iso_shape_def_circle(ISO_FIX16_ONE / 4);
    return command;
}

// ---- when -------------------------------------------------------------------------------------------

/// An input by hand, for any tick and with any sequence.
static iso_status input_wait(iso__cli_griefer *g, iso__cli_member *m, uint64_t target, uint64_t sequence,
                             uint64_t ack) {
    const iso_command command = command_of(ISO_COMMAND_SET_CONTROL);
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){
        .target_tick = target, .first_sequence = sequence, .ack_tick = ack, .commands = &command, .command_count = 1};
    m->is_answered = false;
    m->waited = sequence;
    return iso__cli_link_send(m->link, &message) ? iso__cli_member_wait(g, m, 3000) : ISO_ERR_CONNECTION;
}

static iso_status run_late(iso__cli_griefer *g, iso__cli_member *m) {
    return input_wait(g, m, 1, 1, iso_client_tick(m->client));
}

static iso_status run_future(iso__cli_griefer *g, iso__cli_member *m) {
    const uint64_t tick = iso_client_tick(m->client);
    return input_wait(g, m, tick + 10u * iso_client_welcome(m->client)->limits.ahead_ticks_max, 1, tick);
}

static iso_status run_replay(iso__cli_griefer *g, iso__cli_member *m) {
    const uint64_t tick = iso_client_tick(m->client);
    const iso_status first = input_wait(g, m, tick + 5, 7, tick);
    return first != ISO_OK ? first : input_wait(g, m, tick + 30, 7, iso_client_tick(m->client));
}

static iso_status run_ack_future(iso__cli_griefer *g, iso__cli_member *m) {
    const uint64_t tick = iso_client_tick(m->client);
    return input_wait(g, m, tick + 50, 1, tick + 100000);
}

static iso_status attack_late(iso__cli_griefer *g) {
    return with_member(g, run_late);
}
static iso_status attack_future(iso__cli_griefer *g) {
    return with_member(g, run_future);
}
static iso_status attack_replay(iso__cli_griefer *g) {
    return with_member(g, run_replay);
}
static iso_status attack_ack_future(iso__cli_griefer *g) {
    return with_member(g, run_ack_future);
}

// ---- whose ------------------------------------------------------------------------------------------

static iso_status run_stale(iso__cli_griefer *g, iso__cli_member *m) {
    const iso_command command = throw_body(m, (iso_body_id){500, 77});
    return iso__cli_member_try(g, m, &command);
}

static iso_status run_foreign(iso__cli_griefer *g, iso__cli_member *m) {
    const iso_body_id body = iso_client_player_body(g->witness.client);
    const iso_command command =
        throw_body(m, body.generation != 0 ? body : iso_body_next(iso_client_world(m->client), 0));
    return iso__cli_member_try(g, m, &command);
}

static iso_status run_wrong_type(iso__cli_griefer *g, iso__cli_member *m) {
    iso_command command = spawn(m, ISO_BODY_STATIC);
    const iso_status made = iso__cli_member_try(g, m, &command);
    command = throw_body(m, iso_body_id_unpack(m->answer_id));
    return made != ISO_OK ? made : iso__cli_member_try(g, m, &command);
}

static iso_status attack_stale(iso__cli_griefer *g) {
    return with_member(g, run_stale);
}
static iso_status attack_foreign(iso__cli_griefer *g) {
    return with_member(g, run_foreign);
}
static iso_status attack_wrong_type(iso__cli_griefer *g) {
    return with_member(g, run_wrong_type);
}

// ---- how much ---------------------------------------------------------------------------------------

/// Sends a command that the own encoder lets pass, with eight of its bytes replaced so that no encoder would.
static iso_status spoilt_wait(iso__cli_griefer *g, iso__cli_member *m, const iso_command *command,
                              const uint8_t *before, const uint8_t *after, size_t size) {
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    const uint64_t tick = iso_client_tick(m->client);
    message.as.input = (iso_message_input){
        .target_tick = tick + 5, .first_sequence = 1, .ack_tick = tick, .commands = command, .command_count = 1};
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    const size_t frame_size = iso__cli_frame_make(&message, frame, sizeof(frame));
    for (size_t i = 0; i + size <= frame_size; ++i) {
        if (memcmp(frame + i, before, size) == 0) {
            memcpy(frame + i, after, size);
            m->is_answered = false;
            m->waited = 1;
            return iso__cli_link_write(m->link, frame, frame_size) ? iso__cli_member_wait(g, m, 3000)
                                                                   : ISO_ERR_CONNECTION;
        }
    }
    return ISO_ERR_UNSUPPORTED;
}

static void bytes_of(uint64_t number, uint8_t bytes[8]) {
    for (uint32_t i = 0; i < 8; ++i) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

static iso_status run_huge_torque(iso__cli_griefer *g, iso__cli_member *m) {
    const iso_wide most = ISO_IMPULSE_MAX * ISO_WIDE_ONE;
    iso_command command = command_of(is_in_space(m) ? ISO_COMMAND_APPLY_TORQUE3 : ISO_COMMAND_APPLY_TORQUE);
    if (is_in_space(m)) {
        command.as.apply_torque3 = (iso_command_apply_torque3){iso_client_player_body(m->client), {most, 0, 0}};
    } else {
        command.as.apply_torque = (iso_command_apply_torque){iso_client_player_body(m->client), most};
    }
    uint8_t before[8], after[8];
    bytes_of((uint64_t)most, before);
    bytes_of((uint64_t)INT64_MAX, after);
    return spoilt_wait(g, m, &command, before, after, 8);
}

static iso_status run_far_away(iso__cli_griefer *g, iso__cli_member *m) {
    iso_command command = spawn(m, ISO_BODY_DYNAMIC);
    if (is_in_space(m)) {
        command.as.spawn_body3.body.position.x = ISO_POSITION_MAX_M * ISO_WIDE_ONE;
    } else {
        command.as.spawn_body.body.position.x = ISO_POSITION_MAX_M * ISO_WIDE_ONE;
    }
    // Zigzag varints of 30,000 m and of 32,767 m, seven bytes each.
    uint8_t before[7], after[7];
    uint64_t near = (uint64_t)(ISO_POSITION_MAX_M * ISO_WIDE_ONE) * 2u, far = (uint64_t)(32767 * ISO_WIDE_ONE) * 2u;
    for (uint32_t i = 0; i < 7; ++i, near >>= 7, far >>= 7) {
        before[i] = (uint8_t)((near & 0x7F) | (i < 6 ? 0x80 : 0));
        after[i] = (uint8_t)((far & 0x7F) | (i < 6 ? 0x80 : 0));
    }
    return spoilt_wait(g, m, &command, before, after, 7);
}

static iso_status attack_huge_torque(iso__cli_griefer *g) {
    return with_member(g, run_huge_torque);
}
static iso_status attack_far_away(iso__cli_griefer *g) {
    return with_member(g, run_far_away);
}

/// As many as there may be, four in a tick, until one is refused inside a tick.
static iso_status bomb(iso__cli_griefer *g, iso__cli_member *m, const iso_command *command, uint32_t ticks) {
    const iso_command commands[4] = {*command, *command, *command, *command};
    const uint64_t end = iso_client_tick(m->client) + ticks;
    uint64_t tick = 0;
    const iso_status first = iso__cli_member_try(g, m, command);
    if (first != ISO_OK) {
        return first;
    }
    m->refusal = ISO_OK;
    while (!m->has_ended && m->refusal == ISO_OK && tick < end) {
        if (iso_client_tick(m->client) > tick) {
            tick = iso_client_tick(m->client);
            (void)iso__cli_member_command(m, commands, 4);
        }
        iso__cli_member_pump(g, m);
    }
    return m->has_ended ? m->answer : m->refusal;
}

static iso_status run_body_bomb(iso__cli_griefer *g, iso__cli_member *m) {
    const iso_command command = spawn(m, ISO_BODY_DYNAMIC);
    return bomb(g, m, &command, 1200);
}

static iso_status run_joint_bomb(iso__cli_griefer *g, iso__cli_member *m) {
    iso_command command = spawn(m, ISO_BODY_DYNAMIC);
    iso_status made = iso__cli_member_try(g, m, &command);
    const iso_body_id first = iso_body_id_unpack(m->answer_id);
    made = made == ISO_OK ? iso__cli_member_try(g, m, &command) : made;
    const iso_body_id second = iso_body_id_unpack(m->answer_id);
    command = command_of(is_in_space(m) ? ISO_COMMAND_CREATE_JOINT3 : ISO_COMMAND_CREATE_JOINT);
    if (is_in_space(m)) {
        command.as.create_joint3.joint = iso_joint3_def_default(ISO_JOINT3_BALL);
        command.as.create_joint3.joint.body_a = first;
        command.as.create_joint3.joint.body_b = second;
    } else {
        command.as.create_joint.joint = iso_joint_def_default();
        command.as.create_joint.joint.body_a = first;
        command.as.create_joint.joint.body_b = second;
    }
    return made != ISO_OK ? made : bomb(g, m, &command, 1200);
}

static iso_status attack_body_bomb(iso__cli_griefer *g) {
    return with_member(g, run_body_bomb);
}
static iso_status attack_joint_bomb(iso__cli_griefer *g) {
    return with_member(g, run_joint_bomb);
}

// ---- false roots ------------------------------------------------------------------------------------

/// Each time the server heals, until it has had enough.
static iso_status run_false_root(iso__cli_griefer *g, iso__cli_member *m) {
    for (uint32_t i = 0; i < 5 && !m->has_ended; ++i) {
        iso_client_stats before, now;
        iso_client_get_stats(m->client, &before);
        iso_message message = {.kind = ISO_MESSAGE_CONFIRM};
        message.as.confirm.tick = before.last_tick;
        message.as.confirm.root = before.last_root ^ 1u;
        if (!iso__cli_link_send(m->link, &message)) {
            break;
        }
        const uint64_t end_ns = iso__cli_now_ns() + UINT64_C(3000000000);
        do {
            iso__cli_member_pump(g, m);
            iso_client_get_stats(m->client, &now);
        } while (!m->has_ended && now.heals == before.heals && iso__cli_now_ns() < end_ns);
    }
    return iso__cli_member_wait_end(g, m, 3000);
}

static iso_status attack_false_root(iso__cli_griefer *g) {
    return with_member(g, run_false_root);
}

const iso__cli_attack iso__cli_attacks_world[] = {
    {"input for a tick that is long sealed", ISO_ERR_TICK_LATE, ISO_ERR_TICK_LATE, attack_late},
    {"input for a tick far ahead", ISO_ERR_TICK_FUTURE, ISO_ERR_TICK_FUTURE, attack_future},
    {"sequence used again", ISO_ERR_REPLAY, ISO_ERR_REPLAY, attack_replay},
    {"acknowledges what never was", ISO_ERR_STATE, ISO_ERR_STATE, attack_ack_future},
    {"stale body", ISO_ERR_STALE, ISO_ERR_STALE, attack_stale},
    {"somebody else's body", ISO_ERR_NOT_OWNER, ISO_ERR_NOT_OWNER, attack_foreign},
    {"velocity of a static body", ISO_ERR_WRONG_TYPE, ISO_ERR_WRONG_TYPE, attack_wrong_type},
    {"torque beyond the range", ISO_ERR_RANGE, ISO_ERR_RANGE, attack_huge_torque},
    {"body beyond the border", ISO_ERR_RANGE, ISO_ERR_RANGE, attack_far_away},
    // In a small world there is no room left before the member has all that it may have.
    {"body bomb", ISO_ERR_QUOTA, ISO_ERR_CAPACITY, attack_body_bomb},
    {"joint bomb", ISO_ERR_QUOTA, ISO_ERR_CAPACITY, attack_joint_bomb},
    {"false roots, three times", ISO_ERR_DESYNC, ISO_ERR_KICKED, attack_false_root},
    {NULL, ISO_OK, ISO_OK, NULL},
};
