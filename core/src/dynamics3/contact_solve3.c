/// See contact_solve3.h. The relative velocity is projected on n, t1 and t2 once; a row then moves
///
///   u += dj          wA -= gA dj          wB += gB dj
///
/// with w kept in Q.41, the exact product of g and j, so that only the end rounds it; vA -= aA P, vB += aB P follow once with
/// P the sum of the changes.
///
/// Ranges: n.(vB - vA) is below 2 sqrt(3) 400, what both spins add too, and bias, is j and j are below 400 each: 3,971 of
/// 4,096, so that no sum of a row wraps.
#include "dynamics3/contact_solve3.h"

#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

#define IMPULSE_MAX (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define SPEED_MAX   (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define SPIN_SHIFT  22 // from Q.19 to Q.41

/// What a contact reads and changes of its bodies.
typedef struct lane3 {
    iso__motion3 *a, *b;
    int32_t un, ut[2];    // Q12.19
    int32_t dn, dt[2];    // sums of the changes of impulses
    int64_t wa[3], wb[3]; // Q.41
} lane3;

static int64_t lane_project(const int32_t direction[3], const iso__motion3 *a, const iso__motion3 *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)direction[i] * ((int64_t)b->velocity[i] - a->velocity[i]);
    }
    return iso__round_shift(sum, 30);
}

static void lane_gather(iso__space *space, const iso__contact3_row *row, lane3 *lane) {
    lane->a = &space->scratch->motions[row->body_a];
    lane->b = &space->scratch->motions[row->body_b];
    lane->un = (int32_t)lane_project(row->normal, lane->a, lane->b);
    lane->dn = lane->dt[0] = lane->dt[1] = 0;
    for (int n = 0; n < 2; ++n) {
        lane->ut[n] = (int32_t)lane_project(row->tangent[n], lane->a, lane->b);
    }
    for (int i = 0; i < 3; ++i) {
        lane->wa[i] = iso__shl64(lane->a->spin[i], SPIN_SHIFT);
        lane->wb[i] = iso__shl64(lane->b->spin[i], SPIN_SHIFT);
    }
}

static void lane_set(iso__motion3 *motion, const int32_t push[3], int32_t share, const int64_t w[3]) {
    for (int i = 0; i < 3; ++i) {
        const int64_t part = (int64_t)push[i] * share;
        const int64_t speed = motion->velocity[i] + ((part + (INT64_C(1) << 29) - 1 + ((part >> 30) & 1)) >> 30);
        motion->velocity[i] = (int32_t)iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
        motion->spin[i] = (int32_t)iso__clamp64(iso__round_shift(w[i], SPIN_SHIFT), -SPEED_MAX, SPEED_MAX);
    }
}

static void lane_scatter(const iso__contact3_row *row, const lane3 *lane) {
    int32_t push[3], pull[3];
    for (int i = 0; i < 3; ++i) {
        const int64_t sum = (int64_t)row->normal[i] * lane->dn + (int64_t)row->tangent[0][i] * lane->dt[0] +
                            (int64_t)row->tangent[1][i] * lane->dt[1];
        push[i] = iso__saturate32(iso__round_shift(sum, 30));
        pull[i] = iso__neg32(push[i]);
    }
    if (lane->a->is_dynamic) {
        lane_set(lane->a, pull, row->share_a, lane->wa);
    }
    if (lane->b->is_dynamic) {
        lane_set(lane->b, push, row->share_b, lane->wb);
    }
}

/// The velocity of a row: the projected relative velocity and what the spins add.
static int32_t lane_velocity(const lane3 *lane, int32_t u, const iso__row3_side *a, const iso__row3_side *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += iso__round_shift(lane->wb[i], SPIN_SHIFT) * b->arm[i] -
               iso__round_shift(lane->wa[i], SPIN_SHIFT) * a->arm[i];
    }
    return iso__add32(u, (int32_t)iso__round_shift(sum, 30));
}

static void lane_turn(lane3 *lane, const iso__row3_side *a, const iso__row3_side *b, int32_t dj) {
    for (int i = 0; i < 3; ++i) {
        lane->wa[i] = iso__sub64(lane->wa[i], (int64_t)a->g[i] * dj);
        lane->wb[i] = iso__add64(lane->wb[i], (int64_t)b->g[i] * dj);
    }
}

