/// Memory images: the used parts of the world's block, copied.
///
/// Only for the same process and build: an image holds structs as they are in memory, derived data included,
/// so that a restore computes nothing. It holds no pointer. Layout: image_head, then the parts in the order of
/// image_parts, each 8-aligned relative to the image's begin.
#include <string.h>

#include "base/hash.h"
#include "collide/broad_phase.h"
#include "dynamics/events.h"
#include "dynamics/sleep.h"
#include "joint/custom.h"
#include "state/restore.h"
#include "state/section.h"

#define IMAGE_MAGIC      UINT64_C(0x4547414D494F5349) // "ISOIMAGE" in a little-endian file
#define IMAGE_PARTS      16u

/// The numbers of those parts that a restore compares before it copies.
enum { IMAGE_BODIES = 2, IMAGE_BODY_DERIVED = 3, IMAGE_SHAPES = 4, IMAGE_SHAPE_GENERATIONS = 9 };

/// The counts come first, for they say how long the parts are.
typedef struct image_head {
    uint64_t magic;
    uint64_t def;   // hash of the definition: capacities, game
    uint64_t size;  // of the whole image
    uint32_t body_count;
    uint32_t shape_count;
    uint32_t joint_count;
    uint32_t contact_count;
    uint32_t program_count;
    uint32_t custom_joint_count;
} image_head;

typedef struct image_part {
    void *memory;
    size_t size;
} image_part;

static size_t image_align(size_t size) {
    return (size + 7u) & ~(size_t)7u;
}

static image_head image_make_head(const iso_world *world) {
    const iso__globals *globals = world->globals;
    return (image_head){IMAGE_MAGIC, 0, 0, globals->body_count, globals->shape_count, globals->joint_count, globals->contact_count,
                        globals->program_count, globals->custom_joint_count};
}

