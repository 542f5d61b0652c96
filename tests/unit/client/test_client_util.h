/// A server made of hand-made messages, for the tests of the client library.
///
/// It owns a world of its own and says whatever the test wants, also what no server would say. The client's memory
/// is counted, and every action is copied before the next event.
#ifndef ISO_TEST_CLIENT_UTIL_H
#define ISO_TEST_CLIENT_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "state.h"
#include "isostep/games.h"
#include "isostep/heap.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define TALK_ACTIONS_MAX 64

typedef struct talk {
    iso_client *client;
    uint64_t now_ns;
    uint64_t one_way_ns;
    // What the last event gave.
    iso_client_action actions[TALK_ACTIONS_MAX];
    iso_message messages[TALK_ACTIONS_MAX];
    uint32_t count;
    // All that was ever sent.
    uint64_t sent[128];
    // The server.
    void *memory;
    iso_world *world;
    iso_body_id ball;
    uint64_t root;
    uint8_t *snapshot;
    uint32_t snapshot_size;
    iso_message_snapshot_begin begin;
    uint8_t slot;
    uint32_t epoch;
    uint8_t resumed;        // iso_resumed, of the next WELCOME
    uint64_t last_sequence; // the same
    uint32_t silence_ms;    // the same
    bool answers_pings;
    uint64_t slip_ticks; // ticks that were sealed faster or slower than time says
    // The client's memory.
    size_t allocated, allocated_max, largest;
    size_t refuse_above;
} talk;

static inline void *talk_allocate(void *user, size_t size, size_t alignment) {
    talk *t = user;
    t->largest = size > t->largest ? size : t->largest;
    if (t->refuse_above != 0 && size > t->refuse_above) {
        return NULL;
    }
    t->allocated += size;
    t->allocated_max = t->allocated > t->allocated_max ? t->allocated : t->allocated_max;
    return iso_heap_allocate(NULL, size, alignment);
}

static inline void talk_release(void *user, void *memory, size_t size) {
    talk *t = user;
    assert_true(t->allocated >= size);
    t->allocated -= size;
    iso_heap_release(NULL, memory, size);
}

/// The session's game; a test may put one of its own there that is called the same, or the sandbox in space, for a
/// world in space.
static const iso_game *talk_games[] = {&iso_game_sandbox};

static inline bool talk_in_space(void) {
    return talk_games[0]->name[7] == '3';
}

static inline iso_world_def talk_def(void) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = talk_in_space() ? 3 : 2;
    def.body_capacity = 64;
    def.shape_capacity = 64;
    def.joint_capacity = 16;
    def.contact_capacity = 128;
    def.slot_capacity = 8;
    strcpy(def.game, talk_games[0]->name);
    for (uint32_t i = 0; i < talk_games[0]->param_count; ++i) {
        def.game_params[i] = talk_games[0]->params[i].value;
    }
    return def;
}

static inline void talk_take(talk *t) {
    iso_client_action action;
    while (iso_client_next_action(t->client, &action)) {
        assert_true(t->count < TALK_ACTIONS_MAX);
        t->actions[t->count] = action;
        if (action.kind == ISO_CLIENT_ACTION_SEND) {
            t->messages[t->count] = *action.message;
            t->actions[t->count].message = &t->messages[t->count];
            t->sent[action.message->kind] += 1;
        }
        t->count += 1;
    }
}

static inline void talk_event(talk *t, iso_client_event event) {
    t->count = 0;
    iso_client_handle(t->client, t->now_ns, &event);
    talk_take(t);
}

static inline void talk_say(talk *t, const iso_message *message) {
    talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE, .message = message});
}

/// The n-th action of a kind that the last event gave, or NULL.
static inline const iso_client_action *talk_action(const talk *t, uint8_t kind, uint32_t n) {
    for (uint32_t i = 0; i < t->count; ++i) {
        if (t->actions[i].kind == kind && n-- == 0) {
            return &t->actions[i];
        }
    }
    return NULL;
}

