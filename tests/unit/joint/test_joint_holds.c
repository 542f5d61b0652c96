/// What joints do that hold a point and an angle, against closed forms: weld, friction, motor; and the filter.
#include "joint_util.h"

static iso_joint_id joint_add_at(iso_world *world, iso_joint_def *def, double ax, double ay, double bx, double by) {
    def->anchor_a = (iso_vec2){fix(ax), fix(ay)};
    def->anchor_b = (iso_vec2){fix(bx), fix(by)};
    return joint_add(world, def);
}

static void push(iso_world *world, iso_body_id body, double x, double y, double torque, int ticks) {
    for (int t = 0; t < ticks; ++t) {
        EXPECT_STATUS(iso_body_apply_force_to_centre(world, body, (iso_vec2_wide){wide(x), wide(y)}), ISO_OK);
        EXPECT_STATUS(iso_body_apply_torque(world, body, wide(torque)), ISO_OK);
        world_steps(world, 1);
    }
}

// ---- weld ----------------------------------------------------------------------------------------

/// A static body and a beam of 2 m whose end is welded to it, at an angle between them.
static iso_world *cantilever_make(double angle, double gravity, iso_body_id *beam, iso_joint_def *def) {
    iso_world *world = world_make_small(-gravity);
    const iso_shape_def box = shape_box(1, 0.1);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0.5);
    *beam = body_add_shape(world, ISO_BODY_DYNAMIC, cos(angle), sin(angle), angle, &box);
    *def = joint_def(ISO_JOINT_WELD, fixed, *beam);
    def->rest = fix(angle - 0.5);
    return world;
}

/// The weld carries the weight m g and, at the beam's centre, the torque m g l cos(a): the beam stays where it is.
static void test_weld_holds_a_cantilever(void **state) {
    (void)state;
    const double angles[] = {0, 0.8, -2.5};
    for (int i = 0; i < 3; ++i) {
        iso_body_id beam;
        iso_joint_def def;
        iso_world *world = cantilever_make(angles[i], GRAVITY, &beam, &def);
        const iso_joint_id joint = joint_add_at(world, &def, 0, 0, -1, 0);
        double worst = 0;
        for (int t = 0; t < 600; ++t) {
            world_steps(world, 1);
            worst = fmax(worst, fmax(fabs(body_pose(world, beam).angle - angles[i]), joint_separation(world, joint)));
        }
        const double weight = body_pose(world, beam).mass * GRAVITY;
        double fx, fy;
        joint_force(world, joint, &fx, &fy);
        print_message("beam at %.1f rad: at most %.1e m or rad away\n", angles[i], worst);
        EXPECT(worst < 0.01, "the beam droops by %g", worst);
        EXPECT_NEAR(fx, 0, 0.01 * weight, "force x");
        EXPECT_NEAR(fy, weight, 0.01 * weight, "force y");
        EXPECT_NEAR(joint_torque(world, joint), weight * cos(angles[i]), 0.01 * weight, "torque");
        world_free(world);
    }
}

/// A weld with a spring of f Hz has k = I (2 pi f)^2 of the pair's inertia: it droops by m g l cos(a) / k.
static void test_weld_with_a_spring_droops_by_its_stiffness(void **state) {
    (void)state;
    iso_body_id beam;
    iso_joint_def def;
    iso_world *world = cantilever_make(0, GRAVITY, &beam, &def);
    const pose at = body_pose(world, beam);
    const double f = 5, stiffness = at.inertia * pow(2 * PI * f, 2);
    def.spring_enabled = true;
    def.spring_hertz = fix(f);
    const iso_joint_id joint = joint_add_at(world, &def, 0, 0, -1, 0);
    world_steps(world, 900);
    double droop = 0;
    for (int n = 0; n < 50; ++n) {
        droop = at.mass * GRAVITY * cos(droop) / stiffness;
    }
    EXPECT_NEAR(body_pose(world, beam).angle, -droop, 0.02 * droop, "droop");
    EXPECT(joint_separation(world, joint) < 2e-3, "the point gives way: %g m", joint_separation(world, joint));
    world_free(world);
}

