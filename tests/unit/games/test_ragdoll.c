/// Ragdolls: a plan becomes bodies and joints, or nothing; what is felt; servos; the limb that reaches.
#include <math.h>

#include "isostep/ragdoll.h"
#include "unit/world/physics_util.h"

/// A trunk along x, and a limb of two links that hangs from its right end.
static const iso_ragdoll_part PARTS[] = {
    {ONE / 8, {-ONE / 2, 0}, {ONE / 2, 0}, 100 * ONE},
    {ONE / 16, {0, 0}, {0, -ONE / 2}, 50 * ONE},
    {ONE / 16, {0, 0}, {0, -ONE / 2}, 50 * ONE},
};
static const iso_ragdoll_joint JOINTS[] = {
    {0, 1, {ONE / 2, 0}, -2 * ONE, 2 * ONE, 100 * ISO_WIDE_ONE},
    {1, 2, {0, -ONE / 2}, -ONE, ONE, 50 * ISO_WIDE_ONE},
};
static const iso_ragdoll_plan PLAN = {PARTS, 3, JOINTS, 2, ONE, {2, ~2u, 0}};

typedef struct handles {
    uint32_t body[3], body_generation[3], joint[2], joint_generation[2];
} handles;

static iso_ragdoll doll_of(handles *of) {
    return (iso_ragdoll){&PLAN, of->body, of->body_generation, of->joint, of->joint_generation};
}

static const iso_owner NOBODY = {0, ISO_OWNER_NOBODY};

static void test_a_plan_becomes_a_creature(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    handles of = {0};
    const iso_ragdoll doll = doll_of(&of);
    assert_false(iso_ragdoll_is_whole(world, &doll));
    EXPECT_STATUS(iso_ragdoll_build(world, &doll, (iso_vec2_wide){3 * ISO_WIDE_ONE, 5 * ISO_WIDE_ONE}, NOBODY, 7),
                  ISO_OK);
    assert_true(iso_ragdoll_is_whole(world, &doll));
    static const double places[][2] = {{3, 5}, {3.5, 5}, {3.5, 4.5}};
    for (uint32_t part = 0; part < 3; ++part) {
        const iso_body_view view = body_view(world, iso_ragdoll_body(&doll, part));
        assert_true(from_wide(view.position.x) == places[part][0] && from_wide(view.position.y) == places[part][1]);
        assert_int_equal(view.tag, 7);
    }
    iso_ragdoll_mass mass;
    assert_true(iso_ragdoll_get_mass(world, &doll, (iso_vec2_wide){3 * ISO_WIDE_ONE, 5 * ISO_WIDE_ONE}, &mass));
    double sum = 0, x = 0;
    for (uint32_t part = 0; part < 3; ++part) {
        const iso_body_view view = body_view(world, iso_ragdoll_body(&doll, part));
        sum += from_wide(view.mass);
        x += from_wide(view.mass) * (from_wide(view.centre.x) - 3);
    }
    EXPECT_NEAR(from_wide(mass.mass), sum, 1e-6, "mass");
    EXPECT_NEAR(from_wide(mass.centre.x), x / sum, 1e-6, "centre");
    world_steps(world, 6);
    assert_true(iso_ragdoll_get_mass(world, &doll, (iso_vec2_wide){0, 0}, &mass));
    EXPECT_NEAR(from_wide(mass.velocity.y), -1, 0.01, "it falls as a whole");
    iso_ragdoll_remove(world, &doll);
    assert_int_equal(world_counts(world).bodies, 0);
    assert_int_equal(world_counts(world).joints, 0);
    assert_true(of.body_generation[0] == 0 && of.joint_generation[1] == 0);
    assert_false(iso_ragdoll_get_mass(world, &doll, (iso_vec2_wide){0, 0}, &mass));
    world_free(world);
}

static void test_what_does_not_fit_leaves_nothing(void **state) {
    (void)state;
    for (int lack = 0; lack < 3; ++lack) {
        iso_world_def def = world_def_small(0);
        def.body_capacity = lack == 0 ? 2 : 9;
        def.shape_capacity = lack == 1 ? 2 : 9;
        def.joint_capacity = lack == 2 ? 1 : 9;
        iso_world *world = world_make(&def);
        handles of = {0};
        const iso_ragdoll doll = doll_of(&of);
        EXPECT_STATUS(iso_ragdoll_build(world, &doll, (iso_vec2_wide){0, 0}, NOBODY, 0), ISO_ERR_CAPACITY);
        assert_int_equal(world_counts(world).bodies, 0);
        assert_int_equal(world_counts(world).joints, 0);
        world_free(world);
    }
}

