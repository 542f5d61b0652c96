/// Islands with joints in space: what sleeps, what stays awake, and what is told of joints.
#include "unit/space/joint/joint3_util.h"

#define SLEEP_TICKS 30 // half a second at 60 Hz

static iso_world *sleeping_world(void) {
    iso_world_def def = space_def(-GRAVITY);
    def.sleep_speed = fix(0.05);
    def.sleep_time = fix(0.5);
    return world_make(&def);
}

static bool is_awake(const iso_world *world, iso_body_id body) {
    return iso_body_is_awake(world, body);
}

/// Three links that hang from a static body; the first joint has the tag 1.
typedef struct chain {
    iso_body_id links[3];
    iso_joint_id joints[3];
} chain;

static chain chain_make(iso_world *world) {
    chain is;
    iso_body_id above = body3_fixed(world, (vec3){0, 0, 0});
    for (int i = 0; i < 3; ++i) {
        is.links[i] =
            body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, -0.5 - i, 0}, (quat){0, 0, 0, 1}, (vec3){0.1, 0.5, 0.1});
        iso_joint3_def def =
            joint3_def(world, ISO_JOINT3_BALL, above, is.links[i], (vec3){0, -i, 0}, Y_AXIS, (vec3){0, 0, 0});
        def.tag = (uint32_t)i + 1;
        is.joints[i] = joint3_add(world, &def);
        above = is.links[i];
    }
    return is;
}

static void test_a_chain_at_rest_sleeps_and_wakes_as_a_whole(void **state) {
    (void)state;
    iso_world *world = sleeping_world();
    const chain is = chain_make(world);
    int ticks = 0;
    while (is_awake(world, is.links[0]) && ticks < 300) {
        world_steps(world, 1);
        ++ticks;
    }
    EXPECT(ticks <= 3 * SLEEP_TICKS, "asleep after %d ticks", ticks);
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.joint_sleep_count, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(events.joint_sleeps[i].tag, i + 1);
        assert_false(is_awake(world, is.links[i]));
        assert_false(iso_joint_is_awake(world, is.joints[i]));
    }
    const vec3 before = body3_centre(world, is.links[2]);
    world_steps(world, 60);
    assert_true(vec3_length(vec3_sub(body3_centre(world, is.links[2]), before)) == 0);
    body3_set(world, is.links[2], (vec3){1, 0, 0}, (vec3){0, 0, 0});
    world_steps(world, 1);
    iso_world_get_events(world, &events);
    // The step tells what it woke itself: the last link was awake when it began.
    assert_int_equal(events.joint_wake_count, 2);
    assert_int_equal(events.joint_wakes[0].tag, 1);
    assert_int_equal(events.wake_count, 2);
    assert_true(is_awake(world, is.links[0]));
    world_free(world);
}

/// 10 m long, 1 cm wide: it is slower than the sleep speed all the time, and within 1 mm of a turning point for 0.9 s.
static void test_what_swings_does_not_sleep(void **state) {
    (void)state;
    iso_world *world = sleeping_world();
    const iso_body_id above = body3_fixed(world, (vec3){0, 0, 0});
    const iso_body_id bob = body3_sphere(world, (vec3){0.01, -10, 0}, 0.1, 1);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    def.body_a = above, def.body_b = bob;
    def.axes[0].rest = fix(10);
    joint3_add(world, &def);
    double farthest = 0;
    for (int i = 0; i < 1800; ++i) {
        world_steps(world, 1);
        const double x = body3_centre(world, bob).x;
        farthest = i >= 1500 && fabs(x) > farthest ? fabs(x) : farthest;
        assert_true(is_awake(world, bob));
    }
    EXPECT(farthest > 0.008, "it still swings by %g m", farthest);
    world_free(world);
}

static iso_joint_id motor_door(iso_world *world, double speed, double max, bool is_limited, iso_body_id *door) {
    *door = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.5, 0.05});
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, body3_fixed(world, (vec3){0, 0, 0}), *door,
                                    (vec3){0, 0, 0}, Y_AXIS, (vec3){0, 0, 0});
    def.axes[0].motor_enabled = true;
    def.axes[0].motor_speed = fix(speed);
    def.axes[0].motor_max = wide(max);
    def.axes[0].limit_enabled = is_limited;
    return joint3_add(world, &def); // a limit from 0 to 0
}

