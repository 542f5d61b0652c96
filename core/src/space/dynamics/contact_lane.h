/// One contact of a group in space while its rows are solved. contact_solve.c has the derivation and the ranges.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_LANE_H
#define ISO_SPACE_DYNAMICS_CONTACT_LANE_H

#include "base/inline.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "space/dynamics/contact_group.h"

#define ISO__SPACE_SPEED_MAX   (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE) // [m/s] Q12.19
#define ISO__SPACE_IMPULSE_MAX ISO__SPACE_SPEED_MAX
#define ISO__SPACE_SPIN_SHIFT  22u // from Q.19 to Q.41
#define ISO__SPACE_TWIST_MASS  20u // fraction bits of 1/K of a twist

/// What a contact reads and changes of its bodies.
typedef struct iso__space_lane {
    iso__space_motion *a, *b;
    int32_t n[3], t[2][3];
    int32_t un, ut[2];    // relative velocity along n, t1 and t2, Q12.19
    int64_t wa[3], wb[3]; // spins, Q.41
} iso__space_lane;

ISO__ALWAYS_INLINE int32_t iso__space_unit_round(int64_t a) {
    return (int32_t)(iso__add64(a, INT64_C(1) << 29) >> 30);
}

ISO__ALWAYS_INLINE int32_t iso__space_spin_round(int64_t a) {
    return (int32_t)(iso__add64(a, INT64_C(1) << (ISO__SPACE_SPIN_SHIFT - 1)) >> ISO__SPACE_SPIN_SHIFT);
}

ISO__ALWAYS_INLINE int32_t iso__space_lane_project(const int32_t direction[3], const iso__space_motion *a,
                                                   const iso__space_motion *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)direction[i] * iso__sub32(b->velocity[i], a->velocity[i]);
    }
    return iso__space_unit_round(sum);
}

/// @param has_tangents  whether t1 and t2 are needed
ISO__ALWAYS_INLINE void iso__space_lane_gather(iso__space_lane *lane, iso__space_motion *motions,
                                               const iso__space_contact_group *group, uint32_t i, bool has_tangents) {
    lane->a = &motions[group->body_a[i]];
    lane->b = &motions[group->body_b[i]];
    lane->n[0] = group->normal[0][i].lo;
    lane->n[1] = group->normal[0][i].hi;
    lane->n[2] = group->normal[1][i].lo;
    lane->un = iso__space_lane_project(lane->n, lane->a, lane->b);
    lane->ut[0] = lane->ut[1] = 0;
    if (has_tangents) {
        lane->t[0][0] = group->tangents[0][i].lo;
        lane->t[0][1] = group->tangents[0][i].hi;
        lane->t[0][2] = group->tangents[1][i].lo;
        lane->t[1][0] = group->tangents[1][i].hi;
        lane->t[1][1] = group->tangents[2][i].lo;
        lane->t[1][2] = group->tangents[2][i].hi;
        lane->ut[0] = iso__space_lane_project(lane->t[0], lane->a, lane->b);
        lane->ut[1] = iso__space_lane_project(lane->t[1], lane->a, lane->b);
    }
    for (int c = 0; c < 3; ++c) {
        lane->wa[c] = iso__shl64(lane->a->spin[c], ISO__SPACE_SPIN_SHIFT);
        lane->wb[c] = iso__shl64(lane->b->spin[c], ISO__SPACE_SPIN_SHIFT);
    }
}

/// A share of an impulse, a half to the even neighbour: two equal masses have shares of exactly one half, and what is
/// rounded up for both would give B a quantum on A each time.
ISO__ALWAYS_INLINE int64_t iso__space_lane_share(int32_t share, int32_t push) {
    const int64_t part = (int64_t)share * push;
    return (part + (INT64_C(1) << 29) - 1 + ((part >> 30) & 1)) >> 30;
}

ISO__ALWAYS_INLINE void iso__space_lane_set(iso__space_motion *motion, int c, int64_t velocity, int64_t w) {
    motion->velocity[c] = (int32_t)iso__clamp64(velocity, -ISO__SPACE_SPEED_MAX, ISO__SPACE_SPEED_MAX);
    const int64_t spin = iso__add64(w, INT64_C(1) << (ISO__SPACE_SPIN_SHIFT - 1)) >> ISO__SPACE_SPIN_SHIFT;
    motion->spin[c] = (int32_t)iso__clamp64(spin, -ISO__SPACE_SPEED_MAX, ISO__SPACE_SPEED_MAX);
}

