/// The passes over plain joints in lanes: plain.c's arithmetic, eight joints or four at a time. Included by one file
/// per instruction set, after its lane operations.
///
/// The equations are those of point.c, with u = r/L, t = L^2/(I sigma) and the shares s = (1/m)/sigma:
///
///   Cdot = vB - vA + wB (-uB.y, uB.x) - wA (-uA.y, uA.x)
///   dj   = -K^-1 (ms Cdot + ms rate C) - is j,  in the relax pass -K^-1 Cdot
///   vA -= sA dj,  wA -= tA (uA x dj),  vB += sB dj,  wB += tB (uB x dj)
///
/// A product takes the low halves of two lanes, so its factors must fit 32 bits. What plain.c proves for its own, wider
/// ranges does not suffice for that; here each value that becomes a factor, or whose shift must fit 32 bits, is
/// checked:
///
///   Cdot            Q.26  within ±16 m/s, so that with the bias, within ±16 m/s as well, it stays below 2^31
///   C               Q.30  within ±1 m
///   j               Q.24  within ±128 m/s
///   dj              Q.28  within ±8 m/s
///   u x dj          Q.28  within ±8 m/s
///   v, w after it         within ±512 m/s
///   t u             Q.26  within ±32
///   K               Q.26  below 32
///
/// When a joint of a chunk leaves one of them, nothing is stored and the pass stops before the chunk, for plain.c to go
/// on. Otherwise both compute the same: the same products, sums and roundings. A right shift by n of a number of 64
/// bits whose result needs more than 32 is a logical one of x + 2^62, less 2^(62 - n).
#ifndef ISO_PLANE_JOINT_PLAIN_KERNEL_H
#define ISO_PLANE_JOINT_PLAIN_KERNEL_H

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/joint/plain_invert.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "simd/lanes.h"
#include "solver/softness.h"

_Static_assert(sizeof(iso__plane_plain_row) == 96 && sizeof(iso__plane_joint_pair) == 48 &&
                   sizeof(iso__plane_drift) == 32 && offsetof(iso__plane_joint_pair, local_b) == 16 &&
                   offsetof(iso__plane_joint_pair, exponent_a) == 24 && offsetof(iso__plane_joint_pair, start) == 32,
               "records are loaded by 16 bytes");

#define KERNEL_OFFSET (INT64_C(1) << 62)

/// From this many on, a colour's last rows are solved in lanes, of which the others repeat the first row and store
/// nothing.
#define KERNEL_FEW (ISO__LANES_COUNT / 2u)

/// The rows' indices within their chunk.
static const uint32_t kernel_lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

typedef struct kernel_joints {
    iso__plane_plain_row *rows; // the first of the chunk
    const uint32_t *order;      // the lanes' rows within the chunk
    uint32_t count;             // lanes that store; the others repeat the first row
    uint32_t body_a[ISO__LANES_COUNT], body_b[ISO__LANES_COUNT];
    iso__lanes velocity_a, velocity_b, turning_a, turning_b; // pairs
    iso__lanes arm_a, arm_b;                                 // pairs
    iso__lanes outside;                                      // not zero where a value left its range
} kernel_joints;

/// Notes lanes whose number of 64 bits is not within ±2^bits.
ISO__ALWAYS_INLINE void kernel_expect(kernel_joints *on, iso__lanes x, unsigned bits) {
    const iso__lanes above = iso__lanes_add(x, iso__lanes_set((int64_t)(UINT64_C(1) << bits)));
    // A constant where this is inlined, as the shifts demand.
    switch (bits) {
    case 32:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 33));
        break;
    case 35:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 36));
        break;
    case 39:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 40));
        break;
    case 51:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 52));
        break;
    case 54:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 55));
        break;
    case 55:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 56));
        break;
    case 59:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 60));
        break;
    default:
        on->outside = iso__lanes_or(on->outside, iso__lanes_shift_right(above, 62));
        break;
    }
}

/// Notes lanes with a half outside of ±512 m/s, without the upper bound, Q12.19.
ISO__ALWAYS_INLINE void kernel_expect_speeds(kernel_joints *on, iso__lanes pair) {
    const int64_t speed = ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE;
    const iso__lanes above = iso__lanes_add_pairs(pair, iso__lanes_set(speed << 32 | speed));
    // Bits 29 to 31 of either half.
    const iso__lanes low = iso__lanes_shift_right(iso__lanes_shift_left(above, 32), 61);
    on->outside = iso__lanes_or(on->outside, iso__lanes_or(low, iso__lanes_shift_right(above, 61)));
}

