/// A server that goes on without the client, and tells it later: for the tests of who comes back.
#ifndef ISO_TEST_CLIENT_RIG_H
#define ISO_TEST_CLIENT_RIG_H

#include "test_client_util.h"

#define RIG_LOG_MAX 256

typedef struct rig {
    talk t;
    iso_change changes[RIG_LOG_MAX];
    uint64_t change_ticks[RIG_LOG_MAX];
    uint32_t change_count;
    uint64_t roots[4096]; // by tick
} rig;

static inline void rig_init_with(rig *r, iso_client_config config) {
    memset(r, 0, sizeof(*r));
    config.reconnect_ms = config.reconnect_ms == 1 ? 0 : 60000;
    config.seed = 99;
    talk_init(&r->t, &config);
}

static inline void rig_init(rig *r) {
    talk t;
    rig_init_with(r, talk_config(&t));
    talk_activate(&r->t);
}

/// A tick that the client does not hear of yet.
static inline void rig_step_alone(rig *r, uint8_t change) {
    iso_tick_input input = {.tick = talk_tick(&r->t) + 1};
    if (change != 0) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(r->t.world, r->t.slot, &view));
        r->changes[r->change_count] = (iso_change){change, r->t.slot, view.generation + (change == ISO_CHANGE_JOIN)};
        r->change_ticks[r->change_count] = input.tick;
        input.changes = &r->changes[r->change_count];
        input.change_count = 1;
        r->change_count += 1;
    }
    assert_int_equal(iso_world_step(r->t.world, &input), ISO_OK);
    r->t.root = iso_world_root(r->t.world);
    r->roots[input.tick] = r->t.root;
    r->t.now_ns += S / 60;
}

/// What the client has missed.
static inline void rig_tell(rig *r) {
    while (iso_client_tick(r->t.client) < talk_tick(&r->t)) {
        iso_message m = {.kind = ISO_MESSAGE_TICK};
        m.as.tick.epoch = r->t.epoch;
        m.as.tick.tick = m.as.tick.hashed_tick = iso_client_tick(r->t.client) + 1;
        m.as.tick.root = r->roots[m.as.tick.tick];
        for (uint32_t i = 0; i < r->change_count; ++i) {
            if (r->change_ticks[i] == m.as.tick.tick) {
                m.as.tick.changes = &r->changes[i];
                m.as.tick.change_count = 1;
            }
        }
        talk_say(&r->t, &m);
        assert_null(talk_action(&r->t, ISO_CLIENT_ACTION_ENDED, 0));
    }
}

static inline const iso_client_action *rig_cut(rig *r) {
    talk_event(&r->t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
    return talk_action(&r->t, ISO_CLIENT_ACTION_RECONNECT, 0);
}

/// A new connection. @return its HELLO
static inline iso_message_hello rig_connect(rig *r) {
    talk_event(&r->t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    const iso_message *hello = talk_heard(&r->t, ISO_MESSAGE_HELLO);
    assert_non_null(hello);
    return hello->as.hello;
}

static inline void rig_welcome(rig *r, uint8_t resumed) {
    r->t.resumed = resumed;
    const iso_message m = talk_welcome_message(&r->t);
    talk_say(&r->t, &m);
    assert_null(talk_action(&r->t, ISO_CLIENT_ACTION_ENDED, 0));
}

/// From catching up to being active.
static inline void rig_activate(rig *r) {
    talk_pings(&r->t);
    assert_int_equal(iso_client_get_phase(r->t.client), ISO_CLIENT_PHASE_JOINING);
    iso_slot_view view;
    assert_true(iso_world_get_slot(r->t.world, r->t.slot, &view));
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){r->t.slot, view.generation, talk_tick(&r->t) + 1};
    talk_say(&r->t, &m);
    rig_step_alone(r, ISO_CHANGE_RESUME);
    rig_tell(r);
    assert_int_equal(iso_client_get_phase(r->t.client), ISO_CLIENT_PHASE_ACTIVE);
    const iso_client_action *resumed = talk_action(&r->t, ISO_CLIENT_ACTION_RESUMED, 0);
    assert_non_null(resumed);
    assert_int_equal(resumed->tick, talk_tick(&r->t));
    assert_int_equal(resumed->slot, r->t.slot);
}

static inline iso_client_stats rig_stats(const rig *r) {
    iso_client_stats stats;
    iso_client_get_stats(r->t.client, &stats);
    return stats;
}

/// The client's world goes on like the server's.
static inline void rig_check(rig *r) {
    for (int i = 0; i < 30; ++i) {
        talk_step(&r->t);
        assert_null(talk_action(&r->t, ISO_CLIENT_ACTION_DESYNC, 0));
        assert_null(talk_action(&r->t, ISO_CLIENT_ACTION_ENDED, 0));
    }
    const iso_client_stats stats = rig_stats(r);
    assert_true(stats.last_tick == talk_tick(&r->t) && stats.last_root == r->t.root);
    assert_int_equal(iso_world_get_tick(iso_client_world(r->t.client)), talk_tick(&r->t));
}

#endif
