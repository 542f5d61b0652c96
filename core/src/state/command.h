/// Commands and session changes at their turn.
#ifndef ISO_STATE_COMMAND_H
#define ISO_STATE_COMMAND_H

#include "dynamics/world.h"

/// Checks everything about a tick's input that must hold before anything changes.
/// @return ISO_OK; ISO_ERR_STATE (another tick, or a change that does not fit its slot); ISO_ERR_MALFORMED
///         (more than the maxima, commands out of order, of an empty slot or with a sequence that was used, a
///         command that fails iso_command_check).
iso_status iso__tick_input_check(const iso_world *world, const iso_tick_input *input);

/// Applies the session's changes in their order. The input has passed iso__tick_input_check.
iso_status iso__world_apply_changes(iso_world *world, const iso_tick_input *input);

/// Applies the commands in their order and writes the results. The input has passed iso__tick_input_check.
iso_status iso__world_apply_commands(iso_world *world, const iso_tick_input *input);

/// Authorises and executes one command of the member in `slot`. A command that is refused changes nothing.
/// @param created_id  of what was created (iso_id_pack), else 0
/// @return ISO_OK or why it was refused
iso_status iso__world_apply_command(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created_id);

#endif
