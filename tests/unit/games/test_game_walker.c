/// Walkers: standing, walking, pushes, jumps, falls, getting up, members.
#include <math.h>

#include "test_game_util.h"
#include "isostep/games.h"
#include "unit/many.h"
#include "walker.h"

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
    command.as.apply_impulse.point = torso.centre;
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
    assert_true(turn - begin > 7); // a metre a second was asked for, seven metres are promised
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

/// A floor of half a kilometre below one walker that stands.
static iso_world *wide_world(void) {
    const iso_world_def def = util_game_def(GAME);
    iso_world *world = util_world_create(&def, GAME);
    iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    floor.friction = 9 * METRE / 10;
    for (int i = -2; i <= 2; ++i) {
        util_add_body(world, ISO_BODY_STATIC, i * 100 * METRE, -METRE, &floor);
    }
    iso_world_start(world);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    util_steps(world, 150);
    return world;
}

/// Holds the stick for some ticks. @return whether the torso stayed up all the time
static bool stays_up(iso_world *world, int16_t stick, int ticks) {
    bool is_up = true;
    for (int tick = 0; tick < ticks; ++tick) {
        util_hold(world, 0, stick, 0, 0, 1);
        is_up = is_up && util_metres(util_player(world, 0).position.y) > 0.5 && fabs(torso_lean(world, 0)) < 0.2;
    }
    return is_up;
}

static const walker_state *walker_of(const iso_world *world) {
    return iso_world_get_game_state(world);
}

/// How far apart its feet are [m].
static double feet_apart(const iso_world *world) {
    iso_body_view left, right;
    assert_int_equal(iso_body_get(world, iso__walker_body(walker_of(world), 0, WALKER_FOOT_L), &left), ISO_OK);
    assert_int_equal(iso_body_get(world, iso__walker_body(walker_of(world), 0, WALKER_FOOT_R), &right), ISO_OK);
    return fabs(util_metres(left.position.x - right.position.x));
}

/// Twelve starts to each side, earlier and later, pushed before: without a fall, facing its way, its feet apart
/// whenever one is set down.
static void test_walks_for_a_minute_from_twelve_starts(void **state) {
    (void)state;
    double least = INFINITY, most = 0, nearest = INFINITY;
    for (int start = 0; start<24; start += ISO_TEST_STEP> 1 ? 6 : 1) {
        const int side = start < 12 ? -1 : 1, number = start % 12;
        iso_world *world = wide_world();
        util_steps(world, 11 * number);
        push(world, 0, 5 * (number - 6));
        util_steps(world, 20);
        const double begin = torso_x(world, 0);
        uint8_t swing = walker_of(world)->swing[0];
        for (int tick = 0; tick < 3600; ++tick) {
            if (!stays_up(world, (int16_t)(side * FULL), 1)) {
                fail_msg("side %d, start %d: falls after %d ticks", side, number, tick);
            }
            if (tick > 300 && swing != walker_of(world)->swing[0]) {
                nearest = fmin(nearest, feet_apart(world));
            }
            swing = walker_of(world)->swing[0];
        }
        assert_int_equal(walker_of(world)->faces_left[0], side < 0);
        const double way = side * (torso_x(world, 0) - begin);
        least = fmin(least, way);
        most = fmax(most, way);
        util_hold(world, 0, 0, 0, 0, 180);
        assert_true(fabs(util_metres(util_player(world, 0).velocity.x)) < 0.3);
        assert_true(feet_apart(world) > 0.1);
        util_world_free(world);
    }
    print_message("%.1f to %.1f m in a minute, feet set down at least %.3f m apart\n", least, most, nearest);
    assert_true(least > 55 && most < 65 && nearest > 0.2);
}

/// Right and left by turns, for different times.
static void test_turns_round(void **state) {
    (void)state;
    for (int ticks = 100; ticks < 340; ticks += 20) {
        iso_world *world = wide_world();
        for (int way = 0; way < 8; ++way) {
            const double begin = torso_x(world, 0);
            assert_true(stays_up(world, (int16_t)(way % 2 == 0 ? FULL : -FULL), ticks));
            assert_true(ticks < 160 || walker_of(world)->faces_left[0] == way % 2);
            assert_true(ticks < 240 || (way % 2 == 0) == (torso_x(world, 0) > begin));
        }
        util_world_free(world);
    }
}

