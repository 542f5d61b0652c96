/// Soft constraints.
#ifndef ISO_SOLVER_SOFTNESS_H
#define ISO_SOLVER_SOFTNESS_H

#include "isostep/fixed.h"

/// Soft constraint coefficients for one substep: Source: Catto, "Soft Constraints", GDC 2011, in the form of
/// the soft step: with w = 2 pi hertz, a1 = 2 zeta + h w, a2 = h w a1: rate = w / a1, mass scale = a2 / (1 + a2),
/// impulse scale = 1 / (1 + a2).
typedef struct iso__softness {
    int32_t bias_rate;     // mass scale * rate [1/s] Q11.20
    int32_t mass_scale;    // Q2.30
    int32_t impulse_scale; // Q2.30
} iso__softness;

iso__softness iso__softness_make(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate);

#endif
