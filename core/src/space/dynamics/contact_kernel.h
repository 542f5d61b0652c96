/// The passes over contacts in space in lanes: contact_solve.c's arithmetic, eight contacts or some of them at a time.
/// Included by one file per instruction set, after its lane operations; KERNEL_TABLE is the table's name.
///
/// The equations are at the head of contact_solve.c. In short:
///
///   solve  j' = max(0, j - (ms vn + bias)/K - is j),  bias = max(ms rate s, -push);  s > 0: ms = 1, is = 0, bias = s/h
///   relax  j' = max(0, j - (vn + max(s, 0)/h)/K),  then twist and friction, cut to +-mu times normal impulses
///   after each row, for dj = j' - j:  u += dj,  wA -= gA dj,  wB += gB dj
///
/// As in the plane (plane/dynamics/contact_kernel.h) a lane is 64 bits wide, and of what the scalar code keeps in 32
/// bits only the low half counts. Where the scalar code branches:
///
///   a point that is absent     its row has no coefficients, so its impulse stays zero
///   s > 0, static bodies       softness is chosen lane by lane
///   a bias beyond its limit    s is cut first, to where the bias has reached the limit, so that the product's shift
///                              fits
///   no twist                   its mass and its impulse are zero
///   an impulse beyond the cone turned onto it by the scalar code
///   a body that is not dynamic is not stored: its bit is clear
///
/// Lanes of a group that hold no contact have the first lane's bodies, which are not stored for them
/// (contact_prepare.c). Compared with the scalar code: tests/unit/space/dynamics/test_contact_lanes3.c.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_KERNEL_H
#define ISO_SPACE_DYNAMICS_CONTACT_KERNEL_H

#include "base/inline.h"
#include "simd/lanes.h"
#include "space/dynamics/contact_lane.h"
#include "space/dynamics/contact_stage_kernel.h"

_Static_assert(offsetof(iso__space_motion, spin) == 12 && offsetof(iso__space_motion, moved) == 24 &&
                   offsetof(iso__space_motion, turned) == 36,
               "bodies are gathered by three times 16 bytes, their numbers as pairs");
_Static_assert(ISO__LANES % ISO__LANES_COUNT == 0, "a group is taken whole or in parts");

/// The constants of a pass.
typedef struct kernel_pass {
    iso__lanes half; // of a rounding by 30 bits
    iso__lanes one;  // Q2.30
    iso__lanes zero;
    iso__lanes speed_max, speed_min;                        // [m/s] Q12.19, in both halves
    iso__lanes spin_max, spin_min;                          // widened
    iso__lanes deepest, farthest;                           // [m] Q7.24: beyond them a bias is at its limit; widened
    iso__lanes rate;                                        // [1/s] Q11.20: of the bias while the shapes are apart
    iso__lanes push;                                        // [m/s] Q12.19: -push
    iso__lanes bias_half;                                   // of a rounding by 25 bits
    iso__lanes limit_half;                                  // of one of friction
    iso__lanes twist_half;                                  // of one of a twist's
    iso__lanes soft_rate[2], soft_mass[2], soft_impulse[2]; // of two dynamic bodies, and of static ones
} kernel_pass;