static void test_keeps_its_balance_when_pushed(void **state) {
    (void)state;
    static const double impulses[] = {-90, -70, -50, -30, -10,
                                      10,  30,  50,  70,  90}; // [N s], on 62 kg; measured: -100, 110
    for (size_t i = 0; i < sizeof impulses / sizeof impulses[0]; ++i) {
        iso_world *world = util_game_world(GAME, 1);
        util_steps(world, 180);
        const iso_body_id body = iso_world_get_player_body(world, 0);
        push(world, 0, impulses[i]);
        assert_true(stays_up(world, 0, 360));
        assert_stands(world, 0, body);
        util_world_free(world);
    }
}

/// Measured: 40 N s at any moment of a step.
static void test_keeps_its_balance_when_pushed_on_its_way(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        for (int delay = 0; delay < 24; delay += 6) { // anywhere in a step
            const int most = 40;
            for (int impulse = -most; impulse <= most; impulse += most) {
                iso_world *world = util_game_world(GAME, 1);
                util_steps(world, 150);
                util_hold(world, 0, (int16_t)(side * FULL), 0, 0, 180 + delay);
                push(world, 0, impulse);
                assert_true(stays_up(world, (int16_t)(side * FULL), 240));
                util_world_free(world);
            }
        }
    }
}

/// [kg m^2/s] of all parts of the one walker about the centre of their mass.
static double angular_momentum(const iso_world *world) {
    double mass = 0, x = 0, y = 0, vx = 0, vy = 0, sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
            iso_body_view view;
            assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
            const double m = util_metres(view.mass), bx = util_metres(view.centre.x), by = util_metres(view.centre.y);
            const double bvx = util_metres(view.velocity.x), bvy = util_metres(view.velocity.y);
            if (pass == 0) {
                mass += m, x += m * bx, y += m * by, vx += m * bvx, vy += m * bvy;
            } else {
                sum += m * ((bx - x / mass) * (bvy - vy / mass) - (by - y / mass) * (bvx - vx / mass)) +
                       util_metres(view.inertia) * util_metres(view.angular_velocity);
            }
        }
    }
    return sum;
}

/// What keeps it upright acts between its parts: where there is no ground, nothing turns the whole of it.
static void test_nothing_but_the_ground_turns_it(void **state) {
    (void)state;
    const iso_world_def def = util_game_def(GAME);
    iso_world *world = util_world_create(&def, GAME);
    iso_world_start(world);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    push(world, 0, 60);
    const double begin = angular_momentum(world);
    assert_true(fabs(begin) > 5);
    for (int tick = 0; tick < 60; ++tick) {
        util_hold(world, 0, FULL, 0, tick == 30, 1);
        assert_true(fabs(angular_momentum(world) - begin) < 0.02 * fabs(begin));
    }
    util_world_free(world);
}

static void test_jumps_and_stands_again(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 180);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    double highest = 0;
    for (int tick = 0; tick < 120; ++tick) {
        util_hold(world, 0, 0, 0, tick < 3, 1);
        highest = fmax(highest, lowest_origin(world, 0));
    }
    assert_true(highest > 0.25); // all of it was in the air; measured: 0.36 m
    util_steps(world, 600);      // it may fall when it lands, and get up
    assert_stands(world, 0, body);
    // Held down, the button jumps once.
    highest = 0;
    util_hold(world, 0, 0, 0, 1, 120);
    for (int tick = 0; tick < 600; ++tick) {
        util_hold(world, 0, 0, 0, 1, 1);
        highest = fmax(highest, lowest_origin(world, 0));
    }
    assert_true(highest < 0.2); // what lies has its lowest part higher than what stands
    util_world_free(world);
}

/// From its back and from its front, at rest and on its way; as the same body, and without leaps.
static void test_gets_up_when_it_was_knocked_over(void **state) {
    (void)state;
    static const double impulses[] = {250, -250, 330, -330, 400, -400};
    for (int i = 0; i < 12; ++i) {
        iso_world *world = wide_world();
        const iso_body_id body = iso_world_get_player_body(world, 0);
        if (i >= 6) {
            util_hold(world, 0, FULL, 0, 0, 90 + i);
        }
        push(world, 0, impulses[i % 6]);
        bool lay = false;
        double x = torso_x(world, 0);
        for (int tick = 0; tick < 600; ++tick) {
            util_steps(world, 1);
            lay = lay || fabs(torso_lean(world, 0)) > 0.2;
            assert_true(fabs(torso_x(world, 0) - x) < 0.3);
            x = torso_x(world, 0);
        }
        assert_true(lay);
        assert_stands(world, 0, body);
        util_world_free(world);
    }
}

