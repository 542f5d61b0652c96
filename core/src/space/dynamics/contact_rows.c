/// See contact_rows.h. In the letters of core/NUMERICS.md, with three-vectors: n the normal, t1 and t2 across it, r the
/// arm of a point, a the mass shares, G = m L^2 I^-1 in the world's frame, j = sigma lambda the impulse in velocity
/// units.
///
///   point     rn = (r x n)/L,  g = a G rn,  K = 1 + gA rnA + gB rnB
///   friction  at the mean c of the points, for t1 and t2 alike; K is their matrix, at least the unit matrix
///   twist     rn = n rho/L, rho the largest distance of a point from c;  K = gA rnA + gB rnB
///
/// K is J M^-1 J^T / sigma with sigma = 1/mA + 1/mB; a row's Cdot is d.(vB - vA) + wB.rdB - wA.rdA with w = omega L and
/// d = n, t1 or t2; the twist has no d. An impulse moves d.(vB - vA) by j, wA by -gA j and wB by gB j. Arms are Q2.30,
/// gains Q9.22, 1/K Q2.30, that of the twist Q11.20.
#include "space/dynamics/contact_rows.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/dynamics/contact_rules.h"
#include "space/dynamics/kernels.h"

#define IMPULSE_MAX (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define PATCH_MAX   (INT64_C(1) << 30) // [m] Q7.24, of a component from the middle of a patch: no shape is as large

// ---- bodies --------------------------------------------------------------------------------------

/// An entry of aG, as the rows take it: Q9.22 times 2^-extra.
static int32_t gain_share(const iso__space_gain *gain, int e, int32_t share) {
    const int64_t part = (int64_t)gain->tensor[e] * share;
    return (int32_t)iso__round_shift(part, 8u + gain->shift + gain->extra);
}

/// G in the world's frame: A diag(gyrations) A^T with A the principal axes in the world. As 31 bits and a shift.
static void gain_make(const iso__space_body_derived *derived, const int32_t A[9], iso__space_gain *gain) {
    static const uint8_t rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    int64_t wide[6];
    uint64_t bits = 0;
    for (int e = 0; e < 6; ++e) {
        const int32_t *a = &A[3 * rows[e]], *b = &A[3 * columns[e]];
        // Each product of two entries of A in Q.30 again: their error is a quantum of the gain.
        wide[e] = iso__dot3_shift(iso__round_shift((int64_t)a[0] * b[0], 30), derived->gyrations[0],
                                  iso__round_shift((int64_t)a[1] * b[1], 30), derived->gyrations[1],
                                  iso__round_shift((int64_t)a[2] * b[2], 30), derived->gyrations[2], 30);
        bits |= iso__abs_u64(wide[e]);
    }
    const unsigned width = iso__bit_width64(bits); // Q.32: the integer part has width - 32 bits
    gain->shift = (uint8_t)(width <= 32 ? 30 : 62 - width);
    // The tensor has 30 bits; what is at least 2^9 does not fit Q9.22.
    gain->extra = (uint8_t)(gain->shift < 22 ? 22 - gain->shift : 0);
    for (int e = 0; e < 6; ++e) {
        gain->tensor[e] = (int32_t)iso__round_shift(wide[e], 32 - gain->shift);
        gain->half[e] = gain_share(gain, e, ISO__UNIT_ONE / 2);
    }
}

void iso__space_gains_make(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->moving_count <= space->world.globals->body_count);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t body = scratch->moving[m];
        const iso__space_body_derived *derived = &space->body_derived[body];
        iso__space_gain *gain = &scratch->gains[body];
        *gain = (iso__space_gain){.mass = derived->mass, .radius_exponent = derived->radius_exponent};
        if (derived->gyrations[0] != 0) {
            gain_make(derived, scratch->drifts[body].axes, gain);
        }
    }
}

// ---- what the rows are made of -------------------------------------------------------------------

/// aG of a body.
static void stage_tensor(const iso__space_gain *gain, int32_t share, uint32_t lane, iso__space_stage_body *to) {
    if (share == ISO__UNIT_ONE / 2) {
        for (int e = 0; e < 6; ++e) {
            to->tensor[e][lane] = gain->half[e];
        }
    } else {
        for (int e = 0; e < 6; ++e) {
            to->tensor[e][lane] = gain_share(gain, e, share);
        }
    }
    to->extra[lane] = gain->extra;
    to->has_extra = to->has_extra || gain->extra != 0;
}

