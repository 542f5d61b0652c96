/// The arms and gains of a group's rows in lanes: the only implementation, of which plain C is one instance. Included
/// after an instruction set's lane operations.
///
///   arm = (lever x d), clamped to ±1          gain = aG arm          turning = gainA armA + gainB armB
#ifndef ISO_SPACE_DYNAMICS_CONTACT_STAGE_KERNEL_H
#define ISO_SPACE_DYNAMICS_CONTACT_STAGE_KERNEL_H

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "simd/lanes.h"
#include "space/dynamics/contact_stage.h"

/// Pairs as they stand in memory, the low number first: where bytes do, too, that is a lane's order.
ISO__ALWAYS_INLINE iso__lanes stage_pairs(iso__lanes x) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return iso__lanes_or(iso__lanes_shift_left(x, 32), iso__lanes_shift_right(x, 32));
#else
    return x;
#endif
}

typedef struct stage_side {
    iso__lanes arm[3], gain[3]; // low
} stage_side;

ISO__ALWAYS_INLINE iso__lanes stage_dot(const iso__lanes a[3], const iso__lanes b[3]) {
    return iso__lanes_add(iso__lanes_add(iso__lanes_mul(a[0], b[0]), iso__lanes_mul(a[1], b[1])),
                          iso__lanes_mul(a[2], b[2]));
}

ISO__ALWAYS_INLINE void stage_widen(int32_t from[3][ISO__LANES], uint32_t i, iso__lanes to[3]) {
    for (int c = 0; c < 3; ++c) {
        to[c] = iso__lanes_widen(&from[c][i]);
    }
}

/// r/L, Q1.30, clamped to ±2: the point of a speculative contact may lie outside of L.
ISO__ALWAYS_INLINE void stage_lever(iso__space_stage_body *body, uint32_t p, uint32_t i, iso__lanes lever[3]) {
    const iso__lanes scale = iso__lanes_widen(&body->scale[i]);
    for (int c = 0; c < 3; ++c) {
        lever[c] = iso__lanes_clamp_shifted(iso__lanes_mul(iso__lanes_widen(&body->anchor[p][c][i]), scale), 1,
                                            iso__lanes_set(INT32_MIN), iso__lanes_set(INT32_MAX));
    }
}

/// lever x d: at most 2^62 before its rounding.
ISO__ALWAYS_INLINE void stage_arm(const iso__lanes lever[3], const iso__lanes d[3], iso__lanes arm[3]) {
    const iso__lanes half = iso__lanes_set(INT64_C(1) << 29);
    for (int c = 0; c < 3; ++c) {
        const int j = c == 2 ? 0 : c + 1, k = 3 - c - j;
        const iso__lanes moment = iso__lanes_sub(iso__lanes_mul(lever[j], d[k]), iso__lanes_mul(lever[k], d[j]));
        arm[c] = iso__lanes_clamp_shifted(iso__lanes_add(moment, half), 30, iso__lanes_set(-ISO__UNIT_ONE),
                                          iso__lanes_set(ISO__UNIT_ONE));
    }
}

/// The gains of thin bodies: aG arm 2^(extra - 30), rounded once.
static void stage_gain_of_thin(iso__space_stage_body *body, uint32_t i, iso__lanes *gain, iso__lanes exact) {
    int64_t of[ISO__LANES_COUNT];
    iso__lanes_store(of, exact);
    for (uint32_t lane = 0; lane < ISO__LANES_COUNT; ++lane) {
        of[lane] = iso__saturate32(iso__round_shift(of[lane], 30 - body->extra[i + lane]));
    }
    *gain = iso__lanes_load(of);
}

