/// Joints in space as records: their bodies and their destruction. joint3/ creates them and solves their rows.
#ifndef ISO_WORLD3_JOINT3_H
#define ISO_WORLD3_JOINT3_H

#include "world3/world3.h"

/// Wakes a joint's bodies.
void iso__joint3_wake(iso_world *world, const iso__joint3 *joint);

/// Destroys a body's joints in ascending order. Linear in the number of joints.
void iso__joints3_remove_body(iso__space *space, uint32_t body);

/// Wakes the bodies that a body has joints with.
void iso__joints3_wake_neighbours(iso__space *space, uint32_t body);

/// See iso__kernel.
iso_status iso__joint3_destroy(iso_world *world, uint32_t joint);
void iso__joint3_bodies(const iso_world *world, uint32_t joint, uint32_t bodies[4]);
iso_owner iso__joint3_owner(const iso_world *world, uint32_t joint);
void iso__joint3_set_owner(iso_world *world, uint32_t joint, iso_owner owner);
void iso__joint3_set_tag(iso_world *world, uint32_t joint, uint32_t tag);

#endif
