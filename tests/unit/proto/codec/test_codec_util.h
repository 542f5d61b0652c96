/// What the codec's tests share: random valid messages of each kind.
#ifndef TEST_CODEC_UTIL_H
#define TEST_CODEC_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/codec.h"
#include "test_codec_equal.h"
#include "unit/command/test_command3_util.h"
#include "unit/many.h"
#include "unit/random.h"

static const uint8_t message_kinds[] = {
#define KIND(name, number, snake) (number),
    ISO_MESSAGE_KIND_LIST(KIND)
#undef KIND
};
#define MESSAGE_KIND_COUNT (sizeof(message_kinds) / sizeof(message_kinds[0]))

static const uint8_t command_kinds[] = {
#define KIND(name, number, snake, worlds) (number),
    ISO_COMMAND_KIND_LIST(KIND)
#undef KIND
};
#define COMMAND_KIND_COUNT (sizeof(command_kinds) / sizeof(command_kinds[0]))

/// The arrays that a message of test_message_make points to.
typedef struct test_storage {
    iso_command commands[ISO_INPUT_COMMANDS_MAX];
    iso_change changes[ISO_TICK_CHANGES_MAX];
    iso_member_result results[ISO_STATUS_RESULTS_MAX];
    iso_sealed_command sealed[ISO_TICK_COMMANDS_MAX];
    uint8_t chunk[ISO_SNAPSHOT_CHUNK_SIZE];
    iso_session_info sessions[ISO_SESSION_LIST_MAX];
    iso_member members[ISO_MEMBERS_MAX + 1];
    iso_name names[ISO_NAMES_MAX + 1];
    char name_texts[ISO_NAMES_MAX + 1][ISO_NAME_MAX + 2];
} test_storage;

/// Of random width, so that short and long varints both come up.
static inline uint64_t random_below(uint64_t *state, uint64_t end) {
    uint64_t value = random_u64(state) >> (random_u64(state) & 63);
    return value < end ? value : value % end;
}

static inline uint32_t random_u32(uint64_t *state) {
    return (uint32_t)random_below(state, UINT64_C(1) << 32);
}

static inline int64_t random_within(uint64_t *state, int64_t max) {
    int64_t value = (int64_t)random_below(state, (uint64_t)max + 1);
    return random_u64(state) & 1 ? -value : value;
}

static inline int32_t random_fix(uint64_t *state, int32_t max_whole) {
    return (int32_t)random_within(state, (int64_t)max_whole * 65536);
}

static inline iso_vec2 random_vec(uint64_t *state, int32_t max_whole) {
    return (iso_vec2){random_fix(state, max_whole), random_fix(state, max_whole)};
}

static inline int64_t random_wide(uint64_t *state) {
    return random_within(state, (int64_t)ISO_IMPULSE_MAX << 32);
}

static inline iso_vec2_wide random_vec_wide(uint64_t *state, int64_t max_whole) {
    const iso_wide x = random_within(state, max_whole << 32);
    return (iso_vec2_wide){x, random_within(state, max_whole << 32)};
}

/// Any components, or such as moments of inertia have.
static inline iso_vec3_wide random_vec3_wide(uint64_t *state) {
    const iso_wide x = random_wide(state), y = random_wide(state), z = random_wide(state);
    const iso_wide most = x < 0 ? -x : x;
    return random_u64(state) % 2 == 0 ? (iso_vec3_wide){x, y, z} : (iso_vec3_wide){most / 2 + most / 3, most, most};
}

static inline uint64_t random_tick(uint64_t *state) {
    return random_below(state, ISO_TICK_END);
}

static inline void random_bytes(uint64_t *state, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)random_u64(state);
    }
}

/// Text of at most capacity - 1 bytes, some of it beyond ASCII.
static inline void random_text(uint64_t *state, char *text, size_t capacity, bool empty_too) {
    memset(text, 0, capacity);
    size_t length = (size_t)(random_u64(state) % capacity);
    length += length == 0 && !empty_too ? 1 : 0;
    size_t at = 0;
    while (at < length) {
        if (at + 2 <= length && random_u64(state) % 8 == 0) {
            memcpy(text + at, "\xC3\xA9", 2);
            at += 2;
        } else {
            text[at++] = (char)(0x20 + random_u64(state) % 0x5F);
        }
    }
}