static void test_is_made_anew_when_it_lies_for_too_long(void **state) {
    (void)state;
    iso_world_def def = util_game_def(GAME);
    assert_string_equal(GAME->params[2].name, "fall_time");
    def.game_params[2] = 60 * ISO_WIDE_ONE; // too short to get up
    iso_world *world = util_world_create(&def, GAME);
    iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    floor.friction = 9 * METRE / 10;
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE, &floor);
    iso_world_start(world);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    util_steps(world, 150);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    push(world, 0, 400);
    int ticks = 0;
    double lies = 0;
    while (iso_body_id_equal(iso_world_get_player_body(world, 0), body)) {
        lies = torso_x(world, 0);
        util_steps(world, 1);
        assert_true(++ticks < 300);
    }
    assert_true(ticks > 60);
    assert_true(fabs(torso_x(world, 0) - lies) < 0.3);
    util_steps(world, 180);
    assert_stands(world, 0, iso_world_get_player_body(world, 0));
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

/// What became of the walker of slot 0 in a tick: the code of the one event, 0 without one, and its last number.
static uint32_t event_of(const iso_world *world, uint32_t *number) {
    iso_events events;
    iso_world_get_events(world, &events);
    assert_in_range(events.emit_count, 0, 1);
    if (events.emit_count == 0) {
        return 0;
    }
    const iso_game_event *event = iso_game_find_event(GAME, events.emits[0].code);
    uint32_t numbers[2] = {0};
    assert_non_null(event);
    assert_true(event->size <= sizeof numbers);
    memcpy(numbers, events.emits[0].bytes, event->size);
    assert_int_equal(numbers[0], 0);
    *number = numbers[1];
    return event->code;
}

static void test_tells_when_it_falls_and_when_it_stands_again(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    push(world, 0, 400);
    uint32_t fell_tick = 0, stood_tick = 0, number = 0;
    for (uint32_t i = 0; i < 600; ++i) {
        const uint32_t code = event_of(world, &number);
        const uint32_t tick = (uint32_t)iso_world_get_tick(world);
        if (code == 1) {
            assert_int_equal(fell_tick, 0);
            fell_tick = tick;
        } else if (code == 2) {
            assert_true(fell_tick > 0 && stood_tick == 0);
            assert_int_equal(number, tick - fell_tick);
            stood_tick = tick;
        }
        util_steps(world, 1);
    }
    assert_true(fell_tick > 0 && stood_tick > fell_tick);
    util_world_free(world);
    // Without room for one event per member nothing is emitted, and so nothing is dropped, which would be state.
    iso_world_def def = util_game_def(GAME);
    def.event_capacity = ISO_SLOT_COUNT_MAX - 1;
    world = util_world_create(&def, GAME);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    push(world, 0, 400);
    for (uint32_t i = 0; i < 120; ++i) {
        assert_int_equal(event_of(world, &number), 0);
        util_steps(world, 1);
    }
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands_for_ten_seconds),
        cmocka_unit_test(test_walks_right_and_back),
        cmocka_unit_test(test_walks_slowly_when_asked_to),
        cmocka_unit_test(test_walks_for_a_minute_from_twelve_starts),
        cmocka_unit_test(test_turns_round),
        cmocka_unit_test(test_keeps_its_balance_when_pushed),
        cmocka_unit_test(test_keeps_its_balance_when_pushed_on_its_way),
        cmocka_unit_test(test_nothing_but_the_ground_turns_it),
        cmocka_unit_test(test_jumps_and_stands_again),
        cmocka_unit_test(test_gets_up_when_it_was_knocked_over),
        cmocka_unit_test(test_is_made_anew_when_it_lies_for_too_long),
        cmocka_unit_test(test_each_member_has_a_walker_of_its_own),
        cmocka_unit_test(test_walkers_pass_each_other),
        cmocka_unit_test(test_members_may_push_but_not_take_apart),
        cmocka_unit_test(test_a_walker_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(test_tells_when_it_falls_and_when_it_stands_again),
        cmocka_unit_test(test_detours_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
