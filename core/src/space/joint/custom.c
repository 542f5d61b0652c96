/// Custom joints in space: rows of programs and of functions of a game, one after the other, as plane/joint/custom.c
/// has them in the plane.
///
///   C_r(x)     one scalar per row, of the places and rotations of one or two bodies
///   dC_r/dt    J_r v = sum over the bodies of Jx . v + Jw . omega
///
/// A row that depends on a position is a length, with sigma = sum of 1/m, shares alpha = (1/m)/sigma, G = m L^2 I^-1:
///
///   direction d = Jx,  arm p = Jw/L,   v += alpha d j,  w += alpha G p j
///   K = sum of alpha d . d + p . alpha G p = J M^-1 J^T / sigma
///
/// A row of rotations alone is an angle, with sigma = sum of 1/I of the largest moments, shares beta, H = I
/// (tensor)^-1:
///
///   omega += beta H Jw j,  K = sum of Jw . beta H Jw = J M^-1 J^T / sigma
///
/// Ranges. Results of programs and functions are clamped where they enter, so that any value is safe: |J| at 2^18
/// [Q31.32: 2^50], also as Jw/L; C at 2^24, bounds at 2^25. dC/dt is a sum of at most twelve products of |J| <= 2^50
/// and speeds of 2^28: below 2^82, and it is cut at 2^62 after its shift by 19. G is below 2^16 and H below 2^18; where
/// a gain could exceed 2^30 [2^62] the tensor is halved until it does not, for rows and impulses alike, so that the row
/// sees a body that turns less easily. K is then below 2^52, and a row of a K below 2^-20 rests; both are counted in
/// clamped_rows. |j| <= 2^18. Products go through 128 bits, are rounded once and saturate.
/// Tests: tests/unit/space/joint/test_custom3_rows.c.
#include "space/joint/custom.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/joint.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/axis.h"
#include "solver/axis_row.h"
#include "solver/custom_bounds.h"
#include "solver/joint_softness.h"
#include "space/joint/block.h"
#include "space/joint/place.h"
#include "space/world/joint_mass.h"
#include "symbolic/evaluate.h"

#define CUSTOM_SPEED_MAX (INT64_C(1) << 62)
#define CUSTOM_PUSH_MAX  (INT64_C(1) << 60)
#define CUSTOM_GAIN_BITS 60 // of a product; a gain is a sum of three

// ---- once a tick ---------------------------------------------------------------------------------

static iso_wide custom_most(const iso__space *space, const iso__space_joint_work *work, bool is_linear, iso_wide most) {
    const iso__space_body_derived *a = iso__space_joint_body_of(space, work->a.body);
    const iso__space_body_derived *b = iso__space_joint_body_of(space, work->b.body);
    const int64_t h = space->scratch->params.h;
    const int64_t j = is_linear ? iso__space_joint_impulse_of_force(most, a, b, h)
                                : iso__space_joint_impulse_of_torque(most, a, b, ISO_WIDE_ONE, h);
    return iso__min64(j, ISO__SPACE_AXIS_IMPULSE_MAX);
}

