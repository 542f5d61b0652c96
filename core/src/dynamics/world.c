/// The world's block: definition, layout, creation, and what can be asked of it as a whole.
#include "dynamics/world.h"

#include <string.h>

#include "base/random.h"
#include "collide/broad_phase.h"
#include "dynamics/body.h"
#include "dynamics/sleep.h"
#include "dynamics/step.h"
#include "joint/custom.h"
#include "math/fixed_ops.h"

// ---- definition ----------------------------------------------------------------------------------

iso_world_def iso_world_def_default(void) {
    iso_world_def def = {0};
    def.body_capacity = 1024;
    def.shape_capacity = 1024;
    def.joint_capacity = 1024;
    def.contact_capacity = 8192;
    def.slot_capacity = ISO_SLOT_COUNT_MAX;
    def.substep_count = 4;
    def.tick_rate_hz = 60;
    def.seed = 1;
    def.gravity = (iso_vec2){0, -10 * ISO_FIX16_ONE};
    def.contact_hertz = 30 * ISO_FIX16_ONE;
    def.contact_damping_ratio = 10 * ISO_FIX16_ONE;
    def.contact_push_speed = 3 * ISO_FIX16_ONE;
    def.restitution_threshold = ISO_FIX16_ONE;
    def.joint_hertz = 240 * ISO_FIX16_ONE; // as stiff as a quarter of the substep rate lets it be, to 16 substeps at 60 Hz
    def.joint_damping_ratio = 2 * ISO_FIX16_ONE;
    def.slop = 328;                  // 5 mm
    def.speculative_distance = 1311; // 20 mm
    def.sleep_speed = 3277;          // 0.05 m/s
    def.sleep_time = ISO_FIX16_ONE / 2;
    def.event_capacity = 1024;
    def.program_capacity = 8;
    def.custom_joint_capacity = 64;
    def.contact_point_limit = 6144; // three quarters of the contacts
    def.kept_body_capacity = 256;
    return def;
}

typedef struct def_bound {
    const char *name;
    int64_t value, min, max;
} def_bound;

iso_status iso_world_def_check(const iso_world_def *def, const char **field) {
    const int64_t one = ISO_FIX16_ONE;
    const int64_t substep_rate = (int64_t)def->tick_rate_hz * def->substep_count;
    const def_bound bounds[] = {
        {"body_capacity", def->body_capacity, 1, ISO_BODY_CAPACITY_MAX},
        {"shape_capacity", def->shape_capacity, 1, ISO_BODY_CAPACITY_MAX},
        {"joint_capacity", def->joint_capacity, 0, ISO_BODY_CAPACITY_MAX},
        {"contact_capacity", def->contact_capacity, 0, ISO_CONTACT_CAPACITY_MAX},
        {"event_capacity", def->event_capacity, 0, ISO_BODY_CAPACITY_MAX},
        {"program_capacity", def->program_capacity, 0, ISO_PROGRAM_CAPACITY_MAX},
        {"custom_joint_capacity", def->custom_joint_capacity, 0, ISO_CUSTOM_JOINT_CAPACITY_MAX},
        {"contact_point_limit", def->contact_point_limit, 0, 2 * ISO_CONTACT_CAPACITY_MAX},
        {"kept_body_capacity", def->kept_body_capacity, 0, ISO_BODY_CAPACITY_MAX},
        {"slot_capacity", def->slot_capacity, 0, ISO_SLOT_COUNT_MAX},
        {"substep_count", def->substep_count, 1, 16},
        {"tick_rate_hz", def->tick_rate_hz, 10, 128},
        {"substep_count", substep_rate, 60, 2047},
        {"gravity", def->gravity.x, -1000 * one, 1000 * one},
        {"gravity", def->gravity.y, -1000 * one, 1000 * one},
        {"contact_hertz", def->contact_hertz, one / 100, 1000 * one},
        {"contact_damping_ratio", def->contact_damping_ratio, 0, 1000 * one},
        {"contact_push_speed", def->contact_push_speed, 0, 500 * one},
        {"restitution_threshold", def->restitution_threshold, 0, 500 * one},
        {"joint_hertz", def->joint_hertz, one / 100, 1000 * one},
        {"joint_damping_ratio", def->joint_damping_ratio, 0, 1000 * one},
        {"slop", def->slop, 0, one / 2},
        {"speculative_distance", def->speculative_distance, 0, one / 2},
        {"sleep_speed", def->sleep_speed, 0, 500 * one},
        {"sleep_time", def->sleep_time, 0, 500 * one},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
        if (bounds[i].value < bounds[i].min || bounds[i].value > bounds[i].max) {
            if (field) {
                *field = bounds[i].name;
            }
            return ISO_ERR_RANGE;
        }
    }
    bool has_ended = false;
    for (uint32_t i = 0; i <= ISO_GAME_NAME_MAX; ++i) {
        const char c = def->game[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        if (has_ended ? c != 0 : (c != 0 && !is_letter)) {
            if (field) {
                *field = "game";
            }
            return ISO_ERR_RANGE;
        }
        has_ended = has_ended || c == 0;
    }
    if (!has_ended && field) {
        *field = "game";
    }
    return has_ended ? ISO_OK : ISO_ERR_RANGE;
}

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
    TAKE(to, world->contacts, def->contact_capacity);
    TAKE(to, world->body_generations, def->body_capacity);
    TAKE(to, world->shape_generations, def->shape_capacity);
    TAKE(to, world->joint_generations, def->joint_capacity);
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
    TAKE(to, world->custom_of, def->joint_capacity);
    world_lay_out_map(&world->body_map, to, def->body_capacity);
    world_lay_out_map(&world->shape_map, to, def->shape_capacity);
    world_lay_out_map(&world->joint_map, to, def->joint_capacity);
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
        [ISO_SECTION_GENERATIONS] = def->body_capacity + def->shape_capacity + def->joint_capacity,
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
    TAKE(to, world->woken, (def->body_capacity + 63) / 64);
    TAKE(to, world->displaced, (def->body_capacity + 63) / 64);
    TAKE(to, world->events.contact_begins, def->event_capacity);
    TAKE(to, world->events.contact_ends, def->event_capacity);
    TAKE(to, world->events.joint_breaks, def->event_capacity);
    TAKE(to, world->events.sleeps, def->event_capacity);
    TAKE(to, world->events.wakes, def->event_capacity);
    TAKE(to, world->events.left_world, def->event_capacity);
    TAKE(to, world->events.removals, ISO_REMOVALS_PER_TICK);
    TAKE(to, world->islands, def->body_capacity);
    TAKE(to, world->results, ISO_TICK_COMMANDS_MAX);
}

