/// What joints with a line share: a body on a line, and what each of them does with it, against closed forms. The
/// programs of prismatic, wheel and line run these tests beside their own.
#ifndef TEST_JOINT_SLIDE_TESTS_H
#define TEST_JOINT_SLIDE_TESTS_H

#include "unit/plane/joint/joint_util.h"

/// A box on a line through the origin that a static body carries; the body is turned by `carried`, the line in its
/// frame by the rest of `slope`.
typedef struct slide {
    iso_world *world;
    iso_body_id fixed, box;
    iso_joint_def def;
    double dx, dy; // of the line
} slide;

static inline slide slide_make(iso_joint_kind kind, double slope, double carried, double gravity) {
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

static inline double slide_place(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * (at.x - 1) + is->dy * (at.y - 2);
}

static inline double slide_beside(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * (at.y - 2) - is->dy * (at.x - 1);
}

static inline double slide_speed(const slide *is) {
    const pose at = body_pose(is->world, is->box);
    return is->dx * at.vx + is->dy * at.vy;
}

/// The kind that the program is for.
static inline iso_joint_kind slide_kind(void **state) {
    return *(const iso_joint_kind *)*state;
}

static const double slopes[] = {0.6, -2.2};

/// s = g sin(a) t^2 / 2 down the line, which carries m g cos(a). Implicit steps are ahead by t h g sin(a) / 2.
static inline void test_body_slides_down_its_line(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 2; ++i) {
        slide is = slide_make(kind, slopes[i], 0.4, GRAVITY);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        const double a = -GRAVITY * sin(slopes[i]), t = 1.5;
        world_steps(is.world, 90);
        EXPECT_NEAR(slide_place(&is), a * t * (t + world_substep(is.world)) / 2, 2e-3, "case %d: way", i);
        EXPECT_NEAR(slide_speed(&is), a * t, 2e-3, "case %d: speed", i);
        EXPECT_NEAR(slide_beside(&is), 0, 1e-4, "case %d: beside the line", i);
        EXPECT_NEAR(joint_length(is.world, joint), slide_place(&is), 1e-6, "case %d: length", i);
        EXPECT_NEAR(joint_separation(is.world, joint), fabs(slide_beside(&is)), 1e-4, "case %d: separation", i);
        if (kind != ISO_JOINT_WHEEL) {
            EXPECT_NEAR(joint_speed(is.world, joint), a * t, 2e-3, "case %d: speed of the joint", i);
        }
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        const double weight = body_pose(is.world, is.box).mass * GRAVITY, across = weight * cos(slopes[i]);
        EXPECT_NEAR(fx, -is.dy * across, 1e-3 * weight, "case %d: force x", i);
        EXPECT_NEAR(fy, is.dx * across, 1e-3 * weight, "case %d: force y", i);
        world_free(is.world);
    }
}

/// Gravity along the line draws the body onto the one limit, then onto the other, and the line carries m g sin(a)
/// there.
static inline void test_limits_are_reached_from_both_sides(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 2; ++i) {
        const double slope = slopes[i], pull = -GRAVITY * sin(slope);
        slide is = slide_make(kind, slope, -0.2, GRAVITY);
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
            EXPECT(least > -0.76 && most < 1.26, "case %d: it left its limits: %g to %g", i, least, most);
            EXPECT_NEAR(slide_place(&is), rest, 1e-3, "case %d: place of rest", i);
            EXPECT(joint_separation(is.world, joint) < 1e-3, "case %d: separation", i);
            double fx, fy;
            joint_force(is.world, joint, &fx, &fy);
            const double weight = body_pose(is.world, is.box).mass * GRAVITY;
            EXPECT_NEAR(fy, side ? -weight : weight, 1e-3 * weight, "case %d: it carries the weight", i);
            EXPECT_NEAR(fx, 0, 1e-3 * weight, "case %d: and nothing else", i);
        }
        world_free(is.world);
    }
}

/// A body beyond a limit returns no faster than the correction speed: on both sides, for limits and for the line.
static inline void test_correction_speed_is_a_limit(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 4; ++i) {
        slide is = slide_make(kind, 0.7, 0, 0);
        is.def.correction_max = fix(0.25);
        is.def.limit_enabled = i % 2;
        is.def.lower = fix(i < 2 ? 1 : -3);
        is.def.upper = fix(i < 2 ? 3 : -1);
        if (i % 2 == 0) {
            *(i < 2 ? &is.def.anchor_a : &is.def.anchor_b) = (iso_vec2){fix(-sin(0.7)), fix(cos(0.7))}; // 1 m beside
            is.def.anchor_b = i < 2 ? is.def.anchor_b : (iso_vec2){0, ONE};                             // its own frame
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
        EXPECT(joint_separation(is.world, joint) < 1e-3, "case %d: it does not arrive, %g m", i,
               joint_separation(is.world, joint));
        world_free(is.world);
    }
}