static inline iso_filter random_filter(uint64_t *state) {
    return (iso_filter){
        .category = random_u32(state),
        .mask = random_u32(state),
        .group = (int32_t)random_within(state, INT32_MAX),
    };
}

static inline iso_body_def random_body_def(uint64_t *state) {
    return (iso_body_def){
        .type = (uint8_t)(1 + random_u64(state) % 3),
        .position = random_vec_wide(state, ISO_POSITION_MAX_M),
        .angle = random_wide(state),
        .velocity = random_vec_wide(state, 500),
        .angular_velocity = random_within(state, INT64_C(500) << 32),
        .tag = random_u32(state),
        .owner = {.generation = 0, .slot = ISO_OWNER_NOBODY},
    };
}

/// A circle, a capsule, or an octagon of some size with some corners left out.
static inline iso_shape_def random_shape_def(uint64_t *state) {
    static const int32_t corners[8][2] = {{10, 4},   {4, 10},   {-4, 10}, {-10, 4},
                                          {-10, -4}, {-4, -10}, {4, -10}, {10, -4}};
    iso_shape_def def = {
        .density = 1 + (int32_t)random_below(state, 1000 * 65536),
        .friction = (int32_t)random_below(state, 7 * 65536),
        .restitution = (int32_t)random_below(state, 65537),
        .surface_speed = (int32_t)random_below(state, 80 * 65536 + 1) - 40 * 65536,
        .one_way = random_vec(state, 1),
        .is_sensor = random_below(state, 2) == 1,
        .filter = random_filter(state),
        .tag = random_u32(state),
    };
    const uint64_t pick = random_u64(state) % 5;
    if (pick == 4) {
        def.kind = ISO_SHAPE_SEGMENT;
        for (int i = 0; i < 4; ++i) {
            def.segment[i] = (iso_vec2_wide){((int64_t)random_below(state, 60) - 30) * ISO_WIDE_ONE + i,
                                             (i * 3) * ISO_WIDE_ONE - (int64_t)random_below(state, 999)};
        }
        return def;
    }
    if (pick == 0) {
        def.kind = ISO_SHAPE_CAPSULE;
        def.point_count = 2;
        def.radius = 66 + (int32_t)random_below(state, 65536);
        def.points[0] = random_vec(state, 5);
        def.points[1] = (iso_vec2){def.points[0].x + 1 + (int32_t)random_below(state, 65536), def.points[0].y};
        if (random_below(state, 2) == 1) { // the sides are at least as long as 0.001 m
            def.points[1].y += 66 + (int32_t)random_below(state, 65536);
            def.radius_b = def.radius + def.points[1].x - def.points[0].x;
        }
        return def;
    }
    if (pick == 1) {
        def.kind = ISO_SHAPE_CIRCLE;
        def.point_count = 1;
        def.radius = 655 + (int32_t)random_below(state, 10 * 65536);
        def.points[0] = random_vec(state, 5);
        return def;
    }
    int32_t scale = 650 + (int32_t)(random_u64(state) % 100000);
    def.kind = ISO_SHAPE_POLYGON;
    def.radius = random_u64(state) % 2 == 0 ? 0 : 6554;
    uint32_t step = random_u64(state) % 2 == 0 ? 1 : 2;
    for (uint32_t i = 0; i < 8; i += step) {
        def.points[def.point_count++] = (iso_vec2){corners[i][0] * scale / 4, corners[i][1] * scale / 4};
    }
    return def;
}

