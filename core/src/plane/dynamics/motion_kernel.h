/// The motions of bodies in lanes: motion.c's arithmetic for as many bodies at a time as there are lanes. Included by
/// one file per instruction set, after its lane operations.
///
///   v' = v + h g  (what is pushed or damped is not plain),   x' = x + h v',   L phi' = L phi + h w'
///
/// A chunk of bodies is taken when all of them are plain and none is faster than it may be, which is most of the time.
/// Else nothing is stored and the pass stops before the chunk, for motion.c to go on. A right shift by n of a number of
/// 64 bits whose result needs more than 32 is a logical one of x + 2^62, less 2^(62 - n).
/// Compared with the scalar code: tests/unit/plane/dynamics/test_motion_lanes.c.
#ifndef ISO_PLANE_DYNAMICS_MOTION_KERNEL_H
#define ISO_PLANE_DYNAMICS_MOTION_KERNEL_H

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/world/scratch.h"
#include "simd/lanes.h"

_Static_assert(sizeof(iso__plane_motion) == 32 && offsetof(iso__plane_motion, spin) == 8 &&
                   offsetof(iso__plane_motion, moved) == 16 && offsetof(iso__plane_motion, spin_max) == 24,
               "bodies are gathered by halves of 32 bytes, their numbers as pairs");
_Static_assert(sizeof(iso__plane_drift) == 32 && offsetof(iso__plane_drift, turned) == 16, "drifts as well");
_Static_assert(ISO__PLANE_MOTION_SPECIAL == 4 && ISO__PLANE_MOTION_KINDS == 5, "the kernel looks at bit 2 of a kind");

typedef struct kernel_motions {
    const uint32_t *bodies;
    iso__lanes velocity, turning; // pairs: x and y, spin and turned
    iso__lanes moved, rest;       // pairs: x and y, spin_max and kind
} kernel_motions;

ISO__ALWAYS_INLINE kernel_motions kernel_motions_gather(const iso__plane_motion *motions, const uint32_t *bodies) {
    kernel_motions on = {.bodies = bodies};
    iso__lanes_gather(motions, sizeof *motions, bodies, &on.velocity, &on.turning);
    iso__lanes_gather(motions->moved, sizeof *motions, bodies, &on.moved, &on.rest);
    return on;
}

/// Zero where the spin is within its bounds.
ISO__ALWAYS_INLINE iso__lanes kernel_motions_excess(const kernel_motions *on) {
    const iso__lanes least = iso__lanes_sub_pairs(iso__lanes_set(0), on->rest);
    const iso__lanes clamped = iso__lanes_clamp(on->turning, least, on->rest);
    return iso__lanes_shift_left(iso__lanes_sub_pairs(on->turning, clamped), 32);
}

/// @return false: nothing has changed
ISO__ALWAYS_INLINE bool kernel_accelerate(iso__plane_motion *motions, const uint32_t *bodies, iso__lanes gravity) {
    const int64_t speed = ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE;
    const iso__lanes most = iso__lanes_set(speed << 32 | speed);
    const iso__lanes least = iso__lanes_set((int64_t)((uint64_t)-speed << 32 | (uint32_t)-speed));
    const kernel_motions on = kernel_motions_gather(motions, bodies);
    const iso__lanes velocity = iso__lanes_add_pairs(on.velocity, gravity);
    const iso__lanes excess = iso__lanes_sub_pairs(velocity, iso__lanes_clamp(velocity, least, most));
    const iso__lanes kind = iso__lanes_sub(iso__lanes_high(on.rest), iso__lanes_set(ISO__PLANE_MOTION_PLAIN));
    if (!iso__lanes_are_zero(iso__lanes_or(iso__lanes_or(excess, kind), kernel_motions_excess(&on)))) {
        return false;
    }
    iso__lanes_scatter(motions, sizeof *motions, bodies, ~0u, velocity, on.turning);
    return true;
}

/// How far a speed leads in a substep: Q12.19 * Q.36 to Q31.32. Low half of the speed.
ISO__ALWAYS_INLINE iso__lanes kernel_way_of(iso__lanes speed, iso__lanes h) {
    const iso__lanes offset = iso__lanes_set((INT64_C(1) << 62) + (1 << 22));
    const iso__lanes shifted = iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(speed, h), offset), 23);
    return iso__lanes_sub(shifted, iso__lanes_set(INT64_C(1) << 39));
}

/// The coarse copy that the contact rows read. Low.
ISO__ALWAYS_INLINE iso__lanes kernel_coarse(iso__lanes way) {
    return iso__lanes_shift_right(iso__lanes_add(way, iso__lanes_set(128)), 8);
}

/// @return false: nothing has changed
ISO__ALWAYS_INLINE bool kernel_advance(iso__plane_motion *motions, iso__plane_drift *drifts, const uint32_t *bodies,
                                       iso__lanes h) {
    const kernel_motions on = kernel_motions_gather(motions, bodies);
    if (!iso__lanes_are_zero(iso__lanes_or(iso__lanes_shift_right(on.rest, 34), kernel_motions_excess(&on)))) {
        return false;
    }
    iso__lanes x, y, turned, unused;
    iso__lanes_gather(drifts, sizeof *drifts, bodies, &x, &y);
    iso__lanes_gather(&drifts->turned, sizeof *drifts, bodies, &turned, &unused);
    x = iso__lanes_add(x, kernel_way_of(on.velocity, h));
    y = iso__lanes_add(y, kernel_way_of(iso__lanes_high(on.velocity), h));
    turned = iso__lanes_add(turned, kernel_way_of(on.turning, h));
    iso__lanes_scatter(drifts, sizeof *drifts, bodies, ~0u, x, y);
    iso__lanes_scatter(&drifts->turned, sizeof *drifts, bodies, ~0u, turned, unused);
    iso__lanes_scatter(motions, sizeof *motions, bodies, ~0u, on.velocity,
                       iso__lanes_pair(on.turning, kernel_coarse(turned)));
    iso__lanes_scatter(motions->moved, sizeof *motions, bodies, ~0u,
                       iso__lanes_pair(kernel_coarse(x), kernel_coarse(y)), on.rest);
    return true;
}

