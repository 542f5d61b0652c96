/// Memory images: the used parts of the world's block, copied.
///
/// Only for the same process and build: an image holds structs as they are in memory, derived data included,
/// so that a restore computes nothing. It holds no pointer. Layout: image_head, then the parts that every world has,
/// then those of its kernel, each 8-aligned relative to the image's begin.
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "state/section.h"
#include "world/capacity.h"

#define IMAGE_MAGIC UINT64_C(0x4547414D494F5349) // "ISOIMAGE" in a little-endian file

/// The parts that every world has, in their order.
enum {
    IMAGE_GLOBALS,
    IMAGE_SLOTS,
    IMAGE_GAME,
    IMAGE_BODY_GENERATIONS,
    IMAGE_SHAPE_GENERATIONS,
    IMAGE_JOINT_GENERATIONS,
    IMAGE_COMPOUND_GENERATIONS,
    IMAGE_OWN
};

#define IMAGE_PARTS_MAX (IMAGE_OWN + ISO__IMAGE_OWN_PARTS)

/// The counts, which say how long the parts are, are those of the first part.
typedef struct image_head {
    uint64_t magic;
    uint64_t def;  // hash of the definition: capacities, game
    uint64_t size; // of the whole image
} image_head;

typedef struct image_list {
    iso__image_part parts[IMAGE_PARTS_MAX];
    uint32_t count;
    size_t size; // of an image of them
} image_list;

static size_t image_align(size_t size) {
    return (size + 7u) & ~(size_t)7u;
}

/// Lists the parts of an image with these counts.
static image_list image_list_parts(const iso_world *world, const iso__globals *counts) {
    image_list list = {.size = sizeof(image_head)};
    list.parts[IMAGE_GLOBALS] = (iso__image_part){world->globals, sizeof(iso__globals)};
    list.parts[IMAGE_SLOTS] = (iso__image_part){world->slots, world->def.slot_capacity * sizeof(iso__slot)};
    list.parts[IMAGE_GAME] = (iso__image_part){world->game_state, world->game != NULL ? world->game->state_size : 0};
    list.parts[IMAGE_BODY_GENERATIONS] =
        (iso__image_part){world->body_generations, counts->body_count * sizeof(uint32_t)};
    list.parts[IMAGE_SHAPE_GENERATIONS] =
        (iso__image_part){world->shape_generations, counts->shape_count * sizeof(uint32_t)};
    list.parts[IMAGE_JOINT_GENERATIONS] =
        (iso__image_part){world->joint_generations, counts->joint_count * sizeof(uint32_t)};
    list.parts[IMAGE_COMPOUND_GENERATIONS] =
        (iso__image_part){world->compound_generations, counts->compound_count * sizeof(uint32_t)};
    list.count = IMAGE_OWN + world->kernel->image_parts(world, counts, &list.parts[IMAGE_OWN]);
    ISO_ASSERT(list.count <= IMAGE_PARTS_MAX);
    for (uint32_t i = 0; i < list.count; ++i) {
        list.size += image_align(list.parts[i].size);
    }
    return list;
}

static uint64_t image_hash_def(const iso_world *world) {
    uint8_t bytes[ISO__CANONICAL_SIZE_MAX];
    return iso__hash(bytes, iso__def_encode(world, bytes));
}

size_t iso_world_image_size(const iso_world *world) {
    return image_list_parts(world, world->globals).size;
}

size_t iso_world_image_size_max(const iso_world *world) {
    const iso__globals counts = {.body_count = world->def.body_capacity,
                                 .shape_count = world->def.shape_capacity,
                                 .joint_count = world->def.joint_capacity,
                                 .contact_count = world->def.contact_capacity,
                                 .program_count = world->def.program_capacity,
                                 .custom_joint_count = world->def.custom_joint_capacity,
                                 .blueprint_body_count = iso__blueprint_capacity(&world->def),
                                 .blueprint_shape_count = iso__blueprint_capacity(&world->def),
                                 .blueprint_joint_count = iso__blueprint_capacity(&world->def),
                                 .blueprint_count = (uint16_t)iso__blueprint_capacity(&world->def),
                                 .compound_count = (uint16_t)iso__compound_capacity(&world->def),
                                 .height_count = iso__heights_capacity(&world->def),
                                 .height_block_count = iso__height_block_capacity(&world->def),
                                 .own_mass_count = iso__own_mass_capacity(&world->def)};
    return image_list_parts(world, &counts).size;
}

size_t iso_world_save(const iso_world *world, void *image, size_t capacity) {
    const image_list list = image_list_parts(world, world->globals);
    if (capacity < list.size) {
        return 0;
    }
    const image_head head = {IMAGE_MAGIC, image_hash_def(world), list.size};
    memcpy(image, &head, sizeof head);
    uint8_t *to = (uint8_t *)image + sizeof head;
    for (uint32_t i = 0; i < list.count; ++i) {
        if (list.parts[i].size > 0) {
            memcpy(to, list.parts[i].memory, list.parts[i].size);
        }
        to += image_align(list.parts[i].size);
    }
    return list.size;
}

/// Reads the counts of an image of such a world, and lists its parts.
static iso_status image_check(const iso_world *world, const void *image, size_t size, iso__globals *counts,
                              image_list *list) {
    image_head head;
    if (size < sizeof head) {
        return ISO_ERR_TRUNCATED;
    }
    memcpy(&head, image, sizeof head);
    if (head.magic != IMAGE_MAGIC || head.def != image_hash_def(world)) {
        return ISO_ERR_SCHEMA;
    }
    if (size < sizeof head + sizeof *counts) {
        return ISO_ERR_TRUNCATED;
    }
    memcpy(counts, (const uint8_t *)image + sizeof head, sizeof *counts);
    if (!iso__counts_fit(&world->def, counts)) {
        return ISO_ERR_SCHEMA;
    }
    *list = image_list_parts(world, counts);
    if (head.size != list->size) {
        return ISO_ERR_SCHEMA;
    }
    return size < head.size ? ISO_ERR_TRUNCATED : ISO_OK;
}

iso_status iso_world_restore(iso_world *world, const void *image, size_t size) {
    iso__globals next;
    image_list list;
    const iso_status status = image_check(world, image, size, &next, &list);
    if (status != ISO_OK) {
        return status;
    }
    const uint8_t *from[IMAGE_PARTS_MAX];
    from[0] = (const uint8_t *)image + sizeof(image_head);
    for (uint32_t i = 1; i < list.count; ++i) {
        from[i] = from[i - 1] + image_align(list.parts[i - 1].size);
    }
    world->kernel->keep_caches(world, &next, &list.parts[IMAGE_OWN], &from[IMAGE_OWN], from[IMAGE_SHAPE_GENERATIONS]);
    world->kernel->clear(world, &next);
    for (uint32_t i = 0; i < list.count; ++i) {
        if (list.parts[i].size > 0) {
            memcpy(list.parts[i].memory, from[i], list.parts[i].size);
        }
    }
    world->kernel->arrive(world);
    return ISO_OK;
}
