/// What joints with a line do, against closed forms: prismatic, wheel, line.
#include "joint_util.h"

/// A box on a line through the origin that a static body carries; the body is turned by `carried`, the line in its frame
/// by the rest of `slope`.
typedef struct slide {
    iso_world *world;
    iso_body_id fixed, box;
    iso_joint_def def;
    double dx, dy; // of the line
} slide;

static slide slide_make(iso_joint_kind kind, double slope, double carried, double gravity) {
    slide is = {.world = world_make_small(-gravity), .dx = cos(slope), .dy = sin(slope)};
    iso_shape_def box = shape_box(0.3, 0.2);
    box.filter.mask = 0;
    is.fixed = body_add(is.world, ISO_BODY_STATIC, 1, 2, carried);
    is.box = body_add_shape(is.world, ISO_BODY_DYNAMIC, 1, 2, slope, &box);
    is.def = joint_def(kind, is.fixed, is.box);
    is.def.axis = (iso_vec2){fix(3 * cos(slope - carried)), fix(3 * sin(slope - carried))};
    is.def.reference = fix(slope - carried);
    return is;
}

static double slide_place(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * (at.x - 1) + is->dy * (at.y - 2);
}

static double slide_beside(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * (at.y - 2) - is->dy * (at.x - 1);
}

static double slide_speed(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * at.vx + is->dy * at.vy;
}

static const iso_joint_kind sliders[] = {ISO_JOINT_PRISMATIC, ISO_JOINT_WHEEL, ISO_JOINT_LINE};
static const double slopes[] = {0.6, -2.2};

// ---- free along the line -------------------------------------------------------------------------

/// s = g sin(a) t^2 / 2 down the line, which carries m g cos(a). Implicit steps are ahead by t h g sin(a) / 2.
static void test_body_slides_down_its_line(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        slide is = slide_make(sliders[i / 2], slopes[i % 2], 0.4, GRAVITY);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        const double a = -GRAVITY * sin(slopes[i % 2]), t = 1.5;
        world_steps(is.world, 90);
        EXPECT_NEAR(slide_place(&is), a * t * (t + world_substep(is.world)) / 2, 2e-3, "kind %d: way", sliders[i / 2]);
        EXPECT_NEAR(slide_speed(&is), a * t, 2e-3, "kind %d: speed", sliders[i / 2]);
        EXPECT_NEAR(slide_beside(&is), 0, 1e-4, "kind %d: beside the line", sliders[i / 2]);
        EXPECT_NEAR(joint_length(is.world, joint), slide_place(&is), 1e-6, "kind %d: length", sliders[i / 2]);
        EXPECT_NEAR(joint_separation(is.world, joint), fabs(slide_beside(&is)), 1e-4, "kind %d: separation", sliders[i / 2]);
        if (sliders[i / 2] != ISO_JOINT_WHEEL) {
            EXPECT_NEAR(joint_speed(is.world, joint), a * t, 2e-3, "kind %d: speed of the joint", sliders[i / 2]);
        }
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        const double weight = body_pose(is.world, is.box).mass * GRAVITY, across = weight * cos(slopes[i % 2]);
        EXPECT_NEAR(fx, -is.dy * across, 1e-3 * weight, "kind %d: force x", sliders[i / 2]);
        EXPECT_NEAR(fy, is.dx * across, 1e-3 * weight, "kind %d: force y", sliders[i / 2]);
        world_free(is.world);
    }
}

/// A prismatic joint holds the angle at its reference against a torque, and says which; the others let it turn: w = M t / I.
static void test_prismatic_holds_the_angle_and_others_do_not(void **state) {
    (void)state;
    const double torque = 0.5;
    for (int i = 0; i < 3; ++i) {
        slide is = slide_make(sliders[i], 0.3, -0.5, 0);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        for (int t = 0; t < 60; ++t) {
            EXPECT_STATUS(iso_body_apply_torque(is.world, is.box, wide(torque)), ISO_OK);
            world_steps(is.world, 1);
        }
        const pose at = body_pose(is.world, is.box);
        if (sliders[i] == ISO_JOINT_PRISMATIC) {
            EXPECT_NEAR(joint_angle(is.world, joint), 0.8, 1e-3, "angle");
            EXPECT_NEAR(joint_torque(is.world, joint), -torque, 1e-3, "torque");
        } else {
            EXPECT_NEAR(at.w, torque / at.inertia, 1e-3 * at.w, "kind %d: angular velocity", sliders[i]);
        }
        world_free(is.world);
    }
}

