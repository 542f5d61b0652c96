/// Custom joints: rows from programs and from functions of a game, on axes of plane/joint/axis.c.
///
///   C_r(x)      one scalar per row, of the poses (x, y, phi) of up to four bodies
///   dC_r/dt     J_r v = sum over the bodies of Jx vx + Jy vy + Jphi omega
///   a row is held if its bounds are equal, otherwise one-sided at each of its bounds
///   a row of velocity alone has these bounds for V = J_r v + e_r and corrects no position; held, it is a motor
///
/// A row that depends on a position is a length, with sigma = sum of 1/m over the joint's different bodies:
///
///   direction d = (Jx, Jy),  arm p = Jphi/L,  s = (1/m)/sigma,  t = L^2/(I sigma)
///   K = sum of d.d s + t p^2 = J M^-1 J^T / sigma
///
/// A row of rotations alone is an angle, with sigma = sum of 1/I; a = (1/I)/sigma is the body's share:
///
///   p = Jphi/L,  an impulse j changes w by g j,  g = L a Jphi,  K = sum of a Jphi^2 = J M^-1 J^T / sigma
///
/// Terms of one body are summed before they are squared. The rows of a joint are solved one after the other, since they
/// may mix units; rows that affect each other converge over the substeps.
///
/// Ranges. Results of programs and functions are clamped where they enter, so that any value is safe: |J| at 2^18
/// [Q31.32: 2^50], also as Jphi/L; C at 2^24 [2^56], bounds at 2^25 [2^57]. dC/dt is a sum of at most twelve products
/// of |J| <= 2^50 and speeds up to 2^28, below 2^82 before its shift by 19: within 64 bits. s and a are at most 1, so s
/// d and a Jphi are below 2^52 and j <= 2^50 moves a velocity by less than 2^57. Shares are computed once a tick to
/// 2^-30.
#include "plane/joint/custom.h"

#include "base/assert.h"

#include <string.h>

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"
#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "plane/world/wake.h"
#include "symbolic/evaluate.h"

static_assert(ISO_CONSTRAINT_ROWS_MAX == ISO__PLANE_JOINT_AXES_MAX && ISO_PROGRAM_ROWS_MAX == ISO_CONSTRAINT_ROWS_MAX,
              "each row has an axis, and programs have no more rows");

// ---- sources -------------------------------------------------------------------------------------

static void custom_evaluate(iso__custom_source source, const iso_constraint_body *bodies,
                            const iso_program_params *params, const iso_wide *state, iso_constraint_rows *rows) {
    if (source.program == NULL) {
        *rows = (iso_constraint_rows){0};
        source.constraint->rows(bodies, params, state, rows);
        return;
    }
    iso__program_rows of_program;
    iso__program_evaluate(source.program, bodies, params, &of_program);
    for (uint32_t r = 0; r < source.program->row_count; ++r) {
        rows->error[r] = of_program.error[r];
        memcpy(rows->jacobian[r], of_program.jacobian[r], source.program->body_count * sizeof rows->jacobian[r][0]);
    }
}

// ---- records -------------------------------------------------------------------------------------

void iso__plane_custom_change_params(iso__plane *plane, iso__plane_joint *joint, const iso_program_params *params) {
    iso__plane_custom_joint *custom = iso__plane_custom_of(plane, joint);
    ISO_ASSERT(custom->kind == joint->kind);
    const iso__custom_source source = iso__plane_custom_source(plane, custom);
    const iso_program_params old = iso__plane_custom_params(custom);
    const iso__custom_bounds before = iso__custom_bounds_of(source, &old, custom->state);
    const iso__custom_bounds after = iso__custom_bounds_of(source, params, custom->state);
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        if (before.rows[r] != after.rows[r]) { // rows of another kind begin without an impulse
            iso__plane_custom_set_impulse(joint, custom, 2 * r, 0);
            iso__plane_custom_set_impulse(joint, custom, 2 * r + 1, 0);
        }
    }
    iso__plane_custom_write_params(custom, params);
    iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[custom->joint]);
}

// ---- a step --------------------------------------------------------------------------------------