/// Two free bodies that are welded turn as one: I = IA + IB + m d^2, about the centre of both.
static void test_welded_bodies_are_one(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def box = shape_box(0.5, 0.25);
    box.filter.mask = 0;
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -0.5, 0, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &box);
    iso_joint_def def = joint_def(ISO_JOINT_WELD, a, b);
    joint_add_at(world, &def, 0.5, 0, -0.5, 0);
    const pose one = body_pose(world, b);
    const double inertia = 2 * (one.inertia + one.mass * 0.25), torque = 2;
    push(world, a, 0, 0, torque, 60);
    EXPECT_NEAR(body_pose(world, a).w, torque / inertia, 0.02 * torque / inertia, "A");
    EXPECT_NEAR(body_pose(world, b).w, torque / inertia, 0.02 * torque / inertia, "B");
    EXPECT_NEAR(body_pose(world, b).angle, body_pose(world, a).angle, 1e-3, "angle");
    world_free(world);
}

/// A spring that is switched on with no frequency leaves the weld as rigid as without.
static void test_weld_with_a_spring_of_no_frequency_is_rigid(void **state) {
    (void)state;
    uint64_t roots[2];
    for (int i = 0; i < 2; ++i) {
        iso_body_id beam;
        iso_joint_def def;
        iso_world *world = cantilever_make(0.3, GRAVITY, &beam, &def);
        const iso_joint_id joint = joint_add_at(world, &def, 0, 0, -1, 0);
        EXPECT_STATUS(iso_joint_set_spring(world, joint, i == 1, 0, ONE, def.rest), ISO_OK);
        world_steps(world, 120);
        EXPECT_STATUS(iso_joint_set_spring(world, joint, false, 0, ONE, def.rest), ISO_OK);
        iso_world_drop_caches(world);
        roots[i] = iso_world_root(world);
        world_free(world);
    }
    assert_true(roots[0] == roots[1]);
}

/// A point that is apart comes together no faster than its correction speed, whatever else the joint has.
static void test_correction_of_a_point_has_a_speed(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_TARGET, ISO_JOINT_WELD};
    for (int i = 0; i < 3; ++i) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(kinds[i], kinds[i] == ISO_JOINT_TARGET ? (iso_body_id){0, 0} : is.fixed, is.disc);
        def.target = (iso_vec2){3 * ONE, -4 * ONE};
        def.correction_max = ONE / 2;
        const iso_joint_id joint = joint_add_at(is.world, &def, 3, -4, 0, 0);
        for (int t = 1; t <= 60; ++t) {
            world_steps(is.world, 1);
            EXPECT(joint_separation(is.world, joint) > 5 - t / 120.0 - 1e-4, "kind %d is too fast at tick %d", kinds[i], t);
        }
        EXPECT_NEAR(joint_separation(is.world, joint), 4.5, 0.1, "kind %d after a second", kinds[i]);
        world_free(is.world);
    }
}

// ---- friction ------------------------------------------------------------------------------------

/// Seen from above: a disc that slides at v stops after v m / F and v^2 m / (2 F), one that turns after w I / M.
static void test_friction_stops_what_slides_and_turns(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        wheel is = wheel_make(0.5, 0);
        const pose at = body_pose(is.world, is.disc);
        const double angle = 1.3 * i, v = 3, w = i % 2 ? -4 : 4, force = at.mass * 2, torque = at.inertia * 8;
        iso_joint_def def = joint_def(ISO_JOINT_FRICTION, is.fixed, is.disc);
        def.force_max = wide(force);
        def.torque_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &def);
        body_set_velocity(is.world, is.disc, v * cos(angle), v * sin(angle), w);
        world_steps(is.world, 15);
        EXPECT_NEAR(hypot(body_pose(is.world, is.disc).vx, body_pose(is.world, is.disc).vy), v - 0.5, 2e-3, "speed after 0.25 s");
        EXPECT_NEAR(body_pose(is.world, is.disc).w, w / 2, 2e-3, "angular velocity after 0.25 s");
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        EXPECT_NEAR(fx, -force * cos(angle), 1e-3 * force, "force x");
        EXPECT_NEAR(fy, -force * sin(angle), 1e-3 * force, "force y");
        EXPECT_NEAR(joint_torque(is.world, joint), -copysign(torque, w), 1e-3 * torque, "torque");
        world_steps(is.world, 105);
        const pose end = body_pose(is.world, is.disc);
        EXPECT_NEAR(hypot(end.x, end.y), v * v / 4, 0.01, "way");
        EXPECT_NEAR(fabs(end.angle), w * w / 16, 0.01, "turn");
        EXPECT_NEAR(hypot(end.vx, end.vy), 0, 1e-5, "at rest");
        EXPECT_NEAR(end.w, 0, 1e-5, "at rest");
        EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "where it is is no error");
        world_free(is.world);
    }
}

