/// Contacts that keep their manifold while their bodies hardly move.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_POSE_H
#define ISO_SPACE_DYNAMICS_CONTACT_POSE_H

#include "space/world/scratch.h"

/// Finds how far each moving body goes and turns in this tick, where a contact has a pose.
void iso__space_poses_begin(iso__space *space);

/// Stores the present pose in a contact that is new or has left its pose, where its shapes and points are such that it
/// may keep it. Its manifold is the pair's only one, and that of the present poses.
void iso__space_pose_take(const iso__space *space, const iso__space_manifold *manifold, iso__space_contact *contact);

/// Makes the manifold that a contact keeps, with the separations of the present poses.
/// @param contact   of the last tick, with a pose
/// @param manifold  out: only when it is kept
/// @return false: the bodies are no longer near the pose
bool iso__space_pose_keep(const iso__space *space, uint32_t contact, iso__space_manifold *manifold);

/// Has the manifold made anew in the next tick.
void iso__space_pose_drop(iso__space_contact *contact);

/// Remembers the manifolds of this tick's contacts for the next one.
void iso__space_poses_remember(iso__space *space);

#endif
