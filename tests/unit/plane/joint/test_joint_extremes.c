/// Every kind of joint at the ends of what is allowed: bounds of its numbers, distances, mass ratios, places, forces.
#include "joint_each.h"

#include "world/world.h"

/// What a step leads to is a state: speeds within their limit, and a snapshot that is taken back.
static void expect_state(iso_world *world, const each *is, const char *what) {
    for (int i = 0; i < 4; ++i) {
        const pose at = body_pose(world, is->bodies[i]);
        EXPECT(fabs(at.vx) <= 512 && fabs(at.vy) <= 512 && fabs(at.x) <= 30000 && fabs(at.y) <= 30000,
               "%s: body %d at %g m, %g m/s", what, i, at.x, at.vx);
    }
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(world, bytes, size), ISO_OK);
    free(bytes);
}

// ---- bounds --------------------------------------------------------------------------------------

/// Creates a joint that must be refused, and leave the world as it was; or be taken, and be stepped.
static void try_def(iso_world *world, const each *is, const iso_joint_def *def, iso_status expected, const char *name) {
    const uint64_t root = each_root(world);
    iso_joint_id joint;
    const iso_status status = iso_joint_create(world, def, &joint);
    EXPECT(status == expected, "kind %u, %s: %s", def->kind, name, iso_status_name(status));
    if (status == ISO_OK) {
        iso_joint_def read;
        EXPECT_STATUS(iso_joint_get(world, joint, &read), ISO_OK);
        EXPECT_STATUS(iso_joint_set(world, joint, &read), ISO_OK);
        world_steps(world, 2);
        expect_state(world, is, name);
        EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
        return;
    }
    assert_int_equal(each_root(world), root);
    EXPECT(iso_joint_set(world, is->joint, def) != ISO_OK, "kind %u, %s: a change to it is taken", def->kind, name);
    assert_int_equal(each_root(world), root);
}

#define UNIT_FIX16 ISO_FIX16_ONE
#define UNIT_WIDE  ISO_WIDE_ONE
#define TYPE_FIX16 fix16_t
#define TYPE_WIDE  iso_wide

