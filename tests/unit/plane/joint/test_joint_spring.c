/// Springs against the solution of x'' + 2 zeta w x' + w^2 x = 0: how long they swing, how fast, where they rest.
#include "joint_util.h"

/// What swings by itself: x of the kind's spring.
typedef struct swing {
    wheel is;
    iso_joint_id joint;
    bool turns;
} swing;

/// A disc that is 0.2 m or rad from where its spring rests, without gravity.
static swing swing_make(uint8_t kind, double hertz, double ratio) {
    swing s = {.is = wheel_make(0.5, 0)};
    iso_joint_def def =
        joint_def((iso_joint_kind)kind, kind == ISO_JOINT_TARGET ? (iso_body_id){0, 0} : s.is.fixed, s.is.disc);
    s.turns = kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_ANGLE || kind == ISO_JOINT_WELD;
    if ((iso_joint_kind_has(kind) & ISO_JOINT_HAS_SPRING) != 0) {
        def.spring_enabled = true;
        def.spring_hertz = fix(hertz);
        def.spring_damping_ratio = fix(ratio);
    } else {
        def.hertz = fix(hertz);
        def.damping_ratio = fix(ratio);
    }
    def.target.x = wide(0.2);
    def.anchor_a.x = kind == ISO_JOINT_DISTANCE ? fix(-3) : kind == ISO_JOINT_MOTOR ? fix(0.2) : 0;
    def.rest = kind == ISO_JOINT_DISTANCE ? fix(3.2) : kind == ISO_JOINT_MOTOR ? 0 : fix(0.2);
    s.joint = joint_add(s.is.world, &def);
    return s;
}

/// How far it is from where the spring rests.
static double swing_x(const swing *s) {
    const pose at = body_pose(s->is.world, s->is.disc);
    return 0.2 - (s->turns ? at.angle : at.x);
}

/// The amplitude in the last second of a minute, as a share of the first.
static double left_after_a_minute(uint8_t kind, double hertz, double *period) {
    swing s = swing_make(kind, hertz, 0);
    double most = 0, first = 0, last = 0, before = swing_x(&s);
    int crossings = 0;
    for (int t = 1; t <= 3600; ++t) {
        world_steps(s.is.world, 1);
        const double x = swing_x(&s);
        if (before > 0 && x <= 0) {
            last = t - 1 + before / (before - x);
            first = crossings++ == 0 ? last : first;
        }
        most = t > 3600 - 120 ? fmax(most, fabs(x)) : most;
        before = x;
    }
    *period = (last - first) / 60 / (crossings - 1);
    world_free(s.is.world);
    return most / 0.2;
}

static void test_an_undamped_spring_swings_on(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_DISTANCE, ISO_JOINT_PRISMATIC, ISO_JOINT_LINE,   ISO_JOINT_ANGLE,
                             ISO_JOINT_REVOLUTE, ISO_JOINT_WELD,      ISO_JOINT_TARGET, ISO_JOINT_MOTOR};
    const double hertz[] = {0.5, 1, 1.5, 5};
    for (size_t k = 0; k < sizeof kinds; ++k) {
        for (int i = 0; i < 4; ++i) {
            double period;
            const double left = left_after_a_minute(kinds[k], hertz[i], &period);
            if (k == 0) {
                print_message("%g Hz: %.4f of the amplitude after a minute, %.5f Hz\n", hertz[i], left, 1 / period);
            }
            EXPECT(left > 0.98 && left < 1.02, "kind %u, %g Hz: %g is left", kinds[k], hertz[i], left);
            // Symplectic Euler is fast by (h w)^2 / 24.
            EXPECT_NEAR(period * hertz[i], 1, 1e-3, "kind %u, %g Hz: period", kinds[k], hertz[i]);
        }
    }
}

/// x(t) of the closed form, from x0 at rest.
static double closed_form(double t, double hertz, double ratio) {
    const double w = 2 * PI * hertz, wd = w * sqrt(fabs(1 - ratio * ratio)), decay = exp(-ratio * w * t);
    return ratio < 1 ? 0.2 * decay * (cos(wd * t) + ratio * w / wd * sin(wd * t)) : 0.2 * decay * (1 + w * t);
}

