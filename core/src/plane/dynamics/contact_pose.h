/// The pose that a contact keeps: where its bodies were against each other when its manifold was made.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_POSE_H
#define ISO_PLANE_DYNAMICS_CONTACT_POSE_H

#include "plane/collide/manifold.h"
#include "plane/dynamics/contact_group.h"
#include "plane/world/plane.h"
#include "plane/world/scratch.h"
#include "step/pair.h"

/// Makes the manifold of the contact's shapes at the pose of their bodies now, and stores its count of points in the
/// record, and the pose if it is one to keep. The record's shapes are set, its pose is zero.
void iso__plane_contact_take_pose(const iso__plane *plane, iso__plane_contact *contact, iso__plane_manifold *manifold);

/// Brings the separations of a manifold that was made at the pose which its contact keeps to the bodies' poses now.
/// @param turns  of the thread
/// @param known  its separations and whether it is hidden are written, and depend on nothing that was there
/// @return false, and nothing is written, when the bodies are moving or have moved too far from the pose
bool iso__plane_contact_follow_pose(const iso__plane *plane, iso__plane_known_turns *turns, const uint32_t bodies[2],
                                    const iso__plane_contact *contact, iso__plane_manifold *known);

#define ISO__PLANE_POSE_TWO_PI         INT64_C(6588397) // 2 pi, Q.20
#define ISO__PLANE_POSE_ANGLE_FRACTION 20
#define ISO__PLANE_POSE_SPIN_MAX       (INT64_C(64) << ISO__PLANE_POSE_ANGLE_FRACTION) // [rad/s]

/// Contacts with known manifolds whose poses the kernel contacts_follow follows at once, and what it has found. No body
/// of the world has a target, and contacts keep their poses. Lanes from count on have indices of the first one.
struct iso__plane_pose_group {
    uint32_t body_a[ISO__LANES];
    uint32_t body_b[ISO__LANES];
    uint32_t contact[ISO__LANES];
    uint32_t manifold[ISO__LANES]; // among those of the last step
    uint32_t count;
    uint32_t followed; // a bit per contact: as iso__plane_contact_follow_pose, which has returned true
    uint32_t left;     // likewise: numbers too large for a lane, iso__plane_contact_follow_pose has to find out
};

/// The same of a contact whose manifold is not known: it is made again at the pose that the contact keeps.
/// @return false when it keeps none, or the bodies are moving or have moved too far from it
bool iso__plane_contact_keep_pose(const iso__plane *plane, iso__plane_known_turns *turns, const uint32_t bodies[2],
                                  const iso__plane_contact *contact, iso__plane_manifold *manifold);

#endif
