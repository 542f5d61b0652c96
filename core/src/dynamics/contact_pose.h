/// The pose that a contact keeps: where its bodies were against each other when its manifold was made.
#ifndef ISO_DYNAMICS_CONTACT_POSE_H
#define ISO_DYNAMICS_CONTACT_POSE_H

#include "collide/manifold.h"
#include "collide/pair.h"
#include "world/world.h"

/// Makes the manifold of the contact's shapes at the pose of their bodies now, and stores its count of points in the
/// record, and the pose if it is one to keep. The record's shapes are set, its pose is zero.
void iso__contact_take_pose(const iso_world *world, iso__contact *contact, iso__manifold *manifold);

/// The manifold at the pose that a contact keeps, with the separations of the bodies' poses now.
/// @param known  the manifold that was made at this pose, when it is known, else NULL; it saves time only
/// @return false when the contact keeps none, or the bodies are moving or have moved too far from it
bool iso__contact_keep_pose(const iso_world *world, const iso__contact *contact, const iso__manifold *known,
                            iso__manifold *manifold);

#endif
