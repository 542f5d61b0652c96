/// See image.h.
#include "space/snapshot/image.h"

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

uint32_t iso__space_image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts) {
    const iso__space *space = iso__space_of_const(world);
    parts[IMAGE_BODIES] = (iso__image_part){space->bodies, counts->body_count * sizeof(iso__space_body)};
    parts[IMAGE_BODY_DERIVED] =
        (iso__image_part){space->body_derived, counts->body_count * sizeof(iso__space_body_derived)};
    parts[IMAGE_SHAPES] = (iso__image_part){space->shapes, counts->shape_count * sizeof(iso__space_shape)};
    parts[IMAGE_SHAPE_DERIVED] =
        (iso__image_part){space->shape_derived, counts->shape_count * sizeof(iso__space_shape_derived)};
    parts[IMAGE_JOINTS] = (iso__image_part){space->joints, counts->joint_count * sizeof(iso__space_joint)};
    parts[IMAGE_PROGRAMS] = (iso__image_part){world->programs, counts->program_count * sizeof(iso_program)};
    parts[IMAGE_CUSTOM_JOINTS] =
        (iso__image_part){space->custom_joints, counts->custom_joint_count * sizeof(iso__space_custom_joint)};
    parts[IMAGE_CONTACTS] = (iso__image_part){space->contacts, counts->contact_count * sizeof(iso__space_contact)};
    parts[IMAGE_OWN_MASSES] =
        (iso__image_part){space->own_masses, counts->own_mass_count * sizeof(iso__space_own_mass)};
    parts[IMAGE_HEIGHTS] = (iso__image_part){space->heights, counts->height_count * sizeof(iso__space_height_field)};
    parts[IMAGE_HEIGHT_SAMPLES] =
        (iso__image_part){space->height_blocks, counts->height_block_count * sizeof(iso__space_height_block)};
    // The hashes of the shapes' shards: shapes rarely change and are the dearest to hash again.
    const iso__shard_cache *cache = &world->shards[ISO_SECTION_SHAPES];
    const uint32_t shards = (counts->shape_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    parts[IMAGE_SHAPE_HASHES] = (iso__image_part){cache->hashes, shards * sizeof(uint64_t)};
    parts[IMAGE_SHAPE_MARKS] = (iso__image_part){cache->dirty, (shards + 63u) / 64u * sizeof(uint64_t)};
    // Of the state: whether the next step has to look for sleeping bodies to wake.
    parts[IMAGE_WAKES] = (iso__image_part){(void *)&world->wakes_islands, sizeof world->wakes_islands};
    return IMAGE_COUNT;
}

/// Whether the hull that the world has of a shape is that of a shape of an image: it follows from the shape's vertices and
/// where the centre of its body is. Friction and the like do not matter.
static bool image_has_hull(const iso__space *space, const uint8_t *const *own, uint32_t shape) {
    const iso__space_shape *here = &space->shapes[shape];
    const uint8_t *bytes = own[IMAGE_SHAPES] + shape * sizeof(iso__space_shape);
    iso__space_shape there;
    int32_t centre[3];
    if (bytes[offsetof(iso__space_shape, kind)] != ISO_SHAPE3_HULL) {
        return true;
    }
    memcpy(&there, bytes, sizeof there);
    const size_t at = there.body * sizeof(iso__space_body_derived) + offsetof(iso__space_body_derived, local_centre);
    memcpy(centre, own[IMAGE_BODY_DERIVED] + at, sizeof centre);
    return here->kind == there.kind && here->body == there.body && here->vertex_count == there.vertex_count &&
           here->radius == there.radius && memcmp(here->vertices, there.vertices, sizeof there.vertices) == 0 &&
           memcmp(space->body_derived[here->body].local_centre, centre, sizeof centre) == 0;
}

void iso__space_image_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                                  const uint8_t *const *own, const uint8_t *shape_generations) {
    (void)parts;
    (void)shape_generations;
    iso__space *space = iso__space_of(world);
    for (uint32_t i = 0; i < next->shape_count; ++i) {
        if (i >= world->globals->shape_count || !image_has_hull(space, own, i)) {
            iso__bit_set(space->stale_hulls, i);
            space->has_stale_hulls = true;
        }
    }
    // The shapes' marks come with the image.
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF) {
            iso__mark_section_dirty(world, (iso_section)section);
        }
    }
}
