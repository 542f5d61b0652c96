/// The linear block keeps a point of B on a point of A, or on a line through it:
///
///   e     = xB + rB - xA - rA,  C_i = d_i . e
///   Cdot  = d_i . V,  V = vB + wB x uB - vA - wA x uA     (omega x r = w x u with w = omega L, u = r/L)
///   K_ij  = d_i . (1 + sum alpha [u]^T G [u]) d_j,  [u] d = u x d
///   v    += -+ alpha P,  w += -+ alpha G (u x P),  P = sum d_i j_i
///
/// The d_i are the world's axes, or b_A and c_A, which turn with A: then uA = (rA + e)/LA, whose d_i . (wA x e/LA) is
/// what the turning of d_i adds to Cdot. Both are exact. The angular block holds up to three angles:
///
///   Cdot  = d_i . (omega_B - omega_A),  K_ij = sum beta d_i . H d_j,  omega += -+ beta H T,  T = sum d_i j_i
///
/// where C is the kind's; its head says in which order Cdot is that of C. Both are solved as
///
///   dj = -K^-1 (ms Cdot + ms rate C) - is j;   in the relax pass of what is rigid  -K^-1 Cdot
///
/// and |j| is at most sigma F h or sigma M h, if the joint has a maximum. No correction is faster than correction_max
/// c: |C| is cut to ms c / (ms rate).
///
/// Ranges: |v| and |w| below 2^10, u below 2^15 and, along a line, 2^25: V below 2^37 m/s. C below 2^17 m. |j| per
/// component at most 2^15 and its change at most 2^17, so that no sum wraps. Products go through 128 bits.
/// Source: the article (seed 003), J u + b = 0; work.h of the plane. Tests:
/// tests/unit/space/joint/test_joint3_jacobian.c.
#include "space/joint/block.h"

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/joint_softness.h"
#include "space/joint/place.h"

#define CHANGE_MAX  (4 * ISO__SPACE_BLOCK_IMPULSE_MAX)
#define TURNING_MAX (INT64_C(1) << 59) // of one body: it is below that but for rounding
/// Directions are of length one within 2^-28, so that a K of 1 along them may be 2^-27 less, of which there is no
/// inverse: this much is added to its diagonal.
#define K_SLACK INT64_C(64)

// ---- what both have ------------------------------------------------------------------------------

void iso__space_block_prepare(const iso__space *space, const iso__space_joint *joint, uint8_t count,
                              int64_t impulse_max, const int64_t *impulse, iso__space_block *block) {
    ISO_ASSERT(count <= 3 && impulse_max > 0);
    block->count = count;
    block->is_soft = joint->hertz > 0;
    block->soft =
        iso__joint_softness(&space->scratch->params, joint->hertz, joint->damping_ratio, joint->correction_max);
    block->error_max = iso__joint_error_max(block->soft, joint->correction_max);
    block->impulse_max = impulse_max;
    for (uint32_t i = 0; i < 3; ++i) {
        block->impulse[i] = i < count ? impulse[i] : 0;
    }
}

void iso__space_block_brake(iso__space_block *block) {
    ISO_ASSERT(block->count <= 3);
    block->is_soft = false;
    block->soft = (iso__softness){.mass_scale = ISO__UNIT_ONE};
    block->error_max = INT64_MAX;
}

/// Shortens a vector to a length.
static void block_clamp_length(int64_t v[3], int64_t most) {
    const int64_t length = most == INT64_MAX ? 0 : iso__length3(v);
    for (int i = 0; i < 3 && length > most; ++i) {
        v[i] = iso__mul_div(v[i], most, length);
    }
}

static void block_set_error(iso__space_block *block, const int64_t error[3]) {
    for (uint32_t i = 0; i < 3; ++i) {
        block->arrived[i] = i < block->count ? error[i] : 0;
    }
    block_clamp_length(block->arrived, block->error_max);
}

void iso__space_block_impulse(const iso__space_block *block, const int64_t j[3], int64_t world[3]) {
    ISO_VALIDATE_ASSERT(block->count <= 3);
    int64_t sum[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t(*d)[3] = block->direction;
        sum[axis] = block->is_world
                        ? j[axis]
                        : iso__dot3_shift(d[0][axis], j[0], d[1][axis], j[1], d[2][axis], j[2], ISO__UNIT_FRACTION);
    }
    for (int axis = 0; axis < 3; ++axis) {
        world[axis] = sum[axis];
    }
}

