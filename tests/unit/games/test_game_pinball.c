/// Pinball on its built-in table: the lane and its gate, bumpers, the saver, the drain, flippers, members, detours.
#include <math.h>

#include "test_game_util.h"
#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

#define GAME    (&iso_game_pinball)
#define MEMBERS 4

enum { EVENT_HIT = 1, EVENT_DRAINED = 2 };
enum { LEFT = 1, RIGHT = 2 };

/// The table, with so many members.
static iso_world *table(uint32_t members) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find("pinball");
    const iso_game *const games[] = {GAME};
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene = NULL;
    void *memory = NULL;
    iso_world *built = NULL;
    assert_int_equal(iso_scene_parse(builtin->text, builtin->size, games, 1, &scene, NULL), ISO_OK);
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &built, NULL), ISO_OK);
    const size_t size = iso_snapshot_size(built);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(iso_snapshot_encode(built, bytes, size), size);
    iso_world *world = util_world_create(iso_world_get_def(built), GAME);
    assert_int_equal(iso_snapshot_decode(world, bytes, size), ISO_OK);
    free(bytes);
    free(memory);
    iso_scene_free(scene);
    const iso_change joins[MEMBERS] = {
        {ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}, {ISO_CHANGE_JOIN, 2, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    util_step(world, joins, members, NULL, 0);
    return world;
}

static double ball_x(const iso_world *world, uint32_t slot) {
    return util_metres(util_player(world, slot).position.x);
}

static double ball_y(const iso_world *world, uint32_t slot) {
    return util_metres(util_player(world, slot).position.y);
}

static iso_wide wide(double value) {
    return (iso_wide)(value * 4294967296.0);
}

static void throw_ball(iso_world *world, uint32_t slot, double x, double y, double vx, double vy) {
    const iso_body_id ball = iso_world_get_player_body(world, slot);
    assert_int_equal(iso_body_set_position(world, ball, (iso_vec2_wide){wide(x), wide(y)}, 0), ISO_OK);
    assert_int_equal(iso_body_set_velocity(world, ball, (iso_vec2_wide){wide(vx), wide(vy)}, 0), ISO_OK);
}

/// The points of the last step's event of that code, of slot 0; -1 when there is none.
static int points_of(const iso_world *world, uint32_t code) {
    iso_events events;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.emit_count; ++i) {
        uint32_t numbers[2];
        memcpy(numbers, events.emits[i].bytes, sizeof numbers);
        if (events.emits[i].code == code && numbers[0] == 0) {
            return (int)numbers[1];
        }
    }
    return -1;
}

/// Until the ball of slot 0 has come out of the gate.
static void play_ball(iso_world *world) {
    for (int tick = 0; ball_x(world, 0) > 4; ++tick) {
        assert_true(tick < 200);
        util_steps(world, 1);
    }
}

static void test_gate_lets_out_and_not_in(void **state) {
    (void)state;
    iso_world *world = table(1);
    assert_true(ball_x(world, 0) > 5.5 && ball_y(world, 0) < 1);
    play_ball(world);
    throw_ball(world, 0, 4, 15, 9, 3);
    double most = 0;
    for (int tick = 0; tick < 40; ++tick) {
        util_steps(world, 1);
        most = fmax(most, ball_x(world, 0));
    }
    print_message("comes as far as %.2f m\n", most);
    assert_true(most > 4.7 && most < 4.95); // the gate's border, less the ball's radius
    assert_true(util_metres(util_player(world, 0).velocity.x) < -1);
    util_world_free(world);
}

/// From above, straight onto the uppermost bumper. @param points  of the hit. @return the speed upwards behind it
static double bounce(double speed, int *points) {
    iso_world *world = table(1);
    play_ball(world);
    throw_ball(world, 0, 0, 14.5, 0, -speed);
    *points = -1;
    for (int tick = 0; *points < 0; ++tick) {
        assert_true(tick < 120);
        util_steps(world, 1);
        *points = points_of(world, EVENT_HIT);
    }
    const double up = util_metres(util_player(world, 0).velocity.y);
    util_world_free(world);
    return up;
}

