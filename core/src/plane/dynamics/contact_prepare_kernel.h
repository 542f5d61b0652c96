/// The rows of contacts in lanes: the arithmetic of contact_row.c, eight contacts or half of them at a time. Included
/// by one file per instruction set, after its lane operations.
///
///   rd = (r x d)/L  Q2.30,   g = (L^2/(I sigma)) rd  Q9.22,   K = 1 + gA rdA + gB rdB,   for d = n and d = t
///
/// As in contact_kernel.h a lane is 64 bits wide and numbers of 32 bits stand in its low half. Arms are sums of
/// products of 64 bits, for which no set has an arithmetic shift by lane. A logical one brings the same low half down,
/// if the result fits 32 bits; whether all do is tested once for all arms of a body. A lane where one does not (its
/// point lies farther outside of the body's radius than this is long), or whose K is 16 or more (a body's is at most
/// about 3, unless the scene has set its inertia), is filled by the scalar code.
///
/// The reciprocals 1/K are exact: see kernel_recip. Compared with the scalar code:
/// tests/unit/plane/dynamics/test_contact_prepare.c.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_PREPARE_KERNEL_H
#define ISO_PLANE_DYNAMICS_CONTACT_PREPARE_KERNEL_H

#include <stddef.h>

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_row.h"
#include "plane/world/scratch.h"
#include "simd/lanes.h"

_Static_assert(offsetof(iso__plane_manifold_point, anchor_b) == 8, "both anchors are gathered at once");
_Static_assert(offsetof(iso__plane_contact, tangent_impulse) == offsetof(iso__plane_contact, normal_impulse) + 8,
               "all impulses are gathered at once");
_Static_assert(sizeof(iso__plane_contact_surface) == 16 && offsetof(iso__plane_contact_surface, speed) == 8,
               "surfaces are gathered whole");

/// A body of each contact of a chunk.
typedef struct kernel_side {
    iso__lanes gain;    // low
    iso__lanes half;    // of the rounding of its arms
    iso__lanes shift;   // of its arms
    iso__lanes bound;   // 2^31 of an arm's quanta
    iso__lanes outside; // has a bit from `bound`, doubled, on if an arm is outside of it
} kernel_side;

/// @param scale  0 to 14, widened
ISO__ALWAYS_INLINE kernel_side kernel_side_make(iso__lanes gain, iso__lanes scale) {
    return (kernel_side){
        .gain = gain,
        .half = iso__lanes_shift_right_each(iso__lanes_set(INT64_C(1) << 29), scale),
        .shift = iso__lanes_sub(iso__lanes_set(24 + ISO__PLANE_SCALE_MAX), scale),
        .bound = iso__lanes_shift_right_each(iso__lanes_set(INT64_C(1) << 61), scale),
        .outside = iso__lanes_set(0),
    };
}

/// A row's coefficients for one body.
typedef struct kernel_row_side {
    iso__lanes arm, g; // low
} kernel_row_side;

/// A coefficient's sign where it is a multiple of a power of two, else 0. Low. See contact_break_tie.
/// @param step  low: 1 or 0, which gives 0
ISO__ALWAYS_INLINE iso__lanes kernel_tie(iso__lanes coefficient, iso__lanes step) {
    const iso__lanes zero = iso__lanes_set(0);
    const iso__lanes rest = iso__lanes_shift_right(iso__lanes_shift_left(coefficient, 48), 48);
    return iso__lanes_if_positive(rest, zero, iso__lanes_clamp(coefficient, iso__lanes_sub(zero, step), step));
}

