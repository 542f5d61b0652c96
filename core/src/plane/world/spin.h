/// Angular velocities as spins, omega L in the units of velocities, and what impulses change of both.
#ifndef ISO_PLANE_WORLD_SPIN_H
#define ISO_PLANE_WORLD_SPIN_H

#include "math/wide128.h"
#include "plane/world/plane.h"

/// The spin [m/s] Q12.19 of an angular velocity [rad/s] Q31.32 for the radius 2^k. Saturates to int64.
int64_t iso__plane_spin_from_angular_velocity(iso_wide angular_velocity, int8_t radius_exponent);
iso_wide iso__plane_angular_velocity_from_spin(int32_t spin, int8_t radius_exponent);

/// The most that a body with the radius 2^k spins [m/s] Q12.19: an eighth of a turn per substep, at most 512 m/s.
int32_t iso__plane_spin_max(const iso_world_def *def, int8_t radius_exponent);

/// Whether a body with the shapes that it has now can turn so fast [rad/s]. A static one does not turn at all.
bool iso__plane_body_can_turn(const iso__plane *plane, uint32_t body, iso_wide angular_velocity);
/// The angle [turns] Q31.32 of an arc [m] Q31.32 of the radius 2^k: arc / (2 pi 2^k).
static inline int64_t iso__plane_turns_from_arc(int64_t arc, int8_t radius_exponent) {
    // 1/(2 pi) in Q.32. A tick's turn is below 2^7 m, 2^39, and the exponent at least -8.
    return iso__mul_narrow(arc, INT64_C(683565276), (unsigned)(32 + radius_exponent));
}

/// The velocity [m/s] of a body's material point.
/// @param velocity  [m/s] Q12.19, x and y of the centre of mass, then the spin for the radius 2^k
/// @param arm       [m] Q7.24, from the centre of mass, world orientation
iso_vec2_wide iso__plane_velocity_at(const int32_t velocity[3], int8_t radius_exponent, const int32_t arm[2]);

/// What an impulse [N s], or an angular impulse [N m s], changes of one component of a dynamic body's
/// velocity, or of its spin. [m/s] Q12.19, clamped to twice the largest speed.
int32_t iso__plane_body_velocity_change(const iso__plane_body_derived *derived, iso_wide impulse);
int32_t iso__plane_body_spin_change(const iso__plane_body_derived *derived, iso_wide angular_impulse);

#endif