ISO__ALWAYS_INLINE kernel_pass kernel_pass_make(const iso__step_params *params) {
    const int64_t speed = ISO__SPACE_SPEED_MAX;
    return (kernel_pass){
        .half = iso__lanes_set(INT64_C(1) << 29),
        .one = iso__lanes_set(ISO__UNIT_ONE),
        .zero = iso__lanes_set(0),
        .speed_max = iso__lanes_set(speed << 32 | speed),
        .speed_min = iso__lanes_set((int64_t)((uint64_t)-speed << 32 | (uint32_t)-speed)),
        .spin_max = iso__lanes_set(speed),
        .spin_min = iso__lanes_set(-speed),
        .deepest = iso__lanes_set(params->deepest),
        .farthest = iso__lanes_set(params->farthest),
        .rate = iso__lanes_set((int64_t)params->substep_rate << 20),
        .push = iso__lanes_set(-(int64_t)params->push),
        .bias_half = iso__lanes_set(INT64_C(1) << 24),
        .limit_half = iso__lanes_set(INT64_C(1) << (ISO__FRICTION_FRACTION - 1)),
        .twist_half = iso__lanes_set(INT64_C(1) << (ISO__SPACE_TWIST_MASS - 1)),
        .soft_rate = {iso__lanes_set(params->contact_soft.bias_rate), iso__lanes_set(params->static_soft.bias_rate)},
        .soft_mass = {iso__lanes_set(params->contact_soft.mass_scale), iso__lanes_set(params->static_soft.mass_scale)},
        .soft_impulse = {iso__lanes_set(params->contact_soft.impulse_scale),
                         iso__lanes_set(params->static_soft.impulse_scale)},
    };
}

// ---- bodies --------------------------------------------------------------------------------------

/// One side's body: its record's first 32 bytes as pairs, and its spin.
typedef struct kernel_body {
    const uint32_t *index;
    unsigned moves;
    iso__lanes velocity_xy, velocity_z; // the high half of the latter has the spin's x
    iso__lanes spin_yz, moved_xy;
    iso__lanes w[3]; // Q.41 and half a quantum of the spin
} kernel_body;

typedef struct kernel_contact {
    kernel_body a, b;
    iso__lanes n[3];      // low
    iso__lanes t[2][3];   // low
    iso__lanes un, ut[2]; // low
    iso__lanes un_before, ut_before[2];
} kernel_contact;

/// a b / 2^30, rounded. Low.
#define KERNEL_ROUND(pass, sum) iso__lanes_shift_right(iso__lanes_add(sum, (pass)->half), 30)

ISO__ALWAYS_INLINE iso__lanes kernel_widen_spin(iso__lanes spin) {
    return iso__lanes_add(iso__lanes_mul(spin, iso__lanes_set(INT64_C(1) << ISO__SPACE_SPIN_SHIFT)),
                          iso__lanes_set(INT64_C(1) << (ISO__SPACE_SPIN_SHIFT - 1)));
}

ISO__ALWAYS_INLINE void kernel_gather_body(kernel_body *body, const iso__space_motion *motions, const uint32_t *index,
                                           unsigned moves) {
    body->index = index;
    body->moves = moves;
    iso__lanes_gather(motions, sizeof *motions, index, &body->velocity_xy, &body->velocity_z);
    iso__lanes_gather((const char *)motions + 16, sizeof *motions, index, &body->spin_yz, &body->moved_xy);
    body->w[0] = kernel_widen_spin(iso__lanes_high(body->velocity_z));
    body->w[1] = kernel_widen_spin(body->spin_yz);
    body->w[2] = kernel_widen_spin(iso__lanes_high(body->spin_yz));
}

ISO__ALWAYS_INLINE iso__lanes kernel_dot(const iso__lanes a[3], const iso__lanes b[3]) {
    return iso__lanes_add(iso__lanes_add(iso__lanes_mul(a[0], b[0]), iso__lanes_mul(a[1], b[1])),
                          iso__lanes_mul(a[2], b[2]));
}

ISO__ALWAYS_INLINE void kernel_gather(kernel_contact *on, const iso__space_motion *motions,
                                      const iso__space_contact_group *group, uint32_t i) {
    kernel_gather_body(&on->a, motions, &group->body_a[i], (unsigned)group->moves_a >> i);
    kernel_gather_body(&on->b, motions, &group->body_b[i], (unsigned)group->moves_b >> i);
    on->n[0] = iso__lanes_load(&group->normal[0][i]);
    on->n[1] = iso__lanes_high(on->n[0]);
    on->n[2] = iso__lanes_load(&group->normal[1][i]);
}

