/// Bodies in space beyond the public interface. body_mass.h has what derives from their shapes.
#ifndef ISO_SPACE_WORLD_BODY_H
#define ISO_SPACE_WORLD_BODY_H

#include "isostep/body3.h"
#include "space/world/space.h"

/// The parameters of a record.
void iso__space_body_read_params(const iso__space_body *record, iso_body3_params *params);

/// Whether a body may have this mass and these moments of its own, as far as that depends on no shape.
bool iso__space_body_mass_is_valid(iso_wide mass, const iso_wide moments[3]);

/// What the kernel's table has of bodies.
iso_status iso__space_body_destroy(iso_world *world, uint32_t body);
iso_owner iso__space_body_owner(const iso_world *world, uint32_t body);
uint64_t iso__space_body_spawn_number(const iso_world *world, uint32_t body);
void iso__space_body_set_owner(iso_world *world, uint32_t body, iso_owner owner);
void iso__space_body_set_tag(iso_world *world, uint32_t body, uint32_t tag);

/// Clears a body's forces for the coming tick.
void iso__space_body_clear_forces(iso__space *space, uint32_t body);

/// Velocity change [m/s] Q12.19 of an impulse [N s]; momentum change [m/s] Q23.40 of an angular one [N m s]. Clamped to
/// twice the largest speed.
int32_t iso__space_body_velocity_change(const iso__space_body_derived *derived, iso_wide impulse);
int64_t iso__space_body_momentum_change(const iso__space_body_derived *derived, iso_wide angular_impulse);

#endif