static void world_lay_out_broad_phase(iso__broad_phase *phase, layout *to, const iso_world_def *def) {
    phase->tree.capacity = 2 * def->shape_capacity;
    phase->pair_capacity = iso__broad_phase_pair_capacity(def);
    TAKE(to, phase->tree.nodes, phase->tree.capacity);
    TAKE(to, phase->proxies, def->shape_capacity);
    TAKE(to, phase->boxes, def->shape_capacity);
    TAKE(to, phase->dirty, def->shape_capacity);
    TAKE(to, phase->pairs, phase->pair_capacity);
    TAKE(to, phase->found, phase->pair_capacity);
}

static void world_lay_out_scratch(iso__step_scratch *scratch, layout *to, const iso_world_def *def) {
    const uint32_t bodies = def->body_capacity + 1; // and the world itself
    TAKE(to, scratch->motions, bodies);
    TAKE(to, scratch->drifts, bodies);
    TAKE(to, scratch->pushes, bodies);
    TAKE(to, scratch->moving, bodies);
    TAKE(to, scratch->moving_bits, (bodies + 63) / 64);
    TAKE(to, scratch->roused, (bodies + 63) / 64);
    TAKE(to, scratch->colour_masks, bodies);
    TAKE(to, scratch->rotations, bodies);
    TAKE(to, scratch->has_joint, bodies);
    TAKE(to, scratch->contacts_next, def->contact_capacity);
    TAKE(to, scratch->solved, def->contact_capacity);
    TAKE(to, scratch->manifolds, def->contact_capacity);
    TAKE(to, scratch->contact_colours, def->contact_capacity);
    TAKE(to, scratch->groups, def->contact_capacity / ISO__LANES + ISO__COLOUR_COUNT + 1);
    TAKE(to, scratch->quiet_pairs, 2 * (size_t)def->joint_capacity);
    TAKE(to, scratch->joints, def->joint_capacity);
    TAKE(to, scratch->axes, ISO__JOINT_AXES * (size_t)def->joint_capacity);
    TAKE(to, scratch->joint_works, def->joint_capacity);
    TAKE(to, scratch->plain_pairs, def->joint_capacity);
    TAKE(to, scratch->plain_rows, def->joint_capacity);
    TAKE(to, scratch->plain_joints, def->joint_capacity);
    TAKE(to, scratch->joint_order, def->joint_capacity);
    TAKE(to, scratch->customs, def->custom_joint_capacity);
}

