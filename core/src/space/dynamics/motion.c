/// See motion.h.
///
/// What of turning is state is the angular momentum l = I omega / (m L), in the world's frame: a free body's is an
/// integer that nobody touches. A substep turns a body by an exact splitting of its energy about the middle moment,
///
///   2 H = G_mid |l|^2 + (G_lo - G_mid) P_lo^2 + (G_hi - G_mid) P_hi^2,   P = l in the principal axes
///
/// The flow of the first term turns the body about l itself, that of the others about a principal axis, all at a
/// constant rate: the axis of the largest moment (G_lo) for half a substep, that of the least for a whole one, the
/// first again. Each keeps |P| and the world's l, so that the momentum is conserved to the bit and the energy stays
/// within a bound for ever; bodies with two equal moments are exact. Source: the splitting of the free rigid body
/// (McLachlan 1993, Reich 1994).
#include "space/dynamics/motion.h"

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/parallel.h"
#include "space/dynamics/runge_kutta.h"
#include "space/world/body.h"
#include "space/world/body_mass.h"
#include "world/events.h"

#define SPEED_MAX       (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define POSITION_MAX    (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define MOMENTUM_SHIFT  21 // from Q12.19 to Q23.40
#define MOMENT_FRACTION 46
#define BODY_GRAIN      32u

// ---- gathering -----------------------------------------------------------------------------------

static void motion_take_forces(iso__space *space, uint32_t body, iso__space_drift *drift) {
    if (!iso__bit_is_set(space->world.forced, body)) {
        return;
    }
    const iso__space_body_derived *derived = &space->body_derived[body];
    const iso__space_body_force *force = &space->forces[body];
    const int32_t h = space->scratch->params.h;
    for (int axis = 0; axis < 3; ++axis) {
        drift->push[axis] =
            iso__space_body_velocity_change(derived, iso__mul_shift(force->force[axis], h, ISO__STEP_FRACTION));
        drift->torque[axis] =
            iso__space_body_momentum_change(derived, iso__mul_shift(force->torque[axis], h, ISO__STEP_FRACTION));
    }
    iso__space_body_clear_forces(space, body);
}

/// w of the momentum and the axes. Rounded once.
static void motion_set_spin(const iso__space_body *record, const iso__space_body_derived *derived,
                            iso__space_drift *drift, iso__space_motion *motion) {
    int64_t wide[3];
    iso__space_body_wide_spin(drift->axes, derived, iso__space_body_turn_locks(record), drift->momentum, wide);
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t most = INT64_C(1) << 62; // so that half a unit more fits
        motion->spin[axis] = iso__saturate32(iso__round_shift(iso__clamp64(wide[axis], -most, most), MOMENTUM_SHIFT));
        drift->before[axis] = motion->spin[axis];
    }
}

static void motion_gather_body(iso__space *space, uint32_t body) {
    const iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    *motion = (iso__space_motion){
        .velocity = {record->velocity[0], record->velocity[1], record->velocity[2]},
        .spin_max = iso__space_body_spin_max(&space->world.def, derived->radius_exponent),
        .is_dynamic = record->type == ISO_BODY_DYNAMIC,
    };
    *drift = (iso__space_drift){
        .momentum = {record->momentum[0], record->momentum[1], record->momentum[2]},
        .is_free = true,
        .from = {record->position[0], record->position[1], record->position[2]},
        .from_q = {record->rotation[0], record->rotation[1], record->rotation[2], record->rotation[3]},
    };
    iso__quat_mul(record->rotation, derived->frame, drift->q);
    iso__quat_renormalise(drift->q);
    iso__quat_matrix(drift->q, drift->axes);
    // A dynamic body without inertia keeps a spin until it has shapes, but does not turn.
    if (derived->gyrations[0] != 0) {
        motion_set_spin(record, derived, drift, motion);
    } else if (!motion->is_dynamic) {
        iso__space_body_spin(record, derived, motion->spin);
    }
    if (motion->is_dynamic) {
        motion_take_forces(space, body, drift);
    }
}

