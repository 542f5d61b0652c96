/// Executes a command.
#ifndef ISO_PLANE_COMMAND_APPLY_H
#define ISO_PLANE_COMMAND_APPLY_H

#include "plane/world/plane.h"

/// Executes one command of the member in `slot` on bodies, shapes, joints or gravity. A command that is refused changes
/// nothing.
/// @param created_id  receives the id of what was created (iso_id_pack), otherwise unchanged
/// @return ISO_OK or why it was refused
iso_status iso__plane_command_apply(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created_id);

#endif
