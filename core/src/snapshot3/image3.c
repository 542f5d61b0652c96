/// See image3.h.
#include "snapshot3/image3.h"

#include <string.h>

/// The parts, in their order.
enum {
    IMAGE_BODIES,
    IMAGE_BODY_DERIVED,
    IMAGE_SHAPES,
    IMAGE_SHAPE_DERIVED,
    IMAGE_JOINTS,
    IMAGE_CONTACTS,
    IMAGE_OWN_MASSES,
    IMAGE_HEIGHTS,
    IMAGE_HEIGHT_SAMPLES,
    IMAGE_PROGRAMS,
    IMAGE_CUSTOM_JOINTS,
    IMAGE_SHAPE_HASHES,
    IMAGE_SHAPE_MARKS,
    IMAGE_WAKES,
    IMAGE_COUNT
};

_Static_assert(IMAGE_COUNT <= ISO__IMAGE_OWN_PARTS, "an image takes fewer parts");

uint32_t iso__image3_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts) {
    const iso__space *space = iso__space_of_const(world);
    parts[IMAGE_BODIES] = (iso__image_part){space->bodies, counts->body_count * sizeof(iso__body3)};
    parts[IMAGE_BODY_DERIVED] = (iso__image_part){space->body_derived, counts->body_count * sizeof(iso__body3_derived)};
    parts[IMAGE_SHAPES] = (iso__image_part){space->shapes, counts->shape_count * sizeof(iso__shape3)};
    parts[IMAGE_SHAPE_DERIVED] =
        (iso__image_part){space->shape_derived, counts->shape_count * sizeof(iso__shape3_derived)};
    parts[IMAGE_JOINTS] = (iso__image_part){space->joints, counts->joint_count * sizeof(iso__joint3)};
    parts[IMAGE_PROGRAMS] = (iso__image_part){world->programs, counts->program_count * sizeof(iso_program)};
    parts[IMAGE_CUSTOM_JOINTS] =
        (iso__image_part){space->custom_joints, counts->custom_joint_count * sizeof(iso__custom_joint3)};
    parts[IMAGE_CONTACTS] = (iso__image_part){space->contacts, counts->contact_count * sizeof(iso__contact3)};
    parts[IMAGE_OWN_MASSES] = (iso__image_part){space->own_masses, counts->own_mass_count * sizeof(iso__own_mass3)};
    parts[IMAGE_HEIGHTS] = (iso__image_part){space->heights, counts->height_count * sizeof(iso__heights)};
    parts[IMAGE_HEIGHT_SAMPLES] =
        (iso__image_part){space->height_blocks, counts->height_block_count * sizeof(iso__height_block)};
    // The hashes of the shapes' shards: shapes rarely change and are the dearest to hash again.
    const iso__shard_cache *cache = &world->shards[ISO_SECTION_SHAPES];
    const uint32_t shards = (counts->shape_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    parts[IMAGE_SHAPE_HASHES] = (iso__image_part){cache->hashes, shards * sizeof(uint64_t)};
    parts[IMAGE_SHAPE_MARKS] = (iso__image_part){cache->dirty, (shards + 63u) / 64u * sizeof(uint64_t)};
    // Of the state: whether the next step has to look for sleeping bodies to wake.
    parts[IMAGE_WAKES] = (iso__image_part){(void *)&world->wakes_islands, sizeof world->wakes_islands};
    return IMAGE_COUNT;
}

void iso__image3_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                             const uint8_t *const *own, const uint8_t *shape_generations) {
    (void)shape_generations;
    // Hulls follow from shapes and where the centres of their bodies are.
    const iso__space *space = iso__space_of_const(world);
    bool is_same = next->shape_count == world->globals->shape_count && next->body_count == world->globals->body_count &&
                   memcmp(space->shapes, own[IMAGE_SHAPES], parts[IMAGE_SHAPES].size) == 0;
    for (uint32_t i = 0; i < next->body_count && is_same; ++i) {
        const size_t at = i * sizeof(iso__body3_derived) + offsetof(iso__body3_derived, local_centre);
        is_same = memcmp(space->body_derived[i].local_centre, own[IMAGE_BODY_DERIVED] + at,
                         sizeof space->body_derived[i].local_centre) == 0;
    }
    iso__space_of(world)->has_stale_hulls = space->has_stale_hulls || !is_same;
    // The shapes' marks come with the image.
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF) {
            iso__mark_section_dirty(world, (iso_section)section);
        }
    }
}