static inline const iso_message *talk_heard(const talk *t, uint8_t kind) {
    for (uint32_t i = 0; i < t->count; ++i) {
        if (t->actions[i].kind == ISO_CLIENT_ACTION_SEND && t->messages[i].kind == kind) {
            return &t->messages[i];
        }
    }
    return NULL;
}

static inline iso_status talk_end_status(const talk *t) {
    const iso_client_action *ended = talk_action(t, ISO_CLIENT_ACTION_ENDED, 0);
    return ended != NULL ? ended->status : ISO_OK;
}

#define assert_ended(t, wanted)                                                      \
    do {                                                                             \
        assert_non_null(talk_action((t), ISO_CLIENT_ACTION_ENDED, 0));               \
        assert_int_equal(talk_end_status(t), (wanted));                              \
        assert_int_equal(iso_client_get_phase((t)->client), ISO_CLIENT_PHASE_ENDED); \
    } while (0)

static inline iso_client_config talk_config(talk *t) {
    iso_client_config config = iso_client_config_default();
    config.allocator = (iso_allocator){talk_allocate, talk_release, t};
    config.games = talk_games;
    config.game_count = 1;
    config.name = "tester";
    return config;
}

/// A floor and a ball above it.
static inline void talk_fill3(talk *t) {
    iso_body3_def ground = iso_body3_def_default();
    iso_body_id id;
    iso_shape_id shape;
    ground.type = ISO_BODY_STATIC;
    assert_int_equal(iso_body3_create(t->world, &ground, &id), ISO_OK);
    const iso_shape3_def box = iso_shape3_def_box(20 * ISO_FIX16_ONE, ISO_FIX16_ONE, 20 * ISO_FIX16_ONE);
    assert_int_equal(iso_shape3_create(t->world, id, &box, &shape), ISO_OK);
    iso_body3_def ball = iso_body3_def_default();
    ball.position.y = 5 * ISO_WIDE_ONE;
    ball.owner = (iso_owner){0, ISO_OWNER_EVERYONE};
    assert_int_equal(iso_body3_create(t->world, &ball, &t->ball), ISO_OK);
    const iso_shape3_def sphere = iso_shape3_def_sphere(ISO_FIX16_ONE / 2);
    assert_int_equal(iso_shape3_create(t->world, t->ball, &sphere, &shape), ISO_OK);
}

static inline void talk_fill(talk *t) {
    iso_body_def ground = iso_body_def_default();
    iso_body_id id;
    iso_shape_id shape;
    ground.type = ISO_BODY_STATIC;
    assert_int_equal(iso_body_create(t->world, &ground, &id), ISO_OK);
    const iso_shape_def box = iso_shape_def_box(20 * ISO_FIX16_ONE, ISO_FIX16_ONE);
    assert_int_equal(iso_shape_create(t->world, id, &box, &shape), ISO_OK);
    iso_body_def ball = iso_body_def_default();
    ball.position.y = 5 * ISO_WIDE_ONE;
    ball.owner = (iso_owner){0, ISO_OWNER_EVERYONE};
    assert_int_equal(iso_body_create(t->world, &ball, &t->ball), ISO_OK);
    const iso_shape_def circle = iso_shape_def_circle(ISO_FIX16_ONE / 2);
    assert_int_equal(iso_shape_create(t->world, t->ball, &circle, &shape), ISO_OK);
}

static inline void talk_build_world(talk *t) {
    const iso_world_def def = talk_def();
    const size_t size = iso_world_size(&def, talk_games[0]);
    t->memory = aligned_alloc(64, size);
    assert_int_equal(iso_world_create(&def, talk_games[0], t->memory, size, &t->world), ISO_OK);
    (talk_in_space() ? talk_fill3 : talk_fill)(t);
    iso_world_start(t->world);
    t->root = iso_world_root(t->world);
}

