/// Where the bodies of a joint in space are within a step, and how they push each other there.
#ifndef ISO_JOINT3_PLACE3_H
#define ISO_JOINT3_PLACE3_H

#include "joint3/work3.h"

/// Sets what a joint has of its bodies for a step that begins at the records' poses: shares, gyrations, anchors, frames.
void iso__joint3_meet(const iso__space *space, const iso__joint3 *joint, iso__joint3_work *work);

/// Sets levers, arms, axes, distance and relative rotation where the bodies are now.
/// @param a, b  their drifts; of the world one without rotation
void iso__joint3_place(iso__joint3_work *work, const iso__drift3 *a, const iso__drift3 *b);

/// M v of a symmetric matrix xx, xy, xz, yy, yz, zz, Q31.32.
void iso__tensor3_apply(const int64_t M[6], const int64_t v[3], int64_t result[3]);

#endif
