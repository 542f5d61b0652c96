/// See step.h.
#include "dynamics/step.h"

#include "base/assert.h"
#include "dynamics/broad_phase.h"
#include "dynamics/collide.h"
#include "dynamics/contact_prepare.h"
#include "dynamics/contact_rules.h"
#include "dynamics/contact_store.h"
#include "dynamics/continuous.h"
#include "dynamics/graph.h"
#include "dynamics/impact.h"
#include "dynamics/island.h"
#include "dynamics/kernels.h"
#include "dynamics/pass.h"
#include "dynamics/seam.h"
#include "dynamics/sleep.h"
#include "dynamics/validate.h"
#include "joint/joint_step.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/parallel.h"
#include "solver/params.h"
#include "solver/scratch.h"
#include "world/body.h"
#include "world/body_mass.h"
#include "world/events.h"
#include "world/spin.h"

#define SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define BODY_GRAIN   256u // bodies of about 1 us to integrate: what it takes to hand them to another thread
#define POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)

_Static_assert(ISO__SHARD_RECORDS == 64, "a word of bits of bodies is a shard");

/// The velocity that this tick's forces add in every substep. Clears the forces.
static void step_take_forces(iso_world *world, uint32_t body) {
    iso__step_scratch *scratch = world->scratch;
    int32_t *push = scratch->pushes[body];
    const uint64_t bit = UINT64_C(1) << (body % 64);
    push[0] = push[1] = push[2] = 0;
    if ((__atomic_load_n(&world->forced[body / 64], __ATOMIC_RELAXED) & bit) == 0) {
        return;
    }
    const iso__body_derived *derived = &world->body_derived[body];
    const iso__body_force *force = &world->forces[body];
    push[0] =
        iso__body_velocity_change(derived, iso__mul_shift(force->force[0], scratch->params.h, ISO__STEP_FRACTION));
    push[1] =
        iso__body_velocity_change(derived, iso__mul_shift(force->force[1], scratch->params.h, ISO__STEP_FRACTION));
    push[2] = iso__body_spin_change(derived, iso__mul_shift(force->torque, scratch->params.h, ISO__STEP_FRACTION));
    world->forces[body] = (iso__body_force){0};
    __atomic_fetch_and(&world->forced[body / 64], ~bit,
                       __ATOMIC_RELAXED); // another thread may clear others of the word
}

static int32_t step_motion_kind(const iso__body *body) {
    const bool is_special = (body->flags & (ISO__BODY_FIXED_ROTATION | ISO__BODY_LOCK_X | ISO__BODY_LOCK_Y)) != 0 ||
                            body->linear_damping != 0 || body->angular_damping != 0 ||
                            body->gravity_scale != ISO_FIX16_ONE;
    return is_special ? ISO__MOTION_SPECIAL : ISO__MOTION_PLAIN;
}

/// Only moving bodies are gathered: the motions of all others are zero (iso__step_sleep ensures that).
static void step_gather_body(iso_world *world, uint32_t i) {
    const iso__body *body = &world->bodies[i];
    iso__motion *motion = &world->scratch->motions[i];
    *motion = (iso__motion){
        .velocity = {body->velocity[0], body->velocity[1]},
        .spin = body->spin,
        .spin_max = iso__spin_max(&world->def, world->body_derived[i].radius_exponent),
    };
    if (body->type == ISO_BODY_DYNAMIC) {
        motion->kind = step_motion_kind(body);
        step_take_forces(world, i);
    } else if (iso__bit_is_set(world->move_bits, i)) {
        int32_t velocity[3];
        iso__body_move_velocity(world, i, &world->moves[i], velocity);
        motion->velocity[0] = velocity[0];
        motion->velocity[1] = velocity[1];
        motion->spin = velocity[2];
    }
}

/// Of the moving bodies from begin on.
static void step_gather_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    for (uint32_t m = begin; m < end; ++m) {
        step_gather_body(world, world->scratch->moving[m]);
    }
}