static inline iso_joint_def random_joint_def(uint64_t *state) {
#define RANDOM_KIND(name, number, snake, has) (number),
    static const uint8_t kinds[] = {ISO_JOINT_KIND_LIST(RANDOM_KIND)};
#undef RANDOM_KIND
    iso_joint_def def = {
        .kind = kinds[random_below(state, sizeof kinds)],
        .body_a = {random_u32(state) % 1000, 1},
        .body_b = {1000 + random_u32(state) % 1000, 3},
        .anchor_a = random_vec(state, 50),
        .anchor_b = random_vec(state, 50),
        .tag = random_u32(state),
        .owner = {.generation = 0, .slot = ISO_OWNER_NOBODY},
    };
    const uint32_t has = iso_joint_kind_has(def.kind);
#define RANDOM_SWITCH(name, bit) def.name = random_u64(state) % 2 == 0;
    ISO_JOINT_SWITCH_LIST(RANDOM_SWITCH)
#undef RANDOM_SWITCH
#define RANDOM_ONE_FIX16 65536
#define RANDOM_ONE_WIDE  (INT64_C(1) << 32)
#define RANDOM_NUMBER(type, name, low, high) \
    def.name = (low < 0 ? -5 : 0) * RANDOM_ONE_##type + (int32_t)random_below(state, 5 * 65536);
    ISO_JOINT_NUMBER_LIST(RANDOM_NUMBER)
#undef RANDOM_NUMBER
    def.upper += 10 * 65536;
    def.ratio = def.ratio < 0 ? def.ratio - 65536 : def.ratio + 65536;
    def.ratchet = def.ratchet < 0 ? def.ratchet - 65536 : def.ratchet + 65536;
    def.axis = (iso_vec2){65536 + (fix16_t)random_below(state, 65536), -(fix16_t)random_below(state, 65536)};
    def.collide_connected = def.collide_connected && (has & ISO_JOINT_IS_PASSIVE) == 0;
    def.limit_enabled = def.limit_enabled && (has & ISO_JOINT_HAS_LIMIT) != 0;
    def.motor_enabled = def.motor_enabled && (has & ISO_JOINT_HAS_MOTOR) != 0;
    def.spring_enabled = def.spring_enabled && (has & ISO_JOINT_HAS_SPRING) != 0;
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        def.rest += 5 * 65536;
        def.lower += 5 * 65536;
    }
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        def.body_c = (iso_body_id){2000 + random_u32(state) % 1000, 5};
        def.body_d = (iso_body_id){3000 + random_u32(state) % 1000, 7};
        def.anchor_c = random_vec(state, 50);
        def.anchor_d = random_vec(state, 50);
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX && (has & ISO_JOINT_IS_CUSTOM) != 0; ++i) {
        def.constraint = random_u32(state);
        def.params.vectors[i][0] = (iso_wide)random_u64(state);
        def.params.vectors[i][1] = (iso_wide)random_u64(state);
        def.params.scalars[i] = (iso_wide)random_u64(state);
    }
    if ((has & ISO_JOINT_HAS_TARGET) != 0) {
        def.body_a = (iso_body_id){0, 0};
        def.anchor_a = (iso_vec2){0, 0};
        def.target = random_vec_wide(state, 1000);
    }
    return def;
}

static inline iso_body_params random_body_params(uint64_t *s) {
    iso_body_params params;
#define RANDOM_NUMBER(name, low, high, otherwise) \
    params.name = (low)*65536 + (fix16_t)random_below(s, ((high) - (low)) * UINT64_C(65536));
#define RANDOM_SWITCH(name, bit, key) params.name = random_u64(s) % 2 == 0;
    ISO_BODY_NUMBER_LIST(RANDOM_NUMBER)
    ISO_BODY_SWITCH_LIST(RANDOM_SWITCH)
#undef RANDOM_NUMBER
#undef RANDOM_SWITCH
    return params;
}

/// @name A random argument, by its type
/// @{
#define RANDOM_ID(name)        c->name.index = random_u32(s), c->name.generation = random_u32(s) | 1
#define RANDOM_BODY(name)      RANDOM_ID(name)
#define RANDOM_COMPOUND(name)  RANDOM_ID(name)
#define RANDOM_BLUEPRINT(name) c->name = random_u32(s)
#define RANDOM_SHAPE(name)     RANDOM_ID(name)
#define RANDOM_JOINT(name)     RANDOM_ID(name)
#define RANDOM_BOOL(name)      c->name = random_u64(s) % 2 == 0
#define RANDOM_U32(name)       c->name = random_u32(s)
#define RANDOM_FIX16(name)     c->name = random_fix(s, 6)
#define RANDOM_WIDE(name)      c->name = random_wide(s)
#define RANDOM_VEC2(name)      c->name = random_vec(s, 500)
#define RANDOM_VEC2_WIDE(name)         \
    c->name = (iso_vec2_wide) {        \
        random_wide(s), random_wide(s) \
    }
