/// Walkers: standing, walking, pushes, jumps, falls, members.
#include <math.h>

#include "test_game_util.h"

#define GAME (&iso_game_walker)

static double torso_x(const iso_world *world, uint32_t slot) {
    return util_metres(util_player(world, slot).position.x);
}

/// [turns]
static double torso_lean(const iso_world *world, uint32_t slot) {
    const double turns = util_metres(util_player(world, slot).angle_turns);
    return turns - floor(turns + 0.5);
}

/// Upright and at its height, in the body that it had.
static void assert_stands(const iso_world *world, uint32_t slot, iso_body_id body) {
    assert_true(iso_body_id_equal(iso_world_get_player_body(world, slot), body));
    const iso_body_view torso = util_player(world, slot);
    assert_true(util_metres(torso.position.y) > 0.7 && util_metres(torso.position.y) < 0.9);
    assert_true(fabs(torso_lean(world, slot)) < 0.02);
    assert_true(fabs(util_metres(torso.velocity.x)) < 0.3 && fabs(util_metres(torso.velocity.y)) < 0.3);
}

/// The lowest body of a member's walker [m].
static double lowest_origin(const iso_world *world, uint32_t slot) {
    double lowest = INFINITY;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        if (view.tag == slot + 1) {
            lowest = fmin(lowest, util_metres(view.position.y));
        }
    }
    return lowest;
}

static void push(iso_world *world, uint8_t slot, double impulse) {
    const iso_body_view torso = util_player(world, slot);
    iso_command command = {.kind = ISO_COMMAND_APPLY_IMPULSE};
    command.as.apply_impulse.body = iso_world_get_player_body(world, slot);
    command.as.apply_impulse.impulse.x = (iso_wide)(impulse * 4294967296.0);
    command.as.apply_impulse.point = (iso_vec2){iso_fix16_from_wide(torso.centre.x), iso_fix16_from_wide(torso.centre.y)};
    assert_int_equal(util_give(world, slot, &command), ISO_OK);
}

static void test_stands_for_ten_seconds(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    const double place = torso_x(world, 0);
    for (int second = 0; second < 10; ++second) {
        util_steps(world, 60);
        assert_stands(world, 0, body);
        assert_true(fabs(torso_x(world, 0) - place) < 0.05);
    }
    util_world_free(world);
}

static void test_walks_right_and_back(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    const double begin = torso_x(world, 0);
    util_hold(world, 0, FULL, 0, 0, 600);
    const double turn = torso_x(world, 0);
    assert_true(turn - begin > 7); // a metre a second was asked for, three metres were promised
    util_hold(world, 0, -FULL, 0, 0, 600);
    assert_true(turn - torso_x(world, 0) > 7);
    util_steps(world, 180);
    assert_stands(world, 0, body);
    util_world_free(world);
}

static void test_walks_slowly_when_asked_to(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    const double begin = torso_x(world, 0);
    util_hold(world, 0, FULL / 2, 0, 0, 600);
    const double way = torso_x(world, 0) - begin;
    assert_true(way > 3 && way < 9);
    util_hold(world, 0, FULL / 20, 0, 0, 120); // no wish
    const double rest = torso_x(world, 0);
    util_steps(world, 120);
    assert_true(fabs(torso_x(world, 0) - rest) < 0.1);
    util_world_free(world);
}

static void test_keeps_its_balance_when_pushed(void **state) {
    (void)state;
    static const double impulses[] = {-100, -80, -60, -40, -20, 20, 40, 60, 80, 100}; // [N s], on 62 kg
    for (size_t i = 0; i < sizeof impulses / sizeof impulses[0]; ++i) {
        iso_world *world = util_game_world(GAME, 1);
        util_steps(world, 180);
        const iso_body_id body = iso_world_get_player_body(world, 0);
        push(world, 0, impulses[i]);
        util_steps(world, 300);
        assert_stands(world, 0, body);
        util_world_free(world);
    }
}

static void test_jumps_and_lands_standing(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 180);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    double highest = 0;
    for (int tick = 0; tick < 120; ++tick) {
        util_hold(world, 0, 0, 0, tick < 3, 1);
        highest = fmax(highest, lowest_origin(world, 0));
    }
    assert_true(highest > 0.2); // all of it was in the air
    util_steps(world, 180);
    assert_stands(world, 0, body);
    // Held down, the button jumps once.
    highest = 0;
    util_hold(world, 0, 0, 0, 1, 120);
    for (int tick = 0; tick < 60; ++tick) {
        util_hold(world, 0, 0, 0, 1, 1);
        highest = fmax(highest, lowest_origin(world, 0));
    }
    assert_true(highest < 0.1);
    util_world_free(world);
}

