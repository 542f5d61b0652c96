/// The point row of the revolute joint: C = xB + rB - xA - rA, lambda += -K^-1 (ms Cdot + ms rate C) - is lambda.
#include "reference_world.h"

#include <math.h>

static reference_vec turned_anchor(const reference_body *body, reference_vec local) {
    const double angle = body->angle + body->turned;
    return reference_rotate(cos(angle), sin(angle), local);
}

void reference_joint_update(reference_world *world, reference_joint *joint) {
    const reference_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    joint->arm_a = turned_anchor(a, joint->local_a);
    joint->arm_b = turned_anchor(b, joint->local_b);
    const reference_vec apart = reference_sub(b->position, a->position);
    const reference_vec drifted = reference_sub(b->moved, a->moved);
    joint->error = reference_add(reference_add(apart, drifted), reference_sub(joint->arm_b, joint->arm_a));
}

static void joint_apply(reference_world *world, const reference_joint *joint, reference_vec impulse) {
    reference_body_push(&world->bodies[joint->body_a], joint->arm_a, reference_scale(-1, impulse));
    reference_body_push(&world->bodies[joint->body_b], joint->arm_b, impulse);
}

void reference_joint_warm_start(reference_world *world, const reference_joint *joint) {
    joint_apply(world, joint, joint->impulse);
}

/// K^-1 b with K = (1/mA + 1/mB) 1 + the turning parts of both bodies.
static reference_vec joint_solve_mass(const reference_joint *joint, const reference_body *a, const reference_body *b,
                                      reference_vec rhs) {
    const reference_vec ra = joint->arm_a, rb = joint->arm_b;
    const double ia = a->inverse_inertia, ib = b->inverse_inertia, sum = a->inverse_mass + b->inverse_mass;
    const double k11 = sum + ia * ra.y * ra.y + ib * rb.y * rb.y;
    const double k12 = -ia * ra.x * ra.y - ib * rb.x * rb.y;
    const double k22 = sum + ia * ra.x * ra.x + ib * rb.x * rb.x;
    const double determinant = k11 * k22 - k12 * k12;
    return (reference_vec){(k22 * rhs.x - k12 * rhs.y) / determinant, (k11 * rhs.y - k12 * rhs.x) / determinant};
}

void reference_joint_solve(reference_world *world, reference_joint *joint, bool is_relax) {
    const reference_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    reference_vec rhs = reference_relative_velocity(a, joint->arm_a, b, joint->arm_b);
    double impulse_scale = 0;
    if (!is_relax) {
        const reference_softness *soft = &world->settings.joint_soft;
        rhs = reference_add(reference_scale(soft->mass_scale, rhs), reference_scale(soft->rate, joint->error));
        impulse_scale = soft->impulse_scale;
    }
    const reference_vec solved = joint_solve_mass(joint, a, b, rhs);
    const reference_vec change =
        reference_scale(-1, reference_add(solved, reference_scale(impulse_scale, joint->impulse)));
    joint->impulse = reference_add(joint->impulse, change);
    joint_apply(world, joint, change);
}
