/// The passes over contacts in lanes: contact_solver.c's arithmetic, eight contacts or half of them at a time. Included
/// by one file per instruction set, after its lane operations.
///
/// The equations are at the head of contact_solver.c. In short, with vn and vt the velocities of a point's rows:
///
///   solve  j' = max(0, j - (ms vn + bias)/K - is j),  bias = max(ms rate s, -push);  s > 0: ms = 1, is = 0, bias = s/h
///   relax  j' = max(0, j - (vn + max(s, 0)/h)/K),  then  jt' = jt - vt/K, cut to +-mu j
///   after each row, for dj = j' - j:  u += dj,  wA -= gA dj,  wB += gB dj
///
/// A lane is 64 bits wide. What the scalar code keeps in 32 bits stands in the low half, and what stands above is never
/// read: products take low halves, and a logical shift by 30 brings the same low half down as an arithmetic one. So
/// every sum, product and rounding is that of the scalar code, whose 32-bit sums wrap, too. Where that branches:
///
///   a point without mass     its row has no coefficients, so its impulse stays zero
///   no impulse yet           warm starting adds zeros
///   s > 0                    softness is chosen lane by lane; both biases are s times a rate, shifted by 25
///   a bias beyond its limit  s is cut first, to where the bias has reached the limit, so that the product's shift fits
///   a body that is not dynamic  is not stored: its bit is clear
///   softness of static bodies   chosen lane by lane, by the smaller share
///
/// Lanes of a group that hold no contact have the first lane's bodies, which are not stored for them
/// (contact_prepare.c). Compared with the scalar code: tests/unit/plane/dynamics/test_contact_row.c.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_KERNEL_H
#define ISO_PLANE_DYNAMICS_CONTACT_KERNEL_H

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_group.h"
#include "plane/world/scratch.h"
#include "simd/lanes.h"

_Static_assert(sizeof(iso__plane_motion) == 32 && offsetof(iso__plane_motion, turned) == 12 &&
                   offsetof(iso__plane_motion, moved) == 16,
               "bodies are gathered by halves of 32 bytes, their numbers as pairs");
_Static_assert(ISO__LANES % ISO__LANES_COUNT == 0, "a group is taken whole or by halves");

/// Groups at a time. The rows of a contact wait for each other; when one vector takes a group, those of a second fill
/// the time, as a second vector does elsewhere (simd/lanes.h).
#define KERNEL_GROUPS (ISO__LANES == ISO__VECTOR_LANES ? 2u : 1u)

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
    iso__lanes soft_rate[2], soft_mass[2], soft_impulse[2]; // of two dynamic bodies, and of static ones
} kernel_pass;

ISO__ALWAYS_INLINE kernel_pass kernel_pass_make(const iso__step_params *params) {
    const int64_t speed = ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE;
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
        .soft_rate = {iso__lanes_set(params->contact_soft.bias_rate), iso__lanes_set(params->static_soft.bias_rate)},
        .soft_mass = {iso__lanes_set(params->contact_soft.mass_scale), iso__lanes_set(params->static_soft.mass_scale)},
        .soft_impulse = {iso__lanes_set(params->contact_soft.impulse_scale),
                         iso__lanes_set(params->static_soft.impulse_scale)},
    };
}

/// The bodies of the contacts of a chunk.
typedef struct kernel_bodies {
    const uint32_t *body_a, *body_b;
    unsigned moves_a, moves_b;
    iso__lanes velocity_a, velocity_b; // pairs
    iso__lanes turning_a, turning_b;   // pairs: spin and turned
    iso__lanes nx, ny;                 // low
    iso__lanes un, ut;                 // low
    iso__lanes un_before, ut_before;   // low
    iso__lanes wa, wb;                 // Q.41 and half a quantum of the spin
} kernel_bodies;

/// a b / 2^30, rounded. Low.
#define KERNEL_ROUND(pass, sum) iso__lanes_shift_right(iso__lanes_add(sum, (pass)->half), 30)

ISO__ALWAYS_INLINE iso__lanes kernel_widen_spin(iso__lanes turning) {
    return iso__lanes_add(iso__lanes_mul(turning, iso__lanes_set(INT64_C(1) << 22)), iso__lanes_set(INT64_C(1) << 21));
}