/// A push below the maximum moves nothing; one above it accelerates by the rest, of force and torque each.
static void test_friction_holds_up_to_its_maximum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const pose at = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_FRICTION, is.fixed, is.disc);
    def.force_max = wide(at.mass * 2);
    def.torque_max = wide(at.inertia * 2);
    joint_add(is.world, &def);
    push(is.world, is.disc, at.mass * 1.9, 0, at.inertia * -1.9, 120);
    EXPECT_NEAR(body_pose(is.world, is.disc).x, 0, 1e-3, "it slides");
    EXPECT_NEAR(body_pose(is.world, is.disc).angle, 0, 1e-3, "it turns");
    push(is.world, is.disc, at.mass * 3, 0, at.inertia * -3.5, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 1, 5e-3, "speed");
    EXPECT_NEAR(body_pose(is.world, is.disc).w, -1.5, 5e-3, "angular velocity");
    world_free(is.world);
}

/// Between free bodies friction takes the difference of their speeds and leaves the sum.
static void test_friction_between_free_bodies_keeps_their_momentum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_shape_def box = shape_box(1, 1);
    box.filter.mask = 0;
    const iso_body_id other = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const pose a = body_pose(is.world, other), b = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_FRICTION, other, is.disc);
    def.force_max = wide(b.mass);
    def.torque_max = wide(b.inertia);
    joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 1, 0, 0);
    for (int t = 0; t < 120; ++t) {
        world_steps(is.world, 1);
        const pose pa = body_pose(is.world, other), pb = body_pose(is.world, is.disc);
        EXPECT_NEAR(a.mass * pa.vx + b.mass * pb.vx, b.mass, 1e-3, "momentum at tick %d", t);
    }
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, body_pose(is.world, other).vx, 1e-3, "they go on together");
    world_free(is.world);
}

// ---- motor ---------------------------------------------------------------------------------------

/// B reaches the place and the angle in A's frame, no faster than the correction speed, and stays.
static void test_motor_reaches_its_offsets_at_its_speed(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        wheel is = wheel_make(0.5, 0);
        const double x = i % 2 ? -1 : 1.5, y = i < 2 ? 1 : -0.5, angle = i % 2 ? 0.75 : -1;
        iso_joint_def def = joint_def(ISO_JOINT_MOTOR, is.fixed, is.disc);
        def.rest = fix(angle);
        def.correction_max = fix(0.5);
        const iso_joint_id joint = joint_add_at(is.world, &def, x, y, 0, 0);
        double before = joint_separation(is.world, joint), turned = 0;
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double now = joint_separation(is.world, joint), angle_now = body_pose(is.world, is.disc).angle;
            EXPECT((before - now) * 60 < 0.5001 && (before - now) * 60 > 0.4, "case %d: %g m/s", i, (before - now) * 60);
            EXPECT(fabs(angle_now - turned) * 60 < 0.5001 && fabs(angle_now - turned) * 60 > 0.4, "case %d: %g rad/s", i,
                   (angle_now - turned) * 60);
            before = now;
            turned = angle_now;
        }
        world_steps(is.world, 360);
        const pose at = body_pose(is.world, is.disc);
        EXPECT_NEAR(at.x, x, 1e-3, "case %d: x", i);
        EXPECT_NEAR(at.y, y, 1e-3, "case %d: y", i);
        EXPECT_NEAR(at.angle, angle, 1e-3, "case %d: angle", i);
        world_free(is.world);
    }
}

/// Soft, it gains F / m and M / I while it is far away; too weak for the weight, it lets the body fall with g - F / m.
static void test_motor_pushes_with_its_maximum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const pose at = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_MOTOR, is.fixed, is.disc);
    def.rest = fix(-200);
    def.hertz = fix(2);
    def.force_max = wide(at.mass * 3);
    def.torque_max = wide(at.inertia * 2);
    const iso_joint_id joint = joint_add_at(is.world, &def, 40, 30, 0, 0);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 3 * 0.8, 5e-3, "vx");
    EXPECT_NEAR(body_pose(is.world, is.disc).vy, 3 * 0.6, 5e-3, "vy");
    EXPECT_NEAR(body_pose(is.world, is.disc).w, -2, 5e-3, "w");
    EXPECT_NEAR(joint_torque(is.world, joint), -2 * at.inertia, 1e-3 * at.inertia, "torque");
    world_free(is.world);

    is = wheel_make(0.5, -GRAVITY);
    def.body_a = is.fixed;
    def.body_b = is.disc;
    joint_add_at(is.world, &def, 0, 0, 0, 0);
    world_steps(is.world, 60);
    const double early = body_pose(is.world, is.disc).vy;
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, is.disc).vy - early, -(GRAVITY - 3) / 2, 5e-3, "fall");
    world_free(is.world);
}