/// A prismatic joint that is not at its reference turns there.
static void test_prismatic_turns_to_its_reference(void **state) {
    (void)state;
    slide is = slide_make(ISO_JOINT_PRISMATIC, 0, 0, 0);
    is.def.reference = fix(1.25);
    const iso_joint_id joint = joint_add(is.world, &is.def);
    world_steps(is.world, 120);
    EXPECT_NEAR(joint_angle(is.world, joint), 1.25, 1e-3, "angle");
    world_free(is.world);
}

/// A bead on a wire that turns at W, from r0 at rest along it: r = r0 cosh(W t).
static void test_bead_is_flung_off_a_turning_wire(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.1);
    disc.filter.mask = 0;
    const iso_body_id wire = body_add(world, ISO_BODY_KINEMATIC, 0, 0, 0);
    const iso_body_id bead = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, wire, bead);
    const iso_joint_id joint = joint_add(world, &def);
    const double turn = 1.5;
    body_set_velocity(world, wire, 0, 0, turn);
    body_set_velocity(world, bead, 0, 0.5 * turn, 0);
    for (int t = 1; t <= 120; ++t) {
        world_steps(world, 1);
        const double expected = 0.5 * cosh(turn * t / 60);
        EXPECT_NEAR(joint_length(world, joint), expected, 0.01 * expected, "at tick %d", t);
    }
    EXPECT_NEAR(joint_separation(world, joint), 0, 0.01, "beside the wire");
    world_free(world);
}

/// A bead slides out on a bar that turns freely: (I + m r^2) W stays, and the centre of mass rests.
static void test_bead_and_bar_keep_their_angular_momentum(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.2), bar = shape_box(2, 0.1);
    disc.filter.mask = bar.filter.mask = 0;
    const iso_body_id carrier = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &bar);
    const iso_body_id bead = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, carrier, bead);
    def.limit_enabled = true;
    def.lower = fix(-1.5);
    def.upper = fix(1.5);
    const iso_joint_id joint = joint_add(world, &def);
    const pose a = body_pose(world, carrier), b = body_pose(world, bead);
    body_set_velocity(world, carrier, 0, 0, 2);
    body_set_velocity(world, bead, 0, 0.5 * 2, 0);
    const double share = b.mass / (a.mass + b.mass), reduced = a.mass * share;
    const double momentum = 2 * a.inertia + reduced * 0.5 * 0.5 * 2;
    for (int t = 0; t < 240; ++t) {
        world_steps(world, 1);
        const pose bar_at = body_pose(world, carrier), at = body_pose(world, bead);
        const double x = at.x - bar_at.x, y = at.y - bar_at.y, vx = at.vx - bar_at.vx, vy = at.vy - bar_at.vy;
        const double now = a.inertia * bar_at.w + b.inertia * at.w + reduced * (x * vy - y * vx);
        EXPECT_NEAR(now, momentum, 0.01 * momentum, "angular momentum at tick %d", t);
        EXPECT_NEAR(a.mass * bar_at.vx + b.mass * at.vx, 0, 1e-3, "momentum x");
        EXPECT_NEAR(a.mass * bar_at.vy + b.mass * at.vy, b.mass, 1e-3, "momentum y");
    }
    // At the end of the bar it stays, and with it the bar turns slower.
    EXPECT_NEAR(joint_length(world, joint), 1.5, 5e-3, "place of the bead");
    EXPECT_NEAR(body_pose(world, carrier).w, momentum / (a.inertia + reduced * 1.5 * 1.5), 0.02, "angular velocity");
    world_free(world);
}

// ---- limits --------------------------------------------------------------------------------------

/// Gravity along the line draws the body onto the one limit, then onto the other, and the line carries m g sin(a) there.
static void test_limits_are_reached_from_both_sides(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const double slope = slopes[i % 2], pull = -GRAVITY * sin(slope);
        slide is = slide_make(sliders[i / 2], slope, -0.2, GRAVITY);
        is.def.limit_enabled = true;
        is.def.lower = fix(-0.75);
        is.def.upper = fix(1.25);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        for (int side = 0; side < 2; ++side) {
            double least = 0, most = 0;
            EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(side ? GRAVITY : -GRAVITY)}), ISO_OK);
            for (int t = 0; t < 150; ++t) {
                world_steps(is.world, 1);
                least = fmin(least, slide_place(&is));
                most = fmax(most, slide_place(&is));
            }
            const double rest = (pull > 0) == (side == 0) ? 1.25 : -0.75;
            EXPECT(least > -0.76 && most < 1.26, "kind %d: it left its limits: %g to %g", sliders[i / 2], least, most);
            EXPECT_NEAR(slide_place(&is), rest, 1e-3, "kind %d: place of rest", sliders[i / 2]);
            EXPECT(joint_separation(is.world, joint) < 1e-3, "kind %d: separation", sliders[i / 2]);
            double fx, fy;
            joint_force(is.world, joint, &fx, &fy);
            const double weight = body_pose(is.world, is.box).mass * GRAVITY;
            EXPECT_NEAR(fy, side ? -weight : weight, 1e-3 * weight, "kind %d: it carries the weight", sliders[i / 2]);
            EXPECT_NEAR(fx, 0, 1e-3 * weight, "kind %d: and nothing else", sliders[i / 2]);
        }
        world_free(is.world);
    }
}

