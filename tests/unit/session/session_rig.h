/// A session with hand-made peers: what the session's tests share.
///
/// The rig plays the host: it feeds events, carries out every action at once and keeps what was sent. Its
/// recorder answers only when a test says so, or always with `auto_write`.
#ifndef ISO_TESTS_SESSION_RIG_H
#define ISO_TESTS_SESSION_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "session.h"

#define RIG_SEEN_MAX  8192u
#define RIG_START_NS  UINT64_C(1000000007) // not a whole number of anything
#define RIG_RUN       65536u               // the first run; the secrets that it gives are numbered from it on
#define RIG_SECOND_NS UINT64_C(1000000000)

/// One action as it was given; pointers of a TICK lead into the rig's own copies.
typedef struct rig_seen {
    uint8_t kind;
    uint64_t connection; // SEND: one entry per recipient; CLOSE
    uint32_t recipients;
    iso_status status;
    uint64_t tick, root;
    iso_message message;
    iso_recording_event event;
    iso_session_note note;
    size_t size;
    uint64_t origin; // HOLD
    bool is_held;
} rig_seen;

typedef struct rig {
    iso_session *session;
    iso_world *world;
    void *memory;
    iso_session_config config;
    iso_fingerprint fingerprint;
    uint64_t now_ns;
    bool writes_itself, encodes_itself;
    uint64_t encode_tick; // of the last ENCODE_SNAPSHOT
    const uint8_t *encode_bytes;
    size_t encode_size;
    rig_seen seen[RIG_SEEN_MAX];
    uint32_t seen_count;
    void *copies[2u * RIG_SEEN_MAX];
    uint32_t copy_count;
    uint32_t allocations_left; // before the next one fails
    int64_t allocated;         // blocks that are out
} rig;

/// The default, but it runs on without players.
static inline iso_session_config rig_config(void) {
    iso_session_config config = iso_session_config_default();
    config.empty_policy = ISO_EMPTY_RUN;
    return config;
}

/// A keyed hash that nobody should use: enough to tell one input from another.
static inline void rig_secret(void *user, const uint8_t *bytes, size_t size, uint8_t *secret) {
    uint64_t hash = (uint64_t)(uintptr_t)user + UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < ISO_SECRET_SIZE; ++i) {
        for (size_t k = 0; k < size; ++k) {
            hash = (hash ^ bytes[k]) * UINT64_C(1099511628211);
        }
        secret[i] = (uint8_t)(hash >> 32);
    }
}

/// Runs on without players, and members may come back.
static inline iso_session_config rig_config_resume(void) {
    iso_session_config config = rig_config();
    config.secret = rig_secret;
    config.run = RIG_RUN;
    return config;
}

static inline void *rig_allocate(void *user, size_t size, size_t alignment) {
    rig *r = user;
    if (r->allocations_left == 0) {
        return NULL;
    }
    r->allocations_left -= 1;
    r->allocated += 1;
    return iso_heap_allocate(NULL, size, alignment);
}

static inline void rig_release(void *user, void *memory, size_t size) {
    rig *r = user;
    r->allocated -= 1;
    iso_heap_release(NULL, memory, size);
}

static inline void *rig_copy(rig *r, const void *bytes, size_t size) {
    if (size == 0) {
        return NULL;
    }
    assert_true(r->copy_count < 2u * RIG_SEEN_MAX);
    void *copy = malloc(size);
    memcpy(copy, bytes, size);
    r->copies[r->copy_count++] = copy;
    return copy;
}

static inline iso_world_def rig_world_def(void) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = 64;
    def.shape_capacity = 64;
    def.joint_capacity = 16;
    def.contact_capacity = 4096; // so that a snapshot may have several chunks
    def.slot_capacity = 4;
    memcpy(def.game, "sandbox", 7);
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox.params[i].value;
    }
    return def;
}

