/// A spring that is taken as a force is stable while (h w)^2 is below 4, and swings farther than it should by
/// 1/sqrt(1 - (h w)^2 / 4). Springs that share a body act as a stiffer one. Let a spring's explicit part be q, and of
/// the effective mass that it feels the body X have the share s. With S_X the sum of s q over the springs of X, the
/// largest (h w)^2 of the whole is at most the largest S_A + S_B of a spring: it is the largest eigenvalue of J M^-1
/// J^T, each row times its q, and Gershgorin's circles bound it.
///
/// From 1 on each such spring takes a share of its explicit part implicitly, all of it from 2 on. So the explicit rest
/// stays below 1, and what swings goes at most 1.155 times as far. That takes some thirty springs of 6.7 Hz on a body.
#include "plane/joint/spring_sum.h"

#include "base/assert.h"
#include "math/wide128.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

static bool spring_counts(const iso__plane_axis *axis) {
    return axis->base.is_soft && (axis->base.rows & 1u << ISO__AXIS_HOLD) != 0 && axis->base.soft.explicit_part > 0;
}

/// What a term adds to its body's sum, Q31.32.
static int64_t spring_part(const iso__plane_axis *axis, const iso__plane_axis_term *term) {
    const int64_t moves = iso__dot_shift(term->direction[0], term->push[0], term->direction[1], term->push[1], 32);
    const int64_t response = iso__add64(moves, iso__mul_shift(term->arm, term->gain, 38));
    return iso__mul_shift(iso__mul_shift(response, axis->base.inverse, axis->base.fraction),
                          axis->base.soft.explicit_part, ISO__UNIT_FRACTION);
}

/// The same of a hinge.
static int64_t spring_hinge_part(const iso__plane_hinge_row *row, int64_t gain, int8_t exponent) {
    const int64_t response = ((gain < 0 ? -gain : gain) >> (8 + exponent)) * 4; // its share, exactly
    return iso__mul_shift(response, row->soft.explicit_part, ISO__UNIT_FRACTION);
}

typedef enum spring_pass { SPRING_CLEAR, SPRING_ADD, SPRING_SOFTEN } spring_pass;

static void spring_take(iso__softness *soft, int64_t total) {
    if (total > ISO_WIDE_ONE) {
        iso__softness_take(soft, iso__min64(total - ISO_WIDE_ONE, ISO_WIDE_ONE));
    }
}

static void spring_visit(iso__plane_step_scratch *scratch, iso__plane_axis *axis, spring_pass pass) {
    int64_t total = 0;
    for (uint32_t t = 0; t < axis->term_count; ++t) {
        int64_t *sum = &scratch->spring_sums[axis->terms[t].body];
        if (pass == SPRING_CLEAR) {
            *sum = 0;
        } else if (pass == SPRING_ADD) {
            *sum = iso__add64(*sum, spring_part(axis, &axis->terms[t]));
        } else {
            total = iso__add64(total, *sum);
        }
    }
    spring_take(&axis->base.soft, total);
}

static void spring_visit_hinge(iso__plane_step_scratch *scratch, iso__plane_hinge_row *row, spring_pass pass) {
    int64_t *of_a = &scratch->spring_sums[row->point.body_a], *of_b = &scratch->spring_sums[row->point.body_b];
    if (pass == SPRING_CLEAR) {
        *of_a = *of_b = 0;
    } else if (pass == SPRING_ADD) {
        *of_a = iso__add64(*of_a, spring_hinge_part(row, row->gain_a, row->exponent_a));
        *of_b = iso__add64(*of_b, spring_hinge_part(row, row->gain_b, row->exponent_b));
    } else {
        spring_take(&row->soft, iso__add64(*of_a, *of_b));
    }
}

static bool spring_visit_hinges(iso__plane_step_scratch *scratch, spring_pass pass) {
    bool has_springs = false;
    for (uint32_t i = 0; i < scratch->hinge_count; ++i) {
        iso__plane_hinge_row *row = &scratch->hinge_rows[i];
        if ((row->rows & 1u << ISO__AXIS_HOLD) != 0 && row->soft.explicit_part > 0) {
            spring_visit_hinge(scratch, row, pass);
            has_springs = true;
        }
    }
    return has_springs;
}

void iso__plane_springs_sum(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->joint_work_count <= scratch->joint_count);
    for (int pass = SPRING_CLEAR; pass <= SPRING_SOFTEN; ++pass) {
        bool has_springs = spring_visit_hinges(scratch, (spring_pass)pass);
        for (uint32_t i = 0; i < scratch->joint_work_count; ++i) {
            iso__plane_joint_work *work = &scratch->joint_works[i];
            for (uint32_t a = 0; a < work->axis_count; ++a) {
                if (spring_counts(&work->axes[a])) {
                    spring_visit(scratch, &work->axes[a], (spring_pass)pass);
                    has_springs = true;
                }
            }
        }
        if (!has_springs) {
            return;
        }
    }
}
