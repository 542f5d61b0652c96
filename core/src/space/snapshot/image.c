/// See image.h.
#include "space/snapshot/image.h"

#include <string.h>

#include "space/world/contact.h"
#include "state/image_parts.h"

/// Records that are copied as they are, in their order. X(part, records, count among the globals)
#define IMAGE_RECORD_LIST(X)                                    \
    X(BODIES, space->bodies, body_count)                        \
    X(BODY_DERIVED, space->body_derived, body_count)            \
    X(SHAPES, space->shapes, shape_count)                       \
    X(SHAPE_DERIVED, space->shape_derived, shape_count)         \
    X(JOINTS, space->joints, joint_count)                       \
    X(CONTACTS, space->contacts, contact_count)                 \
    X(OWN_MASSES, space->own_masses, own_mass_count)            \
    X(HEIGHTS, space->heights, height_count)                    \
    X(HEIGHT_SAMPLES, space->height_blocks, height_block_count) \
    X(PROGRAMS, world->programs, program_count)                 \
    X(CUSTOM_JOINTS, space->custom_joints, custom_joint_count)

/// The parts, in their order.
#define IMAGE_PART(part, records, count) IMAGE_##part,
enum { IMAGE_RECORD_LIST(IMAGE_PART) IMAGE_SHAPE_HASHES, IMAGE_SHAPE_MARKS, IMAGE_WAKES, IMAGE_COUNT };
#undef IMAGE_PART

_Static_assert(IMAGE_COUNT <= ISO__IMAGE_OWN_PARTS, "an image takes fewer parts");
_Static_assert(IMAGE_COUNT - IMAGE_SHAPE_HASHES == ISO__IMAGE_SHARED_PARTS, "what is shared comes last");

uint32_t iso__space_image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts) {
    const iso__space *space = iso__space_of_const(world);
#define IMAGE_PART(part, records, count) \
    parts[IMAGE_##part] = (iso__image_part){(records), counts->count * sizeof *(records)};
    IMAGE_RECORD_LIST(IMAGE_PART)
#undef IMAGE_PART
    iso__image_parts_shared(world, counts, &parts[IMAGE_SHAPE_HASHES]);
    return IMAGE_COUNT;
}

/// Whether the hull that the world has of a shape is that of a shape of an image: it follows from the shape's vertices
/// and where the centre of its body is. Friction and the like do not matter.
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
    iso__space_manifolds_forget(space);
    // The shapes' marks come with the image.
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF) {
            iso__mark_section_dirty(world, (iso_section)section);
        }
    }
}