/// A server whose world has made some ticks, and a client that is not connected.
static inline void talk_init(talk *t, const iso_client_config *config) {
    *t = (talk){.now_ns = 100 * S,
                .one_way_ns = 10 * MS,
                .slot = 3,
                .epoch = 1,
                .resumed = ISO_RESUMED_NEW,
                .answers_pings = true};
    talk_build_world(t);
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(iso_world_step_empty(t->world), ISO_OK);
    }
    t->root = iso_world_root(t->world);
    iso_client_config c = config != NULL ? *config : talk_config(t);
    c.allocator.user = t;
    if (c.role == ISO_ROLE_SPECTATOR) {
        t->slot = ISO_SLOT_NONE;
    }
    assert_int_equal(iso_client_create(&c, &t->client), ISO_OK);
}

static inline void talk_term(talk *t) {
    iso_client_destroy(t->client);
    assert_int_equal(t->allocated, 0);
    free(t->snapshot);
    free(t->memory);
}

static inline uint64_t talk_tick(const talk *t) {
    return iso_world_get_tick(t->world);
}

static inline void talk_pong(talk *t, const iso_message *ping) {
    iso_message pong = {.kind = ISO_MESSAGE_PONG};
    pong.as.pong.id = ping->as.ping.id;
    pong.as.pong.client_time_ns = ping->as.ping.client_time_ns;
    pong.as.pong.server_tick = talk_tick(t);
    t->now_ns += 2 * t->one_way_ns;
    talk_say(t, &pong);
}

/// Lets time pass without an event of the server's; pings are answered.
static inline void talk_wait(talk *t, uint64_t ns) {
    t->now_ns += ns;
    talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
}

static inline iso_message talk_welcome_message(const talk *t) {
    iso_message m = {.kind = ISO_MESSAGE_WELCOME};
    iso_message_welcome *w = &m.as.welcome;
    const iso_world_def *def = iso_world_get_def(t->world);
    w->protocol = ISO_PROTOCOL_VERSION;
    memcpy(w->session, "main", 5);
    memset(w->uid, 0x55, sizeof(w->uid));
    memset(w->secret, t->slot == ISO_SLOT_NONE ? 0 : (int)t->sent[ISO_MESSAGE_HELLO], sizeof(w->secret));
    w->epoch = t->epoch;
    w->hold_ms = 45000;
    w->late_policy = ISO_LATE_MOVE;
    w->state = ISO_SESSION_RUNNING;
    w->resumed = t->resumed;
    w->last_sequence = t->last_sequence;
    iso_slot_view view = {0};
    (void)iso_world_get_slot(t->world, t->slot, &view);
    w->slot_generation = t->slot == ISO_SLOT_NONE        ? 0
                         : t->resumed == ISO_RESUMED_NEW ? view.generation + 1
                                                         : view.generation;
    w->role = t->slot == ISO_SLOT_NONE ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
    w->slot = t->slot;
    w->tick = talk_tick(t);
    w->tick_rate_hz = def->tick_rate_hz;
    w->silence_ms = t->silence_ms;
    w->limits = (iso_member_limits){4, 32, 120, 8, 16384};
    iso_fingerprint_make(def, talk_games[0], &w->fingerprint);
    return m;
}

static inline void talk_welcome(talk *t) {
    talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    const iso_message m = talk_welcome_message(t);
    talk_say(t, &m);
}

/// Prepares a snapshot of the server's world in pieces of `chunk_size`.
static inline void talk_take_snapshot(talk *t, uint32_t chunk_size) {
    t->snapshot_size = (uint32_t)iso_snapshot_size(t->world);
    t->snapshot = realloc(t->snapshot, t->snapshot_size);
    assert_int_equal(iso_snapshot_encode(t->world, t->snapshot, t->snapshot_size), t->snapshot_size);
    t->begin = (iso_message_snapshot_begin){
        .tick = talk_tick(t),
        .epoch = t->epoch,
        .raw_size = t->snapshot_size,
        .size = t->snapshot_size,
        .compression = ISO_COMPRESSION_NONE,
        .chunk_count = (t->snapshot_size + chunk_size - 1) / chunk_size,
        .chunk_size = chunk_size,
        .root = t->root,
    };
}

