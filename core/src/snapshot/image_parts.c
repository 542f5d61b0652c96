/// See image_parts.h.
#include "snapshot/image_parts.h"

#include <string.h>

#include "base/assert.h"

/// The parts, in their order.
enum {
    IMAGE_BODIES,
    IMAGE_BODY_DERIVED,
    IMAGE_SHAPES,
    IMAGE_SHAPE_DERIVED,
    IMAGE_JOINTS,
    IMAGE_CONTACTS,
    IMAGE_PROGRAMS,
    IMAGE_CUSTOM_JOINTS,
    IMAGE_COMPOUNDS,
    IMAGE_BLUEPRINTS,
    IMAGE_BLUEPRINT_BODIES,
    IMAGE_BLUEPRINT_SHAPES,
    IMAGE_BLUEPRINT_JOINTS,
    IMAGE_SHAPE_HASHES,
    IMAGE_SHAPE_MARKS,
    IMAGE_COUNT
};

_Static_assert(IMAGE_COUNT <= ISO__IMAGE_OWN_PARTS, "an image takes fewer parts");

uint32_t iso__image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts) {
    parts[IMAGE_BODIES] = (iso__image_part){world->bodies, counts->body_count * sizeof(iso__body)};
    parts[IMAGE_BODY_DERIVED] = (iso__image_part){world->body_derived, counts->body_count * sizeof(iso__body_derived)};
    parts[IMAGE_SHAPES] = (iso__image_part){world->shapes, counts->shape_count * sizeof(iso__shape)};
    parts[IMAGE_SHAPE_DERIVED] =
        (iso__image_part){world->shape_derived, counts->shape_count * sizeof(iso__shape_derived)};
    parts[IMAGE_JOINTS] = (iso__image_part){world->joints, counts->joint_count * sizeof(iso__joint)};
    parts[IMAGE_CONTACTS] = (iso__image_part){world->contacts, counts->contact_count * sizeof(iso__contact)};
    parts[IMAGE_PROGRAMS] = (iso__image_part){world->programs, counts->program_count * sizeof(iso_program)};
    parts[IMAGE_CUSTOM_JOINTS] =
        (iso__image_part){world->custom_joints, counts->custom_joint_count * sizeof(iso__custom_joint)};
    parts[IMAGE_COMPOUNDS] = (iso__image_part){world->compounds, counts->compound_count * sizeof(iso__compound)};
    parts[IMAGE_BLUEPRINTS] = (iso__image_part){world->blueprints, counts->blueprint_count * sizeof(iso__blueprint)};
    parts[IMAGE_BLUEPRINT_BODIES] =
        (iso__image_part){world->blueprint_bodies, counts->blueprint_body_count * sizeof(iso__body)};
    parts[IMAGE_BLUEPRINT_SHAPES] =
        (iso__image_part){world->blueprint_shapes, counts->blueprint_shape_count * sizeof(iso__shape)};
    parts[IMAGE_BLUEPRINT_JOINTS] =
        (iso__image_part){world->blueprint_joints, counts->blueprint_joint_count * sizeof(iso__blueprint_joint)};
    // The hashes of the shapes' shards: shapes rarely change and are the dearest to hash again.
    const iso__shard_cache *cache = &world->shards[ISO_SECTION_SHAPES];
    const uint32_t shards = (counts->shape_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    parts[IMAGE_SHAPE_HASHES] = (iso__image_part){cache->hashes, shards * sizeof(uint64_t)};
    parts[IMAGE_SHAPE_MARKS] = (iso__image_part){cache->dirty, (shards + 63u) / 64u * sizeof(uint64_t)};
    return IMAGE_COUNT;
}

static bool image_body_differs(const iso_world *world, const uint8_t *const *own, uint32_t i) {
    return memcmp(&world->bodies[i], own[IMAGE_BODIES] + i * sizeof(iso__body), sizeof(iso__body)) != 0 ||
           memcmp(&world->body_derived[i], own[IMAGE_BODY_DERIVED] + i * sizeof(iso__body_derived),
                  sizeof(iso__body_derived)) != 0;
}

static bool image_shape_differs(const iso_world *world, const uint8_t *const *own, const uint8_t *generations,
                                uint32_t i) {
    return memcmp(&world->shapes[i], own[IMAGE_SHAPES] + i * sizeof(iso__shape), sizeof(iso__shape)) != 0 ||
           memcmp(&world->shape_generations[i], generations + i * sizeof(uint32_t), sizeof(uint32_t)) != 0;
}

/// Boxes, leaves and pairs stay where image and world agree: a box is a function of pose and shape, a pair one of shapes
/// and their bodies' types. So the cost of a restore to a few ticks before depends on what has moved. Boxes and pairs
/// that differ are discarded here, while the world still has its own state.
void iso__image_keep_caches(iso_world *world, const iso__globals *next, const uint8_t *const *own,
                            const uint8_t *shape_generations) {
    const iso__globals *globals = world->globals;
    for (uint32_t i = 0; i < globals->body_count || i < next->body_count; ++i) {
        const bool is_both = i < globals->body_count && i < next->body_count;
        if (is_both && !image_body_differs(world, own, i)) {
            continue;
        }
        iso__bit_set(world->displaced, i);
        iso__mark_dirty(world, ISO_SECTION_BODIES, i);
        const uint8_t type = is_both ? own[IMAGE_BODIES][i * sizeof(iso__body) + offsetof(iso__body, type)] : 0;
        if (i < globals->body_count && type != world->bodies[i].type) {
            for (uint32_t s = world->body_derived[i].first_shape; s != UINT32_MAX;
                 s = world->shape_derived[s].next_shape) {
                iso__bit_set(world->reshaped, s);
            }
        }
    }
    for (uint32_t i = 0; i < globals->shape_count || i < next->shape_count; ++i) {
        if (i >= globals->shape_count || i >= next->shape_count ||
            image_shape_differs(world, own, shape_generations, i)) {
            iso__bit_set(world->reshaped, i);
            if (i < next->shape_count) {
                uint32_t body;
                memcpy(&body, own[IMAGE_SHAPES] + i * sizeof(iso__shape) + offsetof(iso__shape, body), sizeof body);
                iso__bit_set(world->displaced, body); // 0 in a dead record, which is harmless
            }
        }
    }
    // Of a section that has become shorter or longer the last shard differs.
    iso__mark_dirty(world, ISO_SECTION_BODIES, next->body_count > 0 ? next->body_count - 1 : 0);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF && section != ISO_SECTION_BODIES) {
            iso__mark_section_dirty(
                world, (iso_section)section); // the shapes' marks come with the image, the bodies' are made
        }
    }
}