static void lane_push(lane3 *lane, const iso__point3_row *point, int32_t dj) {
    lane->un = iso__add32(lane->un, dj);
    lane->dn = iso__add32(lane->dn, dj);
    lane_turn(lane, &point->a, &point->b, dj);
}

static void lane_rub(lane3 *lane, const iso__contact3_row *row, int n, int32_t dj) {
    lane->ut[n] = iso__add32(lane->ut[n], dj);
    lane->dt[n] = iso__add32(lane->dt[n], dj);
    lane_turn(lane, &row->friction_a[n], &row->friction_b[n], dj);
}

// ---- normals -------------------------------------------------------------------------------------

/// s = s0 + n.(xB - xA) + tB rnB - tA rnA: to first order, as in the plane.
static int32_t point_separation(const lane3 *lane, const iso__contact3_row *row, const iso__point3_row *point,
                                const iso__step_params *params) {
    int64_t sum = 0; // Q.54: at most 2^57 each
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)row->normal[i] * ((int64_t)lane->b->moved[i] - lane->a->moved[i]);
        sum += (int64_t)point->b.arm[i] * lane->b->turned[i] - (int64_t)point->a.arm[i] * lane->a->turned[i];
    }
    const int64_t s = point->separation + iso__round_shift(sum, 30);
    return (int32_t)iso__clamp64(s, params->deepest, params->farthest);
}

/// @param soft  NULL: without bias
static void point_solve(lane3 *lane, const iso__contact3_row *row, iso__point3_row *point,
                        const iso__step_params *params, const iso__softness *soft) {
    const int32_t s = point_separation(lane, row, point, params);
    int64_t velocity = lane_velocity(lane, lane->un, &point->a, &point->b);
    int64_t kept = point->impulse;
    if (s > 0) {
        velocity += iso__round_shift((int64_t)s * params->substep_rate, 5); // Q.24 to Q.19
    } else if (soft != NULL) {
        const int64_t bias = iso__max64(iso__round_shift((int64_t)s * soft->bias_rate, 25), -params->push);
        velocity = iso__round_shift(velocity * soft->mass_scale, 30) + bias;
        kept -= iso__round_shift(kept * soft->impulse_scale, 30);
    }
    const int64_t j = iso__clamp64(kept - iso__round_shift(velocity * point->mass, 30), 0, IMPULSE_MAX);
    const int32_t dj = (int32_t)j - point->impulse;
    point->impulse = (int32_t)j;
    point->impulse_max = iso__max32(point->impulse_max, point->impulse);
    if (dj != 0) {
        lane_push(lane, point, dj);
    }
}

// ---- friction ------------------------------------------------------------------------------------

/// The sum of the normal impulses, each times a weight Q2.30, times friction. Rounded: bounds that are floored let what
/// slides come too far.
static int64_t row_friction_limit(const iso__contact3_row *row, bool by_lever) {
    int64_t sum = 0;
    for (uint32_t p = 0; p < row->point_count; ++p) {
        const int64_t j = row->points[p].impulse;
        sum += by_lever ? iso__round_shift(j * row->levers[p], 30) : j;
    }
    return iso__min64(iso__round_shift(sum * row->friction, ISO__FRICTION_FRACTION), IMPULSE_MAX);
}

static void row_twist(lane3 *lane, iso__contact3_row *row) {
    if (row->twist_mass == 0) {
        return;
    }
    const int64_t limit = row_friction_limit(row, true);
    const int32_t velocity = lane_velocity(lane, 0, &row->twist_a, &row->twist_b);
    const int64_t wanted = row->twist_impulse - iso__mul_shift(velocity, row->twist_mass, 32);
    const int32_t j = (int32_t)iso__clamp64(wanted, -limit, limit);
    const int32_t dj = j - row->twist_impulse;
    row->twist_impulse = j;
    lane_turn(lane, &row->twist_a, &row->twist_b, dj);
}

