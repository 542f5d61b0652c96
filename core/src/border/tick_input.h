/// A tick's input: changes of the session, then commands.
#ifndef ISO_BORDER_TICK_INPUT_H
#define ISO_BORDER_TICK_INPUT_H

#include "world/world.h"

/// Checks a tick's input completely before anything changes.
/// @return ISO_OK; ISO_ERR_STATE (another tick, or a change that does not fit its slot); ISO_ERR_MALFORMED
///         (more than the maxima, commands out of order, of an empty slot or with a sequence that was used, a
///         command that fails iso_command_check); ISO_ERR_DIMENSION (a command for worlds of another dimension).
iso_status iso__tick_input_check(const iso_world *world, const iso_tick_input *input);

/// Applies the session's changes in their order. The input has passed iso__tick_input_check.
void iso__world_apply_changes(iso_world *world, const iso_tick_input *input);

/// Applies the commands in their order and writes the results. The input has passed iso__tick_input_check.
void iso__world_apply_commands(iso_world *world, const iso_tick_input *input);

#endif
