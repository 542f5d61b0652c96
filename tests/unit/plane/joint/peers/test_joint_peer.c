/// Joints beside those of Chipmunk, an independent solver in doubles, on the same little machines. Both take 960
/// steps a second, Chipmunk with 30 iterations, so that what is compared is the physics and not its step. Chipmunk's
/// signs are the other way round: a rotary spring of rest x settles at phi2 - phi1 = -x, a motor of rate x turns with
/// w2 - w1 = -x.
#include "unit/world/physics_util.h"

#include <chipmunk/chipmunk.h>

#define GRAVITY    10.0
#define PEER_STEPS 16 // for a tick of 1/60 s

typedef struct machine {
    iso_world *world;
    iso_body_id fixed, body;
    iso_joint_id joint;
    cpSpace *space;
    cpBody *peer;
    cpConstraint *constraints[2];
} machine;

/// A box 1 m x 0.5 m whose centre is at (x, y), in both worlds; nothing collides.
static machine machine_make(double x, double y) {
    iso_world_def def = world_def_small(-GRAVITY);
    def.substep_count = 16;
    def.joint_hertz = fix(240);
    machine is = {.world = world_make(&def)};
    iso_shape_def box = shape_box(0.5, 0.25);
    box.filter.mask = 0;
    is.fixed = body_add(is.world, ISO_BODY_STATIC, 0, 0, 0);
    is.body = body_add_shape(is.world, ISO_BODY_DYNAMIC, x, y, 0, &box);
    const pose at = body_pose(is.world, is.body);
    is.space = cpSpaceNew();
    cpSpaceSetGravity(is.space, cpv(0, -GRAVITY));
    cpSpaceSetIterations(is.space, 30);
    is.peer = cpSpaceAddBody(is.space, cpBodyNew(at.mass, at.inertia));
    cpBodySetPosition(is.peer, cpv(x, y));
    return is;
}

static void machine_join(machine *is, iso_joint_def def, cpConstraint *first, cpConstraint *second) {
    def.body_a = is->fixed;
    def.body_b = is->body;
    EXPECT_STATUS(iso_joint_create(is->world, &def, &is->joint), ISO_OK);
    is->constraints[0] = cpSpaceAddConstraint(is->space, first);
    is->constraints[1] = second ? cpSpaceAddConstraint(is->space, second) : NULL;
}

static void machine_free(machine *is) {
    for (int i = 0; i < 2; ++i) {
        if (is->constraints[i]) {
            cpSpaceRemoveConstraint(is->space, is->constraints[i]);
            cpConstraintFree(is->constraints[i]);
        }
    }
    cpSpaceRemoveBody(is->space, is->peer);
    cpBodyFree(is->peer);
    cpSpaceFree(is->space);
    world_free(is->world);
}

/// Steps both worlds and keeps them near each other. @return the largest distance [m] of the centres
static double machine_run(machine *is, const char *name, int ticks, double bound, double turn_bound) {
    double worst = 0, turn = 0;
    for (int t = 0; t < ticks; ++t) {
        world_steps(is->world, 1);
        for (int i = 0; i < PEER_STEPS; ++i) {
            cpSpaceStep(is->space, 1.0 / 60 / PEER_STEPS);
        }
        const pose at = body_pose(is->world, is->body);
        const cpVect place = cpBodyGetPosition(is->peer);
        worst = fmax(worst, hypot(at.x - place.x, at.y - place.y));
        turn = fmax(turn, fabs(at.angle - cpBodyGetAngle(is->peer)));
    }
    print_message("%s: %.4f m and %.4f rad from Chipmunk within %d ticks\n", name, worst, turn, ticks);
    EXPECT(worst < bound && turn < turn_bound, "%s: %g m and %g rad from Chipmunk", name, worst, turn);
    return worst;
}

static iso_joint_def def_of(iso_joint_kind kind, double bx, double by) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = (uint8_t)kind;
    def.anchor_b = (iso_vec2){fix(bx), fix(by)};
    return def;
}

static cpBody *ground_of(const machine *is) {
    return cpSpaceGetStaticBody(is->space);
}

static void test_revolute_swings_like_a_pivot(void **state) {
    (void)state;
    machine is = machine_make(0.5, 0);
    machine_join(&is, def_of(ISO_JOINT_REVOLUTE, -0.5, 0),
                 cpPivotJointNew2(ground_of(&is), is.peer, cpvzero, cpv(-0.5, 0)), NULL);
    machine_run(&is, "pivot", 120, 0.03, 0.06);
    machine_free(&is);
}

