/// What pulleys of four, three and two bodies do, against closed forms.
#include "unit/plane/joint/joint_util.h"

/// Two weights, each on a rope from a static body above it: A above B, C above D.
typedef struct lift {
    iso_world *world;
    iso_body_id tops[2], weights[2];
    double mass[2];
    iso_joint_def def;
} lift;

static lift lift_make(double radius_b, double radius_d, double ratio) {
    lift is = {.world = world_make_small(-GRAVITY)};
    const double radii[] = {radius_b, radius_d};
    for (int i = 0; i < 2; ++i) {
        iso_shape_def disc = shape_circle(radii[i]);
        disc.filter.mask = 0;
        is.tops[i] = body_add(is.world, ISO_BODY_STATIC, 3 * i, 0, 0);
        is.weights[i] = body_add_shape(is.world, ISO_BODY_DYNAMIC, 3 * i, -5, 0, &disc);
        is.mass[i] = body_pose(is.world, is.weights[i]).mass;
    }
    is.def = joint_def(ISO_JOINT_PULLEY, is.tops[0], is.weights[0]);
    is.def.body_c = is.tops[1];
    is.def.body_d = is.weights[1];
    is.def.ratio = fix(ratio);
    is.def.rest = fix(5 + 5 * ratio);
    return is;
}

static double lift_length(const lift *is) {
    return -body_pose(is->world, is->weights[0]).y - from_fix(is->def.ratio) * body_pose(is->world, is->weights[1]).y;
}

// ---- four bodies ---------------------------------------------------------------------------------

/// Atwood's machine with a ratio: B's acceleration downwards is r (r mB - mD) g / (r^2 mB + mD), D's -1/r of it, and
/// the tension mB (g - a).
static void test_weights_accelerate_as_atwoods(void **state) {
    (void)state;
    const struct {
        double b, d, ratio;
    } cases[] = {{0.5, 0.4, 1}, {0.3, 0.6, 1}, {0.5, 0.5, 2}, {0.5, 0.5, 0.5}, {0.4, 0.8, 4}, {0.5, 0.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lift is = lift_make(cases[i].b, cases[i].d, cases[i].ratio);
        const double r = cases[i].ratio, mb = is.mass[0], md = is.mass[1];
        const double a = r * (r * mb - md) * GRAVITY / (r * r * mb + md), time = 0.75;
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 45);
        const pose b = body_pose(is.world, is.weights[0]), d = body_pose(is.world, is.weights[1]);
        EXPECT_NEAR(-b.vy, a * time, 0.01, "case %zu: speed of B", i);
        EXPECT_NEAR(d.vy, a / r * time, 0.01, "case %zu: speed of D", i);
        EXPECT_NEAR(lift_length(&is), from_fix(is.def.rest), 2e-3, "case %zu: length", i);
        EXPECT_NEAR(joint_speed(is.world, joint), 0, 1e-3, "case %zu: speed of the joint", i);
        EXPECT_NEAR(joint_separation(is.world, joint), fabs(lift_length(&is) - from_fix(is.def.rest)), 1e-5,
                    "case %zu: error", i);
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        EXPECT_NEAR(fy, mb * (GRAVITY - a), 5e-3 * mb * GRAVITY, "case %zu: tension", i);
        EXPECT_NEAR(fx, 0, 1e-3 * mb * GRAVITY, "case %zu: to the side", i);
        world_free(is.world);
    }
}

/// With limits the rope is slack between them: both weights fall freely, until the rope is taut, or too short.
static void test_limits_of_a_pulley_are_reached_from_both_sides(void **state) {
    (void)state;
    lift is = lift_make(0.5, 0.5, 2);
    is.def.limit_enabled = true;
    is.def.lower = fix(12);
    is.def.upper = fix(24);
    const iso_joint_id joint = joint_add(is.world, &is.def);
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, is.weights[0]).vy, -GRAVITY / 2, 1e-2, "B falls");
    EXPECT_NEAR(body_pose(is.world, is.weights[1]).vy, -GRAVITY / 2, 1e-2, "D falls");
    EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "slack");
    double most = 0, least = 99;
    for (int t = 0; t < 60; ++t) {
        world_steps(is.world, 1);
        most = fmax(most, lift_length(&is));
    }
    EXPECT_NEAR(most, 24, 0.02, "taut");
    EXPECT_NEAR(lift_length(&is), 24, 5e-3, "it stays taut");
    EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(3 * GRAVITY)}), ISO_OK);
    for (int t = 0; t < 40; ++t) {
        world_steps(is.world, 1);
        least = fmin(least, lift_length(&is));
    }
    EXPECT_NEAR(least, 12, 0.05, "too short");
    world_free(is.world);
}