ISO__ALWAYS_INLINE void kernel_load_tangents(kernel_contact *on, const iso__space_contact_group *group, uint32_t i) {
    on->t[0][0] = iso__lanes_load(&group->tangents[0][i]);
    on->t[0][1] = iso__lanes_high(on->t[0][0]);
    on->t[0][2] = iso__lanes_load(&group->tangents[1][i]);
    on->t[1][0] = iso__lanes_high(on->t[0][2]);
    on->t[1][1] = iso__lanes_load(&group->tangents[2][i]);
    on->t[1][2] = iso__lanes_high(on->t[1][1]);
}

/// Projects the relative velocity on the normal, and with tangents on these.
ISO__ALWAYS_INLINE void kernel_project(kernel_contact *on, const kernel_pass *pass, bool has_tangents) {
    iso__lanes d[3];
    d[0] = iso__lanes_sub_pairs(on->b.velocity_xy, on->a.velocity_xy);
    d[1] = iso__lanes_high(d[0]);
    d[2] = iso__lanes_sub_pairs(on->b.velocity_z, on->a.velocity_z);
    on->un = on->un_before = KERNEL_ROUND(pass, kernel_dot(on->n, d));
    for (int k = 0; k < 2 && has_tangents; ++k) {
        on->ut[k] = on->ut_before[k] = KERNEL_ROUND(pass, kernel_dot(on->t[k], d));
    }
}

/// A share of an impulse in Q.49, so that a shift by 30 rounds it, a half to the even neighbour.
ISO__ALWAYS_INLINE iso__lanes kernel_share(const kernel_pass *pass, iso__lanes share, iso__lanes p) {
    const iso__lanes product = iso__lanes_mul(share, p);
    const iso__lanes below = iso__lanes_sub(pass->half, iso__lanes_set(1));
    return iso__lanes_add(iso__lanes_add(product, below), iso__lanes_odd_bit(product));
}

ISO__ALWAYS_INLINE iso__lanes kernel_spin(const kernel_pass *pass, iso__lanes w) {
    return iso__lanes_clamp_shifted(w, ISO__SPACE_SPIN_SHIFT, pass->spin_min, pass->spin_max);
}

/// @param sign  -1: A, whose velocity falls by its share
ISO__ALWAYS_INLINE void kernel_scatter_body(const kernel_body *body, const kernel_pass *pass,
                                            iso__space_motion *motions, iso__lanes share, const iso__lanes push[3],
                                            int sign) {
    if (body->moves == 0) {
        return;
    }
    const iso__lanes xy = iso__lanes_with_low(iso__lanes_shift_right(kernel_share(pass, share, push[0]), 30),
                                              iso__lanes_shift_left(kernel_share(pass, share, push[1]), 2));
    const iso__lanes z = iso__lanes_shift_right(kernel_share(pass, share, push[2]), 30);
    const iso__lanes new_xy =
        sign < 0 ? iso__lanes_sub_pairs(body->velocity_xy, xy) : iso__lanes_add_pairs(body->velocity_xy, xy);
    const iso__lanes new_z =
        sign < 0 ? iso__lanes_sub_pairs(body->velocity_z, z) : iso__lanes_add_pairs(body->velocity_z, z);
    iso__lanes_scatter(
        motions, sizeof *motions, body->index, body->moves, iso__lanes_clamp(new_xy, pass->speed_min, pass->speed_max),
        iso__lanes_pair(iso__lanes_clamp(new_z, pass->speed_min, pass->speed_max), kernel_spin(pass, body->w[0])));
    iso__lanes_scatter((char *)motions + 16, sizeof *motions, body->index, body->moves,
                       iso__lanes_pair(kernel_spin(pass, body->w[1]), kernel_spin(pass, body->w[2])), body->moved_xy);
}

