/// Soft constraints.
#ifndef ISO_SOLVER_SOFTNESS_H
#define ISO_SOLVER_SOFTNESS_H

#include <stdbool.h>

#include "isostep/fixed.h"

/// Soft constraint coefficients for one substep: Source: Catto, "Soft Constraints", GDC 2011, in the form of
/// the soft step: with w = 2 pi hertz, a1 = 2 zeta + h w, a2 = h w a1: rate = w / a1, mass scale = a2 / (1 + a2),
/// impulse scale = 1 / (1 + a2).
typedef struct iso__softness {
    int32_t bias_rate;     // mass scale * rate [1/s] Q11.20
    int32_t mass_scale;    // Q2.30
    int32_t impulse_scale; // Q2.30
    int32_t explicit_part; // of q below, what a spring takes as a force, Q2.30
} iso__softness;

iso__softness iso__softness_make(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate);

/// The same for a spring that is to swing. With q = (h w)^2 and hd = 2 zeta h w a substep takes
///
///   v' = (v - h w^2 x) / (1 + hd + beta q),   x' = x + h v'
///
/// whose amplitude shrinks by 1/sqrt(1 + hd + beta q) a substep. The form above has beta = 1: it damps by q/2 more than
/// the spring has, an undamped one of 1.5 Hz at 240 substeps to 0.0002 within a minute. Here beta = min(1, 2 zeta^2),
/// by which the denominator is e^hd to the third order: the spring is a force (symplectic Euler), its damper implicit.
/// The point of rest is that of w^2 for any beta.
///
/// A force is stable while q < 4, summed over the springs of a body. So beta rises to 1 from q = 1/32 to 1/16: a spring
/// of up to 0.028 times the substep rate (6.7 Hz at 240) swings on, from 0.04 times (9.5 Hz) on it is implicit. Of
/// springs side by side on a body plane/joint/spring_sum.c looks at the sum.
iso__softness iso__softness_make_spring(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate);

/// The same for a spring by its stiffness k and damping c on a row whose effective mass is 1/W: a substep takes
///
///   v' = (v - h w^2 x) / (1 + hd + s),   w^2 = k W,  hd = c W h,  s = min(q, max(e^hd - 1 - hd, (32 q - 1) q))
///
/// Below a damping ratio of 0.7, and while the spring is a force, that is the damping of the Chipmunk document, a
/// factor e^(-c W h). The same factor beyond that, where e^hd - 1 - hd is above q, would let an overdamped spring or a
/// damper creep too slowly under a load, by hd / (e^hd - 1): there both are implicit. The points of rest are those of
/// k.
///
/// @param rate         h k W [1/s] Q31.32, 0 to 2^18
/// @param damping      h c W Q31.32, 0 to 2^18
/// @param is_implicit  s = q
iso__softness iso__softness_make_damped(iso_wide rate, iso_wide damping, bool is_implicit, int32_t substep_rate);

/// Takes a share of a spring's explicit part implicitly instead. The point of rest stays. @param share  0 to 1, Q31.32
void iso__softness_take(iso__softness *soft, iso_wide share);

#endif
