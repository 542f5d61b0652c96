/// See joint_softness.h.
#include "solver/joint_softness.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/params.h"
#include "solver/softness.h"

iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio,
                                  fix16_t correction_max) {
    ISO_ASSERT(hertz >= 0 && damping_ratio >= 0);
    if (hertz == 0) {
        return params->joint_soft;
    }
    const iso_wide frequency = iso_wide_from_fix16(hertz), ratio = iso_wide_from_fix16(damping_ratio);
    return correction_max == 0 ? iso__softness_make_spring(frequency, ratio, params->substep_rate)
                               : iso__softness_make(frequency, ratio, params->substep_rate);
}

int64_t iso__joint_error_max(iso__softness soft, fix16_t correction_max) {
    if (correction_max == 0 || soft.bias_rate == 0) {
        return INT64_MAX;
    }
    // Q31.32 * Q2.30 / Q11.20, brought to Q31.32. Where the quotient has saturated there is no bound.
    const int64_t most = iso__mul_div(iso_wide_from_fix16(correction_max), soft.mass_scale, soft.bias_rate);
    return most > INT64_MAX - 512 ? INT64_MAX : iso__round_shift(most, 10);
}