/// Lists what an image with these counts consists of.
static void image_list_parts(const iso_world *world, const image_head *head, image_part parts[IMAGE_PARTS]) {
    uint32_t n = 0;
    parts[n++] = (image_part){world->globals, sizeof(iso__globals)};
    parts[n++] = (image_part){world->slots, world->def.slot_capacity * sizeof(iso__slot)};
    parts[n++] = (image_part){world->bodies, head->body_count * sizeof(iso__body)};
    parts[n++] = (image_part){world->body_derived, head->body_count * sizeof(iso__body_derived)};
    parts[n++] = (image_part){world->shapes, head->shape_count * sizeof(iso__shape)};
    parts[n++] = (image_part){world->shape_derived, head->shape_count * sizeof(iso__shape_derived)};
    parts[n++] = (image_part){world->joints, head->joint_count * sizeof(iso__joint)};
    parts[n++] = (image_part){world->contacts, head->contact_count * sizeof(iso__contact)};
    parts[n++] = (image_part){world->body_generations, head->body_count * sizeof(uint32_t)};
    parts[n++] = (image_part){world->shape_generations, head->shape_count * sizeof(uint32_t)};
    parts[n++] = (image_part){world->joint_generations, head->joint_count * sizeof(uint32_t)};
    parts[n++] = (image_part){world->game_state, world->game != NULL ? world->game->state_size : 0};
    parts[n++] = (image_part){world->programs, head->program_count * sizeof(iso_program)};
    parts[n++] = (image_part){world->custom_joints, head->custom_joint_count * sizeof(iso__custom_joint)};
    // The hashes of the shapes' shards: shapes rarely change and are the dearest to hash again.
    const iso__shard_cache *cache = &world->shards[ISO_SECTION_SHAPES];
    const uint32_t shards = (head->shape_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    parts[n++] = (image_part){cache->hashes, shards * sizeof(uint64_t)};
    parts[n++] = (image_part){cache->dirty, (shards + 63u) / 64u * sizeof(uint64_t)};
    ISO_ASSERT(n == IMAGE_PARTS);
}

static size_t image_size(const iso_world *world, const image_head *head) {
    image_part parts[IMAGE_PARTS];
    image_list_parts(world, head, parts);
    size_t size = sizeof(image_head);
    for (uint32_t i = 0; i < IMAGE_PARTS; ++i) {
        size += image_align(parts[i].size);
    }
    return size;
}

static uint64_t image_hash_def(const iso_world *world) {
    uint32_t field_count;
    const iso_field *fields = iso__section_core_fields(ISO_SECTION_DEF, &field_count);
    uint8_t bytes[ISO__CANONICAL_SIZE_MAX];
    return iso__hash(bytes, iso__record_encode(ISO_SECTION_DEF, fields, field_count, &world->def, bytes));
}

size_t iso_world_image_size(const iso_world *world) {
    const image_head head = image_make_head(world);
    return image_size(world, &head);
}

size_t iso_world_image_size_max(const iso_world *world) {
    const image_head head = {.body_count = world->def.body_capacity,
                             .shape_count = world->def.shape_capacity,
                             .joint_count = world->def.joint_capacity,
                             .contact_count = world->def.contact_capacity,
                             .program_count = world->def.program_capacity,
                             .custom_joint_count = world->def.custom_joint_capacity};
    return image_size(world, &head);
}

size_t iso_world_save(const iso_world *world, void *image, size_t capacity) {
    image_head head = image_make_head(world);
    const size_t size = image_size(world, &head);
    if (capacity < size) {
        return 0;
    }
    head.def = image_hash_def(world);
    head.size = size;
    memcpy(image, &head, sizeof head);
    image_part parts[IMAGE_PARTS];
    image_list_parts(world, &head, parts);
    uint8_t *to = (uint8_t *)image + sizeof head;
    for (uint32_t i = 0; i < IMAGE_PARTS; ++i) {
        if (parts[i].size > 0) {
            memcpy(to, parts[i].memory, parts[i].size);
        }
        to += image_align(parts[i].size);
    }
    return size;
}

static iso_status image_check(const iso_world *world, const void *image, size_t size, image_head *head) {
    if (size < sizeof *head) {
        return ISO_ERR_TRUNCATED;
    }
    memcpy(head, image, sizeof *head);
    if (head->magic != IMAGE_MAGIC || head->def != image_hash_def(world) || head->body_count > world->def.body_capacity ||
        head->shape_count > world->def.shape_capacity || head->joint_count > world->def.joint_capacity ||
        head->contact_count > world->def.contact_capacity || head->program_count > world->def.program_capacity ||
        head->custom_joint_count > world->def.custom_joint_capacity || head->size != image_size(world, head)) {
        return ISO_ERR_SCHEMA;
    }
    return size < head->size ? ISO_ERR_TRUNCATED : ISO_OK;
}

void iso__world_clear_forces(iso_world *world) {
    for (uint32_t w = 0; w < (world->def.body_capacity + 63u) / 64u; ++w) {
        for (uint64_t bits = world->forced[w]; bits != 0; bits &= bits - 1) {
            world->forces[w * 64u + (uint32_t)__builtin_ctzll(bits)] = (iso__body_force){0};
        }
        world->forced[w] = 0;
        world->move_bits[w] = 0;
    }
}

void iso__world_clear_beyond(iso_world *world, const iso__globals *next) {
    const iso__globals *globals = world->globals;
    for (uint32_t i = next->body_count; i < globals->body_count; ++i) {
        world->bodies[i] = (iso__body){0};
        world->body_generations[i] = 0;
    }
    for (uint32_t i = next->shape_count; i < globals->shape_count; ++i) {
        world->shapes[i] = (iso__shape){0};
        world->shape_generations[i] = 0;
    }
    for (uint32_t i = next->joint_count; i < globals->joint_count; ++i) {
        world->joints[i] = (iso__joint){0};
        world->joint_generations[i] = 0;
    }
    for (uint32_t i = next->program_count; i < globals->program_count; ++i) {
        world->programs[i] = (iso_program){0};
    }
    for (uint32_t i = next->custom_joint_count; i < globals->custom_joint_count; ++i) {
        world->custom_joints[i] = (iso__custom_joint){0};
    }
}

void iso__world_rebuild_maps(iso_world *world) {
    iso__slot_map_rebuild(&world->body_map, world->body_generations, world->globals->body_count);
    iso__slot_map_rebuild(&world->shape_map, world->shape_generations, world->globals->shape_count);
    iso__slot_map_rebuild(&world->joint_map, world->joint_generations, world->globals->joint_count);
    iso__custom_rebuild_map(world);
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        iso__body_refresh_awake(world, i); // beyond the used slots all records are zero
    }
    world->wakes_islands = true;
    world->result_count = 0;
    iso__events_clear(world);
}