#define RANDOM_FILTER(name)      c->name = random_filter(s)
#define RANDOM_BODY_TYPE(name)   c->name = (uint8_t)(1 + random_u64(s) % 3)
#define RANDOM_BODY_PARAMS(name) c->name = random_body_params(s)
#define RANDOM_BODY_DEF(name)    c->name = random_body_def(s)
#define RANDOM_SHAPE_DEF(name)   c->name = random_shape_def(s)
#define RANDOM_JOINT_DEF(name)   c->name = random_joint_def(s)
#define RANDOM_VEC3(name)                                          \
    c->name = (iso_vec3) {                                         \
        random_fix(s, 500), random_fix(s, 500), random_fix(s, 500) \
    }
#define RANDOM_VEC3_WIDE(name)    c->name = random_vec3_wide(s)
#define RANDOM_QUAT(name)         c->name = random3_quat(s)
#define RANDOM_BODY3_PARAMS(name) c->name = random3_body_params(s)
#define RANDOM_BODY3_DEF(name)    c->name = random3_body_def(s)
#define RANDOM_SHAPE3_DEF(name)   c->name = random3_shape_def(s)
#define RANDOM_JOINT3_DEF(name)   c->name = random3_joint_def(s)
#define RANDOM_JOINT3_AXIS(name)  c->name = random3_joint_axis(s, ISO_JOINT3_AXIS_ANGLE)
#define RANDOM_BLOCK(name) \
    c->size = (__typeof__(c->size))(random_u64(s) % (sizeof c->name + 1)), random_bytes(s, c->name, c->size)
#define RANDOM_CONTROL(name) RANDOM_BLOCK(name)
#define RANDOM_PAYLOAD(name) RANDOM_BLOCK(name)

#define RANDOM_ARG(type, name, wire, bound, unit) RANDOM_##type(name);
#define RANDOM_KIND(NAME, number, snake, worlds)                             \
    static inline void random_##snake(uint64_t *s, iso_command_##snake *c) { \
        ISO_COMMAND_##snake##_ARGS(RANDOM_ARG)                               \
    }
ISO_COMMAND_KIND_LIST(RANDOM_KIND)
#undef RANDOM_KIND
#undef RANDOM_ARG
/// @}

/// A command of the given kind that passes iso_command_check: drawn until its numbers are in range.
static inline iso_command random_command(uint64_t *s, uint8_t kind) {
    iso_command c;
    for (int tries = 0; tries < 10000; ++tries) {
        memset(&c, 0, sizeof(c));
        c.kind = kind;
        switch ((iso_command_kind)kind) {
#define RANDOM_CASE(NAME, number, snake, worlds) \
    case ISO_COMMAND_##NAME:                     \
        random_##snake(s, &c.as.snake);          \
        break;
            ISO_COMMAND_KIND_LIST(RANDOM_CASE)
#undef RANDOM_CASE
        }
        if (iso_command_check(&c) == ISO_OK) {
            return c;
        }
    }
    fail_msg("no random %s is in range", iso_command_kind_name(kind));
    return c;
}

static inline iso_command random_any_command(uint64_t *s) {
    return random_command(s, command_kinds[random_u64(s) % COMMAND_KIND_COUNT]);
}

static inline iso_fingerprint random_fingerprint(uint64_t *s) {
    iso_fingerprint f;
    memset(&f, 0, sizeof(f));
    f.simulation_version = random_u32(s);
    f.schema = random_u64(s);
    f.arithmetic = random_u64(s);
    f.game_version = random_u32(s);
    f.game_params = random_u64(s);
    random_text(s, f.game, sizeof(f.game), true);
    return f;
}

static inline void random_input(uint64_t *s, test_storage *storage, iso_message_input *m) {
    m->command_count = (uint32_t)(random_u64(s) % 9);
    m->target_tick = random_tick(s);
    m->first_sequence = m->command_count > 0 ? 1 + random_below(s, ISO_TICK_END - 100) : 0;
    m->ack_tick = random_tick(s);
    m->commands = storage->commands;
    for (uint32_t i = 0; i < m->command_count; ++i) {
        storage->commands[i] = random_any_command(s);
    }
}