/// A spring of f Hz: with the reduced mass of the rope the weights swing with 1/f about where it bears them.
static void test_spring_of_a_pulley_has_its_period(void **state) {
    (void)state;
    lift is = lift_make(0.5, 0.5, 1); // equal weights: their difference stays, their sum swings
    const double f = 1.25, sag = GRAVITY / pow(2 * PI * f, 2); // of each weight: m g = k 2 y, k = m / 2 w^2
    is.def.spring_enabled = true;
    is.def.spring_hertz = fix(f);
    is.def.spring_damping_ratio = fix(0.05);
    joint_add(is.world, &is.def);
    double before = -2 * sag, first = 0, last = 0;
    int passages = 0;
    for (int t = 1; t < 600 && passages < 5; ++t) {
        world_steps(is.world, 1);
        const double x = lift_length(&is) - 10 - 2 * sag;
        if ((before > 0) != (x > 0)) {
            last = (t - 1 + before / (before - x)) / 60;
            first = passages == 0 ? last : first;
            ++passages;
        }
        before = x;
    }
    EXPECT_NEAR((last - first) / 2, 1 / f, 0.01 / f, "period");
    world_free(is.world);
}

/// A rope that bears F at most lets B fall with g - F / m, and pulls D with r F.
static void test_pulley_bears_its_maximum(void **state) {
    (void)state;
    lift is = lift_make(0.5, 0.5, 2);
    is.def.force_max = wide(is.mass[0] * 2);
    is.def.hertz = fix(30);
    joint_add(is.world, &is.def);
    EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(-GRAVITY)}), ISO_OK);
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, is.weights[0]).vy, -(GRAVITY - 2) / 2, 0.01, "B");
    EXPECT_NEAR(body_pose(is.world, is.weights[1]).vy, -(GRAVITY - 4) / 2, 0.01, "D");
    world_free(is.world);
}

/// A rope that is too long is drawn in no faster than the correction speed.
static void test_correction_speed_of_a_pulley(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        lift is = lift_make(0.5, 0.3, 2);
        EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, 0}), ISO_OK);
        is.def.rest = fix(i ? 17 : 13);
        is.def.correction_max = fix(0.5);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        double before = joint_separation(is.world, joint);
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double speed = (before - joint_separation(is.world, joint)) * 60;
            EXPECT(speed < 0.5001 && speed > 0.4, "case %d: %g m/s at tick %d", i, speed, t);
            before -= speed / 60;
        }
        world_free(is.world);
    }
}

// ---- three and two bodies ------------------------------------------------------------------------

/// B = C hangs in a loop of the rope between two fixed points above it: each part bears m g / (1 + r), r of it in the
///         other.
static void test_body_in_a_loop_hangs_on_both_parts(void **state) {
    (void)state;
    const double ratios[] = {1, 2, 0.25};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id top = body_add(world, ISO_BODY_STATIC, 0, 0, 0),
                          other = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        const iso_body_id hung = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -4, 0, &disc);
        iso_joint_def def = joint_def(ISO_JOINT_PULLEY, top, hung);
        def.body_c = hung;
        def.body_d = other;
        def.ratio = fix(ratios[i]);
        def.rest = fix(4 + 4 * ratios[i]);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 120);
        const double weight = body_pose(world, hung).mass * GRAVITY;
        double fx, fy;
        joint_force(world, joint, &fx, &fy);
        EXPECT_NEAR(fy, weight / (1 + ratios[i]), 2e-3 * weight, "ratio %g: tension", ratios[i]);
        EXPECT_NEAR(body_pose(world, hung).y, -4, 2e-3, "ratio %g: height", ratios[i]);
        EXPECT_NEAR(body_pose(world, hung).vy, 0, 1e-4, "ratio %g: at rest", ratios[i]);
        world_free(world);
    }
}

