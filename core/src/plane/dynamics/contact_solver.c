/// The contact rows, one lane at a time: the portable path, and what the kernels (contact_kernel.h) must equal.
///
/// In the letters of core/NUMERICS.md. Per contact: n the normal, t = (-n.y, n.x) the tangent, aA and aB the
/// mass shares, j the impulse in velocity units (sigma times the impulse in N s, so no mass appears). Per point
/// and body: rn = (r x n)/L, g = (L^2/(I sigma)) rn, K = 1 + gA rnA + gB rnB, likewise with t. The relative
/// velocity is projected on n and t once; a row then moves
///
///   un += dj          wA -= gA dj          wB += gB dj
///
/// with w kept in Q.41 (the exact product of g and j), so that only the final scatter rounds it.
///
/// The rows of a point, with h the substep, s the separation, e and mu restitution and friction, and of soft contacts
/// `rate`, ms and is (solver/softness.h). Velocities and impulses are in m/s, Q12.19; 1/K is Q2.30; s is in m, Q7.24:
///
///   vn = un + wB rnB - wA rnA        vt = ut + wB rtB - wA rtA - drive        rt = (r x t)/L
///
///   normal       s > 0          j' = max(0, j - (vn + s/h)/K), so that the shapes may touch within the substep
///                s <= 0, solve  j' = max(0, j - (ms vn + max(ms rate s, -push))/K - is j)
///                s <= 0, relax  j' = max(0, j - vn/K)
///   friction     relax          jt' = jt - vt/K, cut to +-mu j, j the normal impulse of the point
///   restitution  at the end     j' = max(0, j - (vn + e v0)/K), v0 < 0 what vn was before the step
///
/// Separations follow the bodies to first order, s = s0 + n.(pB - pA) + turnedB rnB - turnedA rnA: the same
/// projection as the velocity's. The omitted term is r angle^2 / 2, at most 0.1 mm in a tick for a unit box that turns
/// one radian per second; the next tick computes a new manifold. Bodies move between the solve pass and the relax pass
/// of a substep, and not before the next solve pass: the relax pass keeps the separations for it.
///
/// Ranges: |v| and |w| at most 512, |rn| at most 1, so the relative velocity of a point is below 2 sqrt(2) 512 +
/// 2 * 512 = 2472 m/s, and with bias (512), j (512) and j (512) every sum stays below 4008 of 4096, with a drive (80)
/// instead of the bias as well. A row may turn a body faster than 512 m/s until the scatter clamps it, by up to sqrt(G)
/// / 2 of the row's velocity with G = m L^2/I, and the contact's next row then reads that. Beyond 4096 m/s sums wrap;
/// with a body of one density (G below 12) that takes a row velocity above 2069 m/s. They wrap as unsigned numbers, so
/// every kernel gives the same bits, and impulses and velocities stay clamped. Corners:
/// tests/unit/plane/dynamics/test_contact_row.c.
#include "plane/dynamics/contact_solver.h"

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_lane.h"
#include "plane/dynamics/kernels.h"
#include "plane/world/scratch.h"
#include "solver/params.h"
#include "solver/softness.h"

#define IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define SPEED_MAX   ISO__PLANE_SPEED_MAX

static void contacts_warm_start(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        const iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            const iso__pair_lane first = group->points[0].impulse[i], second = group->points[1].impulse[i];
            if ((first.lo | first.hi | second.lo | second.hi) == 0) {
                continue; // does not touch (yet); nothing would change, since velocities are within their range
            }
            iso__plane_lane_state lane;
            iso__plane_lane_gather(&lane, scratch->motions, group, i);
            int32_t jn = 0, jt = 0;
            const int point_count = group->points[1].mass[i].lo != 0 ? 2 : 1;
            for (int p = 0; p < point_count; ++p) {
                const iso__plane_point_lanes *point = &group->points[p];
                const iso__pair_lane impulse = point->impulse[i];
                iso__plane_row_apply(&lane, &jn, point->normal_a[i], point->normal_b[i], impulse.lo);
                iso__plane_row_apply(&lane, &jt, point->tangent_a[i], point->tangent_b[i], impulse.hi);
            }
            iso__plane_lane_scatter(&lane, group, i, jn, jt);
        }
    }
}

