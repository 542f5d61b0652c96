/// Hinges: a rigid point row without a maximum and an axis on the angle, as the joints of ragdolls, wheels and doors
/// are. They are solved from arrays of small records, one after the other; a joint of any kind takes five times the
/// memory.
///
/// The mathematics is that of point.c and axis.c, and so is each bit of the result. On an angle x = phiB - phiA these
/// shorten: with exponents e of the radii L and K = 1,
///
///   c = dx/dt       wB 2^(13 - eB) - wA 2^(13 - eA)     exact: e is from -8 to 6
///   j' = j - rhs - is j                                 rhs is a whole number, so that it may be added after is j is
///                                                       rounded
///
/// Ranges: |w| <= 2^28, so |c| < 2^50. |g| <= 2^44 and |j| <= 2^52, so that g j 2^-51 is below 2^46. A motor's speed is
/// below 2^48.
///
/// Against the joint of any kind: tests/unit/plane/joint/test_hinge_row.c.
#include "plane/joint/hinge.h"

#include <string.h>

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "solver/parallel.h"
#include "solver/softness.h"

#define SPEED_MAX     (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define SMALL_IMPULSE (INT64_C(1) << 32) // 1 rad/s
#define SMALL_RATE    (INT64_C(1) << 60)
#define CHANGE_MAX    (4 * ISO__AXIS_IMPULSE_MAX)

// ---- once a tick ---------------------------------------------------------------------------------

bool iso__plane_joint_is_hinge(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_VALIDATE_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    return joint->kind == ISO_JOINT_REVOLUTE && joint->hertz == 0 && joint->force_max == 0 &&
           joint->correction_max == 0 && joint->limit_hertz == 0 && iso__plane_axis_rows(joint) != 0 &&
           (iso__plane_joint_body(plane, joint->body_a)->gyration != 0 ||
            plane->body_derived[joint->body_b].gyration != 0);
}

/// What a joint is beside places and impulses.
static void hinge_make(const iso__plane *plane, uint32_t joint, iso__plane_hinge_row *row) {
    iso__plane_joint_work work;
    iso__plane_axis axes[ISO__PLANE_JOINT_AXES];
    iso__plane_joint_prepare(plane, joint, &work, axes);
    ISO_ASSERT(work.has_point && work.axis_count == 1 && axes[0].base.is_angle && axes[0].ratio == ISO_WIDE_ONE);
    iso__plane_axis *axis = &axes[0];
    if (iso__plane_joint_has_stiffness(&plane->joints[joint])) {
        iso__plane_axis_soften(plane, &plane->joints[joint], axis);
    }
    *row = (iso__plane_hinge_row){.point = work.point.row,
                                  .rest = axis->base.rest,
                                  .lower = axis->base.lower,
                                  .upper = axis->base.upper,
                                  .speed = axis->base.speed,
                                  .hold_max = axis->base.hold_max,
                                  .motor_max = axis->base.motor_max,
                                  .limit_max = axis->base.limit_max,
                                  .spring = axis->base.soft,
                                  .gain_a = axis->terms[0].gain,
                                  .gain_b = axis->terms[1].gain,
                                  .scale_a = INT32_C(1) << (13 - work.exponent_a),
                                  .scale_b = INT32_C(1) << (13 - work.exponent_b),
                                  .exponent_a = work.exponent_a,
                                  .exponent_b = work.exponent_b,
                                  .rows = axis->base.rows};
}

