/// What the getters say of a joint that bears a known load at rest: F = m g, M = m g l, for every kind.
#include "joint_util.h"

#define LOAD_TICKS 600

/// The mean of force and torque over the last ticks, which a solver in its last bits swings about.
typedef struct load {
    double fx, fy, torque;
} load;

static load load_of(iso_world *world, iso_joint_id joint) {
    load is = {0};
    world_steps(world, LOAD_TICKS);
    for (int i = 0; i < 60; ++i) {
        iso_vec2_wide force;
        iso_wide torque;
        world_steps(world, 1);
        EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
        EXPECT_STATUS(iso_joint_get_torque(world, joint, &torque), ISO_OK);
        is.fx += from_wide(force.x) / 60;
        is.fy += from_wide(force.y) / 60;
        is.torque += from_wide(torque) / 60;
    }
    return is;
}

/// A joint between a static body at the origin and a box of 2 by 1 m that is centred at (1, 0).
static void expect_load(const char *what, const iso_joint_def *with, double forces, double torques) {
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def box = shape_box(1, 0.5);
    box.filter.mask = 0;
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id beam = body_add_shape(world, ISO_BODY_DYNAMIC, 1, 0, 0, &box);
    iso_joint_def def = *with;
    def.body_a = (iso_joint_kind_has(def.kind) & ISO_JOINT_HAS_BODY_A) != 0 ? fixed : (iso_body_id){0, 0};
    def.body_b = beam;
    const double weight = body_pose(world, beam).mass * GRAVITY;
    const load is = load_of(world, joint_add(world, &def));
    EXPECT_NEAR(is.fx, 0, 0.02 * weight, "%s: force along x", what);
    EXPECT_NEAR(is.fy, forces * weight, 0.02 * weight, "%s: force along y", what);
    EXPECT_NEAR(is.torque, torques * weight, 0.02 * weight, "%s: torque", what);
    world_free(world);
}

static iso_joint_def load_def(iso_joint_kind kind, double bx) {
    iso_joint_def def = joint_def(kind, (iso_body_id){0, 0}, (iso_body_id){0, 0});
    def.anchor_b.x = fix(bx);
    return def;
}

/// A point at the edge of the beam bears its weight; the angle's part bears m g l with l = 1 m.
static void test_points_and_angles_bear_the_weight(void **state) {
    (void)state;
    iso_joint_def def = load_def(ISO_JOINT_REVOLUTE, -1);
    def.limit_enabled = true;
    def.upper = fix(0.5);
    expect_load("revolute at its limit", &def, 1, 1);
    def.limit_enabled = false;
    def.motor_enabled = true;
    def.motor_max = wide(1000);
    expect_load("revolute with a motor that stands", &def, 1, 1);
    def = load_def(ISO_JOINT_WELD, -1);
    expect_load("weld", &def, 1, 1);
    def = load_def(ISO_JOINT_MOTOR, -1);
    expect_load("motor", &def, 1, 1);
    def = load_def(ISO_JOINT_FRICTION, -1);
    expect_load("friction", &def, 1, 1);
    def = load_def(ISO_JOINT_TARGET, 0);
    def.target.x = iso_wide_from_fix16(fix(1));
    expect_load("target", &def, 1, 0);
}

static void test_lines_bear_the_weight(void **state) {
    (void)state;
    iso_joint_def def = load_def(ISO_JOINT_PRISMATIC, -1);
    expect_load("prismatic, level", &def, 1, 1);
    def.axis = (iso_vec2){0, ONE};
    def.limit_enabled = true;
    def.upper = ONE;
    expect_load("prismatic, upright at its limit", &def, 1, 1);
    def.limit_enabled = false;
    def.motor_enabled = true;
    def.motor_max = wide(1000);
    expect_load("prismatic, upright with a motor", &def, 1, 1);
    for (int i = 0; i < 2; ++i) {
        def = load_def(i == 0 ? ISO_JOINT_LINE : ISO_JOINT_WHEEL, 0);
        def.anchor_a.x = ONE;
        def.axis = (iso_vec2){0, ONE};
        def.spring_enabled = true;
        def.spring_hertz = fix(2);
        expect_load(i == 0 ? "line on its spring" : "wheel on its suspension", &def, 1, 0);
    }
    def = load_def(ISO_JOINT_LINE, 0);
    def.anchor_a.x = ONE;
    def.axis = (iso_vec2){ONE, 0};
    expect_load("line, level", &def, 1, 0);
}

