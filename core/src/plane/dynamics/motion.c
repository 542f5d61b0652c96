/// See motion.h.
///
/// A substep h, with w = omega L the spin [m/s], F and M this tick's force and torque, c the damping (semi-implicit
/// Euler, the damper implicit):
///
///   v' = (v + h g + h F/m) / (1 + h c)         v, w   Q12.19, clamped before they are damped
///   w' = (w + h M L/I) / (1 + h c)             h      Q.36
///   x' = x + h v',  phi' = phi + h w'/L        x and the arc L phi  Q31.32
///
/// Between v' and x' the passes of the substep change v' and w' by their impulses.
#include "plane/dynamics/motion.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/dynamics/contact_group.h"
#include "plane/world/body.h"
#include "plane/world/body_mass.h"
#include "plane/world/kernels.h"
#include "plane/world/scratch.h"
#include "plane/world/spin.h"
#include "solver/parallel.h"
#include "solver/params.h"
#include "world/events.h"

#define SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define BODY_GRAIN   256u // bodies of about 1 us to integrate: what it takes to hand them to another thread
#define POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)

_Static_assert(ISO__SHARD_RECORDS == 64, "a word of bits of bodies is a shard");

/// The velocity that this tick's forces add in every substep. Clears the forces.
static void motion_take_forces(iso__plane *plane, uint32_t body) {
    iso__plane_step_scratch *scratch = plane->scratch;
    int32_t *push = scratch->pushes[body];
    const uint64_t bit = UINT64_C(1) << (body % 64);
    push[0] = push[1] = push[2] = 0;
    if ((__atomic_load_n(&plane->world.forced[body / 64], __ATOMIC_RELAXED) & bit) == 0) {
        return;
    }
    iso__plane_motion *motion = &scratch->motions[body];
    motion->kind = motion->kind == ISO__PLANE_MOTION_PLAIN ? ISO__PLANE_MOTION_PUSHED : motion->kind;
    const iso__plane_body_derived *derived = &plane->body_derived[body];
    const iso__plane_body_force *force = &plane->forces[body];
    push[0] = iso__plane_body_velocity_change(derived,
                                              iso__mul_shift(force->force[0], scratch->params.h, ISO__STEP_FRACTION));
    push[1] = iso__plane_body_velocity_change(derived,
                                              iso__mul_shift(force->force[1], scratch->params.h, ISO__STEP_FRACTION));
    push[2] =
        iso__plane_body_spin_change(derived, iso__mul_shift(force->torque, scratch->params.h, ISO__STEP_FRACTION));
    plane->forces[body] = (iso__plane_body_force){0};
    __atomic_fetch_and(&plane->world.forced[body / 64], ~bit,
                       __ATOMIC_RELAXED); // another thread may clear others of the word
}

static int32_t motion_kind(const iso__plane_body *body) {
    const bool is_special =
        (body->flags & (ISO__PLANE_BODY_FIXED_ROTATION | ISO__PLANE_BODY_LOCK_X | ISO__PLANE_BODY_LOCK_Y)) != 0 ||
        body->linear_damping != 0 || body->angular_damping != 0 || body->gravity_scale != ISO_FIX16_ONE;
    return is_special ? ISO__PLANE_MOTION_SPECIAL : ISO__PLANE_MOTION_PLAIN;
}

/// Only moving bodies are gathered: the motions of all others are zero (iso__plane_step_sleep ensures that).
static void motion_gather_body(iso__plane *plane, uint32_t i) {
    const iso__plane_body *body = &plane->bodies[i];
    iso__plane_motion *motion = &plane->scratch->motions[i];
    *motion = (iso__plane_motion){
        .velocity = {body->velocity[0], body->velocity[1]},
        .spin = body->spin,
        .spin_max = iso__plane_spin_max(&plane->world.def, plane->body_derived[i].radius_exponent),
    };
    if (body->type == ISO_BODY_DYNAMIC) {
        motion->kind = motion_kind(body);
        motion_take_forces(plane, i);
    } else if (iso__bit_is_set(plane->move_bits, i)) {
        int32_t velocity[3];
        iso__plane_body_move_velocity(plane, i, &plane->moves[i], velocity);
        motion->velocity[0] = velocity[0];
        motion->velocity[1] = velocity[1];
        motion->spin = velocity[2];
    }
}

