/// Where the bodies of a joint in space are within a step, and how they push each other there.
#ifndef ISO_SPACE_JOINT_PLACE_H
#define ISO_SPACE_JOINT_PLACE_H

#include "space/joint/work.h"

/// Sets what a joint has of its bodies for a step that begins at the records' poses: shares, gyrations, anchors,
/// frames.
void iso__space_joint_meet(const iso__space *space, const iso__space_joint *joint, iso__space_joint_work *work);

/// Sets levers, arms, axes, distance and relative rotation where the bodies are now.
/// @param a, b  their drifts; of the world one without rotation
void iso__space_joint_place(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b);

/// M v of a symmetric matrix xx, xy, xz, yy, yz, zz, Q31.32.
void iso__space_tensor_apply(const int64_t M[6], const int64_t v[3], int64_t result[3]);

#endif
