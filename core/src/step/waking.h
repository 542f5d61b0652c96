/// Which bodies are awake, as bits.
#ifndef ISO_STEP_WAKING_H
#define ISO_STEP_WAKING_H

#include "world/world.h"

/// Notes in the bits of sleeping bodies and in their number whether a body is asleep.
static inline void iso__asleep_note(iso_world *world, uint32_t body, bool is_asleep) {
    world->asleep_count -= iso__bit_is_set(world->asleep, body) ? 1u : 0u;
    world->asleep_count += is_asleep ? 1u : 0u;
    (is_asleep ? iso__bit_set : iso__bit_clear)(world->asleep, body);
}

/// Notes whether a body is awake and whether it is kinematic, after either has changed. One that is static is neither.
static inline void iso__awake_note(iso_world *world, uint32_t body, iso_body_type type, bool is_asleep) {
    const bool is_kinematic = type == ISO_BODY_KINEMATIC;
    (is_kinematic || (type == ISO_BODY_DYNAMIC && !is_asleep) ? iso__bit_set : iso__bit_clear)(world->awake, body);
    (is_kinematic ? iso__bit_set : iso__bit_clear)(world->kinematic, body);
    iso__asleep_note(world, body, is_asleep);
}

/// Whether a body is dynamic and awake.
static inline bool iso__is_awake_dynamic(const iso_world *world, uint32_t body) {
    return iso__bit_is_set(world->awake, body) && !iso__bit_is_set(world->kinematic, body);
}

/// Whether a moving body is dynamic: awake dynamic ones move, and kinematic ones.
static inline bool iso__moving_is_dynamic(const iso_world *world, uint32_t body) {
    return !iso__bit_is_set(world->kinematic, body);
}

/// Notes that bodies have a joint; ISO__WORLD_BODY is none.
static inline void iso__jointed_note(iso_world *world, const uint32_t *bodies, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (bodies[i] != ISO__WORLD_BODY) {
            iso__bit_set(world->jointed, bodies[i]);
        }
    }
}

#endif
