/// The rally on its built-in circuit: how a car stands, drives, brakes and corners; laps, cars that are brought back,
/// members, detours.
#include "test_game_util.h"
#include "unit/space/world/space_util.h"

#include "isostep/games.h"
#include "isostep/joint3.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

#define GAME   (&iso_game_rally)
#define CARS   8u
#define CHECKS 12u
#define PARTS  5u
#define RIDE   0.493 // m: a chassis's middle above the ground, at rest
#define SECOND 60

enum { EVENT_CHECK = 1, EVENT_LAP = 2, EVENT_RESPAWN = 3 };
enum { ASKED = 1, UPSIDE_DOWN = 2, OUT_OF_RANGE = 3 };

/// The circuit, with so many members in the slots from 0 on.
static iso_world *circuit(uint32_t members) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find("rally");
    const iso_game *const games[] = {GAME};
    iso_scene *scene = NULL;
    assert_int_equal(iso_scene_parse(builtin->text, builtin->size, games, 1, &scene, NULL), ISO_OK);
    iso_world *world = util_world_create(&scene->def, GAME);
    assert_int_equal(iso_scene_build(scene, world, NULL), ISO_OK);
    iso_scene_free(scene);
    iso_world_start(world);
    iso_change joins[CARS];
    for (uint8_t i = 0; i < CARS; ++i) {
        joins[i] = (iso_change){ISO_CHANGE_JOIN, i, 1};
    }
    util_step(world, joins, members, NULL, 0);
    return world;
}

/// A floor, and room for one car and a half, without a grid.
static iso_world *small_world(void) {
    iso_world_def def = space_def();
    strcpy(def.game, "rally");
    for (uint32_t i = 0; i < GAME->param_count; ++i) {
        def.game_params[i] = GAME->params[i].value;
    }
    def.slot_capacity = 4;
    def.body_capacity = 1 + 8;
    def.gravity = (iso_vec2){0, -10 * ISO_FIX16_ONE};
    iso_world *world = util_world_create(&def, GAME);
    const iso_body_id floor = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    const iso_shape3_def plane = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    shape3_add(world, floor, &plane);
    iso_world_start(world);
    return world;
}

// ---- what a car does -----------------------------------------------------------------------------

typedef struct car_view {
    double x, y, z, vx, vy, vz;
    double forward, left; // m/s, of the velocity
    double fx, fz, up;    // where it looks; 1: upright
    double turning;       // rad/s to the left
} car_view;

static car_view car(const iso_world *world, uint32_t slot) {
    const iso_body3_view view = view3(world, iso_world_get_player_body(world, slot));
    const matrix R = matrix_of(view.rotation);
    const vector v = vector_of(view.velocity), w = vector_of(view.angular_velocity);
    const vector f = {{R.m[0][0], R.m[1][0], R.m[2][0]}}, l = {{-R.m[0][2], -R.m[1][2], -R.m[2][2]}};
    return (car_view){from_wide(view.position.x),
                      from_wide(view.position.y),
                      from_wide(view.position.z),
                      v.x[0],
                      v.x[1],
                      v.x[2],
                      dot(v, f),
                      dot(v, l),
                      f.x[0],
                      f.x[2],
                      R.m[1][1],
                      w.x[1]};
}

/// Moves all of a car so that its chassis is at a place, turned by `turn`.
static void move_car(iso_world *world, uint32_t slot, double x, double y, double z, iso_quat turn) {
    const iso_body_id chassis = iso_world_get_player_body(world, slot);
    const vector from = vector_of(view3(world, chassis).position);
    const matrix R = matrix_of(turn);
    for (uint32_t part = 0; part < PARTS; ++part) {
        const iso_body_id body = {chassis.index + part, chassis.generation};
        const iso_body3_view is = view3(world, body);
        const vector arm = turned(&R, sum(vector_of(is.position), -1, from));
        EXPECT_STATUS(iso_body3_set_position(world, body, wide3(x + arm.x[0], y + arm.x[1], z + arm.x[2]),
                                             iso_quat_mul(turn, is.rotation)),
                      ISO_OK);
    }
}