static void test_lengths_bear_the_weight(void **state) {
    (void)state;
    iso_joint_def def = load_def(ISO_JOINT_DISTANCE, 0);
    def.anchor_a = (iso_vec2){ONE, 2 * ONE};
    def.rest = 2 * ONE;
    expect_load("rod", &def, 1, 0);
    def.limit_enabled = true;
    def.upper = 2 * ONE;
    expect_load("rope", &def, 1, 0);
    def.limit_enabled = false;
    def.spring_enabled = true;
    def.spring_hertz = fix(2);
    expect_load("spring", &def, 1, 0);
}

/// Two boxes on one rope: with the ratio r the second bears r times as much, and hangs still when it weighs r times as
/// much.
static void test_pulleys_bear_the_weight(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def box = shape_box(0.5, 0.5), large = shape_box(1, 0.5);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 5, 0);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const iso_body_id d = body_add_shape(world, ISO_BODY_DYNAMIC, 5, 0, 0, &large);
    iso_joint_def def = joint_def(ISO_JOINT_PULLEY, fixed, b);
    def.body_c = fixed;
    def.body_d = d;
    def.anchor_c.x = 5 * ONE;
    def.ratio = 2 * ONE;
    def.rest = 15 * ONE;
    const double weight = body_pose(world, b).mass * GRAVITY;
    const load is = load_of(world, joint_add(world, &def));
    EXPECT_NEAR(is.fy, weight, 0.02 * weight, "force of the pulley");
    EXPECT_NEAR(body_pose(world, d).y, 0, 0.05, "the balanced load");
    world_free(world);
}

/// On the angle alone: a motor of another joint turns the disc against what is tested.
static void expect_torque(const char *what, const iso_joint_def *with, double push, double expected) {
    wheel is = wheel_make(0.5, 0);
    iso_joint_def motor = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc), def = *with;
    motor.motor_enabled = true;
    motor.motor_speed = push > 0 ? fix(100) : fix(-100);
    motor.motor_max = wide(fabs(push));
    joint_add(is.world, &motor);
    def.body_a = is.fixed;
    def.body_b = is.disc;
    const load has = load_of(is.world, joint_add(is.world, &def));
    EXPECT_NEAR(has.torque, expected, 0.02 * fabs(push), "%s: torque", what);
    EXPECT_NEAR(hypot(has.fx, has.fy), 0, 1e-6, "%s: force", what);
    world_free(is.world);
}

static void test_angles_bear_a_torque(void **state) {
    (void)state;
    iso_joint_def def = load_def(ISO_JOINT_ANGLE, 0);
    def.limit_enabled = true;
    expect_torque("angle at its limit", &def, 3, -3);
    def.ratio = 2 * ONE;
    expect_torque("angle with a ratio", &def, -3, 3);
    def = load_def(ISO_JOINT_GEAR, 0);
    def.ratio = -3 * ONE;
    expect_torque("gear", &def, 5, -5);
    def = load_def(ISO_JOINT_RATCHET, 0);
    def.ratchet = ONE;
    expect_torque("ratchet", &def, -2, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_and_angles_bear_the_weight),
        cmocka_unit_test(test_lines_bear_the_weight),
        cmocka_unit_test(test_lengths_bear_the_weight),
        cmocka_unit_test(test_pulleys_bear_the_weight),
        cmocka_unit_test(test_angles_bear_a_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