static inline void talk_begin(talk *t) {
    iso_message m = {.kind = ISO_MESSAGE_SNAPSHOT_BEGIN};
    m.as.snapshot_begin = t->begin;
    talk_say(t, &m);
}

static inline void talk_chunk(talk *t, uint32_t index) {
    iso_message m = {.kind = ISO_MESSAGE_SNAPSHOT_CHUNK};
    const uint32_t offset = index * t->begin.chunk_size;
    const uint32_t left = t->snapshot_size - offset;
    m.as.snapshot_chunk.index = index;
    m.as.snapshot_chunk.bytes = t->snapshot + offset;
    m.as.snapshot_chunk.size = left < t->begin.chunk_size ? left : t->begin.chunk_size;
    talk_say(t, &m);
}

static inline void talk_snapshot(talk *t) {
    talk_take_snapshot(t, 1000);
    talk_begin(t);
    for (uint32_t i = 0; i < t->begin.chunk_count; ++i) {
        talk_chunk(t, i);
    }
}

/// Answers the first five pings. CAUGHT_UP follows the last one when there is nothing to step.
static inline void talk_pings(talk *t) {
    for (int i = 0; i < 5; ++i) {
        talk_wait(t, 20 * MS);
        const iso_message *ping = talk_heard(t, ISO_MESSAGE_PING);
        if (ping == NULL) {
            // The first one left with the welcome.
            iso_message first = {.kind = ISO_MESSAGE_PING};
            first.as.ping.id = t->client->ping_id;
            talk_pong(t, &first);
            continue;
        }
        const iso_message copy = *ping;
        talk_pong(t, &copy);
    }
}

/// Steps the server's world and tells it. `hashed` is T or T - 1.
static inline void talk_step_with(talk *t, const iso_change *changes, uint32_t change_count,
                                  const iso_sealed_command *commands, uint32_t command_count, bool trailing) {
    iso_message m = {.kind = ISO_MESSAGE_TICK};
    iso_message_tick *tick = &m.as.tick;
    tick->epoch = t->epoch;
    tick->tick = talk_tick(t) + 1;
    tick->changes = changes;
    tick->change_count = change_count;
    tick->commands = commands;
    tick->command_count = command_count;
    tick->hashed_tick = trailing ? tick->tick - 1 : tick->tick;
    tick->root = t->root;
    const iso_tick_input input = {tick->tick, changes, change_count, commands, command_count};
    assert_int_equal(iso_world_step(t->world, &input), ISO_OK);
    t->root = iso_world_root(t->world);
    if (!trailing) {
        tick->root = t->root;
    }
    t->now_ns += S / 60;
    talk_say(t, &m);
}

static inline void talk_step(talk *t) {
    talk_step_with(t, NULL, 0, NULL, 0, false);
}

/// ACTIVATE, then the tick with the JOIN.
static inline void talk_join(talk *t) {
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    iso_slot_view view = {0};
    (void)iso_world_get_slot(t->world, t->slot, &view);
    const uint32_t generation = t->slot == ISO_SLOT_NONE ? 0 : view.generation + 1;
    m.as.activate = (iso_message_activate){t->slot, generation, talk_tick(t) + (t->slot == ISO_SLOT_NONE ? 0 : 1)};
    talk_say(t, &m);
    if (t->slot != ISO_SLOT_NONE) {
        const iso_change join = {ISO_CHANGE_JOIN, t->slot, generation};
        talk_step_with(t, &join, 1, NULL, 0, false);
    }
}

/// All the way to a member that is active.
static inline void talk_activate(talk *t) {
    talk_welcome(t);
    talk_snapshot(t);
    talk_pings(t);
    assert_int_equal(iso_client_get_phase(t->client), ISO_CLIENT_PHASE_JOINING);
    talk_join(t);
    assert_int_equal(iso_client_get_phase(t->client), ISO_CLIENT_PHASE_ACTIVE);
}

#endif
