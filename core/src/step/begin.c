/// See begin.h.
#include "step/begin.h"

#include "base/assert.h"
#include "world/events.h"

void iso__step_begin(iso_world *world) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    iso__events_clear(world);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63) / 64; ++w) {
        world->woken[w] = world->slept[w] = 0;
        world->was_awake[w] = world->awake[w];
    }
    for (uint32_t w = 0; w < (world->def.joint_capacity + 63) / 64; ++w) {
        world->fresh_joints[w] = 0;
    }
}

bool iso__step_tell_wakes(iso_world *world) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    uint64_t changed = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        changed |= world->woken[w] | world->slept[w];
        for (uint64_t bits = world->woken[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (iso__generation_is_alive(world->body_generations[i])) {
                iso__event_wake(world, i);
            }
        }
    }
    return changed != 0;
}