/// Each number at both bounds and just beyond. Of Q31.32 the upper bound is the end of the type.
static void try_numbers(iso_world *world, const each *is, const iso_joint_def *right) {
    const uint32_t has = iso_joint_kind_has(right->kind);
#define TRY_NUMBER(type, name, low, high)                                                                        \
    {                                                                                                            \
        const bool is_size = (has & ISO_JOINT_HAS_LENGTH) != 0 && (&right->name == (const void *)&right->rest || \
                                                                   &right->name == (const void *)&right->lower); \
        const TYPE_##type least = is_size ? 0 : (TYPE_##type)((low)*UNIT_##type);                                \
        const TYPE_##type most = (TYPE_##type)((high)*UNIT_##type);                                              \
        for (int i = 0; i < 4; ++i) {                                                                            \
            iso_joint_def def = *right;                                                                          \
            def.name = i == 0   ? least                                                                          \
                       : i == 1 ? (TYPE_##type)(least - 1)                                                       \
                       : i == 2 ? most                                                                           \
                                : (TYPE_##type)(most + (sizeof least == 4));                                     \
            def.lower = &right->name == (const void *)&right->upper && i < 2 ? def.upper : def.lower;            \
            def.upper = &right->name == (const void *)&right->lower && i >= 2 ? def.lower : def.upper;           \
            const bool is_right = i % 2 == 0 || (i == 3 && sizeof least == 8);                                   \
            const bool is_low_length = (has & ISO_JOINT_HAS_LENGTH) != 0 && def.lower < 0;                       \
            try_def(world, is, &def, is_right && !is_low_length ? ISO_OK : ISO_ERR_RANGE, #name);                \
        }                                                                                                        \
    }
    ISO_JOINT_NUMBER_LIST(TRY_NUMBER)
#undef TRY_NUMBER
}

/// What only kinds with a ratio, a line or a step check, and parts that the kind does not have.
static void try_parts(iso_world *world, const each *is, const iso_joint_def *right) {
    const uint32_t has = iso_joint_kind_has(right->kind);
    const bool has_ratio = (has & ISO_JOINT_HAS_RATIO) != 0, has_axis = (has & ISO_JOINT_HAS_AXIS) != 0;
    const bool has_ratchet = (has & ISO_JOINT_HAS_RATCHET) != 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        iso_joint_def def = *right;
        def.ratio = sign * (ONE / 64);
        try_def(world, is, &def, ISO_OK, "least ratio");
        def.ratio = sign * (ONE / 64 - 1);
        try_def(world, is, &def, has_ratio ? ISO_ERR_RANGE : ISO_OK, "ratio below the least");
        def = *right;
        def.axis = (iso_vec2){0, sign * (ONE / 64)};
        try_def(world, is, &def, ISO_OK, "shortest axis");
        def.axis = (iso_vec2){sign * (ONE / 64 - 1), ONE / 64 - 1};
        try_def(world, is, &def, has_axis ? ISO_ERR_RANGE : ISO_OK, "axis below the shortest");
        def = *right;
        def.ratchet = sign * (ONE / 64);
        try_def(world, is, &def, ISO_OK, "least step");
        def.ratchet = sign * (ONE / 64 - 1);
        try_def(world, is, &def, has_ratchet ? ISO_ERR_RANGE : ISO_OK, "step below the least");
        def = *right;
        def.anchor_a.x = def.anchor_b.y = def.anchor_c.x = def.anchor_d.y = sign * 60 * ONE;
        try_def(world, is, &def, ISO_OK, "anchors 60 m out");
        def.anchor_d.y += sign;
        try_def(world, is, &def, ISO_ERR_RANGE, "an anchor beyond");
    }
    iso_joint_def def = *right;
    def.limit_enabled = true;
    try_def(world, is, &def, (has & ISO_JOINT_HAS_LIMIT) != 0 ? ISO_OK : ISO_ERR_RANGE, "limits");
    def = *right;
    def.motor_enabled = true;
    try_def(world, is, &def, (has & ISO_JOINT_HAS_MOTOR) != 0 ? ISO_OK : ISO_ERR_RANGE, "a motor");
    def = *right;
    def.spring_enabled = true;
    try_def(world, is, &def, (has & ISO_JOINT_HAS_SPRING) != 0 ? ISO_OK : ISO_ERR_RANGE, "a spring");
    def = *right;
    def.lower = def.upper + 1;
    try_def(world, is, &def, ISO_ERR_RANGE, "limits that cross");
}

static void test_every_number_is_checked_at_its_bounds(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        iso_world *world = world_make_small(-GRAVITY);
        const each is = each_add(world, each_kind(k), 0, k % 2);
        world_steps(world, 3);
        for (int parts = 0; parts < 2; ++parts) {
            iso_joint_def right = each_def(each_kind(k), is.bodies, parts);
            right.axis = (iso_vec2){ONE, 2 * ONE};
            try_numbers(world, &is, &right);
        }
        const iso_joint_def right = each_def(each_kind(k), is.bodies, false);
        try_parts(world, &is, &right);
        world_free(world);
    }
}

// ---- places and masses ---------------------------------------------------------------------------

/// From one corner of the world to the other. What is clamped on the way is counted.
static void test_bodies_may_be_as_far_apart_as_the_world(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        for (int parts = 0; parts < 2; ++parts) {
            iso_world *world = world_make_small(-GRAVITY);
            each is;
            const iso_shape_def pebble = shape_circle(0.01), disc = shape_circle(2);
            for (int i = 0; i < 4; ++i) {
                const double side = i % 2 ? -29990 : 29990;
                is.bodies[i] =
                    body_add_shape(world, ISO_BODY_DYNAMIC, side, i < 2 ? side : -side, i, i < 2 ? &pebble : &disc);
            }
            iso_joint_def def = each_def(each_kind(k), is.bodies, parts);
            def.target = iso_vec2_to_wide((iso_vec2){fix(29990), fix(29990)});
            def.spring_hertz = fix(10);
            def.motor_max = INT64_MAX;
            def.motor_speed = fix(30000);
            def.anchor_b = (iso_vec2){fix(50), fix(-50)};
            const iso_joint_id joint = joint_add(world, &def);
            world_steps(world, 60);
            expect_state(world, &is, "far apart");
            const uint32_t has = iso_joint_kind_has(each_kind(k));
            const bool pulls = (has & (ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_LENGTH)) != 0 &&
                               each_kind(k) != ISO_JOINT_FRICTION;
            if (pulls) {
                EXPECT(world_counts(world).clamped_velocities > 0, "kind %u, parts %d: silent", each_kind(k), parts);
            }
            EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
            world_free(world);
        }
    }
}

/// A motor that wants more than the format has: the row's clamp is seen in the counter though nothing else clamps.
static void test_clamp_of_a_row_is_counted(void **state) {
    (void)state;
    wheel is = wheel_make(1, 0);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, is.fixed, is.disc);
    def.motor_enabled = true;
    def.motor_speed = fix(200); // with the warm start a row is at 400
    def.motor_max = INT64_MAX;
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 5);
    assert_int_equal(world_counts(is.world).clamped_velocities, 0);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 200, 1e-3, "within the format");
    EXPECT_STATUS(iso_joint_set_motor(is.world, joint, true, fix(600), INT64_MAX), ISO_OK);
    world_steps(is.world, 1);
    EXPECT(world_counts(is.world).clamped_velocities >= 4, "%u clamps",
           (unsigned)world_counts(is.world).clamped_velocities);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 512, 1e-3, "at the end of the format");
    world_free(is.world);
}

