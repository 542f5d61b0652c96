/// What is shown of bodies in space: rotations between two ticks, and how what a prediction was off by fades.
#include "display.h"
#include "test_client_stage.h"

#include <math.h>

static double metres(iso_wide wide) {
    return (double)wide / (double)ISO_WIDE_ONE;
}

static double distance(iso_vec3_wide a, iso_vec3_wide b) {
    return sqrt(pow(metres(a.x - b.x), 2) + pow(metres(a.y - b.y), 2) + pow(metres(a.z - b.z), 2));
}

static double angle(iso_quat a, iso_quat b) {
    return metres(iso_quat_angle(a, b));
}

/// A body that flies and tumbles, in the server's world before anybody joins.
static iso_body_id tumbler_add(talk *t) {
    iso_body3_def def = iso_body3_def_default();
    iso_body_id id;
    def.type = ISO_BODY_KINEMATIC;
    def.position = (iso_vec3_wide){-100 * ISO_WIDE_ONE, 0, 0};
    def.velocity = (iso_vec3_wide){3 * ISO_WIDE_ONE, 0, -2 * ISO_WIDE_ONE};
    def.angular_velocity = (iso_vec3_wide){4 * ISO_WIDE_ONE, -3 * ISO_WIDE_ONE, 12 * ISO_WIDE_ONE}; // 13 rad/s
    assert_int_equal(iso_body3_create(t->world, &def, &id), ISO_OK);
    t->root = iso_world_root(t->world);
    return id;
}

static iso_client_pose3 pose_at(const talk *t, uint64_t now_ns, iso_body_id body) {
    iso_client_pose3 pose;
    assert_int_equal(iso_client_body_pose3_at(t->client, now_ns, body, &pose), ISO_OK);
    return pose;
}

static iso_client_pose3 pose_now(const talk *t, iso_body_id body) {
    iso_client_pose3 pose;
    assert_int_equal(iso_client_body_pose3(t->client, body, &pose), ISO_OK);
    return pose;
}

static int in_space(void **state) {
    (void)state;
    talk_games[0] = &iso_game_sandbox3;
    return 0;
}

static int in_the_plane(void **state) {
    (void)state;
    talk_games[0] = &iso_game_sandbox;
    return 0;
}

static iso_client_config display_config(talk *t) {
    iso_client_config config = talk_config(t);
    config.interpolate = true;
    return config;
}

static void test_pose_in_space_is_on_the_way_between_two_ticks(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = tumbler_add(&t);
    talk_activate(&t);
    iso_client_pose3 poses[8] = {0};
    uint32_t seen = 0;
    for (int i = 0; i < 200; ++i) {
        talk_step(&t);
        poses[talk_tick(&t) % 8] = pose_now(&t, body);
        for (uint64_t ns = 0; i >= 100 && ns < S / 60; ns += 700000) {
            uint64_t tick;
            const uint32_t alpha = iso_client_alpha(t.client, t.now_ns + ns, &tick);
            const double part = alpha / 65536.0;
            const iso_client_pose3 *a = &poses[tick % 8], *b = alpha == 0 ? a : &poses[(tick + 1) % 8];
            const iso_client_pose3 pose = pose_at(&t, t.now_ns + ns, body);
            assert_int_equal(pose.position.x, a->position.x + (b->position.x - a->position.x) * alpha / 65536);
            assert_int_equal(pose.position.z, a->position.z + (b->position.z - a->position.z) * alpha / 65536);
            // On the shortest way: the parts of the angle are those of the time, and their sum is the whole.
            const double whole = angle(a->rotation, b->rotation);
            assert_true(alpha == 0 || fabs(whole - 13.0 / 60) < 1e-3);
            assert_true(fabs(angle(a->rotation, pose.rotation) - part * whole) < 1e-5);
            assert_true(fabs(angle(pose.rotation, b->rotation) - (1 - part) * whole) < 1e-5);
            seen += alpha > 8192 && alpha < 57344;
        }
    }
    assert_true(seen > 500);
    talk_term(&t);
}