/// Makes the world of a rig in space: a body that everybody may command, in the game for such worlds.
static inline void rig_make_space(rig *r) {
    iso_world_def def = rig_world_def();
    def.dimensions = 3;
    memset(def.game, 0, sizeof def.game);
    memset(def.game_params, 0, sizeof def.game_params);
    memcpy(def.game, "sandbox3", 8);
    for (uint32_t i = 0; i < iso_game_sandbox3.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox3.params[i].value;
    }
    const size_t size = iso_world_size(&def, &iso_game_sandbox3);
    r->memory = aligned_alloc(64, size);
    assert_int_equal(iso_world_create(&def, &iso_game_sandbox3, r->memory, size, &r->world), ISO_OK);
    iso_fingerprint_make(&def, &iso_game_sandbox3, &r->fingerprint);
    iso_body3_def box = iso_body3_def_default();
    box.owner.slot = ISO_OWNER_EVERYONE;
    const iso_shape3_def shape_def = iso_shape3_def_sphere(ISO_FIX16_ONE);
    iso_body_id body;
    iso_shape_id shape;
    assert_int_equal(iso_body3_create(r->world, &box, &body), ISO_OK);
    assert_int_equal(iso_shape3_create(r->world, body, &shape_def, &shape), ISO_OK);
    iso_world_start(r->world);
}

static inline void rig_make_world(rig *r) {
    const iso_world_def def = rig_world_def();
    const size_t size = iso_world_size(&def, &iso_game_sandbox);
    r->memory = aligned_alloc(64, size);
    assert_int_equal(iso_world_create(&def, &iso_game_sandbox, r->memory, size, &r->world), ISO_OK);
    iso_fingerprint_make(&def, &iso_game_sandbox, &r->fingerprint);

    iso_body_def ground = iso_body_def_default();
    ground.type = ISO_BODY_STATIC;
    iso_body_id body;
    iso_shape_id shape;
    const iso_shape_def floor = iso_shape_def_box(20 * ISO_FIX16_ONE, ISO_FIX16_ONE);
    assert_int_equal(iso_body_create(r->world, &ground, &body), ISO_OK);
    assert_int_equal(iso_shape_create(r->world, body, &floor, &shape), ISO_OK);
    iso_body_def box = iso_body_def_default();
    box.position.y = 4 * ISO_WIDE_ONE;
    box.owner.slot = ISO_OWNER_EVERYONE;
    const iso_shape_def box_shape = iso_shape_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
    assert_int_equal(iso_body_create(r->world, &box, &body), ISO_OK);
    assert_int_equal(iso_shape_create(r->world, body, &box_shape, &shape), ISO_OK);
    iso_world_start(r->world);
}

static inline void rig_drain(rig *r);

static inline void rig_handle(rig *r, iso_session_event event) {
    iso_session_handle(r->session, r->now_ns, &event);
    rig_drain(r);
}

/// What is to be recorded of a tick is the same as bytes and as structs.
static inline void rig_check_record(const iso_session_action *action) {
    static uint8_t frames[2][ISO_RECORDING_TICK_FRAME_MAX];
    iso_recording_chain chains[2] = {{ISO_RECORDING_VERSION, 1}, {ISO_RECORDING_VERSION, 1}};
    const iso_recording_tick tick = {
        .input = *action->input, .has_root = true, .hashed_tick = action->tick, .root = action->root};
    assert_int_equal(tick.input.tick, action->tick);
    const size_t size = iso_recording_encode_tick(&tick, &chains[0], frames[0], sizeof frames[0]);
    assert_true(size > 0);
    assert_int_equal(iso_recording_encode_sealed_tick(&tick, action->bytes, action->byte_count, &chains[1], frames[1],
                                                      sizeof frames[1]),
                     size);
    assert_memory_equal(frames[0], frames[1], size);
}