/// Applies the sums of the contact's impulses along n, t1 and t2 to the bodies.
/// @param dt  NULL: none along t1 and t2
ISO__ALWAYS_INLINE void iso__space_lane_scatter(const iso__space_lane *lane, const iso__space_contact_group *group,
                                                uint32_t i, int32_t dn, const int32_t dt[2]) {
    for (int c = 0; c < 3; ++c) {
        int64_t sum = (int64_t)lane->n[c] * dn;
        if (dt != NULL) {
            sum += (int64_t)lane->t[0][c] * dt[0] + (int64_t)lane->t[1][c] * dt[1];
        }
        const int32_t push = iso__space_unit_round(sum);
        if (lane->a->is_dynamic) {
            iso__space_lane_set(lane->a, c, lane->a->velocity[c] - iso__space_lane_share(group->share[i].lo, push),
                                lane->wa[c]);
        }
        if (lane->b->is_dynamic) {
            iso__space_lane_set(lane->b, c, lane->b->velocity[c] + iso__space_lane_share(group->share[i].hi, push),
                                lane->wb[c]);
        }
    }
}

/// The velocity of a row: the projected relative velocity and what the spins add.
ISO__ALWAYS_INLINE int32_t iso__space_lane_velocity(const iso__space_lane *lane, int32_t u,
                                                    const iso__space_turn_lanes *turn, uint32_t i) {
    int64_t sum = 0;
    for (int c = 0; c < 3; ++c) {
        sum = iso__add64(sum, (int64_t)iso__space_spin_round(lane->wb[c]) * turn->b[c][i].lo);
        sum = iso__sub64(sum, (int64_t)iso__space_spin_round(lane->wa[c]) * turn->a[c][i].lo);
    }
    return iso__add32(u, iso__space_unit_round(sum));
}

ISO__ALWAYS_INLINE void iso__space_lane_turn(iso__space_lane *lane, const iso__space_turn_lanes *turn, uint32_t i,
                                             int32_t dj) {
    for (int c = 0; c < 3; ++c) {
        lane->wa[c] = iso__sub64(lane->wa[c], (int64_t)turn->a[c][i].hi * dj);
        lane->wb[c] = iso__add64(lane->wb[c], (int64_t)turn->b[c][i].hi * dj);
    }
}

/// Whether a vector is longer than a limit.
ISO__ALWAYS_INLINE bool iso__space_lane_is_beyond(int32_t limit, int32_t j1, int32_t j2) {
    return iso__sub64(iso__sub64(iso__mul32(limit, limit), iso__mul32(j1, j1)), iso__mul32(j2, j2)) < 0;
}

/// How much of friction follows the velocity, Q.14: nothing where a step against it is within the limit, all of it
/// from two and a half times the limit on.
ISO__ALWAYS_INLINE int32_t iso__space_lane_slides(int32_t limit, const int32_t way[2]) {
    const int64_t bound = iso__mul32(limit, limit);
    const int64_t beyond = iso__mul32(way[0], way[0]) + iso__mul32(way[1], way[1]) - bound;
    if (beyond >= 5 * bound) {
        return 1 << 14;
    }
    const unsigned shift = bound >> 40 != 0 ? 20 : 0; // so that the product fits
    return beyond <= 0 ? 0 : (int32_t)(((beyond >> shift) << 14) / (5 * bound >> shift));
}

/// Friction that cannot stop what slides. It takes the direction of a step against the velocity, but of what hardly
/// moves any more that of what would stop it, and between both one between both.
///
/// @param step     Q2.30, of a velocity
/// @param impulse  [m/s] Q12.19, as it was
/// @param v        [m/s] Q12.19
/// @param j        [m/s] Q12.19: what would stop it; out: as long as the limit
ISO__ALWAYS_INLINE void iso__space_lane_slide(int32_t limit, int32_t step, const iso__pair_lane *impulse,
                                              const int32_t v[2], int32_t j[2]) {
    const int32_t way[2] = {iso__space_unit_round((int64_t)step * v[0]), iso__space_unit_round((int64_t)step * v[1])};
    const int32_t against[2] = {iso__sub32(impulse->lo, way[0]), iso__sub32(impulse->hi, way[1])};
    const int32_t part = iso__space_lane_slides(limit, way);
    int32_t direction[2];
    for (int i = 0; i < 2; ++i) {
        j[i] = iso__saturate32(j[i] + iso__round_shift((int64_t)part * ((int64_t)against[i] - j[i]), 14));
    }
    iso__normalize(j[0], j[1], &direction[0], &direction[1]);
    j[0] = iso__space_unit_round((int64_t)direction[0] * limit);
    j[1] = iso__space_unit_round((int64_t)direction[1] * limit);
}

#endif