#ifdef ISO_VALIDATE
/// What stays from the last step is what would be found now.
static void hinge_validate(const iso__plane *plane, uint32_t joint, const iso__plane_hinge_row *row) {
    iso__plane_hinge_row now;
    hinge_make(plane, joint, &now);
    ISO_ASSERT(row->point.body_a == now.point.body_a && row->point.body_b == now.point.body_b);
    ISO_ASSERT(row->point.share_a == now.point.share_a && row->point.share_b == now.point.share_b);
    ISO_ASSERT(row->point.turn_a == now.point.turn_a && row->point.turn_b == now.point.turn_b);
    ISO_ASSERT(row->rows == now.rows && row->rest == now.rest && row->lower == now.lower && row->upper == now.upper);
    ISO_ASSERT(row->speed == now.speed && row->hold_max == now.hold_max && row->motor_max == now.motor_max);
    ISO_ASSERT(row->limit_max == now.limit_max && row->gain_a == now.gain_a && row->gain_b == now.gain_b);
    ISO_ASSERT(row->scale_a == now.scale_a && row->scale_b == now.scale_b);
    ISO_ASSERT(row->exponent_a == now.exponent_a && row->exponent_b == now.exponent_b);
    ISO_ASSERT((now.rows & 1u << ISO__AXIS_HOLD) == 0 || memcmp(&row->spring, &now.spring, sizeof now.spring) == 0);
}
#endif

ISO__ALWAYS_INLINE void hinge_arrive(const iso__plane_step_scratch *scratch, uint32_t i) {
    iso__plane_hinge_row *row = &scratch->hinge_rows[i];
    iso__plane_point_row_update(scratch, &scratch->hinge_pairs[i], &row->point);
    row->arrived = row->start + iso__axis_angle_of(scratch->drifts[row->point.body_b].turned, row->exponent_b) -
                   iso__axis_angle_of(scratch->drifts[row->point.body_a].turned, row->exponent_a);
}

void iso__plane_hinge_prepare(iso__plane *plane, uint32_t joint, uint32_t i) {
    const iso__plane_joint *record = &plane->joints[joint];
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(joint < plane->world.globals->joint_count && i < scratch->hinge_count);
    iso__plane_hinge_row *row = &scratch->hinge_rows[i];
    if (!scratch->has_same_joints) {
        hinge_make(plane, joint, row);
        scratch->hinge_joints[i] = joint;
    }
#ifdef ISO_VALIDATE
    hinge_validate(plane, joint, row);
#endif
    ISO_ASSERT(scratch->hinge_joints[i] == joint);
    iso__plane_joint_pair_make(plane, record, &scratch->hinge_pairs[i]);
    row->soft = row->spring;
    row->start = iso__plane_axis_clamp_angle(iso__plane_joint_angle(plane, record));
    row->point.impulse[0] = record->impulse[0];
    row->point.impulse[1] = record->impulse[1];
    for (uint32_t n = 0; n < ISO__AXIS_ROWS; ++n) {
        row->impulse[n] = ((uint32_t)row->rows >> n & 1u) != 0 ? record->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + n] : 0;
    }
    hinge_arrive(scratch, i);
    row->position = row->arrived;
}

uint64_t iso__plane_hinge_store(iso__plane *plane, uint32_t i) {
    ISO_ASSERT(i < plane->scratch->hinge_count);
    const iso__plane_hinge_row *row = &plane->scratch->hinge_rows[i];
    iso__plane_joint *joint = &plane->joints[plane->scratch->hinge_joints[i]];
    uint64_t clamped = 0;
    for (uint32_t n = 0; n < 2; ++n) {
        const int64_t j = row->point.impulse[n];
        joint->impulse[n] = j;
        clamped += j == ISO__JOINT_IMPULSE_MAX || j == -ISO__JOINT_IMPULSE_MAX;
    }
    for (uint32_t n = 0; n < ISO__AXIS_ROWS; ++n) {
        const int64_t j = row->impulse[n]; // 0 of a row that it has not
        joint->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + n] = j;
        clamped += j == ISO__AXIS_IMPULSE_MAX || j == -ISO__AXIS_IMPULSE_MAX;
    }
    return clamped;
}

// ---- passes --------------------------------------------------------------------------------------

ISO__ALWAYS_INLINE bool hinge_is_within(int64_t value, int64_t limit) {
    return value > -limit && value < limit;
}