/// Damped, it follows the closed form: the phase is late by half a substep or so, the envelope is that of the damper.
static void test_a_damped_spring_follows_the_closed_form(void **state) {
    (void)state;
    const double ratios[] = {0.05, 0.1, 0.3, 0.5, 0.7, 1}, hertz[] = {0.5, 2, 5};
    double worst_of_all = 0;
    for (int r = 0; r < 6; ++r) {
        for (int f = 0; f < 3; ++f) {
            swing s = swing_make(ISO_JOINT_PRISMATIC, hertz[f], ratios[r]);
            double worst = 0;
            for (int t = 1; t <= 120; ++t) {
                world_steps(s.is.world, 1);
                worst = fmax(worst, fabs(swing_x(&s) - closed_form(t / 60.0, hertz[f], ratios[r])));
            }
            // A substep of the fastest motion, and as much again for the phase within two seconds.
            const double bound = 0.2 * 2 * PI * hertz[f] / 240;
            worst_of_all = fmax(worst_of_all, worst / bound);
            EXPECT(worst < bound, "%g Hz, ratio %g: off by %g m, bound %g m", hertz[f], ratios[r], worst, bound);
            world_free(s.is.world);
        }
    }
    print_message("damped: at most %.2f of the bound\n", worst_of_all);
}

/// The envelope of a weakly damped spring after a minute, e^(-zeta w t).
static void test_a_weak_damper_takes_what_it_should(void **state) {
    (void)state;
    const double hertz[] = {0.5, 1, 5};
    for (int f = 0; f < 3; ++f) {
        swing s = swing_make(ISO_JOINT_PRISMATIC, hertz[f], 0.01);
        const double expected = exp(-from_fix(fix(0.01)) * 2 * PI * hertz[f] * 20);
        double most = 0;
        for (int t = 1; t <= 1200; ++t) {
            world_steps(s.is.world, 1);
            most =
                t > 1200 - 120
                    ? fmax(most, fabs(swing_x(&s)) * exp(from_fix(fix(0.01)) * 2 * PI * hertz[f] * (t - 1200) / 60.0))
                    : most;
        }
        print_message("%g Hz, ratio 0.01: %.4f of the amplitude after 20 s, closed form %.4f\n", hertz[f], most / 0.2,
                      expected);
        EXPECT_NEAR(most / 0.2, expected, 0.03 * expected, "%g Hz", hertz[f]);
        world_free(s.is.world);
    }
}

/// From a quarter of a radian in a substep on a spring is implicit: it does not swing on, and it does not fly apart.
static void test_a_stiff_spring_comes_to_rest(void **state) {
    (void)state;
    const double hertz[] = {6.7, 7, 8, 10, 20, 60, 240, 1000};
    double before = 2;
    for (int f = 0; f < 8; ++f) {
        double period;
        const double left = left_after_a_minute(ISO_JOINT_PRISMATIC, hertz[f], &period);
        print_message("%g Hz: %.4f of the amplitude after a minute\n", hertz[f], left);
        EXPECT(left < 1.02 && left <= before + 0.02, "%g Hz: %g is left", hertz[f], left);
        before = left;
    }
}

/// Sixty-four undamped springs side by side hold one body, as soft as a force and stiffer: it does not swing farther
/// than symplectic Euler does at q = 1, by 1/sqrt(1 - q/4).
static void test_many_springs_on_one_body_are_stable(void **state) {
    (void)state;
    const double hertz[] = {5, 6.7, 7.3, 8, 9, 13, 30};
    for (int f = 0; f < 7; ++f) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.spring_enabled = true;
        def.spring_hertz = fix(hertz[f]);
        def.spring_damping_ratio = 0;
        def.rest = fix(0.2);
        int count = 0;
        iso_joint_id joint;
        while (count < 64 && iso_joint_create(is.world, &def, &joint) == ISO_OK) {
            ++count;
        }
        double most = 0;
        for (int t = 0; t < 600; ++t) {
            world_steps(is.world, 1);
            most = fmax(most, fabs(0.2 - body_pose(is.world, is.disc).x));
        }
        print_message("%d springs of %g Hz: at most %.3f m from rest\n", count, hertz[f], most);
        EXPECT(count == 64 && most < 0.2 * 1.16, "%d springs of %g Hz: %g m", count, hertz[f], most);
        world_free(is.world);
    }
}

