/// Our joints beside the ten kinds of Chipmunk 7. Its signs are the other way round for two of them: a rotary spring of
/// rest angle x settles at phi2 - phi1 = -x, and a motor of rate x turns with omega2 - omega1 = -x.
#include "peer_rig.h"

#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>

#define GRAVITY    (-10.0)
#define ITERATIONS 30

// ---- Chipmunk's side -----------------------------------------------------------------------------

typedef struct chip {
    cpSpace *space;
    uint32_t count;
    cpBody *bodies[PEER_BODIES];
    cpConstraint *joint;
} chip;

static void chip_step(void *world, const double *torques) {
    chip *is = world;
    for (uint32_t i = 0; i < is->count; ++i) {
        cpBodySetTorque(is->bodies[i], torques[i]);
    }
    cpSpaceStep(is->space, 1.0 / PEER_TICK_RATE / PEER_STEPS);
}

static peer_pose chip_pose(void *world, uint32_t body) {
    const cpBody *is = ((chip *)world)->bodies[body];
    const cpVect p = cpBodyGetPosition(is), v = cpBodyGetVelocity(is);
    return (peer_pose){p.x, p.y, cpBodyGetAngle(is), v.x, v.y, cpBodyGetAngularVelocity(is)};
}

static void chip_destroy(void *world) {
    chip *is = world;
    cpSpaceRemoveConstraint(is->space, is->joint);
    cpConstraintFree(is->joint);
    for (uint32_t i = 0; i < is->count; ++i) {
        cpSpaceRemoveBody(is->space, is->bodies[i]);
        cpBodyFree(is->bodies[i]);
    }
    cpSpaceFree(is->space);
}

/// The rig's bodies in a space of their own.
static chip chip_make(const peer_rig *rig) {
    chip is = {.space = cpSpaceNew(), .count = rig->count};
    cpSpaceSetGravity(is.space, cpv(0, rig->gravity));
    cpSpaceSetIterations(is.space, ITERATIONS);
    for (uint32_t i = 0; i < rig->count; ++i) {
        const peer_body *body = &rig->bodies[i];
        cpBody *made =
            cpSpaceAddBody(is.space, body->is_dynamic ? cpBodyNew(body->mass, body->inertia) : cpBodyNewStatic());
        cpBodySetPosition(made, cpv(body->x, body->y));
        cpBodySetAngle(made, body->angle);
        if (body->is_dynamic) {
            cpBodySetVelocity(made, cpv(body->vx, body->vy));
            cpBodySetAngularVelocity(made, body->w);
        }
        is.bodies[i] = made;
    }
    return is;
}

/// Joins the rig's first two bodies, runs both sides and frees them.
static void run(peer_rig *rig, chip *is, iso_joint_def ours, cpConstraint *theirs, const peer_task *task,
                peer_run *traces) {
    peer_rig_join(rig, ours, 0, 1);
    is->joint = cpSpaceAddConstraint(is->space, theirs);
    const peer_engine engine = {"Chipmunk", is, chip_step, chip_pose, chip_destroy};
    peer_run_task(rig, &engine, task, traces);
}

// ---- signals -------------------------------------------------------------------------------------

static double place_x(const peer_pose *poses) {
    return poses[1].x;
}

static double apart(const peer_pose *poses) {
    return hypot(poses[1].x - poses[0].x, poses[1].y - poses[0].y);
}

static double angle_between(const peer_pose *poses) {
    return poses[1].angle - poses[0].angle;
}

static double angle_of_first(const peer_pose *poses) {
    return poses[0].angle;
}

// ---- lengths -------------------------------------------------------------------------------------