/// The separation after the bodies' travel, cut to where the bias is at its limits.
ISO__ALWAYS_INLINE int32_t point_separate(const iso__plane_lane_state *lane, const iso__plane_point_lanes *point,
                                          uint32_t i, int64_t approached, const iso__step_params *params) {
    const iso__pair_lane a = point->normal_a[i], b = point->normal_b[i];
    const int64_t turned = (int64_t)lane->b->turned * b.lo - (int64_t)lane->a->turned * a.lo;
    return (int32_t)iso__clamp64(point->separation[i] + ((approached + turned + (INT64_C(1) << 29)) >> 30),
                                 params->deepest, params->farthest);
}

/// dj = j' - j of the row along n. @param soft  NULL: relax @return dj
ISO__ALWAYS_INLINE int32_t point_solve_normal(iso__plane_lane_state *lane, iso__plane_point_lanes *point, uint32_t i,
                                              int64_t s, const iso__step_params *params, const iso__softness *soft) {
    const iso__pair_lane a = point->normal_a[i], b = point->normal_b[i];
    iso__pair_lane *impulse = &point->impulse[i];
    int32_t wanted = iso__plane_row_velocity(lane, lane->un, a, b);
    int64_t change = 0;
    if (s > 0) {
        wanted = iso__add32(wanted, (int32_t)iso__min64(iso__round_shift(s * params->substep_rate, 5), SPEED_MAX));
    } else if (soft) {
        const int64_t bias = iso__max64(iso__round_shift(s * soft->bias_rate, 25), -params->push);
        wanted = iso__add32(iso__plane_unit_round((int64_t)soft->mass_scale * wanted), (int32_t)bias);
        change = (int64_t)soft->impulse_scale * impulse->lo;
    }
    change += (int64_t)wanted * point->mass[i].lo;
    const int32_t j = iso__clamp32(iso__sub32(impulse->lo, iso__plane_unit_round(change)), 0, IMPULSE_MAX);
    const int32_t dj = j - impulse->lo;
    impulse->lo = j;
    iso__plane_row_apply(lane, &lane->un, a, b, dj);
    return dj;
}

/// dj = jt' - jt of the row along t. @param friction  mu Q4.28 @param drive  [m/s] Q12.19 @return dj
ISO__ALWAYS_INLINE int32_t point_solve_friction(iso__plane_lane_state *lane, iso__plane_point_lanes *point, uint32_t i,
                                                int32_t friction, int32_t drive) {
    iso__pair_lane *impulse = &point->impulse[i];
    if ((impulse->lo | impulse->hi) == 0) {
        return 0; // what does not push has no friction
    }
    const iso__pair_lane a = point->tangent_a[i], b = point->tangent_b[i];
    const int32_t vt = iso__sub32(iso__plane_row_velocity(lane, lane->ut, a, b), drive);
    const int64_t limit = iso__min64(((int64_t)friction * impulse->lo) >> ISO__FRICTION_FRACTION, IMPULSE_MAX);
    const int64_t wanted = iso__sub32(impulse->hi, iso__plane_unit_round((int64_t)vt * point->mass[i].hi));
    const int32_t j = (int32_t)iso__clamp64(wanted, -limit, limit);
    const int32_t dj = j - impulse->hi;
    impulse->hi = j;
    iso__plane_row_apply(lane, &lane->ut, a, b, dj);
    return dj;
}

ISO__ALWAYS_INLINE int32_t point_solve_soft(iso__plane_lane_state *lane, iso__plane_point_lanes *point, uint32_t i,
                                            const iso__step_params *params, bool has_moved, const iso__softness *soft) {
    const int32_t s =
        has_moved ? point->separation_now[i] : iso__clamp32(point->separation[i], params->deepest, params->farthest);
    return point_solve_normal(lane, point, i, s, params, soft);
}

