/// The weld: what it holds, and how it gives way with a spring, against closed forms.
#include "unit/plane/joint/joint_util.h"

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
    body_push(world, a, 0, 0, torque, 60);
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

/// A welded beam hangs where a rigid body would, however long its lever, and the weld tells force and torque at its
/// anchors.
static void test_long_levers_do_not_sag(void **state) {
    (void)state;
    const double levers[] = {1, 3, 10, 40}, rests[] = {0, 0.7, -2};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_world *world = world_make_small(-GRAVITY);
            const iso_shape_def box = shape_box(1, 0.1);
            const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, -rests[k]);
            const iso_body_id beam = body_add_shape(world, ISO_BODY_DYNAMIC, levers[i], 0, 0, &box);
            iso_joint_def def = joint_def(ISO_JOINT_WELD, fixed, beam);
            def.rest = fix(rests[k]);
            const iso_joint_id joint = joint_add_at(world, &def, 0, 0, -levers[i], 0);
            double worst = 0;
            for (int t = 0; t < 300; ++t) {
                world_steps(world, 1);
                worst = fmax(worst, fabs(body_pose(world, beam).y));
            }
            const double weight = body_pose(world, beam).mass * GRAVITY;
            double fx, fy;
            joint_force(world, joint, &fx, &fy);
            if (k == 0) {
                print_message("lever of %g m: %.5f m low, torque %.5f of m g l\n", levers[i], worst,
                              joint_torque(world, joint) / (weight * levers[i]));
            }
            EXPECT(worst < 1e-3, "lever %g, rest %g: %g m low", levers[i], rests[k], worst);
            EXPECT_NEAR(fy, weight, 1e-3 * weight, "force");
            EXPECT_NEAR(joint_torque(world, joint), weight * levers[i], 1e-3 * weight * levers[i], "torque");
            EXPECT(joint_angle_error(world, joint) < 1e-4, "turned by %g", joint_angle_error(world, joint));
            EXPECT(joint_separation(world, joint) < 1e-3, "apart by %g", joint_separation(world, joint));
            world_free(world);
        }
    }
}

/// Welded planks bend: each weld yields by M / (I w^2) with the reduced inertia I about the planks' centres and
/// w = 2 pi 60 Hz at 240 substeps a second. Twice the substeps make them four times as stiff.
static void test_a_chain_of_welds_sags_by_its_compliance(void **state) {
    (void)state;
    for (int n = 2; n <= 4; ++n) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def box = shape_box(1, 0.1);
        iso_body_id last = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        double sag = 0;
        for (int i = 0; i < n; ++i) {
            const iso_body_id next = body_add_shape(world, ISO_BODY_DYNAMIC, 1 + 2 * i, 0, 0, &box);
            iso_joint_def def = joint_def(ISO_JOINT_WELD, last, next);
            joint_add_at(world, &def, i == 0 ? 0 : 1, 0, -1, 0);
            // The load of the planks from here on; the root holds the first at its centre.
            const pose at = body_pose(world, next);
            const double k = n - i, w2 = pow(2 * PI * 60, 2);
            const double moment = at.mass * GRAVITY * (i == 0 ? 2 * k * (k - 1) / 2 : 2 * k * k / 2);
            sag += moment / (i == 0 ? at.inertia : at.inertia / 2) / w2 * (i == 0 ? 2 * k - 2 : 2 * k - 1);
            last = next;
        }
        world_steps(world, 1800);
        double low = 0;
        for (int t = 0; t < 300; ++t) {
            world_steps(world, 1);
            low -= body_pose(world, last).y / 300;
        }
        print_message("%d planks of 2 m: the last %.4f m low, compliance %.4f m\n", n, low, sag);
        EXPECT(low > sag && low < 2 * sag, "%d planks: %g m low, compliance %g m", n, low, sag);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weld_holds_a_cantilever),
        cmocka_unit_test(test_long_levers_do_not_sag),
        cmocka_unit_test(test_a_chain_of_welds_sags_by_its_compliance),
        cmocka_unit_test(test_weld_with_a_spring_droops_by_its_stiffness),
        cmocka_unit_test(test_welded_bodies_are_one),
        cmocka_unit_test(test_weld_with_a_spring_of_no_frequency_is_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
