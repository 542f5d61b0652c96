/// Bodies beyond the public interface. body_mass.h has what derives from their shapes.
#ifndef ISO_PLANE_WORLD_BODY_H
#define ISO_PLANE_WORLD_BODY_H

#include "plane/world/plane.h"

static inline iso_owner iso__plane_body_owner(const iso__plane_body *body) {
    return (iso_owner){body->owner_generation, body->owner_slot};
}

/// The parameters of a record.
void iso__plane_body_read_params(const iso__plane_body *record, iso_body_params *params);

/// Whether a body may have this mass and inertia of its own.
bool iso__plane_body_mass_is_valid(iso_wide mass, iso_wide inertia);

/// Whether a position is within ISO_POSITION_MAX_M, and a velocity within ISO_SPEED_MAX_M_S.
bool iso__plane_body_place_is_valid(iso_vec2_wide place);
bool iso__plane_body_speed_is_valid(iso_vec2_wide velocity);

/// Where a live body's origin is [m] Q31.32.
iso_vec2_wide iso__plane_body_origin(const iso__plane *plane, uint32_t body);

/// Checks a body's definition and writes its record as of a body without shapes: its centre is its origin, its spin is
/// for a radius of 1 m. @param world_def  whose cap on spins holds; NULL: only that of the format, for a blueprint's
/// body
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_BAD_ENUM; the record is then left as it was.
iso_status iso__plane_body_make_record(const iso_world_def *world_def, const iso_body_def *def,
                                       iso__plane_body *record);

/// Moves a body to another pose: contacts end, what touched it and what is near its new place wakes.
/// @param centre  [m] Q31.32, of mass, within the world
/// @param turns   [turns] Q31.32
void iso__plane_body_teleport(iso__plane *plane, uint32_t body, const int64_t centre[2], int64_t turns);

/// Destroys a live body with its shapes and joints.
iso_status iso__plane_body_destroy(iso_world *world, uint32_t index);

/// Clears a body's forces and target for the coming tick.
void iso__plane_body_clear_forces(iso__plane *plane, uint32_t body);

/// The velocity and spin [m/s] Q12.19 that bring a kinematic body to a pose within one tick, clamped.
/// @return false when one of them is beyond the largest speed
bool iso__plane_body_move_velocity(const iso__plane *plane, uint32_t body, const iso__plane_body_move *move,
                                   int32_t velocity[3]);

/// The velocity and spin [m/s] Q12.19 of a body before the step; a kinematic body with a target has that of its way
/// there.
void iso__plane_body_read_velocity(const iso__plane *plane, uint32_t body, int32_t velocity[3]);

#endif