static void step_gather_bodies(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    scratch->moving_count = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = scratch->moving_bits[w]; bits != 0; bits &= bits - 1) {
            scratch->moving[scratch->moving_count++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    iso__parallel_for(world, 0, scratch->moving_count, BODY_GRAIN, step_gather_range, NULL);
    scratch->rotations[world->def.body_capacity] = (iso_rotation){ISO_ROTATION_ONE, 0};
}

/// Clamps a velocity to ±limit, which it rarely exceeds: one comparison, since values below -limit wrap to the top.
static inline int32_t step_clamp(int32_t value, int32_t limit, uint64_t *clamp_count) {
    if ((uint32_t)value + (uint32_t)limit <= 2 * (uint32_t)limit) {
        return value;
    }
    ++*clamp_count;
    return value < 0 ? -limit : limit;
}

/// The velocity that an acceleration [m/s^2] Q12.19 adds in this substep: the difference of what it has added since the
/// last full second, rounded. So nothing is lost over a second; a h alone, rounded, would be off by up to half a
/// quantum each time.
static int32_t step_acceleration(const iso__step_params *params, int64_t a_second) {
    return (int32_t)(iso__div_round64(a_second * (params->place + 1), params->substep_rate) -
                     iso__div_round64(a_second * params->place, params->substep_rate));
}

/// v / (1 + h c), rounded: what is damped stops moving slower once a substep takes less than half a quantum from it.
static int32_t step_damp(const iso__step_params *params, int32_t speed, fix16_t damping) {
    const int64_t divisor = ISO_WIDE_ONE + iso__round_shift((int64_t)params->h * damping, 20); // Q.36 * Q.16 to Q.32
    return damping == 0 ? speed
                        : (int32_t)iso__div_round64((int64_t)speed * ISO_WIDE_ONE, divisor); // speed is within 2^28
}

/// No impulse of the last pass may move a body along a locked axis.
static void step_lock(const iso__body *body, iso__motion *motion) {
    motion->velocity[0] = body->flags & ISO__BODY_LOCK_X ? 0 : motion->velocity[0];
    motion->velocity[1] = body->flags & ISO__BODY_LOCK_Y ? 0 : motion->velocity[1];
    motion->spin = body->flags & ISO__BODY_FIXED_ROTATION ? 0 : motion->spin;
}

/// As for plain bodies, with the body's own gravity, then damping and locks.
static void step_integrate_special(const iso_world *world, uint32_t i, uint64_t *clamp_count) {
    const iso__step_params *params = &world->scratch->params;
    const iso__body *body = &world->bodies[i];
    const int32_t *push = world->scratch->pushes[i];
    iso__motion *motion = &world->scratch->motions[i];
    for (int axis = 0; axis < 2; ++axis) {
        // At most 100,000 m/s^2, so 1,667 m/s in a substep: with 512 and 1,024 still below the 4096 of the format.
        const int64_t a_second = iso__round_shift((int64_t)world->globals->gravity[axis] * 8 * body->gravity_scale, 16);
        const int32_t sum = motion->velocity[axis] + step_acceleration(params, a_second) + push[axis];
        motion->velocity[axis] = step_damp(params, step_clamp(sum, SPEED_MAX, clamp_count), body->linear_damping);
    }
    motion->spin =
        step_damp(params, step_clamp(motion->spin + push[2], motion->spin_max, clamp_count), body->angular_damping);
    step_lock(body, motion);
}

/// Of the moving bodies from begin on.
static void step_integrate_velocities(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__step_scratch *scratch = world->scratch;
    const int32_t gravity[2] = {scratch->params.gravity[0], scratch->params.gravity[1]};
    uint64_t clamps = 0;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__motion *motion = &scratch->motions[i];
        if (motion->kind != ISO__MOTION_PLAIN) {
            if (motion->kind == ISO__MOTION_SPECIAL) {
                step_integrate_special(world, i, &clamps);
            }
            continue;
        }
        // 512 + 1000 * h + 1024 stays below the 4096 of the format.
        const int32_t *push = scratch->pushes[i];
        motion->velocity[0] = step_clamp(motion->velocity[0] + gravity[0] + push[0], SPEED_MAX, &clamps);
        motion->velocity[1] = step_clamp(motion->velocity[1] + gravity[1] + push[1], SPEED_MAX, &clamps);
        motion->spin = step_clamp(motion->spin + push[2], motion->spin_max, &clamps);
    }
    iso__count_shared(&world->globals->clamped_velocities, clamps);
}

/// Of the moving bodies from begin on.
static void step_integrate_positions(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__step_scratch *scratch = world->scratch;
    const int64_t h = scratch->params.h;
    uint64_t clamps = 0;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__motion *motion = &scratch->motions[i];
        iso__drift *drift = &scratch->drifts[i];
        if (motion->kind == ISO__MOTION_SPECIAL) {
            step_lock(&world->bodies[i], motion);
        }
        motion->spin = step_clamp(motion->spin, motion->spin_max, &clamps);
        // Q12.19 * Q.36 to Q31.32; then the coarse copy that the contact rows read.
        drift->moved[0] += iso__round_shift(motion->velocity[0] * h, 23);
        drift->moved[1] += iso__round_shift(motion->velocity[1] * h, 23);
        drift->turned += iso__round_shift(motion->spin * h, 23);
        motion->moved[0] = iso__narrow32(iso__round_shift(drift->moved[0], 8));
        motion->moved[1] = iso__narrow32(iso__round_shift(drift->moved[1], 8));
        motion->turned = iso__narrow32(iso__round_shift(drift->turned, 8));
        if (scratch->has_joint[i]) {
            const int64_t angle = iso__add64(
                world->bodies[i].angle, iso__turns_from_arc(drift->turned, world->body_derived[i].radius_exponent));
            scratch->rotations[i] = iso_rotation_make((uint32_t)(uint64_t)angle);
        }
    }
    iso__count_shared(&world->globals->clamped_velocities, clamps);
}