/// n rho / L.
static void stage_twist(const int32_t normal[3], int32_t radius, int8_t exponent, uint32_t lane,
                        iso__space_stage_body *to) {
    const unsigned shift = (unsigned)(24 + exponent);
    for (int c = 0; c < 3; ++c) {
        const int64_t scaled = iso__round_shift((int64_t)normal[c] * radius, shift);
        to->twist[c][lane] = (int32_t)iso__clamp64(scaled, -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
}

/// What a body that turns adds to the rows; what does not turn adds nothing.
static void stage_body(const iso__space *space, uint32_t body, int32_t share, const int32_t normal[3], int32_t radius,
                       uint32_t lane, iso__space_stage_body *to) {
    // A kinematic body's spin counts, though no row changes it.
    if (share != 0 || space->bodies[body].type == ISO_BODY_KINEMATIC) {
        const int8_t exponent =
            share != 0 ? space->scratch->gains[body].radius_exponent : space->body_derived[body].radius_exponent;
        to->scale[lane] = INT32_C(2) << (6 - exponent); // 0 to 14: from Q7.24 to Q1.30
        stage_twist(normal, radius, exponent, lane, to);
    } else {
        to->scale[lane] = 0;
        to->twist[0][lane] = to->twist[1][lane] = to->twist[2][lane] = 0;
    }
    if (share != 0) {
        stage_tensor(&space->scratch->gains[body], share, lane, to);
    } else {
        for (int e = 0; e < 6; ++e) {
            to->tensor[e][lane] = 0;
        }
        to->extra[lane] = 0;
    }
}

/// The points and, after the last of four, their mean, about a body. Those that are absent are zero.
static void stage_anchors(const iso__space_manifold *manifold, bool is_of_b, uint32_t lane, iso__space_stage_body *to) {
    int64_t sum[3] = {0, 0, 0};
    for (uint32_t p = 0; p < ISO__SPACE_MANIFOLD_POINTS; ++p) {
        const iso__space_manifold_point *point = &manifold->points[p];
        const int32_t *anchor = is_of_b ? point->anchor_b : point->anchor_a;
        for (int c = 0; c < 3; ++c) {
            const int32_t at = p < manifold->count ? anchor[c] : 0;
            to->anchor[p][c][lane] = at;
            sum[c] += at;
        }
    }
    for (int c = 0; c < 3; ++c) {
        to->anchor[ISO__SPACE_STAGE_MIDDLE][c][lane] = (int32_t)iso__div_round_few(sum[c], manifold->count);
    }
}

/// rho, and the levers of the points.
static int32_t row_fill_levers(const iso__space_stage_body *body, uint32_t count, uint32_t lane,
                               iso__space_contact_group *group) {
    uint32_t distances[ISO__SPACE_MANIFOLD_POINTS], radius = 0;
    for (uint32_t p = 0; p < count; ++p) {
        uint64_t squared = 0;
        for (int c = 0; c < 3; ++c) {
            const int64_t apart = (int64_t)body->anchor[p][c][lane] - body->anchor[ISO__SPACE_STAGE_MIDDLE][c][lane];
            const int64_t within = iso__clamp64(apart, -PATCH_MAX, PATCH_MAX);
            squared += (uint64_t)(within * within);
        }
        distances[p] = iso__isqrt64(squared);
        radius = distances[p] > radius ? distances[p] : radius;
    }
    const uint64_t reciprocal = radius == 0 ? 0 : ((UINT64_C(1) << 61) + radius / 2) / radius;
    for (uint32_t p = 0; p < count; ++p) {
        const int64_t lever = (int64_t)((distances[p] * reciprocal + (UINT64_C(1) << 30)) >> 31);
        group->points[p].lever[lane] = (int32_t)iso__min64(lever, ISO__UNIT_ONE);
    }
    return (int32_t)radius;
}

static void row_fill_directions(const iso__space_contact *contact, const int32_t n[3], int32_t friction, uint32_t lane,
                                iso__space_contact_group *group) {
    int32_t t1[3], t2[3];
    iso__tangents3(n, t1, t2);
    group->normal[0][lane] = (iso__pair_lane){n[0], n[1]};
    group->normal[1][lane] = (iso__pair_lane){n[2], friction};
    group->tangents[0][lane] = (iso__pair_lane){t1[0], t1[1]};
    group->tangents[1][lane] = (iso__pair_lane){t1[2], t2[0]};
    group->tangents[2][lane] = (iso__pair_lane){t2[1], t2[2]};
    const int64_t along1 = iso__round_shift(iso__dot3(contact->friction_impulse, t1), 30);
    const int64_t along2 = iso__round_shift(iso__dot3(contact->friction_impulse, t2), 30);
    group->friction_impulse[lane] = (iso__pair_lane){(int32_t)iso__clamp64(along1, -IMPULSE_MAX, IMPULSE_MAX),
                                                     (int32_t)iso__clamp64(along2, -IMPULSE_MAX, IMPULSE_MAX)};
}

/// The velocity at which A's surface carries B, along t1 and t2.
static void row_fill_surface(const int32_t n[3], const int32_t surface[3], uint32_t lane,
                             iso__space_contact_group *group) {
    int32_t t[2][3];
    iso__tangents3(n, t[0], t[1]);
    for (int i = 0; i < 2; ++i) {
        group->surface[i][lane] = (int32_t)iso__round_shift(iso__dot3(surface, t[i]), 30);
        group->carries = group->carries || group->surface[i][lane] != 0;
    }
}

static void row_fill_points(const iso__step_params *params, const iso__space_manifold *manifold,
                            const iso__space_contact *contact, uint32_t lane, iso__space_contact_group *group) {
    for (uint32_t p = 0; p < ISO__SPACE_MANIFOLD_POINTS; ++p) {
        iso__space_point_lanes *point = &group->points[p];
        const int32_t separation = p < manifold->count ? manifold->points[p].separation : 0;
        point->impulse[lane] = (iso__pair_lane){p < manifold->count ? contact->normal_impulse[p] : 0, 0};
        point->separation[lane] = separation;
        point->separation_now[lane] = iso__clamp32(separation, params->deepest, params->farthest);
    }
}

/// What is zero of all contacts' points before the step, or where a contact has no such point: once for all.
static void row_clear_points(iso__space_contact_group *group) {
    for (uint32_t p = 0; p < ISO__SPACE_MANIFOLD_POINTS; ++p) {
        iso__space_point_lanes *point = &group->points[p];
        memset(point->lever, 0, sizeof point->lever);
        memset(point->approach, 0, sizeof point->approach);
        memset(point->impulse_max, 0, sizeof point->impulse_max);
        memset(point->impulse_sum, 0, sizeof point->impulse_sum);
    }
}

/// Reads a contact: all but what follows from the rows' arms and gains.
static void row_read(const iso__space *space, uint32_t number, uint32_t lane, iso__space_contact_group *group,
                     iso__space_stage *stage) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__space_contact *contact = &space->contacts[number];
    const iso__space_manifold *manifold = &scratch->manifolds[scratch->contact_manifolds[number]];
    const iso__space_shape *shape_a = &space->shapes[contact->shape_a], *shape_b = &space->shapes[contact->shape_b];
    const uint32_t a = shape_a->body, b = shape_b->body;
    const bool moves_a = scratch->motions[a].is_dynamic, moves_b = scratch->motions[b].is_dynamic;
    const iso__mass_shares shares =
        iso__mass_shares_make(moves_a ? scratch->gains[a].mass : 0, moves_b ? scratch->gains[b].mass : 0);
    const iso__space_contact_rule rule =
        scratch->rules == NULL ? iso__space_contact_mix(shape_a, shape_b) : scratch->rules[number];
    group->body_a[lane] = a;
    group->body_b[lane] = b;
    group->contact[lane] = number;
    group->share[lane] = (iso__pair_lane){shares.lo, shares.hi};
    group->moves_a = (uint8_t)(group->moves_a | moves_a << lane);
    group->moves_b = (uint8_t)(group->moves_b | moves_b << lane);
    group->restitution[lane] = rule.restitution;
    group->bounces = group->bounces || group->restitution[lane] > 0;
    group->notes = group->notes || (contact->flags & ISO__SPACE_CONTACT_TOUCHES) == 0;
    group->point_count = manifold->count > group->point_count ? manifold->count : group->point_count;
    row_fill_directions(contact, manifold->normal, rule.friction, lane, group);
    if (scratch->rules != NULL) {
        row_fill_surface(manifold->normal, rule.surface, lane, group);
    }
    row_fill_points(&scratch->params, manifold, contact, lane, group);
    stage_anchors(manifold, false, lane, &stage->a);
    stage_anchors(manifold, true, lane, &stage->b);
    const int32_t radius = manifold->count < 2 ? 0 : row_fill_levers(&stage->a, manifold->count, lane, group);
    group->radius[lane] = radius;
    stage_body(space, a, shares.lo, manifold->normal, radius, lane, &stage->a);
    stage_body(space, b, shares.hi, manifold->normal, radius, lane, &stage->b);
}

// ---- what follows from arms and gains ------------------------------------------------------------

/// Of Q.52, to Q31.32.
static int64_t row_turning(int64_t exact) {
    return iso__round_shift(exact, 20);
}

/// The normal velocity [m/s] Q12.19 of a point now.
static int32_t row_velocity_now(const iso__space *space, const iso__space_contact_group *group, uint32_t p,
                                uint32_t lane) {
    const iso__space_motion *a = &space->scratch->motions[group->body_a[lane]];
    const iso__space_motion *b = &space->scratch->motions[group->body_b[lane]];
    const int32_t normal[3] = {group->normal[0][lane].lo, group->normal[0][lane].hi, group->normal[1][lane].lo};
    const iso__space_turn_lanes *turn = &group->points[p].turn;
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)normal[i] * ((int64_t)b->velocity[i] - a->velocity[i]);
        sum += (int64_t)turn->b[i][lane].lo * b->spin[i] - (int64_t)turn->a[i][lane].lo * a->spin[i];
    }
    return (int32_t)iso__clamp64(iso__round_shift(sum, 30), -IMPULSE_MAX, IMPULSE_MAX);
}