/// @param moment      r x direction, Q.54
/// @param is_tangent  ties are broken towards zero, else away from it
ISO__ALWAYS_INLINE kernel_row_side kernel_row_side_make(kernel_side *side, iso__lanes moment, iso__lanes step,
                                                        bool is_tangent) {
    const iso__lanes sum = iso__lanes_add(moment, side->half);
    side->outside = iso__lanes_or(side->outside, iso__lanes_add(sum, side->bound));
    iso__lanes arm = iso__lanes_clamp(iso__lanes_shift_right_each(sum, side->shift), iso__lanes_set(1 - ISO__UNIT_ONE),
                                      iso__lanes_set(ISO__UNIT_ONE - 1));
    const iso__lanes arm_tie = kernel_tie(arm, step);
    arm = is_tangent ? iso__lanes_sub(arm, arm_tie) : iso__lanes_add(arm, arm_tie);
    const iso__lanes g =
        iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(side->gain, arm), iso__lanes_set(INT64_C(1) << 29)), 30);
    const iso__lanes g_tie = kernel_tie(g, step);
    return (kernel_row_side){arm, is_tangent ? iso__lanes_sub(g, g_tie) : iso__lanes_add(g, g_tie)};
}

/// One step of Newton's method for y = 1/d, both Q.30. Low.
ISO__ALWAYS_INLINE iso__lanes kernel_recip_step(iso__lanes d, iso__lanes y) {
    const iso__lanes rest = iso__lanes_sub(iso__lanes_set(INT64_C(1) << 60), iso__lanes_mul(d, y));
    return iso__lanes_add(y, iso__lanes_shift_right(iso__lanes_mul(y, iso__lanes_shift_right(rest, 30)), 30));
}

/// 1/K as Q2.30, as iso__recip_unit rounds it, of K in Q.32 from 1 to below 16.
///
/// With K = 2^e d and d from 1 to 2, cut to Q.30: 24/17 - 8/17 d is within 1/17 of 1/d, and three steps square the
/// relative error to below 2^-32. With what d was cut by (up to one quantum of the result) and what is cut from the
/// result (another one, of the other sign), the quotient is at most 1.3 quanta off before it is made whole. So it
/// differs from the rounded one by at most one, and the remainder of the division, whose sum fits 64 bits, tells which
/// one it is.
ISO__ALWAYS_INLINE iso__lanes kernel_recip(iso__lanes k) {
    // 1 to 15: of a larger K the result is not used, but no lane may be shifted by more than its bits.
    const iso__lanes whole = iso__lanes_min(iso__lanes_shift_right(k, 32), iso__lanes_set(15));
    const iso__lanes e =
        iso__lanes_add(iso__lanes_add(iso__lanes_shift_right(iso__lanes_add(whole, iso__lanes_set(14)), 4),
                                      iso__lanes_shift_right(iso__lanes_add(whole, iso__lanes_set(12)), 4)),
                       iso__lanes_shift_right(iso__lanes_add(whole, iso__lanes_set(8)), 4));
    const iso__lanes shift = iso__lanes_add(e, iso__lanes_set(2));
    const iso__lanes d = iso__lanes_shift_right_each(k, shift);
    iso__lanes y = iso__lanes_sub(iso__lanes_set(INT64_C(1515870811)),
                                  iso__lanes_shift_right(iso__lanes_mul(d, iso__lanes_set(INT64_C(505290270))), 30));
    y = kernel_recip_step(d, kernel_recip_step(d, y));
    // The last step with 16 bits more, and a sum above zero for the shift.
    const iso__lanes rest = iso__lanes_sub(iso__lanes_set(INT64_C(1) << 60), iso__lanes_mul(d, y));
    const iso__lanes change = iso__lanes_shift_right(
        iso__lanes_add(iso__lanes_mul(y, iso__lanes_shift_right(rest, 14)), iso__lanes_set(INT64_C(1) << 62)), 46);
    y = iso__lanes_add(y, iso__lanes_sub(change, iso__lanes_set(INT64_C(1) << 16)));
    const iso__lanes quotient =
        iso__lanes_shift_right_each(iso__lanes_shift_left(y, 32), iso__lanes_add(shift, iso__lanes_set(30)));
    // The low half of K counts as signed in the product, so the high one is rounded to it.
    const iso__lanes high = iso__lanes_shift_right(iso__lanes_add(k, iso__lanes_set(INT64_C(1) << 31)), 32);
    const iso__lanes product =
        iso__lanes_add(iso__lanes_mul(quotient, k), iso__lanes_shift_left(iso__lanes_mul(quotient, high), 32));
    const iso__lanes dividend = iso__lanes_add(iso__lanes_shift_right(k, 1), iso__lanes_set(INT64_C(1) << 62));
    const iso__lanes left = iso__lanes_sub(dividend, product); // from -K to below 2 K
    const iso__lanes is_high = iso__lanes_shift_right(left, 63);
    const iso__lanes is_not_low = iso__lanes_shift_right(iso__lanes_sub(left, k), 63);
    return iso__lanes_sub(iso__lanes_add(quotient, iso__lanes_set(1)), iso__lanes_add(is_high, is_not_low));
}

