/// See params.h.
#include "solver/params.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "solver/softness.h"

/// The smallest depth at which (depth * rate) / 2^25, rounded, is at least push; or one that no separation exceeds.
static int64_t params_depth(const iso__step_params *params, int32_t rate) {
    const int64_t push = ((int64_t)params->push << 25) + (INT64_C(1) << 24);
    return rate == 0 ? INT32_MAX : iso__min64(push / rate + 1, INT32_MAX);
}

void iso__step_params_limit(iso__step_params *params) {
    ISO_ASSERT(params->substep_rate >= 60);
    const int64_t speed = (int64_t)ISO_SPEED_MAX_M_S << ISO__VEL_FRACTION;
    const int32_t rates[] = {params->contact_soft.bias_rate, params->static_soft.bias_rate};
    const int64_t depth = iso__max64(params_depth(params, rates[0]), params_depth(params, rates[1]));
    // Twice the frequency has at most four times the rate, so the larger product is below 5 * 2^28.
    ISO_ASSERT((depth * iso__max32(rates[0], rates[1])) >> 25 <= INT32_MAX);
    params->deepest = (int32_t)-depth;
    params->farthest = (int32_t)((speed * 32 + params->substep_rate - 1) / params->substep_rate);
}

void iso__step_params_make(const iso_world_def *def, iso__step_params *params) {
    const int32_t rate = (int32_t)def->tick_rate_hz * def->substep_count;
    ISO_ASSERT(rate > 0);
    const iso_wide hertz_cap = iso_wide_from_int(rate) / 4;
    const iso_wide contact_hertz = iso__min64(iso_wide_from_fix16(def->contact_hertz), hertz_cap);
    const iso_wide contact_ratio = iso_wide_from_fix16(def->contact_damping_ratio);
    params->substep_count = def->substep_count;
    params->substep_rate = rate;
    params->h = (int32_t)iso__div_round64(INT64_C(1) << ISO__STEP_FRACTION, rate);
    params->contact_soft = iso__softness_make(contact_hertz, contact_ratio, rate);
    params->static_soft = iso__softness_make(2 * contact_hertz, contact_ratio, rate);
    params->joint_soft = iso__softness_make(iso__min64(iso_wide_from_fix16(def->joint_hertz), hertz_cap),
                                            iso_wide_from_fix16(def->joint_damping_ratio), rate);
    params->push = def->contact_push_speed * 8;
    iso__step_params_limit(params);
    params->restitution_threshold = def->restitution_threshold * 8;
    params->manifold.slop = (int64_t)def->slop << 8;
    params->manifold.speculative = (int64_t)def->speculative_distance << 8;
    params->keep_distance = (int64_t)def->contact_keep_distance << 8;
    params->keep_turn = (uint32_t)(uint64_t)iso_turns_from_radians(iso_wide_from_fix16(def->contact_keep_angle));
}

uint32_t iso__sleep_ticks(const iso_world_def *def) {
    ISO_ASSERT(def->sleep_time >= 0 && def->tick_rate_hz > 0);
    const int64_t ticks = iso__round_shift((int64_t)def->sleep_time * def->tick_rate_hz, 16);
    return ticks < 1 ? 1 : (uint32_t)ticks;
}