static void test_rod_is_a_pin(void **state) {
    (void)state;
    static peer_run swing, spin;
    const peer_body pendulum[] = {peer_fixed(0, 0), peer_disc(1.2, -1.6, 3, 0.5)};
    peer_rig rig = peer_rig_make(GRAVITY, 2, pendulum);
    chip is = chip_make(&rig);
    iso_joint_def rod = peer_joint(ISO_JOINT_DISTANCE);
    rod.rest = peer_fix(2);
    run(&rig, &is, rod, cpPinJointNew(is.bodies[0], is.bodies[1], cpvzero, cpvzero), &(peer_task){10, place_x, NULL, 0},
        &swing);
    peer_compare("pin (distance)", "pendulum's period [s]", &swing, peer_period, 0.01, 2);
    peer_compare("pin (distance)", "far turning point [m]", &swing, peer_lowest, 0.02, 2);

    // Two discs that turn about each other, one held at its rim, which wobbles.
    peer_body pair[] = {peer_disc(0, 0, 2, 0.3), peer_disc(2, 0, 3, 0.2)};
    pair[0].vy = -3;
    pair[1].vy = 2;
    pair[1].w = 1.5;
    rig = peer_rig_make(0, 2, pair);
    is = chip_make(&rig);
    rod.anchor_b = peer_vec(-0.5, 0);
    rod.rest = peer_fix(1.5);
    run(&rig, &is, rod, cpPinJointNew(is.bodies[0], is.bodies[1], cpvzero, cpv(-0.5, 0)),
        &(peer_task){8, place_x, NULL, 0}, &spin);
    peer_compare("pin (distance)", "pair's period [s]", &spin, peer_period, 0.02, 1);
}

static void test_range_is_a_slide(void **state) {
    (void)state;
    static peer_run fall, thrown;
    iso_joint_def range = peer_joint(ISO_JOINT_DISTANCE);
    range.limit_enabled = true;
    range.lower = peer_fix(0.5);
    range.upper = peer_fix(2);
    const peer_body falls[] = {peer_fixed(0, 0), peer_disc(0, -1, 3, 0.5)};
    peer_rig rig = peer_rig_make(GRAVITY, 2, falls);
    chip is = chip_make(&rig);
    run(&rig, &is, range, cpSlideJointNew(is.bodies[0], is.bodies[1], cpvzero, cpvzero, 0.5, 2),
        &(peer_task){2, apart, NULL, 0}, &fall);
    peer_compare("slide (distance)", "rests at the maximum [m]", &fall, peer_rest, 0.01, 0.9);

    peer_body together[] = {peer_disc(0, 0, 2, 0.3), peer_disc(1.5, 0, 3, 0.2)};
    together[0].vx = 1;
    together[1].vx = -2;
    rig = peer_rig_make(0, 2, together);
    is = chip_make(&rig);
    run(&rig, &is, range, cpSlideJointNew(is.bodies[0], is.bodies[1], cpvzero, cpvzero, 0.5, 2),
        &(peer_task){1, apart, NULL, 0}, &thrown);
    peer_compare("slide (distance)", "rests at the minimum [m]", &thrown, peer_rest, 0.01, 0.9);
}

static void test_revolute_is_a_pivot(void **state) {
    (void)state;
    static peer_run swing;
    const peer_body pendulum[] = {peer_fixed(0, 0), peer_disc(0.75, 0, 2, 0.5)};
    peer_rig rig = peer_rig_make(GRAVITY, 2, pendulum);
    chip is = chip_make(&rig);
    iso_joint_def pivot = peer_joint(ISO_JOINT_REVOLUTE);
    pivot.anchor_b = peer_vec(-0.75, 0);
    run(&rig, &is, pivot, cpPivotJointNew2(is.bodies[0], is.bodies[1], cpvzero, cpv(-0.75, 0)),
        &(peer_task){10, place_x, NULL, 0}, &swing);
    peer_compare("pivot (revolute)", "pendulum's period [s]", &swing, peer_period, 0.015, 1.4);
    peer_compare("pivot (revolute)", "far turning point [m]", &swing, peer_lowest, 0.01, 1.4);
}

