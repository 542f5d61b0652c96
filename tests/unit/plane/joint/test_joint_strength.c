/// Every kind of joint that can break, at the tick in which it bears too much: by force, by torque, by error.
#include "joint_util.h"

#define RAMP 40 // ticks; the load grows by a unit each

/// A static body and a disc for a joint of this kind, which holds it against what is pushed along -y or turned.
static wheel strength_make(uint8_t kind, iso_joint_def *def) {
    wheel is = wheel_make(0.5, 0);
    *def = joint_def((iso_joint_kind)kind, is.fixed, is.disc);
    if ((iso_joint_kind_has(kind) & ISO_JOINT_HAS_LENGTH) != 0) {
        def->anchor_a.y = ONE;
        def->rest = ONE;
    }
    if (kind == ISO_JOINT_PULLEY) {
        def->body_c = is.fixed;
        def->body_d = body_add(is.world, ISO_BODY_STATIC, 5, 0, 0);
        def->rest = 6 * ONE;
        def->anchor_c.x = 10 * ONE;
    }
    def->ratchet = ONE;
    return is;
}

/// How far what a joint bears may be from the load of its last tick. A drive is soft, so it swings about a load that
/// grows.
static double strength_bound(uint8_t kind) {
    return kind == ISO_JOINT_MOTOR ? 0.03 : 0.01;
}

/// Pushes harder each tick until the joint goes. @return the tick of its event, 0: it held
static uint32_t ramp_until_broken(const wheel *is, iso_joint_id joint, double force, double torque,
                                  iso_joint_event *told) {
    for (uint32_t t = 1; t <= RAMP; ++t) {
        iso_events events;
        EXPECT_STATUS(iso_body_apply_force_to_centre(is->world, is->disc, (iso_vec2_wide){0, wide(-force * t)}),
                      ISO_OK);
        EXPECT_STATUS(iso_body_apply_torque(is->world, is->disc, wide(torque * t)), ISO_OK);
        world_steps(is->world, 1);
        iso_world_get_events(is->world, &events);
        if (events.joint_break_count != 0) {
            *told = events.joint_breaks[0];
            assert_int_equal(events.joint_break_count, 1);
            assert_true(told->joint.index == joint.index && told->joint.generation == joint.generation);
            assert_int_equal(told->tick, iso_world_get_tick(is->world));
            return t;
        }
    }
    return 0;
}

/// A joint that broke is gone, or there but off, as asked.
static void expect_end(const wheel *is, iso_joint_id joint, bool remove, uint8_t kind) {
    iso_joint_def def;
    EXPECT(iso_joint_is_valid(is->world, joint) != remove, "kind %u: removed or not", kind);
    EXPECT(remove || (iso_joint_get(is->world, joint, &def) == ISO_OK && !def.enabled), "kind %u: it is still on",
           kind);
}

static void test_joints_break_in_the_tick_of_too_much_force(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_REVOLUTE,  ISO_JOINT_DISTANCE, ISO_JOINT_WELD,
                             ISO_JOINT_PRISMATIC, ISO_JOINT_WHEEL,    ISO_JOINT_LINE,
                             ISO_JOINT_FRICTION,  ISO_JOINT_MOTOR,    ISO_JOINT_PULLEY};
    for (size_t c = 0; c < 2 * sizeof kinds; ++c) {
        iso_joint_def def;
        const wheel is = strength_make(kinds[c / 2], &def);
        const uint32_t expected = 5 + (uint32_t)c;
        def.break_force = wide(expected - 0.5);
        def.remove_on_break = c % 2;
        const iso_joint_id joint = joint_add(is.world, &def);
        iso_joint_event told = {0};
        assert_int_equal(ramp_until_broken(&is, joint, 1, 0, &told), expected);
        EXPECT_NEAR(from_wide(told.force.y), expected, strength_bound(def.kind), "kind %u: force of the event",
                    kinds[c / 2]);
        expect_end(&is, joint, c % 2, kinds[c / 2]);
        world_free(is.world);
    }
}