ISO__ALWAYS_INLINE iso__lanes kernel_load_rows(const kernel_joints *on, const void *field, iso__lanes *next) {
    iso__lanes first;
    iso__lanes_gather(field, sizeof *on->rows, on->order, &first, next);
    return first;
}

ISO__ALWAYS_INLINE void kernel_gather_joints(kernel_joints *on, const iso__plane_motion *motions,
                                             iso__plane_plain_row *rows, const uint32_t *order, uint32_t count) {
    on->rows = rows;
    on->order = order;
    on->count = count;
    for (uint32_t i = 0; i < ISO__LANES_COUNT; ++i) {
        on->body_a[i] = rows[order[i]].body_a;
        on->body_b[i] = rows[order[i]].body_b;
    }
    iso__lanes_gather(motions, sizeof *motions, on->body_a, &on->velocity_a, &on->turning_a);
    iso__lanes_gather(motions, sizeof *motions, on->body_b, &on->velocity_b, &on->turning_b);
    on->arm_a = kernel_load_rows(on, rows->arm_a, &on->arm_b);
    on->outside = iso__lanes_set(0);
}

/// What a body becomes by an impulse.
typedef struct kernel_pushed {
    iso__lanes velocity, turning; // pairs
} kernel_pushed;

/// x / 2^39, rounded. Low.
#define KERNEL_ROUND_39(x) iso__lanes_sub(iso__lanes_shift_right(x, 39), iso__lanes_set(INT64_C(1) << 23))

/// @param jx, jy     [m/s] Q.28
/// @param is_second  a constant: B, which is pushed along, not A, which is pushed back
ISO__ALWAYS_INLINE kernel_pushed kernel_push(kernel_joints *on, iso__lanes velocity, iso__lanes turning,
                                             iso__lanes share, iso__lanes turn, iso__lanes arm, iso__lanes jx,
                                             iso__lanes jy, bool is_second) {
    const iso__lanes ux_jy = iso__lanes_mul(arm, jy), uy_jx = iso__lanes_mul(iso__lanes_high(arm), jx);
    const iso__lanes twist = is_second ? iso__lanes_sub(ux_jy, uy_jx) : iso__lanes_sub(uy_jx, ux_jy);
    const iso__lanes moment_sum = iso__lanes_add(twist, iso__lanes_set(INT64_C(1) << 27));
    kernel_expect(on, moment_sum, 59);
    const iso__lanes spin_sum =
        iso__lanes_add(iso__lanes_mul(turn, iso__lanes_shift_right(moment_sum, 28)), iso__lanes_set(INT64_C(1) << 30));
    kernel_expect(on, spin_sum, 61);
    const iso__lanes half = iso__lanes_set((INT64_C(1) << 38) + KERNEL_OFFSET);
    const iso__lanes px = iso__lanes_mul(share, jx), py = iso__lanes_mul(share, jy);
    const iso__lanes x = is_second ? iso__lanes_add(half, px) : iso__lanes_sub(half, px);
    const iso__lanes y = is_second ? iso__lanes_add(half, py) : iso__lanes_sub(half, py);
    const kernel_pushed pushed = {
        .velocity = iso__lanes_add_pairs(velocity, iso__lanes_pair(KERNEL_ROUND_39(x), KERNEL_ROUND_39(y))),
        .turning = iso__lanes_with_low(iso__lanes_add(turning, iso__lanes_shift_right(spin_sum, 31)), turning)};
    kernel_expect_speeds(on, pushed.velocity);
    kernel_expect_speeds(on, iso__lanes_pair(pushed.turning, iso__lanes_set(0)));
    return pushed;
}

