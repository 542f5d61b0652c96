/// What is shown between two ticks: even motion on a screen of 144 Hz, whatever the ticks' arrival is like.
#include "test_client_stage.h"

#include "display_clock.h"

#define SPEED        3 // [m/s]
#define FRAME_NS     (S / 144)
#define SETTLED_NS   (3 * S)
#define EVEN_PER_100 5.5 // the pace's 5 % and what a frame's length rounds

static iso_client_config display_config(talk *t) {
    iso_client_config config = talk_config(t);
    config.interpolate = true;
    return config;
}

/// A body that nothing stops, in the server's world before anybody joins.
static iso_body_id train_add(talk *t) {
    iso_body_def def = iso_body_def_default();
    iso_body_id id;
    def.type = ISO_BODY_KINEMATIC;
    def.position.x = -100 * ISO_WIDE_ONE;
    def.velocity.x = SPEED * ISO_WIDE_ONE;
    def.angular_velocity = ISO_WIDE_ONE;
    assert_int_equal(iso_body_create(t->world, &def, &id), ISO_OK);
    t->root = iso_world_root(t->world);
    return id;
}

/// What a screen has seen of a body.
typedef struct watch {
    iso_body_id body;
    uint64_t begin_ns, last_ns; // the first is zero until it is seen
    iso_client_pose last;
    double slowest, fastest; // of the frames after SETTLED_NS, as parts of SPEED
    double furthest;         // [m] in one frame, ever
    uint32_t back;           // frames in which it went back
} watch;

static void watch_take(watch *w, const iso_client *client, uint64_t now_ns) {
    iso_client_pose pose;
    assert_int_equal(iso_client_body_pose_at(client, now_ns, w->body, &pose), ISO_OK);
    if (w->begin_ns != 0) {
        const double way = (double)(pose.position.x - w->last.position.x) / (double)ISO_WIDE_ONE;
        const double speed = way / ((double)(now_ns - w->last_ns) / 1e9) / SPEED;
        w->back += way < 0 || pose.angle_turns < w->last.angle_turns;
        w->furthest = way > w->furthest ? way : w->furthest;
        if (now_ns > w->begin_ns + SETTLED_NS) {
            w->slowest = speed < w->slowest ? speed : w->slowest;
            w->fastest = speed > w->fastest ? speed : w->fastest;
        }
    } else {
        w->begin_ns = now_ns;
        w->slowest = 1e9;
    }
    w->last = pose;
    w->last_ns = now_ns;
}

/// Ticks that are late by up to `jitter_ns`, in their order, and frames in between.
static void watch_ticks(talk *t, watch *w, uint64_t jitter_ns, uint32_t count) {
    const uint64_t start_ns = t->now_ns;
    uint64_t random = 7, frame_ns = start_ns + FRAME_NS, arrival_ns = 0;
    for (uint32_t i = 1; i <= count; ++i) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint64_t late_ns = jitter_ns != 0 ? (random >> 33) % jitter_ns : 0;
        const uint64_t wanted_ns = start_ns + i * S / 60 + late_ns;
        arrival_ns = wanted_ns > arrival_ns ? wanted_ns : arrival_ns;
        for (; frame_ns < arrival_ns; frame_ns += FRAME_NS) {
            watch_take(w, t->client, frame_ns);
        }
        t->now_ns = arrival_ns - S / 60; // a step adds it
        talk_step(t);
        assert_null(talk_action(t, ISO_CLIENT_ACTION_ENDED, 0));
    }
}

