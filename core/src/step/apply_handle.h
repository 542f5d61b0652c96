/// Executes the commands that name what they act on by its handle alone and have no coordinates: the same in worlds of
/// either kind.
#ifndef ISO_STEP_APPLY_HANDLE_H
#define ISO_STEP_APPLY_HANDLE_H

#include "world/world.h"

/// The cases of their kinds, for a switch over all kinds.
#define ISO__CASES_OF_HANDLES       \
    case ISO_COMMAND_DESTROY_BODY:  \
    case ISO_COMMAND_SET_BODY_TAG:  \
    case ISO_COMMAND_DESTROY_SHAPE: \
    case ISO_COMMAND_SET_FILTER:    \
    case ISO_COMMAND_SET_SHAPE_TAG: \
    case ISO_COMMAND_DESTROY_JOINT: \
    case ISO_COMMAND_ENABLE_JOINT:  \
    case ISO_COMMAND_SET_JOINT_TAG: \
    case ISO_COMMAND_SET_JOINT_BREAK

/// @param command  of one of these kinds @return ISO_OK or why it was refused; then the world is unchanged
iso_status iso__command_apply_handle(iso_world *world, const iso_command *command);

#endif