/// A disc of 1 m on springs along x, side by side. @return by how much farther than at first it swings in four seconds
static double crowd_swings(int count, double hertz, bool has_stiffness, bool is_free, double *last) {
    iso_world_def world_def = world_def_small(0);
    world_def.joint_capacity = 512;
    iso_world *world = world_make(&world_def);
    const iso_shape_def shape = shape_circle(0.5);
    const iso_body_id other = body_add_shape(world, is_free ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, 0, 0, 0, &shape);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 2.2, 0, 0, &shape);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, other, body);
    def.rest = fix(2);
    def.spring_enabled = true;
    def.spring_damping_ratio = 0;
    def.spring_hertz = has_stiffness ? 0 : fix(hertz);
    const double mass = from_wide(body_view(world, body).mass) / (is_free ? 2 : 1);
    def.spring_stiffness = has_stiffness ? wide(mass * pow(2 * PI * hertz, 2)) : 0;
    for (int i = 0; i < count; ++i) {
        joint_add(world, &def);
    }
    double most = 0;
    *last = 0;
    for (int t = 0; t < 240; ++t) {
        world_steps(world, 1);
        const double far = fabs(body_pose(world, body).x - body_pose(world, other).x - 2) / 0.2;
        most = fmax(most, far);
        *last = t < 180 ? 0 : fmax(*last, far);
    }
    world_free(world);
    return most;
}

/// Hundreds of springs that are forces one by one do not fly apart together (200 of 6.5 Hz swung 17 times as far), nor
/// does what swings on with thirty go farther than by 1.155. Springs that have no body in common but a heavy one swing
/// on.
static void test_springs_of_a_body_are_summed(void **state) {
    (void)state;
    const int counts[] = {16, 32, 64, 128, 200, 400};
    double last;
    for (int i = 0; i < 6; ++i) {
        for (int kind = 0; kind < 4; ++kind) {
            const double most = crowd_swings(counts[i], 6.5, kind & 1, kind & 2, &last);
            EXPECT(most < 1.16, "%d springs, case %d: %g", counts[i], kind, most);
            EXPECT(counts[i] > 32 || last > 0.98, "%d springs, case %d: %g is left", counts[i], kind, last);
        }
    }
    iso_world_def world_def = world_def_small(0);
    world_def.joint_capacity = world_def.body_capacity = world_def.shape_capacity = 256;
    iso_world *world = world_make(&world_def);
    iso_shape_def heavy = shape_box(5, 5), light = shape_circle(0.1);
    heavy.density = fix(100);
    const iso_body_id hub = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &heavy);
    iso_body_id lights[100];
    for (int i = 0; i < 100; ++i) {
        const double angle = 2 * PI * i / 100;
        lights[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 20.2 * cos(angle), 20.2 * sin(angle), 0, &light);
        iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, hub, lights[i]);
        def.rest = fix(20);
        def.spring_enabled = true;
        def.spring_hertz = fix(6.5);
        def.spring_damping_ratio = 0;
        joint_add(world, &def);
    }
    double far = 0;
    for (int t = 0; t < 240; ++t) {
        world_steps(world, 1);
        far = t < 180 ? 0 : fmax(far, fabs(body_pose(world, lights[0]).x - 20));
    }
    EXPECT_NEAR(far, 0.2, 0.01, "springs of a heavy hub swing on");
    world_free(world);
}