void iso__space_motions_gather(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    scratch->moving_count = 0;
    for (uint32_t w = 0; w < (space->world.globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = scratch->moving_bits[w]; bits != 0; bits &= bits - 1) {
            scratch->moving[scratch->moving_count++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    ISO_ASSERT(scratch->moving_count <= space->world.globals->body_count);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        motion_gather_body(space, scratch->moving[m]);
    }
}

// ---- velocities ----------------------------------------------------------------------------------

static int32_t motion_clamp(iso__space *space, int64_t value, int32_t limit) {
    if (value >= -limit && value <= limit) {
        return (int32_t)value;
    }
    iso__count_shared(&space->world.globals->clamped_velocities, 1);
    return value < 0 ? -limit : limit;
}

/// The velocity [m/s] Q12.19 that gravity times a scale adds in this substep: as in the plane, nothing is lost over a
/// second.
static int32_t motion_fall(const iso__space *space, int axis, fix16_t scale) {
    const iso__globals *globals = space->world.globals;
    const iso__step_params *params = &space->scratch->params;
    const int32_t gravity = axis == 2 ? globals->gravity_z : globals->gravity[axis];
    const int64_t a_second = iso__round_shift((int64_t)gravity * 8 * scale, 16);
    return (int32_t)(iso__div_round64(a_second * (params->place + 1), params->substep_rate) -
                     iso__div_round64(a_second * params->place, params->substep_rate));
}

/// v / (1 + h c), rounded.
static int64_t motion_damp(const iso__step_params *params, int64_t speed, fix16_t damping) {
    const int64_t divisor = ISO_WIDE_ONE + iso__round_shift((int64_t)params->h * damping, 20);
    return damping == 0 ? speed : iso__mul_div(speed, ISO_WIDE_ONE, divisor);
}

/// Adds to the momentum what the rows have changed of the spin. Untouched bodies keep theirs bit for bit.
static void motion_take_spin(const iso__space_body_derived *derived, const iso__space_motion *motion,
                             iso__space_drift *drift) {
    int64_t change[3];
    int64_t any = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t difference = (int64_t)motion->spin[axis] - drift->before[axis];
        any |= difference;
        change[axis] = iso__shl64(difference, MOMENTUM_SHIFT);
    }
    if (any == 0) {
        return;
    }
    const bool is_round = iso__space_body_is_isotropic(derived); // spared the rounding of its axes
    if (!is_round) {
        iso__rotate3_wide_inverse(drift->axes, change, change);
    }
    for (int axis = 0; axis < 3; ++axis) {
        change[axis] = iso__mul_shift(change[axis], derived->moments[axis], MOMENT_FRACTION);
    }
    if (!is_round) {
        iso__rotate3_wide(drift->axes, change, change);
    }
    for (int axis = 0; axis < 3; ++axis) {
        drift->momentum[axis] += change[axis];
        drift->before[axis] = motion->spin[axis];
    }
}

/// Torques and damping act on the momentum itself.
static void motion_accelerate_spin(iso__space *space, uint32_t body) {
    const iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    const int64_t torque = drift->torque[0] | drift->torque[1] | drift->torque[2];
    if (derived->gyrations[0] == 0 || (torque == 0 && record->angular_damping == 0)) {
        return;
    }
    motion_take_spin(derived, motion, drift);
    for (int axis = 0; axis < 3; ++axis) {
        drift->momentum[axis] =
            motion_damp(&space->scratch->params, drift->momentum[axis] + drift->torque[axis], record->angular_damping);
    }
    if (iso__space_body_limit_momentum(drift->axes, derived, iso__space_body_turn_locks(record), motion->spin_max,
                                       drift->momentum)) {
        iso__count_shared(&space->world.globals->clamped_velocities, 1);
    }
    motion_set_spin(record, derived, drift, motion);
}

static void motion_lock(const iso__space_body *record, iso__space_motion *motion) {
    if ((record->flags & (ISO__SPACE_BODY_LOCKS | ISO__SPACE_BODY_LOCK_TURNS)) == 0) {
        return;
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
        motion->velocity[axis] = (record->flags & ISO__SPACE_BODY_LOCK_X << axis) != 0 ? 0 : motion->velocity[axis];
        motion->spin[axis] = (record->flags & ISO__SPACE_BODY_LOCK_TURN_X << axis) != 0 ? 0 : motion->spin[axis];
    }
}

static void motion_accelerate(iso__space *space, uint32_t body) {
    const iso__step_params *params = &space->scratch->params;
    const iso__space_body *record = &space->bodies[body];
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    const int32_t *push = drift->push;
    for (int axis = 0; axis < 3; ++axis) {
        drift->began[axis] = motion->velocity[axis];
        const int32_t fall = record->gravity_scale == ISO_FIX16_ONE ? space->scratch->fall[axis]
                                                                    : motion_fall(space, axis, record->gravity_scale);
        const int64_t sum = (int64_t)motion->velocity[axis] + fall + push[axis];
        motion->velocity[axis] = motion_clamp(space, motion_damp(params, sum, record->linear_damping), SPEED_MAX);
    }
    motion_accelerate_spin(space, body);
    motion_lock(record, motion);
}

static void motions_accelerate_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__space *space = iso__space_of(world);
    for (uint32_t m = begin; m < end; ++m) {
        if (space->scratch->motions[space->scratch->moving[m]].is_dynamic) {
            motion_accelerate(space, space->scratch->moving[m]);
        }
    }
}