/// The largest of what joints are apart [m], or off by an angle [rad].
static double worst_joint(const iso_world *world) {
    double worst = 0;
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation; j = iso_joint_next(world, j.index + 1)) {
        iso_wide separation, angle;
        EXPECT_STATUS(iso_joint3_get_separation(world, j, &separation), ISO_OK);
        EXPECT_STATUS(iso_joint3_get_angle_error(world, j, &angle), ISO_OK);
        worst = fmax(worst, fmax(from_wide(separation), from_wide(angle)));
    }
    return worst;
}

/// The slot's last event of this kind in the last step: its numbers after the slot. @return whether there is one
static bool event_of(const iso_world *world, uint32_t code, uint32_t slot, uint32_t numbers[3]) {
    iso_events events;
    bool is_there = false;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.emit_count; ++i) {
        uint32_t all[4] = {0};
        memcpy(all, events.emits[i].bytes, events.emits[i].size);
        if (events.emits[i].code == code && all[0] == slot) {
            memcpy(numbers, &all[1], 3 * sizeof numbers[0]);
            is_there = true;
        }
    }
    return is_there;
}

static uint64_t next_sequence(const iso_world *world, uint8_t slot) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    return view.last_sequence + 1;
}

/// One tick in which the slots below `count` hold these sticks.
static void tick_of(iso_world *world, const int16_t sticks[][2], uint8_t count) {
    iso_sealed_command sealed[CARS];
    for (uint8_t slot = 0; slot < count; ++slot) {
        sealed[slot] = util_control(slot, next_sequence(world, slot), sticks[slot][0], sticks[slot][1], 0);
    }
    util_step(world, NULL, 0, sealed, count);
}

// ---- the circuit as a driver sees it -------------------------------------------------------------

typedef struct check_view {
    double x, z, fx, fz;
} check_view;

static check_view check_of(const iso_world *world, uint32_t number) {
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation; s = iso_shape_next(world, s.index + 1)) {
        iso_shape3_def def;
        iso_body_id body;
        EXPECT_STATUS(iso_shape3_get(world, s, &def, &body), ISO_OK);
        if (def.is_sensor && def.tag == number) {
            const iso_body3_view at = view3(world, body);
            const matrix R = matrix_of(at.rotation), B = matrix_of(def.rotation), A = product(&R, &B);
            const vector middle =
                sum(vector_of(at.position), 1, turned(&R, vector_of(iso_vec3_to_wide(def.points[0]))));
            return (check_view){middle.x[0], middle.x[2], A.m[0][0], A.m[2][0]};
        }
    }
    fail_msg("no check point %u", number);
    return (check_view){0};
}

/// Steers along the arc that leads to the next check point; slower where the road bends.
static void drive(const iso_world *world, uint32_t slot, uint32_t next, int16_t stick[2]) {
    const car_view is = car(world, slot);
    check_view to = check_of(world, next);
    const double before = (to.x - is.x) * to.fx + (to.z - is.z) * to.fz;
    if (before < 6) { // a look ahead
        to = check_of(world, next % CHECKS + 1);
    }
    const check_view then = check_of(world, next % CHECKS + 1);
    const double dx = to.x - is.x, dz = to.z - is.z;
    const double left = dx * is.fz - dz * is.fx, curve = 2 * left / (dx * dx + dz * dz);
    const double most = fmin(0.6, 8 * 2.6 / fmax(is.forward * is.forward, 0.01));
    const double wish = is.fx * then.fx + is.fz * then.fz < 0.94 ? 11 : 17;
    stick[0] = (int16_t)(-FULL * fmax(-1, fmin(1, 2.6 * curve / most)));
    stick[1] = (int16_t)(FULL * fmax(-1, fmin(1, (wish - is.forward) / 2)));
}

// ---- standing and driving ------------------------------------------------------------------------