static void test_falls_and_stands_up_anew(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 180);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    push(world, 0, 250);
    util_steps(world, 100);
    assert_true(util_metres(util_player(world, 0).position.y) < 0.5);
    const double lies = torso_x(world, 0);
    util_steps(world, 240);
    const iso_body_id anew = iso_world_get_player_body(world, 0);
    assert_false(iso_body_id_equal(anew, body));
    assert_stands(world, 0, anew);
    assert_true(fabs(torso_x(world, 0) - lies) < 1.5);
    util_world_free(world);
}

static void test_each_member_has_a_walker_of_its_own(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 3);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 31);
    assert_int_equal(counts.joints, 27);
    util_steps(world, 120);
    const double places[3] = {torso_x(world, 0), torso_x(world, 1), torso_x(world, 2)};
    util_hold(world, 1, FULL, 0, 0, 240);
    assert_true(fabs(torso_x(world, 0) - places[0]) < 0.1 && fabs(torso_x(world, 2) - places[2]) < 0.1);
    assert_true(torso_x(world, 1) - places[1] > 2);
    const iso_change leave = {ISO_CHANGE_LEAVE, 1, 1};
    util_step(world, &leave, 1, NULL, 0);
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 21);
    assert_int_equal(counts.joints, 18);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    util_world_free(world);
}

static void test_walkers_pass_each_other(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 2);
    util_steps(world, 120);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    assert_true(torso_x(world, 0) < torso_x(world, 1));
    util_hold(world, 0, FULL, 0, 0, 300);
    assert_true(torso_x(world, 0) > torso_x(world, 1) + 1);
    util_steps(world, 120);
    assert_stands(world, 0, body);
    util_world_free(world);
}

static void test_members_may_push_but_not_take_apart(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 2);
    iso_command command = {.kind = ISO_COMMAND_DESTROY_BODY};
    command.as.destroy_body.body = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give(world, 0, &command), ISO_ERR_REFUSED);
    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_APPLY_IMPULSE;
    command.as.apply_impulse.body = iso_world_get_player_body(world, 1);
    assert_int_equal(util_give(world, 0, &command), ISO_ERR_NOT_OWNER);
    const iso_body_id before = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\1", 1), ISO_OK);
    assert_false(iso_body_id_equal(iso_world_get_player_body(world, 0), before));
    util_world_free(world);
}

static void test_a_walker_that_does_not_fit_leaves_nothing(void **state) {
    (void)state;
    iso_world_def def = util_game_def(GAME);
    def.joint_capacity = 14; // one and a half
    iso_world *world = util_world_create(&def, GAME);
    const iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE, &floor);
    iso_world_start(world);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}};
    util_step(world, joins, 2, NULL, 0);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 11);
    assert_int_equal(counts.joints, 9);
    assert_int_equal(util_give_custom(world, 1, "\1", 1), ISO_ERR_CAPACITY);
    // It comes when there is room.
    const iso_change leave = {ISO_CHANGE_LEAVE, 0, 1};
    util_step(world, &leave, 1, NULL, 0);
    util_steps(world, 1);
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.joints, 9);
    assert_int_not_equal(iso_world_get_player_body(world, 1).generation, 0);
    util_world_free(world);
}

static void play(iso_world *world, int tick) {
    const uint8_t slot = (uint8_t)(tick / 7 % 3);
    util_hold(world, slot, tick % 200 < 120 ? FULL : -FULL, 0, tick % 90 > 80, 1);
}

static void test_detours_leave_no_trace(void **state) {
    (void)state;
    util_expect_same_roots(GAME, 400, play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands_for_ten_seconds),
        cmocka_unit_test(test_walks_right_and_back),
        cmocka_unit_test(test_walks_slowly_when_asked_to),
        cmocka_unit_test(test_keeps_its_balance_when_pushed),
        cmocka_unit_test(test_jumps_and_lands_standing),
        cmocka_unit_test(test_falls_and_stands_up_anew),
        cmocka_unit_test(test_each_member_has_a_walker_of_its_own),
        cmocka_unit_test(test_walkers_pass_each_other),
        cmocka_unit_test(test_members_may_push_but_not_take_apart),
        cmocka_unit_test(test_a_walker_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(test_detours_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
