/// See joint_sleep.h.
#include "step/joint_sleep.h"

#include "base/assert.h"
#include "world/events.h"

void iso__joint_sleep_add(const iso_world *world, uint32_t body, iso__joint_sleep *is) {
    ISO_ASSERT(body < world->def.body_capacity);
    is->is_awake |= iso__bit_is_set(world->awake, body);
    is->was_awake |= iso__bit_is_set(world->was_awake, body);
    is->has_woken |= iso__bit_is_set(world->woken, body);
    is->has_slept |= iso__bit_is_set(world->slept, body);
}

void iso__joint_sleep_tell(iso_world *world, uint32_t joint, uint32_t tag, const iso__joint_sleep *is) {
    ISO_ASSERT(joint < world->def.joint_capacity);
    if (is->has_woken && !is->was_awake && !iso__bit_is_set(world->fresh_joints, joint)) {
        iso__event_joint_wake(world, joint, tag);
    }
    if (is->has_slept && !is->is_awake) {
        iso__event_joint_sleep(world, joint, tag);
    }
}