/// Applies the sums of impulses along n and, with tangents, along these.
ISO__ALWAYS_INLINE void kernel_scatter(const kernel_contact *on, const kernel_pass *pass, iso__space_motion *motions,
                                       const iso__space_contact_group *group, uint32_t i, iso__lanes dn,
                                       const iso__lanes dt[2], bool has_tangents) {
    const iso__lanes share = iso__lanes_load(&group->share[i]);
    iso__lanes push[3];
    for (int c = 0; c < 3; ++c) {
        iso__lanes sum = iso__lanes_mul(on->n[c], dn);
        if (has_tangents) {
            sum = iso__lanes_add(
                sum, iso__lanes_add(iso__lanes_mul(on->t[0][c], dt[0]), iso__lanes_mul(on->t[1][c], dt[1])));
        }
        push[c] = KERNEL_ROUND(pass, sum);
    }
    kernel_scatter_body(&on->a, pass, motions, share, push, -1);
    kernel_scatter_body(&on->b, pass, motions, iso__lanes_high(share), push, 1);
}

// ---- rows ----------------------------------------------------------------------------------------

typedef struct kernel_side {
    iso__lanes a[3], b[3]; // arms low, gains high
} kernel_side;

ISO__ALWAYS_INLINE kernel_side kernel_load_side(const iso__space_turn_lanes *turn, uint32_t i) {
    kernel_side side;
    for (int c = 0; c < 3; ++c) {
        side.a[c] = iso__lanes_load(&turn->a[c][i]);
        side.b[c] = iso__lanes_load(&turn->b[c][i]);
    }
    return side;
}

ISO__ALWAYS_INLINE iso__lanes kernel_row_velocity(const kernel_contact *on, const kernel_pass *pass, iso__lanes u,
                                                  const kernel_side *side) {
    iso__lanes wa[3], wb[3];
    for (int c = 0; c < 3; ++c) {
        wa[c] = iso__lanes_shift_right(on->a.w[c], ISO__SPACE_SPIN_SHIFT);
        wb[c] = iso__lanes_shift_right(on->b.w[c], ISO__SPACE_SPIN_SHIFT);
    }
    return iso__lanes_add(u, KERNEL_ROUND(pass, iso__lanes_sub(kernel_dot(wb, side->b), kernel_dot(wa, side->a))));
}

ISO__ALWAYS_INLINE void kernel_turn(kernel_contact *on, const kernel_side *side, iso__lanes dj) {
    for (int c = 0; c < 3; ++c) {
        on->a.w[c] = iso__lanes_sub(on->a.w[c], iso__lanes_mul(iso__lanes_high(side->a[c]), dj));
        on->b.w[c] = iso__lanes_add(on->b.w[c], iso__lanes_mul(iso__lanes_high(side->b[c]), dj));
    }
}

/// @return the bias [m/s] Q12.19 of a point
ISO__ALWAYS_INLINE iso__lanes kernel_bias(const kernel_pass *pass, iso__lanes s, iso__lanes rate) {
    const iso__lanes product = iso__lanes_add(iso__lanes_mul(s, rate), pass->bias_half);
    return iso__lanes_min(iso__lanes_shift_right(product, 25), pass->spin_max);
}

ISO__ALWAYS_INLINE void kernel_push(kernel_contact *on, const kernel_pass *pass, iso__space_point_lanes *point,
                                    uint32_t i, const kernel_side *side, iso__lanes impulse, iso__lanes change) {
    const iso__lanes j =
        iso__lanes_clamp(iso__lanes_sub(impulse, KERNEL_ROUND(pass, change)), pass->zero, pass->spin_max);
    const iso__lanes dj = iso__lanes_sub(j, impulse);
    iso__lanes_store(&point->impulse[i], iso__lanes_with_low(j, impulse));
    on->un = iso__lanes_add(on->un, dj);
    kernel_turn(on, side, dj);
}