/// Sets all pointers of *world; with a NULL base only the size is meant.
static size_t world_lay_out(iso_world *world, layout to, const iso_world_def *def, const iso_game *game) {
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

static bool world_game_fits(const iso_world_def *def, const iso_game *game) {
    if (!game) {
        return def->game[0] == 0;
    }
    uint32_t i = 0;
    while (i < ISO_GAME_NAME_MAX && def->game[i] != 0 && def->game[i] == game->name[i]) {
        ++i;
    }
    return def->game[i] == game->name[i];
}

size_t iso_world_size(const iso_world_def *def, const iso_game *game) {
    if (iso_world_def_check(def, NULL) != ISO_OK) {
        return 0;
    }
    iso_world measured = {0};
    return world_lay_out(&measured, (layout){NULL, 0}, def, game);
}

iso_status iso_world_create(const iso_world_def *def, const iso_game *game, void *memory, size_t size, iso_world **world) {
    const iso_status status = iso_world_def_check(def, NULL);
    if (status != ISO_OK) {
        return status;
    }
    if (!world_game_fits(def, game)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (game != NULL && iso_game_check(game, NULL, 0) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    const size_t needed = iso_world_size(def, game);
    if (memory == NULL || size < needed || ((uintptr_t)memory & 63u) != 0) {
        return ISO_ERR_BUFFER;
    }
    memset(memory, 0, needed);
    iso_world *made = memory;
    world_lay_out(made, (layout){memory, 0}, def, game);
    made->def = *def;
    made->game = game;
    made->block_size = needed;
    iso__step_params_make(&made->def, &made->scratch->params);
    made->globals->gravity[0] = def->gravity.x;
    made->globals->gravity[1] = def->gravity.y;
    iso__random_seed(made->globals->random, def->seed);
    for (uint32_t i = 0; i < def->body_capacity; ++i) {
        made->body_derived[i].first_shape = UINT32_MAX;
    }
    iso__slot_map_rebuild(&made->body_map, made->body_generations, 0);
    iso__slot_map_rebuild(&made->shape_map, made->shape_generations, 0);
    iso__slot_map_rebuild(&made->joint_map, made->joint_generations, 0);
    iso_world_drop_caches(made);
    *world = made;
    return ISO_OK;
}

void iso_world_start(iso_world *world) {
    if (world->game && world->game->start) {
        world->game->start(world, world->game_state);
    }
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    iso__mark_section_dirty(world, ISO_SECTION_GAME);
}

// ---- derived data and caches ---------------------------------------------------------------------

static void world_link_shapes(iso_world *world) {
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        world->body_derived[i] = (iso__body_derived){.first_shape = UINT32_MAX};
    }
    for (uint32_t i = world->globals->shape_count; i > 0; --i) {
        const iso__shape *shape = &world->shapes[i - 1];
        if (shape->kind != 0) {
            world->shape_derived[i - 1].next_shape = world->body_derived[shape->body].first_shape;
            world->body_derived[shape->body].first_shape = i - 1;
        }
    }
}

iso_status iso__world_derive(iso_world *world) {
    world_link_shapes(world);
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (world->bodies[i].type == 0) {
            continue;
        }
        const iso_status status = iso__body_update_mass(world, i, false);
        if (status != ISO_OK) {
            return status;
        }
        iso__body_update_rotation(world, i);
    }
    iso_world_drop_caches(world);
    return ISO_OK;
}

void iso_world_drop_caches(iso_world *world) {
    iso__broad_phase_clear(world);
    world->scratch->quiet_is_valid = false;
    world->wakes_islands = true;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
}

// ---- questions -----------------------------------------------------------------------------------

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

iso_vec2 iso_world_get_gravity(const iso_world *world) {
    return (iso_vec2){world->globals->gravity[0], world->globals->gravity[1]};
}

iso_status iso_world_set_gravity(iso_world *world, iso_vec2 gravity) {
    if (iso__abs_u32(gravity.x) > 1000 * (uint32_t)ISO_FIX16_ONE || iso__abs_u32(gravity.y) > 1000 * (uint32_t)ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    if (gravity.x == world->globals->gravity[0] && gravity.y == world->globals->gravity[1]) {
        return ISO_OK;
    }
    world->globals->gravity[0] = gravity.x;
    world->globals->gravity[1] = gravity.y;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (world->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__body_wake(world, i);
        }
    }
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    return ISO_OK;
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
