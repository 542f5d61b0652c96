/// Joints in space as records: their bodies and their destruction. space/joint/ creates them and solves their rows.
#ifndef ISO_SPACE_WORLD_JOINT_H
#define ISO_SPACE_WORLD_JOINT_H

#include "space/world/space.h"

/// iso_joint3_kind_has of a record's kind, which is none or one of the lists.
extern const uint32_t iso__space_joint_kind_parts[];
static inline uint32_t iso__space_joint_has(const iso__space_joint *joint) {
    return iso__space_joint_kind_parts[joint->kind];
}

/// Wakes a joint's bodies.
void iso__space_joint_wake(iso_world *world, const iso__space_joint *joint);

/// Destroys a body's joints in ascending order. Linear in the number of joints.
void iso__space_joints_remove_body(iso__space *space, uint32_t body);

/// Wakes the bodies that a body has joints with.
void iso__space_joints_wake_neighbours(iso__space *space, uint32_t body);

/// See iso__kernel.
iso_status iso__space_joint_destroy(iso_world *world, uint32_t joint);
void iso__space_joint_bodies(const iso_world *world, uint32_t joint, uint32_t bodies[4]);
iso_owner iso__space_joint_owner(const iso_world *world, uint32_t joint);
void iso__space_joint_set_owner(iso_world *world, uint32_t joint, iso_owner owner);
void iso__space_joint_set_tag(iso_world *world, uint32_t joint, uint32_t tag);

#endif
