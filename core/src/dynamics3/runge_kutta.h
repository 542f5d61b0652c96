/// The turning of free bodies by the classic Runge-Kutta method, which a world may choose (iso_world_def.integrator).
#ifndef ISO_DYNAMICS3_RUNGE_KUTTA_H
#define ISO_DYNAMICS3_RUNGE_KUTTA_H

#include "solver/scratch3.h"

/// Whether a substep is short enough for the method.
bool iso__runge_kutta_holds(const iso__step_params *params, const iso__body3_derived *derived,
                            const iso__drift3 *drift);

/// Turns drift->q by a substep. Its length is left within 2^-20 of one; drift->axes is that of before.
void iso__runge_kutta_turn(const iso__step_params *params, const iso__body3_derived *derived, iso__drift3 *drift);

#endif
