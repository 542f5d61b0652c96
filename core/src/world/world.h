/// The world's memory: one block, three kinds of contents.
///
///   state    records.h; everything that the future depends on. Saved, hashed, sent.
///   derived  pure functions of the state's slower parts (mass from shapes, normals from vertices),
///            stored because they are expensive to compute. Saved in memory images, never hashed or sent.
///   cache    trees, pairs, colours, islands, hashes: may be discarded at any tick.
///
/// All pointers point into the block and are set by iso_world_create; none is ever saved.
#ifndef ISO_WORLD_WORLD_H
#define ISO_WORLD_WORLD_H

#include "base/assert.h"
#include "base/bits.h"
#include "base/slot_map.h"
#include "isostep/event.h"
#include "isostep/parallel.h"
#include "isostep/simd.h"
#include "isostep/snapshot.h"
#include "isostep/world.h"
#include "world/records.h"

#define ISO__SHARD_RECORDS 64u

/// Events of the last step; event.h says how they are ordered.
typedef struct iso__event_lists {
    iso_contact_event *contact_begins, *contact_ends;
    iso_joint_event *joint_breaks;
    iso_joint_sleep_event *joint_sleeps, *joint_wakes;
    iso_body_id *sleeps, *wakes, *left_world;
    iso_removal_event *removals;
    iso_emit_event *emits;
    uint32_t contact_begin_count, contact_end_count, joint_break_count, sleep_count, wake_count, left_world_count,
        removal_count, emit_count, joint_sleep_count, joint_wake_count;
    uint32_t crowded_slots; // a bit per slot that may spawn nothing in this step
} iso__event_lists;

/// The hashes of one section's shards, each valid while its bit in `dirty` is clear.
typedef struct iso__shard_cache {
    uint64_t *hashes;
    uint64_t *dirty; // a bit per shard
    uint32_t capacity;
} iso__shard_cache;

struct iso_world {
    const struct iso__kernel *kernel; // world/kernel.h
    iso_world_def def;
    const iso_game *game;
    size_t block_size;
    iso_simd simd; // how the step computes, not what

    // State.
    iso__globals *globals;
    iso__slot *slots;
    iso_program *programs;
    uint32_t *body_generations;
    uint32_t *shape_generations;
    uint32_t *joint_generations;
    uint32_t *compound_generations;
    uint8_t *game_state;

    // Cache.
    uint32_t *custom_of; // per joint of the kinds USER and SYMBOLIC: its record among custom_joints
    iso__slot_map body_map, shape_map, joint_map, compound_map;
    iso__shard_cache shards[ISO_SECTION_COUNT];
    uint64_t *forced;        // a bit per body that has a force; all clear between ticks
    uint64_t *awake;         // a bit per body that is kinematic, or dynamic and not asleep
    uint64_t *kinematic;     // a bit per body that is kinematic
    uint64_t *asleep;        // a bit per body that is asleep
    uint64_t *jointed;       // a bit per body that has a joint, or had one: of the others none need be looked for
    uint64_t *woken;         // a bit per body that woke since the step began
    uint64_t *slept;         // a bit per body that fell asleep since the step began
    uint64_t *was_awake;     // `awake` as it was when the step began
    uint64_t *fresh_joints;  // a bit per joint that was made, or given other bodies, since the step began
    uint64_t *displaced;     // a bit per body whose shapes' boxes are not those of its pose
    bool has_changed_joints; // since the pairs of bodies that joints keep from colliding were listed
    bool wakes_islands;      // a body may be awake while bodies that it is connected with sleep
    bool is_stepping;        // a game's functions run, and may emit
    iso__event_lists events;
    uint32_t asleep_count; // bits of `asleep`
    uint32_t *islands;     // per body, of the last step
    // Per body, while the limit of contact points is applied: step/contact_limit.c.
    uint32_t *foreign_points; // contact points with other members' bodies
    uint32_t *charged_points; // contact points that its owner answers for
    uint8_t *loser_slots;     // of the member that can lose it
    uint32_t island_count;
    iso_command_result *results;
    uint32_t result_count;

    iso_parallel parallel; // all zero: none
    iso_clock_fn *profile_clock;
    void *profile_user;
    iso_profile profile;
};

/// @name What has changed
/// @{

/// Marks a record as changed, so that its shard is hashed again.
static inline void iso__mark_dirty(iso_world *world, iso_section section, uint32_t index) {
    const uint32_t shard = index / ISO__SHARD_RECORDS;
    world->shards[section].dirty[shard / 64u] |= UINT64_C(1) << (shard % 64u);
}
void iso__mark_section_dirty(iso_world *world, iso_section section);
/// @}

/// Adds the time since *since to a stage when the caller profiles.
void iso__profile_stage(iso_world *world, uint64_t *since, uint64_t *stage);

static inline bool iso__body_is_alive(const iso_world *world, iso_body_id id) {
    return id.index < world->globals->body_count && id.generation == world->body_generations[id.index] &&
           iso__generation_is_alive(id.generation);
}

/// The handle of a body of a joint. Zero: the world
static inline iso_body_id iso__joint_body_id(const iso_world *world, uint32_t body) {
    return body == ISO__WORLD_BODY ? (iso_body_id){0, 0} : (iso_body_id){body, world->body_generations[body]};
}

static inline bool iso__shape_is_alive(const iso_world *world, iso_shape_id id) {
    return id.index < world->globals->shape_count && id.generation == world->shape_generations[id.index] &&
           iso__generation_is_alive(id.generation);
}

static inline bool iso__joint_is_alive(const iso_world *world, iso_joint_id id) {
    return id.index < world->globals->joint_count && id.generation == world->joint_generations[id.index] &&
           iso__generation_is_alive(id.generation);
}

static inline bool iso__compound_is_alive(const iso_world *world, iso_compound_id id) {
    return id.index < world->globals->compound_count && id.generation == world->compound_generations[id.index] &&
           iso__generation_is_alive(id.generation);
}

#endif
