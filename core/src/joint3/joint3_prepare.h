/// Sets up the rows of one joint in space, within a step or to measure it.
#ifndef ISO_JOINT3_JOINT3_PREPARE_H
#define ISO_JOINT3_JOINT3_PREPARE_H

#include "joint3/work3.h"

/// A drift at a body's pose; of the world (def.body_capacity) one without rotation.
void iso__joint3_rest_at(const iso__space *space, uint32_t body, iso__drift3 *drift);

/// Takes a joint's numbers and impulses from its record, and its bodies' masses.
/// @param custom  room for the rows of a USER or SYMBOLIC joint; NULL of a joint of another kind
void iso__joint3_begin(const iso__space *space, uint32_t index, iso__joint3_work *work,
                       struct iso__custom3_work *custom);

/// Sets its rows' directions and errors where its bodies are. @param a, b  their drifts
void iso__joint3_arrive(iso__joint3_work *work, const iso__drift3 *a, const iso__drift3 *b);

#endif
