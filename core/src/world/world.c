/// Reading a world as a whole, and marks of changed records.
#include "world/world.h"

#include "base/random.h"

void iso__mark_section_dirty(iso_world *world, iso_section section) {
    iso__shard_cache *cache = &world->shards[section];
    for (uint32_t w = 0; w < (cache->capacity + 63u) / 64u; ++w) {
        cache->dirty[w] = UINT64_MAX;
    }
}

void iso__profile_stage(iso_world *world, uint64_t *since, uint64_t *stage) {
    if (world->profile_clock) {
        const uint64_t now = world->profile_clock(world->profile_user);
        *stage += now - *since;
        *since = now;
    }
}

const iso_world_def *iso_world_get_def(const iso_world *world) {
    return &world->def;
}

const iso_game *iso_world_get_game(const iso_world *world) {
    return world->game;
}

const void *iso_world_get_game_state(const iso_world *world) {
    return world->game != NULL ? world->game_state : NULL;
}

uint64_t iso_world_get_tick(const iso_world *world) {
    return world->globals->tick;
}

const iso_command_result *iso_world_get_results(const iso_world *world, uint32_t *count) {
    *count = world->result_count;
    return world->results;
}

uint32_t iso_world_random(iso_world *world) {
    return iso__random_next(world->globals->random);
}

uint32_t iso_world_random_below(iso_world *world, uint32_t bound) {
    if (bound == 0) {
        return 0;
    }
    // x bound / 2^32 takes each value for 2^32 / bound numbers x, rounded down or up; of what is rounded up, the
    // numbers with the lowest remainders are one too many.
    const uint32_t too_many = (0u - bound) % bound; // 2^32 mod bound
    uint64_t product;
    do {
        product = (uint64_t)iso__random_next(world->globals->random) * bound;
    } while ((uint32_t)product < too_many);
    return (uint32_t)(product >> 32);
}

void iso_world_get_counts(const iso_world *world, iso_world_counts *counts) {
    uint32_t awake = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        awake += (uint32_t)__builtin_popcountll(world->awake[w]);
    }
    *counts = (iso_world_counts){
        .bodies = world->body_map.alive_count,
        .shapes = world->shape_map.alive_count,
        .joints = world->joint_map.alive_count,
        .contacts = world->globals->contact_count,
        .compounds = world->compound_map.alive_count,
        .islands = world->island_count,
        .commands_applied = world->globals->commands_applied,
        .commands_refused = world->globals->commands_refused,
        .clamped_velocities = world->globals->clamped_velocities,
        .clamped_impulses = world->globals->clamped_impulses,
        .clamped_rows = world->globals->clamped_rows,
        .dropped_contacts = world->globals->dropped_contacts,
        .dropped_events = world->globals->dropped_events,
        .removed_bodies = world->globals->removed_bodies,
        .awake_bodies = awake,
    };
}

void iso_world_set_profile_clock(iso_world *world, iso_clock_fn *clock, void *user) {
    world->profile_clock = clock;
    world->profile_user = user;
}

iso_profile iso_world_take_profile(iso_world *world) {
    const iso_profile profile = world->profile;
    world->profile = (iso_profile){0};
    return profile;
}