ISO__ALWAYS_INLINE void kernel_gather(kernel_bodies *on, const iso__plane_motion *motions,
                                      const iso__plane_contact_group *group, uint32_t i) {
    on->body_a = &group->body_a[i];
    on->body_b = &group->body_b[i];
    on->moves_a = (unsigned)group->moves_a >> i;
    on->moves_b = (unsigned)group->moves_b >> i;
    iso__lanes_gather(motions, sizeof *motions, on->body_a, &on->velocity_a, &on->turning_a);
    iso__lanes_gather(motions, sizeof *motions, on->body_b, &on->velocity_b, &on->turning_b);
    on->nx = iso__lanes_load(&group->normal[i]);
    on->ny = iso__lanes_high(on->nx);
    on->wa = kernel_widen_spin(on->turning_a);
    on->wb = kernel_widen_spin(on->turning_b);
}

/// Projects the relative velocity on n and t.
ISO__ALWAYS_INLINE void kernel_project(kernel_bodies *on, const kernel_pass *pass) {
    const iso__lanes dx = iso__lanes_sub_pairs(on->velocity_b, on->velocity_a), dy = iso__lanes_high(dx);
    on->un = on->un_before = KERNEL_ROUND(pass, iso__lanes_add(iso__lanes_mul(on->nx, dx), iso__lanes_mul(on->ny, dy)));
    on->ut = on->ut_before = KERNEL_ROUND(pass, iso__lanes_sub(iso__lanes_mul(on->nx, dy), iso__lanes_mul(on->ny, dx)));
}

/// A share of an impulse in Q.49, so that a shift by 30 rounds it, a half to the even neighbour.
ISO__ALWAYS_INLINE iso__lanes kernel_share(const kernel_pass *pass, iso__lanes share, iso__lanes p) {
    const iso__lanes product = iso__lanes_mul(share, p);
    const iso__lanes below = iso__lanes_sub(pass->half, iso__lanes_set(1));
    return iso__lanes_add(iso__lanes_add(product, below), iso__lanes_odd_bit(product));
}

/// The shares of an impulse, as a pair: a shift to the left by 2 brings the bits from 30 on to the high half.
ISO__ALWAYS_INLINE iso__lanes kernel_shares(const kernel_pass *pass, iso__lanes share, iso__lanes px, iso__lanes py) {
    return iso__lanes_with_low(iso__lanes_shift_right(kernel_share(pass, share, px), 30),
                               iso__lanes_shift_left(kernel_share(pass, share, py), 2));
}

/// @param jn, jt  the sums of the contacts' impulses
ISO__ALWAYS_INLINE void kernel_scatter(const kernel_bodies *on, const kernel_pass *pass, iso__plane_motion *motions,
                                       iso__lanes share, iso__lanes jn, iso__lanes jt) {
    const iso__lanes px = KERNEL_ROUND(pass, iso__lanes_sub(iso__lanes_mul(on->nx, jn), iso__lanes_mul(on->ny, jt)));
    const iso__lanes py = KERNEL_ROUND(pass, iso__lanes_add(iso__lanes_mul(on->ny, jn), iso__lanes_mul(on->nx, jt)));
    if (on->moves_a) {
        const iso__lanes change = kernel_shares(pass, share, px, py);
        const iso__lanes velocity =
            iso__lanes_clamp(iso__lanes_sub_pairs(on->velocity_a, change), pass->speed_min, pass->speed_max);
        const iso__lanes spin = iso__lanes_clamp_shifted(on->wa, 22, pass->spin_min, pass->spin_max);
        iso__lanes_scatter(motions, sizeof *motions, on->body_a, on->moves_a, velocity,
                           iso__lanes_with_low(spin, on->turning_a));
    }
    if (on->moves_b) {
        const iso__lanes share_b = iso__lanes_high(share);
        const iso__lanes change = kernel_shares(pass, share_b, px, py);
        const iso__lanes velocity =
            iso__lanes_clamp(iso__lanes_add_pairs(on->velocity_b, change), pass->speed_min, pass->speed_max);
        const iso__lanes spin = iso__lanes_clamp_shifted(on->wb, 22, pass->spin_min, pass->spin_max);
        iso__lanes_scatter(motions, sizeof *motions, on->body_b, on->moves_b, velocity,
                           iso__lanes_with_low(spin, on->turning_b));
    }
}