/// Of the moving bodies from begin on.
static void motion_gather_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    (void)data;
    for (uint32_t m = begin; m < end; ++m) {
        motion_gather_body(plane, plane->scratch->moving[m]);
    }
}

void iso__plane_motions_gather(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(plane->world.globals->body_count <= plane->world.def.body_capacity);
    scratch->moving_count = 0;
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = scratch->moving_bits[w]; bits != 0; bits &= bits - 1) {
            scratch->moving[scratch->moving_count++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    iso__parallel_for(&plane->world, 0, scratch->moving_count, BODY_GRAIN, motion_gather_range, NULL);
    scratch->rotations[plane->world.def.body_capacity] = (iso_rotation){ISO_ROTATION_ONE, 0};
}

/// Clamps a velocity to ±limit, which it rarely exceeds: one comparison, since values below -limit wrap to the top.
static inline int32_t motion_clamp(int32_t value, int32_t limit, uint64_t *clamp_count) {
    if ((uint32_t)value + (uint32_t)limit <= 2 * (uint32_t)limit) {
        return value;
    }
    ++*clamp_count;
    return value < 0 ? -limit : limit;
}

/// The velocity that an acceleration [m/s^2] Q12.19 adds in this substep: the difference of what it has added since the
/// last full second, rounded. So nothing is lost over a second; a h alone, rounded, would be off by up to half a
/// quantum each time.
static int32_t motion_acceleration(const iso__step_params *params, int64_t a_second) {
    return (int32_t)(iso__div_round64(a_second * (params->place + 1), params->substep_rate) -
                     iso__div_round64(a_second * params->place, params->substep_rate));
}

/// v / (1 + h c), rounded: what is damped stops moving slower once a substep takes less than half a quantum from it.
static int32_t motion_damp(const iso__step_params *params, int32_t speed, fix16_t damping) {
    const int64_t divisor = ISO_WIDE_ONE + iso__round_shift((int64_t)params->h * damping, 20); // Q.36 * Q.16 to Q.32
    return damping == 0 ? speed
                        : (int32_t)iso__div_round64((int64_t)speed * ISO_WIDE_ONE, divisor); // speed is within 2^28
}

/// No impulse of the last pass may move a body along a locked axis.
static void motion_lock(const iso__plane_body *body, iso__plane_motion *motion) {
    motion->velocity[0] = body->flags & ISO__PLANE_BODY_LOCK_X ? 0 : motion->velocity[0];
    motion->velocity[1] = body->flags & ISO__PLANE_BODY_LOCK_Y ? 0 : motion->velocity[1];
    motion->spin = body->flags & ISO__PLANE_BODY_FIXED_ROTATION ? 0 : motion->spin;
}

/// As for plain bodies, with the body's own gravity, then damping and locks.
static void motion_accelerate_special(const iso__plane *plane, uint32_t i, uint64_t *clamp_count) {
    const iso__step_params *params = &plane->scratch->params;
    const iso__plane_body *body = &plane->bodies[i];
    const int32_t *push = plane->scratch->pushes[i];
    iso__plane_motion *motion = &plane->scratch->motions[i];
    for (int axis = 0; axis < 2; ++axis) {
        // At most 100,000 m/s^2, so 1,667 m/s in a substep: with 512 and 1,024 still below the 4096 of the format.
        const int64_t a_second =
            iso__round_shift((int64_t)plane->world.globals->gravity[axis] * 8 * body->gravity_scale, 16);
        const int32_t sum = motion->velocity[axis] + motion_acceleration(params, a_second) + push[axis];
        motion->velocity[axis] = motion_damp(params, motion_clamp(sum, SPEED_MAX, clamp_count), body->linear_damping);
    }
    motion->spin =
        motion_damp(params, motion_clamp(motion->spin + push[2], motion->spin_max, clamp_count), body->angular_damping);
    motion_lock(body, motion);
}

/// Gravity and forces of a substep.
static void motion_accelerate(const iso__plane *plane, uint32_t i, uint64_t *clamp_count) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const int32_t *gravity = scratch->params.gravity;
    iso__plane_motion *motion = &scratch->motions[i];
    if (motion->kind == ISO__PLANE_MOTION_SPECIAL) {
        motion_accelerate_special(plane, i, clamp_count);
    } else if (motion->kind == ISO__PLANE_MOTION_PLAIN || motion->kind == ISO__PLANE_MOTION_PUSHED) {
        // 512 + 1000 * h + 1024 stays below the 4096 of the format.
        const int32_t *push = scratch->pushes[i];
        motion->velocity[0] = motion_clamp(motion->velocity[0] + gravity[0] + push[0], SPEED_MAX, clamp_count);
        motion->velocity[1] = motion_clamp(motion->velocity[1] + gravity[1] + push[1], SPEED_MAX, clamp_count);
        motion->spin = motion_clamp(motion->spin + push[2], motion->spin_max, clamp_count);
    }
}