/// Applies impulses [m/s] Q31.32. @return false: a lane left its range, nothing is stored
ISO__ALWAYS_INLINE bool kernel_apply(kernel_joints *on, iso__plane_motion *motions, iso__lanes x, iso__lanes y) {
    const iso__lanes eight = iso__lanes_set(8);
    const iso__lanes rounded_x = iso__lanes_add(x, eight), rounded_y = iso__lanes_add(y, eight);
    kernel_expect(on, rounded_x, 35);
    kernel_expect(on, rounded_y, 35);
    const iso__lanes jx = iso__lanes_shift_right(rounded_x, 4), jy = iso__lanes_shift_right(rounded_y, 4);
    iso__lanes turn;
    const iso__lanes share = kernel_load_rows(on, &on->rows->share_a, &turn);
    const kernel_pushed a = kernel_push(on, on->velocity_a, on->turning_a, share, turn, on->arm_a, jx, jy, false);
    const kernel_pushed b = kernel_push(on, on->velocity_b, on->turning_b, iso__lanes_high(share),
                                        iso__lanes_high(turn), on->arm_b, jx, jy, true);
    if (!iso__lanes_are_zero(on->outside)) {
        return false;
    }
    // From the last row to the first: a compiler that vectorises shifts by a lane's index calculates them in floating
    // point where the instruction set has no such shift.
    unsigned moves_a = 0, moves_b = 0;
    for (uint32_t i = on->count; i-- > 0;) {
        moves_a = moves_a << 1 | on->rows[i].moves_a;
        moves_b = moves_b << 1 | on->rows[i].moves_b;
    }
    iso__lanes_scatter(motions, sizeof *motions, on->body_a, moves_a, a.velocity, a.turning);
    iso__lanes_scatter(motions, sizeof *motions, on->body_b, moves_b, b.velocity, b.turning);
    return true;
}

/// A component of Cdot, Q.47 and half a quantum of Q.26.
ISO__ALWAYS_INLINE iso__lanes kernel_cdot(kernel_joints *on, iso__lanes difference, iso__lanes turned) {
    const iso__lanes scaled = iso__lanes_mul(difference, iso__lanes_set(INT64_C(1) << 28));
    const iso__lanes sum = iso__lanes_add(iso__lanes_add(scaled, turned), iso__lanes_set(INT64_C(1) << 20));
    kernel_expect(on, sum, 51);
    return sum;
}

/// @return the right-hand side of a component with its bias, Q.26. Low.
ISO__ALWAYS_INLINE iso__lanes kernel_soften(kernel_joints *on, const iso__softness *soft, iso__lanes rhs,
                                            iso__lanes error) {
    kernel_expect(on, error, 32);
    const iso__lanes quarter = iso__lanes_shift_right(iso__lanes_add(error, iso__lanes_set(2)), 2);
    const iso__lanes bias =
        iso__lanes_add(iso__lanes_mul(quarter, iso__lanes_set(soft->bias_rate)), iso__lanes_set(INT64_C(1) << 23));
    kernel_expect(on, bias, 54);
    const iso__lanes scaled =
        iso__lanes_add(iso__lanes_mul(rhs, iso__lanes_set(soft->mass_scale)), iso__lanes_set(INT64_C(1) << 29));
    return iso__lanes_add(iso__lanes_shift_right(scaled, 30), iso__lanes_shift_right(bias, 24));
}

/// @return the impulse less what softness takes of it
ISO__ALWAYS_INLINE iso__lanes kernel_release(kernel_joints *on, const iso__softness *soft, iso__lanes impulse) {
    const iso__lanes sum = iso__lanes_add(impulse, iso__lanes_set(128));
    kernel_expect(on, sum, 39);
    const iso__lanes taken = iso__lanes_mul(iso__lanes_shift_right(sum, 8), iso__lanes_set(soft->impulse_scale));
    const iso__lanes shifted =
        iso__lanes_shift_right(iso__lanes_add(taken, iso__lanes_set((INT64_C(1) << 21) + KERNEL_OFFSET)), 22);
    return iso__lanes_sub(iso__lanes_add(impulse, iso__lanes_set(INT64_C(1) << 40)), shifted);
}