/// Gives a row what its bounds ask for.
static void custom_make_row(const iso__space *space, const iso__space_joint *joint, const iso__custom_bounds *bounds,
                            uint32_t r, int64_t most, iso__joint_axis *axis) {
    const iso__step_params *params = &space->scratch->params;
    const iso_wide low = iso__clamp64(bounds->low[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    const iso_wide high = iso__clamp64(bounds->high[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    const bool holds = (bounds->rows[r] >> ISO__AXIS_HOLD & 1u) != 0;
    const uint32_t rows = holds && bounds->is_velocity[r] ? 1u << ISO__AXIS_MOTOR : bounds->rows[r];
    *axis = (iso__joint_axis){
        .rows = (uint8_t)rows,
        .is_angle = !bounds->is_linear[r],
        .is_velocity = bounds->is_velocity[r],
        .is_soft = joint->hertz > 0,
        .soft = iso__joint_softness(params, joint->hertz, joint->damping_ratio, joint->correction_max),
        .fraction = 62,
        .rest = low,
        .lower = low,
        .upper = high,
        .hold_max = most,
        .limit_max = most,
        .motor_max = most,
    };
    axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
    axis->limit_error_max = iso__joint_error_max(params->joint_soft, joint->correction_max);
    const iso__axis_row first = holds ? (bounds->is_velocity[r] ? ISO__AXIS_MOTOR : ISO__AXIS_HOLD) : ISO__AXIS_LOWER;
    // The constraint's state may have taken a bound away since the last tick, or made one of what was held.
    const bool has_lower = (rows >> ISO__AXIS_LOWER & 1u) != 0, has_upper = (rows >> ISO__AXIS_UPPER & 1u) != 0;
    const int64_t impulse = joint->impulse[2 * r];
    axis->impulse[first] = holds ? impulse : has_lower ? iso__max64(impulse, 0) : 0;
    axis->impulse[ISO__AXIS_UPPER] = has_upper ? iso__min64(joint->impulse[2 * r + 1], 0) : 0;
}

static void custom_tell_start(iso__space_custom_work *custom, const iso__space *space,
                              const iso__space_joint_work *work) {
    const iso_constraint *constraint = custom->source.constraint;
    if (constraint == NULL || constraint->prepare3 == NULL) {
        return;
    }
    iso_constraint3_body bodies[ISO_CONSTRAINT3_BODIES] = {{{0}, {{0}}}};
    const uint32_t indices[2] = {work->a.body, work->b.body};
    for (uint32_t i = 0; i < custom->body_count; ++i) {
        const int32_t *R = space->body_derived[indices[2 - custom->body_count + i]].rotation;
        for (int k = 0; k < 9; ++k) {
            bodies[i].axes[k % 3][k / 3] = R[k];
        }
        memcpy(bodies[i].position, custom->start[i], sizeof bodies[i].position);
    }
    constraint->prepare3(bodies, &custom->params, custom->state);
}

/// The bodies of a joint, whose rows know places and rotations alone: its own frames are those of the centres of mass.
static void custom_meet(const iso__space *space, const iso__space_joint *joint, iso__space_joint_work *work) {
    const iso__space_joint bare = {.body_a = joint->body_a,
                                   .body_b = joint->body_b,
                                   .frame_a = {0, 0, 0, ISO__UNIT_ONE},
                                   .frame_b = {0, 0, 0, ISO__UNIT_ONE}};
    iso__space_joint_meet(space, &bare, work);
    for (int axis = 0; axis < 3; ++axis) {
        work->a.local[axis] = work->b.local[axis] = 0;
    }
    work->has_axes = true;
}

void iso__space_custom_begin(const iso__space *space, const iso__space_joint *joint, iso__space_joint_work *work,
                             iso__space_custom_work *custom) {
    ISO_ASSERT(iso_joint3_kind_is_custom(joint->kind) && custom != NULL);
    const iso__space_custom_joint *record = iso__space_custom_of(space, work->joint);
    custom->source = iso__space_custom_source(space, work->joint);
    const iso__custom_shape shape = iso__custom_shape_of(custom->source);
    custom->body_count = (uint8_t)shape.body_count;
    custom->row_count = (uint8_t)shape.row_count;
    custom->cuts = 0;
    custom->params = iso__space_custom_params(record);
    memcpy(custom->state, record->state, sizeof custom->state);
    custom_meet(space, joint, work);
    work->custom = custom;
    for (uint32_t i = 0; i < shape.body_count; ++i) {
        const uint32_t body = shape.body_count == 1 || i == 1 ? joint->body_b : joint->body_a;
        memcpy(custom->start[i], space->bodies[body].position, sizeof custom->start[i]);
    }
    custom_tell_start(custom, space, work);
    const iso__custom_bounds bounds = iso__custom_bounds_of(custom->source, &custom->params, custom->state);
    const iso_constraint *constraint = custom->source.constraint;
    iso_wide most[ISO_CONSTRAINT_ROWS_MAX];
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        most[r] = bounds.is_linear[r] ? joint->force_max : joint->torque_max;
    }
    if (constraint != NULL && constraint->strength != NULL) {
        constraint->strength(&custom->params, custom->state, most);
    }
    for (uint32_t r = 0; r < shape.row_count; ++r) {
        const int64_t j = custom_most(space, work, bounds.is_linear[r], iso__max64(most[r], 0));
        custom->rows[r] = (iso__space_custom_row){.arrived = 0};
        custom_make_row(space, joint, &bounds, r, j, &custom->rows[r].axis);
    }
}

// ---- once a substep ------------------------------------------------------------------------------

static void custom_evaluate(const iso__space_custom_work *custom, const iso_constraint3_body *bodies,
                            iso_constraint3_rows *rows) {
    *rows = (iso_constraint3_rows){{0}, {{{0}}}};
    if (custom->source.program == NULL) {
        custom->source.constraint->rows3(bodies, &custom->params, custom->state, rows);
        return;
    }
    iso__program_rows of_program;
    iso__program3_evaluate(custom->source.program, bodies, &custom->params, &of_program);
    for (uint32_t r = 0; r < custom->row_count; ++r) {
        rows->error[r] = of_program.error[r];
        memcpy(rows->jacobian[r], of_program.jacobian3[r], custom->body_count * sizeof rows->jacobian[r][0]);
    }
}

static int64_t custom_clamp(int64_t value, int64_t most, uint32_t *cuts) {
    const int64_t clamped = iso__clamp64(value, -most, most);
    *cuts += clamped != value;
    return clamped;
}

static uint64_t custom_bits(const int64_t *values, int count) {
    uint64_t bits = 0;
    for (int i = 0; i < count; ++i) {
        bits |= iso__abs_u64(values[i]);
    }
    return bits;
}

/// M v, of a tensor that is halved until the result is in its range.
static void custom_gain(const int64_t M[6], const int64_t v[3], int64_t gain[3], uint32_t *cuts) {
    const int bits = (int)iso__bit_width64(custom_bits(M, 6)) + (int)iso__bit_width64(custom_bits(v, 3)) - 32;
    if (bits <= CUSTOM_GAIN_BITS) {
        iso__space_tensor_apply(M, v, gain);
        return;
    }
    int64_t halved[6];
    for (int i = 0; i < 6; ++i) {
        halved[i] = iso__round_shift(M[i], (unsigned)(bits - CUSTOM_GAIN_BITS));
    }
    iso__space_tensor_apply(halved, v, gain);
    *cuts += 1;
}

/// Sets what one body has in a row. @return its part of K, Q.64
static iso__int128 custom_set_term(const iso__space_joint_body *body, bool is_angle, const iso_wide *jacobian,
                                   iso__space_custom_term *term, uint32_t *cuts) {
    int64_t turn[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t d = custom_clamp(jacobian[axis], ISO__CUSTOM_JACOBIAN_MAX, cuts);
        turn[axis] = custom_clamp(jacobian[3 + axis], ISO__CUSTOM_JACOBIAN_MAX, cuts);
        term->direction[axis] = is_angle ? 0 : d;
        term->push[axis] = is_angle ? 0 : iso__mul_shift(body->share, d, ISO__UNIT_FRACTION);
        term->arm[axis] = custom_clamp(iso__axis_angle_of(turn[axis], body->exponent), ISO__CUSTOM_JACOBIAN_MAX, cuts);
    }
    const int64_t *p = is_angle ? turn : term->arm;
    custom_gain(is_angle ? body->turn : body->gain, p, term->gain, cuts);
    iso__int128 k = {0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        k = iso__int128_add(k, iso__int128_mul(term->direction[axis], term->push[axis]));
        k = iso__int128_add(k, iso__int128_mul(p[axis], term->gain[axis]));
    }
    return k.hi < 0 ? (iso__int128){0, 0} : k; // a tensor's rounding may be negative by a few quanta
}

/// A body on which the row can act: whether there is anything that a small K leaves undone.
static bool custom_acts(const iso__space_custom_term *term) {
    return (custom_bits(term->push, 3) | custom_bits(term->gain, 3)) != 0;
}

void iso__space_custom_arrive(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b) {
    iso__space_custom_work *custom = work->custom;
    ISO_ASSERT(custom->body_count == 1 || custom->body_count == ISO_CONSTRAINT3_BODIES);
    const uint32_t first = 2u - custom->body_count; // one body is B
    const iso__space_drift *drifts[2] = {a, b};
    const iso__space_joint_body *of[2] = {&work->a, &work->b};
    iso_constraint3_body bodies[ISO_CONSTRAINT3_BODIES] = {{{0}, {{0}}}};
    for (uint32_t i = 0; i < custom->body_count; ++i) {
        memcpy(bodies[i].axes, of[first + i]->axes, sizeof bodies[i].axes);
        for (int axis = 0; axis < 3; ++axis) {
            bodies[i].position[axis] = custom->start[i][axis] + drifts[first + i]->moved[axis];
        }
    }
    iso_constraint3_rows rows;
    custom_evaluate(custom, bodies, &rows);
    for (uint32_t r = 0; r < custom->row_count; ++r) {
        iso__space_custom_row *row = &custom->rows[r];
        iso__int128 k = {0, 0};
        bool acts = false;
        for (uint32_t i = 0; i < custom->body_count; ++i) {
            iso__space_custom_term *term = &row->terms[first + i];
            k = iso__int128_add(
                k, custom_set_term(of[first + i], row->axis.is_angle, rows.jacobian[r][i], term, &custom->cuts));
            acts = acts || custom_acts(term);
        }
        row->arrived = custom_clamp(rows.error[r], ISO__CUSTOM_ERROR_MAX, &custom->cuts);
        iso__axis_set_inverse(&row->axis, k);
        custom->cuts += row->axis.inverse == 0 && acts;
    }
}

// ---- passes --------------------------------------------------------------------------------------

static void custom_push(iso__space_motion *motion, const iso__space_joint_body *body, bool is_angle,
                        const iso__space_custom_term *term, int64_t j, uint64_t *clamps) {
    if (!motion->is_dynamic) {
        return;
    }
    // Q31.32 * Q31.32 to Q12.19; of an angle times L.
    const unsigned shift = (unsigned)(is_angle ? 45 - body->exponent : 45);
    for (int i = 0; i < 3; ++i) {
        const int64_t push = iso__clamp64(iso__mul_shift(term->push[i], j, 45), -CUSTOM_PUSH_MAX, CUSTOM_PUSH_MAX);
        const int64_t turn = iso__clamp64(iso__mul_shift(term->gain[i], j, shift), -CUSTOM_PUSH_MAX, CUSTOM_PUSH_MAX);
        motion->velocity[i] = iso__space_joint_clamp_speed(motion->velocity[i] + push, clamps);
        motion->spin[i] = iso__space_joint_clamp_speed(motion->spin[i] + turn, clamps);
    }
}

static void custom_apply(iso__space_scratch *scratch, const iso__space_joint_work *work,
                         const iso__space_custom_row *row, int64_t j) {
    const iso__space_joint_body *bodies[2] = {&work->a, &work->b};
    for (int i = 0; i < 2; ++i) {
        custom_push(&scratch->motions[bodies[i]->body], bodies[i], row->axis.is_angle, &row->terms[i], j,
                    &scratch->joint_clamps);
    }
}

/// dC/dt, Q31.32: the products are summed exactly and rounded once.
static int64_t custom_speed(const iso__space_scratch *scratch, const iso__space_joint_work *work,
                            const iso__space_custom_row *row) {
    const uint32_t bodies[2] = {work->a.body, work->b.body};
    iso__int128 sum = {0, 0};
    for (int i = 0; i < 2; ++i) {
        const iso__space_motion *motion = &scratch->motions[bodies[i]];
        for (int axis = 0; axis < 3; ++axis) {
            sum = iso__int128_add(sum, iso__int128_mul(row->terms[i].direction[axis], motion->velocity[axis]));
            sum = iso__int128_add(sum, iso__int128_mul(row->terms[i].arm[axis], motion->spin[axis]));
        }
    }
    const int64_t speed = iso__int128_saturate(iso__int128_round_shift(sum, ISO__VEL_FRACTION));
    return iso__clamp64(speed, -CUSTOM_SPEED_MAX, CUSTOM_SPEED_MAX);
}

void iso__space_custom_warm_start(iso__space_scratch *scratch, iso__space_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->custom->row_count <= ISO_CONSTRAINT_ROWS_MAX);
    for (uint32_t r = 0; r < work->custom->row_count; ++r) {
        iso__space_custom_row *row = &work->custom->rows[r];
        const int64_t *j = row->axis.impulse;
        row->axis.position = row->arrived;
        row->axis.speed = row->axis.rest - row->arrived; // read of a velocity alone
        custom_apply(scratch, work, row, j[0] + j[1] + j[2] + j[3]);
    }
}

void iso__space_custom_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax) {
    ISO_VALIDATE_ASSERT(work->custom->row_count <= ISO_CONSTRAINT_ROWS_MAX);
    for (uint32_t r = 0; r < work->custom->row_count; ++r) {
        iso__space_custom_row *row = &work->custom->rows[r];
        for (uint32_t n = 0; n < ISO__AXIS_ROWS; ++n) {
            if (((uint32_t)row->axis.rows >> n & 1u) == 0 || row->axis.inverse == 0) {
                continue;
            }
            const int64_t before = row->axis.impulse[n], speed = custom_speed(scratch, work, row);
            const int64_t j = iso__axis_solve_row(&row->axis, &scratch->params, (iso__axis_row)n, speed, is_relax);
            if (j != before) {
                custom_apply(scratch, work, row, j - before);
                row->axis.impulse[n] = j;
            }
        }
    }
}

// ---- what is stored ------------------------------------------------------------------------------

uint64_t iso__space_custom_store(iso__space *space, const iso__space_joint_work *work) {
    const iso__space_custom_work *custom = work->custom;
    ISO_ASSERT(iso_joint3_kind_is_custom(work->kind) && custom->row_count <= ISO_CONSTRAINT_ROWS_MAX);
    int64_t *impulse = space->joints[work->joint].impulse;
    uint64_t clamped = 0;
    for (uint32_t r = 0; r < custom->row_count; ++r) {
        const int64_t *j = custom->rows[r].axis.impulse;
        impulse[2 * r] = j[ISO__AXIS_HOLD] + j[ISO__AXIS_MOTOR] + j[ISO__AXIS_LOWER]; // one of them
        impulse[2 * r + 1] = j[ISO__AXIS_UPPER];
        clamped += impulse[2 * r] == ISO__SPACE_AXIS_IMPULSE_MAX || impulse[2 * r] == -ISO__SPACE_AXIS_IMPULSE_MAX;
        clamped += impulse[2 * r + 1] == -ISO__SPACE_AXIS_IMPULSE_MAX;
    }
    space->world.globals->clamped_rows += custom->cuts;
    iso__space_custom_joint *record = iso__space_custom_of(space, work->joint);
    if (memcmp(record->state, custom->state, sizeof record->state) != 0) {
        memcpy(record->state, custom->state, sizeof record->state);
        iso__mark_dirty(&space->world, ISO_SECTION_CUSTOM_JOINTS, space->world.custom_of[work->joint]);
    }
    return clamped;
}

void iso__space_custom_broken(iso__space *space, uint32_t joint) {
    iso__space_custom_joint *record = iso__space_custom_of(space, joint);
    ISO_ASSERT(record->joint == joint && record->kind != 0);
    const iso_constraint *constraint = iso__space_custom_source(space, joint).constraint;
    if (constraint != NULL && constraint->broken != NULL) {
        const iso_program_params params = iso__space_custom_params(record);
        constraint->broken(&params, record->state);
        iso__mark_dirty(&space->world, ISO_SECTION_CUSTOM_JOINTS, space->world.custom_of[joint]);
    }
}

// ---- between steps -------------------------------------------------------------------------------

/// How far C is beyond its bounds.
static iso_wide custom_beyond(const iso__joint_axis *axis, iso_wide c) {
    const bool is_held = ((uint32_t)axis->rows & (1u << ISO__AXIS_HOLD | 1u << ISO__AXIS_LOWER)) != 0;
    const bool is_below = ((uint32_t)axis->rows & (1u << ISO__AXIS_HOLD | 1u << ISO__AXIS_UPPER)) != 0;
    return is_held && c < axis->lower ? axis->lower - c : is_below && c > axis->upper ? c - axis->upper : 0;
}

void iso__space_custom_measure(const iso__space *space, const iso__space_joint_work *work,
                               iso__space_joint_measure *measure) {
    const iso__space_custom_work *custom = work->custom;
    ISO_ASSERT(iso_joint3_kind_is_custom(work->kind) && custom->row_count <= ISO_CONSTRAINT_ROWS_MAX);
    const iso__space_body_derived *a = iso__space_joint_body_of(space, work->a.body);
    const iso__space_body_derived *b = iso__space_joint_body_of(space, work->b.body);
    const int32_t rate = space->scratch->params.substep_rate;
    iso_wide sum[6] = {0};
    *measure = (iso__space_joint_measure){.separation = 0};
    for (uint32_t r = 0; r < custom->row_count; ++r) {
        const iso__space_custom_row *row = &custom->rows[r];
        const int64_t *j = row->axis.impulse;
        const int64_t total = j[0] + j[1] + j[2] + j[3];
        const bool is_angle = row->axis.is_angle;
        const iso_wide lambda = is_angle ? iso__space_joint_torque_of(total, a, b, ISO_WIDE_ONE, rate)
                                         : iso__space_joint_force_of(total, a, b, rate);
        iso_wide *error = is_angle ? &measure->angle_error : &measure->separation;
        *error = row->axis.is_velocity ? *error : iso_wide_hypot(*error, custom_beyond(&row->axis, row->arrived));
        for (int axis = 0; axis < 3; ++axis) {
            const iso__space_custom_term *term = &row->terms[1];
            // J by rotation is the arm times L.
            const iso_wide turn = iso__axis_angle_of(term->arm[axis], (int8_t)-work->b.exponent);
            sum[axis] = iso_wide_add(sum[axis], iso_wide_mul(lambda, term->direction[axis]));
            sum[3 + axis] = iso_wide_add(sum[3 + axis], iso_wide_mul(lambda, turn));
        }
    }
    measure->force = (iso_vec3_wide){sum[0], sum[1], sum[2]};
    measure->torque = (iso_vec3_wide){sum[3], sum[4], sum[5]};
}

void iso__space_custom_change_params(iso__space *space, uint32_t joint, const iso_program_params *params) {
    iso__space_custom_joint *record = iso__space_custom_of(space, joint);
    ISO_ASSERT(record->joint == joint && record->kind != 0);
    const iso__custom_source source = iso__space_custom_source(space, joint);
    const iso_program_params old = iso__space_custom_params(record);
    const iso__custom_bounds before = iso__custom_bounds_of(source, &old, record->state);
    const iso__custom_bounds after = iso__custom_bounds_of(source, params, record->state);
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        if (before.rows[r] != after.rows[r]) {
            space->joints[joint].impulse[2 * r] = space->joints[joint].impulse[2 * r + 1] = 0;
        }
    }
    iso__space_custom_write_params(record, params);
    iso__mark_dirty(&space->world, ISO_SECTION_CUSTOM_JOINTS, space->world.custom_of[joint]);
}