/// An impulse at the end of its format is counted, too: the motor goes on asking for what the body cannot do.
static void test_clamped_impulse_is_counted(void **state) {
    (void)state;
    wheel is = wheel_make(1, 0);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, is.fixed, is.disc);
    def.motor_enabled = true;
    def.motor_speed = fix(32767);
    def.motor_max = INT64_MAX;
    joint_add(is.world, &def);
    world_steps(is.world, 60);
    EXPECT(world_counts(is.world).clamped_impulses > 0, "silent");
    world_free(is.world);
}

/// The same of a point: it wants 20 km within a substep.
static void test_clamps_of_a_point_are_counted(void **state) {
    (void)state;
    wheel is = wheel_make(1, 0);
    iso_joint_def def = joint_def(ISO_JOINT_TARGET, (iso_body_id){0, 0}, is.disc);
    def.hertz = fix(100);
    def.target.x = iso_wide_from_fix16(20000 * ONE);
    joint_add(is.world, &def);
    world_steps(is.world, 1);
    EXPECT(world_counts(is.world).clamped_velocities >= 4, "%u clamps",
           (unsigned)world_counts(is.world).clamped_velocities);
    EXPECT(world_counts(is.world).clamped_impulses > 0, "the impulse's is silent");
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 512, 1e-3, "at the end of the format");
    world_free(is.world);
}

/// A line whose carrier is 5 mm across and 29 km away, on either side: its lever is as far
/// beyond the range as any. What wraps is seen by the sanitizers.
static void test_lines_of_far_and_tiny_carriers_are_solved(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_LINE, ISO_JOINT_PRISMATIC, ISO_JOINT_WHEEL};
    for (int i = 0; i < 12; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def carrier = shape_box(0.0019, 0.0019), other = shape_box(0.5, 0.5);
        carrier.density = fix(1000);
        const double side = i % 2 ? -29000 : 29000;
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &carrier);
        const iso_body_id b = body_add_shape(world, i / 2 % 2 ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, side, 0, 0, &other);
        const iso_joint_def def = joint_def((iso_joint_kind)kinds[i / 4], a, b);
        const each is = {{a, b, a, b}, joint_add(world, &def)};
        for (int t = 0; t < 10; ++t) {
            world_steps(world, 1);
            expect_state(world, &is, "a far line");
        }
        world_free(world);
    }
}

/// A mass ratio of 1:10000 either way, the light body in motion: what holds a point or a line holds it.
static void test_mass_ratios_hold(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_DISTANCE, ISO_JOINT_WELD,  ISO_JOINT_PRISMATIC,
                             ISO_JOINT_WHEEL,    ISO_JOINT_LINE,     ISO_JOINT_MOTOR, ISO_JOINT_PULLEY};
    for (size_t c = 0; c < 2 * sizeof kinds; ++c) {
        iso_world *world = world_make_small(0);
        iso_shape_def heavy = shape_circle(1), light = shape_circle(1);
        heavy.density = fix(10000);
        heavy.filter.mask = light.filter.mask = 0;
        iso_body_id bodies[4];
        for (int i = 0; i < 4; ++i) {
            bodies[i] =
                body_add_shape(world, ISO_BODY_DYNAMIC, 3 * i, 0, 0, (i % 2 == 0) == (c % 2 == 0) ? &heavy : &light);
        }
        iso_joint_def def = each_def(kinds[c / 2], bodies, false);
        def.anchor_a.x = 3 * ONE;
        def.rest = fix(kinds[c / 2] == ISO_JOINT_PULLEY ? 3 : 0);
        const iso_joint_id joint = joint_add(world, &def);
        body_set_velocity(world, bodies[c % 2 ? 0 : 1], 0, 3, 0.5); // the light one
        double worst = 0;
        for (int t = 0; t < 240; ++t) {
            world_steps(world, 1);
            worst = fmax(worst, joint_separation(world, joint));
        }
        double momentum = 0, mass = 0;
        for (int i = 0; i < 4; ++i) {
            momentum += body_pose(world, bodies[i]).mass * body_pose(world, bodies[i]).vy;
            mass += body_pose(world, bodies[i]).mass;
        }
        EXPECT(worst < 0.03, "kind %u, case %zu: %g m apart", kinds[c / 2], c, worst);
        EXPECT_NEAR(momentum, 3 * PI, mass * 60 * QUANTUM_VELOCITY, "kind %u, case %zu: momentum", kinds[c / 2], c);
        world_free(world);
    }
}