/// K of a row, Q.32.
ISO__ALWAYS_INLINE iso__lanes kernel_row_inverse_mass(kernel_row_side a, kernel_row_side b) {
    const iso__lanes turning = iso__lanes_add(iso__lanes_mul(a.arm, a.g), iso__lanes_mul(b.arm, b.g));
    return iso__lanes_add(iso__lanes_set(ISO_WIDE_ONE),
                          iso__lanes_shift_right(iso__lanes_add(turning, iso__lanes_set(INT64_C(1) << 19)), 20));
}

/// The contacts of a chunk.
typedef struct kernel_filling {
    const iso__plane_manifold *manifolds;
    const uint32_t *numbers;
    iso__lanes nx, ny; // low
    iso__lanes step;   // low: 1 breaks ties
    kernel_side a, b;
    iso__lanes k_bits; // of all K
} kernel_filling;

ISO__ALWAYS_INLINE void kernel_fill_point(kernel_filling *on, iso__plane_point_lanes *point, uint32_t i, uint32_t p) {
    iso__lanes ax, bx;
    iso__lanes_gather(on->manifolds->points[p].anchor_a, sizeof *on->manifolds, on->numbers, &ax, &bx);
    const iso__lanes ay = iso__lanes_high(ax), by = iso__lanes_high(bx);
    const kernel_row_side na = kernel_row_side_make(
        &on->a, iso__lanes_sub(iso__lanes_mul(ax, on->ny), iso__lanes_mul(ay, on->nx)), on->step, false);
    const kernel_row_side nb = kernel_row_side_make(
        &on->b, iso__lanes_sub(iso__lanes_mul(bx, on->ny), iso__lanes_mul(by, on->nx)), on->step, false);
    const kernel_row_side ta = kernel_row_side_make(
        &on->a, iso__lanes_add(iso__lanes_mul(ax, on->nx), iso__lanes_mul(ay, on->ny)), on->step, true);
    const kernel_row_side tb = kernel_row_side_make(
        &on->b, iso__lanes_add(iso__lanes_mul(bx, on->nx), iso__lanes_mul(by, on->ny)), on->step, true);
    iso__lanes_store(&point->normal_a[i], iso__lanes_pair(na.arm, na.g));
    iso__lanes_store(&point->normal_b[i], iso__lanes_pair(nb.arm, nb.g));
    iso__lanes_store(&point->tangent_a[i], iso__lanes_pair(ta.arm, ta.g));
    iso__lanes_store(&point->tangent_b[i], iso__lanes_pair(tb.arm, tb.g));
    const iso__lanes kn = kernel_row_inverse_mass(na, nb), kt = kernel_row_inverse_mass(ta, tb);
    on->k_bits = iso__lanes_or(on->k_bits, iso__lanes_or(kn, kt));
    iso__lanes_store(&point->mass[i], iso__lanes_pair(kernel_recip(kn), kernel_recip(kt)));
}

