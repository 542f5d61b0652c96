/// See softness.h.
#include "solver/softness.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

/// The share of implicit stiffness, 0 to 1.
static iso_wide softness_beta(iso_wide damping_ratio, iso_wide q) {
    const iso_wide of_size = 32 * q - ISO_WIDE_ONE;
    const iso_wide of_damping = 2 * iso_wide_mul(damping_ratio, damping_ratio);
    return iso__clamp64(iso__max64(of_size, of_damping), 0, ISO_WIDE_ONE);
}

iso__softness iso__softness_make_spring(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate) {
    const iso_wide omega = iso_wide_mul(ISO_WIDE_TWO_PI, hertz);
    const iso_wide h_omega = iso_wide_div(omega, iso_wide_from_int(substep_rate));
    const iso_wide q = iso_wide_mul(h_omega, h_omega);
    const iso_wide beta = softness_beta(damping_ratio, q);
    if (beta == ISO_WIDE_ONE) {
        return iso__softness_make(hertz, damping_ratio, substep_rate);
    }
    const iso_wide loss = 2 * iso_wide_mul(damping_ratio, h_omega) + iso_wide_mul(beta, q);
    const iso_wide rate = iso_wide_div(iso_wide_mul(h_omega, omega), ISO_WIDE_ONE + loss); // below n/4
    return (iso__softness){
        .bias_rate = (int32_t)iso__round_shift(rate, 12),
        .mass_scale = (int32_t)iso__round_shift(iso_wide_div(loss, ISO_WIDE_ONE + loss), 2),
        .impulse_scale = (int32_t)iso__round_shift(iso_wide_div(ISO_WIDE_ONE, ISO_WIDE_ONE + loss), 2),
        .explicit_part = (int32_t)iso__round_shift(q - iso_wide_mul(beta, q), 2),
    };
}

iso__softness iso__softness_make_damped(iso_wide rate, iso_wide damping, bool is_implicit, int32_t substep_rate) {
    const iso_wide q = rate / substep_rate;
    const iso_wide of_damping = iso_wide_exp(damping) - ISO_WIDE_ONE - damping;
    const iso_wide of_size = iso_wide_mul(32 * q - ISO_WIDE_ONE, q);
    const iso_wide share = is_implicit ? q : iso__clamp64(iso__max64(of_damping, of_size), 0, q);
    const iso_wide below = ISO_WIDE_ONE + damping + share;
    const int32_t impulse_scale = (int32_t)iso__round_shift(iso_wide_div(ISO_WIDE_ONE, below), 2);
    return (iso__softness){
        .bias_rate = (int32_t)iso__round_shift(iso_wide_div(rate, below), 12), // at most n, 2047
        .mass_scale = ISO__UNIT_ONE - impulse_scale,
        .impulse_scale = impulse_scale,
        .explicit_part = (int32_t)iso__min64(iso__round_shift(q - share, 2), ISO__UNIT_ONE),
    };
}

void iso__softness_take(iso__softness *soft, iso_wide share) {
    ISO_ASSERT(share >= 0 && share <= ISO_WIDE_ONE && soft->explicit_part >= 0);
    const int64_t taken = iso__mul_shift(soft->explicit_part, share, 32);
    // 1 / (1 / impulse scale + taken)
    const int64_t less = ISO__UNIT_ONE + iso__mul_shift(soft->impulse_scale, taken, ISO__UNIT_FRACTION);
    soft->impulse_scale = (int32_t)(((int64_t)soft->impulse_scale << ISO__UNIT_FRACTION) / less);
    soft->bias_rate = (int32_t)(((int64_t)soft->bias_rate << ISO__UNIT_FRACTION) / less);
    soft->mass_scale = ISO__UNIT_ONE - soft->impulse_scale;
    soft->explicit_part -= (int32_t)taken;
}

iso__softness iso__softness_make(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate) {
    if (hertz <= 0) {
        return (iso__softness){.mass_scale = ISO__UNIT_ONE};
    }
    const iso_wide omega = iso_wide_mul(ISO_WIDE_TWO_PI, hertz);
    const iso_wide h_omega = iso_wide_div(omega, iso_wide_from_int(substep_rate));
    const iso_wide a1 = 2 * damping_ratio + h_omega;
    const iso_wide a2 = iso_wide_mul(h_omega, a1);
    const iso_wide mass_scale = iso_wide_div(a2, ISO_WIDE_ONE + a2);
    const iso_wide rate = iso_wide_mul(iso_wide_div(omega, a1), mass_scale); // at most n, 2047
    return (iso__softness){
        .bias_rate = (int32_t)iso__round_shift(rate, 12),
        .mass_scale = (int32_t)iso__round_shift(mass_scale, 2),
        .impulse_scale = (int32_t)iso__round_shift(iso_wide_div(ISO_WIDE_ONE, ISO_WIDE_ONE + a2), 2),
    };
}