static void test_line_is_a_groove(void **state) {
    (void)state;
    static peer_run slope, rail;
    // Down a slope of 3:4 until its end.
    const peer_body slides[] = {peer_fixed(0, 0), peer_disc(0, 0, 2, 0.5)};
    peer_rig rig = peer_rig_make(GRAVITY, 2, slides);
    chip is = chip_make(&rig);
    iso_joint_def line = peer_joint(ISO_JOINT_LINE);
    line.axis = peer_vec(4, -3);
    line.limit_enabled = true;
    line.lower = peer_fix(-2.5);
    line.upper = peer_fix(2.5);
    run(&rig, &is, line, cpGrooveJointNew(is.bodies[0], is.bodies[1], cpv(-2, 1.5), cpv(2, -1.5), cpvzero),
        &(peer_task){0.75, place_x, NULL, 0}, &slope);
    peer_compare("groove (line)", "acceleration [m/s^2]", &slope, peer_acceleration, 0.05, 1);
    rig = peer_rig_make(GRAVITY, 2, slides);
    is = chip_make(&rig);
    run(&rig, &is, line, cpGrooveJointNew(is.bodies[0], is.bodies[1], cpv(-2, 1.5), cpv(2, -1.5), cpvzero),
        &(peer_task){3, place_x, NULL, 0}, &slope);
    peer_compare("groove (line)", "rests at the end [m]", &slope, peer_rest, 0.01, 1.9);

    // A free rail that turns throws its rider out and slows down.
    peer_body turns[] = {peer_disc(0, 0, 5, 4), peer_disc(0.5, 0, 1, 0.5)};
    turns[0].w = 3;
    turns[1].vy = 1.5;
    rig = peer_rig_make(0, 2, turns);
    is = chip_make(&rig);
    line.axis = peer_vec(1, 0);
    line.lower = peer_fix(-8);
    line.upper = peer_fix(8);
    run(&rig, &is, line, cpGrooveJointNew(is.bodies[0], is.bodies[1], cpv(-8, 0), cpv(8, 0), cpvzero),
        &(peer_task){1, apart, NULL, 0}, &rail);
    peer_compare("groove (line)", "way out on a rail [m]", &rail, peer_end, 0.02, 1);
}

static void test_distance_spring_is_a_damped_spring(void **state) {
    (void)state;
    static peer_run free_pair, hung;
    const double stiffness = 120, damping = 2;
    iso_joint_def spring = peer_joint(ISO_JOINT_DISTANCE);
    spring.spring_enabled = true;
    spring.rest = peer_fix(1.5);
    peer_body pair[] = {peer_disc(0, 0, 2, 0.3), peer_disc(2, 0, 3, 0.2)};
    peer_spring of = peer_spring_of(stiffness, damping, peer_reduced_mass(&pair[0], &pair[1]));
    spring.spring_hertz = peer_fix(of.hertz);
    spring.spring_damping_ratio = peer_fix(of.damping_ratio);
    peer_rig rig = peer_rig_make(0, 2, pair);
    chip is = chip_make(&rig);
    run(&rig, &is, spring, cpDampedSpringNew(is.bodies[0], is.bodies[1], cpvzero, cpvzero, 1.5, stiffness, damping),
        &(peer_task){4, apart, NULL, 0}, &free_pair);
    peer_compare("spring (distance)", "period [s]", &free_pair, peer_period, 0.005, 0.8);
    peer_compare("spring (distance)", "damping ratio", &free_pair, peer_damping, 0.01, 0.8);

    const peer_body hangs[] = {peer_fixed(0, 0), peer_disc(0, -1.5, 3, 0.2)};
    of = peer_spring_of(stiffness, 10 * damping, peer_reduced_mass(&hangs[0], &hangs[1]));
    spring.spring_hertz = peer_fix(of.hertz);
    spring.spring_damping_ratio = peer_fix(of.damping_ratio);
    rig = peer_rig_make(GRAVITY, 2, hangs);
    is = chip_make(&rig);
    run(&rig, &is, spring,
        cpDampedSpringNew(is.bodies[0], is.bodies[1], cpvzero, cpvzero, 1.5, stiffness, 10 * damping),
        &(peer_task){5, apart, NULL, 0}, &hung);
    peer_compare("spring (distance)", "rests below [m]", &hung, peer_rest, 0.002, 0.2);
}

// ---- angles --------------------------------------------------------------------------------------

static void make_pair(peer_body pair[2], double w_a, double w_b) {
    pair[0] = peer_disc(0, 0, 2, 0.5);
    pair[1] = peer_disc(3, 0, 3, 1.25);
    pair[0].w = w_a;
    pair[1].w = w_b;
}