/// @param soft  NULL: the velocity alone; a constant at each call
/// @return false: a lane left its range, nothing has changed
ISO__ALWAYS_INLINE bool kernel_solve_joints(iso__plane_motion *motions, iso__plane_plain_row *rows,
                                            const uint32_t *order, uint32_t count, const iso__softness *soft) {
    kernel_joints on;
    kernel_gather_joints(&on, motions, rows, order, count);
    const iso__lanes dx = iso__lanes_sub_pairs(on.velocity_b, on.velocity_a), dy = iso__lanes_high(dx);
    const iso__lanes turned_x = iso__lanes_sub(iso__lanes_mul(on.turning_a, iso__lanes_high(on.arm_a)),
                                               iso__lanes_mul(on.turning_b, iso__lanes_high(on.arm_b)));
    const iso__lanes turned_y =
        iso__lanes_sub(iso__lanes_mul(on.turning_b, on.arm_b), iso__lanes_mul(on.turning_a, on.arm_a));
    iso__lanes rhs_x = iso__lanes_shift_right(kernel_cdot(&on, dx, turned_x), 21);
    iso__lanes rhs_y = iso__lanes_shift_right(kernel_cdot(&on, dy, turned_y), 21);
    iso__lanes start_y, i22;
    const iso__lanes start_x = kernel_load_rows(&on, rows->impulse, &start_y);
    iso__lanes x = start_x, y = start_y;
    kernel_expect(&on, x, 39);
    kernel_expect(&on, y, 39);
    if (soft) {
        iso__lanes error_y;
        const iso__lanes error_x = kernel_load_rows(&on, rows->error, &error_y);
        rhs_x = kernel_soften(&on, soft, rhs_x, error_x);
        rhs_y = kernel_soften(&on, soft, rhs_y, error_y);
        x = kernel_release(&on, soft, x);
        y = kernel_release(&on, soft, y);
    }
    const iso__lanes i11 = kernel_load_rows(&on, rows->inverse, &i22), i12 = iso__lanes_high(i11);
    const iso__lanes half = iso__lanes_set((INT64_C(1) << 22) + KERNEL_OFFSET),
                     offset = iso__lanes_set(INT64_C(1) << 39);
    const iso__lanes change_x = iso__lanes_add(iso__lanes_mul(i11, rhs_x), iso__lanes_mul(i12, rhs_y));
    const iso__lanes change_y = iso__lanes_add(iso__lanes_mul(i12, rhs_x), iso__lanes_mul(i22, rhs_y));
    x = iso__lanes_sub(iso__lanes_add(x, offset), iso__lanes_shift_right(iso__lanes_add(change_x, half), 23));
    y = iso__lanes_sub(iso__lanes_add(y, offset), iso__lanes_shift_right(iso__lanes_add(change_y, half), 23));
    if (!kernel_apply(&on, motions, iso__lanes_sub(x, start_x), iso__lanes_sub(y, start_y))) {
        return false;
    }
    iso__lanes_scatter(rows->impulse, sizeof *rows, order, (1u << count) - 1, x, y);
    return true;
}

ISO__ALWAYS_INLINE bool kernel_warm_start_joints(iso__plane_motion *motions, iso__plane_plain_row *rows,
                                                 const uint32_t *order, uint32_t count) {
    kernel_joints on;
    kernel_gather_joints(&on, motions, rows, order, count);
    iso__lanes y;
    const iso__lanes x = kernel_load_rows(&on, rows->impulse, &y);
    return kernel_apply(&on, motions, x, y);
}

// ---- where the bodies are ------------------------------------------------------------------------

/// An anchor that has turned with its body.
typedef struct kernel_lever {
    iso__lanes x, y; // Q.54
    iso__lanes ux, uy;
    iso__lanes arm; // pair of ux and uy, Q3.28
} kernel_lever;

/// @param count  25 + the exponent of L: one less than what takes Q.54 to Q3.28 of L
ISO__ALWAYS_INLINE kernel_lever kernel_turn_anchor(iso__lanes rotation, iso__lanes local, iso__lanes count) {
    const iso__lanes s = iso__lanes_high(rotation), ly = iso__lanes_high(local), one = iso__lanes_set(1);
    kernel_lever lever;
    lever.x = iso__lanes_sub(iso__lanes_mul(rotation, local), iso__lanes_mul(s, ly));
    lever.y = iso__lanes_add(iso__lanes_mul(s, local), iso__lanes_mul(rotation, ly));
    lever.ux = iso__lanes_shift_right(iso__lanes_add(iso__lanes_shift_right_each(lever.x, count), one), 1);
    lever.uy = iso__lanes_shift_right(iso__lanes_add(iso__lanes_shift_right_each(lever.y, count), one), 1);
    lever.arm = iso__lanes_pair(lever.ux, lever.uy);
    return lever;
}

