/// See layout.h.
#include "plane/layout.h"

#include "base/assert.h"
#include "dynamics/broad_phase.h"
#include "dynamics/contact_group.h"
#include "dynamics/pair_block.h"
#include "joint/custom.h"
#include "joint/work.h"
#include "solver/scratch.h"
#include "world/compound.h"

// ---- layout --------------------------------------------------------------------------------------

/// Lays arrays out one after the other; with a NULL base it only measures.
typedef struct layout {
    uint8_t *base;
    size_t used;
} layout;

static void *layout_take(layout *to, size_t count, size_t size) {
    void *place = to->base ? to->base + to->used : NULL;
    to->used += (count * size + 63) & ~(size_t)63;
    return place;
}

#define TAKE(to, pointer, count) ((pointer) = layout_take((to), (count), sizeof *(pointer)))

static void world_lay_out_state(iso_world *world, layout *to, const iso_world_def *def, const iso_game *game) {
    TAKE(to, world->globals, 1);
    TAKE(to, world->slots, def->slot_capacity);
    TAKE(to, world->bodies, def->body_capacity);
    TAKE(to, world->shapes, def->shape_capacity);
    TAKE(to, world->joints, def->joint_capacity);
    TAKE(to, world->programs, def->program_capacity);
    TAKE(to, world->custom_joints, def->custom_joint_capacity);
    TAKE(to, world->compounds, iso__compound_capacity(def));
    TAKE(to, world->blueprints, iso__blueprint_capacity(def));
    TAKE(to, world->blueprint_bodies, iso__blueprint_capacity(def));
    TAKE(to, world->blueprint_shapes, iso__blueprint_capacity(def));
    TAKE(to, world->blueprint_joints, iso__blueprint_capacity(def));
    TAKE(to, world->contacts, def->contact_capacity);
    TAKE(to, world->body_generations, def->body_capacity);
    TAKE(to, world->shape_generations, def->shape_capacity);
    TAKE(to, world->joint_generations, def->joint_capacity);
    TAKE(to, world->compound_generations, iso__compound_capacity(def));
    TAKE(to, world->game_state, game ? game->state_size : 0);
    TAKE(to, world->body_derived, def->body_capacity);
    TAKE(to, world->shape_derived, def->shape_capacity);
}

static void world_lay_out_map(iso__slot_map *map, layout *to, uint32_t capacity) {
    map->word_count = (capacity + 63) / 64;
    TAKE(to, map->words, map->word_count);
}

static void world_lay_out_shards(iso__shard_cache *cache, layout *to, uint32_t records) {
    cache->capacity = (records + ISO__SHARD_RECORDS - 1) / ISO__SHARD_RECORDS;
    TAKE(to, cache->hashes, cache->capacity);
    TAKE(to, cache->dirty, (cache->capacity + 63) / 64 + 1);
}

static void world_lay_out_caches(iso_world *world, layout *to, const iso_world_def *def) {
    TAKE(to, world->contact_manifolds, def->contact_capacity);
    TAKE(to, world->custom_of, def->joint_capacity);
    world_lay_out_map(&world->body_map, to, def->body_capacity);
    world_lay_out_map(&world->shape_map, to, def->shape_capacity);
    world_lay_out_map(&world->joint_map, to, def->joint_capacity);
    world_lay_out_map(&world->compound_map, to, iso__compound_capacity(def));
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
        [ISO_SECTION_GAME] = 1,
    };
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        world_lay_out_shards(&world->shards[section], to, records[section]);
    }
    TAKE(to, world->forces, def->body_capacity);
    TAKE(to, world->forced, (def->body_capacity + 63) / 64);
    TAKE(to, world->moves, def->body_capacity);
    TAKE(to, world->move_bits, (def->body_capacity + 63) / 64);
    TAKE(to, world->awake, (def->body_capacity + 63) / 64);
    TAKE(to, world->kinematic, (def->body_capacity + 63) / 64);
    TAKE(to, world->woken, (def->body_capacity + 63) / 64);
    TAKE(to, world->slept, (def->body_capacity + 63) / 64);
    TAKE(to, world->was_awake, (def->body_capacity + 63) / 64);
    TAKE(to, world->fresh_joints, (def->joint_capacity + 63) / 64);
    TAKE(to, world->displaced, (def->body_capacity + 63) / 64);
    TAKE(to, world->reshaped, (def->shape_capacity + 63) / 64);
    TAKE(to, world->events.contact_begins, def->event_capacity);
    TAKE(to, world->events.contact_ends, def->event_capacity);
    TAKE(to, world->events.joint_breaks, def->event_capacity);
    TAKE(to, world->events.joint_sleeps, def->event_capacity);
    TAKE(to, world->events.joint_wakes, def->event_capacity);
    TAKE(to, world->events.sleeps, def->event_capacity);
    TAKE(to, world->events.wakes, def->event_capacity);
    TAKE(to, world->events.left_world, def->event_capacity);
    TAKE(to, world->events.removals, ISO_REMOVALS_PER_TICK);
    TAKE(to, world->events.emits, def->event_capacity);
    TAKE(to, world->islands, def->body_capacity);
    TAKE(to, world->results, ISO_TICK_COMMANDS_MAX);
}