/// A suspension swings with 1 / (f sqrt(1 - z^2)) about g sin(a) / w^2 below its rest, and ends there.
static inline void test_suspension_swings_with_its_period(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 2; ++i) {
        const double f = i ? 2 : 1, z = 0.1, slope = PI / 2, sag = -GRAVITY * sin(slope) / pow(2 * PI * f, 2);
        slide is = slide_make(kind, slope, 0.3, GRAVITY);
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
        EXPECT_NEAR((last - first) / 2, period, 0.01 * period, "%g Hz: period", f);
        EXPECT_NEAR(slide_place(&is), 0.4 + sag, 0.01 * fabs(sag), "%g Hz: rest", f);
        world_free(is.world);
    }
}

/// A spring that may push with F at most accelerates by F / m, whatever its stretch, while the line holds with more.
static inline void test_spring_pushes_with_its_maximum(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 2; ++i) {
        slide is = slide_make(kind, 0, 0, GRAVITY);
        const double mass = body_pose(is.world, is.box).mass, side = i ? -1 : 1;
        is.def.spring_enabled = true;
        is.def.spring_hertz = fix(2);
        is.def.rest = fix(1000 * side);
        is.def.spring_max = wide(mass * 3);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        EXPECT_NEAR(slide_speed(&is), 3 * side, 5e-3, "case %d: speed after a second", i);
        EXPECT_NEAR(slide_beside(&is), 0, 1e-3, "case %d: beside the line", i);
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        EXPECT_NEAR(fx, 3 * mass * side, 1e-2 * mass, "case %d: force along", i);
        EXPECT_NEAR(fy, GRAVITY * mass, 1e-2 * mass, "case %d: force across", i);
        world_free(is.world);
    }
}

/// Two equal bodies on one line share what happens along it: their centre stays, each has half of the motor's speed.
static inline void test_free_bodies_on_a_line_keep_their_momentum(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    iso_world *world = world_make_small(0);
    iso_shape_def box = shape_box(0.5, 0.5);
    box.filter.mask = 0;
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -1, 0, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 1, 0, 0, &box);
    iso_joint_def def = joint_def(kind, a, b);
    def.spring_enabled = kind == ISO_JOINT_WHEEL;
    def.motor_enabled = !def.spring_enabled;
    def.spring_hertz = fix(2);
    def.rest = fix(3);
    def.motor_speed = fix(1);
    def.motor_max = wide(1000);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, a).vx, -body_pose(world, b).vx, 1e-4, "momentum");
    EXPECT_NEAR(joint_length(world, joint), 3, 0.02, "length");
    world_free(world);
}

/// A motor along the line keeps its speed uphill; too weak for it, it leaves F / m - g sin(a).
static inline void test_linear_motor_keeps_its_speed_or_its_force(void **state) {
    const iso_joint_kind kind = slide_kind(state);
    for (int i = 0; i < 4; ++i) {
        const double slope = slopes[i % 2], pull = -GRAVITY * sin(slope), side = pull > 0 ? -1 : 1;
        slide is = slide_make(kind, slope, 0.1, GRAVITY);
        const double mass = body_pose(is.world, is.box).mass, most = (i < 2 ? 2 : 0.5) * mass * fabs(pull);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(side * 1.5);
        is.def.motor_max = wide(most);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        const double early = slide_speed(&is);
        world_steps(is.world, 60);
        if (i < 2) {
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

/// What a torque of 0.5 N m does within a second to the body of a joint at 0.8 rad.
static inline slide slide_turned(iso_joint_kind kind, iso_joint_id *joint) {
    slide is = slide_make(kind, 0.3, -0.5, 0);
    *joint = joint_add(is.world, &is.def);
    for (int t = 0; t < 60; ++t) {
        EXPECT_STATUS(iso_body_apply_torque(is.world, is.box, wide(0.5)), ISO_OK);
        world_steps(is.world, 1);
    }
    return is;
}

/// It turns freely: w = M t / I.
static inline void test_body_turns_freely(void **state) {
    iso_joint_id joint;
    slide is = slide_turned(slide_kind(state), &joint);
    const pose at = body_pose(is.world, is.box);
    EXPECT_NEAR(at.w, 0.5 / at.inertia, 1e-3 * at.w, "angular velocity");
    world_free(is.world);
}

/// The tests of all of them, for a list of tests. @param kind  the address of the kind
#define SLIDE_TESTS(kind)                                                         \
    cmocka_unit_test_prestate(test_body_slides_down_its_line, kind),              \
        cmocka_unit_test_prestate(test_limits_are_reached_from_both_sides, kind), \
        cmocka_unit_test_prestate(test_correction_speed_is_a_limit, kind),        \
        cmocka_unit_test_prestate(test_suspension_swings_with_its_period, kind),  \
        cmocka_unit_test_prestate(test_spring_pushes_with_its_maximum, kind),     \
        cmocka_unit_test_prestate(test_free_bodies_on_a_line_keep_their_momentum, kind)

#endif
