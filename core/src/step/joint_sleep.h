/// Joints that fall asleep or wake with their bodies.
#ifndef ISO_STEP_JOINT_SLEEP_H
#define ISO_STEP_JOINT_SLEEP_H

#include "world/world.h"

/// What a joint's dynamic bodies did in the step. Zero: it has none.
typedef struct iso__joint_sleep {
    bool is_awake, was_awake; // one of them, now and when the step began
    bool has_woken, has_slept;
} iso__joint_sleep;

/// Adds one of them.
void iso__joint_sleep_add(const iso_world *world, uint32_t body, iso__joint_sleep *is);

/// Tells of a joint what follows from all of them.
void iso__joint_sleep_tell(iso_world *world, uint32_t joint, uint32_t tag, const iso__joint_sleep *is);

#endif