static void test_cars_stand_on_their_springs(void **state) {
    (void)state;
    iso_world *world = circuit(CARS);
    util_steps(world, 3 * SECOND);
    double places[CARS][2];
    for (uint32_t i = 0; i < CARS; ++i) {
        const car_view is = car(world, i);
        EXPECT_NEAR(is.y, RIDE, 0.005, "height of car %u", i);
        EXPECT(is.up > 0.9999 && is.fx > 0.9999, "car %u leans: %g, %g", i, is.up, is.fx);
        EXPECT_NEAR(is.x, -5.0 - 6 * (i / 2), 0.01, "x of car %u", i);
        EXPECT_NEAR(is.z, i % 2 != 0 ? 27.5 : 22.5, 0.01, "z of car %u", i);
        places[i][0] = is.x;
        places[i][1] = is.z;
    }
    double energy = 0;
    util_steps(world, 10 * SECOND);
    for (uint32_t i = 0; i < CARS; ++i) {
        const car_view is = car(world, i);
        EXPECT(hypot(is.x - places[i][0], is.z - places[i][1]) < 1e-4, "car %u creeps", i);
        energy += body3_energy(world, iso_world_get_player_body(world, i));
    }
    EXPECT(energy < 1e-6 * CARS, "%g J at rest", energy);
    EXPECT(worst_joint(world) < 1e-4, "a joint is off by %g", worst_joint(world));
    util_world_free(world);
}

/// 450 N m on each wheel of 0.35 m push 773 kg with 6.65 m/s^2, less what turns the wheels and the pass of the motors.
static void test_a_car_accelerates_brakes_and_reverses(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    util_steps(world, 2 * SECOND);
    util_hold(world, 0, 0, FULL, 0, 2 * SECOND);
    const double after_two = car(world, 0).forward;
    util_hold(world, 0, 0, FULL, 0, 3 * SECOND / 2);
    const car_view fast = car(world, 0);
    print_message("%.2f m/s after 2 s, %.2f m/s after 3.5 s\n", after_two, fast.forward);
    EXPECT(after_two > 10.5 && after_two < 13.3, "%g m/s after 2 s", after_two);
    EXPECT(fast.forward > 19 && fast.forward < 20.2, "%g m/s at full power", fast.forward);
    EXPECT(fabs(fast.z - 22.5) < 0.1 && fast.up > 0.999, "it swerves to %g", fast.z);
    util_hold(world, 0, 0, -FULL, 0, 2 * SECOND);
    const double braked = car(world, 0).forward;
    EXPECT(braked < 5.5, "%g m/s after 2 s of braking", braked);
    util_hold(world, 0, 0, -FULL, 0, 3 * SECOND / 2);
    EXPECT(car(world, 0).forward < -2, "%g m/s: it does not reverse", car(world, 0).forward);
    util_hold(world, 0, 0, -FULL, 0, 2 * SECOND);
    EXPECT(car(world, 0).forward > -5.2, "%g m/s backwards", car(world, 0).forward);
    util_world_free(world);
}

static void test_what_nobody_drives_rolls_out(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    util_hold(world, 0, 0, FULL, 0, SECOND);
    const double before = car(world, 0).forward;
    util_steps(world, 12 + SECOND); // the control times out after 10 ticks
    const double after = car(world, 0).forward;
    EXPECT(after < before + 1.2 && after > before - 1, "%g m/s, then %g", before, after);
    // The handbrake holds the rear wheels.
    util_hold(world, 0, 0, 0, 1, SECOND);
    EXPECT(car(world, 0).forward < after - 3, "%g m/s with the handbrake, %g before", car(world, 0).forward, after);
    util_world_free(world);
}

/// Radius of the curve at full lock: 2.6 m / tan 0.6 = 3.8 m, and the middle of the car is a little farther out.
static void test_sticks_to_the_left_turn_left(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        iso_world *world = circuit(1);
        util_steps(world, SECOND);
        util_hold(world, 0, 0, FULL / 2, 0, SECOND);
        util_hold(world, 0, (int16_t)(side * FULL), 0, 0, SECOND / 2);
        const car_view is = car(world, 0);
        const double radius = is.forward / is.turning;
        print_message("%.2f m/s on a radius of %.2f m, upright %.4f\n", is.forward, radius, is.up);
        EXPECT(is.turning * -side > 0.3, "it turns by %g rad/s", is.turning);
        EXPECT(fabs(radius) > 3 && fabs(radius) < 6, "a radius of %g m", radius);
        EXPECT(is.up > 0.99, "it leans: %g", is.up);
        util_world_free(world);
    }
}