static void test_angle_spring_is_a_rotary_spring(void **state) {
    (void)state;
    static peer_run swing, rests;
    peer_body pair[2];
    make_pair(pair, 1, -0.5);
    const double stiffness = 20, damping = 0.3;
    iso_joint_def spring = peer_joint(ISO_JOINT_ANGLE);
    spring.spring_enabled = true;
    spring.rest = peer_fix(0.5);
    peer_spring of = peer_spring_of(stiffness, damping, peer_reduced_inertia(&pair[0], &pair[1]));
    spring.spring_hertz = peer_fix(of.hertz);
    spring.spring_damping_ratio = peer_fix(of.damping_ratio);
    peer_rig rig = peer_rig_make(0, 2, pair);
    chip is = chip_make(&rig);
    run(&rig, &is, spring, cpDampedRotarySpringNew(is.bodies[0], is.bodies[1], -0.5, stiffness, damping),
        &(peer_task){4, angle_between, NULL, 0}, &swing);
    peer_compare("rotary spring (angle)", "period [s]", &swing, peer_period, 0.005, 0.8);
    peer_compare("rotary spring (angle)", "damping ratio", &swing, peer_damping, 0.01, 0.8);

    rig = peer_rig_make(0, 2, pair);
    is = chip_make(&rig);
    of = peer_spring_of(stiffness, 8 * damping, peer_reduced_inertia(&pair[0], &pair[1]));
    spring.spring_damping_ratio = peer_fix(of.damping_ratio);
    run(&rig, &is, spring, cpDampedRotarySpringNew(is.bodies[0], is.bodies[1], -0.5, stiffness, 8 * damping),
        &(peer_task){6, angle_between, NULL, 0}, &rests);
    peer_compare("rotary spring (angle)", "rests at [rad]", &rests, peer_rest, 0.002, 0.4);
}

static double push(double time) {
    (void)time;
    return 1.5;
}

static double pull(double time) {
    (void)time;
    return -1.5;
}

static void test_angle_limits_are_a_rotary_limit(void **state) {
    (void)state;
    static peer_run traces;
    iso_joint_def limits = peer_joint(ISO_JOINT_ANGLE);
    limits.limit_enabled = true;
    limits.lower = peer_fix(-0.75);
    limits.upper = peer_fix(1.25);
    for (int way = 1; way >= -1; way -= 2) {
        peer_body pair[2];
        make_pair(pair, way * -1.0, way * 1.0);
        double (*const torque)(double) = way > 0 ? push : pull;
        peer_rig rig = peer_rig_make(0, 2, pair);
        chip is = chip_make(&rig);
        run(&rig, &is, limits, cpRotaryLimitJointNew(is.bodies[0], is.bodies[1], -0.75, 1.25),
            &(peer_task){3, angle_between, torque, 1}, &traces);
        peer_compare("rotary limit (angle)", way > 0 ? "rests at the maximum [rad]" : "rests at the minimum [rad]",
                     &traces, peer_rest, 0.01, 0.7);
        // What turns one against its limit turns both.
        rig = peer_rig_make(0, 2, pair);
        is = chip_make(&rig);
        run(&rig, &is, limits, cpRotaryLimitJointNew(is.bodies[0], is.bodies[1], -0.75, 1.25),
            &(peer_task){3, angle_of_first, torque, 1}, &traces);
        peer_compare("rotary limit (angle)", "common speed [rad/s]", &traces, peer_speed, 0.005, 0.7);
    }
}

/// Winds one way for a second, then lets go the other way.
static double wind_and_pull(double time) {
    return time < 1 ? 3 : -3;
}

static double wind_back_and_pull(double time) {
    return -wind_and_pull(time);
}

static void test_ratchet_is_a_ratchet(void **state) {
    (void)state;
    static peer_run traces;
    for (int way = 1; way >= -1; way -= 2) {
        const peer_body wheel[] = {peer_fixed(0, 0), peer_disc(0, 0, 2, 1.25)};
        peer_rig rig = peer_rig_make(0, 2, wheel);
        chip is = chip_make(&rig);
        iso_joint_def ratchet = peer_joint(ISO_JOINT_RATCHET);
        ratchet.ratchet = peer_fix(way * 0.5);
        ratchet.rest = peer_fix(0.125);
        run(&rig, &is, ratchet, cpRatchetJointNew(is.bodies[0], is.bodies[1], 0.125, way * 0.5),
            &(peer_task){4, angle_between, way > 0 ? wind_and_pull : wind_back_and_pull, 1}, &traces);
        peer_compare("ratchet", way > 0 ? "latch forwards [rad]" : "latch backwards [rad]", &traces, peer_rest, 0.01,
                     1.5);
        peer_compare("ratchet", "farthest [rad]", &traces, way > 0 ? peer_highest : peer_lowest, 0.02, 1.5);
    }
}

