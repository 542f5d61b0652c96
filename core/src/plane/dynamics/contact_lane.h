/// One contact of a group while its rows are solved: what the substeps and the impacts share. contact_solver.c has the
/// derivation, the letters and the ranges.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_LANE_H
#define ISO_PLANE_DYNAMICS_CONTACT_LANE_H

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_group.h"
#include "plane/world/scratch.h"

#define ISO__PLANE_SPEED_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE) // [m/s] Q12.19
_Static_assert((ISO__PLANE_SPEED_MAX & (ISO__PLANE_SPEED_MAX - 1)) == 0, "see iso__plane_motion_set");

ISO__ALWAYS_INLINE int32_t iso__plane_unit_round(int64_t a) {
    return (int32_t)((a + (INT64_C(1) << 29)) >> 30);
}

/// As iso__plane_unit_round, but a half goes to the even neighbour. Two equal masses have shares of exactly one half,
/// so every other impulse is a tie: rounded up for both bodies, B would gain a quantum on A each time and stacks would
/// creep.
///
/// @param a  a share, Q2.30 and at most one, times a number of 32 bits: so the result has 32
ISO__ALWAYS_INLINE int64_t iso__plane_share_round(int64_t a) {
    return (a + (INT64_C(1) << 29) - 1 + ((a >> 30) & 1)) >> 30;
}

ISO__ALWAYS_INLINE int32_t iso__plane_spin_round(int64_t a) {
    return (int32_t)((a + (INT64_C(1) << 21)) >> 22);
}

/// Sets a body's velocity, clamped to ±ISO__PLANE_SPEED_MAX. Hardly a number exceeds that: one test shows that none
/// does.
ISO__ALWAYS_INLINE void iso__plane_motion_set(iso__plane_motion *motion, int64_t x, int64_t y, int64_t spin) {
    const uint64_t bits = ((uint64_t)x + ISO__PLANE_SPEED_MAX) | ((uint64_t)y + ISO__PLANE_SPEED_MAX) |
                          ((uint64_t)spin + ISO__PLANE_SPEED_MAX);
    if (bits >= 2 * (uint64_t)ISO__PLANE_SPEED_MAX) { // a power of two
        x = iso__clamp64(x, -ISO__PLANE_SPEED_MAX, ISO__PLANE_SPEED_MAX);
        y = iso__clamp64(y, -ISO__PLANE_SPEED_MAX, ISO__PLANE_SPEED_MAX);
        spin = iso__clamp64(spin, -ISO__PLANE_SPEED_MAX, ISO__PLANE_SPEED_MAX);
    }
    motion->velocity[0] = (int32_t)x;
    motion->velocity[1] = (int32_t)y;
    motion->spin = (int32_t)spin;
}

/// The two bodies of one contact while its rows are solved.
typedef struct iso__plane_lane_state {
    iso__plane_motion *a, *b;
    int32_t nx, ny;
    int32_t un, ut; // relative velocity along n and t, Q12.19
    int64_t wa, wb; // spins, Q.41
} iso__plane_lane_state;

ISO__ALWAYS_INLINE void iso__plane_lane_gather(iso__plane_lane_state *lane, iso__plane_motion *motions,
                                               const iso__plane_contact_group *group, uint32_t i) {
    lane->a = &motions[group->body_a[i]];
    lane->b = &motions[group->body_b[i]];
    lane->nx = group->normal[i].lo;
    lane->ny = group->normal[i].hi;
    const int64_t dx = (int64_t)lane->b->velocity[0] - lane->a->velocity[0];
    const int64_t dy = (int64_t)lane->b->velocity[1] - lane->a->velocity[1];
    lane->un = iso__plane_unit_round(lane->nx * dx + lane->ny * dy);
    lane->ut = iso__plane_unit_round(lane->nx * dy - lane->ny * dx);
    lane->wa = (int64_t)((uint64_t)(int64_t)lane->a->spin << 22);
    lane->wb = (int64_t)((uint64_t)(int64_t)lane->b->spin << 22);
}

/// Applies the sums of the contact's impulses, jn and jt, to the bodies.
ISO__ALWAYS_INLINE void iso__plane_lane_scatter(const iso__plane_lane_state *lane,
                                                const iso__plane_contact_group *group, uint32_t i, int32_t jn,
                                                int32_t jt) {
    const int64_t px = iso__plane_unit_round((int64_t)lane->nx * jn - (int64_t)lane->ny * jt);
    const int64_t py = iso__plane_unit_round((int64_t)lane->ny * jn + (int64_t)lane->nx * jt);
    const int64_t share_a = group->share[i].lo, share_b = group->share[i].hi;
    const int64_t ax = iso__plane_share_round(share_a * px), ay = iso__plane_share_round(share_a * py);
    int64_t bx = ax, by = ay;
    if (share_a != share_b) { // bodies of equal mass have equal shares
        bx = iso__plane_share_round(share_b * px);
        by = iso__plane_share_round(share_b * py);
    }
    if (lane->a->kind) {
        iso__plane_motion_set(lane->a, lane->a->velocity[0] - ax, lane->a->velocity[1] - ay,
                              (lane->wa + (INT64_C(1) << 21)) >> 22);
    }
    if (lane->b->kind) {
        iso__plane_motion_set(lane->b, lane->b->velocity[0] + bx, lane->b->velocity[1] + by,
                              (lane->wb + (INT64_C(1) << 21)) >> 22);
    }
}

/// The velocity of a row: the projected relative velocity plus what the spins add, Q12.19.
ISO__ALWAYS_INLINE int32_t iso__plane_row_velocity(const iso__plane_lane_state *lane, int32_t u, iso__pair_lane a,
                                                   iso__pair_lane b) {
    const int64_t turning =
        (int64_t)iso__plane_spin_round(lane->wb) * b.lo - (int64_t)iso__plane_spin_round(lane->wa) * a.lo;
    return iso__add32(u, iso__plane_unit_round(turning));
}

ISO__ALWAYS_INLINE void iso__plane_row_apply(iso__plane_lane_state *lane, int32_t *u, iso__pair_lane a,
                                             iso__pair_lane b, int32_t dj) {
    *u = iso__add32(*u, dj);
    lane->wa -= (int64_t)a.hi * dj;
    lane->wb += (int64_t)b.hi * dj;
}

#endif