ISO__ALWAYS_INLINE int32_t point_relax(iso__plane_lane_state *lane, iso__plane_point_lanes *point, uint32_t i,
                                       int64_t approached, const iso__step_params *params) {
    point->separation_now[i] = point_separate(lane, point, i, approached, params);
    return point_solve_normal(lane, point, i, point->separation_now[i], params, NULL);
}

/// Velocities are within their range, so rows that change nothing leave the bodies as they are.
/// @param un, ut   the relative velocity before the rows
/// @param changes  of the impulses: 0 when none has any
ISO__ALWAYS_INLINE void contact_scatter(const iso__plane_lane_state *lane, const iso__plane_contact_group *group,
                                        uint32_t i, int32_t un, int32_t ut, int32_t changes) {
    if (changes != 0) {
        iso__plane_lane_scatter(lane, group, i, iso__sub32(lane->un, un), iso__sub32(lane->ut, ut));
    }
}

/// With bias. Bodies have not moved since the last relax pass, which has stored the separations.
/// @param has_moved  there has been one in this step
ISO__ALWAYS_INLINE void contact_solve(iso__plane_motion *motions, const iso__step_params *params, bool has_moved,
                                      iso__plane_contact_group *group, uint32_t i) {
    const bool is_fixed = group->share[i].lo == 0 || group->share[i].hi == 0;
    const iso__softness *soft = is_fixed ? &params->static_soft : &params->contact_soft;
    iso__plane_lane_state lane;
    iso__plane_lane_gather(&lane, motions, group, i);
    const int32_t un = lane.un, ut = lane.ut;
    int32_t changes = point_solve_soft(&lane, &group->points[0], i, params, has_moved, soft);
    if (group->points[1].mass[i].lo != 0) { // a row without mass would change nothing
        changes |= point_solve_soft(&lane, &group->points[1], i, params, has_moved, soft);
    }
    contact_scatter(&lane, group, i, un, ut, changes);
}

/// Without bias, with friction, at new poses.
ISO__ALWAYS_INLINE void contact_relax(iso__plane_motion *motions, const iso__step_params *params,
                                      iso__plane_contact_group *group, uint32_t i) {
    iso__plane_lane_state lane;
    iso__plane_lane_gather(&lane, motions, group, i);
    const int64_t mx = (int64_t)lane.b->moved[0] - lane.a->moved[0];
    const int64_t my = (int64_t)lane.b->moved[1] - lane.a->moved[1];
    const int64_t approached = lane.nx * mx + lane.ny * my; // Q.54, not rounded yet
    const int32_t un = lane.un, ut = lane.ut;
    const bool has_second = group->points[1].mass[i].lo != 0;
    int32_t changes = point_relax(&lane, &group->points[0], i, approached, params);
    if (has_second) {
        changes |= point_relax(&lane, &group->points[1], i, approached, params);
    }
    changes |= point_solve_friction(&lane, &group->points[0], i, group->surface[i].lo, group->drive[i]);
    if (has_second) {
        changes |= point_solve_friction(&lane, &group->points[1], i, group->surface[i].lo, group->drive[i]);
    }
    contact_scatter(&lane, group, i, un, ut, changes);
}

static void contacts_solve(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            contact_solve(scratch->motions, &scratch->params, scratch->has_moved, group, i);
        }
        if (group->notes_impulses) {
            iso__plane_group_note_impulses(group);
        }
    }
}

static void contacts_relax(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            contact_relax(scratch->motions, &scratch->params, group, i);
        }
        if (group->notes_impulses) {
            iso__plane_group_note_impulses(group);
        }
    }
}

// ---- passes over a colour ------------------------------------------------------------------------