/// In a wide plane, at full lock and full power: it neither rolls over nor do its joints give way. What steering asks
/// for is 8 m/s^2 across.
static void test_a_fast_car_does_not_roll_over(void **state) {
    (void)state;
    iso_world *world = small_world();
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    util_hold(world, 0, 0, FULL, 0, 5 * SECOND / 2);
    EXPECT(car(world, 0).forward > 14, "%g m/s", car(world, 0).forward);
    double lowest = 1, worst = 0, across = 0;
    for (int t = 0; t < 4 * SECOND; ++t) {
        util_hold(world, 0, -FULL, FULL, 0, 1);
        const car_view is = car(world, 0);
        lowest = fmin(lowest, is.up);
        worst = fmax(worst, worst_joint(world));
        across = fmax(across, fabs(is.turning * is.forward));
    }
    print_message("at most %.2f m/s^2 across, upright %.4f, joints off by %.4f\n", across, lowest, worst);
    EXPECT(across > 6 && across < 10, "%g m/s^2 across", across);
    EXPECT(lowest > 0.99, "it leans: %g", lowest);
    EXPECT(worst < 0.02, "a joint is off by %g", worst);
    util_world_free(world);
}

/// Over the ramp into the air, and on.
static void test_a_car_flies_off_the_ramp_and_lands(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    const iso_quat back = iso_quat_from_axis_angle((iso_vec3){0, ISO_FIX16_ONE, 0}, ISO_WIDE_PI);
    move_car(world, 0, 28, 0.5, -28.5, back);
    double highest = 0, worst = 0;
    for (int t = 0; t < 4 * SECOND; ++t) {
        util_hold(world, 0, 0, FULL, 0, 1);
        highest = fmax(highest, car(world, 0).y);
        worst = fmax(worst, worst_joint(world));
    }
    const car_view is = car(world, 0);
    print_message("%.2f m high, then at (%.1f, %.2f), joints off by %.4f\n", highest, is.x, is.y, worst);
    EXPECT(highest > 1.45, "%g m high", highest);
    EXPECT(is.x < -8 && is.up > 0.95, "it is at %g m, upright %g", is.x, is.up);
    EXPECT(worst < 0.02, "a joint is off by %g", worst);
    util_steps(world, SECOND);
    EXPECT(worst_joint(world) < 0.01, "a joint stays off by %g", worst_joint(world));
    util_world_free(world);
}

// ---- laps ----------------------------------------------------------------------------------------

/// Two laps: every check point in its order, the line ends a lap, and no joint drifts.
static void test_a_driver_completes_two_laps(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    uint32_t next = 1, laps = 0, ticks = 0, best = UINT32_MAX, numbers[3];
    int64_t line = -1;
    double worst = 0, fastest = 0, lowest = 1;
    for (int t = 0; t < 60 * SECOND && laps < 2; ++t) {
        int16_t stick[1][2];
        drive(world, 0, next, stick[0]);
        tick_of(world, (const int16_t(*)[2])stick, 1);
        if (event_of(world, EVENT_CHECK, 0, numbers)) {
            assert_int_equal(numbers[0], next);
            assert_int_equal(numbers[1], line < 0 ? 0 : t - line);
            next = next % CHECKS + 1;
        }
        if (event_of(world, EVENT_LAP, 0, numbers)) {
            ticks = (uint32_t)(t - line);
            best = ticks < best ? ticks : best;
            assert_int_equal(numbers[0], ++laps);
            assert_int_equal(numbers[1], ticks);
            assert_int_equal(numbers[2], best);
        }
        line = event_of(world, EVENT_CHECK, 0, numbers) && numbers[0] == 1 ? t : line;
        assert_false(event_of(world, EVENT_RESPAWN, 0, numbers));
        worst = fmax(worst, worst_joint(world));
        fastest = fmax(fastest, car(world, 0).forward);
        lowest = fmin(lowest, car(world, 0).up);
    }
    print_message("a lap of %.1f s, up to %.1f m/s, upright %.4f, joints off by %.4f\n", ticks / 60.0, fastest, lowest,
                  worst);
    assert_int_equal(laps, 2);
    assert_in_range(best, 15 * SECOND, 25 * SECOND);
    EXPECT(fastest > 15, "only %g m/s", fastest);
    EXPECT(lowest > 0.95 && worst < 0.02, "upright %g, a joint is off by %g", lowest, worst);
    util_world_free(world);
}