static void test_a_wrong_plan_is_told_from_a_full_world(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    for (int wrong = 0; wrong < 6; ++wrong) {
        handles of = {0};
        iso_ragdoll_plan plan = PLAN;
        iso_ragdoll_part parts[3];
        iso_ragdoll_joint joints[2];
        memcpy(parts, PLAN.parts, sizeof parts);
        memcpy(joints, PLAN.joints, sizeof joints);
        plan.parts = parts;
        plan.joints = joints;
        plan.joint_count -= wrong == 0;
        joints[1].lower = wrong == 1 ? 3 : wrong == 2 ? joints[0].lower : joints[1].lower;
        joints[0].upper = wrong == 3 ? joints[1].lower : joints[0].upper;
        joints[1].low = wrong == 4 ? joints[1].high + 1 : joints[1].low;
        parts[2].radius = wrong == 5 ? 1 : parts[2].radius;
        const iso_ragdoll doll = {&plan, of.body, of.body_generation, of.joint, of.joint_generation};
        EXPECT_STATUS(iso_ragdoll_build(world, &doll, (iso_vec2_wide){0, 0}, NOBODY, 0),
                      wrong == 5 ? ISO_ERR_GEOMETRY : ISO_ERR_RANGE);
        assert_int_equal(world_counts(world).bodies, 0);
    }
    world_free(world);
}

static double joint_turns(const iso_world *world, const handles *of, uint32_t joint) {
    iso_wide angle = 0;
    EXPECT_STATUS(iso_joint_get_angle(world, (iso_joint_id){of->joint[joint], of->joint_generation[joint]}, &angle),
                  ISO_OK);
    return from_wide(angle) / (2 * PI);
}

static void test_servos_hold_turn_and_let_go(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    handles of = {0};
    const iso_ragdoll doll = doll_of(&of);
    EXPECT_STATUS(iso_ragdoll_build(world, &doll, (iso_vec2_wide){0, 0}, NOBODY, 0), ISO_OK);
    const iso_ragdoll_spring spring = {5 * ONE, ONE};
    iso_ragdoll_hold(world, &doll, 0, wide(0.2), spring);
    iso_ragdoll_hold(world, &doll, 1, wide(7.4), spring); // 0.4 turns and seven whole ones, and more than its limit
    world_steps(world, 120);
    EXPECT_NEAR(joint_turns(world, &of, 0), 0.2, 0.005, "held");
    EXPECT_NEAR(joint_turns(world, &of, 1), 1 / (2 * PI), 0.005, "at its limit");
    iso_ragdoll_let_go(world, &doll, 0);
    iso_ragdoll_let_go(world, &doll, 1);
    world_steps(world, 1);
    EXPECT_NEAR(from_wide(iso_ragdoll_felt_torque(world, &doll, 0)), 0, 0.01, "let go");
    iso_ragdoll_turn(world, &doll, 0, wide(-3));
    world_steps(world, 1);
    EXPECT_NEAR(from_wide(iso_ragdoll_felt_torque(world, &doll, 0)), -3, 0.01, "turned");
    iso_ragdoll_turn(world, &doll, 0, wide(3000));
    world_steps(world, 1);
    EXPECT_NEAR(from_wide(iso_ragdoll_felt_torque(world, &doll, 0)), 100, 0.1, "at most the joint's");
    world_free(world);
}

static void test_it_feels_what_touches_it(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(40, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
    handles of = {0};
    const iso_ragdoll doll = doll_of(&of);
    bool is_touched[3];
    EXPECT_STATUS(iso_ragdoll_build(world, &doll, (iso_vec2_wide){0, wide(1.07)}, NOBODY, 0), ISO_OK);
    iso_ragdoll_feel(world, &doll, is_touched);
    assert_false(is_touched[0] || is_touched[1] || is_touched[2]);
    world_steps(world, 6); // the end of its limb stands on the ground
    iso_ragdoll_feel(world, &doll, is_touched);
    assert_true(!is_touched[0] && !is_touched[1] && is_touched[2]);
    world_free(world);
}

static void test_a_limb_reaches_its_place(void **state) {
    (void)state;
    const double length = 0.42;
    for (int i = 0; i < 200; ++i) {
        const double x = 0.1 * (i % 20 - 10), y = -0.1 * (i / 20) - 0.01, way = hypot(x, y);
        for (int side = 0; side < 2; ++side) {
            iso_wide angles[2];
            iso_ragdoll_reach((iso_vec2_wide){wide(x), wide(y)}, wide(length), side == 1, angles);
            const double a = 2 * PI * from_wide(angles[0]), b = 2 * PI * from_wide(angles[1]);
            const double mx = length * sin(a), my = -length * cos(a), ex = mx + length * sin(b),
                         ey = my - length * cos(b);
            const double reach = fmin(1, 2 * length / way);
            EXPECT_NEAR(ex, x * reach, 1e-4, "x of %g, %g", x, y);
            EXPECT_NEAR(ey, y * reach, 1e-4, "y of %g, %g", x, y);
            const double left = x * my - y * mx; // of the line from the root to the end
            EXPECT(way > 2 * length - 0.001 || (left > 0) == (side == 1), "the side of %g, %g", x, y);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plan_becomes_a_creature),
        cmocka_unit_test(test_what_does_not_fit_leaves_nothing),
        cmocka_unit_test(test_a_wrong_plan_is_told_from_a_full_world),
        cmocka_unit_test(test_servos_hold_turn_and_let_go),
        cmocka_unit_test(test_it_feels_what_touches_it),
        cmocka_unit_test(test_a_limb_reaches_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