/// A hit at v leaves with e v, e = 0.5, and is kicked with (1 + e) v, from 2 to 8 m/s.
static void test_bumper_kicks_as_hard_as_it_was_hit(void **state) {
    (void)state;
    for (double thrown = 0; thrown < 20; thrown += 2) {
        int points;
        // It falls 0.55 m at 6 m/s^2 on its way.
        const double speed = sqrt(thrown * thrown + 2 * 6 * 0.55), up = bounce(thrown, &points);
        const double kick = fmin(fmax(1.5 * speed, 2), 8);
        print_message("hit at %.2f m/s: %.2f m/s up, %d points\n", speed, up, points);
        assert_true(fabs(up - (0.5 * speed + kick)) < 0.4);
        assert_true(points >= 10 * (int)(kick - 0.4) && points <= 10 * (int)(kick + 0.4));
    }
}

static void test_saver_holds_young_balls(void **state) {
    (void)state;
    iso_world *world = table(1);
    play_ball(world);
    // A young ball comes back up, however often.
    for (int i = 0; i < 3; ++i) {
        throw_ball(world, 0, 0, 2, 0, -3);
        util_steps(world, 30);
        assert_true(ball_y(world, 0) > 1.2 && fabs(ball_x(world, 0)) < 1);
    }
    throw_ball(world, 0, 0, 16, 0, 0);
    util_steps(world, 300); // save_time
    const iso_body_id ball = iso_world_get_player_body(world, 0);
    throw_ball(world, 0, 0, 2, 0, -3);
    int points = -1, ticks = 0;
    for (; points < 0 && ticks < 60; ++ticks) {
        util_steps(world, 1);
        points = points_of(world, EVENT_DRAINED);
    }
    assert_true(ticks < 40 && points > 0);
    // The same ball is in the lane again, on its way up, and saved again when it has come out.
    assert_true(iso_body_id_equal(ball, iso_world_get_player_body(world, 0)));
    assert_true(ball_x(world, 0) > 5.5 && util_metres(util_player(world, 0).velocity.y) > 15);
    play_ball(world);
    util_steps(world, 2);
    throw_ball(world, 0, 0, 2, 0, -3);
    util_steps(world, 30);
    assert_true(ball_y(world, 0) > 1.2 && points_of(world, EVENT_DRAINED) < 0);
    util_world_free(world);
}

/// One is saved and the other is not, at the same place and time.
static void test_saver_is_open_for_one_and_closed_for_another(void **state) {
    (void)state;
    iso_world *world = table(1);
    play_ball(world);
    throw_ball(world, 0, -1.5, 16, 0, 0);
    util_steps(world, 200);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    util_step(world, &join, 1, NULL, 0);
    util_steps(world, 120);
    assert_true(ball_x(world, 1) < 4.7);
    throw_ball(world, 0, -1, 1.8, 0, -3);
    throw_ball(world, 1, 1, 1.8, 0, -3);
    bool has_drained = false;
    for (int tick = 0; tick < 30; ++tick) {
        util_steps(world, 1);
        has_drained = has_drained || points_of(world, EVENT_DRAINED) >= 0;
        assert_true(ball_y(world, 1) > 1.2);
    }
    assert_true(has_drained);
    util_world_free(world);
}

static void test_balls_pass_each_other_in_the_lane_and_meet_in_play(void **state) {
    (void)state;
    iso_world *world = table(MEMBERS);
    double highest[MEMBERS] = {0};
    for (int tick = 0; tick < 66; ++tick) { // all are in the lane
        util_steps(world, 1);
        for (uint32_t slot = 0; slot < MEMBERS; ++slot) {
            assert_true(fabs(ball_x(world, slot) - 5.9) < 0.01);
            highest[slot] = ball_y(world, slot);
        }
    }
    // Chance has given them different speeds.
    assert_true(highest[0] != highest[1] && highest[1] != highest[2] && highest[2] != highest[3]);
    util_steps(world, 80);
    throw_ball(world, 0, -1, 16, 4, 0);
    throw_ball(world, 1, 1, 16, -4, 0);
    util_steps(world, 30);
    assert_true(ball_x(world, 0) < 0 && ball_x(world, 1) > 0);
    util_world_free(world);
}

