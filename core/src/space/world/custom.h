/// Data of joints in space of the kinds USER and SYMBOLIC besides their record: see plane/world/custom.h, which knows
/// what a constraint or program has. space/joint/custom.c solves them.
#ifndef ISO_SPACE_WORLD_CUSTOM_H
#define ISO_SPACE_WORLD_CUSTOM_H

#include "space/world/space.h"
#include "world/constraint.h"

/// The record of a joint of these kinds, and what its rows are made of.
static inline iso__space_custom_joint *iso__space_custom_of(const iso__space *space, uint32_t joint) {
    return &space->custom_joints[space->world.custom_of[joint]];
}
iso__custom_source iso__space_custom_source(const iso__space *space, uint32_t joint);

iso_program_params iso__space_custom_params(const iso__space_custom_joint *record);
void iso__space_custom_write_params(iso__space_custom_joint *record, const iso_program_params *params);

/// Whether a joint of this definition could be created, apart from its bodies' handles.
/// @return ISO_OK; ISO_ERR_UNKNOWN_NAME; ISO_ERR_WRONG_TYPE (bodies); ISO_ERR_RANGE (parameters); ISO_ERR_CAPACITY
iso_status iso__space_custom_check(const iso_world *world, const iso_joint3_def *def);
/// Takes the lowest free record for a joint; iso__space_custom_check has found one.
void iso__space_custom_create(iso__space *space, uint32_t joint, const iso_joint3_def *def);
void iso__space_custom_destroy(iso__space *space, uint32_t joint);
/// Rebuilds the map from joints to their records.
void iso__space_custom_rebuild_map(iso__space *space);

#endif