static void step_set_gravity(iso_world *world, uint32_t substep) {
    iso__step_params *params = &world->scratch->params;
    params->place = (int64_t)(world->globals->tick % world->def.tick_rate_hz) * params->substep_count + substep;
    for (int axis = 0; axis < 2; ++axis) {
        params->gravity[axis] =
            step_acceleration(params, (int64_t)world->globals->gravity[axis] * 8); // Q15.16 to Q12.19
    }
}

static void step_solve(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    scratch->kernels = iso__kernels_of(world->simd);
    scratch->has_moved = false;
    for (uint32_t substep = 0; substep < scratch->params.substep_count; ++substep) {
        step_set_gravity(world, substep);
        iso__parallel_for(world, 0, scratch->moving_count, BODY_GRAIN, step_integrate_velocities, NULL);
        iso__run_pass(world, ISO__PASS_WARM_START);
        for (uint64_t i = 0; i < world->def.iteration_count; ++i) {
            iso__run_pass(world, ISO__PASS_SOLVE);
        }
        iso__parallel_for(world, 0, scratch->moving_count, BODY_GRAIN, step_integrate_positions, NULL);
        iso__run_pass(world, ISO__PASS_RELAX);
        scratch->has_moved = true;
    }
    if (scratch->has_restitution) {
        iso__run_pass(world, ISO__PASS_RESTITUTE);
    }
}

static bool step_is_outside(const iso__body *body, int axis) {
    return body->position[axis] < -POSITION_MAX || body->position[axis] > POSITION_MAX;
}

/// At the world's border the position is clamped and the outward velocity becomes zero. @return whether the body
/// reached the border
static bool step_bound_axis(iso_world *world, iso__body *body, int axis, int64_t place_before) {
    const int64_t place = body->position[axis];
    if (!step_is_outside(body, axis)) {
        return false;
    }
    body->position[axis] = place < 0 ? -POSITION_MAX : POSITION_MAX;
    if ((place < 0) == (body->velocity[axis] < 0)) {
        body->velocity[axis] = 0;
    }
    ++world->globals->clamped_velocities;
    return place_before != body->position[axis];
}

/// Bodies at the border sleep; those that reached it in this step, along either axis, have left the world.
static void step_bound_body(iso_world *world, uint32_t i, const int64_t before[2]) {
    iso__body *body = &world->bodies[i];
    const uint64_t clamps = world->globals->clamped_velocities;
    const bool came_x = step_bound_axis(world, body, 0, before[0]);
    const bool came_y = step_bound_axis(world, body, 1, before[1]);
    if (came_x || came_y) {
        iso__event_left_world(world, i);
    }
    if (world->globals->clamped_velocities != clamps) {
        world->scratch->motions[i].kind = ISO__MOTION_GONE;
    }
}

/// A kinematic body with a target is placed there, at rest.
static void step_end_move(iso_world *world, uint32_t i) {
    iso__body *body = &world->bodies[i];
    body->velocity[0] = body->velocity[1] = body->spin = 0;
    body->position[0] = world->moves[i].position[0];
    body->position[1] = world->moves[i].position[1];
    body->angle = world->moves[i].angle;
    iso__body_clear_forces(world, i);
}

/// Stores what the substeps have changed of a body. @return whether it is beyond the border
static bool step_scatter_body(iso_world *world, uint32_t i, uint64_t *clamp_count) {
    const iso__step_scratch *scratch = world->scratch;
    const iso__motion *motion = &scratch->motions[i];
    const iso__drift *drift = &scratch->drifts[i];
    iso__body *body = &world->bodies[i];
    body->velocity[0] = motion->velocity[0];
    body->velocity[1] = motion->velocity[1];
    body->spin = step_clamp(motion->spin, motion->spin_max, clamp_count); // what the last pass has added turns nothing
    body->position[0] += drift->moved[0];
    body->position[1] += drift->moved[1];
    body->angle = iso__add64(body->angle, iso__turns_from_arc(drift->turned, world->body_derived[i].radius_exponent));
    if (motion->kind == ISO__MOTION_SPECIAL) {
        iso__body_lock(body);
    }
    if (scratch->has_joint[i]) {
        world->body_derived[i].rotation =
            scratch->rotations[i]; // computed from the same angle when the positions were integrated
    } else {
        iso__body_update_rotation(world, i);
    }
    return step_is_outside(body, 0) || step_is_outside(body, 1);
}