static void test_motion_is_even_on_a_faster_screen(void **state) {
    (void)state;
    const uint64_t jitters[] = {0, 5 * MS, 16 * MS, 30 * MS};
    for (size_t i = 0; i < sizeof(jitters) / sizeof(jitters[0]); ++i) {
        talk t;
        const iso_client_config config = display_config(&t);
        talk_init(&t, &config);
        watch w = {.body = train_add(&t)};
        talk_activate(&t);
        watch_ticks(&t, &w, jitters[i], 900);
        print_message("jitter %2u ms: shown at %.4f to %.4f of the speed\n", (unsigned)(jitters[i] / MS), w.slowest,
                      w.fastest);
        assert_int_equal(w.back, 0);
        assert_true(w.slowest > 1 - EVEN_PER_100 / 100 && w.fastest < 1 + EVEN_PER_100 / 100);
        if (jitters[i] == 0) {
            assert_true(w.slowest > 0.999 && w.fastest < 1.001);
        }
        talk_term(&t);
    }
}

/// Where iso_client_alpha says that the body is, of the poses that it had at ticks.
static void expect_between(const talk *t, uint64_t now_ns, iso_body_id body, const iso_client_pose *poses) {
    uint64_t tick;
    const uint32_t alpha = iso_client_alpha(t->client, now_ns, &tick);
    assert_true(alpha < 65536 && tick <= talk_tick(t) && tick + 2 >= talk_tick(t));
    const iso_client_pose *a = &poses[tick % 8], *b = alpha == 0 ? a : &poses[(tick + 1) % 8];
    iso_client_pose pose;
    assert_int_equal(iso_client_body_pose_at(t->client, now_ns, body, &pose), ISO_OK);
    assert_int_equal(pose.position.x, a->position.x + (b->position.x - a->position.x) * alpha / 65536);
    assert_int_equal(pose.position.y, a->position.y);
    assert_int_equal(pose.angle_turns, a->angle_turns + (b->angle_turns - a->angle_turns) * alpha / 65536);
}

static void test_pose_is_on_the_way_between_two_ticks(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = train_add(&t);
    iso_client_pose pose, poses[8] = {0};
    uint64_t tick = 1;
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns, body, &pose), ISO_ERR_STATE);
    assert_int_equal(iso_client_alpha(t.client, t.now_ns, &tick), 0);
    assert_int_equal(tick, 0);
    talk_activate(&t);
    for (int i = 0; i < 400; ++i) {
        talk_step(&t);
        assert_int_equal(iso_client_body_pose(t.client, body, &poses[talk_tick(&t) % 8]), ISO_OK);
        for (uint64_t ns = 0; i >= 300 && ns < S / 60; ns += 700000) {
            expect_between(&t, t.now_ns + ns, body, poses);
        }
    }
    // Ticks stay away: the newest one is shown, and nothing beyond.
    expect_between(&t, t.now_ns + S / 50, body, poses);
    assert_int_equal(iso_client_alpha(t.client, t.now_ns + 10 * S, &tick), 0);
    assert_int_equal(tick, talk_tick(&t));
    // A time before the last call counts as that of the call.
    const uint32_t alpha = iso_client_alpha(t.client, t.now_ns, &tick);
    assert_int_equal(iso_client_alpha(t.client, t.now_ns - S, &tick), alpha);
    talk_term(&t);
}

/// The same change in both worlds, as a game would make it.
static void put_at(talk *t, iso_body_id body, int32_t x) {
    const iso_vec2_wide at = {x * ISO_WIDE_ONE, 0};
    assert_int_equal(iso_body_set_position(t->world, body, at, 0), ISO_OK);
    assert_int_equal(iso_body_set_position(t->client->world, body, at, 0), ISO_OK);
}

static void test_body_that_is_put_elsewhere_does_not_slide_there(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = train_add(&t);
    talk_activate(&t);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
    }
    put_at(&t, body, 50);
    bool is_there = false;
    for (int i = 0; i < 3; ++i) {
        talk_step(&t);
        for (uint64_t ns = 0; ns < S / 60; ns += MS / 2) {
            iso_client_pose pose;
            assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns + ns, body, &pose), ISO_OK);
            const bool is_new = pose.position.x > 49 * ISO_WIDE_ONE;
            assert_true(is_new || (!is_there && pose.position.x < -80 * ISO_WIDE_ONE));
            assert_true(pose.position.x < 51 * ISO_WIDE_ONE);
            is_there = is_new;
        }
    }
    assert_true(is_there);
    talk_term(&t);
}