/// @param shares  the smaller share: 0 with what is static
ISO__ALWAYS_INLINE void kernel_solve_point(kernel_contact *on, const kernel_pass *pass, iso__space_point_lanes *point,
                                           uint32_t i, iso__lanes shares) {
    const kernel_side side = kernel_load_side(&point->turn, i);
    const iso__lanes s = iso__lanes_widen(&point->separation_now[i]);
    const iso__lanes velocity = kernel_row_velocity(on, pass, on->un, &side);
    const iso__lanes impulse = iso__lanes_load(&point->impulse[i]), mass = iso__lanes_high(impulse);
    const iso__lanes rate =
        iso__lanes_if_positive(s, pass->rate, iso__lanes_if_positive(shares, pass->soft_rate[0], pass->soft_rate[1]));
    const iso__lanes mass_scale =
        iso__lanes_if_positive(s, pass->one, iso__lanes_if_positive(shares, pass->soft_mass[0], pass->soft_mass[1]));
    const iso__lanes impulse_scale = iso__lanes_if_positive(
        s, pass->zero, iso__lanes_if_positive(shares, pass->soft_impulse[0], pass->soft_impulse[1]));
    const iso__lanes bias = iso__lanes_max(kernel_bias(pass, s, rate), pass->push);
    const iso__lanes wanted = iso__lanes_add(KERNEL_ROUND(pass, iso__lanes_mul(mass_scale, velocity)), bias);
    kernel_push(on, pass, point, i, &side, impulse,
                iso__lanes_add(iso__lanes_mul(wanted, mass), iso__lanes_mul(impulse_scale, impulse)));
}

/// How far the bodies have come since the step began.
typedef struct kernel_travel {
    iso__lanes approached; // Q.54
    iso__lanes turned_a[3], turned_b[3];
} kernel_travel;

ISO__ALWAYS_INLINE kernel_travel kernel_gather_travel(const kernel_contact *on, const iso__space_motion *motions) {
    kernel_travel travel;
    iso__lanes moved_a, moved_b, m[3];
    iso__lanes_gather((const char *)motions + 32, sizeof *motions, on->a.index, &moved_a, &travel.turned_a[1]);
    iso__lanes_gather((const char *)motions + 32, sizeof *motions, on->b.index, &moved_b, &travel.turned_b[1]);
    travel.turned_a[0] = iso__lanes_high(moved_a);
    travel.turned_b[0] = iso__lanes_high(moved_b);
    travel.turned_a[2] = iso__lanes_high(travel.turned_a[1]);
    travel.turned_b[2] = iso__lanes_high(travel.turned_b[1]);
    m[0] = iso__lanes_sub_pairs(on->b.moved_xy, on->a.moved_xy);
    m[1] = iso__lanes_high(m[0]);
    m[2] = iso__lanes_sub_pairs(moved_b, moved_a);
    travel.approached = kernel_dot(on->n, m);
    return travel;
}

ISO__ALWAYS_INLINE void kernel_relax_point(kernel_contact *on, const kernel_pass *pass, const kernel_travel *travel,
                                           iso__space_point_lanes *point, uint32_t i) {
    const kernel_side side = kernel_load_side(&point->turn, i);
    const iso__lanes turned =
        iso__lanes_sub(kernel_dot(travel->turned_b, side.b), kernel_dot(travel->turned_a, side.a));
    const iso__lanes start =
        iso__lanes_add(iso__lanes_shift_left(iso__lanes_widen(&point->separation[i]), 30), pass->half);
    const iso__lanes moved = iso__lanes_add(iso__lanes_add(start, travel->approached), turned);
    const iso__lanes s = iso__lanes_clamp_shifted(moved, 30, pass->deepest, pass->farthest);
    iso__lanes_narrow(&point->separation_now[i], s);
    const iso__lanes velocity = kernel_row_velocity(on, pass, on->un, &side);
    const iso__lanes impulse = iso__lanes_load(&point->impulse[i]);
    const iso__lanes bias = kernel_bias(pass, iso__lanes_max(s, pass->zero), pass->rate);
    kernel_push(on, pass, point, i, &side, impulse,
                iso__lanes_mul(iso__lanes_add(velocity, bias), iso__lanes_high(impulse)));
}