/// Adds t [uy^2, -ux uy; -ux uy, ux^2], Q.26.
ISO__ALWAYS_INLINE void kernel_add_turning(kernel_joints *on, iso__lanes k[3], iso__lanes turn,
                                           const kernel_lever *lever) {
    const iso__lanes half = iso__lanes_set(INT64_C(1) << 23), half_28 = iso__lanes_set(INT64_C(1) << 27);
    const iso__lanes sum_x = iso__lanes_add(iso__lanes_mul(turn, lever->ux), half);
    const iso__lanes sum_y = iso__lanes_add(iso__lanes_mul(turn, lever->uy), half);
    kernel_expect(on, sum_x, 55);
    kernel_expect(on, sum_y, 55);
    const iso__lanes x = iso__lanes_shift_right(sum_x, 24), y = iso__lanes_shift_right(sum_y, 24);
    k[0] = iso__lanes_add(k[0], iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(y, lever->uy), half_28), 28));
    k[1] = iso__lanes_sub(k[1], iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(x, lever->uy), half_28), 28));
    k[2] = iso__lanes_add(k[2], iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(x, lever->ux), half_28), 28));
}

/// The difference of two levers, Q31.32.
ISO__ALWAYS_INLINE iso__lanes kernel_lever_difference(iso__lanes b, iso__lanes a) {
    const iso__lanes half = iso__lanes_set((INT64_C(1) << 21) + KERNEL_OFFSET);
    return iso__lanes_sub(iso__lanes_shift_right(iso__lanes_add(b, half), 22),
                          iso__lanes_shift_right(iso__lanes_add(a, half), 22));
}