/// The spins of both bodies between the rows of a joint: they are read and written once.
typedef struct hinge_spins {
    int64_t a, b; // [m/s] Q12.19
    bool moves_a, moves_b;
    uint32_t clamped; // how many were cut
} hinge_spins;

ISO__ALWAYS_INLINE hinge_spins hinge_read(const iso__plane_step_scratch *scratch, const iso__plane_hinge_row *row) {
    const iso__plane_motion *a = &scratch->motions[row->point.body_a], *b = &scratch->motions[row->point.body_b];
    return (hinge_spins){.a = a->spin, .b = b->spin, .moves_a = a->kind != 0, .moves_b = b->kind != 0};
}

ISO__ALWAYS_INLINE void hinge_write(iso__plane_step_scratch *scratch, const iso__plane_hinge_row *row,
                                    const hinge_spins *spins) {
    if (spins->moves_a) { // what is not moved other pieces may read
        scratch->motions[row->point.body_a].spin = (int32_t)spins->a;
    }
    if (spins->moves_b) {
        scratch->motions[row->point.body_b].spin = (int32_t)spins->b;
    }
    iso__count_shared(&scratch->joint_clamps, spins->clamped);
}

ISO__ALWAYS_INLINE int64_t hinge_turn(int64_t spin, int64_t gain, int64_t j, uint32_t *clamped) {
    spin += iso__mul_narrow(gain, j, 51);
    const int64_t cut = iso__clamp64(spin, -SPEED_MAX, SPEED_MAX);
    *clamped += cut != spin;
    return cut;
}

ISO__ALWAYS_INLINE void hinge_apply(hinge_spins *spins, const iso__plane_hinge_row *row, int64_t j) {
    spins->a = spins->moves_a ? hinge_turn(spins->a, row->gain_a, j, &spins->clamped) : spins->a;
    spins->b = spins->moves_b ? hinge_turn(spins->b, row->gain_b, j, &spins->clamped) : spins->b;
}

/// dx/dt [rad/s] Q31.32.
ISO__ALWAYS_INLINE int64_t hinge_speed(const hinge_spins *spins, const iso__plane_hinge_row *row) {
    return spins->b * row->scale_b - spins->a * row->scale_a;
}

/// j' of a row with a softness. @param error  of x
ISO__ALWAYS_INLINE int64_t hinge_soften(const iso__softness *soft, int64_t speed, int64_t error, int64_t j) {
    const int64_t rhs =
        iso__dot_shift(speed, soft->mass_scale, error, (int64_t)soft->bias_rate * 1024, ISO__UNIT_FRACTION);
    const int64_t change = hinge_is_within(j, SMALL_IMPULSE) && hinge_is_within(rhs, SMALL_RATE)
                               ? rhs + iso__round_shift(soft->impulse_scale * j, ISO__UNIT_FRACTION)
                               : iso__dot_shift(INT64_C(1) << 62, rhs, soft->impulse_scale * (INT64_C(1) << 32), j, 62);
    return j - iso__clamp64(change, -CHANGE_MAX, CHANGE_MAX);
}

/// A limit from below of x, speed and j, as in axis.c.
ISO__ALWAYS_INLINE int64_t hinge_limit(const iso__plane_hinge_row *row, const iso__step_params *params, int64_t room,
                                       int64_t speed, int64_t j, bool is_relax) {
    if (room > 0) {
        if (j == 0 && -(speed >> 3) <= room) {
            return 0;
        }
        const int64_t rhs = iso__dot_shift(speed, 1, room, params->substep_rate, 0);
        return iso__clamp64(j - iso__clamp64(rhs, -CHANGE_MAX, CHANGE_MAX), 0, row->limit_max);
    }
    return iso__clamp64(is_relax ? j - speed : hinge_soften(&params->joint_soft, speed, room, j), 0, row->limit_max);
}