void iso__space_motions_accelerate(iso__space *space, uint32_t substep) {
    iso__step_params *params = &space->scratch->params;
    ISO_ASSERT(substep < params->substep_count);
    const iso_world_def *def = &space->world.def;
    params->place = (int64_t)(space->world.globals->tick % def->tick_rate_hz) * params->substep_count + substep;
    for (int axis = 0; axis < 3; ++axis) {
        space->scratch->fall[axis] = motion_fall(space, axis, ISO_FIX16_ONE);
    }
    iso__parallel_for(&space->world, 0, space->scratch->moving_count, BODY_GRAIN, motions_accelerate_range, NULL);
}

// ---- turning -------------------------------------------------------------------------------------

/// The half-angle vector (Q.48) of h v / (2 L) for a spin v [m/s] Q23.40.
static int64_t motion_half_angle(const iso__step_params *params, int64_t v, int8_t radius_exponent) {
    // Q.40 and Q.36: 28 bits to Q.48, one for the half, k for L.
    return iso__mul_shift(v, params->h, (unsigned)(29 + radius_exponent));
}

/// Keeps a half-angle vector where its series hold: what the cap on spins allows is within it but for rounding.
static bool motion_limit_half(int64_t half[3]) {
    if (iso__is_far_within3(half, ISO__HALF_MAX)) {
        return false;
    }
    const int64_t length = iso__length3(half);
    if (length <= ISO__HALF_MAX) {
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        half[axis] = iso__mul_div(half[axis], ISO__HALF_MAX - 4, length);
    }
    return true;
}

/// A turn about principal axis `axis` by (G_axis - G_mid) P h / L, times 2^-shift. P turns with it.
static void motion_turn_about(const iso__step_params *params, const iso__space_body_derived *derived, unsigned axis,
                              unsigned shift, iso__space_drift *drift, int64_t P[3]) {
    const int64_t difference = derived->gyrations[axis] - derived->gyrations[1];
    const int64_t rate = iso__mul_shift(difference, P[axis], 32 + shift);
    const int64_t half =
        iso__clamp64(motion_half_angle(params, rate, derived->radius_exponent), -ISO__HALF_MAX, ISO__HALF_MAX);
    if (half == 0) {
        return;
    }
    const iso__sine_cosine turn = iso__quat_turn_axis(drift->q, axis, half);
    const unsigned j = (axis + 1) % 3, k = (axis + 2) % 3;
    const int64_t Pj = P[j], Pk = P[k];
    P[j] = iso__dot_shift(turn.cosine, Pj, turn.sine, Pk, 32);
    P[k] = iso__dot_shift(turn.cosine, Pk, -turn.sine, Pj, 32);
}

static void motion_half_angles(const iso__step_params *params, const int64_t spin[3], int8_t radius_exponent,
                               int64_t half[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        half[axis] = motion_half_angle(params, spin[axis], radius_exponent);
    }
    motion_limit_half(half);
}

/// A free body: q by the three flows.
static void motion_turn_free(const iso__step_params *params, const iso__space_body_derived *derived,
                             iso__space_drift *drift) {
    const int64_t *G = derived->gyrations; // descending
    int64_t spin[3], half[3], P[3];
    for (int axis = 0; axis < 3; ++axis) {
        spin[axis] = iso__mul_shift(drift->momentum[axis], G[1], 32);
    }
    motion_half_angles(params, spin, derived->radius_exponent, half);
    iso__quat_integrate(drift->q, half);
    if (G[0] != G[2]) {
        iso__quat_renormalise(drift->q);
        iso__quat_matrix(drift->q, drift->axes);
        iso__rotate3_wide_inverse(drift->axes, drift->momentum, P);
        const bool is_symmetric = G[1] == G[2] || G[1] == G[0];
        motion_turn_about(params, derived, 2, is_symmetric ? 0 : 1, drift, P);
        motion_turn_about(params, derived, 0, 0, drift, P);
        if (!is_symmetric) {
            motion_turn_about(params, derived, 2, 1, drift, P);
        }
    }
}