static void image_find_parts(const void *image, const image_part parts[IMAGE_PARTS], const uint8_t *from[IMAGE_PARTS]) {
    from[0] = (const uint8_t *)image + sizeof(image_head);
    for (uint32_t i = 1; i < IMAGE_PARTS; ++i) {
        from[i] = from[i - 1] + image_align(parts[i - 1].size);
    }
}

static bool image_body_differs(const iso_world *world, const uint8_t *const from[IMAGE_PARTS], uint32_t i) {
    return memcmp(&world->bodies[i], from[IMAGE_BODIES] + i * sizeof(iso__body), sizeof(iso__body)) != 0 ||
           memcmp(&world->body_derived[i], from[IMAGE_BODY_DERIVED] + i * sizeof(iso__body_derived), sizeof(iso__body_derived)) != 0;
}

static bool image_shape_differs(const iso_world *world, const uint8_t *const from[IMAGE_PARTS], uint32_t i) {
    return memcmp(&world->shapes[i], from[IMAGE_SHAPES] + i * sizeof(iso__shape), sizeof(iso__shape)) != 0 ||
           memcmp(&world->shape_generations[i], from[IMAGE_SHAPE_GENERATIONS] + i * sizeof(uint32_t), sizeof(uint32_t)) != 0;
}

/// Boxes, leaves and pairs stay where image and world agree: a box is a function of pose and shape, a pair one of shapes
/// and their bodies' types. So going back a few ticks costs what has moved. What differs is forgotten here, while the
/// world still has its own state.
static void image_keep_caches(iso_world *world, const image_head *head, const uint8_t *const from[IMAGE_PARTS]) {
    const iso__globals *globals = world->globals;
    for (uint32_t i = 0; i < globals->body_count || i < head->body_count; ++i) {
        const bool is_both = i < globals->body_count && i < head->body_count;
        if (is_both && !image_body_differs(world, from, i)) {
            continue;
        }
        iso__bit_set(world->displaced, i);
        iso__mark_dirty(world, ISO_SECTION_BODIES, i);
        const uint8_t type = is_both ? from[IMAGE_BODIES][i * sizeof(iso__body) + offsetof(iso__body, type)] : 0;
        if (i < globals->body_count && type != world->bodies[i].type) {
            for (uint32_t s = world->body_derived[i].first_shape; s != UINT32_MAX; s = world->shape_derived[s].next_shape) {
                iso__broad_phase_remove(world, s);
            }
        }
    }
    for (uint32_t i = 0; i < globals->shape_count || i < head->shape_count; ++i) {
        if (i >= globals->shape_count || i >= head->shape_count || image_shape_differs(world, from, i)) {
            iso__broad_phase_remove(world, i);
            if (i < head->shape_count) {
                uint32_t body;
                memcpy(&body, from[IMAGE_SHAPES] + i * sizeof(iso__shape) + offsetof(iso__shape, body), sizeof body);
                iso__bit_set(world->displaced, body); // 0 in a dead record, which does no harm
            }
        }
    }
    // Of a section that has become shorter or longer the last shard differs.
    iso__mark_dirty(world, ISO_SECTION_BODIES, head->body_count > 0 ? head->body_count - 1 : 0);
}

iso_status iso_world_restore(iso_world *world, const void *image, size_t size) {
    image_head head;
    const iso_status status = image_check(world, image, size, &head);
    if (status != ISO_OK) {
        return status;
    }
    image_part parts[IMAGE_PARTS];
    const uint8_t *from[IMAGE_PARTS];
    image_list_parts(world, &head, parts);
    image_find_parts(image, parts, from);
    image_keep_caches(world, &head, from);
    iso__world_clear_forces(world);
    iso__globals next; // the first part
    memcpy(&next, from[0], sizeof next);
    iso__world_clear_beyond(world, &next);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF && section != ISO_SECTION_BODIES) {
            iso__mark_section_dirty(world, (iso_section)section); // the shapes' marks come with the image, the bodies' are made
        }
    }
    for (uint32_t i = 0; i < IMAGE_PARTS; ++i) {
        if (parts[i].size > 0) {
            memcpy(parts[i].memory, from[i], parts[i].size);
        }
    }
    iso__world_rebuild_maps(world);
    world->scratch->quiet_is_valid = false;
    return ISO_OK;
}