static void row_finish_friction(const iso__space_stage *stage, uint32_t lane, iso__space_contact_group *group) {
    iso__inverse2 inverse;
    const int64_t k11 = ISO_WIDE_ONE + row_turning(stage->friction_turning[0][lane]);
    const int64_t k12 = row_turning(stage->friction_turning[1][lane]);
    const int64_t k22 = ISO_WIDE_ONE + row_turning(stage->friction_turning[2][lane]);
    iso__inverse2_make(k11, k12, k22, &inverse);
    // No eigenvalue is larger than the larger sum of a row (Gershgorin).
    const uint64_t largest = (uint64_t)iso__max64(iso__max64(k11, k22), ISO_WIDE_ONE) + iso__abs_u64(k12);
    group->friction_step[lane] = (int32_t)(((UINT64_C(1) << 62) + largest / 2) / largest);
    // Gains that are at their bounds may make a matrix whose inverse is above 1, or saturates.
    const int64_t one = INT64_C(1) << 62;
    group->friction_mass[0][lane] = (int32_t)iso__round_shift(iso__clamp64(inverse.i11, 0, one), 32);
    group->friction_mass[1][lane] = (int32_t)iso__round_shift(iso__clamp64(inverse.i12, -one, one), 32);
    group->friction_mass[2][lane] = (int32_t)iso__round_shift(iso__clamp64(inverse.i22, 0, one), 32);
}