/// With correction_max a spring moves no faster than that, undamped or not.
static void test_correction_max_limits_an_undamped_spring(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.spring_enabled = true;
        def.spring_hertz = fix(2);
        def.spring_damping_ratio = fix(i);
        def.rest = fix(10);
        def.correction_max = fix(1);
        joint_add(is.world, &def);
        double fastest = 0;
        for (int t = 0; t < 300; ++t) {
            world_steps(is.world, 1);
            fastest = fmax(fastest, fabs(body_pose(is.world, is.disc).vx));
        }
        print_message("ratio %d: at most %.4f m/s\n", i, fastest);
        EXPECT(fastest > 0.5 && fastest < 1.01, "ratio %d: %g m/s", i, fastest);
        world_free(is.world);
    }
}

/// A body that meets a soft limit at v goes v / w beyond it and is back after half a period, undamped as fast as
/// before; before the limit nothing acts.
static void test_a_soft_limit_is_a_spring_beyond_it(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        for (int turns = 0; turns < 2; ++turns) {
            wheel is = wheel_make(0.5, 0);
            iso_joint_def def = joint_def(turns ? ISO_JOINT_ANGLE : ISO_JOINT_PRISMATIC, is.fixed, is.disc);
            def.limit_enabled = true;
            def.lower = fix(-0.5);
            def.upper = fix(0.5);
            def.limit_hertz = fix(1);
            def.limit_damping_ratio = 0;
            joint_add(is.world, &def);
            const iso_vec2_wide velocity = {turns ? 0 : wide(2 * side), 0};
            EXPECT_STATUS(iso_body_set_velocity(is.world, is.disc, velocity, turns ? wide(2 * side) : 0), ISO_OK);
            double farthest = 0;
            int back = 0;
            for (int t = 1; t <= 120 && back == 0; ++t) {
                world_steps(is.world, 1);
                const pose at = body_pose(is.world, is.disc);
                const double x = side * (turns ? at.angle : at.x), v = side * (turns ? at.w : at.vx);
                EXPECT(x > 0.5 || fabs(v - 2) < 1e-3 || v < 0, "side %d: %g before the limit", side, v);
                farthest = fmax(farthest, x);
                back = v < 0 && x < 0.5 ? t : 0;
                if (back != 0) {
                    EXPECT_NEAR(v, -2, 0.06, "side %d, turns %d: speed after it", side, turns);
                }
            }
            EXPECT_NEAR(farthest, 0.5 + 2 / (2 * PI), 0.01, "side %d, turns %d: how far beyond", side, turns);
            EXPECT_NEAR(back / 60.0, 0.25 + 0.5, 2.0 / 60, "side %d, turns %d: when it is back", side, turns);
            world_free(is.world);
        }
    }
}

/// Damped and under a weight it rests g / w^2 beyond; rigid it does not yield.
static void test_a_soft_limit_yields_by_the_weight(void **state) {
    (void)state;
    for (int soft = 0; soft < 2; ++soft) {
        wheel is = wheel_make(0.5, -GRAVITY);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.axis = (iso_vec2){0, ONE};
        def.limit_enabled = true;
        def.lower = fix(-1);
        def.upper = fix(1);
        def.limit_hertz = soft ? fix(2) : 0;
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 600);
        const double sag = soft ? GRAVITY / pow(2 * PI * 2, 2) : 0;
        EXPECT_NEAR(body_pose(is.world, is.disc).y, -1 - sag, 1e-3, "soft %d: where it rests", soft);
        EXPECT_NEAR(joint_separation(is.world, joint), sag, 1e-3, "soft %d: beyond the limit", soft);
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_undamped_spring_swings_on),
        cmocka_unit_test(test_a_damped_spring_follows_the_closed_form),
        cmocka_unit_test(test_a_weak_damper_takes_what_it_should),
        cmocka_unit_test(test_a_soft_limit_is_a_spring_beyond_it),
        cmocka_unit_test(test_a_soft_limit_yields_by_the_weight),
        cmocka_unit_test(test_a_stiff_spring_comes_to_rest),
        cmocka_unit_test(test_many_springs_on_one_body_are_stable),
        cmocka_unit_test(test_springs_of_a_body_are_summed),
        cmocka_unit_test(test_correction_max_limits_an_undamped_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