ISO__ALWAYS_INLINE iso__lanes kernel_row_velocity(const kernel_bodies *on, const kernel_pass *pass, iso__lanes u,
                                                  iso__lanes a, iso__lanes b) {
    const iso__lanes turning = iso__lanes_sub(iso__lanes_mul(iso__lanes_shift_right(on->wb, 22), b),
                                              iso__lanes_mul(iso__lanes_shift_right(on->wa, 22), a));
    return iso__lanes_add(u, KERNEL_ROUND(pass, turning));
}

ISO__ALWAYS_INLINE void kernel_row_apply(kernel_bodies *on, iso__lanes *u, iso__lanes a, iso__lanes b, iso__lanes dj) {
    *u = iso__lanes_add(*u, dj);
    on->wa = iso__lanes_sub(on->wa, iso__lanes_mul(iso__lanes_high(a), dj));
    on->wb = iso__lanes_add(on->wb, iso__lanes_mul(iso__lanes_high(b), dj));
}

/// @return the bias [m/s] Q12.19 of a point, and its softness
/// @param s  in: the separation
ISO__ALWAYS_INLINE iso__lanes kernel_bias(const kernel_pass *pass, iso__lanes s, iso__lanes rate, bool is_soft) {
    const iso__lanes product = iso__lanes_add(iso__lanes_mul(s, rate), pass->bias_half);
    const iso__lanes bias = iso__lanes_min(iso__lanes_shift_right(product, 25), pass->spin_max);
    return is_soft ? iso__lanes_max(bias, pass->push) : bias;
}

/// Q.54 and half a quantum.
typedef struct kernel_travel {
    iso__lanes approached;
    iso__lanes turned_a, turned_b;
} kernel_travel;

ISO__ALWAYS_INLINE kernel_travel kernel_gather_travel(const kernel_bodies *on, const kernel_pass *pass,
                                                      const iso__plane_motion *motions) {
    iso__lanes moved_a, moved_b, rest;
    iso__lanes_gather(motions->moved, sizeof *motions, on->body_a, &moved_a, &rest);
    iso__lanes_gather(motions->moved, sizeof *motions, on->body_b, &moved_b, &rest);
    const iso__lanes mx = iso__lanes_sub_pairs(moved_b, moved_a), my = iso__lanes_high(mx);
    const iso__lanes approached = iso__lanes_add(iso__lanes_mul(on->nx, mx), iso__lanes_mul(on->ny, my));
    return (kernel_travel){.approached = iso__lanes_add(approached, pass->half),
                           .turned_a = iso__lanes_high(on->turning_a),
                           .turned_b = iso__lanes_high(on->turning_b)};
}

/// Stores the separation after the bodies' travel.
ISO__ALWAYS_INLINE iso__lanes kernel_separate(const kernel_pass *pass, const kernel_travel *travel,
                                              iso__plane_point_lanes *point, uint32_t i) {
    const iso__lanes a = iso__lanes_load(&point->normal_a[i]), b = iso__lanes_load(&point->normal_b[i]);
    const iso__lanes turned = iso__lanes_sub(iso__lanes_mul(travel->turned_b, b), iso__lanes_mul(travel->turned_a, a));
    const iso__lanes start = iso__lanes_shift_left(iso__lanes_widen(&point->separation[i]), 30);
    const iso__lanes moved = iso__lanes_add(iso__lanes_add(start, travel->approached), turned);
    const iso__lanes s = iso__lanes_clamp_shifted(moved, 30, pass->deepest, pass->farthest);
    iso__lanes_narrow(&point->separation_now[i], s);
    return s;
}

ISO__ALWAYS_INLINE void kernel_solve_normal(kernel_bodies *on, const kernel_pass *pass, iso__plane_point_lanes *point,
                                            uint32_t i, iso__lanes s, iso__lanes shares, bool is_soft) {
    const iso__lanes a = iso__lanes_load(&point->normal_a[i]), b = iso__lanes_load(&point->normal_b[i]);
    const iso__lanes vn = kernel_row_velocity(on, pass, on->un, a, b);
    const iso__lanes impulse = iso__lanes_load(&point->impulse[i]), mass = iso__lanes_load(&point->mass[i]);
    iso__lanes change;
    if (is_soft) {
        const iso__lanes rate = iso__lanes_if_positive(
            s, pass->rate, iso__lanes_if_positive(shares, pass->soft_rate[0], pass->soft_rate[1]));
        const iso__lanes mass_scale = iso__lanes_if_positive(
            s, pass->one, iso__lanes_if_positive(shares, pass->soft_mass[0], pass->soft_mass[1]));
        const iso__lanes impulse_scale = iso__lanes_if_positive(
            s, pass->zero, iso__lanes_if_positive(shares, pass->soft_impulse[0], pass->soft_impulse[1]));
        const iso__lanes wanted =
            iso__lanes_add(KERNEL_ROUND(pass, iso__lanes_mul(mass_scale, vn)), kernel_bias(pass, s, rate, true));
        change = iso__lanes_add(iso__lanes_mul(wanted, mass), iso__lanes_mul(impulse_scale, impulse));
    } else {
        const iso__lanes apart = iso__lanes_max(s, pass->zero);
        change = iso__lanes_mul(iso__lanes_add(vn, kernel_bias(pass, apart, pass->rate, false)), mass);
    }
    const iso__lanes j =
        iso__lanes_clamp(iso__lanes_sub(impulse, KERNEL_ROUND(pass, change)), pass->zero, pass->spin_max);
    iso__lanes_store(&point->impulse[i], iso__lanes_with_low(j, impulse));
    kernel_row_apply(on, &on->un, a, b, iso__lanes_sub(j, impulse));
}

