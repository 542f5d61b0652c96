/// What derives from a body's shapes in space: centre of mass, mass, principal moments and axes, radius.
#ifndef ISO_SPACE_WORLD_BODY_MASS_H
#define ISO_SPACE_WORLD_BODY_MASS_H

#include "space/world/space.h"

/// Puts a shape into its body's list, which is sorted by index; and takes it out.
void iso__space_body_link_shape(iso__space *space, uint32_t body, uint32_t shape);
void iso__space_body_unlink_shape(iso__space *space, uint32_t body, uint32_t shape);

/// Computes mass, centre, moments and radius of a body of this type from its shapes' records, without changing the
/// world.
/// @param own      what it has of its own
/// @param about    [m] Q7.24 of the body's frame: what point the shapes' hulls, which are there, are about
/// @param derived  zero but for first_shape; the rotation is left as it is
/// @return ISO_OK; ISO_ERR_RANGE (mass or moments); ISO_ERR_GEOMETRY (too far from the centre)
iso_status iso__space_body_derive(const iso__space *space, const iso__space_body *record,
                                  const iso__space_own_mass *own, const int32_t about[3],
                                  iso__space_body_derived *derived);

/// Computes what derives from a body's type and shapes, and keeps the place of its origin and its angular velocity. A
/// hull of a new shape must be there, about the centre of mass as it is: iso__space_hulls_make.
/// @return as iso__space_body_derive, with nothing changed on error
iso_status iso__space_body_update_mass(iso__space *space, uint32_t body);

/// Computes the derived data of a body's shapes, whose hulls are there.
void iso__space_body_derive_shapes(iso__space *space, uint32_t body);

/// Computes the rotation's matrix from the quaternion.
void iso__space_body_turn(iso__space *space, uint32_t body);

/// The axes of the world about which a body may not turn: bits 0 to 2.
static inline unsigned iso__space_body_turn_locks(const iso__space_body *record) {
    return (record->flags & ISO__SPACE_BODY_LOCK_TURNS) / ISO__SPACE_BODY_LOCK_TURN_X;
}

/// The spin w = omega L [m/s] Q12.19 that a momentum is, and the momentum [m/s] Q23.40 of a spin. Both in the world's
/// frame. What has no inertia (a body that is not dynamic, or has no shape with mass yet) has its spin in the place of
/// a momentum, so that it keeps it when it gets shapes.
void iso__space_body_spin(const iso__space_body *record, const iso__space_body_derived *derived, int32_t spin[3]);
void iso__space_body_momentum(const iso__space_body_derived *derived, const int32_t spin[3], int64_t momentum[3]);

/// The same spin [m/s] Q23.40, saturating, of a body with inertia. A body that may turn about some axes only is turned
/// by what of its momentum is along these: what locks it exerts torques about the others. There the momentum becomes
/// that of the spin.
/// @param axes   from the principal axes to the world, rows
/// @param locks  as iso__space_body_turn_locks
void iso__space_body_wide_spin(const int32_t axes[9], const iso__space_body_derived *derived, unsigned locks,
                               int64_t momentum[3], int64_t spin[3]);

/// Makes a momentum, within 2^54, smaller whose spin is longer than that. @return whether it was
bool iso__space_body_limit_momentum(const int32_t axes[9], const iso__space_body_derived *derived, unsigned locks,
                                    int32_t spin_max, int64_t momentum[3]);

/// The same with a record's, or the spin that it has in the place of one.
bool iso__space_body_limit_spin(int32_t spin_max, iso__space_body *record, const iso__space_body_derived *derived);

/// The most that a body with the radius 2^k spins [m/s] Q12.19: an eighth of a turn per substep, at most 400 m/s.
int32_t iso__space_body_spin_max(const iso_world_def *def, int8_t radius_exponent);

/// Zeroes the components of a dynamic body's spin that are locked.
void iso__space_body_lock_spin(const iso__space_body *record, int32_t spin[3]);

/// Zeroes the components of a dynamic body's velocity that are locked, and makes its momentum one of what its locks let
/// it do: iso__space_body_wide_spin.
void iso__space_body_lock(iso__space_body *record, const iso__space_body_derived *derived);

/// Whether all moments are equal: then momentum and spin are parallel.
static inline bool iso__space_body_is_isotropic(const iso__space_body_derived *derived) {
    return derived->gyrations[0] == derived->gyrations[2];
}

#endif