ISO__ALWAYS_INLINE void kernel_invert(iso__plane_plain_row *rows, uint32_t count, const iso__lanes k[3]) {
    int64_t each[3][ISO__LANES_COUNT];
    for (int n = 0; n < 3; ++n) {
        iso__lanes_store(each[n], k[n]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t one[3] = {each[0][i], (int32_t)(uint32_t)(uint64_t)each[1][i], each[2][i]};
        iso__plane_plain_invert(one, rows[i].inverse);
    }
}

/// Where bodies are in a substep.
typedef struct kernel_places {
    const iso__plane_drift *drifts;
    const iso_rotation *rotations;
} kernel_places;

/// @return false: a lane left its range, nothing has changed
ISO__ALWAYS_INLINE bool kernel_arrive(kernel_places at, iso__plane_plain_row *rows, const iso__plane_joint_pair *pairs,
                                      const uint32_t *order, uint32_t count) {
    kernel_joints on = {.rows = rows, .order = order, .count = count, .outside = iso__lanes_set(0)};
    for (uint32_t i = 0; i < ISO__LANES_COUNT; ++i) {
        on.body_a[i] = rows[order[i]].body_a;
        on.body_b[i] = rows[order[i]].body_b;
    }
    iso__lanes bodies, local_a, local_b, exponents, x[3], y[3], turn;
    iso__lanes_gather(pairs, sizeof *pairs, order, &bodies, &local_a);
    iso__lanes_gather(pairs->local_b, sizeof *pairs, order, &local_b, &exponents);
    iso__lanes_gather(pairs->start, sizeof *pairs, order, &x[0], &y[0]);
    iso__lanes_gather(at.drifts, sizeof *at.drifts, on.body_a, &x[1], &y[1]);
    iso__lanes_gather(at.drifts, sizeof *at.drifts, on.body_b, &x[2], &y[2]);
    // The exponents are the lowest two bytes.
    const iso__lanes base = iso__lanes_set(25);
    const iso__lanes count_a = iso__lanes_shift_right(iso__lanes_shift_left(iso__lanes_add(exponents, base), 56), 56);
    const iso__lanes count_b = iso__lanes_shift_right(
        iso__lanes_shift_left(iso__lanes_add(iso__lanes_shift_right(exponents, 8), base), 56), 56);
    const kernel_lever a =
        kernel_turn_anchor(iso__lanes_gather_pairs(at.rotations, sizeof *at.rotations, on.body_a), local_a, count_a);
    const kernel_lever b =
        kernel_turn_anchor(iso__lanes_gather_pairs(at.rotations, sizeof *at.rotations, on.body_b), local_b, count_b);
    const iso__lanes one = iso__lanes_set(INT64_C(1) << 26);
    iso__lanes k[3] = {one, iso__lanes_set(0), one};
    (void)kernel_load_rows(&on, &rows->share_a, &turn);
    kernel_add_turning(&on, k, turn, &a);
    kernel_add_turning(&on, k, iso__lanes_high(turn), &b);
    on.outside = iso__lanes_or(on.outside, iso__lanes_shift_right(iso__lanes_or(k[0], k[2]), 31));
    if (!iso__lanes_are_zero(on.outside)) {
        return false;
    }
    const iso__lanes error_x =
        iso__lanes_add(iso__lanes_add(x[0], iso__lanes_sub(x[2], x[1])), kernel_lever_difference(b.x, a.x));
    const iso__lanes error_y =
        iso__lanes_add(iso__lanes_add(y[0], iso__lanes_sub(y[2], y[1])), kernel_lever_difference(b.y, a.y));
    iso__lanes_scatter(rows->arm_a, sizeof *rows, order, (1u << count) - 1, a.arm, b.arm);
    iso__lanes_scatter(rows->error, sizeof *rows, order, (1u << count) - 1, error_x, error_y);
    kernel_invert(rows, count, k);
    return true;
}

// ---- passes --------------------------------------------------------------------------------------

/// The order of the lanes of a colour's last rows, fewer than fill a chunk. @return whether they are worth a chunk
ISO__ALWAYS_INLINE bool kernel_order_few(uint32_t count, uint32_t order[8]) {
    ISO_VALIDATE_ASSERT(count < ISO__LANES_COUNT);
    for (uint32_t i = 0; i < 8; ++i) {
        order[i] = i < count ? i : 0;
    }
    return count >= KERNEL_FEW;
}

static uint32_t kernel_plain_arrive(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    ISO_VALIDATE_ASSERT(begin <= end && end <= scratch->plain_count);
    const kernel_places at = {scratch->drifts, scratch->rotations};
    iso__plane_plain_row *rows = scratch->plain_rows;
    const iso__plane_joint_pair *pairs = scratch->plain_pairs;
    uint32_t i = begin, order[8];
    while (end - i >= ISO__LANES_COUNT) {
        if (!kernel_arrive(at, &rows[i], &pairs[i], kernel_lanes_in_order, ISO__LANES_COUNT)) {
            return i;
        }
        i += ISO__LANES_COUNT;
    }
    return kernel_order_few(end - i, order) && kernel_arrive(at, &rows[i], &pairs[i], order, end - i) ? end : i;
}

static uint32_t kernel_plain_warm_start(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    ISO_VALIDATE_ASSERT(begin <= end && end <= scratch->plain_count);
    uint32_t i = begin, order[8];
    while (end - i >= ISO__LANES_COUNT) {
        if (!kernel_warm_start_joints(scratch->motions, &scratch->plain_rows[i], kernel_lanes_in_order,
                                      ISO__LANES_COUNT)) {
            return i;
        }
        i += ISO__LANES_COUNT;
    }
    return kernel_order_few(end - i, order) &&
                   kernel_warm_start_joints(scratch->motions, &scratch->plain_rows[i], order, end - i)
               ? end
               : i;
}

static uint32_t kernel_plain_solve(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    ISO_VALIDATE_ASSERT(begin <= end && end <= scratch->plain_count);
    const iso__softness soft = scratch->params.joint_soft;
    uint32_t i = begin, order[8];
    while (end - i >= ISO__LANES_COUNT) {
        if (!kernel_solve_joints(scratch->motions, &scratch->plain_rows[i], kernel_lanes_in_order, ISO__LANES_COUNT,
                                 &soft)) {
            return i;
        }
        i += ISO__LANES_COUNT;
    }
    return kernel_order_few(end - i, order) &&
                   kernel_solve_joints(scratch->motions, &scratch->plain_rows[i], order, end - i, &soft)
               ? end
               : i;
}

static uint32_t kernel_plain_relax(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    ISO_VALIDATE_ASSERT(begin <= end && end <= scratch->plain_count);
    uint32_t i = begin, order[8];
    while (end - i >= ISO__LANES_COUNT) {
        if (!kernel_solve_joints(scratch->motions, &scratch->plain_rows[i], kernel_lanes_in_order, ISO__LANES_COUNT,
                                 NULL)) {
            return i;
        }
        i += ISO__LANES_COUNT;
    }
    return kernel_order_few(end - i, order) &&
                   kernel_solve_joints(scratch->motions, &scratch->plain_rows[i], order, end - i, NULL)
               ? end
               : i;
}

#endif