/// A body beyond a limit returns no faster than the correction speed: on both sides, for limits and for the line.
static void test_correction_speed_is_a_limit(void **state) {
    (void)state;
    for (int i = 0; i < 12; ++i) {
        slide is = slide_make(sliders[i / 4], 0.7, 0, 0);
        is.def.correction_max = fix(0.25);
        is.def.limit_enabled = i % 2;
        is.def.lower = fix(i % 4 < 2 ? 1 : -3);
        is.def.upper = fix(i % 4 < 2 ? 3 : -1);
        if (i % 2 == 0) {
            *(i % 4 < 2 ? &is.def.anchor_a : &is.def.anchor_b) = (iso_vec2){fix(-sin(0.7)), fix(cos(0.7))}; // 1 m beside
            is.def.anchor_b = i % 4 < 2 ? is.def.anchor_b : (iso_vec2){0, ONE};                            // its own frame
        }
        const iso_joint_id joint = joint_add(is.world, &is.def);
        double before = joint_separation(is.world, joint);
        EXPECT_NEAR(before, 1, 1e-4, "case %d: at the start", i);
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double now = joint_separation(is.world, joint), speed = (before - now) * 60;
            EXPECT(speed < 0.2501 && speed > 0.2, "case %d: %g m/s at tick %d", i, speed, t);
            before = now;
        }
        world_steps(is.world, 300);
        EXPECT(joint_separation(is.world, joint) < 1e-3, "case %d: it does not arrive, %g m", i, joint_separation(is.world, joint));
        world_free(is.world);
    }
}

// ---- motors --------------------------------------------------------------------------------------

/// A motor along the line keeps its speed uphill; too weak for it, it leaves F / m - g sin(a).
static void test_linear_motor_keeps_its_speed_or_its_force(void **state) {
    (void)state;
    for (int i = 0; i < 8; ++i) {
        const iso_joint_kind kind = i % 2 ? ISO_JOINT_LINE : ISO_JOINT_PRISMATIC;
        const double slope = slopes[i / 2 % 2], pull = -GRAVITY * sin(slope), side = pull > 0 ? -1 : 1;
        slide is = slide_make(kind, slope, 0.1, GRAVITY);
        const double mass = body_pose(is.world, is.box).mass, most = (i < 4 ? 2 : 0.5) * mass * fabs(pull);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(side * 1.5);
        is.def.motor_max = wide(most);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        const double early = slide_speed(&is);
        world_steps(is.world, 60);
        if (i < 4) {
            EXPECT_NEAR(early, side * 1.5, 1e-3, "case %d: speed", i);
            EXPECT_NEAR(slide_speed(&is), side * 1.5, 1e-3, "case %d: speed", i);
        } else {
            EXPECT_NEAR(slide_speed(&is) - early, pull + side * most / mass, 2e-3, "case %d: acceleration", i);
            double fx, fy;
            joint_force(is.world, joint, &fx, &fy);
            EXPECT_NEAR(is.dx * fx + is.dy * fy, side * most, 1e-3 * most, "case %d: force along the line", i);
        }
        world_free(is.world);
    }
}

/// The motor of a wheel turns B: at its speed, or by M / I, and leaves the way along the line alone.
static void test_wheel_motor_turns_at_its_speed_or_by_its_torque(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        slide is = slide_make(ISO_JOINT_WHEEL, 0.3, 0, 0);
        const double speed = i % 2 ? -4 : 4, torque = body_pose(is.world, is.box).inertia * (i < 2 ? 100 : 2);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(speed);
        is.def.motor_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        const double expected = i < 2 ? speed : speed / 2;
        EXPECT_NEAR(body_pose(is.world, is.box).w, expected, 2e-3, "case %d: angular velocity", i);
        EXPECT_NEAR(joint_speed(is.world, joint), expected, 2e-3, "case %d: speed of the joint", i);
        EXPECT_NEAR(joint_torque(is.world, joint), i < 2 ? 0 : copysign(torque, speed), 1e-3 * torque, "case %d: torque", i);
        EXPECT_NEAR(slide_place(&is), 0, 1e-4, "case %d: along the line", i);
        // Switched off it stops pushing, and the wheel goes on.
        EXPECT_STATUS(iso_joint_set_motor(is.world, joint, false, 0, 0), ISO_OK);
        world_steps(is.world, 30);
        EXPECT_NEAR(body_pose(is.world, is.box).w, expected, 3e-3, "case %d: switched off", i);
        assert_true(joint_torque(is.world, joint) == 0);
        world_free(is.world);
    }
}