/// Whether an arm or a K of the chunk was beyond what the lanes hold.
ISO__ALWAYS_INLINE bool kernel_filling_is_beyond(const kernel_filling *on) {
    const iso__lanes top = iso__lanes_set(32);
    const iso__lanes a = iso__lanes_shift_right_each(on->a.outside, iso__lanes_add(on->a.shift, top));
    const iso__lanes b = iso__lanes_shift_right_each(on->b.outside, iso__lanes_add(on->b.shift, top));
    return !iso__lanes_are_zero(iso__lanes_or(iso__lanes_or(a, b), iso__lanes_shift_right(on->k_bits, 36)));
}

/// The contacts of a step.
typedef struct kernel_contacts {
    const iso__plane_contact *records;
    const uint32_t *solved;                     // which of them are solved
    const iso__plane_contact_surface *surfaces; // of these
    const iso__plane_manifold *manifolds;       // of these
} kernel_contacts;

/// As iso__plane_contact_update_rows. @return low: what breaks ties, 1 or 0
ISO__ALWAYS_INLINE iso__lanes kernel_update(const kernel_contacts *of, iso__plane_contact_group *group, uint32_t i) {
    const uint32_t *numbers = &group->contact[i];
    uint32_t contacts[ISO__LANES_COUNT];
    for (uint32_t n = 0; n < ISO__LANES_COUNT; ++n) {
        contacts[n] = of->solved[numbers[n]];
    }
    iso__lanes surface, drive, normals, tangents;
    iso__lanes_gather(of->surfaces, sizeof *of->surfaces, numbers, &surface, &drive);
    iso__lanes_store(&group->surface[i], surface);
    iso__lanes_narrow(&group->drive[i], drive);
    iso__lanes_gather(of->records->normal_impulse, sizeof *of->records, contacts, &normals, &tangents);
    iso__lanes_store(&group->points[0].impulse[i], iso__lanes_pair(normals, tangents));
    iso__lanes_store(&group->points[1].impulse[i], iso__lanes_with_low(iso__lanes_high(normals), tangents));
    return iso__lanes_high(drive);
}

/// @return false: the scalar code has to fill the chunk
ISO__ALWAYS_INLINE bool kernel_fill(const kernel_contacts *of, iso__plane_contact_group *group, uint32_t i) {
    const iso__lanes gain = iso__lanes_load(&group->gain[i]), scale = iso__lanes_load(&group->scale[i]);
    const iso__lanes scale_a = iso__lanes_shift_right(iso__lanes_shift_left(scale, 32), 32);
    kernel_filling on = {
        .manifolds = of->manifolds,
        .numbers = &group->contact[i],
        .a = kernel_side_make(gain, scale_a),
        .b = kernel_side_make(iso__lanes_high(gain), iso__lanes_high(scale)),
        .k_bits = iso__lanes_set(0),
    };
    on.step = kernel_update(of, group, i);
    on.nx = iso__lanes_gather_pairs(on.manifolds->normal, sizeof *on.manifolds, on.numbers);
    on.ny = iso__lanes_high(on.nx);
    iso__lanes_store(&group->normal[i], on.nx);
    kernel_fill_point(&on, &group->points[0], i, 0);
    kernel_fill_point(&on, &group->points[1], i, 1);
    return !kernel_filling_is_beyond(&on);
}

#define KERNEL_ALL ((1u << ISO__LANES_COUNT) - 1)

static void kernel_contacts_prepare(const iso__plane *plane, iso__plane_contact_group *group, uint32_t same) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const kernel_contacts of = {plane->contacts, scratch->solved, scratch->surfaces, scratch->manifolds};
    for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
        const uint32_t all = group->count - i < ISO__LANES_COUNT ? (1u << (group->count - i)) - 1 : KERNEL_ALL;
        if ((same >> i & all) == all) {
            kernel_update(&of, group, i);
            continue;
        }
        const bool is_filled = group->count - i > 1 && kernel_fill(&of, group, i);
        for (uint32_t lane = i; !is_filled && lane < group->count && lane < i + ISO__LANES_COUNT; ++lane) {
            iso__plane_contact_fill_rows(plane, group, lane);
        }
    }
}

#endif