/// Moves and turns a body by what it does in a substep.
static void motion_advance(const iso__plane *plane, uint32_t i, uint64_t *clamp_count) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const int64_t h = scratch->params.h;
    iso__plane_motion *motion = &scratch->motions[i];
    iso__plane_drift *drift = &scratch->drifts[i];
    if (motion->kind == ISO__PLANE_MOTION_SPECIAL) {
        motion_lock(&plane->bodies[i], motion);
    }
    motion->spin = motion_clamp(motion->spin, motion->spin_max, clamp_count);
    // Q12.19 * Q.36 to Q31.32; then the coarse copy that the contact rows read.
    drift->moved[0] += iso__round_shift(motion->velocity[0] * h, 23);
    drift->moved[1] += iso__round_shift(motion->velocity[1] * h, 23);
    drift->turned += iso__round_shift(motion->spin * h, 23);
    motion->moved[0] = iso__narrow32(iso__round_shift(drift->moved[0], 8));
    motion->moved[1] = iso__narrow32(iso__round_shift(drift->moved[1], 8));
    motion->turned = iso__narrow32(iso__round_shift(drift->turned, 8));
}

/// Bodies whose rotations are to be made, so that lanes can make several at once.
#define TURNS_MAX 64u

typedef struct motion_turns {
    uint32_t count;
    uint32_t bodies[TURNS_MAX];
    uint32_t turns[TURNS_MAX]; // Q0.32
    iso_rotation rotations[TURNS_MAX];
} motion_turns;

static inline void motion_turns_add(motion_turns *list, uint32_t body, int64_t angle) {
    list->bodies[list->count] = body;
    list->turns[list->count++] = (uint32_t)(uint64_t)angle;
}

static void motion_turns_make(const iso__plane *plane, motion_turns *list) {
    const iso__plane_kernels *kernels = plane->scratch->kernels;
    for (uint32_t i = 0; i < list->count;) {
        if (kernels != NULL) {
            i += kernels->rotations_make(&list->turns[i], &list->rotations[i], list->count - i);
        }
        for (uint32_t n = 0; n < ISO__LANES && i < list->count; ++n, ++i) {
            list->rotations[i] = iso_rotation_make(list->turns[i]);
        }
    }
}

/// The rotations that joints follow within the step, of at most TURNS_MAX moving bodies from begin on.
static void motion_turn_some(const iso__plane *plane, uint32_t begin, uint32_t end) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    motion_turns list;
    list.count = 0;
    ISO_ASSERT(end - begin <= TURNS_MAX);
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t i = scratch->moving[m];
        if (scratch->has_joint[i]) {
            const int64_t turned =
                iso__plane_turns_from_arc(scratch->drifts[i].turned, plane->body_derived[i].radius_exponent);
            motion_turns_add(&list, i, iso__add64(plane->bodies[i].angle, turned));
        }
    }
    motion_turns_make(plane, &list);
    for (uint32_t n = 0; n < list.count; ++n) {
        scratch->rotations[list.bodies[n]] = list.rotations[n];
    }
}