static void world_lay_out_broad_phase(iso__broad_phase *phase, layout *to, const iso_world_def *def) {
    phase->tree.capacity = 2 * def->shape_capacity;
    phase->pair_capacity = iso__broad_phase_pair_capacity(def);
    TAKE(to, phase->tree.nodes, phase->tree.capacity);
    phase->stills.capacity = phase->tree.capacity;
    TAKE(to, phase->stills.nodes, phase->stills.capacity);
    TAKE(to, phase->proxies, def->shape_capacity);
    TAKE(to, phase->boxes, def->shape_capacity);
    TAKE(to, phase->dirty, def->shape_capacity);
    TAKE(to, phase->dirty_bits, (def->shape_capacity + 63) / 64);
    TAKE(to, phase->leaves, def->shape_capacity);
    TAKE(to, phase->order, def->shape_capacity);
    TAKE(to, phase->order_room, def->shape_capacity);
    TAKE(to, phase->pair_starts, def->body_capacity + 1);
    TAKE(to, phase->finds, def->shape_capacity + ISO__TREE_PARTS_MAX);
    TAKE(to, phase->pairs, phase->pair_capacity);
    TAKE(to, phase->found, phase->pair_capacity);
}

static void world_lay_out_scratch(iso__step_scratch *scratch, layout *to, const iso_world_def *def) {
    const uint32_t bodies = def->body_capacity + 1; // and the world itself
    TAKE(to, scratch->foreign_points, def->body_capacity);
    TAKE(to, scratch->charged_points, def->body_capacity);
    TAKE(to, scratch->motions, bodies);
    TAKE(to, scratch->drifts, bodies);
    TAKE(to, scratch->pushes, bodies);
    TAKE(to, scratch->moving, bodies);
    TAKE(to, scratch->limits, bodies);
    TAKE(to, scratch->targets, def->shape_capacity);
    TAKE(to, scratch->near_targets, def->shape_capacity);
    TAKE(to, scratch->target_boxes, def->shape_capacity);
    TAKE(to, scratch->moving_bits, (bodies + 63) / 64);
    TAKE(to, scratch->listed_bits, (bodies + 63) / 64);
    TAKE(to, scratch->woken_sets, (bodies + 63) / 64);
    TAKE(to, scratch->pulled_bits, (bodies + 63) / 64);
    TAKE(to, scratch->carried_sets, (bodies + 63) / 64);
    TAKE(to, scratch->gains, bodies);
    TAKE(to, scratch->colour_masks, bodies);
    TAKE(to, scratch->joint_masks, bodies);
    TAKE(to, scratch->rotations, bodies);
    TAKE(to, scratch->has_joint, bodies);
    TAKE(to, scratch->spring_sums, bodies);
    TAKE(to, scratch->contacts_next, def->contact_capacity);
    TAKE(to, scratch->contact_manifolds_next, def->contact_capacity);
    TAKE(to, scratch->solved, def->contact_capacity);
    TAKE(to, scratch->manifolds, def->contact_capacity);
    TAKE(to, scratch->manifolds_last, def->contact_capacity);
    TAKE(to, scratch->pair_blocks, iso__broad_phase_pair_capacity(def) / ISO__BLOCK_PAIRS + 1);
    TAKE(to, scratch->pair_findings, iso__broad_phase_pair_capacity(def));
    TAKE(to, scratch->surfaces, def->contact_capacity);
    TAKE(to, scratch->impulse_maxima, def->contact_capacity);
    TAKE(to, scratch->body_heads, def->body_capacity);
    TAKE(to, scratch->body_counts, def->body_capacity);
    TAKE(to, scratch->body_links, 2 * (size_t)def->contact_capacity);
    TAKE(to, scratch->seam_marks, 2 * (size_t)def->contact_capacity);
    TAKE(to, scratch->contact_colours, def->contact_capacity);
    TAKE(to, scratch->contact_places, def->contact_capacity);
    TAKE(to, scratch->contact_keys, def->contact_capacity);
    TAKE(to, scratch->bouncing, def->contact_capacity);
    TAKE(to, scratch->is_held, bodies);
    TAKE(to, scratch->groups, def->contact_capacity / ISO__LANES + ISO__COLOUR_COUNT + 1);
    TAKE(to, scratch->group_order, def->contact_capacity / ISO__LANES + ISO__COLOUR_COUNT + 1);
    TAKE(to, scratch->excluded_pairs, 2 * (size_t)def->joint_capacity);
    TAKE(to, scratch->joints, def->joint_capacity);
    TAKE(to, scratch->axes, ISO__JOINT_AXES * (size_t)def->joint_capacity);
    TAKE(to, scratch->joint_works, def->joint_capacity);
    TAKE(to, scratch->hinge_pairs, def->joint_capacity);
    TAKE(to, scratch->hinge_rows, def->joint_capacity);
    TAKE(to, scratch->hinge_joints, def->joint_capacity);
    TAKE(to, scratch->plain_pairs, def->joint_capacity);
    TAKE(to, scratch->plain_rows, def->joint_capacity);
    TAKE(to, scratch->plain_joints, def->joint_capacity);
    TAKE(to, scratch->joint_order, def->joint_capacity);
    TAKE(to, scratch->customs, def->custom_joint_capacity);
}

size_t iso__plane_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory) {
    ISO_ASSERT(((uintptr_t)memory & 63) == 0);
    layout to = {memory, 0};
    iso__broad_phase measured_phase = {0};
    iso__step_scratch measured_scratch = {0};
    layout_take(&to, 1, sizeof *world);
    TAKE(&to, world->broad_phase, 1);
    TAKE(&to, world->scratch, 1);
    world_lay_out_state(world, &to, def, game);
    world_lay_out_caches(world, &to, def);
    world_lay_out_broad_phase(to.base ? world->broad_phase : &measured_phase, &to, def);
    world_lay_out_scratch(to.base ? world->scratch : &measured_scratch, &to, def);
    return to.used;
}
