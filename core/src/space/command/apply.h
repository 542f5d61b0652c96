/// Executes a command in space.
#ifndef ISO_SPACE_COMMAND_APPLY_H
#define ISO_SPACE_COMMAND_APPLY_H

#include "world/world.h"

/// Executes one command of the member in `slot` on bodies, shapes or gravity of a world in space, as
/// iso__plane_command_apply does in the plane. A command that is refused changes nothing.
/// @param created  receives the id of what was created (iso_id_pack), otherwise unchanged
/// @return ISO_OK or why it was refused
iso_status iso__space_command_apply(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created);

#endif