static void test_a_slow_motor_keeps_its_island_awake(void **state) {
    (void)state;
    iso_world *world = sleeping_world();
    iso_body_id running, slowest, stopped, braked, limited;
    const iso_joint_id joint = motor_door(world, 0.01, 100, false, &running);
    motor_door(world, 1.0 / 65536, 100, false, &slowest); // 15 um in a sleep time
    motor_door(world, 0, 100, false, &stopped);
    motor_door(world, 0.01, 0, false, &braked); // without a torque
    motor_door(world, 0.01, 100, true, &limited);
    world_steps(world, 600);
    assert_true(is_awake(world, running));
    assert_true(is_awake(world, slowest));
    EXPECT_NEAR(joint3_axis(world, joint, 0), 0.1, 1e-3, "ten seconds of it");
    assert_false(is_awake(world, stopped));
    assert_false(is_awake(world, braked));
    assert_false(is_awake(world, limited));
    world_free(world);
}

/// A spring that is damped 50 times more than critically takes many seconds.
static void test_what_creeps_to_a_springs_rest_does_not_sleep_before(void **state) {
    (void)state;
    iso_world *world = sleeping_world();
    const iso_body_id body = body3_sphere(world, (vec3){0.02, 0, 0}, 0.1, 1);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_TARGET);
    def.body_b = body;
    def.hertz = fix(2);
    def.damping_ratio = fix(50);
    const iso_joint_id joint = joint3_add(world, &def);
    EXPECT_STATUS(iso_world_set_gravity3(world, (iso_vec3){0, 0, 0}), ISO_OK);
    int ticks = 0;
    while (is_awake(world, body) && ticks < 6000) {
        world_steps(world, 1);
        ++ticks;
    }
    EXPECT(ticks > 300 && ticks < 6000, "asleep after %d ticks", ticks);
    EXPECT(joint3_separation(world, joint) <= 1e-3, "%g m off", joint3_separation(world, joint));
    // Aiming wakes it.
    EXPECT_STATUS(iso_joint3_set_target(world, joint, wide3((vec3){1, 0, 0})), ISO_OK);
    assert_true(is_awake(world, body));
    world_free(world);
}

static void test_a_moving_kinematic_body_keeps_what_hangs_on_it_awake(void **state) {
    (void)state;
    iso_world *world = sleeping_world();
    const iso_body_id above = body3_add(world, ISO_BODY_KINEMATIC, (vec3){0, 0, 0}, (quat){0, 0, 0, 1});
    const iso_body_id bob = body3_sphere(world, (vec3){0, -1, 0}, 0.1, 1);
    joint3_make(world, ISO_JOINT3_FIXED, above, bob, (vec3){0, 0, 0}, X_AXIS, (vec3){0, 0, 0});
    body3_set(world, above, (vec3){0.001, 0, 0}, (vec3){0, 0, 0}); // 0.5 mm in a sleep time
    world_steps(world, 300);
    assert_true(is_awake(world, bob));
    body3_set(world, above, (vec3){0, 0, 0}, (vec3){0, 0, 0});
    world_steps(world, 3 * SLEEP_TICKS);
    assert_false(is_awake(world, bob));
    body3_set(world, above, (vec3){0.001, 0, 0}, (vec3){0, 0, 0});
    world_steps(world, 2);
    assert_true(is_awake(world, bob));
    world_free(world);
}

/// Every kind without a motor or spring sleeps once its bodies rest.
static void test_every_kind_sleeps(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        iso_world *world = sleeping_world();
        EXPECT_STATUS(iso_world_set_gravity3(world, (iso_vec3){0, 0, 0}), ISO_OK);
        const iso_body_id a = body3_sphere(world, (vec3){0, 0, 0}, 0.2, 1);
        const iso_body_id b = body3_sphere(world, (vec3){1, 0.1, 0}, 0.2, 1);
        iso_joint3_def def = joint3_def(world, kind, a, b, (vec3){0.5, 0, 0}, Y_AXIS, Z_AXIS);
        def.body_a = kind == ISO_JOINT3_TARGET ? (iso_body_id){0, 0} : def.body_a;
        def.target = wide3((vec3){0.5, 0, 0});
        const iso_joint_id joint = joint3_add(world, &def);
        world_steps(world, 4 * SLEEP_TICKS);
        EXPECT(!is_awake(world, b) && !iso_joint_is_awake(world, joint), "kind %d is awake", kind);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain_at_rest_sleeps_and_wakes_as_a_whole),
        cmocka_unit_test(test_what_swings_does_not_sleep),
        cmocka_unit_test(test_a_slow_motor_keeps_its_island_awake),
        cmocka_unit_test(test_what_creeps_to_a_springs_rest_does_not_sleep_before),
        cmocka_unit_test(test_a_moving_kinematic_body_keeps_what_hangs_on_it_awake),
        cmocka_unit_test(test_every_kind_sleeps),
    };
    return cmocka_run_group_tests_name("joint3_sleep", tests, NULL, NULL);
}
