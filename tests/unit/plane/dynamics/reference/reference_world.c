/// Creation and the walk through one step.
#include "reference_world.h"

#undef NDEBUG // the twin's limits hold in release builds, too
#include <assert.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double from_fix16(fix16_t value) {
    return value / 65536.0;
}

static double from_wide(iso_wide value) {
    return (double)value / 4294967296.0;
}

static reference_vec from_vec2(iso_vec2 value) {
    return (reference_vec){from_fix16(value.x), from_fix16(value.y)};
}

// ---- creation ------------------------------------------------------------------------------------

/// With w = 2 pi hertz: rate = w / (2 zeta + h w), a2 = h w (2 zeta + h w), mass scale = a2 / (1 + a2).
static reference_softness softness_make(double hertz, double damping_ratio, double h) {
    const double omega = 2 * PI * hertz;
    const double a1 = 2 * damping_ratio + h * omega;
    const double a2 = h * omega * a1;
    const double mass_scale = a2 / (1 + a2);
    return (reference_softness){
        .rate = mass_scale * omega / a1, .mass_scale = mass_scale, .impulse_scale = 1 / (1 + a2)};
}

/// A spring: with q = (h w)^2 and beta = min(1, max(2 zeta^2, 32 q - 1)) the denominator is 1 + 2 zeta h w + beta q.
static reference_softness spring_make(double hertz, double damping_ratio, double h) {
    const double omega = 2 * PI * hertz, q = h * omega * h * omega;
    const double beta = fmin(1, fmax(2 * damping_ratio * damping_ratio, 32 * q - 1));
    const double loss = 2 * damping_ratio * h * omega + beta * q;
    return (reference_softness){
        .rate = h * omega * omega / (1 + loss), .mass_scale = loss / (1 + loss), .impulse_scale = 1 / (1 + loss)};
}

void reference_world_init(reference_world *world, const iso_world_def *def) {
    const double rate = (double)def->tick_rate_hz * def->substep_count;
    const double contact_hertz = fmin(from_fix16(def->contact_hertz), rate / 4);
    const double contact_ratio = from_fix16(def->contact_damping_ratio);
    const double joint_hertz = fmin(from_fix16(def->joint_hertz), rate / 4);
    memset(world, 0, sizeof *world);
    world->settings = (reference_settings){
        .substep_count = def->substep_count,
        .h = 1 / rate,
        .gravity = from_vec2(def->gravity),
        .contact_soft = softness_make(contact_hertz, contact_ratio, 1 / rate),
        .static_soft = softness_make(2 * contact_hertz, contact_ratio, 1 / rate),
        .joint_soft = softness_make(joint_hertz, from_fix16(def->joint_damping_ratio), 1 / rate),
        .push = from_fix16(def->contact_push_speed),
        .restitution_threshold = from_fix16(def->restitution_threshold),
        .slop = from_fix16(def->slop),
        .speculative = from_fix16(def->speculative_distance),
        .keep_distance = from_fix16(def->contact_keep_distance),
        .keep_angle = from_fix16(def->contact_keep_angle),
    };
}

static void body_set_shape(reference_body *body, const iso_shape_def *def) {
    reference_shape *shape = &body->shape;
    shape->is_circle = def->kind == ISO_SHAPE_CIRCLE;
    shape->count = def->point_count;
    shape->radius = from_fix16(def->radius);
    shape->friction = from_fix16(def->friction);
    shape->restitution = from_fix16(def->restitution);
    shape->filter = def->filter;
    for (uint32_t i = 0; i < shape->count; ++i) {
        shape->vertices[i] = from_vec2(def->points[i]);
    }
    for (uint32_t i = 0; i < shape->count && !shape->is_circle; ++i) {
        const reference_vec edge = reference_sub(shape->vertices[(i + 1) % shape->count], shape->vertices[i]);
        const double length = hypot(edge.x, edge.y);
        shape->normals[i] = (reference_vec){edge.y / length, -edge.x / length};
    }
}

static void body_set_mass(reference_body *body, double density) {
    const reference_shape *shape = &body->shape;
    double area = 0, second = 0;
    reference_vec first = {0, 0};
    if (shape->is_circle) {
        area = PI * shape->radius * shape->radius;
        second = area * shape->radius * shape->radius / 2;
        first = reference_scale(area, shape->vertices[0]);
    } else if (shape->count == 2) {
        // A rectangle and two half discs, which are 4 r / (3 pi) from their straight sides.
        const reference_vec along = reference_sub(shape->vertices[1], shape->vertices[0]);
        const double length = hypot(along.x, along.y), r = shape->radius, disc = PI * r * r, out = 4 * r / (3 * PI);
        area = 2 * r * length + disc;
        first = reference_scale(area / 2, reference_add(shape->vertices[0], shape->vertices[1]));
        second = 2 * r * length * (length * length + 4 * r * r) / 12 +
                 disc * (r * r / 2 - out * out + (length / 2 + out) * (length / 2 + out));
    }
    for (uint32_t i = 0; i < shape->count && shape->count > 2; ++i) {
        const reference_vec p = shape->vertices[i], q = shape->vertices[(i + 1) % shape->count];
        const double triangle = reference_cross(p, q) / 2;
        area += triangle;
        first = reference_add(first, reference_scale(triangle / 3, reference_add(p, q)));
        second += triangle * (reference_dot(p, p) + reference_dot(p, q) + reference_dot(q, q)) / 6;
    }
    assert(hypot(first.x, first.y) < 1e-12 * area && "the centre of mass must be the origin");
    assert(shape->count < 3 || shape->radius == 0);
    body->inverse_mass = 1 / (density * area);
    body->inverse_inertia = 1 / (density * second);
}