static void test_body_in_space_that_is_put_elsewhere_does_not_slide_there(void **state) {
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    const iso_body_id body = tumbler_add(&t);
    talk_activate(&t);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
    }
    iso_world *worlds[2] = {t.world, t.client->world};
    const iso_vec3_wide there = {-100 * ISO_WIDE_ONE, 0, 50 * ISO_WIDE_ONE};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(iso_body3_set_position(worlds[i], body, there, iso_quat_identity()), ISO_OK);
    }
    bool is_there = false;
    for (int i = 0; i < 4; ++i) {
        talk_step(&t);
        for (uint64_t ns = 0; ns < S / 60; ns += MS / 2) {
            const double z = metres(pose_at(&t, t.now_ns + ns, body).position.z);
            assert_true(z > 48 || (!is_there && z < 0));
            is_there = z > 48;
        }
    }
    assert_true(is_there);
    talk_term(&t);
}

/// Puts the ball of the predicted world right by `by` [m] and a turn about an axis [rad], as a rollback would.
static void put_right(stage *s, iso_wide by, iso_wide radians) {
    iso__client_predict *predict = s->t.client->predict;
    iso_body3_view view;
    assert_int_equal(iso_body3_get(predict->world, s->t.ball, &view), ISO_OK);
    iso__client_display_hold(s->t.client->display, predict->world);
    const iso_vec3 axis = {ISO_FIX16_ONE, 2 * ISO_FIX16_ONE, -ISO_FIX16_ONE};
    const iso_quat turn = iso_quat_from_axis_angle(axis, radians);
    view.position.x += by;
    view.position.z -= by / 2;
    assert_int_equal(
        iso_body3_set_position(predict->world, s->t.ball, view.position, iso_quat_mul(turn, view.rotation)), ISO_OK);
    iso__client_display_release(s->t.client->display, predict->world);
}

static void test_what_a_prediction_in_space_was_off_by_fades(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 30; ++i) {
        stage_tick(&s);
    }
    const iso_client_pose3 before = pose_now(&s.t, s.t.ball);
    put_right(&s, ISO_WIDE_ONE, ISO_WIDE_ONE);
    iso_body3_view view;
    assert_int_equal(iso_body3_get(s.t.client->predict->world, s.t.ball, &view), ISO_OK);
    assert_true(distance(pose_now(&s.t, s.t.ball).position, before.position) == 0);
    assert_true(angle(pose_now(&s.t, s.t.ball).rotation, before.rotation) < 1e-4);
    double left = 1;
    for (int tick = 0; tick < 40; ++tick) {
        const iso_client_pose3 pose = pose_now(&s.t, s.t.ball);
        assert_true(fabs(distance(pose.position, view.position) - left * sqrt(1.25)) < 1e-6);
        assert_true(fabs(angle(pose.rotation, view.rotation) - left) < 1e-4);
        // It turns about one axis: what is done and what is left are the whole.
        assert_true(fabs(angle(before.rotation, pose.rotation) - (1 - left)) < 1e-4);
        iso__client_display_fade(s.t.client->display);
        left *= 7.0 / 8;
    }
    for (int tick = 0; tick < 200; ++tick) {
        iso__client_display_fade(s.t.client->display);
    }
    const iso_client_pose3 pose = pose_now(&s.t, s.t.ball);
    assert_memory_equal(&pose.rotation, &view.rotation, sizeof(pose.rotation));
    assert_memory_equal(&pose.position, &view.position, sizeof(pose.position));
    stage_term(&s);
}

static void test_large_errors_in_space_are_not_smoothed(void **state) {
    (void)state;
    const struct {
        iso_wide by, radians;
        bool is_smoothed;
    } cases[] = {{3 * ISO_WIDE_ONE, 0, true},
                 {5 * ISO_WIDE_ONE, 0, false},
                 {0, 3 * ISO_WIDE_ONE / 2, true},
                 {0, 2 * ISO_WIDE_ONE, false},
                 {0, 5 * ISO_WIDE_ONE /* 1.28 */, true}};
    stage s;
    stage_init(&s, 8);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        stage_tick(&s);
        for (int tick = 0; tick < 300; ++tick) {
            iso__client_display_fade(s.t.client->display);
        }
        const iso_client_pose3 before = pose_now(&s.t, s.t.ball);
        put_right(&s, cases[i].by, cases[i].radians);
        const iso_client_pose3 after = pose_now(&s.t, s.t.ball);
        const bool is_still =
            distance(before.position, after.position) < 1e-6 && angle(before.rotation, after.rotation) < 1e-4;
        assert_int_equal(is_still, cases[i].is_smoothed);
    }
    stage_term(&s);
}