static double wind(double time) {
    (void)time;
    return 2;
}

static double ratio_held(const peer_pose *poses) {
    return 2.5 * poses[1].angle - poses[0].angle;
}

static double angle_of_second(const peer_pose *poses) {
    return poses[1].angle;
}

static void test_gear_is_a_gear(void **state) {
    (void)state;
    static peer_run first, second, phase;
    peer_body pair[2];
    make_pair(pair, 0, 0);
    pair[0].angle = 0.25; // away from the phase of 0.5 by 0.75
    iso_joint_def gear = peer_joint(ISO_JOINT_GEAR);
    gear.ratio = peer_fix(2.5);
    gear.rest = peer_fix(0.5);
    double (*const signals[])(const peer_pose *) = {angle_of_first, angle_of_second, ratio_held};
    peer_run *const runs[] = {&first, &second, &phase};
    for (int i = 0; i < 3; ++i) {
        peer_rig rig = peer_rig_make(0, 2, pair);
        chip is = chip_make(&rig);
        cpConstraint *theirs = cpGearJointNew(is.bodies[0], is.bodies[1], 0.5, 2.5);
        cpConstraintSetErrorBias(theirs, pow(1e-4, 60)); // corrects about as fast as ours
        run(&rig, &is, gear, theirs, &(peer_task){3, signals[i], wind, 0}, runs[i]);
    }
    peer_compare("gear", "driving gear's speed", &first, peer_speed, 0.02, 3);
    peer_compare("gear", "driven gear's speed", &second, peer_speed, 0.02, 3);
    peer_compare("gear", "phase held [rad]", &phase, peer_rest, 0.005, 0.7);
}

static void test_angle_motor_is_a_simple_motor(void **state) {
    (void)state;
    static peer_run spins, starts;
    peer_body pair[2];
    make_pair(pair, 0, 0);
    iso_joint_def motor = peer_joint(ISO_JOINT_ANGLE);
    motor.motor_enabled = true;
    motor.motor_speed = peer_fix(4);
    motor.motor_max = peer_wide(1.5);
    const double seconds[] = {3, 0.75}; // it takes 0.95 s to come to speed
    peer_run *const runs[] = {&spins, &starts};
    for (int i = 0; i < 2; ++i) {
        peer_rig rig = peer_rig_make(0, 2, pair);
        chip is = chip_make(&rig);
        cpConstraint *theirs = cpSimpleMotorNew(is.bodies[0], is.bodies[1], -4);
        cpConstraintSetMaxForce(theirs, 1.5);
        run(&rig, &is, motor, theirs, &(peer_task){seconds[i], angle_between, NULL, 0}, runs[i]);
    }
    peer_compare("motor (angle)", "steady speed [rad/s]", &spins, peer_speed, 0.002, 3);
    peer_compare("motor (angle)", "where it came to [rad]", &spins, peer_end, 0.01, 3);
    peer_compare("motor (angle)", "acceleration [rad/s^2]", &starts, peer_acceleration, 0.02, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_is_a_pin),
        cmocka_unit_test(test_range_is_a_slide),
        cmocka_unit_test(test_revolute_is_a_pivot),
        cmocka_unit_test(test_line_is_a_groove),
        cmocka_unit_test(test_distance_spring_is_a_damped_spring),
        cmocka_unit_test(test_angle_spring_is_a_rotary_spring),
        cmocka_unit_test(test_angle_limits_are_a_rotary_limit),
        cmocka_unit_test(test_ratchet_is_a_ratchet),
        cmocka_unit_test(test_gear_is_a_gear),
        cmocka_unit_test(test_angle_motor_is_a_simple_motor),
    };
    peer_print_head("Chipmunk");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
