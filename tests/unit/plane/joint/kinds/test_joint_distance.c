/// The distance joint: rods, springs and ropes, against closed forms and bounds.
#include "unit/plane/joint/joint_util.h"

#include "plane/world/plane.h"

/// A disc on a rod does not turn, so it swings like a point: T = 2 pi sqrt(l / g) / agm(1, cos(a / 2)).
static void test_rod_is_a_mathematical_pendulum(void **state) {
    (void)state;
    const double angles[] = {0.05, 0.5, 1};
    for (int i = 0; i < 3; ++i) {
        wheel is = wheel_make(0.5, -GRAVITY);
        const iso_shape_def disc = shape_circle(0.2);
        const iso_body_id body =
            body_add_shape(is.world, ISO_BODY_DYNAMIC, 2 * sin(angles[i]), -2 * cos(angles[i]), 0, &disc);
        iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
        def.rest = fix(2);
        const iso_joint_id joint = joint_add(is.world, &def);
        double before = body_pose(is.world, body).x, first = 0, period = 0;
        int passages = 0;
        for (int t = 1; t < 900 && passages < 3; ++t) {
            world_steps(is.world, 1);
            const double x = body_pose(is.world, body).x;
            if ((before > 0) != (x > 0)) {
                const double at = (t - 1 + before / (before - x)) * world_tick(is.world);
                first = passages == 0 ? at : first;
                period = at - first;
                ++passages;
            }
            before = x;
            EXPECT(joint_separation(is.world, joint) < 1e-3, "the rod is off by %g m",
                   joint_separation(is.world, joint));
        }
        double a = 1, g = cos(angles[i] / 2);
        for (int n = 0; n < 20; ++n) {
            const double next = (a + g) / 2;
            g = sqrt(a * g);
            a = next;
        }
        const double expected = 2 * PI * sqrt(2 / GRAVITY) / a;
        print_message("rod from %.2f rad: period %.5f s, closed form %.5f s\n", angles[i], period, expected);
        EXPECT_NEAR(period, expected, 5e-3 * expected, "period from %g rad", angles[i]);
        EXPECT(fabs(body_pose(is.world, body).w) < 1e-4, "the disc turns");
        world_free(is.world);
    }
}

/// A mass on a spring hangs g / w^2 below its rest.
static void test_length_spring_gives_way_by_the_weight(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const iso_shape_def disc = shape_circle(0.3);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, -2, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.spring_enabled = true;
    def.spring_hertz = fix(2);
    def.rest = fix(2);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 900);
    const double sag = GRAVITY / pow(2 * PI * 2, 2), weight = body_pose(is.world, body).mass * GRAVITY;
    EXPECT_NEAR(joint_length(is.world, joint), 2 + sag, 0.01 * sag, "length");
    EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "a spring has no error");
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(is.world, joint, &force), ISO_OK);
    EXPECT_NEAR(from_wide(force.y), weight, 1e-3 * weight, "force");
    EXPECT_NEAR(from_wide(force.x), 0, 1e-3 * weight, "force to the side");
    world_free(is.world);
}

/// A rope is slack within its length and taut at it; a strut keeps its least length.
static void test_length_limits_hold_at_both_ends_alone(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, -1, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.limit_enabled = true;
    def.lower = fix(0.5);
    def.upper = fix(3);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 30); // falls freely
    EXPECT_NEAR(body_pose(is.world, body).vy, -GRAVITY / 2, 1e-3, "free fall");
    EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "within the limits there is no error");
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 3, 5e-3, "taut");
    EXPECT_NEAR(body_pose(is.world, body).vy, 0, 1e-3, "at rest");
    // Upwards it may go, until it is too near.
    EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(GRAVITY)}), ISO_OK);
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, body).vy, GRAVITY / 2, 1e-2, "free rise");
    double least = 3;
    for (int t = 0; t < 120; ++t) {
        world_steps(is.world, 1);
        least = fmin(least, joint_length(is.world, joint));
    }
    EXPECT(least > 0.45 && least < 0.51, "least length %g", least);
    world_free(is.world);
}

