/// A scene in Chipmunk. Debian's package has its assertions on.
#include <chipmunk/chipmunk.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench_peer.h"

static void add_shape(cpSpace *space, cpBody *body, const bench_shape *shape) {
    cpVect points[8];
    for (uint32_t i = 0; i < shape->point_count; ++i) {
        points[i] = cpv(shape->x[i], shape->y[i]);
    }
    cpShape *made = NULL;
    switch (shape->kind) {
    case BENCH_CIRCLE:
        made = cpCircleShapeNew(body, shape->radius, points[0]);
        break;
    case BENCH_POLYGON:
        made = cpPolyShapeNew(body, (int)shape->point_count, points, cpTransformIdentity, shape->radius);
        break;
    case BENCH_CAPSULE:
        made = cpSegmentShapeNew(body, points[0], points[1], shape->radius);
        break;
    }
    cpShapeSetDensity(made, shape->density);
    cpShapeSetFriction(made, shape->friction);
    cpShapeSetElasticity(made, shape->restitution);
    cpShapeSetFilter(
        made, cpShapeFilterNew(shape->group < 0 ? (cpGroup)-shape->group : CP_NO_GROUP, shape->category, shape->mask));
    cpSpaceAddShape(space, made);
}

static cpBody *add_body(cpSpace *space, const bench_scene *scene, const bench_body *body) {
    cpBody *made = body->type == BENCH_STATIC      ? cpBodyNewStatic()
                   : body->type == BENCH_KINEMATIC ? cpBodyNewKinematic()
                                                   : cpBodyNew(0, 0);
    cpSpaceAddBody(space, made);
    cpBodySetPosition(made, cpv(body->x, body->y));
    cpBodySetAngle(made, body->angle);
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        add_shape(space, made, &scene->shapes[body->shape_first + i]);
    }
    if (body->type != BENCH_STATIC) {
        cpBodySetVelocity(made, cpv(body->vx, body->vy));
        cpBodySetAngularVelocity(made, body->w);
    }
    return made;
}

static void add_constraint(cpSpace *space, cpConstraint *constraint, const bench_joint *joint) {
    cpConstraintSetCollideBodies(constraint, joint->collide_connected);
    cpSpaceAddConstraint(space, constraint);
}

/// 1 / (1/a + 1/b) of masses or inertias; a static body's is infinite.
static double reduced(double a, double b) {
    return 1 / (1 / a + 1 / b);
}

/// k = I w^2, c = 2 I z w.
static void add_rotary_spring(cpSpace *space, cpBody *a, cpBody *b, const bench_joint *joint) {
    const double inertia = reduced(cpBodyGetMoment(a), cpBodyGetMoment(b)), rate = 2 * CP_PI * joint->spring_hertz;
    add_constraint(space,
                   cpDampedRotarySpringNew(a, b, -joint->rest, inertia * rate * rate,
                                           2 * inertia * joint->spring_damping_ratio * rate),
                   joint);
}

static void add_spring(cpSpace *space, cpBody *a, cpBody *b, cpVect anchor_a, double rest, const bench_joint *joint) {
    const double mass = reduced(cpBodyGetMass(a), cpBodyGetMass(b)), rate = 2 * CP_PI * joint->spring_hertz;
    add_constraint(space,
                   cpDampedSpringNew(a, b, anchor_a, cpv(joint->bx, joint->by), rest, mass * rate * rate,
                                     2 * mass * joint->spring_damping_ratio * rate),
                   joint);
}

static void add_motor(cpSpace *space, cpBody *a, cpBody *b, const bench_joint *joint) {
    cpConstraint *motor = cpSimpleMotorNew(a, b, -joint->motor_speed);
    cpConstraintSetMaxForce(motor, joint->motor_max);
    add_constraint(space, motor, joint);
}

/// What acts on the angle.
static void add_angle(cpSpace *space, cpBody *a, cpBody *b, const bench_joint *joint) {
    if (joint->has_limit) {
        add_constraint(space, cpRotaryLimitJointNew(a, b, joint->lower, joint->upper), joint);
    }
    if (joint->has_spring) {
        add_rotary_spring(space, a, b, joint);
    }
    if (joint->has_motor) {
        add_motor(space, a, b, joint);
    }
}

#define WAY_OUT 1000.0 // [m] where a groove without limits ends

/// A groove; a spring along it hangs from a point so far back that it never turns round.
static void add_line(cpSpace *space, cpBody *a, cpBody *b, const bench_joint *joint) {
    const cpVect from = cpv(joint->ax, joint->ay), axis = cpv(joint->axis_x, joint->axis_y);
    const double lower = joint->has_limit ? joint->lower : -WAY_OUT, upper = joint->has_limit ? joint->upper : WAY_OUT;
    add_constraint(space,
                   cpGrooveJointNew(a, b, cpvadd(from, cpvmult(axis, lower)), cpvadd(from, cpvmult(axis, upper)),
                                    cpv(joint->bx, joint->by)),
                   joint);
    if (joint->has_spring) {
        const double back = 1 + (joint->has_limit && lower < 0 ? -lower : 1);
        add_spring(space, a, b, cpvsub(from, cpvmult(axis, back)), joint->rest + back, joint);
    }
}

