/// Hounds: standing, trotting to both sides, crouching, falling, members, detours.
#include <math.h>

#include "test_game_util.h"
#include "isostep/games.h"

#define GAME (&iso_game_hound)

static double trunk_x(const iso_world *world) {
    return util_metres(util_player(world, 0).position.x);
}

static double trunk_y(const iso_world *world) {
    return util_metres(util_player(world, 0).position.y);
}

/// [turns]
static double trunk_lean(const iso_world *world) {
    const double turns = util_metres(util_player(world, 0).angle_turns);
    return turns - floor(turns + 0.5);
}

static void push(iso_world *world, double impulse) {
    const iso_body_view trunk = util_player(world, 0);
    assert_int_equal(iso_body_apply_impulse(world, iso_world_get_player_body(world, 0),
                                            (iso_vec2_wide){(iso_wide)(impulse * 4294967296.0), 0}, trunk.centre),
                     ISO_OK);
}

/// Holds the stick. @return the greatest lean of the trunk [turns]
static double hold(iso_world *world, int16_t x, int16_t y, int ticks) {
    double most = 0;
    for (int tick = 0; tick < ticks; ++tick) {
        util_hold(world, 0, x, y, 0, 1);
        most = fmax(most, fabs(trunk_lean(world)));
    }
    return most;
}

static void test_stands_and_crouches(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    const double x = trunk_x(world), y = trunk_y(world);
    assert_true(y > 0.4 && y < 0.5);
    assert_true(hold(world, 0, 0, 600) < 0.02);
    assert_true(fabs(trunk_x(world) - x) < 0.05 && fabs(trunk_y(world) - y) < 0.01);
    hold(world, 0, -FULL, 120);
    print_message("stands at %.3f m, crouches at %.3f m\n", y, trunk_y(world));
    assert_true(trunk_y(world) < y - 0.08);
    util_world_free(world);
}

static void test_trots_to_both_sides(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        for (int start = 0; start < 4; ++start) {
            iso_world *world = util_game_world(GAME, 1);
            util_steps(world, 60 + 7 * start);
            push(world, 4 * (start - 2));
            util_steps(world, 20);
            const double begin = trunk_x(world);
            const double lean = hold(world, (int16_t)(side * FULL), 0, 1200);
            const double way = side * (trunk_x(world) - begin);
            print_message("side %d, start %d: %.1f m in 20 s, lean %.3f turns\n", side, start, way, lean);
            assert_true(way > 20 && way < 34 && lean < 0.06);
            hold(world, (int16_t)(-side * FULL), 0, 300);
            assert_true(side * (trunk_x(world) - begin) < way - 2);
            util_world_free(world);
        }
    }
}

static void test_is_made_anew_when_it_lies_on_its_back(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    iso_body_view trunk = util_player(world, 0);
    assert_int_equal(iso_body_apply_angular_impulse(world, body, 60 * trunk.inertia), ISO_OK);
    push(world, 50);
    int ticks = 0;
    while (iso_body_id_equal(iso_world_get_player_body(world, 0), body) && ticks < 900) {
        if (fabs(trunk_lean(world)) < 0.2 && ticks % 60 == 59) { // it came to stand: once more
            trunk = util_player(world, 0);
            iso_body_apply_angular_impulse(world, body, 60 * trunk.inertia);
        }
        util_steps(world, 1);
        ++ticks;
    }
    assert_true(ticks > 120 && ticks < 900);
    util_steps(world, 120);
    assert_true(fabs(trunk_lean(world)) < 0.02 && trunk_y(world) > 0.4);
    util_world_free(world);
}

static void test_members_come_and_go(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 3);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 31);
    assert_int_equal(counts.joints, 27);
    iso_command command = {.kind = ISO_COMMAND_DESTROY_BODY};
    command.as.destroy_body.body = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give(world, 0, &command), ISO_ERR_REFUSED);
    const iso_body_id before = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\1", 1), ISO_OK);
    assert_false(iso_body_id_equal(iso_world_get_player_body(world, 0), before));
    const iso_change leave = {ISO_CHANGE_LEAVE, 1, 1};
    util_step(world, &leave, 1, NULL, 0);
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 21);
    assert_int_equal(counts.joints, 18);
    util_world_free(world);
}

static void play(iso_world *world, int tick) {
    const uint8_t slot = (uint8_t)(tick / 7 % 3);
    util_hold(world, slot, tick % 200 < 120 ? FULL : -FULL, tick % 90 > 60 ? -FULL : 0, 0, 1);
}

static void test_detours_leave_no_trace(void **state) {
    (void)state;
    util_expect_same_roots(GAME, 300, play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands_and_crouches),
        cmocka_unit_test(test_trots_to_both_sides),
        cmocka_unit_test(test_is_made_anew_when_it_lies_on_its_back),
        cmocka_unit_test(test_members_come_and_go),
        cmocka_unit_test(test_detours_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
