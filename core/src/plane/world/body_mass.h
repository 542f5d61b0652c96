/// What derives from a body's shapes: centre of mass, mass, inertia, radius.
#ifndef ISO_PLANE_WORLD_BODY_MASS_H
#define ISO_PLANE_WORLD_BODY_MASS_H

#include "plane/world/plane.h"
#include "solver/mass.h"

/// Puts a shape into its body's list, which is sorted by index; and takes it out.
void iso__plane_body_link_shape(iso__plane *plane, uint32_t body, uint32_t shape);
void iso__plane_body_unlink_shape(iso__plane *plane, uint32_t body, uint32_t shape);

/// Computes mass, centre, inertia and radius of a body of this type from its shapes' records, without changing
/// the world. `derived` is zero but for first_shape, which equals the world's, and the rotation. `record` may be
/// one that is to take the place of the world's.
/// @return ISO_OK; ISO_ERR_RANGE (mass or inertia); ISO_ERR_GEOMETRY (too far from the centre)
iso_status iso__plane_body_derive(const iso__plane *plane, uint32_t body, const iso__plane_body *record,
                                  iso__plane_body_derived *derived);

/// Computes what derives from a body's type and shapes. Keeps the world-frame place of the origin
/// and the angular velocity when `keep_origin`, as a change of shapes wants; decoding does not.
/// @return ISO_ERR_RANGE, with nothing changed, when mass or inertia leaves its range.
iso_status iso__plane_body_update_mass(iso__plane *plane, uint32_t body, bool keep_origin);

/// Computes what derives from the shapes' records and the body's centre of mass: all but the mass.
void iso__plane_body_derive_shapes(iso__plane *plane, uint32_t body);

/// Zeroes the components of a dynamic body's velocity that are locked.
void iso__plane_body_lock(iso__plane_body *record);

/// Computes the rotation from the angle.
void iso__plane_body_update_rotation(iso__plane *plane, uint32_t body);

#endif