// ---- rotations -----------------------------------------------------------------------------------

/// x / 2^31 to nearest, of which the low half is defined.
ISO__ALWAYS_INLINE iso__lanes kernel_scale31(iso__lanes a, iso__lanes b) {
    return iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(a, b), iso__lanes_set(INT64_C(1) << 30)), 31);
}

/// A bit of the low half, as 0 or 1.
#define KERNEL_BIT(x, bit) iso__lanes_shift_right(iso__lanes_shift_left(x, 63 - (bit)), 63)

/// iso_rotation_make (math/trig.c), whose names and polynomials these are. Coefficients beyond 32 bits are taken from
/// the last product of their chain: (t + c) w = t w + 2^k ((c / 2^k) w).
/// @return false: an angle lies just between two axes, where w = 2^31 is no factor of lanes; nothing is stored
ISO__ALWAYS_INLINE bool kernel_rotate(const uint32_t *turns_of, iso_rotation *rotations) {
    const iso__lanes turns = iso__lanes_widen((const int32_t *)turns_of);
    const iso__lanes part = iso__lanes_shift_right(iso__lanes_shift_left(turns, 35), 35);
    const iso__lanes mirrored = iso__lanes_sub(iso__lanes_set(INT64_C(1) << 29), part);
    const iso__lanes z = iso__lanes_if_positive(KERNEL_BIT(turns, 29), mirrored, part);
    const iso__lanes square = iso__lanes_add(iso__lanes_mul(z, z), iso__lanes_set(INT64_C(1) << 26));
    const iso__lanes w = iso__lanes_shift_right(square, 27);
    if (!iso__lanes_are_zero(iso__lanes_shift_right(w, 31))) {
        return false;
    }
    iso__lanes s = iso__lanes_set(2651);
    s = iso__lanes_add(kernel_scale31(s, w), iso__lanes_set(-314146));
    s = iso__lanes_add(kernel_scale31(s, w), iso__lanes_set(21392309));
    s = iso__lanes_add(kernel_scale31(s, w), iso__lanes_set(-693598665));
    s = iso__lanes_mul(kernel_scale31(s, w), z); // 6746518852 = 4 * 1686629713
    s = iso__lanes_add(s, iso__lanes_shift_left(iso__lanes_mul(iso__lanes_set(1686629713), z), 2));
    s = iso__lanes_shift_right(iso__lanes_add(s, iso__lanes_set(INT64_C(1) << 31)), 32);

    iso__lanes c = iso__lanes_set(-30337);
    c = iso__lanes_add(kernel_scale31(c, w), iso__lanes_set(2799827));
    c = iso__lanes_add(kernel_scale31(c, w), iso__lanes_set(-136187643));
    c = iso__lanes_mul(kernel_scale31(c, w), w); // 2649351744 = 2 * 1324675872
    c = iso__lanes_add(c, iso__lanes_shift_left(iso__lanes_mul(iso__lanes_set(1324675872), w), 1));
    c = iso__lanes_shift_right(iso__lanes_add(c, iso__lanes_set(INT64_C(1) << 33)), 34);
    c = iso__lanes_sub(iso__lanes_set(ISO__UNIT_ONE), c);

    const iso__lanes zero = iso__lanes_set(0);
    const iso__lanes swaps = KERNEL_BIT(iso__lanes_add(turns, iso__lanes_set(INT64_C(1) << 29)), 30);
    const iso__lanes cosine = iso__lanes_if_positive(swaps, s, c), sine = iso__lanes_if_positive(swaps, c, s);
    const iso__lanes is_left = KERNEL_BIT(iso__lanes_add(turns, iso__lanes_set(INT64_C(1) << 30)), 31);
    iso__lanes_store(rotations,
                     iso__lanes_pair(iso__lanes_if_positive(is_left, iso__lanes_sub(zero, cosine), cosine),
                                     iso__lanes_if_positive(KERNEL_BIT(turns, 31), iso__lanes_sub(zero, sine), sine)));
    return true;
}

static uint32_t kernel_rotations_make(const uint32_t *turns, iso_rotation *rotations, uint32_t count) {
    uint32_t i = 0;
    while (count - i >= ISO__LANES_COUNT && kernel_rotate(&turns[i], &rotations[i])) {
        i += ISO__LANES_COUNT;
    }
    return i;
}

// ---- passes --------------------------------------------------------------------------------------

static uint32_t kernel_motions_accelerate(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    const int32_t *g = scratch->params.gravity;
    const iso__lanes gravity = iso__lanes_set((int64_t)((uint64_t)(uint32_t)g[1] << 32 | (uint32_t)g[0]));
    uint32_t i = begin;
    while (end - i >= ISO__LANES_COUNT && kernel_accelerate(scratch->motions, &scratch->moving[i], gravity)) {
        i += ISO__LANES_COUNT;
    }
    return i;
}

static uint32_t kernel_motions_advance(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    const iso__lanes h = iso__lanes_set(scratch->params.h);
    uint32_t i = begin;
    while (end - i >= ISO__LANES_COUNT && kernel_advance(scratch->motions, scratch->drifts, &scratch->moving[i], h)) {
        i += ISO__LANES_COUNT;
    }
    return i;
}

#endif