/// B = C on a rope from above, D on one from B, x = yB + r (yD - yB) downwards. With r = 2 D has half of B's way, and
/// mB 2 a = mB g + T, mD a = mD g - 2 T: a = g (mD + 2 mB) / (mD + 4 mB).
static void test_hanging_block_accelerates_as_derived(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def small = shape_circle(0.3), large = shape_circle(0.5);
    small.filter.mask = large.filter.mask = 0;
    const iso_body_id top = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id block = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -3, 0, &small);
    const iso_body_id weight = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -8, 0, &large);
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, top, block);
    def.body_c = block;
    def.body_d = weight;
    def.ratio = fix(2);
    def.rest = fix(3 + 2 * 5);
    joint_add(world, &def);
    const double mb = body_pose(world, block).mass, md = body_pose(world, weight).mass;
    const double a = GRAVITY * (md + 2 * mb) / (md + 4 * mb);
    world_steps(world, 30);
    EXPECT_NEAR(body_pose(world, weight).vy, -a / 2, 0.01, "the weight");
    EXPECT_NEAR(body_pose(world, block).vy, -a, 0.02, "the block");
    world_free(world);
}

/// A = D is one free body: what both ropes pull at it adds up, and the momentum of all stays.
static void test_shared_first_body_gets_both_pulls(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.5);
    disc.filter.mask = 0;
    const iso_body_id hub = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &disc);
    const iso_body_id c = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 3, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, hub, b);
    def.body_c = c;
    def.body_d = hub;
    def.rest = fix(6);
    const iso_joint_id joint = joint_add(world, &def);
    body_set_velocity(world, b, 1, 0, 0);
    world_steps(world, 1);
    // Impulse P on each rope: b loses P/m, c gets P/m downwards, the hub P/m along x and y: the rate 1 - 4 P/m is 0.
    EXPECT_NEAR(body_pose(world, b).vx, 0.75, 2e-3, "B");
    EXPECT_NEAR(body_pose(world, c).vy, -0.25, 2e-3, "C");
    EXPECT_NEAR(body_pose(world, hub).vx, 0.25, 2e-3, "hub x");
    EXPECT_NEAR(body_pose(world, hub).vy, 0.25, 2e-3, "hub y");
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, b).vx + body_pose(world, c).vx + body_pose(world, hub).vx, 1, 1e-4, "momentum x");
    EXPECT_NEAR(body_pose(world, b).vy + body_pose(world, c).vy + body_pose(world, hub).vy, 0, 1e-4, "momentum y");
    EXPECT_NEAR(joint_separation(world, joint), 0, 0.01, "length");
    world_free(world);
}

/// A bar hangs on two ropes from a fixed one, as a pulley of two bodies: each bears half of the weight.
static void test_two_bodies_on_two_ropes(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def bar = shape_box(1, 0.1);
    const iso_body_id top = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id hung = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -3, 0, &bar);
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, top, hung);
    def.body_c = hung;
    def.body_d = top;
    def.anchor_a.x = def.anchor_b.x = -ONE;
    def.anchor_c.x = def.anchor_d.x = ONE;
    def.rest = fix(6);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    const double weight = body_pose(world, hung).mass * GRAVITY;
    double fx, fy;
    joint_force(world, joint, &fx, &fy);
    EXPECT_NEAR(fy, weight / 2, 2e-3 * weight, "tension");
    EXPECT_NEAR(body_pose(world, hung).y, -3, 1e-3, "height");
    world_free(world);
}

/// Ropes along one line whose parts cancel (r = -1, one anchor) have nothing to push with, and push nothing.
static void test_pulley_whose_parts_cancel_rests(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const iso_body_id other = body_add(is.world, ISO_BODY_STATIC, 0, 0, 0);
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, is.fixed, is.disc);
    def.body_c = other;
    def.body_d = is.disc;
    def.ratio = -ONE;
    def.rest = fix(1);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vy, -GRAVITY, 1e-3, "it falls");
    double fx, fy;
    joint_force(is.world, joint, &fx, &fy);
    assert_true(fx == 0 && fy == 0);
    world_free(is.world);
}

