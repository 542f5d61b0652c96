// Joints in space at the ends of their ranges: they hold what can be held, and nothing leaves its format.
#include "isostep/snapshot.h"
#include "unit/space/joint/joint3_util.h"

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

static bool is_sane(const iso_world *world, iso_body_id body) {
    const vec3 at = body3_centre(world, body), v = body3_velocity(world, body);
    return vec3_length(at) < 30000 * 1.8 && vec3_length(v) < 700;
}

// Two bodies of 1:10000 either way, the light one in motion; and the light one below the heavy one, which hangs on a
// wall.
static void test_masses_of_one_to_ten_thousand(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        if (kind > ISO_JOINT3_CYLINDRICAL && kind < ISO_JOINT3_GEAR) {
            continue; // which hold no place
        }
        for (int heavy = 0; heavy < 2; ++heavy) {
            iso_world *world = space_make(0.0);
            const iso_body_id a = body3_sphere(world, NONE, 0.5, heavy ? 1000.0 : 0.1);
            const iso_body_id b = body3_sphere(world, (vec3){2, 0, 0}, 0.5, heavy ? 0.1 : 1000.0);
            iso_joint3_def def = joint3_def(world, kind, a, b, X_AXIS, Z_AXIS, Y_AXIS);
            const iso_joint_id joint = joint3_add(world, &def);
            body3_set(world, heavy ? b : a, (vec3){0, 3, 1}, (vec3){0.5, 0.2, 1});
            double apart = 0.0;
            for (uint32_t tick = 0; tick < 240; ++tick) {
                world_steps(world, 1);
                apart = fmax(apart, joint3_separation(world, joint));
            }
            // A line on a light body that spins carries its far end about.
            const bool is_line =
                kind == ISO_JOINT3_SLIDER || kind == ISO_JOINT3_HINGE2 || kind == ISO_JOINT3_CYLINDRICAL;
            EXPECT(apart < (is_line ? 0.1 : 0.02), "kind %d, heavy %d: %g m apart", kind, heavy, apart);
            const vec3 p = vec3_add(vec3_scale(body3_velocity(world, a), heavy ? 1000.0 : 0.1),
                                    vec3_scale(body3_velocity(world, b), heavy ? 0.1 : 1000.0));
            EXPECT(vec3_length(vec3_sub(p, (vec3){0, 0.3, 0.1})) < 0.1, "kind %d, heavy %d: momentum %g, %g, %g", kind,
                   heavy, p.x, p.y, p.z);
            world_free(world);
        }
    }
}

static void test_a_light_body_hangs_on_a_heavy_one(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id a = body3_sphere(world, (vec3){0, -0.5, 0}, 0.2, 1000.0);
    const iso_body_id b = body3_sphere(world, (vec3){0.3, -1.0, 0}, 0.2, 0.1);
    const iso_joint_id first = joint3_make(world, ISO_JOINT3_BALL, wall, a, NONE, Z_AXIS, NONE);
    const iso_joint_id second = joint3_make(world, ISO_JOINT3_BALL, a, b, (vec3){0.15, -0.75, 0}, Z_AXIS, NONE);
    double apart = 0.0;
    for (uint32_t tick = 0; tick < 300; ++tick) {
        world_steps(world, 1);
        apart = fmax(apart, fmax(joint3_separation(world, first), joint3_separation(world, second)));
    }
    EXPECT(apart < 1e-3, "%g m apart", apart);
    world_free(world);
}

// A pendulum of 50 m whose bob has so small an inertia that K would leave its format.
static void test_an_anchor_far_from_a_small_body_holds(void **state) {
    (void)state;
    const double radius[] = {0.004, 0.1, 1.0};
    for (int size = 0; size < 3; ++size) {
        iso_world *world = space_make(-GRAVITY);
        const iso_body_id wall = body3_fixed(world, (vec3){50, 0, 0});
        const iso_body_id a = body3_sphere(world, NONE, radius[size], 0.1);
        const iso_joint_id joint = joint3_make(world, ISO_JOINT3_BALL, wall, a, (vec3){50, 0, 0}, Z_AXIS, NONE);
        double apart = 0.0;
        for (uint32_t tick = 0; tick < 300; ++tick) {
            world_steps(world, 1);
            apart = fmax(apart, joint3_separation(world, joint));
        }
        EXPECT(apart < 2e-3, "radius %g: %g m apart", radius[size], apart);
        EXPECT_NEAR(vec3_length(body3_velocity(world, a)), sqrt(2 * GRAVITY * -body3_centre(world, a).y), 0.1, "speed");
        world_free(world);
    }
}