/// A body that may turn about some axes only: about its spin in the middle of the substep. The flows would turn it
/// about axes that are locked, too.
static void motion_turn_locked(const iso__step_params *params, const iso__space_body_derived *derived, unsigned locks,
                               iso__space_drift *drift) {
    int64_t momentum[3] = {drift->momentum[0], drift->momentum[1], drift->momentum[2]}, spin[3], half[3];
    int32_t q[4] = {drift->q[0], drift->q[1], drift->q[2], drift->q[3]}, axes[9];
    iso__space_body_wide_spin(drift->axes, derived, locks, momentum, spin);
    motion_half_angles(params, spin, derived->radius_exponent, half);
    for (int axis = 0; axis < 3; ++axis) {
        half[axis] = iso__round_shift(half[axis], 1);
    }
    iso__quat_integrate(q, half);
    iso__quat_renormalise(q);
    iso__quat_matrix(q, axes);
    iso__space_body_wide_spin(axes, derived, locks, momentum, spin);
    motion_half_angles(params, spin, derived->radius_exponent, half);
    iso__quat_integrate(drift->q, half);
}

/// One substep of a dynamic body: q, and w of the momentum and the new axes.
static void motion_turn_dynamic(iso__space *space, uint32_t body) {
    const iso__step_params *params = &space->scratch->params;
    const iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    const unsigned locks = iso__space_body_turn_locks(record);
    if (locks != 0) {
        motion_turn_locked(params, derived, locks, drift);
    } else if (drift->is_free && space->world.def.integrator == ISO_INTEGRATOR_RK4 &&
               iso__space_runge_kutta_holds(params, derived, drift)) {
        iso__space_runge_kutta_turn(params, derived, drift);
    } else {
        motion_turn_free(params, derived, drift);
    }
    iso__quat_renormalise(drift->q);
    iso__quat_matrix(drift->q, drift->axes);
    drift->has_turned = true;
    if (locks != 0 && iso__space_body_limit_momentum(drift->axes, derived, locks, motion->spin_max, drift->momentum)) {
        // What is thin and turns towards an axis that it may turn about has ever less inertia.
        iso__count_shared(&space->world.globals->clamped_velocities, 1);
    }
    motion_set_spin(record, derived, drift, motion);
}

/// A kinematic body turns about its spin.
static void motion_turn_kinematic(iso__space *space, uint32_t body) {
    const iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    int64_t half[3];
    for (int axis = 0; axis < 3; ++axis) {
        half[axis] = motion_half_angle(&space->scratch->params, iso__shl64(motion->spin[axis], MOMENTUM_SHIFT),
                                       space->body_derived[body].radius_exponent);
    }
    motion_limit_half(half);
    iso__quat_integrate(drift->q, half);
    iso__quat_renormalise(drift->q);
    iso__quat_matrix(drift->q, drift->axes);
    drift->has_turned = true;
}

/// Makes a spin that is too fast slower, in its direction.
static void motion_limit_spin(iso__space *space, iso__space_motion *motion) {
    const int64_t spin[3] = {motion->spin[0], motion->spin[1], motion->spin[2]};
    if (iso__is_far_within3(spin, motion->spin_max)) {
        return;
    }
    const int64_t length = iso__length3(spin);
    if (length <= (int64_t)motion->spin_max + 2) {
        return;
    }
    iso__count_shared(&space->world.globals->clamped_velocities, 1);
    for (int axis = 0; axis < 3; ++axis) {
        motion->spin[axis] = (int32_t)iso__mul_div(motion->spin[axis], motion->spin_max, length);
    }
}

