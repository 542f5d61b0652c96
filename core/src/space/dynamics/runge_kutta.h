/// The turning of free bodies by the classic Runge-Kutta method, which a world may choose (iso_world_def.integrator).
#ifndef ISO_SPACE_DYNAMICS_RUNGE_KUTTA_H
#define ISO_SPACE_DYNAMICS_RUNGE_KUTTA_H

#include "space/world/scratch.h"

/// Whether a substep is short enough for the method.
bool iso__space_runge_kutta_holds(const iso__step_params *params, const iso__space_body_derived *derived,
                                  const iso__space_drift *drift);

/// Turns drift->q by a substep. Its length is left within 2^-20 of one; drift->axes is that of before.
void iso__space_runge_kutta_turn(const iso__step_params *params, const iso__space_body_derived *derived,
                                 iso__space_drift *drift);

#endif