// A chain of such bodies is worse than any ratio of masses: it need not hold, but nothing leaves its range.
static void test_chains_by_far_anchors_stay_in_range(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        for (int size = 0; size < 3; ++size) {
            const double radius[] = {0.004, 0.1, 1.0};
            iso_world *world = space_make(-GRAVITY);
            const iso_body_id wall = body3_fixed(world, (vec3){50, 0, 0});
            const iso_body_id a = body3_sphere(world, NONE, radius[size], 0.1);
            const iso_body_id b = body3_sphere(world, (vec3){1, 2, 3}, radius[size], 0.2);
            if (kind == ISO_JOINT3_TARGET) {
                world_free(world);
                continue;
            }
            joint3_make(world, kind, wall, a, (vec3){50, 0, 0}, Z_AXIS, X_AXIS);
            joint3_make(world, kind, a, b, (vec3){40, -30, 20}, X_AXIS, Y_AXIS);
            world_steps(world, 300);
            EXPECT(is_sane(world, a) && is_sane(world, b), "kind %d of radius %g flew away", kind, radius[size]);
            world_free(world);
        }
    }
}

// All bodies in one place, with axes that are parallel and opposite, and errors of tens of metres.
static void test_coincident_and_opposite_frames(void **state) {
    (void)state;
    const vec3 turns[] = {{0, 0, 0}, {0, PI, 0}, {PI, 0, 0}, {0, 0, PI}, {0, PI / 2, 0}, {2, 2, 1}};
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        for (uint32_t t = 0; t < 6; ++t) {
            for (int far = 0; far < 2; ++far) {
                iso_world *world = space_make(0.0);
                const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){0.4, 0.2, 0.3});
                const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, far ? (vec3){30, -20, 50} : NONE,
                                                quat_of(turns[t]), (vec3){0.2, 0.3, 0.1});
                iso_joint3_def def = iso_joint3_def_default(kind);
                def.body_a = kind == ISO_JOINT3_TARGET ? (iso_body_id){0, 0} : a;
                def.body_b = b;
                for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
                    def.axes[n].limit_enabled = iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE;
                    def.axes[n].upper = fix(0.5);
                }
                joint3_add(world, &def);
                world_steps(world, 300);
                EXPECT(is_sane(world, a) && is_sane(world, b), "kind %d, turn %u flew away", kind, t);
                world_free(world);
            }
        }
    }
}