/// Takes the speed and nothing of the place.
static void add_brake(cpSpace *space, cpConstraint *constraint, double most, const bench_joint *joint) {
    cpConstraintSetMaxBias(constraint, 0);
    cpConstraintSetMaxForce(constraint, most > 0 ? most : INFINITY);
    add_constraint(space, constraint, joint);
}

static void add_distance(cpSpace *space, cpBody *a, cpBody *b, cpVect anchor_a, cpVect anchor_b,
                         const bench_joint *joint) {
    if (joint->has_limit) {
        add_constraint(space, cpSlideJointNew(a, b, anchor_a, anchor_b, joint->lower, joint->upper), joint);
    }
    if (joint->has_spring) {
        add_spring(space, a, b, anchor_a, joint->rest, joint);
    }
}

/// Limits, springs and motors are joints of their own here; a motor's rate is A's less B's. @return whether there is
/// such
static bool add_joint(cpSpace *space, cpBody *const *bodies, const bench_joint *joint) {
    cpBody *a = bodies[joint->body_a], *b = bodies[joint->body_b];
    const cpVect anchor_a = cpv(joint->ax, joint->ay), anchor_b = cpv(joint->bx, joint->by);
    switch ((iso_joint_kind)joint->kind) {
    case ISO_JOINT_DISTANCE:
        add_distance(space, a, b, anchor_a, anchor_b, joint);
        return true;
    case ISO_JOINT_REVOLUTE:
        add_constraint(space, cpPivotJointNew2(a, b, anchor_a, anchor_b), joint);
        add_angle(space, a, b, joint);
        return true;
    case ISO_JOINT_WELD:
        add_constraint(space, cpPivotJointNew2(a, b, anchor_a, anchor_b), joint);
        if (joint->has_spring) {
            add_rotary_spring(space, a, b, joint);
        } else {
            add_constraint(space, cpGearJointNew(a, b, joint->rest, 1), joint);
        }
        return true;
    case ISO_JOINT_PRISMATIC:
        add_line(space, a, b, joint);
        add_constraint(space, cpGearJointNew(a, b, joint->reference, 1), joint);
        return !joint->has_motor;
    case ISO_JOINT_LINE:
        add_line(space, a, b, joint);
        return !joint->has_motor;
    case ISO_JOINT_WHEEL:
        add_line(space, a, b, joint);
        if (joint->has_motor) {
            add_motor(space, a, b, joint);
        }
        return true;
    case ISO_JOINT_ANGLE:
        add_angle(space, a, b, joint);
        return joint->ratio == 1;
    case ISO_JOINT_GEAR:
        add_constraint(space, cpGearJointNew(a, b, joint->rest, joint->ratio), joint);
        return true;
    case ISO_JOINT_RATCHET:
        add_constraint(space, cpRatchetJointNew(a, b, joint->rest, joint->ratchet), joint);
        return true;
    case ISO_JOINT_FRICTION:
        add_brake(space, cpPivotJointNew2(a, b, anchor_a, anchor_b), joint->force_max, joint);
        add_brake(space, cpGearJointNew(a, b, 0, 1), joint->torque_max, joint);
        return true;
    default:
        return false;
    }
}

/// A build with assertions says so on standard output, which is ours.
static cpSpace *new_space(void) {
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    cpSpace *space = cpSpaceNew();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(nothing);
    close(kept);
    return space;
}

static void step(void *world, double seconds) {
    cpSpaceStep(world, seconds);
}

static void free_shape(cpSpace *space, void *shape, void *data) {
    (void)data;
    cpSpaceRemoveShape(space, shape);
    cpShapeFree(shape);
}

static void free_constraint(cpSpace *space, void *constraint, void *data) {
    (void)data;
    cpSpaceRemoveConstraint(space, constraint);
    cpConstraintFree(constraint);
}

static void free_body(cpSpace *space, void *body, void *data) {
    (void)data;
    cpSpaceRemoveBody(space, body);
    cpBodyFree(body);
}

// A space cannot be changed while it is iterated over.
static void free_shape_later(cpShape *shape, void *space) {
    cpSpaceAddPostStepCallback(space, free_shape, shape, NULL);
}

static void free_constraint_later(cpConstraint *constraint, void *space) {
    cpSpaceAddPostStepCallback(space, free_constraint, constraint, NULL);
}

static void free_body_later(cpBody *body, void *space) {
    cpSpaceAddPostStepCallback(space, free_body, body, NULL);
}

static void destroy(void *world) {
    cpSpace *space = world;
    cpSpaceEachConstraint(space, free_constraint_later, space);
    cpSpaceEachShape(space, free_shape_later, space);
    cpSpaceEachBody(space, free_body_later, space);
    cpSpaceFree(space);
}

static void *create(const bench_scene *scene) {
    cpSpace *space = new_space();
    cpSpaceSetGravity(space, cpv(scene->gravity_x, scene->gravity_y));
    cpBody **bodies = calloc(scene->body_count + 1, sizeof *bodies);
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        bodies[i] = add_body(space, scene, &scene->bodies[i]);
    }
    bool has_all = true;
    for (uint32_t i = 0; i < scene->joint_count && has_all; ++i) {
        has_all = add_joint(space, bodies, &scene->joints[i]);
    }
    free(bodies);
    if (!has_all) {
        destroy(space);
    }
    return has_all ? space : NULL;
}

const bench_peer bench_chipmunk = {"Chipmunk 7", create, step, destroy};
