/// How soft a joint is, and how fast it corrects.
#ifndef ISO_SOLVER_JOINT_SOFTNESS_H
#define ISO_SOLVER_JOINT_SOFTNESS_H

#include "solver/params.h"
#include "solver/softness.h"

/// The largest |C| [m] or [rad] Q31.32 that is corrected no faster than this speed; INT64_MAX for a speed of 0.
int64_t iso__joint_error_max(iso__softness soft, fix16_t correction_max);

/// The softness of a joint with a frequency of its own, which swings as a spring, or the world's for rigid joints. With
/// a correction_max it is implicit for every damping ratio: a force alone has no speed that could be limited.
iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio,
                                  fix16_t correction_max);

#endif