// ---- friction ------------------------------------------------------------------------------------

ISO__ALWAYS_INLINE iso__lanes kernel_limit(const kernel_pass *pass, iso__lanes sum, iso__lanes friction) {
    return iso__lanes_clamp_shifted(iso__lanes_add(iso__lanes_mul(sum, friction), pass->limit_half),
                                    ISO__FRICTION_FRACTION, pass->zero, pass->spin_max);
}

ISO__ALWAYS_INLINE void kernel_twist(kernel_contact *on, const kernel_pass *pass, iso__space_contact_group *group,
                                     uint32_t i, iso__lanes friction) {
    const kernel_side side = kernel_load_side(&group->twist_turn, i);
    iso__lanes sum = pass->zero;
    for (uint32_t p = 0; p < group->point_count; ++p) {
        const iso__lanes impulse = iso__lanes_load(&group->points[p].impulse[i]);
        const iso__lanes lever = iso__lanes_widen(&group->points[p].lever[i]);
        sum = iso__lanes_add(sum, KERNEL_ROUND(pass, iso__lanes_mul(impulse, lever)));
    }
    const iso__lanes limit = kernel_limit(pass, sum, friction);
    const iso__lanes twist = iso__lanes_load(&group->twist[i]);
    const iso__lanes velocity = kernel_row_velocity(on, pass, pass->zero, &side);
    const iso__lanes before = iso__lanes_mul(twist, iso__lanes_set(INT64_C(1) << ISO__SPACE_TWIST_MASS));
    const iso__lanes wanted =
        iso__lanes_add(iso__lanes_sub(before, iso__lanes_mul(velocity, iso__lanes_high(twist))), pass->twist_half);
    const iso__lanes j =
        iso__lanes_clamp_shifted(wanted, ISO__SPACE_TWIST_MASS, iso__lanes_sub(pass->zero, limit), limit);
    iso__lanes_store(&group->twist[i], iso__lanes_with_low(j, twist));
    kernel_turn(on, &side, iso__lanes_sub(j, twist));
}

/// iso__space_lane_slide where a sum is beyond the cone: few contacts slide at once.
static void kernel_slide(iso__lanes beyond, iso__lanes limit, const int32_t *step, const iso__pair_lane *impulse,
                         const iso__lanes velocity[2], iso__lanes j[2]) {
    int64_t is_beyond[ISO__LANES_COUNT], limits[ISO__LANES_COUNT], v1[ISO__LANES_COUNT], v2[ISO__LANES_COUNT];
    int64_t j1[ISO__LANES_COUNT], j2[ISO__LANES_COUNT];
    iso__lanes_store(is_beyond, beyond);
    iso__lanes_store(limits, limit);
    iso__lanes_store(v1, velocity[0]);
    iso__lanes_store(v2, velocity[1]);
    iso__lanes_store(j1, j[0]);
    iso__lanes_store(j2, j[1]);
    for (unsigned lane = 0; lane < ISO__LANES_COUNT; ++lane) {
        if (is_beyond[lane] != 0) {
            const int32_t v[2] = {(int32_t)v1[lane], (int32_t)v2[lane]};
            int32_t along[2] = {(int32_t)j1[lane], (int32_t)j2[lane]};
            iso__space_lane_slide((int32_t)limits[lane], step[lane], &impulse[lane], v, along);
            j1[lane] = along[0];
            j2[lane] = along[1];
        }
    }
    j[0] = iso__lanes_load(j1);
    j[1] = iso__lanes_load(j2);
}