// Numbers at their bounds, on bodies at the border of the world that spin as fast as they may.
static void test_numbers_at_their_bounds(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        for (int end = 0; end < 4; ++end) {
            iso_world *world = space_make(-1000.0);
            const bool is_high = (end & 1) != 0;
            const double place = (end & 2) != 0 ? 29990.0 : -29990.0;
            const iso_body_id a =
                body3_box(world, ISO_BODY_DYNAMIC, (vec3){place, place, place}, NO_TURN, (vec3){30, 0.1, 0.2});
            const iso_body_id b =
                body3_box(world, ISO_BODY_DYNAMIC, (vec3){-place, place, place}, NO_TURN, (vec3){0.01, 0.01, 0.3});
            body3_set(world, a, (vec3){400, -400, 400}, (vec3){7, 5, 3});
            body3_set(world, b, (vec3){-400, 400, 400}, (vec3){100, 100, -100});
            iso_joint3_def def = iso_joint3_def_default(kind);
            def.body_a = kind == ISO_JOINT3_TARGET ? (iso_body_id){0, 0} : a;
            def.body_b = b;
            def.frame_a.anchor = fix3((vec3){60, -60, 60});
            def.frame_b.anchor = fix3((vec3){-60, 60, 60});
            def.ratio = is_high ? -64 * ISO_FIX16_ONE : kind == ISO_JOINT3_GEAR ? 1024 : 64;
            def.hertz = is_high ? fix(1000) : 1;
            def.damping_ratio = is_high ? fix(1000) : 0;
            def.correction_max = is_high ? fix(32767) : 1;
            def.force_max = is_high ? INT64_MAX : 1;
            def.torque_max = is_high ? INT64_MAX : 1;
            def.break_force = def.break_torque = def.break_error = def.break_angle = INT64_MAX;
            for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
                const iso_joint3_axis_kind axis = iso_joint3_axis_of(kind, n);
                if (axis == ISO_JOINT3_AXIS_NONE) {
                    continue;
                }
                def.axes[n].limit_enabled = def.axes[n].motor_enabled = def.axes[n].spring_enabled = true;
                def.axes[n].motor_max = is_high ? INT64_MAX : 1;
                def.axes[n].motor_speed = is_high ? fix(32767) : fix(-32767);
                def.axes[n].spring_hertz = is_high ? fix(1000) : 1;
                def.axes[n].rest = is_high ? fix(32767) : 0;
                def.axes[n].limit_hertz = (end & 2) != 0 ? def.axes[n].spring_hertz : 0;
                def.axes[n].limit_damping_ratio = is_high ? fix(1000) : 0;
                def.axes[n].spring_stiffness = (end & 2) != 0 ? is_high ? INT64_MAX : 1 : 0;
                def.axes[n].spring_damping = (end & 2) != 0 ? is_high ? INT64_MAX : 1 : 0;
                def.axes[n].lower = axis == ISO_JOINT3_AXIS_ANGLE ? fix(-32767) : 0;
                def.axes[n].upper = axis == ISO_JOINT3_AXIS_SWING ? fix(2.9) : fix(is_high ? 32767 : 0);
            }
            joint3_add(world, &def);
            world_steps(world, 60);
            EXPECT(is_sane(world, b), "kind %d, end %d", kind, end);
            // What came of it is a state that others take.
            const size_t size = iso_snapshot_size(world);
            uint8_t *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
            iso_world *twin = space_make(-1000.0);
            EXPECT_STATUS(iso_snapshot_decode(twin, bytes, size), ISO_OK);
            free(bytes);
            world_free(twin);
            world_free(world);
        }
    }
}

// Bodies that do not turn, have no shape, or are moved by nobody.
static void test_bodies_that_cannot_turn_or_move(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        if (kind == ISO_JOINT3_TARGET) {
            continue;
        }
        iso_world *world = space_make(-GRAVITY);
        const iso_body_id point = body3_add(world, ISO_BODY_DYNAMIC, (vec3){1, 0, 0}, NO_TURN);
        const iso_body_id other = body3_add(world, ISO_BODY_DYNAMIC, (vec3){2, 0, 0}, NO_TURN);
        const iso_body_id wall = body3_fixed(world, NONE), floor = body3_fixed(world, (vec3){0, -1, 0});
        const iso_body_id cart = body3_add(world, ISO_BODY_KINEMATIC, (vec3){0, 5, 0}, NO_TURN);
        const iso_body_id locked = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 3, 0}, NO_TURN, (vec3){0.1, 0.2, 0.3});
        iso_body3_params params = iso_body3_params_default();
        params.lock_turn_x = params.lock_turn_y = params.lock_turn_z = params.lock_z = true;
        EXPECT_STATUS(iso_body3_set_params(world, locked, &params), ISO_OK);
        body3_set(world, cart, (vec3){1, 0, 0}, (vec3){0, 1, 0});
        const iso_body_id pairs[][2] = {{wall, point}, {point, other}, {wall, floor}, {cart, locked}, {locked, other}};
        for (uint32_t i = 0; i < 5; ++i) {
            joint3_make(world, kind, pairs[i][0], pairs[i][1], (vec3){0.5, 0, 0}, Y_AXIS, X_AXIS);
        }
        world_steps(world, 120);
        EXPECT(is_sane(world, point) && is_sane(world, other) && is_sane(world, locked), "kind %d", kind);
        EXPECT_NEAR(body3_velocity(world, locked).z, 0.0, 0.0, "the locked axis");
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masses_of_one_to_ten_thousand),
        cmocka_unit_test(test_a_light_body_hangs_on_a_heavy_one),
        cmocka_unit_test(test_an_anchor_far_from_a_small_body_holds),
        cmocka_unit_test(test_chains_by_far_anchors_stay_in_range),
        cmocka_unit_test(test_coincident_and_opposite_frames),
        cmocka_unit_test(test_numbers_at_their_bounds),
        cmocka_unit_test(test_bodies_that_cannot_turn_or_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