static void motion_advance(iso__space *space, uint32_t body) {
    const iso__step_params *params = &space->scratch->params;
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    if (motion->is_dynamic) {
        motion_lock(&space->bodies[body], motion);
        motion_limit_spin(space, motion);
        if (space->body_derived[body].gyrations[0] != 0) {
            motion_take_spin(&space->body_derived[body], motion, drift);
        }
    }
    int64_t any = 0;
    const bool is_parabola = motion->is_dynamic && drift->is_free && space->world.def.integrator == ISO_INTEGRATOR_RK4;
    for (int axis = 0; axis < 3; ++axis) {
        // What falls freely goes along the parabola: with the mean of the speeds before and after the substep.
        const int64_t speeds = (int64_t)motion->velocity[axis] + (is_parabola ? drift->began : motion->velocity)[axis];
        drift->moved[axis] += iso__round_shift(speeds * params->h, 24);
        motion->moved[axis] = iso__narrow32(iso__round_shift(drift->moved[axis], 8));
        drift->turned[axis] += iso__round_shift(motion->spin[axis] * (int64_t)params->h, 23);
        motion->turned[axis] = iso__narrow32(iso__round_shift(drift->turned[axis], 8));
        any |= drift->momentum[axis];
    }
    if (any == 0) {
        return;
    }
    if (!motion->is_dynamic) {
        motion_turn_kinematic(space, body);
    } else if (space->body_derived[body].gyrations[0] != 0) {
        motion_turn_dynamic(space, body);
    }
}

static void motions_advance_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__space *space = iso__space_of(world);
    for (uint32_t m = begin; m < end; ++m) {
        motion_advance(space, space->scratch->moving[m]);
    }
}

void iso__space_motions_advance(iso__space *space) {
    ISO_ASSERT(space->scratch->moving_count <= space->world.globals->body_count);
    iso__parallel_for(&space->world, 0, space->scratch->moving_count, BODY_GRAIN, motions_advance_range, NULL);
}

// ---- storing -------------------------------------------------------------------------------------

/// At the border of the world the position is clamped and the outward velocity becomes zero. @return whether it was
/// there
static bool motion_keep_inside(iso__space_body *record) {
    bool is_gone = false;
    for (int axis = 0; axis < 3; ++axis) {
        if (record->position[axis] > POSITION_MAX || record->position[axis] < -POSITION_MAX) {
            const bool is_high = record->position[axis] > 0;
            record->position[axis] = is_high ? POSITION_MAX : -POSITION_MAX;
            record->velocity[axis] =
                is_high ? iso__min32(record->velocity[axis], 0) : iso__max32(record->velocity[axis], 0);
            is_gone = true;
        }
    }
    return is_gone;
}

/// q = q_principal conj(frame), with the sign of the state.
static void motion_store_rotation(iso__space *space, uint32_t body) {
    const int32_t *f = space->body_derived[body].frame;
    const int32_t inverse[4] = {iso__neg32(f[0]), iso__neg32(f[1]), iso__neg32(f[2]), f[3]};
    int32_t *q = space->bodies[body].rotation;
    iso__quat_mul(space->scratch->drifts[body].q, inverse, q);
    iso__quat_renormalise(q);
    iso__quat_canonical(q);
    iso__space_body_turn(space, body);
}

static void motion_store(iso__space *space, uint32_t body) {
    iso__space_body *record = &space->bodies[body];
    iso__space_motion *motion = &space->scratch->motions[body];
    iso__space_drift *drift = &space->scratch->drifts[body];
    const bool has_inertia = space->body_derived[body].gyrations[0] != 0;
    if (motion->is_dynamic) {
        motion_lock(record, motion);
        motion_limit_spin(space, motion);
        if (has_inertia) {
            motion_take_spin(&space->body_derived[body], motion, drift);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        record->position[axis] += drift->moved[axis];
        record->velocity[axis] = motion_clamp(space, motion->velocity[axis], SPEED_MAX);
        record->momentum[axis] = has_inertia ? drift->momentum[axis] : record->momentum[axis];
    }
    if (drift->has_turned) {
        motion_store_rotation(space, body);
    }
    motion->is_gone = motion_keep_inside(record);
    if (motion->is_gone) {
        iso__count_shared(&space->world.globals->clamped_velocities, 1);
        iso__event_left_world(&space->world, body);
    }
    iso__bit_set(space->world.displaced, body);
    iso__mark_dirty(&space->world, ISO_SECTION_BODIES, body);
}

void iso__space_motions_store(iso__space *space) {
    ISO_ASSERT(space->scratch->moving_count <= space->world.globals->body_count);
    for (uint32_t m = 0; m < space->scratch->moving_count; ++m) {
        motion_store(space, space->scratch->moving[m]);
    }
}
