/// The rows of one contact, in plain C; contact_prepare_kernel.h fills those of several at once with the same bits.
///
/// A row along the unit vector d, which is n or t = (-n.y, n.x), has C = d.(xB + rB - xA - rA), and with w = omega L
///
///   Cdot = d.(vB - vA) + wB rdB - wA rdA,   rd = (r x d)/L                arms, Q2.30, within +-1
///   K    = J M^-1 J^T / sigma = 1 + gA rdA + gB rdB                       sigma = 1/mA + 1/mB
///   g    = (L^2/(I sigma)) rd                                             gains, Q9.22
///
/// An impulse j = sigma lambda [m/s] then moves d.(vB - vA) by j, wA by -gA j and wB by gB j. Stored is 1/K, Q2.30.
#include "plane/dynamics/contact_row.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/collide/manifold.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_rules.h"
#include "plane/world/contact.h"
#include "plane/world/scratch.h"

#define TIE_STEP (1 << 16) // coefficients that are multiples of it make ties of small speeds

/// Moves a coefficient that is a multiple of a power of two by a quantum, away from zero or towards it.
///
/// Arms and gains of upright boxes are multiples of 1/4 or so. An odd speed times one half is a tie, and ties round
/// upwards: rows that stay the same tick after tick then read half a quantum too much of one sign, and a stack creeps
/// by a quantum of speed for good. With a coefficient beside it, a value and its opposite round alike. Away in the
/// normal's rows, towards zero in those of friction: of the ways to do it, this one is nearest to double precision in
/// the scenes of test_accuracy.
static int32_t contact_break_tie(int32_t coefficient, int32_t by) {
    if (coefficient == 0 || coefficient % TIE_STEP != 0) {
        return coefficient;
    }
    return coefficient > 0 ? coefficient + by : coefficient - by;
}

/// r x direction / L as Q2.30, clamped to below ±1: the point of a speculative contact may lie outside of L.
static int32_t contact_arm(const int32_t anchor[2], int32_t x, int32_t y, int8_t radius_exponent) {
    const int64_t moment = iso__cross32(anchor[0], anchor[1], x, y); // Q.54
    return (int32_t)iso__clamp64(iso__round_shift(moment, (unsigned)(24 + radius_exponent)), 1 - ISO__UNIT_ONE,
                                 ISO__UNIT_ONE - 1);
}

/// The coefficients of one row for one body: its arm and g = gain * arm.
/// @param by  0, or see contact_break_tie
static iso__pair_lane contact_row_side(int32_t arm, int64_t gain, int32_t by) {
    arm = contact_break_tie(arm, by);
    return (iso__pair_lane){arm, contact_break_tie((int32_t)iso__round_shift(gain * arm, 30), by)};
}

/// 1/K as Q2.30 of K = 1 + gA rA + gB rB. K is at least one, since g and r have the same sign.
static int32_t contact_row_mass(iso__pair_lane a, iso__pair_lane b) {
    const int64_t turning = (int64_t)a.lo * a.hi + (int64_t)b.lo * b.hi; // Q.52
    return iso__recip_unit((uint64_t)ISO_WIDE_ONE + (uint64_t)((turning + (INT64_C(1) << 19)) >> 20));
}

/// @param step  1 breaks ties, 0 does not
static void contact_fill_point(iso__plane_contact_group *group, uint32_t lane, uint32_t p,
                               const iso__plane_manifold *manifold, int32_t step) {
    iso__plane_point_lanes *point = &group->points[p];
    const iso__plane_manifold_point *from = &manifold->points[p];
    const int32_t nx = manifold->normal[0], ny = manifold->normal[1];
    const int8_t ka = (int8_t)(ISO__PLANE_SCALE_MAX - group->scale[lane].lo),
                 kb = (int8_t)(ISO__PLANE_SCALE_MAX - group->scale[lane].hi);
    const int64_t ga = group->gain[lane].lo, gb = group->gain[lane].hi;
    const iso__pair_lane na = contact_row_side(contact_arm(from->anchor_a, nx, ny, ka), ga, step);
    const iso__pair_lane nb = contact_row_side(contact_arm(from->anchor_b, nx, ny, kb), gb, step);
    const iso__pair_lane ta = contact_row_side(contact_arm(from->anchor_a, -ny, nx, ka), ga, -step);
    const iso__pair_lane tb = contact_row_side(contact_arm(from->anchor_b, -ny, nx, kb), gb, -step);
    point->normal_a[lane] = na;
    point->normal_b[lane] = nb;
    point->tangent_a[lane] = ta;
    point->tangent_b[lane] = tb;
    point->mass[lane] = (iso__pair_lane){contact_row_mass(na, nb), contact_row_mass(ta, tb)};
}

void iso__plane_contact_update_rows(const iso__plane *plane, iso__plane_contact_group *group, uint32_t lane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_VALIDATE_ASSERT(lane < group->count);
    const uint32_t number = group->contact[lane];
    const iso__plane_contact *contact = &plane->contacts[scratch->solved[number]];
    const iso__plane_manifold *manifold = &scratch->manifolds[number];
    const iso__plane_contact_surface *surface = &scratch->surfaces[number];
    group->surface[lane] = (iso__pair_lane){surface->friction, surface->restitution};
    group->drive[lane] = surface->speed;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        iso__plane_point_lanes *point = &group->points[p];
        point->impulse[lane] = (iso__pair_lane){contact->normal_impulse[p], contact->tangent_impulse[p]};
    }
}

void iso__plane_contact_fill_rows(const iso__plane *plane, iso__plane_contact_group *group, uint32_t lane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_VALIDATE_ASSERT(lane < group->count);
    const uint32_t number = group->contact[lane];
    const iso__plane_manifold *manifold = &scratch->manifolds[number];
    group->normal[lane] = (iso__pair_lane){manifold->normal[0], manifold->normal[1]};
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact_fill_point(group, lane, p, manifold, scratch->surfaces[number].tie_step);
    }
    iso__plane_contact_update_rows(plane, group, lane);
}
