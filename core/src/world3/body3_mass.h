/// What derives from a body's shapes in space: centre of mass, mass, principal moments and axes, radius.
#ifndef ISO_WORLD3_BODY3_MASS_H
#define ISO_WORLD3_BODY3_MASS_H

#include "world3/world3.h"

/// Puts a shape into its body's list, which is sorted by index; and takes it out.
void iso__body3_link_shape(iso__space *space, uint32_t body, uint32_t shape);
void iso__body3_unlink_shape(iso__space *space, uint32_t body, uint32_t shape);

/// Computes mass, centre, moments and radius of a body of this type from its shapes' records, without changing the world.
/// @param derived  zero but for first_shape; the rotation is left as it is
/// @return ISO_OK; ISO_ERR_RANGE (mass or moments); ISO_ERR_GEOMETRY (too far from the centre)
iso_status iso__body3_derive(const iso__space *space, const iso__body3 *record, iso__body3_derived *derived);

/// Computes what derives from a body's type and shapes, and keeps the place of its origin and its angular velocity.
/// @return as iso__body3_derive, with nothing changed on error
iso_status iso__body3_update_mass(iso__space *space, uint32_t body);

/// Computes the derived data of a body's shapes.
void iso__body3_derive_shapes(iso__space *space, uint32_t body);

/// Makes the hulls again that came with an image, which has none.
void iso__hulls3_refresh(iso__space *space);

/// Computes the rotation's matrix from the quaternion.
void iso__body3_turn(iso__space *space, uint32_t body);

/// The spin w = omega L [m/s] Q12.19 that a momentum is, and the momentum [m/s] Q23.40 of a spin. Both in the world's frame.
/// What has no inertia (a body that is not dynamic, or has no shape with mass yet) has its spin in the place of a momentum,
/// so that it keeps it when it gets shapes.
void iso__body3_spin(const iso__body3 *record, const iso__body3_derived *derived, int32_t spin[3]);
void iso__body3_momentum(const iso__body3_derived *derived, const int32_t spin[3], int64_t momentum[3]);

/// The spin of a record, after its momentum was made smaller where that is faster than the world allows.
/// @return whether it was
bool iso__body3_limit_spin(const iso_world_def *def, iso__body3 *record, const iso__body3_derived *derived,
                           int32_t spin[3]);

/// The most that a body with the radius 2^k spins [m/s] Q12.19: an eighth of a turn per substep, at most 400 m/s.
int32_t iso__body3_spin_max(const iso_world_def *def, int8_t radius_exponent);

/// Zeroes the components of a dynamic body's velocity and turning that are locked.
void iso__body3_lock(iso__body3 *record, const iso__body3_derived *derived);

#endif
