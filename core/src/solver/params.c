/// See params.h.
#include "solver/params.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "solver/softness.h"

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
    params->restitution_threshold = def->restitution_threshold * 8;
    params->manifold.slop = (int64_t)def->slop << 8;
    params->manifold.speculative = (int64_t)def->speculative_distance << 8;
    params->keep_distance = (int64_t)def->contact_keep_distance << 8;
    params->keep_turn = (uint32_t)(uint64_t)iso_turns_from_radians(iso_wide_from_fix16(def->contact_keep_angle));
}