/// A carrier that moves takes B along, at its place in the carrier's frame.
static void test_motor_follows_a_moving_frame(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const iso_body_id carrier = body_add(is.world, ISO_BODY_KINEMATIC, 0, 0, 0);
    iso_joint_def def = joint_def(ISO_JOINT_MOTOR, carrier, is.disc);
    joint_add_at(is.world, &def, 2, 0, 0, 0);
    body_set_velocity(is.world, carrier, 0.5, -0.25, 1);
    world_steps(is.world, 240);
    const pose a = body_pose(is.world, carrier), b = body_pose(is.world, is.disc);
    EXPECT_NEAR(b.x, a.x + 2 * cos(a.angle), 0.02, "x");
    EXPECT_NEAR(b.y, a.y + 2 * sin(a.angle), 0.02, "y");
    EXPECT_NEAR(b.angle, a.angle, 0.01, "angle");
    world_free(is.world);
}

// ---- filter --------------------------------------------------------------------------------------

/// With the filter two discs pass through each other unmoved; without it, or when it is off, they bounce.
static void test_filter_lets_two_bodies_pass(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(0);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -2, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0.1, 0, &disc);
        const iso_joint_def def = joint_def(ISO_JOINT_FILTER, a, b);
        const iso_joint_id joint = joint_add(world, &def);
        if (i == 1) {
            EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
        } else if (i == 2) {
            EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
        }
        body_set_velocity(world, a, 2, 0, 0);
        body_set_velocity(world, b, -2, 0, 0);
        world_steps(world, 120);
        EXPECT((body_pose(world, a).x > 1.9) == (i == 0), "case %d: A is at %g m", i, body_pose(world, a).x);
        if (i == 0) {
            assert_true(body_pose(world, a).vx == 2 && body_pose(world, b).vx == -2 && body_pose(world, a).y == 0);
        }
        world_free(world);
    }
}

/// It connects nothing: what has force, torque or error is zero, islands stay apart, and a third body still collides.
static void test_filter_does_nothing_else(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def ground = shape_box(10, 0.5), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.3, 0.5, 0, &box);
    const iso_joint_def def = joint_def(ISO_JOINT_FILTER, a, b);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    assert_int_equal(world_counts(world).islands, 2);
    EXPECT_NEAR(body_pose(world, a).y, 0.5, 0.01, "A stands");
    EXPECT_NEAR(body_pose(world, b).y, 0.5, 0.01, "B stands");
    EXPECT_NEAR(body_pose(world, b).x - body_pose(world, a).x, 0.3, 1e-3, "within each other");
    double fx, fy;
    joint_force(world, joint, &fx, &fy);
    assert_true(fx == 0 && fy == 0 && joint_torque(world, joint) == 0 && joint_separation(world, joint) == 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weld_holds_a_cantilever),
        cmocka_unit_test(test_weld_with_a_spring_droops_by_its_stiffness),
        cmocka_unit_test(test_welded_bodies_are_one),
        cmocka_unit_test(test_weld_with_a_spring_of_no_frequency_is_rigid),
        cmocka_unit_test(test_correction_of_a_point_has_a_speed),
        cmocka_unit_test(test_friction_stops_what_slides_and_turns),
        cmocka_unit_test(test_friction_holds_up_to_its_maximum),
        cmocka_unit_test(test_friction_between_free_bodies_keeps_their_momentum),
        cmocka_unit_test(test_motor_reaches_its_offsets_at_its_speed),
        cmocka_unit_test(test_motor_pushes_with_its_maximum),
        cmocka_unit_test(test_motor_follows_a_moving_frame),
        cmocka_unit_test(test_filter_lets_two_bodies_pass),
        cmocka_unit_test(test_filter_does_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