/// Cdot along the directions, in the place of a vector of the world.
static void block_project(const iso__space_block *block, int64_t v[3]) {
    if (block->is_world) {
        return;
    }
    int64_t along[3] = {0, 0, 0};
    for (uint32_t i = 0; i < block->count; ++i) {
        const int32_t *d = block->direction[i];
        along[i] = iso__dot3_shift(d[0], v[0], d[1], v[1], d[2], v[2], ISO__UNIT_FRACTION);
    }
    for (int i = 0; i < 3; ++i) {
        v[i] = along[i];
    }
}

/// Takes the step of the impulses. @param cdot  along the directions @param change  of j
static void block_step(iso__space_block *block, const int64_t cdot[3], bool is_relax, int64_t change[3]) {
    const bool is_rigid = is_relax && !block->is_soft;
    int64_t rhs[3] = {0, 0, 0}, j[3] = {0, 0, 0};
    for (uint32_t i = 0; i < block->count; ++i) {
        // Q31.32 * Q2.30 and Q31.32 * Q11.20, brought to the same 62 fraction bits.
        rhs[i] = is_rigid ? cdot[i]
                          : iso__dot_shift(cdot[i], block->soft.mass_scale, block->error[i],
                                           (int64_t)block->soft.bias_rate * 1024, ISO__UNIT_FRACTION);
    }
    iso__block_inverse_apply(block->count, &block->inverse, rhs, rhs);
    for (uint32_t i = 0; i < block->count; ++i) {
        const int64_t yield =
            is_rigid ? 0 : iso__mul_shift(block->soft.impulse_scale, block->impulse[i], ISO__UNIT_FRACTION);
        const int64_t step = iso__clamp64(iso_wide_add(rhs[i], yield), -CHANGE_MAX, CHANGE_MAX);
        j[i] = iso__clamp64(block->impulse[i] - step, -ISO__SPACE_BLOCK_IMPULSE_MAX, ISO__SPACE_BLOCK_IMPULSE_MAX);
    }
    block_clamp_length(j, block->impulse_max);
    for (int i = 0; i < 3; ++i) {
        change[i] = j[i] - block->impulse[i];
        block->impulse[i] = j[i];
    }
}

// ---- lengths -------------------------------------------------------------------------------------

/// Adds [u]^T (alpha G) [u] to K = xx, xy, xz, yy, yz, zz. Of round bodies it is G (|u|^2 - u u^T).
static void linear_add_round(int64_t G, const int64_t u[3], int64_t K[6]) {
    int64_t g[3];
    for (int axis = 0; axis < 3; ++axis) {
        g[axis] = iso__mul_shift(G, u[axis], ISO__WIDE_FRACTION);
    }
    K[0] += iso__clamp64(iso__dot_shift(g[1], u[1], g[2], u[2], 32), 0, TURNING_MAX);
    K[1] -= iso__clamp64(iso__mul_shift(g[0], u[1], 32), -TURNING_MAX, TURNING_MAX);
    K[2] -= iso__clamp64(iso__mul_shift(g[0], u[2], 32), -TURNING_MAX, TURNING_MAX);
    K[3] += iso__clamp64(iso__dot_shift(g[0], u[0], g[2], u[2], 32), 0, TURNING_MAX);
    K[4] -= iso__clamp64(iso__mul_shift(g[1], u[2], 32), -TURNING_MAX, TURNING_MAX);
    K[5] += iso__clamp64(iso__dot_shift(g[0], u[0], g[1], u[1], 32), 0, TURNING_MAX);
}

static void linear_add_turning(const iso__space_joint_body *body, int64_t K[6]) {
    if (body->gains[2] == 0) {
        return;
    }
    const int64_t *G = body->gain, *u = body->arm;
    if (body->is_round) {
        linear_add_round(G[0], u, K);
        return;
    }
    // The columns of G [u]: x = G (u x x) = G (0, uz, -uy) and so on; of each what is needed below.
    const int64_t x[3] = {iso__dot_shift(G[1], u[2], -G[2], u[1], 32), iso__dot_shift(G[3], u[2], -G[4], u[1], 32),
                          iso__dot_shift(G[4], u[2], -G[5], u[1], 32)};
    const int64_t y[3] = {iso__dot_shift(-G[0], u[2], G[2], u[0], 32), iso__dot_shift(-G[1], u[2], G[4], u[0], 32),
                          iso__dot_shift(-G[2], u[2], G[5], u[0], 32)};
    const int64_t z[2] = {iso__dot_shift(G[0], u[1], -G[1], u[0], 32), iso__dot_shift(G[1], u[1], -G[3], u[0], 32)};
    K[0] += iso__clamp64(iso__dot_shift(u[2], x[1], -u[1], x[2], 32), 0, TURNING_MAX);
    K[1] += iso__clamp64(iso__dot_shift(-u[2], x[0], u[0], x[2], 32), -TURNING_MAX, TURNING_MAX);
    K[2] += iso__clamp64(iso__dot_shift(u[1], x[0], -u[0], x[1], 32), -TURNING_MAX, TURNING_MAX);
    K[3] += iso__clamp64(iso__dot_shift(-u[2], y[0], u[0], y[2], 32), 0, TURNING_MAX);
    K[4] += iso__clamp64(iso__dot_shift(u[1], y[0], -u[0], y[1], 32), -TURNING_MAX, TURNING_MAX);
    K[5] += iso__clamp64(iso__dot_shift(u[1], z[0], -u[0], z[1], 32), 0, TURNING_MAX);
}

