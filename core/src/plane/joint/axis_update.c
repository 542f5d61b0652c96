/// See axis_update.h. axis.c has the letters and the ranges.
#include "plane/joint/axis_update.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"

#define AXIS_ANGLE_MAX (INT64_C(1) << 56) // 2^24 rad
#define GAIN_FRACTION  ISO__PLANE_AXIS_GAIN_FRACTION
#define GAIN_MAX       (INT64_C(1) << 62)

int64_t iso__plane_axis_clamp_angle(int64_t angle) {
    return iso__clamp64(angle, -AXIS_ANGLE_MAX, AXIS_ANGLE_MAX);
}

void iso__plane_axis_update_angle(const iso__plane_step_scratch *scratch, const iso__plane_joint_work *work,
                                  iso__plane_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->base.is_angle && axis->term_count == 2);
    const int64_t of_b = iso__axis_angle_of(scratch->drifts[work->body_b].turned, work->exponent_b);
    axis->base.position = axis->start + (axis->ratio == ISO_WIDE_ONE ? of_b : iso_wide_mul(axis->ratio, of_b)) -
                          iso__axis_angle_of(scratch->drifts[work->body_a].turned, work->exponent_a);
}

/// The change of w by an impulse, for an arm.
static int64_t axis_gain(int64_t turn, int64_t p) {
    const int64_t g = iso__mul_shift(turn, p, ISO__GYRO_FRACTION + ISO__WIDE_FRACTION - GAIN_FRACTION);
    return iso__clamp64(g, -GAIN_MAX, GAIN_MAX);
}

/// Sets direction, arm and the effect of an impulse on one body. @return its part of K
static int64_t axis_set_term(iso__plane_axis_term *term, const int32_t direction[2], int64_t sign,
                             const int64_t arm[2]) {
    const int64_t p = iso__dot_shift(arm[0], direction[1], -arm[1], direction[0], ISO__UNIT_FRACTION);
    const int64_t g = axis_gain(term->turn, p);
    for (int axis = 0; axis < 2; ++axis) {
        term->direction[axis] = sign * direction[axis] * 4;
        term->push[axis] =
            iso__round_shift(term->share * (sign * direction[axis]), 2 * ISO__UNIT_FRACTION - ISO__WIDE_FRACTION);
    }
    term->arm = sign * p;
    term->gain = sign * g;
    return iso__min64(iso__mul_shift(p, g, GAIN_FRACTION), INT64_MAX / 4);
}

void iso__plane_axis_update_length(iso__plane_axis *axis, const int32_t direction[2], int64_t length,
                                   const int64_t arm_a[2], const int64_t arm_b[2]) {
    ISO_VALIDATE_ASSERT(!axis->base.is_angle && axis->term_count == 2);
    const int64_t k = ISO_WIDE_ONE + axis_set_term(&axis->terms[0], direction, -1, arm_a) +
                      axis_set_term(&axis->terms[1], direction, 1, arm_b);
    axis->base.position = length;
    axis->base.inverse = iso__div_shift(INT64_C(1) << 31, 63, k); // 2^62 2^32 / k
}

/// Adds direction and arm of a term to those of an earlier one of the same body.
static void axis_merge_term(iso__plane_axis *axis, uint32_t i) {
    iso__plane_axis_term *term = &axis->terms[i];
    for (uint32_t k = 0; k < i; ++k) {
        iso__plane_axis_term *first = &axis->terms[k];
        if (first->body == term->body) {
            first->direction[0] = iso_wide_add(first->direction[0], term->direction[0]);
            first->direction[1] = iso_wide_add(first->direction[1], term->direction[1]);
            first->arm = iso_wide_add(first->arm, term->arm);
            term->direction[0] = term->direction[1] = term->arm = 0;
            return;
        }
    }
}

/// The part of one body in K, Q.64: d.(s d) + p g.
static iso__int128 axis_part_of_k(const iso__plane_axis *axis, const iso__plane_axis_term *term) {
    iso__int128 k = iso__int128_round_shift(iso__int128_mul(term->arm, term->gain), GAIN_FRACTION - 32);
    for (int i = 0; i < 2 && !axis->base.is_angle; ++i) {
        k = iso__int128_add(k, iso__int128_mul(term->direction[i], term->push[i]));
    }
    return k;
}

/// Sets x, or of a velocity what is added to J v: the held one is then a motor's speed.
static void axis_set_position(iso__plane_axis *axis, int64_t x) {
    axis->base.position = x;
    if (axis->base.is_velocity) {
        axis->base.speed = axis->base.rest - x;
    }
}

void iso__plane_axis_update_terms(iso__plane_axis *axis, int64_t x, const iso__plane_axis_part *parts) {
    ISO_VALIDATE_ASSERT(!axis->base.is_angle && axis->term_count <= ISO__PLANE_AXIS_TERMS);
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        axis->terms[i].direction[0] = parts[i].direction[0];
        axis->terms[i].direction[1] = parts[i].direction[1];
        axis->terms[i].arm = parts[i].arm;
        axis_merge_term(axis, i);
    }
    iso__int128 k = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        iso__plane_axis_term *term = &axis->terms[i];
        term->push[0] = iso__mul_shift(term->share, term->direction[0], ISO__UNIT_FRACTION);
        term->push[1] = iso__mul_shift(term->share, term->direction[1], ISO__UNIT_FRACTION);
        term->gain = axis_gain(term->turn, term->arm);
        k = iso__int128_add(k, axis_part_of_k(axis, term));
    }
    axis_set_position(axis, x);
    iso__axis_set_inverse(&axis->base, k);
}

void iso__plane_axis_update_turns(iso__plane_axis *axis, int64_t x, const iso__plane_axis_part *parts) {
    ISO_VALIDATE_ASSERT(axis->base.is_angle && axis->term_count <= ISO__PLANE_AXIS_TERMS);
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        axis->terms[i].direction[0] = parts[i].turn;
        axis->terms[i].direction[1] = 0;
        axis->terms[i].arm = parts[i].arm;
        axis_merge_term(axis, i);
    }
    iso__int128 k = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        iso__plane_axis_term *term = &axis->terms[i];
        term->gain = iso__mul_shift(term->turn, term->direction[0], ISO__WIDE_FRACTION);
        k = iso__int128_add(k, axis_part_of_k(axis, term));
    }
    axis_set_position(axis, x);
    iso__axis_set_inverse(&axis->base, k);
}

uint32_t iso__plane_axis_cuts(const iso__plane_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->term_count <= ISO__PLANE_AXIS_TERMS);
    bool has_gradient = false;
    uint32_t cuts = 0;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__plane_axis_term *term = &axis->terms[i];
        const int64_t of_place = term->share != 0 ? term->direction[0] | term->direction[1] : 0;
        has_gradient = has_gradient || of_place != 0 || (term->turn != 0 && term->arm != 0);
        cuts += term->gain == GAIN_MAX || term->gain == -GAIN_MAX;
    }
    return cuts + (axis->base.inverse == 0 && has_gradient);
}
