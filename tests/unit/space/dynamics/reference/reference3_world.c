/// Creation and the walk through one step.
#include "reference3_world.h"

#undef NDEBUG // the twin's limits hold in release builds, too
#include <assert.h>

// ---- creation ------------------------------------------------------------------------------------

/// With w = 2 pi hertz: rate = w / (2 zeta + h w), a2 = h w (2 zeta + h w), mass scale = a2 / (1 + a2).
static reference3_softness softness_of(double hertz, double damping_ratio, double h) {
    const double omega = 2 * PI * hertz, a1 = 2 * damping_ratio + h * omega, a2 = h * omega * a1;
    return (reference3_softness){
        .rate = omega / a1 * a2 / (1 + a2), .mass_scale = a2 / (1 + a2), .impulse_scale = 1 / (1 + a2)};
}

void reference3_world_init(reference3_world *world, const iso_world_def *def) {
    const double rate = (double)def->tick_rate_hz * def->substep_count, most = rate / 4, h = 1 / rate;
    const double ratio = from_fix(def->contact_damping_ratio);
    assert(def->iteration_count == 1);
    memset(world, 0, sizeof *world);
    world->substep_count = def->substep_count;
    world->h = h;
    world->gravity = (vector){{from_fix(def->gravity.x), from_fix(def->gravity.y), from_fix(def->gravity_z)}};
    world->contact_soft = softness_of(fmin(from_fix(def->contact_hertz), most), ratio, h);
    world->static_soft = softness_of(2 * fmin(from_fix(def->contact_hertz), most), ratio, h);
    world->joint_soft = softness_of(fmin(from_fix(def->joint_hertz), most), from_fix(def->joint_damping_ratio), h);
    world->push = from_fix(def->contact_push_speed);
    world->keep_distance = from_fix(def->contact_keep_distance);
    world->keep_angle = from_fix(def->contact_keep_angle);
    world->slop = from_fix(def->slop);
    world->speculative = from_fix(def->speculative_distance);
}

void reference3_body_set_mass(reference3_world *world, uint32_t index, double mass, const double moments[3]) {
    reference3_body *body = &world->bodies[index];
    body->inverse_mass = 1 / mass;
    for (int i = 0; i < 3; ++i) {
        body->moments[i] = moments[i];
        body->order[i] = i;
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            const int a = body->order[j], b = body->order[j + 1];
            if (moments[a] > moments[b]) {
                body->order[j] = b;
                body->order[j + 1] = a;
            }
        }
    }
}

uint32_t reference3_body_create(reference3_world *world, bool is_dynamic, vector position, const double q[4],
                                const double half[3], double density) {
    assert(world->body_count < REFERENCE3_BODIES_MAX);
    const uint32_t index = world->body_count++;
    reference3_body *body = &world->bodies[index];
    *body = (reference3_body){.is_dynamic = is_dynamic, .touches = half != NULL, .position = position, .friction = 0.6};
    memcpy(body->q, q, sizeof body->q);
    if (half != NULL) {
        const double mass = 8 * half[0] * half[1] * half[2] * density;
        double moments[3];
        memcpy(body->half, half, sizeof body->half);
        for (int i = 0; i < 3; ++i) {
            moments[i] = mass / 3 * (half[(i + 1) % 3] * half[(i + 1) % 3] + half[(i + 2) % 3] * half[(i + 2) % 3]);
        }
        if (is_dynamic) {
            reference3_body_set_mass(world, index, mass, moments);
        }
        body->size = exp2(ceil(log2(sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]))));
    }
    return index;
}

void reference3_body_set_velocity(reference3_world *world, uint32_t index, vector velocity, vector spin) {
    reference3_body *body = &world->bodies[index];
    const matrix R = matrix_of_doubles(body->q), I = reference3_tensor(&R, body->moments);
    body->velocity = velocity;
    body->momentum = turned(&I, spin);
}

// ---- the step ------------------------------------------------------------------------------------

/// Rotation, tensor and spin where the body is now.
static void body_arrive(reference3_body *body) {
    body->rotation = matrix_of_doubles(body->q);
    memset(&body->give, 0, sizeof body->give);
    if (body->is_dynamic) {
        const double give[3] = {1 / body->moments[0], 1 / body->moments[1], 1 / body->moments[2]};
        body->give = reference3_tensor(&body->rotation, give);
        body->spin = body->before = turned(&body->give, body->momentum);
    }
}

/// The momentum takes what the rows have changed of the spin.
static void body_take_spin(reference3_body *body) {
    const matrix I = reference3_tensor(&body->rotation, body->moments);
    body->momentum = sum(body->momentum, 1, turned(&I, sum(body->spin, -1, body->before)));
    body->before = body->spin;
}

static void bodies_begin(reference3_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference3_body *body = &world->bodies[i];
        body->moved = body->turned = (vector){{0, 0, 0}};
        body->colours = 0;
        body_arrive(body);
        body->contact_give = body->give;
    }
}

static void bodies_accelerate(reference3_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        if (world->bodies[i].is_dynamic) {
            world->bodies[i].velocity = sum(world->bodies[i].velocity, world->h, world->gravity);
        }
    }
}

static void bodies_advance(reference3_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference3_body *body = &world->bodies[i];
        if (body->is_dynamic) {
            body_take_spin(body);
            body->moved = sum(body->moved, world->h, body->velocity);
            body->turned = sum(body->turned, world->h, body->spin);
            reference3_body_turn(body, world->h);
            body_arrive(body);
        }
    }
}

static void bodies_end(reference3_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference3_body *body = &world->bodies[i];
        if (body->is_dynamic) {
            body_take_spin(body);
            body->position = sum(body->position, 1, body->moved);
            body->moved = (vector){{0, 0, 0}};
        }
    }
}

static void solve(reference3_world *world, bool is_relax) {
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        reference3_joint_solve(world, &world->joints[i], is_relax);
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference3_contact_solve(world, &world->contacts[world->order[i]], is_relax);
    }
}

static void joints_arrive(reference3_world *world) {
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        reference3_joint_arrive(world, &world->joints[i]);
    }
}

void reference3_world_step(reference3_world *world) {
    bodies_begin(world);
    reference3_collide(world);
    joints_arrive(world);
    for (uint32_t substep = 0; substep < world->substep_count; ++substep) {
        bodies_accelerate(world);
        for (uint32_t i = 0; i < world->joint_count; ++i) {
            reference3_joint_warm_start(world, &world->joints[i]);
        }
        for (uint32_t i = 0; i < world->contact_count; ++i) {
            reference3_contact_warm_start(world, &world->contacts[world->order[i]]);
        }
        solve(world, false);
        bodies_advance(world);
        joints_arrive(world);
        solve(world, true);
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference3_contact_store(&world->contacts[i]);
    }
    bodies_end(world);
}