void iso__space_linear_update(iso__space_joint_work *work) {
    iso__space_block *block = &work->linear;
    int64_t K[6] = {ISO_WIDE_ONE, 0, 0, ISO_WIDE_ONE, 0, ISO_WIDE_ONE};
    linear_add_turning(&work->a, K);
    linear_add_turning(&work->b, K);
    block->is_world = block->count == 3;
    int64_t error[3] = {work->apart[0], work->apart[1], work->apart[2]};
    if (block->is_world) {
        block_set_error(block, error);
        iso__block_inverse_make(3, K, &block->inverse);
        return;
    }
    ISO_VALIDATE_ASSERT(block->count == 2 && work->is_on_line);
    int64_t column[2][3];
    for (int i = 0; i < 2; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            block->direction[i][axis] = work->a.axes[i + 1][axis];
            column[i][axis] = block->direction[i][axis] * INT64_C(4);
        }
        iso__space_tensor_apply(K, column[i], column[i]);
    }
    const int32_t *b = block->direction[0], *c = block->direction[1];
    const int64_t across[3] = {
        iso__dot3_shift(b[0], column[0][0], b[1], column[0][1], b[2], column[0][2], ISO__UNIT_FRACTION) + K_SLACK,
        iso__dot3_shift(b[0], column[1][0], b[1], column[1][1], b[2], column[1][2], ISO__UNIT_FRACTION),
        iso__dot3_shift(c[0], column[1][0], c[1], column[1][1], c[2], column[1][2], ISO__UNIT_FRACTION) + K_SLACK,
    };
    block_project(block, error);
    block_set_error(block, error);
    iso__block_inverse_make(2, across, &block->inverse);
}

/// w x u [m/s] Q31.32.
static void linear_turn(const int32_t w[3], const int64_t u[3], int64_t v[3]) {
    v[0] = iso__dot_shift(w[1], u[2], -(int64_t)w[2], u[1], ISO__VEL_FRACTION);
    v[1] = iso__dot_shift(w[2], u[0], -(int64_t)w[0], u[2], ISO__VEL_FRACTION);
    v[2] = iso__dot_shift(w[0], u[1], -(int64_t)w[1], u[0], ISO__VEL_FRACTION);
}

static void linear_speed(const iso__space_scratch *scratch, const iso__space_joint_work *work, int64_t V[3]) {
    const iso__space_motion *a = &scratch->motions[work->a.body], *b = &scratch->motions[work->b.body];
    int64_t of_a[3], of_b[3];
    linear_turn(a->spin, work->a.arm, of_a);
    linear_turn(b->spin, work->b.arm, of_b);
    const int64_t most = INT64_C(1) << 61; // so that the sums stay within 64 bits
    for (int axis = 0; axis < 3; ++axis) {
        V[axis] = iso__shl64((int64_t)b->velocity[axis] - a->velocity[axis], 13) +
                  iso__clamp64(of_b[axis], -most, most) - iso__clamp64(of_a[axis], -most, most);
    }
}

static void linear_push(iso__space_motion *motion, const iso__space_joint_body *body, const int64_t P[3],
                        uint64_t *clamps) {
    if (!motion->is_dynamic) {
        return;
    }
    const int64_t *u = body->arm;
    const int64_t moment[3] = {iso__dot_shift(u[1], P[2], -u[2], P[1], 32), iso__dot_shift(u[2], P[0], -u[0], P[2], 32),
                               iso__dot_shift(u[0], P[1], -u[1], P[0], 32)};
    int64_t turn[3];
    iso__space_tensor_apply(body->gain, moment, turn);
    for (int axis = 0; axis < 3; ++axis) {
        // Q2.30 * Q31.32 to Q12.19.
        const int64_t push = iso__mul_shift(body->share, P[axis], 43);
        motion->velocity[axis] = iso__space_joint_clamp_speed(motion->velocity[axis] + push, clamps);
        motion->spin[axis] =
            iso__space_joint_clamp_speed(motion->spin[axis] + iso__mul_shift(turn[axis], 1, 13), clamps);
    }
}

