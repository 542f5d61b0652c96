/// A scene in Chipmunk. Debian's package has its assertions on.
#include <chipmunk/chipmunk.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench_peer.h"

static void add_shape(cpSpace *space, cpBody *body, const bench_shape *shape) {
    cpVect points[8];
    for (uint32_t i = 0; i < shape->point_count; i++) {
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
    for (uint32_t i = 0; i < body->shape_count; i++) {
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

/// k = I w^2, c = 2 I z w with the inertia that both have together; a static body's is infinite.
static void add_spring(cpSpace *space, cpBody *a, cpBody *b, const bench_joint *joint) {
    const double inertia = 1 / (1 / cpBodyGetMoment(a) + 1 / cpBodyGetMoment(b));
    const double rate = 2 * CP_PI * joint->spring_hertz;
    add_constraint(space,
                   cpDampedRotarySpringNew(a, b, joint->rest, inertia * rate * rate,
                                           2 * inertia * joint->spring_damping_ratio * rate),
                   joint);
}

/// Limits, springs and motors are joints of their own here; a motor's rate is A's less B's.
static void add_joint(cpSpace *space, cpBody *const *bodies, const bench_joint *joint) {
    cpBody *a = bodies[joint->body_a], *b = bodies[joint->body_b];
    const cpVect anchor_a = cpv(joint->ax, joint->ay), anchor_b = cpv(joint->bx, joint->by);
    if (joint->kind == BENCH_DISTANCE) {
        add_constraint(space, cpSlideJointNew(a, b, anchor_a, anchor_b, joint->lower, joint->upper), joint);
        return;
    }
    add_constraint(space, cpPivotJointNew2(a, b, anchor_a, anchor_b), joint);
    if (joint->has_limit) {
        add_constraint(space, cpRotaryLimitJointNew(a, b, joint->lower, joint->upper), joint);
    }
    if (joint->has_spring) {
        add_spring(space, a, b, joint);
    }
    if (joint->has_motor) {
        cpConstraint *motor = cpSimpleMotorNew(a, b, -joint->motor_speed);
        cpConstraintSetMaxForce(motor, joint->motor_max);
        add_constraint(space, motor, joint);
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

static void *create(const bench_scene *scene) {
    cpSpace *space = new_space();
    cpSpaceSetGravity(space, cpv(scene->gravity_x, scene->gravity_y));
    cpBody **bodies = calloc(scene->body_count + 1, sizeof *bodies);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        bodies[i] = add_body(space, scene, &scene->bodies[i]);
    }
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        add_joint(space, bodies, &scene->joints[i]);
    }
    free(bodies);
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

const bench_peer bench_chipmunk = {"Chipmunk 7", create, step, destroy};