static inline void random_tick_message(uint64_t *s, test_storage *storage, iso_message_tick *m) {
    m->epoch = random_u32(s);
    m->tick = 1 + random_below(s, ISO_TICK_END - 1);
    m->hashed_tick = m->tick - random_u64(s) % 2;
    m->root = random_u64(s);
    m->change_count = (uint32_t)(random_u64(s) % 5);
    m->command_count = (uint32_t)(random_u64(s) % 20);
    m->changes = storage->changes;
    m->commands = storage->sealed;
    for (uint32_t i = 0; i < m->change_count; ++i) {
        storage->changes[i] = (iso_change){
            .kind = (uint8_t)(1 + random_u64(s) % 4),
            .slot = (uint8_t)(random_u64(s) % ISO_SLOT_COUNT_MAX),
            .slot_generation = random_u32(s),
        };
    }
    for (uint32_t i = 0; i < m->command_count; ++i) {
        storage->sealed[i].slot = (uint8_t)(random_u64(s) % ISO_SLOT_COUNT_MAX);
        storage->sealed[i].sequence = 1 + random_below(s, ISO_TICK_END - 1);
        storage->sealed[i].moved = (uint8_t)random_u64(s);
        storage->sealed[i].command = random_any_command(s);
    }
}

static inline void random_hello(uint64_t *s, iso_message_hello *m) {
    m->protocol_min = 1 + random_u32(s) / 2;
    m->protocol_max = m->protocol_min + random_u32(s) / 2;
    m->role = (uint8_t)(1 + random_u64(s) % 2);
    m->compressions = random_u32(s) | 1;
    m->fingerprint = random_fingerprint(s);
    random_text(s, m->session, sizeof(m->session), false);
    random_text(s, m->member, sizeof(m->member), true);
    random_text(s, m->build, sizeof(m->build), true);
    m->has_resume = random_u64(s) % 2 == 0;
    if (m->has_resume) {
        random_bytes(s, m->resume.uid, sizeof(m->resume.uid));
        random_bytes(s, m->resume.secret, sizeof(m->resume.secret));
        m->resume.slot = (uint8_t)(random_u64(s) % 32);
        m->resume.slot_generation = random_u32(s);
        m->resume.epoch = random_u32(s);
        m->resume.tick = random_tick(s);
        m->resume.root = random_u64(s);
    }
    m->features = random_u32(s);
    random_text(s, m->password, sizeof(m->password), true);
}

static inline void random_welcome(uint64_t *s, iso_message_welcome *m) {
    m->protocol = 1 + random_u32(s) / 2;
    random_text(s, m->session, sizeof(m->session), true);
    random_bytes(s, m->uid, sizeof(m->uid));
    m->epoch = random_u32(s);
    m->role = (uint8_t)(1 + random_u64(s) % 2);
    m->slot = m->role == ISO_ROLE_PLAYER ? (uint8_t)(random_u64(s) % 32) : ISO_SLOT_NONE;
    m->tick = random_tick(s);
    m->tick_rate_hz = (uint16_t)(1 + random_below(s, 65535));
    m->limits = (iso_member_limits){random_u32(s), random_u32(s), random_u32(s), random_u32(s), random_u32(s)};
    m->scene_hash = random_u64(s);
    m->fingerprint = random_fingerprint(s);
    random_text(s, m->control_layout, sizeof(m->control_layout), true);
    if (m->role == ISO_ROLE_PLAYER) {
        random_bytes(s, m->secret, sizeof(m->secret));
    }
    m->hold_ms = random_u32(s);
    m->late_policy = (uint8_t)(1 + random_u64(s) % 3);
    m->state = (uint8_t)(1 + random_u64(s) % 5);
    m->resumed = (uint8_t)(1 + random_u64(s) % 4);
    m->last_sequence = random_tick(s);
    m->slot_generation = random_u32(s);
    m->silence_ms = random_u32(s);
    m->features = random_u32(s);
}

static inline void random_session_list(uint64_t *s, test_storage *storage, iso_message_session_list *m) {
    m->sessions = storage->sessions;
    m->count = (uint32_t)(random_u64(s) % 4 == 0 ? ISO_SESSION_LIST_MAX : random_u64(s) % 4);
    for (uint32_t i = 0; i < m->count; ++i) {
        iso_session_info *info = &storage->sessions[i];
        memset(info, 0, sizeof(*info));
        random_text(s, info->name, sizeof(info->name), false);
        info->state = (uint8_t)(1 + random_u64(s) % 5);
        info->members = random_u32(s);
        info->slots = random_u32(s);
        info->spectators = random_u32(s);
        info->tick = random_tick(s);
        info->tick_rate_hz = (uint16_t)(1 + random_below(s, 65535));
        random_text(s, info->game, sizeof(info->game), true);
    }
}

