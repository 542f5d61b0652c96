/// Whether a member may make more in a world of either kind, and how what it made is taken back.
#ifndef ISO_STEP_ROOM_H
#define ISO_STEP_ROOM_H

#include "world/world.h"

/// Quotas of a member when its game has no parameters for them.
#define ISO__PER_SLOT_DEFAULT UINT32_MAX

/// Whether a member may add shapes, and with them bodies. While there are too many contact points, members that cause
/// them may add nothing, and the last free slots are reserved for members that join later.
/// @return ISO_OK; ISO_ERR_QUOTA; ISO_ERR_CAPACITY.
iso_status iso__command_check_room(const iso_world *world, uint32_t slot, uint32_t bodies, uint32_t shapes);

/// Whether a member may add that many joints to those that it owns, by the game's joints_per_slot.
bool iso__command_has_joint_quota(const iso_world *world, uint32_t slot, uint32_t more);

/// Removes a body that was created last as if it had never been: its slot's generation, the number of used slots and of
/// spawned bodies go back, too.
/// @param used_before  globals->body_count before it was created
void iso__command_undo_body(iso_world *world, iso_body_id body, uint32_t used_before);

/// Likewise of a shape that was created last and has gone with its body. @param used_before  globals->shape_count
void iso__command_undo_shape(iso_world *world, iso_shape_id shape, uint32_t used_before);

/// The cases of kinds that a world does not have, so that a switch over all kinds needs no default and the compiler
/// names what it lacks: ISO_COMMAND_KIND_LIST(ISO__CASE_UNLESS_PLANE).
#define ISO__CASE_UNLESS_PLANE(name, number, snake, worlds) ISO__CASE_UNLESS_PLANE_##worlds(name)
#define ISO__CASE_UNLESS_PLANE_PLANE(name)
#define ISO__CASE_UNLESS_PLANE_BOTH(name)
#define ISO__CASE_UNLESS_PLANE_SPACE(name)                  case ISO_COMMAND_##name:
#define ISO__CASE_UNLESS_SPACE(name, number, snake, worlds) ISO__CASE_UNLESS_SPACE_##worlds(name)
#define ISO__CASE_UNLESS_SPACE_PLANE(name)                  case ISO_COMMAND_##name:
#define ISO__CASE_UNLESS_SPACE_BOTH(name)
#define ISO__CASE_UNLESS_SPACE_SPACE(name)

#endif