static void test_bodies_come_and_go(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id old = train_add(&t);
    talk_activate(&t);
    for (int i = 0; i < 200; ++i) {
        talk_step(&t);
    }
    // The new one takes the index of the one that is gone.
    iso_body_def def = iso_body_def_default();
    iso_body_id body, same;
    def.type = ISO_BODY_KINEMATIC;
    def.velocity.x = SPEED * ISO_WIDE_ONE;
    iso_world *worlds[2] = {t.world, t.client->world};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(iso_body_destroy(worlds[i], old), ISO_OK);
        assert_int_equal(iso_body_create(worlds[i], &def, i == 0 ? &body : &same), ISO_OK);
    }
    assert_true(iso_body_id_equal(body, same) && body.index == old.index);
    iso_client_pose pose, first;
    talk_step(&t);
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns, old, &pose), ISO_ERR_STALE);
    assert_int_equal(iso_client_body_pose(t.client, body, &first), ISO_OK);
    for (uint64_t ns = 0; ns < S / 60; ns += MS) {
        assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns + ns, body, &pose), ISO_OK);
        assert_int_equal(pose.position.x, first.position.x);
    }
    talk_step(&t);
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns + S / 100, body, &pose), ISO_OK);
    assert_true(pose.position.x > first.position.x);
    talk_term(&t);
}

static void test_replaced_world_is_glided_into(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = train_add(&t);
    watch w = {.body = body};
    talk_activate(&t);
    watch_ticks(&t, &w, 0, 200);
    // The server knows that the body is a metre ahead.
    iso_body_view view;
    assert_int_equal(iso_body_get(t.world, body, &view), ISO_OK);
    const iso_vec2_wide there = {view.position.x + ISO_WIDE_ONE, 0};
    assert_int_equal(iso_body_set_position(t.world, body, there, view.angle + ISO_WIDE_ONE / 65536), ISO_OK);
    talk_step(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    iso_message m = {.kind = ISO_MESSAGE_DESYNC_NOTICE};
    m.as.desync_notice = (iso_message_desync_notice){t.slot, talk_tick(&t), t.root, 222, ISO_DESYNC_HEAL};
    talk_say(&t, &m);
    talk_snapshot(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_HEALED, 0));
    w.furthest = 0;
    watch_ticks(&t, &w, 0, 60);
    print_message("a metre of error: at most %.3f m in a frame\n", w.furthest);
    assert_int_equal(w.back, 0);
    assert_true(w.furthest < 0.1);
    assert_int_equal(iso_body_get(t.world, body, &view), ISO_OK);
    assert_true(view.position.x - w.last.position.x < ISO_WIDE_ONE / 8); // 2 ticks and a fading rest
    talk_term(&t);
}

static void test_rewound_world_is_glided_into(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = train_add(&t);
    talk_activate(&t);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
    }
    iso_client_pose before, after;
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns + S / 20, body, &before), ISO_OK);
    t.client->phase = ISO_CLIENT_PHASE_SNAPSHOT; // as after an answer that promises a REWIND
    t.client->is_rewinding = true;
    iso_message m = {.kind = ISO_MESSAGE_REWIND};
    m.as.rewind.tick = talk_tick(&t) - 3;
    m.as.rewind.epoch = t.epoch;
    m.as.rewind.root = t.client->roots[m.as.rewind.tick % ISO__CLIENT_ROOTS_MAX];
    t.now_ns += S / 20;
    talk_say(&t, &m);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_REWOUND, 0));
    assert_int_equal(iso_client_tick(t.client), talk_tick(&t) - 3);
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns, body, &after), ISO_OK);
    assert_int_equal(after.position.x, before.position.x);
    talk_term(&t);
}