/// Takes a row from its impulse to j.
ISO__ALWAYS_INLINE void hinge_take(hinge_spins *spins, iso__plane_hinge_row *row, iso__axis_row of, int64_t j) {
    const int64_t change = j - row->impulse[of];
    if (change != 0) {
        row->impulse[of] = j;
        hinge_apply(spins, row, change);
    }
}

/// @param is_relax  a constant at each call
ISO__ALWAYS_INLINE void hinge_solve_axis(iso__plane_step_scratch *scratch, iso__plane_hinge_row *row, bool is_relax) {
    const iso__step_params *params = &scratch->params;
    hinge_spins spins = hinge_read(scratch, row);
    if ((row->rows & 1u << ISO__AXIS_HOLD) != 0) {
        const int64_t j =
            hinge_soften(&row->soft, hinge_speed(&spins, row), row->position - row->rest, row->impulse[ISO__AXIS_HOLD]);
        hinge_take(&spins, row, ISO__AXIS_HOLD, iso__clamp64(j, -row->hold_max, row->hold_max));
    }
    if ((row->rows & 1u << ISO__AXIS_MOTOR) != 0) {
        const int64_t j = row->impulse[ISO__AXIS_MOTOR] - (hinge_speed(&spins, row) - row->speed);
        hinge_take(&spins, row, ISO__AXIS_MOTOR, iso__clamp64(j, -row->motor_max, row->motor_max));
    }
    if ((row->rows & 1u << ISO__AXIS_LOWER) != 0) { // both limits or none
        const int64_t lower = hinge_limit(row, params, row->position - row->lower, hinge_speed(&spins, row),
                                          row->impulse[ISO__AXIS_LOWER], is_relax);
        hinge_take(&spins, row, ISO__AXIS_LOWER, lower);
        const int64_t upper = hinge_limit(row, params, row->upper - row->position, -hinge_speed(&spins, row),
                                          -row->impulse[ISO__AXIS_UPPER], is_relax);
        hinge_take(&spins, row, ISO__AXIS_UPPER, -upper);
    }
    hinge_write(scratch, row, &spins);
}

void iso__plane_hinge_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->hinge_begin <= colour->hinge_end && colour->hinge_end <= scratch->hinge_count);
    for (uint32_t i = colour->hinge_begin; i < colour->hinge_end; ++i) {
        iso__plane_hinge_row *row = &scratch->hinge_rows[i];
        row->position = row->arrived;
        hinge_spins spins = hinge_read(scratch, row);
        hinge_apply(&spins, row, row->impulse[0] + row->impulse[1] + row->impulse[2] + row->impulse[3]);
        hinge_write(scratch, row, &spins);
        iso__plane_point_row_apply(scratch, &row->point, row->point.impulse[0], row->point.impulse[1]);
    }
}

/// The point comes last: when two rows conflict, the later one is satisfied.
void iso__plane_hinge_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->hinge_begin <= colour->hinge_end && colour->hinge_end <= scratch->hinge_count);
    const iso__softness soft = scratch->params.joint_soft;
    for (uint32_t i = colour->hinge_begin; i < colour->hinge_end; ++i) {
        iso__plane_hinge_row *row = &scratch->hinge_rows[i];
        hinge_solve_axis(scratch, row, false);
        iso__plane_point_row_solve(scratch, &row->point, &soft);
    }
}

/// The rows turn with the bodies first, and the position stays: joint_step.c.
void iso__plane_hinge_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->hinge_begin <= colour->hinge_end && colour->hinge_end <= scratch->hinge_count);
    for (uint32_t i = colour->hinge_begin; i < colour->hinge_end; ++i) {
        iso__plane_hinge_row *row = &scratch->hinge_rows[i];
        hinge_arrive(scratch, i);
        hinge_solve_axis(scratch, row, true);
        iso__plane_point_row_solve(scratch, &row->point, NULL);
    }
}