ISO__ALWAYS_INLINE void stage_gain(iso__space_stage_body *body, uint32_t i, stage_side *side) {
    static const uint8_t places[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const iso__lanes half = iso__lanes_set(INT64_C(1) << 29);
    for (int c = 0; c < 3; ++c) {
        iso__lanes row[3];
        for (int k = 0; k < 3; ++k) {
            row[k] = iso__lanes_widen(&body->tensor[places[c][k]][i]);
        }
        const iso__lanes exact = stage_dot(row, side->arm);
        if (body->has_extra) {
            stage_gain_of_thin(body, i, &side->gain[c], exact);
        } else {
            side->gain[c] = iso__lanes_clamp_shifted(iso__lanes_add(exact, half), 30, iso__lanes_set(INT32_MIN),
                                                     iso__lanes_set(INT32_MAX));
        }
    }
}

ISO__ALWAYS_INLINE void stage_store(const stage_side *a, const stage_side *b, uint32_t i, iso__space_turn_lanes *to) {
    for (int c = 0; c < 3; ++c) {
        iso__lanes_store(&to->a[c][i], stage_pairs(iso__lanes_pair(a->arm[c], a->gain[c])));
        iso__lanes_store(&to->b[c][i], stage_pairs(iso__lanes_pair(b->arm[c], b->gain[c])));
    }
}

/// Of one body |gain| <= 2^31 sqrt(3) and |arm| <= 2^30 sqrt(3): below 2^63.
ISO__ALWAYS_INLINE iso__lanes stage_turning(const stage_side *a, const stage_side *b, const stage_side *of_a,
                                            const stage_side *of_b) {
    return iso__lanes_add(stage_dot(a->gain, of_a->arm), stage_dot(b->gain, of_b->arm));
}

/// The levers of a point about both bodies.
typedef struct stage_levers {
    iso__lanes a[3], b[3]; // low
} stage_levers;

ISO__ALWAYS_INLINE stage_levers stage_find_levers(iso__space_stage *stage, uint32_t p, uint32_t i) {
    stage_levers levers;
    stage_lever(&stage->a, p, i, levers.a);
    stage_lever(&stage->b, p, i, levers.b);
    return levers;
}

ISO__ALWAYS_INLINE void stage_make(iso__space_stage *stage, const stage_levers *levers, uint32_t i,
                                   const iso__lanes d[3], stage_side *a, stage_side *b) {
    stage_arm(levers->a, d, a->arm);
    stage_arm(levers->b, d, b->arm);
    stage_gain(&stage->a, i, a);
    stage_gain(&stage->b, i, b);
}

ISO__ALWAYS_INLINE void stage_fill_friction(iso__space_stage *stage, uint32_t i, iso__space_contact_group *group) {
    iso__lanes t[2][3];
    stage_side a[2], b[2];
    t[0][0] = stage_pairs(iso__lanes_load(&group->tangents[0][i]));
    t[0][1] = iso__lanes_high(t[0][0]);
    t[0][2] = stage_pairs(iso__lanes_load(&group->tangents[1][i]));
    t[1][0] = iso__lanes_high(t[0][2]);
    t[1][1] = stage_pairs(iso__lanes_load(&group->tangents[2][i]));
    t[1][2] = iso__lanes_high(t[1][1]);
    const stage_levers levers = stage_find_levers(stage, ISO__SPACE_STAGE_MIDDLE, i);
    for (int n = 0; n < 2; ++n) {
        stage_make(stage, &levers, i, t[n], &a[n], &b[n]);
        stage_store(&a[n], &b[n], i, &group->friction[n]);
    }
    iso__lanes_store(&stage->friction_turning[0][i], stage_turning(&a[0], &b[0], &a[0], &b[0]));
    iso__lanes_store(&stage->friction_turning[1][i], stage_turning(&a[0], &b[0], &a[1], &b[1]));
    iso__lanes_store(&stage->friction_turning[2][i], stage_turning(&a[1], &b[1], &a[1], &b[1]));
}

static void kernel_stage(iso__space_stage *stage, iso__space_contact_group *group) {
    for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
        stage_side a, b;
        iso__lanes n[3];
        n[0] = stage_pairs(iso__lanes_load(&group->normal[0][i]));
        n[1] = iso__lanes_high(n[0]);
        n[2] = stage_pairs(iso__lanes_load(&group->normal[1][i]));
        for (uint32_t p = 0; p < group->point_count; ++p) {
            const stage_levers levers = stage_find_levers(stage, p, i);
            stage_make(stage, &levers, i, n, &a, &b);
            stage_store(&a, &b, i, &group->points[p].turn);
            iso__lanes_store(&stage->point_turning[p][i], stage_turning(&a, &b, &a, &b));
        }
        stage_fill_friction(stage, i, group);
        stage_widen(stage->a.twist, i, a.arm);
        stage_widen(stage->b.twist, i, b.arm);
        stage_gain(&stage->a, i, &a);
        stage_gain(&stage->b, i, &b);
        stage_store(&a, &b, i, &group->twist_turn);
        iso__lanes_store(&stage->twist_turning[i], stage_turning(&a, &b, &a, &b));
    }
}

#endif