static void row_rub(lane3 *lane, iso__contact3_row *row) {
    const int64_t limit = row_friction_limit(row, false);
    const int64_t v0 = lane_velocity(lane, lane->ut[0], &row->friction_a[0], &row->friction_b[0]);
    const int64_t v1 = lane_velocity(lane, lane->ut[1], &row->friction_a[1], &row->friction_b[1]);
    int64_t x[2], wanted[2];
    const iso__inverse2 inverse = {row->friction_mass[0], row->friction_mass[1], row->friction_mass[2]};
    iso__inverse2_apply(&inverse, v0, v1, &x[0], &x[1]);
    for (int n = 0; n < 2; ++n) {
        wanted[n] = row->friction_impulse[n] - x[n];
    }
    // Beyond the cone it is turned onto it.
    int32_t direction[2];
    if (iso__normalize(wanted[0], wanted[1], &direction[0], &direction[1]) > limit) {
        wanted[0] = iso__round_shift(direction[0] * limit, 30);
        wanted[1] = iso__round_shift(direction[1] * limit, 30);
    }
    for (int n = 0; n < 2; ++n) {
        const int32_t j = (int32_t)iso__clamp64(wanted[n], -IMPULSE_MAX, IMPULSE_MAX);
        const int32_t dj = j - row->friction_impulse[n];
        row->friction_impulse[n] = j;
        if (dj != 0) {
            lane_rub(lane, row, n, dj);
        }
    }
}

// ---- passes --------------------------------------------------------------------------------------

void iso__contacts3_warm_start(iso__space *space) {
    for (uint32_t r = 0; r < space->scratch->row_count; ++r) {
        iso__contact3_row *row = &space->scratch->rows[r];
        lane3 lane;
        lane_gather(space, row, &lane);
        for (uint32_t p = 0; p < row->point_count; ++p) {
            lane_push(&lane, &row->points[p], row->points[p].impulse);
        }
        for (int n = 0; n < 2; ++n) {
            lane_rub(&lane, row, n, row->friction_impulse[n]);
        }
        if (row->twist_mass != 0) {
            lane_turn(&lane, &row->twist_a, &row->twist_b, row->twist_impulse);
        }
        lane_scatter(row, &lane);
    }
}

void iso__contacts3_solve(iso__space *space) {
    const iso__step_params *params = &space->scratch->params;
    for (uint32_t r = 0; r < space->scratch->row_count; ++r) {
        iso__contact3_row *row = &space->scratch->rows[r];
        const iso__softness *soft = row->is_static ? &params->static_soft : &params->contact_soft;
        lane3 lane;
        lane_gather(space, row, &lane);
        for (uint32_t p = 0; p < row->point_count; ++p) {
            point_solve(&lane, row, &row->points[p], params, soft);
        }
        lane_scatter(row, &lane);
    }
}

void iso__contacts3_relax(iso__space *space) {
    const iso__step_params *params = &space->scratch->params;
    for (uint32_t r = 0; r < space->scratch->row_count; ++r) {
        iso__contact3_row *row = &space->scratch->rows[r];
        lane3 lane;
        lane_gather(space, row, &lane);
        for (uint32_t p = 0; p < row->point_count; ++p) {
            point_solve(&lane, row, &row->points[p], params, NULL);
        }
        row_twist(&lane, row);
        row_rub(&lane, row);
        lane_scatter(row, &lane);
    }
}

static void point_restitute(lane3 *lane, const iso__contact3_row *row, iso__point3_row *point) {
    const int32_t velocity = lane_velocity(lane, lane->un, &point->a, &point->b);
    const int64_t rebound = iso__round_shift((int64_t)row->restitution * point->approach, ISO__FRICTION_FRACTION);
    const int64_t change = iso__round_shift((velocity + rebound) * point->mass, 30);
    const int32_t j = (int32_t)iso__clamp64(point->impulse - change, 0, IMPULSE_MAX);
    lane_push(lane, point, j - point->impulse);
    point->impulse = j;
}

void iso__contacts3_restitute(iso__space *space) {
    const int32_t threshold = space->scratch->params.restitution_threshold;
    for (uint32_t r = 0; r < space->scratch->row_count; ++r) {
        iso__contact3_row *row = &space->scratch->rows[r];
        if (row->restitution == 0) {
            continue;
        }
        lane3 lane;
        lane_gather(space, row, &lane);
        for (uint32_t p = 0; p < row->point_count; ++p) {
            iso__point3_row *point = &row->points[p];
            if (point->approach <= -threshold && point->impulse_max != 0) {
                point_restitute(&lane, row, point);
            }
        }
        lane_scatter(row, &lane);
    }
}