/// Bodies and anchors in one place: no direction, no lever, and nothing that moves them there.
static void test_coincident_bodies_and_zero_lengths_rest(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        iso_world *world = world_make_small(0);
        iso_shape_def disc = shape_circle(0.5);
        disc.filter.mask = 0;
        each is;
        for (int i = 0; i < 4; ++i) {
            is.bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 4, 0, &disc);
        }
        iso_joint_def def = each_def(each_kind(k), is.bodies, false);
        def.target = iso_vec2_to_wide((iso_vec2){fix(3), fix(4)});
        joint_add(world, &def);
        world_steps(world, 60);
        for (int i = 0; i < 4; ++i) {
            const pose at = body_pose(world, is.bodies[i]);
            EXPECT(at.x == 3 && at.y == 4 && at.vx == 0 && at.vy == 0 && at.w == 0, "kind %u: body %d at %g, %g",
                   each_kind(k), i, at.x, at.y);
        }
        expect_state(world, &is, "in one place");
        world_free(world);
    }
}

/// Between bodies that nothing moves a joint of any kind does nothing and bears nothing.
static void test_static_pairs_rest(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        each is;
        for (int i = 0; i < 4; ++i) {
            is.bodies[i] = body_add_shape(world, i % 2 ? ISO_BODY_KINEMATIC : ISO_BODY_STATIC, 3 * i, i, 0, &disc);
        }
        iso_joint_def def = each_def(each_kind(k), is.bodies, true);
        def.lower = def.upper = def.rest = ONE;
        def.spring_hertz = 5 * ONE;
        def.motor_speed = ONE;
        def.motor_max = INT64_MAX;
        if (each_kind(k) == ISO_JOINT_TARGET) {
            iso_joint_id joint;
            EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
        } else {
            const iso_joint_id joint = joint_add(world, &def);
            world_steps(world, 30);
            double fx, fy;
            joint_force(world, joint, &fx, &fy);
            assert_true(fx == 0 && fy == 0 && joint_torque(world, joint) == 0);
        }
        for (int i = 0; i < 4; ++i) {
            const pose at = body_pose(world, is.bodies[i]);
            assert_true(at.x == 3 * i && at.y == i && at.angle == 0 && at.vx == 0 && at.w == 0);
        }
        world_free(world);
    }
}

/// Bodies that are turned as far as an angle goes, either way: an error is a distance, never below 0.
static void test_errors_of_the_largest_angles_are_not_negative(void **state) {
    (void)state;
    static const int64_t ends[] = {INT64_MIN, INT64_MIN / 2, 0, INT64_MAX / 2, INT64_MAX};
    for (size_t c = 0; c < EACH_KINDS * 25 * 2; ++c) {
        const size_t k = c / 50;
        iso_world *world = world_make_small(0);
        each is;
        for (int i = 0; i < 4; ++i) {
            is.bodies[i] = body_add(world, ISO_BODY_DYNAMIC, i, 0, i % 2);
        }
        iso_joint_def def = each_def(each_kind(k), is.bodies, c % 2 != 0);
        def.reference = c % 4 < 2 ? ONE : -ONE;
        def.rest = (iso_joint_kind_has(def.kind) & ISO_JOINT_HAS_LENGTH) != 0 ? ONE : def.reference;
        def.ratchet = c % 4 < 2 ? ONE / 4 : -ONE / 4;
        is.joint = joint_add(world, &def);
        EXPECT_STATUS(iso_body_set_position(world, is.bodies[0], (iso_vec2_wide){0, 0}, ends[c / 2 % 5]), ISO_OK);
        EXPECT_STATUS(iso_body_set_position(world, is.bodies[1], (iso_vec2_wide){0, 0}, ends[c / 10 % 5]), ISO_OK);
        for (int t = 0; t < 2; ++t) {
            iso_wide turned, apart;
            EXPECT_STATUS(iso_joint_get_angle_error(world, is.joint, &turned), ISO_OK);
            EXPECT_STATUS(iso_joint_get_separation(world, is.joint, &apart), ISO_OK);
            EXPECT(turned >= 0 && apart >= 0, "kind %u, case %zu: %g rad, %g m", def.kind, c, from_wide(turned),
                   from_wide(apart));
            world_steps(world, 1);
        }
        expect_state(world, &is, "the largest angles");
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number_is_checked_at_its_bounds),
        cmocka_unit_test(test_bodies_may_be_as_far_apart_as_the_world),
        cmocka_unit_test(test_clamp_of_a_row_is_counted),
        cmocka_unit_test(test_clamped_impulse_is_counted),
        cmocka_unit_test(test_clamps_of_a_point_are_counted),
        cmocka_unit_test(test_lines_of_far_and_tiny_carriers_are_solved),
        cmocka_unit_test(test_mass_ratios_hold),
        cmocka_unit_test(test_coincident_bodies_and_zero_lengths_rest),
        cmocka_unit_test(test_static_pairs_rest),
        cmocka_unit_test(test_errors_of_the_largest_angles_are_not_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
