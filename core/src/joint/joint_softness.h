/// How soft a joint is, and how fast it corrects.
#ifndef ISO_JOINT_JOINT_SOFTNESS_H
#define ISO_JOINT_JOINT_SOFTNESS_H

#include "solver/params.h"
#include "solver/softness.h"

/// The largest |C| [m] or [rad] Q31.32 that is corrected no faster than this speed; INT64_MAX for a speed of 0.
int64_t iso__joint_error_max(iso__softness soft, fix16_t correction_max);

/// The joint's own softness, or the world's for rigid joints.
iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio);

#endif
