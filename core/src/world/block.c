/// See block.h.
#include "world/block.h"

#include "world/capacity.h"

void *iso__block_take(iso__block *to, size_t count, size_t size) {
    void *place = to->base ? to->base + (size_t)to->used : NULL;
    to->used += ((uint64_t)count * size + 63) & ~UINT64_C(63);
    return place;
}

static void block_take_map(iso__slot_map *map, iso__block *to, uint32_t capacity) {
    map->word_count = (capacity + 63) / 64;
    ISO__TAKE(to, map->words, map->word_count);
}

static void block_take_shards(iso__shard_cache *cache, iso__block *to, uint32_t records) {
    cache->capacity = (records + ISO__SHARD_RECORDS - 1) / ISO__SHARD_RECORDS;
    ISO__TAKE(to, cache->hashes, cache->capacity);
    ISO__TAKE(to, cache->dirty, (cache->capacity + 63) / 64 + 1);
}

static void block_take_caches(iso_world *world, iso__block *to, const iso_world_def *def) {
    block_take_map(&world->body_map, to, def->body_capacity);
    block_take_map(&world->shape_map, to, def->shape_capacity);
    block_take_map(&world->joint_map, to, def->joint_capacity);
    block_take_map(&world->compound_map, to, iso__compound_capacity(def));
    const uint32_t records[ISO_SECTION_COUNT] = {
        [ISO_SECTION_DEF] = 1,
        [ISO_SECTION_GLOBALS] = 1,
        [ISO_SECTION_SLOTS] = ISO_SLOT_COUNT_MAX,
        [ISO_SECTION_BODIES] = def->body_capacity,
        [ISO_SECTION_SHAPES] = def->shape_capacity,
        [ISO_SECTION_JOINTS] = def->joint_capacity,
        [ISO_SECTION_CONTACTS] = def->contact_capacity,
        [ISO_SECTION_PROGRAMS] = def->program_capacity,
        [ISO_SECTION_CUSTOM_JOINTS] = def->custom_joint_capacity,
        [ISO_SECTION_COMPOUNDS] = iso__compound_capacity(def),
        [ISO_SECTION_BLUEPRINTS] = iso__blueprint_capacity(def),
        [ISO_SECTION_BLUEPRINT_BODIES] = iso__blueprint_capacity(def),
        [ISO_SECTION_BLUEPRINT_SHAPES] = iso__blueprint_capacity(def),
        [ISO_SECTION_BLUEPRINT_JOINTS] = iso__blueprint_capacity(def),
        [ISO_SECTION_GENERATIONS] =
            def->body_capacity + def->shape_capacity + def->joint_capacity + iso__compound_capacity(def),
        [ISO_SECTION_HEIGHTS] = iso__heights_capacity(def),
        [ISO_SECTION_HEIGHT_SAMPLES] = iso__height_block_capacity(def),
        [ISO_SECTION_OWN_MASSES] = iso__own_mass_capacity(def),
        [ISO_SECTION_GAME] = 1,
    };
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        block_take_shards(&world->shards[section], to, records[section]);
    }
}

static void block_take_bits(iso_world *world, iso__block *to, const iso_world_def *def) {
    ISO__TAKE(to, world->forced, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->awake, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->kinematic, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->asleep, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->jointed, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->woken, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->slept, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->was_awake, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->fresh_joints, (def->joint_capacity + 63) / 64);
    ISO__TAKE(to, world->displaced, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, world->events.contact_begins, def->event_capacity);
    ISO__TAKE(to, world->events.contact_ends, def->event_capacity);
    ISO__TAKE(to, world->events.joint_breaks, def->event_capacity);
    ISO__TAKE(to, world->events.joint_sleeps, def->event_capacity);
    ISO__TAKE(to, world->events.joint_wakes, def->event_capacity);
    ISO__TAKE(to, world->events.sleeps, def->event_capacity);
    ISO__TAKE(to, world->events.wakes, def->event_capacity);
    ISO__TAKE(to, world->events.left_world, def->event_capacity);
    ISO__TAKE(to, world->events.removals, ISO_REMOVALS_PER_TICK);
    ISO__TAKE(to, world->events.emits, def->event_capacity);
    ISO__TAKE(to, world->islands, def->body_capacity);
    ISO__TAKE(to, world->foreign_points, def->body_capacity);
    ISO__TAKE(to, world->charged_points, def->body_capacity);
    ISO__TAKE(to, world->loser_slots, def->body_capacity);
    ISO__TAKE(to, world->results, ISO_TICK_COMMANDS_MAX);
}

void iso__block_take_common(iso_world *world, iso__block *to, const iso_world_def *def, const iso_game *game) {
    ISO__TAKE(to, world->globals, 1);
    ISO__TAKE(to, world->slots, def->slot_capacity);
    ISO__TAKE(to, world->body_generations, def->body_capacity);
    ISO__TAKE(to, world->shape_generations, def->shape_capacity);
    ISO__TAKE(to, world->joint_generations, def->joint_capacity);
    ISO__TAKE(to, world->compound_generations, iso__compound_capacity(def));
    ISO__TAKE(to, world->game_state, game ? game->state_size : 0);
    block_take_caches(world, to, def);
    block_take_bits(world, to, def);
}