static void linear_apply(iso__space_scratch *scratch, const iso__space_joint_work *work, const int64_t j[3]) {
    int64_t P[3];
    iso__space_block_impulse(&work->linear, j, P);
    const int64_t back[3] = {-P[0], -P[1], -P[2]};
    linear_push(&scratch->motions[work->a.body], &work->a, back, &scratch->joint_clamps);
    linear_push(&scratch->motions[work->b.body], &work->b, P, &scratch->joint_clamps);
}

void iso__space_linear_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work) {
    linear_apply(scratch, work, work->linear.impulse);
}

void iso__space_linear_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax) {
    ISO_VALIDATE_ASSERT(work->linear.count == 2 || work->linear.count == 3);
    int64_t cdot[3], change[3];
    linear_speed(scratch, work, cdot);
    block_project(&work->linear, cdot);
    block_step(&work->linear, cdot, is_relax, change);
    linear_apply(scratch, work, change);
}

// ---- angles --------------------------------------------------------------------------------------

void iso__space_angular_update(iso__space_joint_work *work, int32_t direction[3][3], const int64_t error[3]) {
    iso__space_block *block = &work->angular;
    ISO_VALIDATE_ASSERT(block->count > 0 && block->count <= 3);
    int64_t column[3][3] = {{0}}, K[6];
    for (uint32_t i = 0; i < block->count; ++i) {
        int64_t d[3], of_a[3], of_b[3];
        for (int axis = 0; axis < 3; ++axis) {
            block->direction[i][axis] = direction[i][axis];
            d[axis] = direction[i][axis] * INT64_C(4);
        }
        iso__space_tensor_apply(work->a.turn, d, of_a);
        iso__space_tensor_apply(work->b.turn, d, of_b);
        for (int axis = 0; axis < 3; ++axis) {
            column[i][axis] = of_a[axis] + of_b[axis];
        }
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        const int32_t *d = block->direction[i];
        for (uint32_t k = i; k < block->count; ++k) {
            K[at] = iso__dot3_shift(d[0], column[k][0], d[1], column[k][1], d[2], column[k][2], ISO__UNIT_FRACTION);
            K[at++] += i == k ? K_SLACK : 0;
        }
    }
    block_set_error(block, error);
    iso__block_inverse_make(block->count, K, &block->inverse);
}

static void angular_push(iso__space_motion *motion, const iso__space_joint_body *body, const int64_t T[3], int64_t sign,
                         uint64_t *clamps) {
    if (!motion->is_dynamic || body->turns[2] == 0) {
        return;
    }
    int64_t turn[3];
    iso__space_tensor_apply(body->turn, T, turn);
    for (int axis = 0; axis < 3; ++axis) {
        // omega to w: Q31.32 to Q12.19, times L.
        const int64_t push = iso__mul_shift(turn[axis], sign, (unsigned)(13 - body->exponent));
        motion->spin[axis] = iso__space_joint_clamp_speed(motion->spin[axis] + push, clamps);
    }
}

static void angular_apply(iso__space_scratch *scratch, const iso__space_joint_work *work, const int64_t j[3]) {
    int64_t T[3];
    iso__space_block_impulse(&work->angular, j, T);
    angular_push(&scratch->motions[work->a.body], &work->a, T, -1, &scratch->joint_clamps);
    angular_push(&scratch->motions[work->b.body], &work->b, T, 1, &scratch->joint_clamps);
}

void iso__space_angular_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work) {
    angular_apply(scratch, work, work->angular.impulse);
}

void iso__space_angular_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax) {
    const iso__space_motion *a = &scratch->motions[work->a.body], *b = &scratch->motions[work->b.body];
    ISO_VALIDATE_ASSERT(work->angular.count > 0 && work->angular.count <= 3);
    int64_t cdot[3], change[3];
    for (int axis = 0; axis < 3; ++axis) {
        cdot[axis] = iso__shl64(b->spin[axis], (unsigned)(13 - work->b.exponent)) -
                     iso__shl64(a->spin[axis], (unsigned)(13 - work->a.exponent));
    }
    block_project(&work->angular, cdot);
    block_step(&work->angular, cdot, is_relax, change);
    angular_apply(scratch, work, change);
}