// ---- springs -------------------------------------------------------------------------------------

/// A suspension swings with 1 / (f sqrt(1 - z^2)) about g sin(a) / w^2 below its rest, and ends there.
static void test_suspension_swings_with_its_period(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const double f = i % 2 ? 2 : 1, z = 0.1, slope = PI / 2, sag = -GRAVITY * sin(slope) / pow(2 * PI * f, 2);
        slide is = slide_make(sliders[i / 2], slope, 0.3, GRAVITY);
        is.def.spring_enabled = true;
        is.def.spring_hertz = fix(f);
        is.def.spring_damping_ratio = fix(z);
        is.def.rest = fix(0.4);
        joint_add(is.world, &is.def);
        double before = slide_place(&is) - 0.4 - sag, first = 0, last = 0;
        int passages = 0;
        for (int t = 1; t < 1200; ++t) {
            world_steps(is.world, 1);
            const double x = slide_place(&is) - 0.4 - sag;
            if ((before > 0) != (x > 0) && passages < 5) {
                last = (t - 1 + before / (before - x)) / 60;
                first = passages == 0 ? last : first;
                ++passages;
            }
            before = x;
        }
        const double period = 1 / (f * sqrt(1 - z * z));
        assert_int_equal(passages, 5);
        EXPECT_NEAR((last - first) / 2, period, 0.01 * period, "kind %d at %g Hz: period", sliders[i / 2], f);
        EXPECT_NEAR(slide_place(&is), 0.4 + sag, 0.01 * fabs(sag), "kind %d at %g Hz: rest", sliders[i / 2], f);
        world_free(is.world);
    }
}

/// A spring that may push with F at most accelerates by F / m, whatever its stretch, while the line holds with more.
static void test_spring_pushes_with_its_maximum(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        slide is = slide_make(sliders[i / 2], 0, 0, GRAVITY);
        const double mass = body_pose(is.world, is.box).mass, side = i % 2 ? -1 : 1;
        is.def.spring_enabled = true;
        is.def.spring_hertz = fix(2);
        is.def.rest = fix(1000 * side);
        is.def.spring_max = wide(mass * 3);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        EXPECT_NEAR(slide_speed(&is), 3 * side, 5e-3, "kind %d: speed after a second", sliders[i / 2]);
        EXPECT_NEAR(slide_beside(&is), 0, 1e-3, "kind %d: beside the line", sliders[i / 2]);
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        EXPECT_NEAR(fx, 3 * mass * side, 1e-2 * mass, "kind %d: force along", sliders[i / 2]);
        EXPECT_NEAR(fy, GRAVITY * mass, 1e-2 * mass, "kind %d: force across", sliders[i / 2]);
        world_free(is.world);
    }
}

/// Two equal bodies on one line share what happens along it: their centre stays, each has half of the motor's speed.
static void test_free_bodies_on_a_line_keep_their_momentum(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(0);
        iso_shape_def box = shape_box(0.5, 0.5);
        box.filter.mask = 0;
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -1, 0, 0, &box);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 1, 0, 0, &box);
        iso_joint_def def = joint_def(sliders[i], a, b);
        def.spring_enabled = sliders[i] == ISO_JOINT_WHEEL;
        def.motor_enabled = !def.spring_enabled;
        def.spring_hertz = fix(2);
        def.rest = fix(3);
        def.motor_speed = fix(1);
        def.motor_max = wide(1000);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        EXPECT_NEAR(body_pose(world, a).vx, -body_pose(world, b).vx, 1e-4, "kind %d: momentum", sliders[i]);
        EXPECT_NEAR(joint_length(world, joint), 3, 0.02, "kind %d: length", sliders[i]);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_slides_down_its_line),
        cmocka_unit_test(test_prismatic_holds_the_angle_and_others_do_not),
        cmocka_unit_test(test_prismatic_turns_to_its_reference),
        cmocka_unit_test(test_bead_is_flung_off_a_turning_wire),
        cmocka_unit_test(test_bead_and_bar_keep_their_angular_momentum),
        cmocka_unit_test(test_limits_are_reached_from_both_sides),
        cmocka_unit_test(test_correction_speed_is_a_limit),
        cmocka_unit_test(test_linear_motor_keeps_its_speed_or_its_force),
        cmocka_unit_test(test_wheel_motor_turns_at_its_speed_or_by_its_torque),
        cmocka_unit_test(test_suspension_swings_with_its_period),
        cmocka_unit_test(test_spring_pushes_with_its_maximum),
        cmocka_unit_test(test_free_bodies_on_a_line_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