ISO__ALWAYS_INLINE void kernel_solve_friction(kernel_bodies *on, const kernel_pass *pass, iso__plane_point_lanes *point,
                                              uint32_t i, iso__lanes friction, iso__lanes drive) {
    const iso__lanes a = iso__lanes_load(&point->tangent_a[i]), b = iso__lanes_load(&point->tangent_b[i]);
    const iso__lanes vt = iso__lanes_sub(kernel_row_velocity(on, pass, on->ut, a, b), drive);
    const iso__lanes impulse = iso__lanes_load(&point->impulse[i]);
    const iso__lanes before = iso__lanes_high(impulse), mass = iso__lanes_high(iso__lanes_load(&point->mass[i]));
    const iso__lanes limit = iso__lanes_min(
        iso__lanes_shift_right(iso__lanes_mul(friction, impulse), ISO__FRICTION_FRACTION), pass->spin_max);
    const iso__lanes wanted = iso__lanes_sub(before, KERNEL_ROUND(pass, iso__lanes_mul(vt, mass)));
    const iso__lanes j = iso__lanes_clamp(wanted, iso__lanes_sub(pass->zero, limit), limit);
    iso__lanes_store(&point->impulse[i], iso__lanes_pair(impulse, j));
    kernel_row_apply(on, &on->ut, a, b, iso__lanes_sub(j, before));
}

ISO__ALWAYS_INLINE void kernel_note_impulses(iso__plane_contact_group *groups, unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
        if (groups[k].notes_impulses) {
            iso__plane_group_note_impulses(&groups[k]);
        }
    }
}

// ---- contacts ------------------------------------------------------------------------------------

/// Each takes `count` groups from their contacts i on, a constant at each call: row after row of all of them.

ISO__ALWAYS_INLINE void kernel_gather_all(kernel_bodies *on, const kernel_pass *pass, const iso__plane_motion *motions,
                                          const iso__plane_contact_group *groups, uint32_t i, unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
        kernel_gather(&on[k], motions, &groups[k], i);
        kernel_project(&on[k], pass);
    }
}

ISO__ALWAYS_INLINE void kernel_scatter_all(const kernel_bodies *on, const kernel_pass *pass, iso__plane_motion *motions,
                                           const iso__plane_contact_group *groups, uint32_t i, unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
        kernel_scatter(&on[k], pass, motions, iso__lanes_load(&groups[k].share[i]),
                       iso__lanes_sub(on[k].un, on[k].un_before), iso__lanes_sub(on[k].ut, on[k].ut_before));
    }
}

ISO__ALWAYS_INLINE void kernel_warm_start(const kernel_pass *pass, iso__plane_motion *motions,
                                          const iso__plane_contact_group *group, uint32_t i) {
    const iso__lanes impulses[2] = {iso__lanes_load(&group->points[0].impulse[i]),
                                    iso__lanes_load(&group->points[1].impulse[i])};
    if (iso__lanes_are_zero(iso__lanes_or(impulses[0], impulses[1]))) {
        return;
    }
    kernel_bodies on;
    kernel_gather(&on, motions, group, i);
    iso__lanes jn = pass->zero, jt = pass->zero;
    for (int p = 0; p < 2; ++p) {
        const iso__plane_point_lanes *point = &group->points[p];
        kernel_row_apply(&on, &jn, iso__lanes_load(&point->normal_a[i]), iso__lanes_load(&point->normal_b[i]),
                         impulses[p]);
        kernel_row_apply(&on, &jt, iso__lanes_load(&point->tangent_a[i]), iso__lanes_load(&point->tangent_b[i]),
                         iso__lanes_high(impulses[p]));
    }
    kernel_scatter(&on, pass, motions, iso__lanes_load(&group->share[i]), jn, jt);
}

