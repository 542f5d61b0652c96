/// Joints that bear too much: what breaks them, and what becomes of them.
#include "joint_util.h"

/// A disc that hangs on a joint whose threshold is a share of what it has to bear.
static bool hang_breaks(iso_joint_kind kind, double share, bool remove) {
    wheel is = wheel_make(0.5, -GRAVITY);
    const double weight = body_pose(is.world, is.disc).mass * GRAVITY;
    iso_joint_def def = joint_def(kind, kind == ISO_JOINT_TARGET ? (iso_body_id){0, 0} : is.fixed, is.disc);
    def.anchor_b.y = ONE;
    def.target.y = iso_wide_from_fix16(ONE);
    def.break_force = wide(share * weight);
    def.remove_on_break = remove;
    // From where it hangs, so that nothing has to be caught.
    def.anchor_a.y = kind == ISO_JOINT_DISTANCE ? 3 * ONE : ONE;
    def.rest = kind == ISO_JOINT_DISTANCE ? 2 * ONE : 0;
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 120);
    const bool is_there = iso_joint_is_valid(is.world, joint);
    iso_joint_def read = {0};
    EXPECT(is_there || remove, "a joint is gone that was to be disabled");
    const bool is_on = is_there && iso_joint_get(is.world, joint, &read) == ISO_OK && read.enabled;
    EXPECT((body_pose(is.world, is.disc).y < -5) == !is_on, "disc at %g m", body_pose(is.world, is.disc).y);
    EXPECT(is_there == (is_on || !remove), "removed or not");
    world_free(is.world);
    return !is_on;
}

static void test_joints_break_beyond_their_force(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_TARGET, ISO_JOINT_DISTANCE};
    for (int i = 0; i < 6; ++i) {
        assert_true(hang_breaks(kinds[i / 2], 0.95, i % 2));
        assert_false(hang_breaks(kinds[i / 2], 1.05, i % 2));
    }
}

static void test_joints_break_beyond_their_torque_and_error(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
        def.motor_enabled = def.remove_on_break = true;
        def.motor_speed = fix(-1000);
        def.motor_max = wide(10);
        def.break_torque = wide(i ? 10.1 : 9.9);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 10);
        assert_true(iso_joint_is_valid(is.world, joint) == (i == 1));
        world_free(is.world);

        // Half a metre apart at the start.
        is = wheel_make(0.5, 0);
        def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
        def.anchor_a.x = ONE / 2;
        def.hertz = ONE;
        def.remove_on_break = true;
        def.break_error = wide(i ? 0.51 : 0.49);
        const iso_joint_id apart = joint_add(is.world, &def);
        world_steps(is.world, 1);
        assert_true(iso_joint_is_valid(is.world, apart) == (i == 1));
        world_free(is.world);
    }
}

/// A joint that yields by its angle alone, under a torque that it cannot bear, with thresholds for both errors.
/// @return the tick in which it broke, 0: it did not
static uint32_t turn_breaks(uint8_t kind, double error, double angle, double *turned) {
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def((iso_joint_kind)kind, is.fixed, is.disc);
    def.torque_max = wide(0.5);
    def.limit_enabled = kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_ANGLE;
    def.ratchet = kind == ISO_JOINT_RATCHET ? ONE : 0;
    def.break_error = wide(error);
    def.break_angle = wide(angle);
    def.remove_on_break = true;
    const iso_joint_id joint = joint_add(is.world, &def);
    uint32_t broken = 0;
    *turned = 0;
    for (uint32_t t = 1; t <= 60 && broken == 0; ++t) {
        EXPECT_STATUS(iso_body_apply_torque(is.world, is.disc, wide(-1)), ISO_OK);
        world_steps(is.world, 1);
        broken = iso_joint_is_valid(is.world, joint) ? 0 : t;
        *turned = fabs(body_pose(is.world, is.disc).angle);
    }
    world_free(is.world);
    return broken;
}

