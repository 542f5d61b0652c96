/// Springs by stiffness and damping, and soft limits, of axes in space, against closed forms.
#include "unit/space/joint/joint3_util.h"

static const vec3 NONE = {0, 0, 0};

#define MASS    2.0
#define INERTIA 0.2 // 2/5 m r^2 with 0.5 m

/// A ball on a slider along y, or on a hinge about it, from a static body.
static iso_joint_id held(iso_world *world, uint8_t kind, iso_body_id *body) {
    *body = body3_sphere(world, NONE, 0.5, MASS);
    return joint3_make(world, kind, body3_fixed(world, NONE), *body, NONE, Y_AXIS, NONE);
}

/// The ticks from one upward passage through a value to the next, as seconds.
static double period_of(iso_world *world, iso_joint_id joint, double about) {
    double passages[2] = {0, 0}, before = joint3_axis(world, joint, 0) - about;
    int count = 0;
    for (int tick = 1; tick < 1200 && count < 2; ++tick) {
        world_steps(world, 1);
        const double now = joint3_axis(world, joint, 0) - about;
        if (before < 0 && now >= 0) {
            passages[count++] = tick - now / (now - before);
        }
        before = now;
    }
    assert_int_equal(count, 2);
    return (passages[1] - passages[0]) / 60;
}

static void test_a_spring_by_its_stiffness_swings_by_its_mass(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    iso_body_id body;
    const iso_joint_id joint = held(world, ISO_JOINT3_SLIDER, &body);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, wide(100), 0, 0), ISO_OK);
    EXPECT_NEAR(period_of(world, joint, -0.2), 2 * PI * sqrt(MASS / 100), 2e-3, "the period");
    // With damping it comes to rest at -m g/k.
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, wide(100), wide(20), fix(0.5)), ISO_OK);
    world_steps(world, 300);
    EXPECT_NEAR(joint3_axis(world, joint, 0), 0.5 - MASS * GRAVITY / 100, 1e-4, "at rest");
    EXPECT_NEAR(joint3_force(world, joint).y, MASS * GRAVITY, 1e-2, "the force");
    // Another mass, the same spring.
    const iso_wide none[3] = {0, 0, 0};
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(1), none), ISO_OK);
    world_steps(world, 300);
    EXPECT_NEAR(joint3_axis(world, joint, 0), 0.5 - GRAVITY / 100, 1e-4, "at rest with another mass");
    world_free(world);
}

static void test_a_torsion_spring_swings_by_its_inertia(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    iso_body_id body;
    const iso_joint_id joint = held(world, ISO_JOINT3_HINGE, &body);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, wide(5), 0, fix(1)), ISO_OK);
    EXPECT_NEAR(period_of(world, joint, 1.0), 2 * PI * sqrt(INERTIA / 5), 2e-3, "the period");
    world_free(world);
}

/// Without stiffness: v = v0 e^(-c t/m).
static void test_a_damper_slows_by_its_damping(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    iso_body_id body;
    const iso_joint_id joint = held(world, ISO_JOINT3_SLIDER, &body);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, 0, wide(3), 0), ISO_OK);
    body3_set(world, body, (vec3){0, 2, 0}, NONE);
    world_steps(world, 60);
    EXPECT_NEAR(body3_velocity(world, body).y, 2 * exp(-3 / MASS), 5e-3, "after a second");
    world_free(world);
}

/// Nothing acts before a soft limit; beyond it the depth at rest is g/w^2.
static void test_a_soft_limit_is_a_spring_beyond_it(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    iso_body_id body;
    const iso_joint_id joint = held(world, ISO_JOINT3_SLIDER, &body);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    def.axes[0].limit_enabled = true;
    def.axes[0].lower = fix(-1.25);
    def.axes[0].upper = fix(1);
    def.axes[0].limit_hertz = fix(2);
    def.axes[0].limit_damping_ratio = fix(0.3);
    EXPECT_STATUS(iso_joint3_set(world, joint, &def), ISO_OK);
    world_steps(world, 29); // g t^2/2 = 1.17 m
    EXPECT_NEAR(body3_velocity(world, body).y, -GRAVITY * 29 / 60, 1e-3, "it falls freely");
    double deepest = 0;
    for (int tick = 0; tick < 600; ++tick) {
        world_steps(world, 1);
        deepest = fmin(deepest, joint3_axis(world, joint, 0));
    }
    const double depth = GRAVITY / pow(2 * PI * 2, 2);
    EXPECT(deepest < -1.25 - 3 * depth, "it went to %g m", deepest);
    EXPECT_NEAR(joint3_axis(world, joint, 0), -1.25 - depth, 1e-4, "at rest");
    // It never pulls: thrown up it leaves the limit at once.
    body3_set(world, body, (vec3){0, 3, 0}, NONE);
    world_steps(world, 15);
    EXPECT_NEAR(joint3_force(world, joint).y, 0.0, 1e-6, "above the limit");
    // A rigid one holds.
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    def.axes[0].limit_hertz = 0;
    EXPECT_STATUS(iso_joint3_set(world, joint, &def), ISO_OK);
    world_steps(world, 300);
    EXPECT_NEAR(joint3_axis(world, joint, 0), -1.25, 2e-4, "rigid");
    world_free(world);
}

static void test_stiffness_is_read_back_and_replaced(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    iso_body_id body;
    const iso_joint_id joint = held(world, ISO_JOINT3_SLIDER, &body);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, wide(7), wide(8), fix(0.5)), ISO_OK);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_true(def.axes[0].spring_enabled && def.axes[0].spring_stiffness == wide(7));
    assert_true(def.axes[0].spring_damping == wide(8) && def.axes[0].rest == fix(0.5));
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, -1, 0, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 1, true, 0, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint3_set_spring(world, joint, 0, true, fix(2), fix(1), 0), ISO_OK);
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_true(def.axes[0].spring_stiffness == 0 && def.axes[0].spring_damping == 0);
    def.axes[0].limit_hertz = fix(1001);
    EXPECT_STATUS(iso_joint3_set(world, joint, &def), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_stiffness(world, joint, 0, true, 0, 0, 0), ISO_ERR_STALE);
    world_free(world);
}

/// The bound of a correction that is beyond all lengths is none: a soft joint at rest stays there.
static void test_a_correction_beyond_all_lengths_moves_nothing(void **state) {
    (void)state;
    iso_world *world = space_make(0);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    def.body_a = body3_fixed(world, NONE);
    def.body_b = body3_sphere(world, (vec3){2, 0, 0}, 0.5, MASS);
    def.axes[0].rest = fix(2);
    def.hertz = fix(0.05);
    def.damping_ratio = fix(20);
    def.correction_max = fix(32767);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_OK);
    world_steps(world, 60);
    iso_body3_view view;
    EXPECT_STATUS(iso_body3_get(world, def.body_b, &view), ISO_OK);
    EXPECT_NEAR(from_wide(view.velocity.x), 0, 1e-3, "its speed");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_correction_beyond_all_lengths_moves_nothing),
        cmocka_unit_test(test_a_spring_by_its_stiffness_swings_by_its_mass),
        cmocka_unit_test(test_a_torsion_spring_swings_by_its_inertia),
        cmocka_unit_test(test_a_damper_slows_by_its_damping),
        cmocka_unit_test(test_a_soft_limit_is_a_spring_beyond_it),
        cmocka_unit_test(test_stiffness_is_read_back_and_replaced),
    };
    return cmocka_run_group_tests_name("joint3_spring", tests, NULL, NULL);
}