typedef struct watch {
    iso_client_pose3 last;
    bool is_begun;
    double furthest, widest; // [m] and [rad] in one frame
} watch;

static void stage_frame(stage *s, uint64_t now_ns) {
    watch *w = s->user;
    const iso_client_pose3 pose = pose_at(&s->t, now_ns, s->t.ball);
    if (w->is_begun) {
        w->furthest = fmax(w->furthest, distance(pose.position, w->last.position));
        w->widest = fmax(w->widest, angle(pose.rotation, w->last.rotation));
    }
    w->is_begun = true;
    w->last = pose;
}

static void test_wrong_prediction_in_space_glides_between_ticks(void **state) {
    (void)state;
    stage s;
    stage_init_with(&s, 8, 2, true);
    for (int i = 0; i < 60; ++i) {
        stage_tick(&s);
    }
    watch w = {0};
    s.frame = stage_frame;
    s.user = &w;
    s.frame_ns = s.t.now_ns;
    iso_command jump = {.kind = ISO_COMMAND_SET_VELOCITY3};
    jump.as.set_velocity3 = (iso_command_set_velocity3){
        .body = s.t.ball, .velocity = {5 * ISO_WIDE_ONE, 0, 0}, .angular_velocity = {0, 5 * ISO_WIDE_ONE, 0}};
    stage_pass(&s);
    other_does(&s, jump);
    stage_seal(&s);
    for (int i = 0; i < 30; ++i) {
        stage_tick(&s);
    }
    // 5 m/s and 5 rad/s are 35 mm and 35 mrad a frame; an eighth of what 5 ticks are off adds 22. At once it would be
    // 0.4.
    print_message("rolled back: at most %.3f m and %.3f rad in a frame\n", w.furthest, w.widest);
    assert_true(stage_stats(&s).rollbacks > 0);
    assert_true(w.furthest > 0.03 && w.furthest < 0.08);
    assert_true(w.widest > 0.03 && w.widest < 0.08);
    stage_term(&s);
}

static void test_poses_are_those_of_their_kind_of_world(void **state) {
    const bool is_space = talk_in_space();
    (void)state;
    talk t;
    const iso_client_config config = display_config(&t);
    talk_init(&t, &config);
    iso_client_pose pose;
    iso_client_pose3 pose3;
    assert_int_equal(iso_client_body_pose3(t.client, t.ball, &pose3), ISO_ERR_STATE);
    assert_int_equal(iso_client_body_pose3_at(t.client, t.now_ns, t.ball, &pose3), ISO_ERR_STATE);
    talk_activate(&t);
    talk_step(&t);
    const iso_status plane = is_space ? ISO_ERR_DIMENSION : ISO_OK, space = is_space ? ISO_OK : ISO_ERR_DIMENSION;
    assert_int_equal(iso_client_body_pose(t.client, t.ball, &pose), plane);
    assert_int_equal(iso_client_body_pose_at(t.client, t.now_ns, t.ball, &pose), plane);
    assert_int_equal(iso_client_body_pose3(t.client, t.ball, &pose3), space);
    assert_int_equal(iso_client_body_pose3_at(t.client, t.now_ns, t.ball, &pose3), space);
    const iso_body_id none = {60, 1};
    assert_int_equal(iso_client_body_pose3_at(t.client, t.now_ns, none, &pose3), ISO_ERR_STALE);
    talk_term(&t);
}

int main(void) {
#define IN_SPACE(test) cmocka_unit_test_setup(test, in_space)
    const struct CMUnitTest tests[] = {
        IN_SPACE(test_pose_in_space_is_on_the_way_between_two_ticks),
        IN_SPACE(test_body_in_space_that_is_put_elsewhere_does_not_slide_there),
        IN_SPACE(test_what_a_prediction_in_space_was_off_by_fades),
        IN_SPACE(test_large_errors_in_space_are_not_smoothed),
        IN_SPACE(test_wrong_prediction_in_space_glides_between_ticks),
        IN_SPACE(test_poses_are_those_of_their_kind_of_world),
        cmocka_unit_test_setup(test_poses_are_those_of_their_kind_of_world, in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