/// A spring between limits moves within them.
static void test_spring_works_within_limits(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 1, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.limit_enabled = def.spring_enabled = true;
    def.spring_hertz = fix(2);
    def.spring_damping_ratio = fix(0.5);
    def.rest = fix(4);
    def.lower = fix(0.5);
    def.upper = fix(2);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 2, 5e-3, "the spring presses against the limit");
    EXPECT_STATUS(iso_joint_set_limits(is.world, joint, false, 0, 0), ISO_OK);
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 4, 5e-3, "without limits it rests");
    world_free(is.world);
}

/// Anchors that coincide have no direction: the last one stands, first that of the x axis.
static void test_length_of_zero_keeps_its_direction(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, is.disc);
    def.rest = fix(1);
    joint_add(is.world, &def);
    world_steps(is.world, 120);
    const pose at = body_pose(is.world, is.disc);
    EXPECT_NEAR(at.x, 1, 1e-3, "pushed along the x axis");
    EXPECT_NEAR(at.y, 0, 1e-6, "not to the side");
    world_free(is.world);

    is = wheel_make(0.5, 0);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 1, 0, &disc);
    def.body_b = body;
    const iso_joint_id other = joint_add(is.world, &def);
    world_steps(is.world, 1);
    // Put onto the anchor; also by way of a snapshot, in which the direction must be.
    iso__plane_of(is.world)->bodies[body.index].position[1] = 0;
    const size_t size = iso_snapshot_size(is.world);
    uint8_t *bytes = malloc(size);
    iso_snapshot_encode(is.world, bytes, size);
    EXPECT_STATUS(iso_snapshot_decode(is.world, bytes, size), ISO_OK);
    free(bytes);
    assert_true(joint_length(is.world, other) == 0);
    world_steps(is.world, 120);
    EXPECT_NEAR(body_pose(is.world, body).y, 1, 1e-3, "pushed back to where it came from");
    EXPECT_NEAR(body_pose(is.world, body).x, 0, 1e-6, "not to the side");
    world_free(is.world);
}

/// A light body on a rod to a heavy one, and 50 m out on a long lever.
static void test_rods_hold_at_mass_ratios_and_far_anchors(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def heavy = shape_circle(1), light = shape_circle(0.1);
    heavy.density = fix(1000 / PI);
    light.density = fix(10 / PI);
    heavy.filter.mask = light.filter.mask = 0;
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id top = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2, 0, &heavy);
    const iso_body_id bottom = body_add_shape(world, ISO_BODY_DYNAMIC, 1, -3, 0, &light); // 1:10000
    iso_shape_def wide_disc = shape_circle(3);
    wide_disc.filter.mask = 0;
    const iso_body_id far = body_add_shape(world, ISO_BODY_DYNAMIC, 52, 0, 0, &wide_disc);
    iso_joint_def upper = joint_def(ISO_JOINT_DISTANCE, fixed, top), lower = joint_def(ISO_JOINT_DISTANCE, top, bottom),
                  lever = joint_def(ISO_JOINT_DISTANCE, fixed, far);
    upper.rest = fix(2);
    lower.rest = fix(sqrt(2));
    lever.anchor_b.x = fix(-50);
    lever.rest = fix(2);
    const iso_joint_id joints[3] = {joint_add(world, &upper), joint_add(world, &lower), joint_add(world, &lever)};
    double worst[3] = {0, 0, 0};
    for (int t = 0; t < 1200; ++t) {
        world_steps(world, 1);
        for (int j = 0; j < 3; ++j) {
            worst[j] = fmax(worst[j], joint_separation(world, joints[j]));
        }
    }
    print_message("rods off by at most %.1e, %.1e, %.1e m\n", worst[0], worst[1], worst[2]);
    EXPECT(worst[0] < 0.01 && worst[1] < 0.05 && worst[2] < 0.05, "rods are off by %g, %g, %g m", worst[0], worst[1],
           worst[2]);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_is_a_mathematical_pendulum),
        cmocka_unit_test(test_length_spring_gives_way_by_the_weight),
        cmocka_unit_test(test_length_limits_hold_at_both_ends_alone),
        cmocka_unit_test(test_spring_works_within_limits),
        cmocka_unit_test(test_length_of_zero_keeps_its_direction),
        cmocka_unit_test(test_rods_hold_at_mass_ratios_and_far_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