static iso_constraint_body custom_body(const iso__plane *plane, uint32_t index) {
    const iso__plane_body *body = &plane->bodies[index];
    return (iso_constraint_body){{body->position[0], body->position[1]},
                                 iso_radians_from_turns(body->angle),
                                 plane->body_derived[index].rotation};
}

/// Gives a row its axis.
static void custom_add_row(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work,
                           iso__plane_custom_work *custom, const iso__custom_bounds *bounds, uint32_t r,
                           iso_wide most) {
    const uint32_t axis_index = work->axis_count;
    iso__plane_axis *axis = bounds->is_linear[r] ? iso__plane_axis_add_terms(plane, joint, work)
                                                 : iso__plane_axis_add_turns(plane, joint, work);
    if (axis == NULL) {
        return;
    }
    custom->row_of[axis_index] = (uint8_t)r;
    axis->base.is_velocity = bounds->is_velocity[r];
    const iso_wide low = iso__clamp64(bounds->low[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    const iso_wide high = iso__clamp64(bounds->high[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    const bool has_lower = (bounds->rows[r] >> ISO__AXIS_LOWER & 1u) != 0,
               has_upper = (bounds->rows[r] >> ISO__AXIS_UPPER & 1u) != 0;
    const bool holds = (bounds->rows[r] >> ISO__AXIS_HOLD & 1u) != 0;
    if (holds && axis->base.is_velocity) {
        iso__plane_axis_pace(plane, joint, axis, 2 * r, low);
    } else if (holds) {
        iso__plane_axis_hold(plane, joint, axis, 2 * r, low);
    }
    if (has_lower) {
        iso__plane_axis_bound(plane, joint, axis, ISO__AXIS_LOWER, 2 * r, low);
    }
    if (has_upper) {
        iso__plane_axis_bound(plane, joint, axis, ISO__AXIS_UPPER, 2 * r + 1, high);
    }
    iso__plane_axis_set_most(plane, joint, axis, most);
}

void iso__plane_custom_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    ISO_ASSERT(iso_joint_kind_is_custom(joint->kind));
    const uint32_t index = plane->world.custom_of[joint - plane->joints];
    const iso__plane_custom_joint *record = &plane->custom_joints[index];
    iso__plane_custom_work *custom = &plane->scratch->customs[index];
    custom->source = iso__plane_custom_source(plane, record);
    custom->params = iso__plane_custom_params(record);
    memcpy(custom->state, record->state, sizeof custom->state);
    const iso__custom_shape shape = iso__custom_shape_of(custom->source);
    custom->bodies = iso__plane_custom_bodies_of(joint, shape.body_count);
    for (uint32_t i = 0; i < shape.body_count; ++i) {
        custom->start[i] = custom_body(plane, custom->bodies.index[i]);
        custom->exponents[i] = plane->body_derived[custom->bodies.index[i]].radius_exponent;
    }
    // The axes' terms are in the order of A to D.
    const uint32_t none = plane->world.def.body_capacity;
    work->custom = index;
    work->axes = custom->axes;
    work->body_a = joint->body_a == ISO__WORLD_BODY ? none : joint->body_a;
    work->body_b = joint->body_b;
    work->body_c = joint->body_c == ISO__WORLD_BODY ? none : joint->body_c;
    work->body_d = joint->body_d == ISO__WORLD_BODY ? none : joint->body_d;
    const iso_constraint *constraint = custom->source.constraint;
    if (constraint != NULL && constraint->prepare != NULL) {
        constraint->prepare(custom->start, &custom->params, custom->state);
    }
    const iso__custom_bounds bounds = iso__custom_bounds_of(custom->source, &custom->params, custom->state);
    iso_wide most[ISO_CONSTRAINT_ROWS_MAX];
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        most[r] = bounds.is_linear[r] ? joint->force_max : joint->torque_max;
    }
    if (constraint != NULL && constraint->strength != NULL) {
        constraint->strength(&custom->params, custom->state, most);
    }
    for (uint32_t r = 0; r < shape.row_count; ++r) {
        custom_add_row(plane, joint, work, custom, &bounds, r, iso__max64(most[r], 0));
    }
}

static int64_t custom_clamp(int64_t value, int64_t most, uint32_t *clamps) {
    const int64_t clamped = iso__clamp64(value, -most, most);
    *clamps += clamped != value;
    return clamped;
}

/// A length [m] or angle per radian as one per radius 2^k.
static int64_t custom_per_radius(int64_t value, int8_t exponent, uint32_t *clamps) {
    const int64_t scaled =
        exponent > 0 ? iso__round_shift(value, (unsigned)exponent) : iso__shl64(value, (unsigned)-exponent);
    return custom_clamp(scaled, ISO__CUSTOM_JACOBIAN_MAX, clamps);
}

void iso__plane_custom_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(iso_joint_kind_is_custom(work->kind));
    const iso__plane_custom_work *custom = &scratch->customs[work->custom];
    const uint32_t count = custom->bodies.count, first = count == 1 ? 1 : 0; // one body is B
    iso_constraint_body bodies[ISO_PROGRAM_BODIES_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_drift *drift = &scratch->drifts[custom->bodies.index[i]];
        bodies[i] = custom->start[i];
        bodies[i].position[0] += drift->moved[0];
        bodies[i].position[1] += drift->moved[1];
        bodies[i].angle = iso_wide_add(bodies[i].angle, iso__axis_angle_of(drift->turned, custom->exponents[i]));
        bodies[i].rotation = scratch->rotations[custom->bodies.index[i]];
    }
    iso_constraint_rows rows;
    custom_evaluate(custom->source, bodies, &custom->params, custom->state, &rows);
    for (uint32_t n = 0; n < work->axis_count; ++n) {
        const uint32_t r = custom->row_of[n];
        iso__plane_axis_part parts[ISO__PLANE_AXIS_TERMS] = {0};
        for (uint32_t i = 0; i < count; ++i) {
            iso__plane_axis_part *part = &parts[first + i];
            for (int axis = 0; axis < 2; ++axis) {
                part->direction[axis] =
                    custom_clamp(rows.jacobian[r][i][axis], ISO__CUSTOM_JACOBIAN_MAX, &work->clamps);
            }
            part->turn = custom_clamp(rows.jacobian[r][i][2], ISO__CUSTOM_JACOBIAN_MAX, &work->clamps);
            part->arm = custom_per_radius(part->turn, custom->exponents[i], &work->clamps);
        }
        const int64_t x = custom_clamp(rows.error[r], ISO__CUSTOM_ERROR_MAX, &work->clamps);
        if (work->axes[n].base.is_angle) {
            iso__plane_axis_update_turns(&work->axes[n], x, parts);
        } else {
            iso__plane_axis_update_terms(&work->axes[n], x, parts);
        }
        work->clamps += iso__plane_axis_cuts(&work->axes[n]);
    }
}

void iso__plane_custom_store(iso__plane *plane, const iso__plane_joint_work *work) {
    ISO_ASSERT(iso_joint_kind_is_custom(work->kind) && work->custom < plane->world.def.custom_joint_capacity);
    const iso__plane_custom_work *custom = &plane->scratch->customs[work->custom];
    iso__plane_custom_joint *record = &plane->custom_joints[work->custom];
    int64_t impulse[ISO__PLANE_CUSTOM_IMPULSES] = {0};
    for (uint32_t n = 0; n < work->axis_count; ++n) {
        const iso__plane_axis *axis = &work->axes[n];
        for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
            if (((uint32_t)axis->base.rows >> row & 1u) != 0 && axis->slots[row] >= ISO__PLANE_JOINT_IMPULSES) {
                impulse[axis->slots[row] - ISO__PLANE_JOINT_IMPULSES] = axis->base.impulse[row];
            }
        }
    }
    if (memcmp(record->state, custom->state, sizeof record->state) != 0 ||
        memcmp(record->impulse, impulse, sizeof impulse) != 0) {
        memcpy(record->state, custom->state, sizeof record->state);
        memcpy(record->impulse, impulse, sizeof impulse);
        iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, work->custom);
    }
}