static void row_finish_twist(const iso__space *space, const iso__space_stage *stage, uint32_t lane,
                             iso__space_contact_group *group) {
    const int64_t K = row_turning(stage->twist_turning[lane]);
    group->twist[lane] = (iso__pair_lane){0, 0};
    if (K > 0) {
        const int32_t stored = space->contacts[group->contact[lane]].twist_impulse;
        const int64_t impulse = iso__div_round64(iso__shl64(stored, ISO__SPACE_TWIST_SHIFT), group->radius[lane]);
        group->twist[lane].lo = (int32_t)iso__clamp64(impulse, -IMPULSE_MAX, IMPULSE_MAX);
        group->twist[lane].hi = (int32_t)iso__min64(((INT64_C(1) << 52) + K / 2) / K, INT32_MAX);
    }
}

static void row_finish(const iso__space *space, const iso__space_stage *stage, uint32_t lane,
                       iso__space_contact_group *group) {
    const uint32_t count = space->contacts[group->contact[lane]].point_count;
    for (uint32_t p = 0; p < count; ++p) {
        const int64_t turning = row_turning(stage->point_turning[p][lane]);
        const uint64_t K = (uint64_t)(ISO_WIDE_ONE + iso__max64(turning, 0));
        group->points[p].impulse[lane].hi = (int32_t)(((UINT64_C(1) << 62) + K / 2) / K); // at most one
        if (group->restitution[lane] > 0) {
            group->points[p].approach[lane] = row_velocity_now(space, group, p, lane);
        }
    }
    row_finish_friction(stage, lane, group);
    row_finish_twist(space, stage, lane, group);
}

void iso__space_contacts_fill(iso__space *space, const uint32_t *contacts, iso__space_contact_group *group) {
    const iso__space_kernels *kernels = space->scratch->kernels;
    iso__space_stage stage;
    ISO_ASSERT(group->count <= ISO__LANES);
    if (group->count < ISO__LANES) {
        memset(&stage.a, 0, sizeof stage.a);
        memset(&stage.b, 0, sizeof stage.b);
    }
    stage.a.has_extra = stage.b.has_extra = false;
    row_clear_points(group);
    for (uint32_t lane = 0; lane < group->count; ++lane) {
        row_read(space, contacts[lane], lane, group, &stage);
    }
    (kernels == NULL ? iso__space_stage_portable : kernels->stage)(&stage, group);
    for (uint32_t lane = 0; lane < group->count; ++lane) {
        row_finish(space, &stage, lane, group);
    }
}