/// Some places of the list, or all.
static inline void random_members(uint64_t *s, test_storage *storage, iso_message_members *m) {
    *m = (iso_message_members){random_u64(s) % 2 == 0, random_u32(s), storage->members, 0};
    const bool all = random_u64(s) % 4 == 0;
    for (uint32_t i = 0; i < ISO_MEMBERS_MAX; ++i) {
        if (!all && random_u64(s) % 16 != 0) {
            continue;
        }
        const bool player = i < ISO_SLOT_COUNT_MAX;
        iso_member *member = &storage->members[m->count++];
        memset(member, 0, sizeof(*member));
        member->role = player ? ISO_ROLE_PLAYER : ISO_ROLE_SPECTATOR;
        member->slot = (uint8_t)(player ? i : i - ISO_SLOT_COUNT_MAX);
        member->presence = (uint8_t)(1 + random_u64(s) % 3);
        member->slot_generation = random_u32(s);
        random_text(s, member->name, sizeof(member->name), true);
    }
}

/// None, some or as many as there may be, of bodies, then of joints.
static inline void random_names(uint64_t *s, test_storage *storage, iso_message_names *m) {
    *m = (iso_message_names){storage->names, (uint32_t)random_below(s, ISO_NAMES_MAX + 1), random_u32(s)};
    m->count = random_u64(s) % 4 == 0 ? ISO_NAMES_MAX : m->count;
    const uint32_t bodies = (uint32_t)random_below(s, m->count + 1);
    uint32_t index = 0;
    size_t left = ISO_NAMES_TEXT_MAX;
    for (uint32_t i = 0; i < m->count; ++i) {
        index = i == bodies ? 0 : index;
        index += (uint32_t)random_below(s, 1000);
        char *text = storage->name_texts[i];
        const size_t most = left - (m->count - i - 1) < ISO_NAME_MAX ? left - (m->count - i - 1) : ISO_NAME_MAX;
        const size_t size = 1 + (size_t)random_below(s, most);
        memset(text, 'a' + (int)(i % 26), size);
        text[size] = 0;
        left -= size;
        storage->names[i] = (iso_name){i < bodies ? ISO_NAMED_BODY : ISO_NAMED_JOINT, index++, text};
    }
}

static inline void random_snapshot_begin(uint64_t *s, iso_message_snapshot_begin *m) {
    m->tick = random_tick(s);
    m->epoch = random_u32(s);
    m->compression = (uint8_t)(1 + random_u64(s) % 2);
    m->size = 1 + (uint32_t)random_below(s, ISO_SNAPSHOT_SIZE_MAX);
    m->raw_size =
        m->compression == ISO_COMPRESSION_NONE ? m->size : 1 + (uint32_t)random_below(s, ISO_SNAPSHOT_SIZE_MAX);
    m->chunk_size = 1 + (uint32_t)random_below(s, ISO_SNAPSHOT_CHUNK_SIZE);
    m->chunk_count = (m->size + m->chunk_size - 1) / m->chunk_size;
    m->root = random_u64(s);
}