/// Past one check point and into the one behind it: only the next one counts.
static void test_a_check_point_that_was_left_out_is_still_the_next(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    uint32_t numbers[3];
    const check_view third = check_of(world, 3);
    move_car(world, 0, third.x, 0.5, third.z, iso_quat_identity());
    util_steps(world, 1);
    assert_false(event_of(world, EVENT_CHECK, 0, numbers));
    const check_view line = check_of(world, 1);
    move_car(world, 0, line.x, 0.5, line.z, iso_quat_identity());
    util_steps(world, 1);
    assert_true(event_of(world, EVENT_CHECK, 0, numbers));
    assert_int_equal(numbers[0], 1);
    assert_false(event_of(world, EVENT_LAP, 0, numbers)); // it begins
    util_world_free(world);
}

static void test_eight_members_drive(void **state) {
    (void)state;
    iso_world *world = circuit(CARS);
    assert_int_equal(world_counts(world).joints, 4 * CARS);
    uint32_t next[CARS], passed = 0, numbers[3];
    for (uint32_t i = 0; i < CARS; ++i) {
        next[i] = 1;
    }
    for (int t = 0; t < 20 * SECOND; ++t) {
        int16_t sticks[CARS][2];
        for (uint32_t i = 0; i < CARS; ++i) {
            drive(world, i, next[i], sticks[i]);
        }
        tick_of(world, (const int16_t(*)[2])sticks, CARS);
        for (uint32_t i = 0; i < CARS; ++i) {
            if (event_of(world, EVENT_CHECK, i, numbers)) {
                next[i] = numbers[0] % CHECKS + 1;
                passed += 1;
            }
        }
    }
    print_message("%u check points in 20 s\n", passed);
    assert_true(passed > 40);
    assert_int_equal(world_counts(world).dropped_contacts, 0);
    for (uint32_t i = 0; i < CARS; ++i) {
        const car_view is = car(world, i);
        EXPECT(fabs(is.x) < 52 && fabs(is.z) < 32 && is.y > 0.2 && is.y < 3, "car %u is at %g, %g, %g", i, is.x, is.y,
               is.z);
    }
    util_world_free(world);
}

// ---- cars that are brought back ------------------------------------------------------------------

static void test_a_car_on_its_roof_is_brought_back(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    uint32_t numbers[3];
    const iso_body_id old = iso_world_get_player_body(world, 0);
    move_car(world, 0, 0, 2, -25, iso_quat_from_axis_angle((iso_vec3){ISO_FIX16_ONE, 0, 0}, ISO_WIDE_PI));
    for (int t = 0; t < 119; ++t) {
        util_steps(world, 1);
        EXPECT(car(world, 0).up < 0, "it has turned over by itself");
        assert_false(event_of(world, EVENT_RESPAWN, 0, numbers));
    }
    util_steps(world, 1);
    assert_true(event_of(world, EVENT_RESPAWN, 0, numbers));
    assert_int_equal(numbers[0], UPSIDE_DOWN);
    assert_false(iso_body_is_valid(world, old));
    assert_int_equal(world_counts(world).joints, 4);
    util_steps(world, SECOND);
    const car_view is = car(world, 0);
    EXPECT_NEAR(is.x, -5, 0.01, "x"); // it has passed no check point
    EXPECT_NEAR(is.z, 22.5, 0.01, "z");
    EXPECT_NEAR(is.y, RIDE, 0.01, "y");
    util_world_free(world);
}

static void test_a_car_out_of_range_is_brought_back_at_once(void **state) {
    (void)state;
    static const double places[][3] = {{81, 1, 0}, {0, 1, -81}, {0, 81, 0}};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = circuit(2);
        uint32_t numbers[3];
        move_car(world, 1, places[i][0], places[i][1], places[i][2], iso_quat_identity());
        util_steps(world, 1);
        assert_true(event_of(world, EVENT_RESPAWN, 1, numbers));
        assert_int_equal(numbers[0], OUT_OF_RANGE);
        assert_false(event_of(world, EVENT_RESPAWN, 0, numbers));
        util_steps(world, SECOND);
        EXPECT_NEAR(car(world, 1).z, 27.5, 0.01, "z");
        util_world_free(world);
    }
}