typedef struct step_scattered {
    uint64_t clamp_count;
    uint64_t outside_count;
} step_scattered;

/// Of the moving bodies from begin on, but those with a target.
static void step_scatter_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    const iso__step_scratch *scratch = world->scratch;
    step_scattered *sum = data;
    uint64_t clamps = 0, outside = 0;
    for (uint32_t m = begin; m < end; ++m) {
        if (!iso__bit_is_set(world->move_bits, scratch->moving[m])) {
            outside += step_scatter_body(world, scratch->moving[m], &clamps);
        }
    }
    iso__count_shared(&sum->clamp_count, clamps);
    iso__count_shared(&sum->outside_count, outside);
}

/// What is rare, and writes what bodies share: targets, and the border of the world.
static void step_end_moves(iso_world *world, uint64_t *clamp_count) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__body *body = &world->bodies[i];
        int64_t before[2] = {body->position[0], body->position[1]};
        if (iso__bit_is_set(world->move_bits, i)) {
            step_scatter_body(world, i, clamp_count);
            step_end_move(world, i);
            iso__body_update_rotation(world, i);
        } else {
            before[0] -= scratch->drifts[i].moved[0];
            before[1] -= scratch->drifts[i].moved[1];
        }
        step_bound_body(world, i, before);
    }
}

static void step_scatter_bodies(iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    step_scattered sum = {0};
    iso__parallel_for(world, 0, scratch->moving_count, BODY_GRAIN, step_scatter_range, &sum);
    uint64_t moves = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        const uint64_t bits = scratch->moving_bits[w];
        world->displaced[w] |= bits;
        moves |= bits & world->move_bits[w];
        if (bits != 0) {
            iso__mark_dirty(world, ISO_SECTION_BODIES, w * 64);
        }
    }
    if (moves != 0 || sum.outside_count != 0) {
        step_end_moves(world, &sum.clamp_count);
    }
    world->globals->clamped_velocities += sum.clamp_count;
}

static void step_tell_sleep(iso_world *world) {
    uint64_t changed = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        changed |= world->woken[w] | world->slept[w];
        for (uint64_t bits = world->woken[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (world->bodies[i].type != 0) {
                iso__event_wake(world, i);
            }
        }
    }
    if (changed != 0) {
        iso__joints_tell_sleep(world);
    }
}

void iso__step_begin(iso_world *world) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    iso__events_clear(world);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63) / 64; ++w) {
        world->woken[w] = world->slept[w] = 0;
        world->was_awake[w] = world->awake[w];
    }
    for (uint32_t w = 0; w < (world->def.joint_capacity + 63) / 64; ++w) {
        world->fresh_joints[w] = 0;
    }
}

/// A sleeping world needs no pairs, whatever was displaced; boxes are computed when something moves.
static iso__pair_list step_find_pairs(iso_world *world) {
    uint64_t moving = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        moving |= world->scratch->moving_bits[w];
    }
    return moving != 0 ? iso__broad_phase_update(world) : (iso__pair_list){world->broad_phase->pairs, 0, 0};
}

void iso__step_simulate(iso_world *world, uint64_t *since) {
    iso_profile *profile = &world->profile;
    iso__step_find_moving(world);
    iso__step_wake_islands(world);
    const iso__pair_list pairs = step_find_pairs(world);
    iso__profile_stage(world, since, &profile->pairs);
#ifdef ISO_VALIDATE
    iso__validate_pairs(world, pairs);
#endif
    iso__step_collide(world, pairs);
    iso__contacts_rule(world);
    iso__profile_stage(world, since, &profile->manifolds);
    step_gather_bodies(world);
    ISO_ASSERT(world->scratch->moving_count <= world->globals->body_count);
    iso__joints_collect(world);
    iso__step_find_islands(world);
    iso__step_build_graph(world);
    iso__joints_prepare(world);
    iso__profile_stage(world, since, &profile->graph);
    iso__step_hide_seams(world);
    iso__step_prepare_contacts(world);
    iso__profile_stage(world, since, &profile->prepare);
    if (world->scratch->bouncing_count > 0) {
        step_set_gravity(world, 0);
        iso__step_impacts(world);
    }
    step_solve(world);
    iso__profile_stage(world, since, &profile->substeps);
    iso__contacts_store(world);
    iso__contacts_tell_game(world);
    iso__joints_store(world);
    step_scatter_bodies(world);
    iso__joints_break(world);
    iso__step_continuous(world);
    iso__step_sleep(world);
    step_tell_sleep(world);
#ifdef ISO_VALIDATE
    iso__validate(world);
#endif
}
