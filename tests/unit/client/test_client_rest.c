/// A machine that computes its ticks too slowly to predict as well, and a network that stalls: when the prediction
/// rests.
#include "test_client_stage.h"

/// The server seals at its rate, whatever the client has taken in. Each step takes the client time.
typedef struct slow_rig {
    stage s;
    uint64_t begin_ns; // when tick 0 would have been sealed
    uint64_t free_ns;  // when the client has done what it was given
    uint64_t step_ns;
    uint64_t stall_from, stall_to; // ticks: the first ones arrive with the last
    uint64_t behind_max;           // [ticks]
    uint32_t predicted;            // ticks after which there was a prediction
} slow_rig;

static uint64_t sealed_ns(const slow_rig *r, uint64_t tick) {
    return r->begin_ns + tick * S / 60;
}

static void slow_init(slow_rig *r, uint64_t step_ns) {
    memset(r, 0, sizeof(*r));
    stage_init(&r->s, 16);
    r->begin_ns = r->s.t.now_ns - talk_tick(&r->s.t) * S / 60;
    r->free_ns = r->s.t.now_ns;
    r->step_ns = step_ns;
}

/// What is due by time while nothing else is to be done. Pings are answered at once, by the server's own clock.
static void slow_pass(slow_rig *r, uint64_t until_ns) {
    talk *t = &r->s.t;
    for (;;) {
        const uint64_t due_ns = iso_client_next_deadline(t->client);
        if (due_ns >= until_ns) {
            return;
        }
        t->now_ns = due_ns > t->now_ns ? due_ns : t->now_ns;
        talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        stage_look(&r->s);
        const iso_message *ping = talk_heard(t, ISO_MESSAGE_PING);
        if (ping != NULL) {
            const uint64_t ns = t->now_ns - r->begin_ns;
            iso_message pong = {.kind = ISO_MESSAGE_PONG};
            pong.as.pong.id = ping->as.ping.id;
            pong.as.pong.server_tick = ns * 60 / S;
            pong.as.pong.fraction_q8 = (uint8_t)(ns * 60 % S * 256 / S);
            talk_say(t, &pong);
            stage_look(&r->s);
        }
    }
}

static uint64_t world_tick(const slow_rig *r) {
    return iso_world_get_tick(r->s.t.client->predict->world);
}

/// The client takes in the next tick as soon as it is there and the client has time.
static void slow_tick(slow_rig *r) {
    talk *t = &r->s.t;
    const uint64_t tick = talk_tick(t) + 1;
    const uint64_t arrival_ns = sealed_ns(r, tick >= r->stall_from && tick < r->stall_to ? r->stall_to : tick);
    const uint64_t now_ns = arrival_ns > r->free_ns ? arrival_ns : r->free_ns;
    const uint64_t before = world_tick(r), resteps = stage_stats(&r->s).resteps;
    slow_pass(r, now_ns);
    t->now_ns = now_ns > t->now_ns ? now_ns : t->now_ns;
    const uint64_t behind = (t->now_ns - sealed_ns(r, tick)) * 60 / S;
    r->behind_max = behind > r->behind_max ? behind : r->behind_max;
    t->now_ns -= S / 60; // which stage_seal lets pass
    stage_seal(&r->s);
    const uint64_t after = world_tick(r), from = before > tick ? before : tick;
    const uint64_t steps = 1 + (after > from ? after - from : 0) + stage_stats(&r->s).resteps - resteps;
    r->free_ns = t->now_ns + steps * r->step_ns;
    r->predicted += iso_client_predicted_world(t->client) != iso_client_world(t->client);
}

static void test_machine_that_is_too_slow_to_predict_stays_with_the_session(void **state) {
    (void)state;
    slow_rig r;
    slow_init(&r, 10 * MS); // one step in a tick's time, and not two
    for (int i = 0; i < 60 * 60; ++i) {
        slow_tick(&r);
    }
    iso_client_stats stats = stage_stats(&r.s);
    assert_in_range(r.behind_max, 17, 60);
    assert_in_range(stats.rests, 4, 9); // each twice as long as the one before
    assert_int_equal(stats.desyncs, 0);
    // A faster one predicts all the time, at the latest when the longest rest is over.
    r.step_ns = MS;
    for (int i = 0; i < 33 * 60; ++i) {
        slow_tick(&r);
    }
    r.predicted = 0;
    for (int i = 0; i < 60; ++i) {
        slow_tick(&r);
    }
    assert_int_equal(r.predicted, 60);
    stage_term(&r.s);
}

static void test_prediction_rests_for_the_burst_after_a_stall_only(void **state) {
    (void)state;
    slow_rig r;
    slow_init(&r, MS);
    for (int stall = 1; stall <= 5; ++stall) {
        for (int i = 0; i < 180; ++i) {
            slow_tick(&r);
        }
        r.stall_from = talk_tick(&r.s.t) + 1;
        r.stall_to = r.stall_from + 30;
        const uint64_t resteps = stage_stats(&r.s).resteps;
        while (talk_tick(&r.s.t) < r.stall_to + 6) {
            slow_tick(&r);
        }
        const iso_client_stats stats = stage_stats(&r.s);
        assert_int_equal(stats.rests, stall);
        assert_true(stats.resteps - resteps <= 32); // not sixteen for each tick of the burst
        assert_ptr_not_equal(iso_client_predicted_world(r.s.t.client), iso_client_world(r.s.t.client));
    }
    stage_term(&r.s);
}

static void test_machine_that_keeps_up_never_rests(void **state) {
    (void)state;
    slow_rig r;
    slow_init(&r, 5 * MS);
    for (int i = 0; i < 60 * 20; ++i) {
        if (i % 50 == 20) {
            other_does(&r.s, impulse_on(r.s.t.ball, i % 3));
        }
        slow_tick(&r);
    }
    assert_int_equal(stage_stats(&r.s).rests, 0);
    assert_true(stage_stats(&r.s).rollbacks > 10);
    stage_term(&r.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_that_is_too_slow_to_predict_stays_with_the_session),
        cmocka_unit_test(test_prediction_rests_for_the_burst_after_a_stall_only),
        cmocka_unit_test(test_machine_that_keeps_up_never_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