/// Behind the third check point, which is in the middle of a curve, where it goes 45 degrees to the left.
static void test_members_ask_for_their_car_at_the_last_check_point(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    uint32_t numbers[3];
    for (uint32_t i = 1; i <= 3; ++i) {
        const check_view at = check_of(world, i);
        move_car(world, 0, at.x, 0.5, at.z, iso_quat_identity());
        util_steps(world, 1);
        assert_true(event_of(world, EVENT_CHECK, 0, numbers));
    }
    move_car(world, 0, -45, 0.5, 0, iso_quat_identity());
    util_steps(world, 5);
    assert_int_equal(util_give_custom(world, 0, "\1", 1), ISO_OK);
    assert_true(event_of(world, EVENT_RESPAWN, 0, numbers));
    assert_int_equal(numbers[0], ASKED);
    const check_view third = check_of(world, 3);
    util_steps(world, SECOND);
    const car_view is = car(world, 0);
    // Slot 0 stands 4.5 m to the left of the middle.
    EXPECT_NEAR(is.x, third.x - 4.5 * sqrt(0.5), 0.05, "x");
    EXPECT_NEAR(is.z, third.z - 4.5 * sqrt(0.5), 0.05, "z");
    EXPECT_NEAR(is.fx, sqrt(0.5), 0.01, "where it looks");
    EXPECT_NEAR(is.fz, -sqrt(0.5), 0.01, "where it looks");
    assert_int_equal(util_give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\1\1", 2), ISO_ERR_REFUSED);
    util_world_free(world);
}

static void test_members_only_drive(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    iso_command push = {.kind = ISO_COMMAND_APPLY_IMPULSE3};
    push.as.apply_impulse3.body = iso_world_get_player_body(world, 0);
    push.as.apply_impulse3.impulse.x = ISO_WIDE_ONE;
    assert_int_equal(util_give(world, 0, &push), ISO_ERR_REFUSED);
    iso_command end = {.kind = ISO_COMMAND_DESTROY_BODY};
    end.as.destroy_body.body = iso_world_get_player_body(world, 0);
    assert_int_equal(util_give(world, 0, &end), ISO_ERR_REFUSED);
    util_world_free(world);
}

// ---- members -------------------------------------------------------------------------------------

static void test_members_leave_and_join(void **state) {
    (void)state;
    iso_world *world = circuit(3);
    const uint64_t bodies = world_counts(world).bodies;
    util_hold(world, 1, 0, FULL, 0, 3 * SECOND);
    const iso_change leaves = {ISO_CHANGE_LEAVE, 1, 1}, joins = {ISO_CHANGE_JOIN, 1, 2};
    util_step(world, &leaves, 1, NULL, 0);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    assert_int_equal(world_counts(world).bodies, bodies - PARTS);
    assert_int_equal(world_counts(world).joints, 8);
    util_steps(world, SECOND);
    util_step(world, &joins, 1, NULL, 0);
    assert_int_equal(world_counts(world).bodies, bodies);
    const iso_body3_view view = view3(world, iso_world_get_player_body(world, 1));
    assert_int_equal(view.owner.slot, 1);
    assert_int_equal(view.tag, 2);
    util_steps(world, SECOND);
    EXPECT_NEAR(car(world, 1).x, -5, 0.01, "x");
    uint32_t numbers[3];
    move_car(world, 1, 0, 0.5, 25, iso_quat_identity());
    util_steps(world, 1);
    assert_true(event_of(world, EVENT_CHECK, 1, numbers)); // it starts from the line anew
    assert_int_equal(numbers[0], 1);
    util_world_free(world);
}

static void test_a_full_world_gives_no_car_until_there_is_room(void **state) {
    (void)state;
    iso_world *world = small_world();
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}}, leaves = {ISO_CHANGE_LEAVE, 0, 1};
    util_step(world, joins, 2, NULL, 0);
    assert_int_not_equal(iso_world_get_player_body(world, 0).generation, 0);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    assert_int_equal(world_counts(world).bodies, 1 + PARTS);
    assert_int_equal(world_counts(world).joints, 4);
    util_steps(world, 10);
    assert_int_equal(world_counts(world).bodies, 1 + PARTS);
    assert_int_equal(util_give_custom(world, 1, "\1", 1), ISO_ERR_CAPACITY);
    util_step(world, &leaves, 1, NULL, 0);
    util_steps(world, SECOND);
    // Without a grid the member of slot 1 begins 2 m above the origin.
    EXPECT_NEAR(car(world, 1).x, 0, 0.05, "x");
    EXPECT_NEAR(car(world, 1).y, RIDE, 0.1, "y");
    util_world_free(world);
}