ISO__ALWAYS_INLINE void kernel_rub(kernel_contact *on, const kernel_pass *pass, iso__space_contact_group *group,
                                   uint32_t i, iso__lanes friction) {
    const kernel_side first = kernel_load_side(&group->friction[0], i);
    const kernel_side second = kernel_load_side(&group->friction[1], i);
    iso__lanes sum = pass->zero;
    for (uint32_t p = 0; p < group->point_count; ++p) {
        sum = iso__lanes_add(sum, iso__lanes_load(&group->points[p].impulse[i]));
    }
    const iso__lanes limit = kernel_limit(pass, sum, friction);
    iso__lanes v1 = kernel_row_velocity(on, pass, on->ut[0], &first);
    iso__lanes v2 = kernel_row_velocity(on, pass, on->ut[1], &second);
    if (group->carries) {
        v1 = iso__lanes_sub(v1, iso__lanes_widen(&group->surface[0][i]));
        v2 = iso__lanes_sub(v2, iso__lanes_widen(&group->surface[1][i]));
    }
    const iso__lanes i11 = iso__lanes_widen(&group->friction_mass[0][i]);
    const iso__lanes i12 = iso__lanes_widen(&group->friction_mass[1][i]);
    const iso__lanes i22 = iso__lanes_widen(&group->friction_mass[2][i]);
    const iso__lanes impulse = iso__lanes_load(&group->friction_impulse[i]), across = iso__lanes_high(impulse);
    const iso__lanes x1 = KERNEL_ROUND(pass, iso__lanes_add(iso__lanes_mul(i11, v1), iso__lanes_mul(i12, v2)));
    const iso__lanes x2 = KERNEL_ROUND(pass, iso__lanes_add(iso__lanes_mul(i12, v1), iso__lanes_mul(i22, v2)));
    iso__lanes j[2] = {iso__lanes_sub(impulse, x1), iso__lanes_sub(across, x2)};
    const iso__lanes within = iso__lanes_sub(iso__lanes_sub(iso__lanes_mul(limit, limit), iso__lanes_mul(j[0], j[0])),
                                             iso__lanes_mul(j[1], j[1]));
    const iso__lanes beyond = iso__lanes_shift_right(within, 63); // its sign
    if (!iso__lanes_are_zero(beyond)) {
        const iso__lanes velocity[2] = {v1, v2};
        kernel_slide(beyond, limit, &group->friction_step[i], &group->friction_impulse[i], velocity, j);
    }
    iso__lanes_store(&group->friction_impulse[i], iso__lanes_pair(j[0], j[1]));
    const iso__lanes dj1 = iso__lanes_sub(j[0], impulse), dj2 = iso__lanes_sub(j[1], across);
    on->ut[0] = iso__lanes_add(on->ut[0], dj1);
    on->ut[1] = iso__lanes_add(on->ut[1], dj2);
    kernel_turn(on, &first, dj1);
    kernel_turn(on, &second, dj2);
}

// ---- contacts ------------------------------------------------------------------------------------

ISO__ALWAYS_INLINE void kernel_warm_start(const kernel_pass *pass, iso__space_motion *motions,
                                          const iso__space_contact_group *group, uint32_t i) {
    kernel_contact on;
    iso__lanes dn = pass->zero;
    kernel_gather(&on, motions, group, i);
    kernel_load_tangents(&on, group, i);
    for (uint32_t p = 0; p < group->point_count; ++p) {
        const iso__space_point_lanes *point = &group->points[p];
        const kernel_side side = kernel_load_side(&point->turn, i);
        const iso__lanes impulse = iso__lanes_load(&point->impulse[i]);
        dn = iso__lanes_add(dn, impulse);
        kernel_turn(&on, &side, impulse);
    }
    const iso__lanes impulse = iso__lanes_load(&group->friction_impulse[i]);
    const iso__lanes dt[2] = {impulse, iso__lanes_high(impulse)};
    for (int n = 0; n < 2; ++n) {
        const kernel_side side = kernel_load_side(&group->friction[n], i);
        kernel_turn(&on, &side, dt[n]);
    }
    const kernel_side twist = kernel_load_side(&group->twist_turn, i);
    kernel_turn(&on, &twist, iso__lanes_load(&group->twist[i]));
    kernel_scatter(&on, pass, motions, group, i, dn, dt, true);
}