static void stage_frame(stage *s, uint64_t now_ns) {
    watch_take(s->user, s->t.client, now_ns);
}

/// A stage with a body that moves along, joined by a member that predicts.
static void stage_init_watched(stage *s, watch *w, uint8_t frames) {
    stage_init_with(s, frames, 2, true);
    iso_body_def def = iso_body_def_default();
    iso_body_id same;
    def.type = ISO_BODY_KINEMATIC;
    def.position.x = -100 * ISO_WIDE_ONE;
    def.velocity.x = SPEED * ISO_WIDE_ONE;
    assert_int_equal(iso_body_create(s->t.world, &def, &w->body), ISO_OK);
    assert_int_equal(iso_body_create(s->t.client->world, &def, &same), ISO_OK);
    stage_tick(s);
    s->t.client->predict->state = ISO__CLIENT_PREDICT_BEHIND; // starts over from a state that has the body
    for (int i = 0; i < 10; ++i) {
        stage_tick(s);
    }
    s->frame = stage_frame;
    s->user = w;
    s->frame_ns = s->t.now_ns;
}

static void test_predicted_motion_is_even(void **state) {
    (void)state;
    stage s;
    watch w = {0};
    stage_init_watched(&s, &w, 8);
    for (int i = 0; i < 600; ++i) {
        if (i % 5 == 2) {
            other_does(&s, impulse_on(s.t.ball, 1)); // rolls the world back, without an effect on what is watched
        }
        stage_tick(&s);
    }
    print_message("predicted: shown at %.4f to %.4f of the speed\n", w.slowest, w.fastest);
    assert_true(stage_stats(&s).rollbacks > 60);
    assert_int_equal(w.back, 0);
    assert_true(w.slowest > 1 - EVEN_PER_100 / 100 && w.fastest < 1 + EVEN_PER_100 / 100);
    stage_term(&s);
}

static void test_wrong_prediction_glides_between_ticks(void **state) {
    (void)state;
    stage s;
    watch w = {0};
    stage_init_watched(&s, &w, 8);
    for (int i = 0; i < 60; ++i) {
        stage_tick(&s);
    }
    w.body = s.t.ball; // which lies still
    w.begin_ns = 0;
    iso_command jump = impulse_on(s.t.ball, 0);
    jump.kind = ISO_COMMAND_SET_VELOCITY;
    jump.as.set_velocity = (iso_command_set_velocity){.body = s.t.ball, .velocity = {5 * ISO_WIDE_ONE, 0}};
    stage_pass(&s);
    other_does(&s, jump);
    stage_seal(&s);
    w.furthest = 0;
    for (int i = 0; i < 30; ++i) {
        stage_tick(&s);
    }
    // 5 m/s are 35 mm a frame, and an eighth of what 5 ticks are off is 52 mm a tick, 22 a frame. At once it would be
    // 0.4 m.
    print_message("rolled back: at most %.3f m in a frame\n", w.furthest);
    assert_true(w.furthest > 0.03 && w.furthest < 0.08);
    iso_client_pose pose;
    assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &pose), ISO_OK);
    assert_true(pose.position.x - w.last.position.x < ISO_WIDE_ONE / 4);
    stage_term(&s);
}

static void test_bodies_that_a_rollback_brings_are_shown(void **state) {
    (void)state;
    stage s;
    watch w = {0};
    stage_init_watched(&s, &w, 8);
    stage_pass(&s);
    other_does(&s, spawn_at(2));
    stage_seal(&s);
    const iso_world *ahead = iso_client_predicted_world(s.t.client);
    const iso_body_id body = iso_body_next(ahead, w.body.index + 1);
    iso_client_pose pose;
    iso_body_view view;
    assert_int_equal(iso_body_get(ahead, body, &view), ISO_OK);
    assert_int_equal(iso_client_body_pose_at(s.t.client, s.t.now_ns, body, &pose), ISO_OK);
    assert_true(pose.position.y == view.position.y);
    stage_term(&s);
}