static inline void rig_see(rig *r, const iso_session_action *action, uint64_t connection) {
    assert_true(r->seen_count < RIG_SEEN_MAX);
    rig_seen *seen = &r->seen[r->seen_count++];
    *seen = (rig_seen){.kind = action->kind,
                       .connection = connection,
                       .recipients = action->connection_count,
                       .status = action->status,
                       .tick = action->tick,
                       .root = action->root,
                       .size = action->byte_count,
                       .origin = action->origin,
                       .is_held = action->is_held};
    if (action->event != NULL) {
        seen->event = *action->event;
    }
    if (action->note != NULL) {
        seen->note = *action->note;
    }
    if (action->input != NULL) {
        rig_check_record(action);
        const iso_tick_input *input = action->input;
        iso_message_tick *tick = &seen->message.as.tick;
        tick->tick = input->tick;
        tick->change_count = input->change_count;
        tick->command_count = input->command_count;
        tick->changes = rig_copy(r, input->changes, input->change_count * sizeof *input->changes);
        tick->commands = rig_copy(r, input->commands, input->command_count * sizeof *input->commands);
    }
    if (action->message == NULL) {
        return;
    }
    seen->message = *action->message;
    if (action->message->kind == ISO_MESSAGE_TICK) {
        iso_message_tick *tick = &seen->message.as.tick;
        tick->changes = rig_copy(r, tick->changes, tick->change_count * sizeof *tick->changes);
        tick->commands = rig_copy(r, tick->commands, tick->command_count * sizeof *tick->commands);
    }
    if (action->message->kind == ISO_MESSAGE_STATUS) {
        iso_message_status *status = &seen->message.as.status;
        status->results = rig_copy(r, status->results, status->result_count * sizeof *status->results);
    }
    if (action->message->kind == ISO_MESSAGE_MEMBERS) {
        iso_message_members *members = &seen->message.as.members;
        members->members = rig_copy(r, members->members, members->count * sizeof *members->members);
    }
    if (action->message->kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
        iso_message_snapshot_chunk *chunk = &seen->message.as.snapshot_chunk;
        chunk->bytes = rig_copy(r, chunk->bytes, chunk->size);
    }
}

/// "Compressed" bytes are the plain ones: the session does not look into them.
static inline void rig_answer_encode(rig *r) {
    uint8_t *bytes = malloc(r->encode_size);
    memcpy(bytes, r->encode_bytes, r->encode_size);
    const size_t size = r->encode_size;
    r->encode_bytes = NULL;
    rig_handle(
        r, (iso_session_event){
               .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED, .tick = r->encode_tick, .bytes = bytes, .byte_count = size});
    free(bytes);
}

static inline void rig_drain(rig *r) {
    iso_session_action action;
    uint64_t written = 0;
    while (iso_session_next_action(r->session, &action)) {
        if (action.kind == ISO_SESSION_ACTION_SEND) {
            assert_true(action.connection_count > 0);
            for (uint32_t i = 0; i < action.connection_count; ++i) {
                rig_see(r, &action, action.connections[i]);
            }
        } else {
            rig_see(r, &action, action.kind == ISO_SESSION_ACTION_CLOSE ? action.connections[0] : 0);
        }
        if (action.kind == ISO_SESSION_ACTION_ENCODE_SNAPSHOT) {
            r->encode_tick = action.tick;
            r->encode_bytes = action.bytes;
            r->encode_size = action.byte_count;
        }
        if (action.kind == ISO_SESSION_ACTION_RECORD_TICK) {
            written = action.tick;
        }
    }
    if (r->encodes_itself && r->encode_bytes != NULL) {
        rig_answer_encode(r);
    }
    if (r->writes_itself && written != 0) {
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = written});
    }
}

/// @param make_world  rig_make_world or rig_make_space
static inline rig *rig_create_with(const iso_session_config *config, void (*make_world)(rig *r)) {
    rig *r = calloc(1, sizeof *r);
    r->config = *config;
    r->now_ns = RIG_START_NS;
    r->encodes_itself = true;
    r->writes_itself = true;
    r->allocations_left = UINT32_MAX;
    make_world(r);
    const iso_allocator allocator = {rig_allocate, rig_release, r};
    assert_int_equal(iso_session_create(config, &allocator, r->world, r->now_ns, &r->session), ISO_OK);
    rig_drain(r);
    return r;
}

static inline rig *rig_create(const iso_session_config *config) {
    return rig_create_with(config, rig_make_world);
}

static inline void rig_destroy(rig *r) {
    iso_session_destroy(r->session);
    assert_int_equal(r->allocated, 0);
    for (uint32_t i = 0; i < r->copy_count; ++i) {
        free(r->copies[i]);
    }
    free(r->memory);
    free(r);
}

static inline void rig_forget(rig *r) {
    r->seen_count = 0;
}

/// Lets time pass to the next tick's deadline, `count` times.
static inline void rig_ticks(rig *r, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        iso_session_stats stats;
        iso_session_get_stats(r->session, &stats);
        r->now_ns = iso_session_tick_deadline(r->session, stats.tick + 1);
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    }
}

static inline uint64_t rig_tick(const rig *r) {
    iso_session_stats stats;
    iso_session_get_stats(r->session, &stats);
    return stats.tick;
}