static void test_a_car_that_lost_a_part_is_made_anew(void **state) {
    (void)state;
    iso_world *world = circuit(1);
    const iso_body_id chassis = iso_world_get_player_body(world, 0);
    EXPECT_STATUS(iso_body_destroy(world, (iso_body_id){chassis.index + 2, chassis.generation}), ISO_OK);
    assert_int_equal(iso_world_get_player_body(world, 0).generation, 0);
    util_steps(world, 1);
    assert_int_not_equal(iso_world_get_player_body(world, 0).generation, 0);
    assert_int_equal(world_counts(world).joints, 4);
    util_world_free(world);
}

/// A snapshot may bring any bits: no index leaves its array, nothing overflows, and the world goes on.
static void test_any_state_is_harmless(void **state) {
    (void)state;
    rng random = {7};
    for (int round = 0; round < 40; ++round) {
        iso_world *world = circuit(2);
        util_hold(world, 0, FULL, FULL, 0, 5);
        uint8_t *bytes = (uint8_t *)(uintptr_t)iso_world_get_game_state(world);
        for (size_t i = 0; i < GAME->state_size; ++i) {
            bytes[i] = round == 0 ? 0xFF : rng_below(&random, 4) == 0 ? (uint8_t)rng_below(&random, 256) : bytes[i];
        }
        util_hold(world, 0, FULL, -FULL, 1, 10);
        util_hold(world, 1, -FULL, FULL, 0, 10);
        (void)util_give_custom(world, 0, "\1", 1);
        util_world_free(world);
    }
}

/// Two worlds with the same drivers, one of them by way of rollbacks, snapshots and lost caches.
static void test_detours_change_nothing(void **state) {
    (void)state;
    iso_world *straight = circuit(3), *disturbed = circuit(3);
    uint32_t random = 11;
    for (int tick = 0; tick < 8 * SECOND; ++tick) {
        int16_t sticks[3][2];
        for (uint32_t i = 0; i < 3; ++i) {
            drive(straight, i, 1 + (uint32_t)tick / 120, sticks[i]);
        }
        tick_of(straight, (const int16_t(*)[2])sticks, 3);
        tick_of(disturbed, (const int16_t(*)[2])sticks, 3);
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
    EXPECT(car(straight, 0).x > 20, "nobody drives");
    util_world_free(straight);
    util_world_free(disturbed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cars_stand_on_their_springs),
        cmocka_unit_test(test_a_car_accelerates_brakes_and_reverses),
        cmocka_unit_test(test_what_nobody_drives_rolls_out),
        cmocka_unit_test(test_sticks_to_the_left_turn_left),
        cmocka_unit_test(test_a_fast_car_does_not_roll_over),
        cmocka_unit_test(test_a_car_flies_off_the_ramp_and_lands),
        cmocka_unit_test(test_a_driver_completes_two_laps),
        cmocka_unit_test(test_a_check_point_that_was_left_out_is_still_the_next),
        cmocka_unit_test(test_eight_members_drive),
        cmocka_unit_test(test_a_car_on_its_roof_is_brought_back),
        cmocka_unit_test(test_a_car_out_of_range_is_brought_back_at_once),
        cmocka_unit_test(test_members_ask_for_their_car_at_the_last_check_point),
        cmocka_unit_test(test_members_only_drive),
        cmocka_unit_test(test_members_leave_and_join),
        cmocka_unit_test(test_a_full_world_gives_no_car_until_there_is_room),
        cmocka_unit_test(test_a_car_that_lost_a_part_is_made_anew),
        cmocka_unit_test(test_any_state_is_harmless),
        cmocka_unit_test(test_detours_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