/// A weight on the second rope alone, the first between fixed points: it hangs, whichever body of the four it is.
static void test_any_of_the_four_may_be_the_only_one_that_moves(void **state) {
    (void)state;
    for (int hung = 0; hung < 4; ++hung) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        iso_body_id bodies[4];
        for (int i = 0; i < 4; ++i) {
            bodies[i] = body_add_shape(world, i == hung ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, 5 * i, i == hung ? -3 : 0,
                                       0, &disc);
        }
        const double length = hypot(5, 3) + 5;
        iso_joint_def def = joint_def(ISO_JOINT_PULLEY, bodies[0], bodies[1]);
        def.body_c = bodies[2];
        def.body_d = bodies[3];
        def.limit_enabled = true;
        def.upper = fix(length);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        EXPECT(joint_separation(world, joint) < 1e-3, "body %d hangs %g m too low", hung,
               joint_separation(world, joint));
        world_free(world);
    }
}

static void test_bodies_of_the_second_rope_are_checked(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_body_id bodies[4];
    const iso_shape_def disc = shape_circle(0.5);
    for (int i = 0; i < 4; ++i) {
        bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 2 * i, 0, 0, &disc);
    }
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, bodies[0], bodies[1]);
    iso_body_id *const rope[2] = {&def.body_c, &def.body_d};
    const uint64_t root = iso_world_root(world);
    iso_joint_id joint;
    for (int i = 0; i < 2; ++i) {
        def.body_c = bodies[2];
        def.body_d = bodies[3];
        rope[i]->generation += 2;
        EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_ERR_STALE);
        *rope[i] = *rope[1 - i];
        EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
        *rope[i] = (iso_body_id){0, 0};
        EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_ERR_STALE);
    }
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

/// Each of the four wakes when the joint begins, changes or ends, also alone: the others are fixed.
static void test_a_pulley_wakes_each_of_its_bodies(void **state) {
    (void)state;
    for (int sleeper = 0; sleeper < 4; ++sleeper) {
        iso_world_def world_def = world_def_small(0);
        world_def.sleep_speed = iso_world_def_default().sleep_speed;
        iso_world *world = world_make(&world_def);
        const iso_shape_def disc = shape_circle(0.5);
        iso_body_id bodies[4];
        for (int i = 0; i < 4; ++i) {
            bodies[i] = body_add_shape(world, i == sleeper ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, 3 * i, 0, 0, &disc);
        }
        iso_joint_def def = joint_def(ISO_JOINT_PULLEY, bodies[0], bodies[1]);
        def.body_c = bodies[2];
        def.body_d = bodies[3];
        def.rest = fix(6);
        iso_joint_id joint = {0, 0};
        for (int what = 0; what < 4; ++what) {
            world_steps(world, 120);
            EXPECT(!iso_body_is_awake(world, bodies[sleeper]), "body %d does not sleep before %d", sleeper, what);
            if (what == 0) {
                joint = joint_add(world, &def);
            } else if (what == 1) {
                EXPECT_STATUS(iso_joint_set_spring(world, joint, true, ONE, ONE, fix(6)), ISO_OK);
            } else if (what == 2) {
                EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
            } else {
                EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
            }
            EXPECT(iso_body_is_awake(world, bodies[sleeper]), "body %d sleeps on at %d", sleeper, what);
        }
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_accelerate_as_atwoods),
        cmocka_unit_test(test_limits_of_a_pulley_are_reached_from_both_sides),
        cmocka_unit_test(test_spring_of_a_pulley_has_its_period),
        cmocka_unit_test(test_pulley_bears_its_maximum),
        cmocka_unit_test(test_correction_speed_of_a_pulley),
        cmocka_unit_test(test_body_in_a_loop_hangs_on_both_parts),
        cmocka_unit_test(test_hanging_block_accelerates_as_derived),
        cmocka_unit_test(test_shared_first_body_gets_both_pulls),
        cmocka_unit_test(test_two_bodies_on_two_ropes),
        cmocka_unit_test(test_pulley_whose_parts_cancel_rests),
        cmocka_unit_test(test_any_of_the_four_may_be_the_only_one_that_moves),
        cmocka_unit_test(test_bodies_of_the_second_rope_are_checked),
        cmocka_unit_test(test_a_pulley_wakes_each_of_its_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
