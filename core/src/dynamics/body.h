/// What the core's parts ask of bodies, shapes and contacts beyond the public interface.
#ifndef ISO_DYNAMICS_BODY_H
#define ISO_DYNAMICS_BODY_H

#include "dynamics/world.h"

#define ISO__BODY_MASS_MIN (INT64_C(1) << 16) // [kg] Q31.32: 2^-16 kg
#define ISO__BODY_MASS_MAX (INT64_C(1) << 49) // 2^17 kg

/// Puts a shape into its body's list, which is sorted by index; and takes it out.
void iso__body_link_shape(iso_world *world, uint32_t body, uint32_t shape);
void iso__body_unlink_shape(iso_world *world, uint32_t body, uint32_t shape);

/// Computes mass, centre, inertia and radius of a body of this type from its shapes' records, without changing
/// the world. `derived` is zero but for first_shape, which equals the world's, and the rotation. `record` may be
/// one that is to take the place of the world's.
/// @return ISO_OK; ISO_ERR_RANGE (mass or inertia); ISO_ERR_GEOMETRY (too far from the centre)
iso_status iso__body_derive(const iso_world *world, uint32_t body, const iso__body *record, iso__body_derived *derived);

/// The parameters of a record; and into it, leaving what is no parameter.
void iso__body_read_params(const iso__body *record, iso_body_params *params);
void iso__body_write_params(iso__body *record, const iso_body_params *params);

/// Whether a body may have this mass and inertia of its own.
bool iso__body_mass_is_valid(iso_wide mass, iso_wide inertia);

/// Zeroes the components of a dynamic body's velocity that are locked.
void iso__body_lock(iso__body *record);

/// Reads a shape's record back as its definition. The friction of a record whose bits below 2^-16 are not
/// zero is rounded down.
void iso__shape_read_record(const iso__shape *record, iso_shape_def *def);

/// Clears a shape's record and frees its slot; its body's list and mass are the caller's.
void iso__shape_release(iso_world *world, uint32_t shape);

/// Removes every contact of a shape from the state (UINT32_MAX: of none), and those that have lost their last dynamic
/// body. Linear in the number of contacts.
void iso__contacts_remove(iso_world *world, uint32_t shape);

/// Keeps the physical impulses of a body's contacts, or joints, whose mass was `before` and is `after` now (or what the
/// body's derived data say): they are stored as j = sigma lambda. In key order; linear in their number.
void iso__contacts_rescale(iso_world *world, uint32_t body, iso_wide before, iso_wide after);
void iso__joints_rescale(iso_world *world, uint32_t body, const iso__body_derived *before);

/// 1 / (1/a + 1/b) [kg]; a mass of 0 is infinite, and so is the result of two.
iso_wide iso__reduced_mass(iso_wide a, iso_wide b);

/// Forgets what the coming tick was to do with a body.
void iso__body_clear_forces(iso_world *world, uint32_t body);

/// The velocity and spin [m/s] Q12.19 that bring a kinematic body to a pose within one tick, clamped.
/// @return false when one of them is beyond the largest speed
bool iso__body_move_velocity(const iso_world *world, uint32_t body, const iso__body_move *move, int32_t velocity[3]);

/// Destroys a body's joints in ascending order. Linear in the number of joints.
void iso__joints_remove_body(iso_world *world, uint32_t body);

/// The spin [m/s] Q12.19 of an angular velocity [rad/s] Q31.32 for the radius 2^k. Saturates to int64.
int64_t iso__spin_from_angular_velocity(iso_wide angular_velocity, int8_t radius_exponent);
iso_wide iso__angular_velocity_from_spin(int32_t spin, int8_t radius_exponent);

/// What an impulse [N s], or an angular impulse [N m s], changes of one component of a dynamic body's
/// velocity, or of its spin. [m/s] Q12.19, clamped to twice the largest speed.
int32_t iso__body_velocity_change(const iso__body_derived *derived, iso_wide impulse);
int32_t iso__body_spin_change(const iso__body_derived *derived, iso_wide angular_impulse);

/// A vector of the body's frame, Q7.24, in the world's frame, Q31.32.
static inline iso_vec2_wide iso__rotate_to_wide(iso_rotation q, int32_t x, int32_t y) {
    // Q2.30 * Q7.24 = Q.54, rounded once to Q.32.
    const int64_t rx = (int64_t)q.c * x - (int64_t)q.s * y;
    const int64_t ry = (int64_t)q.s * x + (int64_t)q.c * y;
    return (iso_vec2_wide){(rx + (INT64_C(1) << 21)) >> 22, (ry + (INT64_C(1) << 21)) >> 22};
}

#endif