void iso__plane_custom_broken(iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT(iso_joint_kind_is_custom(joint->kind));
    iso__plane_custom_joint *record = iso__plane_custom_of(plane, joint);
    const iso_constraint *constraint = iso__plane_custom_source(plane, record).constraint;
    if (constraint != NULL && constraint->broken != NULL) {
        const iso_program_params params = iso__plane_custom_params(record);
        constraint->broken(&params, record->state);
        iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[joint - plane->joints]);
    }
}

// ---- between steps -------------------------------------------------------------------------------

/// The error of a row.
static iso_wide custom_beyond(const iso__custom_bounds *bounds, uint32_t r, iso_wide error) {
    const iso_wide c = iso__clamp64(error, -ISO__CUSTOM_ERROR_MAX, ISO__CUSTOM_ERROR_MAX);
    const iso_wide low = iso__clamp64(bounds->low[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    const iso_wide high = iso__clamp64(bounds->high[r], -ISO__CUSTOM_BOUND_MAX, ISO__CUSTOM_BOUND_MAX);
    return c < low ? low - c : c > high ? c - high : 0;
}

/// dC/dt.
static iso_wide custom_speed(const iso__plane *plane, const iso__plane_custom_bodies *bodies, iso_wide (*jacobian)[3]) {
    iso_wide speed = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        const iso__plane_body *body = &plane->bodies[bodies->index[i]];
        const iso_wide moved = iso__dot_shift(jacobian[i][0], body->velocity[0], jacobian[i][1], body->velocity[1], 19);
        const iso_wide turned = iso_wide_mul(jacobian[i][2], iso__plane_joint_omega(plane, bodies->index[i]));
        speed = iso_wide_add(speed, iso_wide_add(moved, turned));
    }
    return speed;
}

void iso__plane_custom_measure_on(const iso__plane *plane, const iso__plane_joint *joint, uint32_t body,
                                  iso__plane_joint_measure *measure) {
    ISO_ASSERT(iso_joint_kind_is_custom(joint->kind));
    const iso__plane_custom_joint *record = iso__plane_custom_of(plane, joint);
    const iso__custom_source source = iso__plane_custom_source(plane, record);
    const iso__custom_shape shape = iso__custom_shape_of(source);
    const iso__plane_custom_bodies bodies = iso__plane_custom_bodies_of(joint, shape.body_count);
    const iso_program_params params = iso__plane_custom_params(record);
    const iso__custom_bounds bounds = iso__custom_bounds_of(source, &params, record->state);
    iso_constraint_body places[ISO_PROGRAM_BODIES_MAX];
    for (uint32_t i = 0; i < shape.body_count; ++i) {
        places[i] = custom_body(plane, bodies.index[i]);
    }
    iso_constraint_rows rows;
    custom_evaluate(source, places, &params, record->state, &rows);
    *measure = (iso__plane_joint_measure){.speed = custom_speed(plane, &bodies, rows.jacobian[0])};
    for (uint32_t r = 0; r < shape.row_count; ++r) {
        const int64_t j =
            iso__plane_custom_impulse(joint, record, 2 * r) + iso__plane_custom_impulse(joint, record, 2 * r + 1);
        const iso_wide lambda = bounds.is_linear[r] ? iso__plane_joint_force(plane, joint, j)
                                                    : iso__plane_joint_turn_torque(plane, joint, j);
        iso_wide *error = bounds.is_linear[r] ? &measure->error : &measure->turned;
        *error = bounds.is_velocity[r] ? *error : iso_wide_hypot(*error, custom_beyond(&bounds, r, rows.error[r]));
        for (uint32_t i = 0; i < shape.body_count; ++i) {
            if (bodies.index[i] == body) {
                measure->force.x = iso_wide_add(measure->force.x, iso_wide_mul(lambda, rows.jacobian[r][i][0]));
                measure->force.y = iso_wide_add(measure->force.y, iso_wide_mul(lambda, rows.jacobian[r][i][1]));
                measure->torque = iso_wide_add(measure->torque, iso_wide_mul(lambda, rows.jacobian[r][i][2]));
            }
        }
    }
}

void iso__plane_custom_measure(const iso__plane *plane, const iso__plane_joint *joint,
                               iso__plane_joint_measure *measure) {
    ISO_ASSERT(iso_joint_kind_is_custom(joint->kind));
    iso__plane_custom_measure_on(plane, joint, joint->body_b, measure);
}