static inline void rig_message(rig *r, uint64_t connection, const iso_message *message) {
    rig_handle(r, (iso_session_event){
                      .kind = ISO_SESSION_EVENT_MESSAGE, .connection = connection, .message = message, .size = 40});
}

/// The last message of that kind to that connection since rig_forget; NULL: none.
static inline const iso_message *rig_last(const rig *r, uint64_t connection, iso_message_kind kind) {
    for (uint32_t i = r->seen_count; i-- > 0;) {
        const rig_seen *seen = &r->seen[i];
        if (seen->kind == ISO_SESSION_ACTION_SEND && seen->connection == connection && seen->message.kind == kind) {
            return &seen->message;
        }
    }
    return NULL;
}

static inline uint32_t rig_count(const rig *r, uint64_t connection, iso_message_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const rig_seen *seen = &r->seen[i];
        count += seen->kind == ISO_SESSION_ACTION_SEND && seen->connection == connection && seen->message.kind == kind;
    }
    return count;
}

static inline const rig_seen *rig_last_action(const rig *r, iso_session_action_kind kind) {
    for (uint32_t i = r->seen_count; i-- > 0;) {
        if (r->seen[i].kind == kind) {
            return &r->seen[i];
        }
    }
    return NULL;
}

static inline bool rig_is_closed(const rig *r, uint64_t connection, iso_status status) {
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const rig_seen *seen = &r->seen[i];
        if (seen->kind == ISO_SESSION_ACTION_CLOSE && seen->connection == connection) {
            assert_int_equal(seen->status, status);
            return true;
        }
    }
    return false;
}

static inline iso_message rig_hello(const rig *r, iso_role role) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    hello->protocol_min = ISO_PROTOCOL_VERSION;
    hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = (uint8_t)role;
    hello->compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD;
    hello->fingerprint = r->fingerprint;
    strcpy(hello->session, r->config.name);
    strcpy(hello->member, "ada");
    return message;
}

/// The Hello of whom `welcome` was said to and who has stepped `tick`.
static inline iso_message rig_resume(const rig *r, const iso_message_welcome *welcome, uint64_t tick, uint64_t root) {
    iso_message message = rig_hello(r, ISO_ROLE_PLAYER);
    iso_message_hello *hello = &message.as.hello;
    hello->has_resume = true;
    memcpy(hello->resume.uid, welcome->uid, sizeof welcome->uid);
    memcpy(hello->resume.secret, welcome->secret, sizeof welcome->secret);
    hello->resume.slot = welcome->slot;
    hello->resume.slot_generation = welcome->slot_generation;
    hello->resume.epoch = welcome->epoch;
    hello->resume.tick = tick;
    hello->resume.root = root;
    return message;
}

static inline void rig_open(rig *r, uint64_t connection) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = connection});
}

/// The same from somewhere.
static inline void rig_open_from(rig *r, uint64_t connection, uint64_t origin) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = connection, .origin = origin});
}

/// The same when nobody more may join from there.
static inline void rig_open_from_full(rig *r, uint64_t connection, uint64_t origin) {
    rig_handle(
        r, (iso_session_event){
               .kind = ISO_SESSION_EVENT_OPENED, .connection = connection, .origin = origin, .is_origin_full = true});
}

static inline void rig_ack(rig *r, uint64_t connection, uint32_t index) {
    iso_message ack = {.kind = ISO_MESSAGE_SNAPSHOT_ACK};
    ack.as.snapshot_ack.index = index;
    rig_message(r, connection, &ack);
}

static inline void rig_ack_all(rig *r, uint64_t connection) {
    const iso_message *begin = rig_last(r, connection, ISO_MESSAGE_SNAPSHOT_BEGIN);
    assert_non_null(begin);
    for (uint32_t i = 0; i < begin->as.snapshot_begin.chunk_count; ++i) {
        rig_ack(r, connection, i);
    }
}

/// Shows the root of the last tick that the connection was sent, or of its snapshot.
static inline void rig_caught_up(rig *r, uint64_t connection) {
    const iso_message *begin = rig_last(r, connection, ISO_MESSAGE_SNAPSHOT_BEGIN);
    const iso_message *tick = rig_last(r, connection, ISO_MESSAGE_TICK);
    iso_message message = {.kind = ISO_MESSAGE_CAUGHT_UP};
    message.as.caught_up.tick = tick != NULL ? tick->as.tick.tick : begin->as.snapshot_begin.tick;
    message.as.caught_up.root = tick != NULL ? tick->as.tick.root : begin->as.snapshot_begin.root;
    rig_message(r, connection, &message);
}