/// With bias, at the poses of the last relax pass.
ISO__ALWAYS_INLINE void kernel_solve(const kernel_pass *pass, iso__plane_motion *motions,
                                     iso__plane_contact_group *groups, uint32_t i, bool has_moved, unsigned count) {
    kernel_bodies on[KERNEL_GROUPS];
    kernel_gather_all(on, pass, motions, groups, i, count);
    for (int p = 0; p < 2; ++p) {
        for (unsigned k = 0; k < count; ++k) {
            iso__plane_point_lanes *point = &groups[k].points[p];
            const iso__lanes share = iso__lanes_load(&groups[k].share[i]);
            const iso__lanes s = iso__lanes_widen(has_moved ? &point->separation_now[i] : &point->separation[i]);
            kernel_solve_normal(&on[k], pass, point, i, iso__lanes_clamp(s, pass->deepest, pass->farthest),
                                iso__lanes_min(share, iso__lanes_high(share)), true);
        }
    }
    kernel_scatter_all(on, pass, motions, groups, i, count);
}

/// Without bias, with friction, at new poses.
ISO__ALWAYS_INLINE void kernel_relax(const kernel_pass *pass, iso__plane_motion *motions,
                                     iso__plane_contact_group *groups, uint32_t i, unsigned count) {
    kernel_bodies on[KERNEL_GROUPS];
    kernel_travel travel[KERNEL_GROUPS];
    iso__lanes s[KERNEL_GROUPS][2];
    kernel_gather_all(on, pass, motions, groups, i, count);
    for (unsigned k = 0; k < count; ++k) {
        travel[k] = kernel_gather_travel(&on[k], pass, motions);
    }
    for (unsigned k = 0; k < count; ++k) {
        s[k][0] = kernel_separate(pass, &travel[k], &groups[k].points[0], i);
        s[k][1] = kernel_separate(pass, &travel[k], &groups[k].points[1], i);
    }
    for (int p = 0; p < 2; ++p) {
        for (unsigned k = 0; k < count; ++k) {
            kernel_solve_normal(&on[k], pass, &groups[k].points[p], i, s[k][p], pass->zero, false);
        }
    }
    for (int p = 0; p < 2; ++p) {
        for (unsigned k = 0; k < count; ++k) {
            kernel_solve_friction(&on[k], pass, &groups[k].points[p], i, iso__lanes_load(&groups[k].surface[i]),
                                  iso__lanes_widen(&groups[k].drive[i]));
        }
    }
    kernel_scatter_all(on, pass, motions, groups, i, count);
}

// ---- passes --------------------------------------------------------------------------------------

static void kernel_contacts_warm_start(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    for (uint32_t g = begin; g < end; ++g) {
        const iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
            kernel_warm_start(&pass, scratch->motions, group, i);
        }
    }
}

static void kernel_contacts_solve(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    const bool has_moved = scratch->has_moved;
    uint32_t g = begin;
    for (; KERNEL_GROUPS > 1 && end - g >= KERNEL_GROUPS; g += KERNEL_GROUPS) {
        kernel_solve(&pass, scratch->motions, &scratch->groups[g], 0, has_moved, KERNEL_GROUPS);
        kernel_note_impulses(&scratch->groups[g], KERNEL_GROUPS);
    }
    for (; g < end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
            kernel_solve(&pass, scratch->motions, group, i, has_moved, 1);
        }
        kernel_note_impulses(group, 1);
    }
}

static void kernel_contacts_relax(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    const kernel_pass pass = kernel_pass_make(&scratch->params);
    uint32_t g = begin;
    for (; KERNEL_GROUPS > 1 && end - g >= KERNEL_GROUPS; g += KERNEL_GROUPS) {
        kernel_relax(&pass, scratch->motions, &scratch->groups[g], 0, KERNEL_GROUPS);
        kernel_note_impulses(&scratch->groups[g], KERNEL_GROUPS);
    }
    for (; g < end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
            kernel_relax(&pass, scratch->motions, group, i, 1);
        }
        kernel_note_impulses(group, 1);
    }
}

#endif
