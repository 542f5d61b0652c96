/// Sets up the rows of one joint in space, within a step or to measure it.
#ifndef ISO_SPACE_JOINT_JOINT_PREPARE_H
#define ISO_SPACE_JOINT_JOINT_PREPARE_H

#include "space/joint/work.h"

/// A drift at a body's pose; of the world (def.body_capacity) one without rotation.
void iso__space_joint_rest_at(const iso__space *space, uint32_t body, iso__space_drift *drift);

/// Takes a joint's numbers and impulses from its record, and its bodies' masses.
/// @param custom  room for the rows of a USER or SYMBOLIC joint; NULL of a joint of another kind
void iso__space_joint_begin(const iso__space *space, uint32_t index, iso__space_joint_work *work,
                            struct iso__space_custom_work *custom);

/// Sets its rows' directions and errors where its bodies are. @param a, b  their drifts
void iso__space_joint_arrive(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b);

#endif
