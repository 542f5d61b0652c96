/// See runge_kutta.h. Called once a substep for each body that nothing touches or holds.
///
/// The momentum l of such a body is constant, so that its quaternion q, from the principal axes to the world, is all
/// that changes:
///
///   q' = q W / 2,   W = G (q^-1 l q) / L,   q^-1 = conj(q) / |q|^2
///
/// which is q' = w q / 2 with w in the world. The method of order four, k the change in a substep h:
///
///   k1 = h f(q)   k2 = h f(q + k1/2)   k3 = h f(q + k2/2)   k4 = h f(q + k3)
///   q <- q + (k1 + 2 k2 + 2 k3 + k4) / 6, made as long as one
///
/// It errs by h^5 in a substep; the momentum stays, the energy slowly changes. A small turn d of q changes W by up to
/// (G_hi - G_lo) |l| d / L, so that the method is stable while h times that, without the d, is below 2.8, and of use
/// while it is below one; thin bodies that spin fast are beyond. Quaternions are Q.46: no component of a
/// stage is above 2, whose products take 96 bits. tests/unit/space/dynamics/test_runge_kutta.c compares it with the
/// same in double. Source: Kutta 1901.
#include "space/dynamics/runge_kutta.h"

#include "base/assert.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"

#define FRACTION 46
#define ONE      (INT64_C(1) << FRACTION)

/// a b in Q.46.
static int64_t rk_mul(int64_t a, int64_t b) {
    return iso__mul_shift(a, b, FRACTION);
}

/// q^-1 v q, in the format of v: with u the vector part of q, ((w^2 - u u) v + 2 u (u v) - 2 w (u x v)) / |q|^2.
static void rk_turn_back(const int64_t q[4], const int64_t v[3], int64_t turned[3]) {
    const int64_t uu = iso__dot3_shift(q[0], q[0], q[1], q[1], q[2], q[2], FRACTION), ww = rk_mul(q[3], q[3]);
    const int64_t uv = iso__dot3_shift(q[0], v[0], q[1], v[1], q[2], v[2], FRACTION);
    const int64_t shrink = iso__div_shift(ONE, FRACTION, ww + uu);
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned j = i == 2 ? 0 : i + 1, k = 3 - i - j;
        const int64_t across = iso__dot_shift(q[j], v[k], -q[k], v[j], FRACTION);
        const int64_t whole = rk_mul(ww - uu, v[i]) + 2 * rk_mul(q[i], uv) - 2 * rk_mul(q[3], across);
        turned[i] = rk_mul(whole, shrink);
    }
}

/// k = h f(q).
static void rk_change(const iso__step_params *params, const iso__space_body_derived *derived, const int64_t momentum[3],
                      const int64_t q[4], int64_t k[4]) {
    int64_t a[3]; // half the angle, Q.46
    rk_turn_back(q, momentum, a);
    for (int i = 0; i < 3; ++i) {
        // The spin, Q23.40; times h, Q.36; two bits less than a Q.48 has, one for the half, the exponent for L.
        const int64_t spin = iso__mul_shift(a[i], derived->gyrations[i], 32);
        a[i] = iso__mul_shift(spin, params->h, (unsigned)(31 + derived->radius_exponent));
        a[i] = iso__clamp64(a[i], -ONE, ONE); // the cap on spins keeps them below pi/8
    }
    k[0] = iso__dot3_shift(q[3], a[0], q[1], a[2], -q[2], a[1], FRACTION);
    k[1] = iso__dot3_shift(q[3], a[1], q[2], a[0], -q[0], a[2], FRACTION);
    k[2] = iso__dot3_shift(q[3], a[2], q[0], a[1], -q[1], a[0], FRACTION);
    k[3] = -iso__dot3_shift(q[0], a[0], q[1], a[1], q[2], a[2], FRACTION);
}

/// Rounds to Q2.30 with the length one, by a Newton step of the reciprocal root: its rest is 3/8 of the error's square.
static void rk_store(const int64_t q[4], int32_t rounded[4]) {
    const int64_t squared = iso__dot3_shift(q[0], q[0], q[1], q[1], q[2], q[2], FRACTION) + rk_mul(q[3], q[3]);
    const int64_t scale = ONE + ((ONE - squared) >> 1);
    for (int i = 0; i < 4; ++i) {
        rounded[i] = iso__narrow32(iso__mul_shift(q[i], scale, 2 * FRACTION - ISO__UNIT_FRACTION));
    }
}

bool iso__space_runge_kutta_holds(const iso__step_params *params, const iso__space_body_derived *derived,
                                  const iso__space_drift *drift) {
    ISO_ASSERT(derived->gyrations[0] >= derived->gyrations[2]);
    const int64_t rate =
        iso__mul_shift(derived->gyrations[0] - derived->gyrations[2], iso__length3(drift->momentum), 32); // Q.40
    return iso__mul_shift(rate, params->h, (unsigned)(30 + derived->radius_exponent)) <= ONE;
}

void iso__space_runge_kutta_turn(const iso__step_params *params, const iso__space_body_derived *derived,
                                 iso__space_drift *drift) {
    static const uint8_t weights[4] = {1, 2, 2, 1};
    ISO_ASSERT(derived->gyrations[2] > 0);
    int64_t begin[4], at[4], k[4], sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        begin[i] = at[i] = iso__shl64(drift->q[i], FRACTION - ISO__UNIT_FRACTION);
    }
    for (int stage = 0; stage < 4; ++stage) {
        rk_change(params, derived, drift->momentum, at, k);
        for (int i = 0; i < 4; ++i) {
            sum[i] += weights[stage] * k[i];
            at[i] = begin[i] + (stage < 2 ? iso__round_shift(k[i], 1) : k[i]);
        }
    }
    for (int i = 0; i < 4; ++i) {
        at[i] = begin[i] + iso__div_round64(sum[i], 6);
    }
    rk_store(at, drift->q);
}