/// A separation [m] and an error of the angle [rad] have thresholds of their own.
static void test_joints_break_beyond_the_error_of_their_angle(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_WELD,  ISO_JOINT_PRISMATIC, ISO_JOINT_REVOLUTE, ISO_JOINT_MOTOR,
                             ISO_JOINT_ANGLE, ISO_JOINT_GEAR,      ISO_JOINT_RATCHET};
    for (size_t k = 0; k < sizeof kinds; ++k) {
        double turned;
        EXPECT(turn_breaks(kinds[k], 0.001, 0, &turned) == 0 && turned > 0.5, "kind %u: a separation is none",
               kinds[k]);
        const uint32_t tick = turn_breaks(kinds[k], 0, 0.25, &turned);
        // It passes 0.25 rad within one tick of at most 0.05 rad.
        EXPECT(tick > 3 && turned > 0.25 && turned < 0.3, "kind %u: breaks in tick %u at %g rad", kinds[k], tick,
               turned);
    }
}

/// One that was only disabled holds again when it is enabled.
static void test_broken_joint_can_be_mended(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.break_force = 1;
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 30);
    EXPECT(body_pose(is.world, is.disc).y < -0.5, "it has not broken");
    EXPECT_STATUS(iso_joint_set_break(is.world, joint, 0, 0, 0, 0, false), ISO_OK);
    EXPECT_STATUS(iso_joint_enable(is.world, joint, true), ISO_OK);
    world_steps(is.world, 240);
    EXPECT(joint_separation(is.world, joint) < 1e-3, "it does not hold: %g m", joint_separation(is.world, joint));
    world_free(is.world);
}

/// One event, in the step of the break, with what the joint bore.
static void test_break_is_told_once_with_what_broke_it(void **state) {
    (void)state;
    for (int remove = 0; remove < 2; ++remove) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
        def.motor_enabled = true;
        def.motor_speed = fix(1000);
        def.motor_max = wide(10);
        def.break_torque = wide(9.9);
        def.remove_on_break = remove;
        const iso_joint_id joint = joint_add(is.world, &def);
        uint32_t told = 0;
        for (int t = 0; t < 5; ++t) {
            iso_events events;
            world_steps(is.world, 1);
            iso_world_get_events(is.world, &events);
            for (uint32_t i = 0; i < events.joint_break_count; ++i) {
                const iso_joint_event *event = &events.joint_breaks[i];
                assert_true(event->joint.index == joint.index && event->joint.generation == joint.generation);
                assert_true(iso_body_id_equal(event->body_a, is.fixed) && iso_body_id_equal(event->body_b, is.disc));
                assert_int_equal(event->tick, iso_world_get_tick(is.world));
                EXPECT_NEAR(from_wide(event->torque), 10, 0.01, "torque of the event");
                EXPECT_NEAR(from_wide(event->angular_impulse), 10 * world_substep(is.world), 1e-4, "its impulse");
                ++told;
            }
        }
        assert_int_equal(told, 1);
        world_free(is.world);
    }
}

/// The impulse is that of the force in one substep: what stops a falling disc of 1 kg.
static void test_break_tells_the_impulse_of_the_force(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const double mass = body_pose(is.world, is.disc).mass;
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.break_force = wide(0.9 * GRAVITY * mass);
    def.tag = 4000000007u;
    joint_add(is.world, &def);
    iso_events events = {0};
    for (int t = 0; t < 60 && events.joint_break_count == 0; ++t) {
        world_steps(is.world, 1);
        iso_world_get_events(is.world, &events);
    }
    assert_int_equal(events.joint_break_count, 1);
    const iso_joint_event *event = &events.joint_breaks[0];
    assert_int_equal(event->tag, def.tag);
    EXPECT(from_wide(event->force.y) > 0.9 * GRAVITY * mass, "it broke at %g N", from_wide(event->force.y));
    EXPECT_NEAR(from_wide(event->impulse.y), from_wide(event->force.y) * world_substep(is.world), 1e-8, "impulse");
    EXPECT_NEAR(from_wide(event->impulse.x), 0, 1e-6, "impulse along x");
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_break_beyond_their_force),
        cmocka_unit_test(test_joints_break_beyond_their_torque_and_error),
        cmocka_unit_test(test_joints_break_beyond_the_error_of_their_angle),
        cmocka_unit_test(test_broken_joint_can_be_mended),
        cmocka_unit_test(test_break_is_told_once_with_what_broke_it),
        cmocka_unit_test(test_break_tells_the_impulse_of_the_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
