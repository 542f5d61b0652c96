/// The scalar rows of joints, in ordinary units: x is a length or an angle, lambda += -(ms (c + rate C) m + is lambda)
/// with m = 1 / (J M^-1 J^T).
#include "reference_world.h"

#include <math.h>

/// The velocity of x, and what an impulse does to it.
static double axis_speed(const reference_world *world, const reference_joint *joint) {
    const reference_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    if (!joint->is_length) {
        return b->omega - a->omega;
    }
    return reference_dot(joint->direction, reference_relative_velocity(a, joint->arm_a, b, joint->arm_b));
}

static void axis_push(reference_world *world, const reference_joint *joint, double impulse) {
    reference_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    if (!joint->is_length) {
        a->omega -= a->inverse_inertia * impulse;
        b->omega += b->inverse_inertia * impulse;
        return;
    }
    reference_body_push(a, joint->arm_a, reference_scale(-impulse, joint->direction));
    reference_body_push(b, joint->arm_b, reference_scale(impulse, joint->direction));
}

void reference_axis_update(reference_world *world, reference_joint *joint) {
    const reference_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    if (!joint->is_length) {
        joint->position = (b->angle + b->turned) - (a->angle + a->turned);
        joint->mass = 1 / (a->inverse_inertia + b->inverse_inertia);
        return;
    }
    joint->position = hypot(joint->error.x, joint->error.y);
    joint->direction = reference_scale(1 / joint->position, joint->error);
    const double ea = reference_cross(joint->arm_a, joint->direction),
                 eb = reference_cross(joint->arm_b, joint->direction);
    joint->mass = 1 / (a->inverse_mass + b->inverse_mass + a->inverse_inertia * ea * ea + b->inverse_inertia * eb * eb);
}

void reference_axis_warm_start(reference_world *world, const reference_joint *joint) {
    axis_push(world, joint, joint->hold + joint->motor + joint->lower_impulse - joint->upper_impulse);
}

static double axis_limit(const reference_world *world, const reference_joint *joint, double room, double speed,
                         double impulse, bool is_relax) {
    const reference_softness *soft = &world->settings.joint_soft;
    if (room > 0) {
        return fmax(0, impulse - joint->mass * (speed + room / world->settings.h));
    }
    if (is_relax) {
        return fmax(0, impulse - joint->mass * speed);
    }
    return fmax(0,
                impulse - joint->mass * (soft->mass_scale * speed + soft->rate * room) - soft->impulse_scale * impulse);
}

void reference_axis_solve(reference_world *world, reference_joint *joint, bool is_relax) {
    const iso_joint_def *def = &joint->def;
    const bool is_rod = joint->is_length && !def->spring_enabled && !def->limit_enabled;
    double before, speed = axis_speed(world, joint);
    if (is_rod || def->spring_enabled) {
        const reference_softness none = {0, 1, 0};
        const reference_softness *soft = def->spring_enabled ? &joint->spring
                                         : is_relax          ? &none
                                                             : &world->settings.joint_soft;
        const double error = joint->position - def->rest / 65536.0;
        before = joint->hold;
        joint->hold -= joint->mass * (soft->mass_scale * speed + soft->rate * error) + soft->impulse_scale * before;
        axis_push(world, joint, joint->hold - before);
    }
    if (def->motor_enabled) {
        const double most = (double)def->motor_max / 4294967296.0 * world->settings.h;
        speed = axis_speed(world, joint);
        before = joint->motor;
        joint->motor = fmin(fmax(before - joint->mass * (speed - def->motor_speed / 65536.0), -most), most);
        axis_push(world, joint, joint->motor - before);
    }
    if (def->limit_enabled) {
        before = joint->lower_impulse;
        joint->lower_impulse = axis_limit(world, joint, joint->position - def->lower / 65536.0,
                                          axis_speed(world, joint), before, is_relax);
        axis_push(world, joint, joint->lower_impulse - before);
        before = joint->upper_impulse;
        joint->upper_impulse = axis_limit(world, joint, def->upper / 65536.0 - joint->position,
                                          -axis_speed(world, joint), before, is_relax);
        axis_push(world, joint, before - joint->upper_impulse);
    }
}