typedef uint32_t motion_kernel(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
typedef void motion_one(const iso__plane *plane, uint32_t i, uint64_t *clamp_count);

/// The moving bodies from begin on: in lanes, and by ones where the kernel stops.
/// @param kernel  NULL: all of them by ones
static inline void motion_run(iso__plane *plane, motion_kernel *kernel, motion_one *one, uint32_t begin, uint32_t end) {
    iso__plane_step_scratch *scratch = plane->scratch;
    uint64_t clamps = 0;
    for (uint32_t m = begin; m < end;) {
        m = kernel != NULL ? kernel(scratch, m, end) : m;
        const uint32_t stop = kernel == NULL || end - m < ISO__LANES ? end : m + ISO__LANES;
        for (; m < stop; ++m) {
            one(plane, scratch->moving[m], &clamps);
        }
    }
    iso__count_shared(&plane->world.globals->clamped_velocities, clamps);
}

static void motion_accelerate_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_kernels *kernels = plane->scratch->kernels;
    (void)data;
    motion_run(plane, kernels != NULL ? kernels->motions_accelerate : NULL, motion_accelerate, begin, end);
}

static void motion_advance_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_kernels *kernels = plane->scratch->kernels;
    (void)data;
    motion_run(plane, kernels != NULL ? kernels->motions_advance : NULL, motion_advance, begin, end);
    for (uint32_t m = begin; m < end && world->globals->joint_count > 0; m += TURNS_MAX) {
        motion_turn_some(plane, m, end - m < TURNS_MAX ? end : m + TURNS_MAX);
    }
}

void iso__plane_motions_set_gravity(iso__plane *plane, uint32_t substep) {
    iso__step_params *params = &plane->scratch->params;
    ISO_ASSERT(substep < params->substep_count);
    params->place =
        (int64_t)(plane->world.globals->tick % plane->world.def.tick_rate_hz) * params->substep_count + substep;
    for (int axis = 0; axis < 2; ++axis) {
        params->gravity[axis] =
            motion_acceleration(params, (int64_t)plane->world.globals->gravity[axis] * 8); // Q15.16 to Q12.19
    }
}

static bool motion_is_outside(const iso__plane_body *body, int axis) {
    return body->position[axis] < -POSITION_MAX || body->position[axis] > POSITION_MAX;
}