static double flipper_turns(const iso_world *world, uint32_t tag) {
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation; j = iso_joint_next(world, j.index + 1)) {
        iso_joint_def def;
        iso_wide angle;
        if (iso_joint_get(world, j, &def) == ISO_OK && def.tag == tag) {
            assert_int_equal(iso_joint_get_angle(world, j, &angle), ISO_OK);
            return util_metres(angle);
        }
    }
    fail();
    return 0;
}

static void test_buttons_of_all_members_raise_the_flippers(void **state) {
    (void)state;
    iso_world *world = table(2);
    util_steps(world, 10);
    const double low = flipper_turns(world, LEFT);
    util_hold(world, 1, 0, 0, LEFT, 20);
    assert_true(flipper_turns(world, LEFT) - low > 0.8 && fabs(flipper_turns(world, RIGHT) - low) < 0.05);
    util_hold(world, 0, 0, 0, RIGHT, 20);
    assert_true(flipper_turns(world, RIGHT) < -0.8);
    util_steps(world, 40); // nobody holds anything
    assert_true(fabs(flipper_turns(world, LEFT)) < 0.05 && fabs(flipper_turns(world, RIGHT)) < 0.05);
    util_world_free(world);
}

static void test_stick_nudges_the_own_ball(void **state) {
    (void)state;
    iso_world *world = table(2);
    play_ball(world);
    throw_ball(world, 0, 0, 16, 0, 0);
    throw_ball(world, 1, 2, 16, 0, 0);
    util_hold(world, 0, -FULL, 0, 0, 20);
    assert_true(ball_x(world, 0) < -0.04 && fabs(ball_x(world, 1) - 2) < 0.01);
    util_world_free(world);
}

static void test_members_come_and_go(void **state) {
    (void)state;
    iso_world *world = table(2);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 10);
    util_steps(world, 150);
    assert_int_equal(util_give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_true(ball_x(world, 0) < 5);
    assert_int_equal(util_give_custom(world, 0, "\1", 1), ISO_OK);
    assert_true(ball_x(world, 0) > 5.5 && ball_y(world, 0) < 2);
    iso_command command = {.kind = ISO_COMMAND_DESTROY_BODY};
    command.as.destroy_body.body = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give(world, 0, &command), ISO_ERR_REFUSED);
    const iso_change leave = {ISO_CHANGE_LEAVE, 1, 1};
    util_step(world, &leave, 1, NULL, 0);
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 9);
    // A ball that is gone is replaced.
    assert_int_equal(iso_body_destroy(world, iso_world_get_player_body(world, 0)), ISO_OK);
    util_steps(world, 1);
    assert_true(ball_x(world, 0) > 5.5);
    util_world_free(world);
}

static void play(iso_world *world, int tick) {
    util_hold(world, (uint8_t)(tick / 7 % 3), tick % 90 > 60 ? FULL : 0, 0, (uint32_t)(tick / 20 % 4), 1);
}

static void test_detours_leave_no_trace(void **state) {
    (void)state;
    iso_world *straight = table(3), *disturbed = table(3);
    uint32_t random = 11;
    for (int tick = 0; tick < 900; ++tick) {
        play(straight, tick);
        play(disturbed, tick);
        assert_true(iso_world_root(straight) == iso_world_root(disturbed));
        random = random * 1664525u + 1013904223u;
        if (random >> 28 == 0) {
            disturbed = util_recode(disturbed, GAME);
        } else if (random >> 28 < 3) {
            util_roll_back(disturbed, 1 + (int)(random >> 20 & 7));
        } else if (random >> 28 < 5) {
            iso_world_drop_caches(disturbed);
        }
    }
    util_world_free(straight);
    util_world_free(disturbed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_lets_out_and_not_in),
        cmocka_unit_test(test_bumper_kicks_as_hard_as_it_was_hit),
        cmocka_unit_test(test_saver_holds_young_balls),
        cmocka_unit_test(test_saver_is_open_for_one_and_closed_for_another),
        cmocka_unit_test(test_balls_pass_each_other_in_the_lane_and_meet_in_play),
        cmocka_unit_test(test_buttons_of_all_members_raise_the_flippers),
        cmocka_unit_test(test_stick_nudges_the_own_ball),
        cmocka_unit_test(test_members_come_and_go),
        cmocka_unit_test(test_detours_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