uint32_t reference_body_create(reference_world *world, const iso_body_def *def, const iso_shape_def *shape) {
    assert(world->body_count < REFERENCE_BODIES_MAX);
    assert(def->type == ISO_BODY_STATIC || def->type == ISO_BODY_DYNAMIC);
    reference_body *body = &world->bodies[world->body_count];
    *body = (reference_body){.is_dynamic = def->type == ISO_BODY_DYNAMIC,
                             .position = {from_wide(def->position.x), from_wide(def->position.y)},
                             .angle = from_wide(def->angle)};
    body_set_shape(body, shape);
    if (body->is_dynamic) {
        body->velocity = (reference_vec){from_wide(def->velocity.x), from_wide(def->velocity.y)};
        body->omega = from_wide(def->angular_velocity);
        body_set_mass(body, from_fix16(shape->density));
        body->linear_damping = from_fix16(def->params.linear_damping);
        body->angular_damping = from_fix16(def->params.angular_damping);
        body->gravity_scale = from_fix16(def->params.gravity_scale);
        body->lock_x = def->params.lock_x;
        body->lock_y = def->params.lock_y;
        body->inverse_inertia = def->params.fixed_rotation ? 0 : body->inverse_inertia;
        body->omega = def->params.fixed_rotation ? 0 : body->omega;
    }
    return world->body_count++;
}

void reference_joint_create(reference_world *world, uint32_t body_a, uint32_t body_b, const iso_joint_def *def) {
    assert(world->joint_count < REFERENCE_JOINTS_MAX);
    assert(def->kind != ISO_JOINT_TARGET && def->hertz == 0 && def->force_max == 0 && def->torque_max == 0);
    world->joints[world->joint_count++] = (reference_joint){.body_a = body_a,
                                                            .body_b = body_b,
                                                            .collide_connected = def->collide_connected,
                                                            .local_a = from_vec2(def->anchor_a),
                                                            .local_b = from_vec2(def->anchor_b),
                                                            .def = *def,
                                                            .is_length = def->kind == ISO_JOINT_DISTANCE};
    world->joints[world->joint_count - 1].spring =
        spring_make(from_fix16(def->spring_hertz), from_fix16(def->spring_damping_ratio), world->settings.h);
}

// ---- the step ------------------------------------------------------------------------------------

static void lock(reference_body *body) {
    body->velocity.x = body->lock_x ? 0 : body->velocity.x;
    body->velocity.y = body->lock_y ? 0 : body->velocity.y;
}

static void integrate_velocities(reference_world *world) {
    const reference_vec change = reference_scale(world->settings.h, world->settings.gravity);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference_body *body = &world->bodies[i];
        if (body->is_dynamic) {
            body->velocity = reference_add(body->velocity, reference_scale(body->gravity_scale, change));
            body->velocity = reference_scale(1 / (1 + world->settings.h * body->linear_damping), body->velocity);
            body->omega /= 1 + world->settings.h * body->angular_damping;
            lock(body);
        }
    }
}

static void integrate_positions(reference_world *world) {
    const double h = world->settings.h;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference_body *body = &world->bodies[i];
        lock(body);
        body->moved = reference_add(body->moved, reference_scale(h, body->velocity));
        body->turned += h * body->omega;
    }
}

typedef enum reference_pass { PASS_WARM_START, PASS_SOLVE, PASS_RELAX, PASS_RESTITUTE } reference_pass;

static void run_joint(reference_world *world, reference_joint *joint, reference_pass pass) {
    if (pass == PASS_WARM_START) {
        reference_joint_update(world, joint);
        reference_axis_update(world, joint);
        reference_axis_warm_start(world, joint);
        reference_joint_warm_start(world, joint);
    } else if (pass != PASS_RESTITUTE) {
        if (pass == PASS_RELAX) {
            const double position = joint->position; // the rows turn, x stays; a rigid point knows no error here
            reference_joint_update(world, joint);
            reference_axis_update(world, joint);
            joint->position = position;
        }
        reference_axis_solve(world, joint, pass == PASS_RELAX);
        if (!joint->is_length) {
            reference_joint_solve(world, joint, pass == PASS_RELAX);
        }
    }
}

static void run_pass(reference_world *world, reference_pass pass) {
    for (uint32_t i = 0; i < world->order_count; ++i) {
        const uint32_t index = world->order[i];
        if (index < REFERENCE_JOINTS_MAX) {
            run_joint(world, &world->joints[index], pass);
            continue;
        }
        reference_contact *contact = &world->contacts[index - REFERENCE_JOINTS_MAX];
        if (pass == PASS_WARM_START) {
            reference_contact_warm_start(world, contact);
        } else if (pass == PASS_RESTITUTE) {
            reference_contact_restitute(world, contact);
        } else {
            reference_contact_solve(world, contact, pass == PASS_RELAX);
        }
    }
}

void reference_world_step(reference_world *world) {
    reference_collide(world);
    reference_build_order(world);
    reference_impacts(world);
    for (uint32_t substep = 0; substep < world->settings.substep_count; ++substep) {
        integrate_velocities(world);
        run_pass(world, PASS_WARM_START);
        run_pass(world, PASS_SOLVE);
        integrate_positions(world);
        run_pass(world, PASS_RELAX);
    }
    run_pass(world, PASS_RESTITUTE);
    reference_pose_store(world);
    reference_contacts_end(world);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference_body *body = &world->bodies[i];
        lock(body);
        body->position = reference_add(body->position, body->moved);
        body->angle += body->turned;
        body->moved = (reference_vec){0, 0};
        body->turned = 0;
    }
}
