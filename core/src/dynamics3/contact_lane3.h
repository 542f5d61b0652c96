/// One contact of a group in space while its rows are solved. contact_solve3.c has the derivation and the ranges.
#ifndef ISO_DYNAMICS3_CONTACT_LANE3_H
#define ISO_DYNAMICS3_CONTACT_LANE3_H

#include "base/inline.h"
#include "dynamics3/contact_group3.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"

#define ISO__SPEED3_MAX   (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE) // [m/s] Q12.19
#define ISO__IMPULSE3_MAX ISO__SPEED3_MAX
#define ISO__SPIN3_SHIFT  22u // from Q.19 to Q.41
#define ISO__TWIST3_MASS  20u // fraction bits of 1/K of a twist

/// What a contact reads and changes of its bodies.
typedef struct iso__lane3 {
    iso__motion3 *a, *b;
    int32_t n[3], t[2][3];
    int32_t un, ut[2];    // relative velocity along n, t1 and t2, Q12.19
    int64_t wa[3], wb[3]; // spins, Q.41
} iso__lane3;

ISO__ALWAYS_INLINE int32_t iso__unit_round3(int64_t a) {
    return (int32_t)(iso__add64(a, INT64_C(1) << 29) >> 30);
}

ISO__ALWAYS_INLINE int32_t iso__spin_round3(int64_t a) {
    return (int32_t)(iso__add64(a, INT64_C(1) << (ISO__SPIN3_SHIFT - 1)) >> ISO__SPIN3_SHIFT);
}

ISO__ALWAYS_INLINE int32_t iso__lane3_project(const int32_t direction[3], const iso__motion3 *a,
                                              const iso__motion3 *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)direction[i] * iso__sub32(b->velocity[i], a->velocity[i]);
    }
    return iso__unit_round3(sum);
}

/// @param has_tangents  whether t1 and t2 are needed
ISO__ALWAYS_INLINE void iso__lane3_gather(iso__lane3 *lane, iso__motion3 *motions, const iso__contact3_group *group,
                                          uint32_t i, bool has_tangents) {
    lane->a = &motions[group->body_a[i]];
    lane->b = &motions[group->body_b[i]];
    lane->n[0] = group->normal[0][i].lo;
    lane->n[1] = group->normal[0][i].hi;
    lane->n[2] = group->normal[1][i].lo;
    lane->un = iso__lane3_project(lane->n, lane->a, lane->b);
    lane->ut[0] = lane->ut[1] = 0;
    if (has_tangents) {
        lane->t[0][0] = group->tangents[0][i].lo;
        lane->t[0][1] = group->tangents[0][i].hi;
        lane->t[0][2] = group->tangents[1][i].lo;
        lane->t[1][0] = group->tangents[1][i].hi;
        lane->t[1][1] = group->tangents[2][i].lo;
        lane->t[1][2] = group->tangents[2][i].hi;
        lane->ut[0] = iso__lane3_project(lane->t[0], lane->a, lane->b);
        lane->ut[1] = iso__lane3_project(lane->t[1], lane->a, lane->b);
    }
    for (int c = 0; c < 3; ++c) {
        lane->wa[c] = iso__shl64(lane->a->spin[c], ISO__SPIN3_SHIFT);
        lane->wb[c] = iso__shl64(lane->b->spin[c], ISO__SPIN3_SHIFT);
    }
}

/// A share of an impulse, a half to the even neighbour: two equal masses have shares of exactly one half, and what is
/// rounded up for both would give B a quantum on A each time.
ISO__ALWAYS_INLINE int64_t iso__lane3_share(int32_t share, int32_t push) {
    const int64_t part = (int64_t)share * push;
    return (part + (INT64_C(1) << 29) - 1 + ((part >> 30) & 1)) >> 30;
}

ISO__ALWAYS_INLINE void iso__lane3_set(iso__motion3 *motion, int c, int64_t velocity, int64_t w) {
    motion->velocity[c] = (int32_t)iso__clamp64(velocity, -ISO__SPEED3_MAX, ISO__SPEED3_MAX);
    const int64_t spin = iso__add64(w, INT64_C(1) << (ISO__SPIN3_SHIFT - 1)) >> ISO__SPIN3_SHIFT;
    motion->spin[c] = (int32_t)iso__clamp64(spin, -ISO__SPEED3_MAX, ISO__SPEED3_MAX);
}

/// Applies the sums of the contact's impulses along n, t1 and t2 to the bodies.
/// @param dt  NULL: none along t1 and t2
ISO__ALWAYS_INLINE void iso__lane3_scatter(const iso__lane3 *lane, const iso__contact3_group *group, uint32_t i,
                                           int32_t dn, const int32_t dt[2]) {
    for (int c = 0; c < 3; ++c) {
        int64_t sum = (int64_t)lane->n[c] * dn;
        if (dt != NULL) {
            sum += (int64_t)lane->t[0][c] * dt[0] + (int64_t)lane->t[1][c] * dt[1];
        }
        const int32_t push = iso__unit_round3(sum);
        if (lane->a->is_dynamic) {
            iso__lane3_set(lane->a, c, lane->a->velocity[c] - iso__lane3_share(group->share[i].lo, push), lane->wa[c]);
        }
        if (lane->b->is_dynamic) {
            iso__lane3_set(lane->b, c, lane->b->velocity[c] + iso__lane3_share(group->share[i].hi, push), lane->wb[c]);
        }
    }
}

/// The velocity of a row: the projected relative velocity and what the spins add.
ISO__ALWAYS_INLINE int32_t iso__lane3_velocity(const iso__lane3 *lane, int32_t u, const iso__turn3_lanes *turn,
                                               uint32_t i) {
    int64_t sum = 0;
    for (int c = 0; c < 3; ++c) {
        sum = iso__add64(sum, (int64_t)iso__spin_round3(lane->wb[c]) * turn->b[c][i].lo);
        sum = iso__sub64(sum, (int64_t)iso__spin_round3(lane->wa[c]) * turn->a[c][i].lo);
    }
    return iso__add32(u, iso__unit_round3(sum));
}

ISO__ALWAYS_INLINE void iso__lane3_turn(iso__lane3 *lane, const iso__turn3_lanes *turn, uint32_t i, int32_t dj) {
    for (int c = 0; c < 3; ++c) {
        lane->wa[c] = iso__sub64(lane->wa[c], (int64_t)turn->a[c][i].hi * dj);
        lane->wb[c] = iso__add64(lane->wb[c], (int64_t)turn->b[c][i].hi * dj);
    }
}

/// Turns an impulse across the normal onto the cone.
ISO__ALWAYS_INLINE void iso__lane3_cut(int32_t limit, int32_t *j1, int32_t *j2) {
    int32_t direction[2];
    iso__normalize(*j1, *j2, &direction[0], &direction[1]);
    *j1 = iso__unit_round3((int64_t)direction[0] * limit);
    *j2 = iso__unit_round3((int64_t)direction[1] * limit);
}

#endif