ISO__ALWAYS_INLINE void kernel_solve(const kernel_pass *pass, iso__space_motion *motions,
                                     iso__space_contact_group *group, uint32_t i) {
    kernel_contact on;
    kernel_gather(&on, motions, group, i);
    kernel_project(&on, pass, false);
    const iso__lanes share = iso__lanes_load(&group->share[i]);
    const iso__lanes shares = iso__lanes_min(share, iso__lanes_high(share));
    for (uint32_t p = 0; p < group->point_count; ++p) {
        kernel_solve_point(&on, pass, &group->points[p], i, shares);
    }
    kernel_scatter(&on, pass, motions, group, i, iso__lanes_sub(on.un, on.un_before), NULL, false);
}

ISO__ALWAYS_INLINE void kernel_relax(const kernel_pass *pass, iso__space_motion *motions,
                                     iso__space_contact_group *group, uint32_t i) {
    kernel_contact on;
    kernel_gather(&on, motions, group, i);
    kernel_load_tangents(&on, group, i);
    kernel_project(&on, pass, true);
    const kernel_travel travel = kernel_gather_travel(&on, motions);
    for (uint32_t p = 0; p < group->point_count; ++p) {
        kernel_relax_point(&on, pass, &travel, &group->points[p], i);
    }
    const iso__lanes friction = iso__lanes_high(on.n[2]);
    kernel_twist(&on, pass, group, i, friction);
    kernel_rub(&on, pass, group, i, friction);
    const iso__lanes dt[2] = {iso__lanes_sub(on.ut[0], on.ut_before[0]), iso__lanes_sub(on.ut[1], on.ut_before[1])};
    kernel_scatter(&on, pass, motions, group, i, iso__lanes_sub(on.un, on.un_before), dt, true);
}

// ---- passes --------------------------------------------------------------------------------------

/// Brings the next group towards the processor. Groups are larger than what it fetches ahead by itself: it stops at the
/// end of a page, as often as there are groups.
ISO__ALWAYS_INLINE void kernel_fetch(const iso__space_contact_group *groups, uint32_t next, uint32_t end) {
    const char *group = (const char *)&groups[next];
    for (size_t at = 0; next < end && at < sizeof *groups; at += 64) {
        __builtin_prefetch(group + at);
    }
}

static void kernel_groups_warm_start(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    for (uint32_t g = begin; g < end; ++g) {
        kernel_fetch(scratch->groups, g + 1, end);
        for (uint32_t i = 0; i < scratch->groups[g].count; i += ISO__LANES_COUNT) {
            kernel_warm_start(&pass, scratch->motions, &scratch->groups[g], i);
        }
    }
}

static void kernel_groups_solve(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    for (uint32_t g = begin; g < end; ++g) {
        iso__space_contact_group *group = &scratch->groups[g];
        kernel_fetch(scratch->groups, g + 1, end);
        for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
            kernel_solve(&pass, scratch->motions, group, i);
        }
        if (group->notes) {
            iso__space_group_note_impulses(group);
        }
    }
}

static void kernel_groups_relax(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    for (uint32_t g = begin; g < end; ++g) {
        iso__space_contact_group *group = &scratch->groups[g];
        kernel_fetch(scratch->groups, g + 1, end);
        for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
            kernel_relax(&pass, scratch->motions, group, i);
        }
        if (group->notes) {
            iso__space_group_note_impulses(group);
        }
        if (group->bounces) {
            iso__space_group_sum_impulses(group);
        }
    }
}

const iso__space_kernels KERNEL_TABLE = {
    .contacts_min = 3,
    .warm_start = kernel_groups_warm_start,
    .solve = kernel_groups_solve,
    .relax = kernel_groups_relax,
    .stage = kernel_stage,
};

#endif