static void test_rod_swings_like_a_pin(void **state) {
    (void)state;
    machine is = machine_make(2, 0);
    iso_joint_def def = def_of(ISO_JOINT_DISTANCE, 0, 0);
    def.rest = fix(2);
    machine_join(&is, def, cpPinJointNew(ground_of(&is), is.peer, cpvzero, cpvzero), NULL);
    machine_run(&is, "pin", 180, 0.03, 1e-3);
    machine_free(&is);
}

static void test_rope_is_caught_like_a_slide(void **state) {
    (void)state;
    machine is = machine_make(1, -0.5);
    iso_joint_def def = def_of(ISO_JOINT_DISTANCE, 0, 0);
    def.limit_enabled = true;
    def.lower = fix(0.5);
    def.upper = fix(2);
    machine_join(&is, def, cpSlideJointNew(ground_of(&is), is.peer, cpvzero, cpvzero, 0.5, 2), NULL);
    machine_run(&is, "slide", 120, 0.08, 1e-3);
    machine_free(&is);
}

/// k = m w^2, c = 2 z m w.
static void test_spring_swings_like_a_damped_spring(void **state) {
    (void)state;
    machine is = machine_make(1.5, -1);
    const double w = 2 * PI * 1.5, z = 0.1, mass = body_pose(is.world, is.body).mass;
    iso_joint_def def = def_of(ISO_JOINT_DISTANCE, 0, 0);
    def.spring_enabled = true;
    def.spring_hertz = fix(1.5);
    def.spring_damping_ratio = fix(z);
    def.rest = fix(1);
    machine_join(&is, def,
                 cpDampedSpringNew(ground_of(&is), is.peer, cpvzero, cpvzero, 1, mass * w * w, 2 * z * mass * w), NULL);
    machine_run(&is, "damped spring", 180, 0.08, 1e-3);
    machine_free(&is);
}

/// About the centre, so that the row's inertia is the body's.
static void test_angular_spring_swings_like_a_rotary_spring(void **state) {
    (void)state;
    machine is = machine_make(0, 0);
    const double w = 2 * PI * 1.5, z = 0.1, inertia = body_pose(is.world, is.body).inertia;
    iso_joint_def def = def_of(ISO_JOINT_REVOLUTE, 0, 0);
    def.spring_enabled = true;
    def.spring_hertz = fix(1.5);
    def.spring_damping_ratio = fix(z);
    def.rest = fix(0.5);
    machine_join(&is, def, cpDampedRotarySpringNew(ground_of(&is), is.peer, -0.5, inertia * w * w, 2 * z * inertia * w),
                 cpPivotJointNew2(ground_of(&is), is.peer, cpvzero, cpvzero));
    machine_run(&is, "rotary spring", 180, 1e-3, 0.06);
    machine_free(&is);
}

static void test_limited_arm_falls_like_a_rotary_limit(void **state) {
    (void)state;
    machine is = machine_make(0.5, 0);
    iso_joint_def def = def_of(ISO_JOINT_REVOLUTE, -0.5, 0);
    def.limit_enabled = true;
    def.lower = fix(-0.8);
    def.upper = fix(0.3);
    machine_join(&is, def, cpPivotJointNew2(ground_of(&is), is.peer, cpvzero, cpv(-0.5, 0)),
                 cpRotaryLimitJointNew(ground_of(&is), is.peer, -0.8, 0.3));
    machine_run(&is, "rotary limit", 120, 0.04, 0.08);
    machine_free(&is);
}

static void test_motor_of_limited_torque_lifts_like_a_simple_motor(void **state) {
    (void)state;
    machine is = machine_make(0.2, 0);
    iso_joint_def def = def_of(ISO_JOINT_REVOLUTE, -0.2, 0);
    def.motor_enabled = true;
    def.motor_speed = fix(4);
    def.motor_max = wide(1.5);
    cpConstraint *motor = cpSimpleMotorNew(ground_of(&is), is.peer, -4);
    cpConstraintSetMaxForce(motor, 1.5);
    machine_join(&is, def, cpPivotJointNew2(ground_of(&is), is.peer, cpvzero, cpv(-0.2, 0)), motor);
    machine_run(&is, "simple motor", 120, 0.03, 0.15);
    machine_free(&is);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revolute_swings_like_a_pivot),
        cmocka_unit_test(test_rod_swings_like_a_pin),
        cmocka_unit_test(test_rope_is_caught_like_a_slide),
        cmocka_unit_test(test_spring_swings_like_a_damped_spring),
        cmocka_unit_test(test_angular_spring_swings_like_a_rotary_spring),
        cmocka_unit_test(test_limited_arm_falls_like_a_rotary_limit),
        cmocka_unit_test(test_motor_of_limited_torque_lifts_like_a_simple_motor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