static void test_joints_break_in_the_tick_of_too_much_torque(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_WELD,     ISO_JOINT_PRISMATIC,
                             ISO_JOINT_WHEEL,    ISO_JOINT_ANGLE,    ISO_JOINT_GEAR,
                             ISO_JOINT_RATCHET,  ISO_JOINT_FRICTION, ISO_JOINT_MOTOR};
    for (size_t c = 0; c < 2 * sizeof kinds; ++c) {
        iso_joint_def def;
        const wheel is = strength_make(kinds[c / 2], &def);
        const uint32_t expected = 5 + (uint32_t)c;
        const uint32_t has = iso_joint_kind_has(def.kind);
        def.motor_enabled = (has & ISO_JOINT_HAS_MOTOR) != 0 && def.kind != ISO_JOINT_PRISMATIC;
        def.motor_max = INT64_MAX;
        def.break_torque = wide(expected - 0.5);
        def.remove_on_break = c % 2;
        const iso_joint_id joint = joint_add(is.world, &def);
        iso_joint_event told = {0};
        assert_int_equal(ramp_until_broken(&is, joint, 0, -1, &told), expected);
        EXPECT_NEAR(from_wide(told.torque), expected, strength_bound(def.kind), "kind %u: torque of the event",
                    kinds[c / 2]);
        expect_end(&is, joint, c % 2, kinds[c / 2]);
        world_free(is.world);
    }
}

/// Too weak for its load a joint gives way. It breaks in the tick in which one that may not break is too far away.
static void test_joints_break_in_the_tick_of_too_much_error(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_DISTANCE, ISO_JOINT_WELD,   ISO_JOINT_PRISMATIC,
                             ISO_JOINT_WHEEL,    ISO_JOINT_LINE,     ISO_JOINT_MOTOR,  ISO_JOINT_PULLEY,
                             ISO_JOINT_ANGLE,    ISO_JOINT_GEAR,     ISO_JOINT_RATCHET};
    for (size_t c = 0; c < 2 * sizeof kinds; ++c) {
        const double most = 0.1;
        uint32_t expected = 0;
        for (int breaks = 0; breaks < 2; ++breaks) {
            iso_joint_def def;
            iso_joint_event told = {0};
            const wheel is = strength_make(kinds[c / 2], &def);
            def.limit_enabled = def.kind == ISO_JOINT_ANGLE;
            def.force_max = def.torque_max = ISO_WIDE_ONE;
            const bool is_angle = (iso_joint_kind_has(kinds[c / 2]) & ISO_JOINT_HAS_ANCHORS) == 0;
            *(is_angle ? &def.break_angle : &def.break_error) = breaks ? wide(most) : 0;
            def.remove_on_break = c % 2;
            const iso_joint_id joint = joint_add(is.world, &def);
            if (breaks) {
                assert_int_equal(ramp_until_broken(&is, joint, 1, -1, &told), expected);
                expect_end(&is, joint, c % 2, kinds[c / 2]);
            }
            for (uint32_t t = 1; t <= RAMP && !breaks && expected == 0; ++t) {
                EXPECT_STATUS(iso_body_apply_force_to_centre(is.world, is.disc, (iso_vec2_wide){0, wide(-(double)t)}),
                              ISO_OK);
                EXPECT_STATUS(iso_body_apply_torque(is.world, is.disc, wide(-(double)t)), ISO_OK);
                world_steps(is.world, 1);
                const double error = is_angle ? joint_angle_error(is.world, joint) : joint_separation(is.world, joint);
                expected = error > most ? t : 0;
            }
            EXPECT(expected > 3, "kind %u: it gives way in tick %u", kinds[c / 2], expected);
            world_free(is.world);
        }
    }
}

/// One that bears as much as it may, and no more, holds.
static void test_joints_hold_at_their_threshold(void **state) {
    (void)state;
    const uint8_t kinds[] = {ISO_JOINT_WELD, ISO_JOINT_PRISMATIC, ISO_JOINT_LINE, ISO_JOINT_PULLEY, ISO_JOINT_FRICTION};
    for (size_t c = 0; c < sizeof kinds; ++c) {
        iso_joint_def def;
        iso_joint_event told;
        const wheel is = strength_make(kinds[c], &def);
        def.break_force = def.break_torque = wide(RAMP + 0.01);
        const iso_joint_id joint = joint_add(is.world, &def);
        const bool turns = (iso_joint_kind_has(kinds[c]) & ISO_JOINT_HAS_TORQUE) != 0;
        assert_int_equal(ramp_until_broken(&is, joint, 1, turns ? -1 : 0, &told), 0);
        assert_true(iso_joint_is_valid(is.world, joint));
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_break_in_the_tick_of_too_much_force),
        cmocka_unit_test(test_joints_break_in_the_tick_of_too_much_torque),
        cmocka_unit_test(test_joints_break_in_the_tick_of_too_much_error),
        cmocka_unit_test(test_joints_hold_at_their_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