/// Where the groups of a colour end that are worth a kernel's work: in the overflow none, since its contacts depend on
/// each other, and elsewhere all but a last one with few contacts.
static uint32_t contacts_kernel_end(const iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    if (!scratch->kernels || colour == &scratch->colours[ISO__COLOUR_OVERFLOW] ||
        colour->group_begin == colour->group_end) {
        return colour->group_begin;
    }
    const bool has_few = scratch->groups[colour->group_end - 1].count < scratch->kernels->contacts_min;
    return has_few ? colour->group_end - 1 : colour->group_end;
}

void iso__plane_contacts_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->group_begin <= colour->group_end && colour->group_end <= scratch->group_count);
    const uint32_t end = contacts_kernel_end(scratch, colour);
    if (end != colour->group_begin) {
        scratch->kernels->contacts_warm_start(scratch, colour->group_begin, end);
    }
    contacts_warm_start(scratch, end, colour->group_end);
}

void iso__plane_contacts_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->group_begin <= colour->group_end && colour->group_end <= scratch->group_count);
    const uint32_t end = contacts_kernel_end(scratch, colour);
    if (end != colour->group_begin) {
        scratch->kernels->contacts_solve(scratch, colour->group_begin, end);
    }
    contacts_solve(scratch, end, colour->group_end);
}

void iso__plane_contacts_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->group_begin <= colour->group_end && colour->group_end <= scratch->group_count);
    const uint32_t end = contacts_kernel_end(scratch, colour);
    if (end != colour->group_begin) {
        scratch->kernels->contacts_relax(scratch, colour->group_begin, end);
    }
    contacts_relax(scratch, end, colour->group_end);
}

/// Whether a point takes part in restitution: it came fast enough, and pushed in the step.
ISO__ALWAYS_INLINE bool point_rebounds(const iso__plane_point_lanes *point, uint32_t i, int32_t threshold) {
    return point->approach[i] <= -threshold && point->impulse_max[i] != 0;
}

/// dj = j' - j of the row along n that takes vn to -e v0. @return dj
ISO__ALWAYS_INLINE int32_t point_restitute(iso__plane_lane_state *lane, iso__plane_point_lanes *point, uint32_t i,
                                           int64_t restitution) {
    const iso__pair_lane a = point->normal_a[i], b = point->normal_b[i];
    const int32_t vn = iso__plane_row_velocity(lane, lane->un, a, b);
    const int64_t rebound = iso__round_shift(restitution * point->approach[i], ISO__FRICTION_FRACTION);
    const int32_t wanted = iso__add32(vn, (int32_t)rebound);
    iso__pair_lane *impulse = &point->impulse[i];
    const int32_t change = iso__plane_unit_round((int64_t)wanted * point->mass[i].lo);
    const int32_t j = iso__clamp32(iso__sub32(impulse->lo, change), 0, IMPULSE_MAX);
    const int32_t dj = j - impulse->lo;
    impulse->lo = j;
    point->impulse_max[i] = iso__max32(point->impulse_max[i], j);
    iso__plane_row_apply(lane, &lane->un, a, b, dj);
    return dj;
}

static void contact_restitute(iso__plane_motion *motions, int32_t threshold, iso__plane_contact_group *group,
                              uint32_t i) {
    const bool rebounds[2] = {point_rebounds(&group->points[0], i, threshold),
                              point_rebounds(&group->points[1], i, threshold)};
    if (group->surface[i].hi == 0 || (!rebounds[0] && !rebounds[1])) {
        return;
    }
    iso__plane_lane_state lane;
    iso__plane_lane_gather(&lane, motions, group, i);
    const int32_t un = lane.un;
    int32_t changes = 0;
    for (int p = 0; p < 2; ++p) {
        changes |= rebounds[p] ? point_restitute(&lane, &group->points[p], i, group->surface[i].hi) : 0;
    }
    contact_scatter(&lane, group, i, un, lane.ut, changes);
}

void iso__plane_contacts_restitute(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->group_begin <= colour->group_end && colour->group_end <= scratch->group_count);
    for (uint32_t g = colour->group_begin; g < colour->group_end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; group->bounces && i < group->count; ++i) {
            contact_restitute(scratch->motions, scratch->params.restitution_threshold, group, i);
        }
    }
}