/// At the world's border the position is clamped and the outward velocity becomes zero. @return whether the body
/// reached the border
static bool motion_bound_axis(iso_world *world, iso__plane_body *body, int axis, int64_t place_before) {
    const int64_t place = body->position[axis];
    if (!motion_is_outside(body, axis)) {
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
static void motion_bound_body(iso__plane *plane, uint32_t i, const int64_t before[2]) {
    iso__plane_body *body = &plane->bodies[i];
    const uint64_t clamps = plane->world.globals->clamped_velocities;
    const bool came_x = motion_bound_axis(&plane->world, body, 0, before[0]);
    const bool came_y = motion_bound_axis(&plane->world, body, 1, before[1]);
    if (came_x || came_y) {
        iso__event_left_world(&plane->world, i);
    }
    if (plane->world.globals->clamped_velocities != clamps) {
        plane->scratch->motions[i].kind = ISO__PLANE_MOTION_GONE;
    }
}

/// A kinematic body with a target is placed there, at rest.
static void motion_end_move(iso__plane *plane, uint32_t i) {
    iso__plane_body *body = &plane->bodies[i];
    body->velocity[0] = body->velocity[1] = body->spin = 0;
    body->position[0] = plane->moves[i].position[0];
    body->position[1] = plane->moves[i].position[1];
    body->angle = plane->moves[i].angle;
    iso__plane_body_clear_forces(plane, i);
}

/// Stores what the substeps have changed of a body, but the rotation of one that turned and has no joint, which joins
/// the list.
/// @return whether it is beyond the border
static bool motion_scatter_body(iso__plane *plane, uint32_t i, motion_turns *list, uint64_t *clamp_count) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const iso__plane_motion *motion = &scratch->motions[i];
    const iso__plane_drift *drift = &scratch->drifts[i];
    iso__plane_body *body = &plane->bodies[i];
    body->velocity[0] = motion->velocity[0];
    body->velocity[1] = motion->velocity[1];
    body->spin =
        motion_clamp(motion->spin, motion->spin_max, clamp_count); // what the last pass has added turns nothing
    body->position[0] += drift->moved[0];
    body->position[1] += drift->moved[1];
    body->angle =
        iso__add64(body->angle, iso__plane_turns_from_arc(drift->turned, plane->body_derived[i].radius_exponent));
    if (motion->kind == ISO__PLANE_MOTION_SPECIAL) {
        iso__plane_body_lock(body);
    }
    if (scratch->has_joint[i]) {
        plane->body_derived[i].rotation =
            scratch->rotations[i]; // computed from the same angle when the positions were integrated
    } else if (drift->turned != 0) {
        motion_turns_add(list, i, body->angle);
    }
    return motion_is_outside(body, 0) || motion_is_outside(body, 1);
}

typedef struct motion_scattered {
    uint64_t clamp_count;
    uint64_t outside_count;
} motion_scattered;

static void motion_store_rotations(iso__plane *plane, motion_turns *list) {
    motion_turns_make(plane, list);
    for (uint32_t n = 0; n < list->count; ++n) {
        plane->body_derived[list->bodies[n]].rotation = list->rotations[n];
    }
    list->count = 0;
}

/// Of the moving bodies from begin on, but those with a target.
static void motion_scatter_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_step_scratch *scratch = plane->scratch;
    motion_scattered *sum = data;
    uint64_t clamps = 0, outside = 0;
    motion_turns list;
    list.count = 0;
    for (uint32_t m = begin; m < end; ++m) {
        if (!iso__bit_is_set(plane->move_bits, scratch->moving[m])) {
            outside += motion_scatter_body(plane, scratch->moving[m], &list, &clamps);
        }
        if (list.count == TURNS_MAX) {
            motion_store_rotations(plane, &list);
        }
    }
    motion_store_rotations(plane, &list);
    iso__count_shared(&sum->clamp_count, clamps);
    iso__count_shared(&sum->outside_count, outside);
}

/// What is rare, and writes what bodies share: targets, and the border of the world.
static void motion_end_moves(iso__plane *plane, uint64_t *clamp_count) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__plane_body *body = &plane->bodies[i];
        int64_t before[2] = {body->position[0], body->position[1]};
        if (iso__bit_is_set(plane->move_bits, i)) {
            motion_turns none; // the target says how it is turned
            none.count = 0;
            motion_scatter_body(plane, i, &none, clamp_count);
            motion_end_move(plane, i);
            iso__plane_body_update_rotation(plane, i);
        } else {
            before[0] -= scratch->drifts[i].moved[0];
            before[1] -= scratch->drifts[i].moved[1];
        }
        motion_bound_body(plane, i, before);
    }
}

void iso__plane_motions_store(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->moving_count <= plane->world.globals->body_count);
    motion_scattered sum = {0};
    iso__parallel_for(&plane->world, 0, scratch->moving_count, BODY_GRAIN, motion_scatter_range, &sum);
    uint64_t moves = 0;
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        const uint64_t bits = scratch->moving_bits[w];
        plane->world.displaced[w] |= bits;
        moves |= bits & plane->move_bits[w];
        if (bits != 0) {
            iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, w * 64);
        }
    }
    if (moves != 0 || sum.outside_count != 0) {
        motion_end_moves(plane, &sum.clamp_count);
    }
    plane->world.globals->clamped_velocities += sum.clamp_count;
}

void iso__plane_motions_accelerate(iso__plane *plane) {
    ISO_ASSERT(plane->scratch->moving_count <= plane->world.def.body_capacity);
    iso__parallel_for(&plane->world, 0, plane->scratch->moving_count, BODY_GRAIN, motion_accelerate_range, NULL);
}

void iso__plane_motions_advance(iso__plane *plane) {
    ISO_ASSERT(plane->scratch->moving_count <= plane->world.def.body_capacity);
    iso__parallel_for(&plane->world, 0, plane->scratch->moving_count, BODY_GRAIN, motion_advance_range, NULL);
}