/// A valid message of the given kind with random content.
static inline iso_message random_message(uint64_t *s, uint8_t kind, test_storage *storage) {
    iso_message m;
    memset(&m, 0, sizeof(m));
    m.kind = kind;
    uint8_t slot = random_u64(s) % 4 == 0 ? ISO_SLOT_NONE : (uint8_t)(random_u64(s) % 32);
    switch ((iso_message_kind)kind) {
    case ISO_MESSAGE_INPUT:
        random_input(s, storage, &m.as.input);
        break;
    case ISO_MESSAGE_TICK:
        random_tick_message(s, storage, &m.as.tick);
        break;
    case ISO_MESSAGE_STATUS:
        m.as.status = (iso_message_status){random_tick(s),
                                           random_tick(s),
                                           (int32_t)random_within(s, INT32_MAX),
                                           random_tick(s),
                                           random_tick(s),
                                           storage->results,
                                           (uint32_t)random_below(s, ISO_STATUS_RESULTS_MAX + 1),
                                           random_u32(s) % 2 == 1};
        for (uint32_t i = 0; i < m.as.status.result_count; ++i) {
            storage->results[i] = (iso_member_result){random_tick(s), -(iso_status)random_below(s, 8), random_u64(s)};
        }
        break;
    case ISO_MESSAGE_PING:
        m.as.ping = (iso_message_ping){random_u32(s), random_u64(s)};
        break;
    case ISO_MESSAGE_PONG:
        m.as.pong = (iso_message_pong){random_u32(s), random_u64(s), random_tick(s), (uint8_t)random_u64(s)};
        break;
    case ISO_MESSAGE_CONFIRM:
        m.as.confirm = (iso_message_confirm){random_tick(s), random_u64(s)};
        break;
    case ISO_MESSAGE_REJECT:
        m.as.reject.sequence = random_tick(s);
        m.as.reject.code = ISO_ERR_RATE;
        random_text(s, m.as.reject.detail, sizeof(m.as.reject.detail), true);
        break;
    case ISO_MESSAGE_HELLO:
        random_hello(s, &m.as.hello);
        break;
    case ISO_MESSAGE_WELCOME:
        random_welcome(s, &m.as.welcome);
        break;
    case ISO_MESSAGE_REFUSAL:
        m.as.refusal.code = ISO_ERR_FINGERPRINT;
        random_text(s, m.as.refusal.text, sizeof(m.as.refusal.text), true);
        random_text(s, m.as.refusal.expected, sizeof(m.as.refusal.expected), true);
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        random_snapshot_begin(s, &m.as.snapshot_begin);
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        m.as.snapshot_chunk = (iso_message_snapshot_chunk){random_u32(s), storage->chunk,
                                                           1 + (uint32_t)random_below(s, ISO_SNAPSHOT_CHUNK_SIZE)};
        random_bytes(s, storage->chunk, m.as.snapshot_chunk.size);
        break;
    case ISO_MESSAGE_SNAPSHOT_ACK:
        m.as.snapshot_ack.index = random_u32(s);
        break;
    case ISO_MESSAGE_CAUGHT_UP:
        m.as.caught_up = (iso_message_caught_up){random_tick(s), random_u64(s)};
        break;
    case ISO_MESSAGE_ACTIVATE:
        m.as.activate = (iso_message_activate){slot, random_u32(s), random_tick(s)};
        break;
    case ISO_MESSAGE_LEAVE:
        break;
    case ISO_MESSAGE_BYE:
        m.as.bye.code = random_u64(s) % 2 == 0 ? ISO_OK : ISO_ERR_SHUTDOWN;
        random_text(s, m.as.bye.text, sizeof(m.as.bye.text), true);
        break;
    case ISO_MESSAGE_REWIND:
        m.as.rewind = (iso_message_rewind){random_tick(s), random_u64(s), random_u32(s)};
        break;
    case ISO_MESSAGE_REWIND_ANSWER:
        m.as.rewind_answer.is_restored = random_u64(s) % 2 == 0;
        break;
    case ISO_MESSAGE_STATE_NOTICE:
        m.as.state_notice = (iso_message_state_notice){(uint8_t)(1 + random_u64(s) % 5), random_tick(s),
                                                       (uint8_t)(1 + random_u64(s) % 3), ISO_ERR_DESYNC};
        break;
    case ISO_MESSAGE_NOTICE:
        random_text(s, m.as.notice.text, sizeof(m.as.notice.text), false);
        m.as.notice.deadline_ms = random_u32(s);
        break;
    case ISO_MESSAGE_LIST:
        break;
    case ISO_MESSAGE_SESSION_LIST:
        random_session_list(s, storage, &m.as.session_list);
        break;
    case ISO_MESSAGE_MEMBERS:
        random_members(s, storage, &m.as.members);
        break;
    case ISO_MESSAGE_NAMES:
        random_names(s, storage, &m.as.names);
        break;
    case ISO_MESSAGE_DESYNC_REPORT:
        m.as.desync_report = (iso_message_desync_report){random_tick(s), random_u64(s)};
        break;
    case ISO_MESSAGE_DESYNC_NOTICE:
        m.as.desync_notice = (iso_message_desync_notice){slot, random_tick(s), random_u64(s), random_u64(s),
                                                         (uint8_t)(1 + random_u64(s) % 4)};
        break;
    }
    return m;
}

#endif