static void test_end_of_the_prediction_is_glided_over(void **state) {
    (void)state;
    stage s;
    watch w = {0};
    stage_init_watched(&s, &w, 8);
    stage_tick(&s);
    s.t.client->reconnect_ns = 60 * S;
    iso_client_pose before, after, confirmed;
    s.t.now_ns += S / 20;
    assert_int_equal(iso_client_body_pose_at(s.t.client, s.t.now_ns, w.body, &before), ISO_OK);
    talk_event(&s.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
    assert_ptr_equal(iso_client_predicted_world(s.t.client), iso_client_world(s.t.client));
    assert_int_equal(iso_client_body_pose_at(s.t.client, s.t.now_ns, w.body, &after), ISO_OK);
    assert_int_equal(after.position.x, before.position.x);
    iso_body_view view;
    assert_int_equal(iso_body_get(iso_client_world(s.t.client), w.body, &view), ISO_OK);
    assert_true(before.position.x - view.position.x > ISO_WIDE_ONE / 10);
    assert_int_equal(iso_client_body_pose(s.t.client, w.body, &confirmed), ISO_OK);
    assert_int_equal(confirmed.position.x, before.position.x);
    stage_term(&s);
}

static void test_items_are_drawn_at_the_displayed_poses(void **state) {
    (void)state;
    for (int interpolate = 0; interpolate <= 1; ++interpolate) {
        talk t;
        iso_client_config config = display_config(&t);
        config.interpolate = interpolate == 1;
        talk_init(&t, &config);
        const iso_body_id body = train_add(&t);
        iso_draw draw;
        assert_int_equal(iso_client_draw_begin(t.client, t.now_ns, ISO_DRAW_BODIES, &draw), ISO_ERR_STATE);
        talk_activate(&t);
        for (int i = 0; i < 30; ++i) {
            talk_step(&t);
        }
        iso_client_pose pose, newest;
        assert_int_equal(iso_client_body_pose(t.client, body, &newest), ISO_OK);
        pose = newest;
        if (interpolate == 1) {
            assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns + 5 * MS, body, &pose), ISO_OK);
            assert_true(pose.position.x < newest.position.x);
        }
        uint32_t found = 0;
        assert_int_equal(iso_client_draw_begin(t.client, t.now_ns + 5 * MS, ISO_DRAW_BODIES, &draw), ISO_OK);
        for (const iso_draw_item *item; (item = iso_draw_next(&draw)) != NULL;) {
            if (iso_body_id_equal(item->body, body)) {
                assert_int_equal(item->points[0].x, pose.position.x);
                found += 1;
            }
        }
        assert_int_equal(found, 1);
        talk_term(&t);
    }
}

static void test_nothing_is_allocated_for_frames_while_playing(void **state) {
    (void)state;
    talk t;
    iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    talk_activate(&t);
    t.refuse_above = 1;
    t.largest = 0;
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
    }
    assert_int_equal(t.largest, 0);
    talk_term(&t);
    iso_client *client;
    config.verify = false;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion_is_even_on_a_faster_screen),
        cmocka_unit_test(test_pose_is_on_the_way_between_two_ticks),
        cmocka_unit_test(test_body_that_is_put_elsewhere_does_not_slide_there),
        cmocka_unit_test(test_bodies_come_and_go),
        cmocka_unit_test(test_replaced_world_is_glided_into),
        cmocka_unit_test(test_rewound_world_is_glided_into),
        cmocka_unit_test(test_predicted_motion_is_even),
        cmocka_unit_test(test_wrong_prediction_glides_between_ticks),
        cmocka_unit_test(test_bodies_that_a_rollback_brings_are_shown),
        cmocka_unit_test(test_end_of_the_prediction_is_glided_over),
        cmocka_unit_test(test_items_are_drawn_at_the_displayed_poses),
        cmocka_unit_test(test_nothing_is_allocated_for_frames_while_playing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