/// What follows on OPENED until the client has caught up.
static inline void rig_enter(rig *r, uint64_t connection, iso_role role) {
    const iso_message hello = rig_hello(r, role);
    rig_message(r, connection, &hello);
    assert_non_null(rig_last(r, connection, ISO_MESSAGE_WELCOME));
    rig_ack_all(r, connection);
    rig_caught_up(r, connection);
}

/// Makes a member, or a spectator; the JOIN is in the next tick, and then comes Activate.
static inline void rig_join(rig *r, uint64_t connection, iso_role role) {
    rig_open(r, connection);
    rig_enter(r, connection, role);
}

static inline void rig_join_from(rig *r, uint64_t connection, uint64_t origin) {
    rig_open_from(r, connection, origin);
    rig_enter(r, connection, ISO_ROLE_PLAYER);
}

/// A session with members 1 and 2, and 20 ticks.
static inline rig *rig_two_members(const iso_session_config *config) {
    rig *r = rig_create(config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    return r;
}

static inline void rig_cut(rig *r, uint64_t connection) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = connection});
}

static inline iso_message_welcome rig_welcome(const rig *r, uint64_t connection) {
    const iso_message *welcome = rig_last(r, connection, ISO_MESSAGE_WELCOME);
    assert_non_null(welcome);
    return welcome->as.welcome;
}

/// The last TICK that the connection was sent.
static inline const iso_message_tick *rig_last_tick(const rig *r, uint64_t connection) {
    const iso_message *tick = rig_last(r, connection, ISO_MESSAGE_TICK);
    assert_non_null(tick);
    return &tick->as.tick;
}

static inline bool rig_has_change(const iso_message_tick *tick, iso_change_kind kind, uint8_t slot) {
    for (uint32_t i = 0; i < tick->change_count; ++i) {
        if (tick->changes[i].kind == kind && tick->changes[i].slot == slot) {
            return true;
        }
    }
    return false;
}

static inline iso_session_stats rig_stats(const rig *r) {
    iso_session_stats stats;
    iso_session_get_stats(r->session, &stats);
    return stats;
}

/// Time without ticks: only what the session itself wants to be told of.
static inline void rig_pass(rig *r, uint64_t ns) {
    const uint64_t end = r->now_ns + ns;
    for (uint64_t at = iso_session_next_deadline(r->session); at <= end; at = iso_session_next_deadline(r->session)) {
        r->now_ns = at > r->now_ns ? at : r->now_ns;
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    }
    r->now_ns = end;
}

/// An INPUT of `count` commands that make the free box's velocity `marker`.
static inline void rig_input(rig *r, uint64_t connection, uint64_t target, uint64_t first_sequence, uint32_t count,
                             fix16_t marker) {
    iso_command commands[ISO_INPUT_COMMANDS_MAX];
    memset(commands, 0, sizeof commands);
    for (uint32_t i = 0; i < count; ++i) {
        commands[i].kind = ISO_COMMAND_SET_VELOCITY;
        commands[i].as.set_velocity.body = (iso_body_id){1, 1};
        commands[i].as.set_velocity.velocity.x = iso_wide_from_fix16(marker + (fix16_t)i);
    }
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){
        .target_tick = target, .first_sequence = first_sequence, .commands = commands, .command_count = count};
    rig_message(r, connection, &message);
}

/// The sequence of the `index`-th command in a TICK as `connection` got it; 0: no such command.
static inline uint64_t rig_sealed_sequence(const rig *r, uint64_t connection, uint64_t tick, uint32_t index) {
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const rig_seen *seen = &r->seen[i];
        const bool sent = seen->kind == ISO_SESSION_ACTION_SEND && seen->connection == connection &&
                          seen->message.kind == ISO_MESSAGE_TICK;
        if (sent && seen->message.as.tick.tick == tick) {
            return index < seen->message.as.tick.command_count ? seen->message.as.tick.commands[index].sequence : 0;
        }
    }
    fail_msg("tick %llu was not sent", (unsigned long long)tick);
    return 0;
}

#endif
