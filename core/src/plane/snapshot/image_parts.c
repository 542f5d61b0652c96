/// See image_parts.h.
#include "plane/snapshot/image_parts.h"

#include <string.h>

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/world/scratch.h"
#include "state/image_parts.h"
#include "step/pair.h"

/// Records that are copied as they are, in their order. X(part, records, count among the globals)
#define IMAGE_RECORD_LIST(X)                                            \
    X(BODIES, plane->bodies, body_count)                                \
    X(BODY_DERIVED, plane->body_derived, body_count)                    \
    X(SHAPES, plane->shapes, shape_count)                               \
    X(SHAPE_DERIVED, plane->shape_derived, shape_count)                 \
    X(JOINTS, plane->joints, joint_count)                               \
    X(CONTACTS, plane->contacts, contact_count)                         \
    X(PROGRAMS, world->programs, program_count)                         \
    X(CUSTOM_JOINTS, plane->custom_joints, custom_joint_count)          \
    X(COMPOUNDS, plane->compounds, compound_count)                      \
    X(BLUEPRINTS, plane->blueprints, blueprint_count)                   \
    X(BLUEPRINT_BODIES, plane->blueprint_bodies, blueprint_body_count)  \
    X(BLUEPRINT_SHAPES, plane->blueprint_shapes, blueprint_shape_count) \
    X(BLUEPRINT_JOINTS, plane->blueprint_joints, blueprint_joint_count)

/// The parts, in their order.
#define IMAGE_PART(part, records, count) IMAGE_##part,
enum { IMAGE_RECORD_LIST(IMAGE_PART) IMAGE_SHAPE_HASHES, IMAGE_SHAPE_MARKS, IMAGE_WAKES, IMAGE_COUNT };
#undef IMAGE_PART

_Static_assert(IMAGE_COUNT <= ISO__IMAGE_OWN_PARTS, "an image takes fewer parts");
_Static_assert(IMAGE_COUNT - IMAGE_SHAPE_HASHES == ISO__IMAGE_SHARED_PARTS, "what is shared comes last");

uint32_t iso__plane_image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts) {
    const iso__plane *plane = iso__plane_of_const(world);
#define IMAGE_PART(part, records, count) \
    parts[IMAGE_##part] = (iso__image_part){(records), counts->count * sizeof *(records)};
    IMAGE_RECORD_LIST(IMAGE_PART)
#undef IMAGE_PART
    iso__image_parts_shared(world, counts, &parts[IMAGE_SHAPE_HASHES]);
    return IMAGE_COUNT;
}

/// Another state that is about to come from an image: its counts, and where its parts stand, which may not be aligned.
typedef struct image_state {
    const iso__globals *counts;
    const uint8_t *const *own;
    const uint8_t *shape_generations;
} image_state;

/// The shapes of a body count as others when its mass or its type may be another: pairs depend on the one, manifolds on
/// where the centre of mass is.
static void image_reshape_body(iso__plane *plane, uint32_t body) {
    if (body >= plane->world.globals->body_count) {
        return;
    }
    iso__bit_set(plane->world.displaced, body); // they get new leaves
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        iso__bit_set(plane->reshaped, i);
    }
}

static bool image_shape_differs(const iso__plane *plane, const image_state *image, uint32_t i) {
    return memcmp(&plane->shapes[i], image->own[IMAGE_SHAPES] + i * sizeof(iso__plane_shape),
                  sizeof(iso__plane_shape)) != 0 ||
           memcmp(&plane->world.shape_generations[i], image->shape_generations + i * sizeof(uint32_t),
                  sizeof(uint32_t)) != 0;
}

/// Marks the shapes that differ, all others of their bodies, and these bodies. @return whether any does
static bool image_compare_shapes(iso__plane *plane, const image_state *image) {
    const uint32_t before = plane->world.globals->shape_count, after = image->counts->shape_count;
    if (before == after && memcmp(plane->shapes, image->own[IMAGE_SHAPES], after * sizeof(iso__plane_shape)) == 0 &&
        memcmp(plane->world.shape_generations, image->shape_generations, after * sizeof(uint32_t)) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < before || i < after; ++i) {
        if (i < before && i < after && !image_shape_differs(plane, image, i)) {
            continue;
        }
        iso__bit_set(plane->reshaped, i);
        if (i < before && plane->shapes[i].kind != 0) {
            image_reshape_body(plane, plane->shapes[i].body);
        }
        if (i < after) {
            uint32_t body;
            memcpy(&body, image->own[IMAGE_SHAPES] + i * sizeof(iso__plane_shape) + offsetof(iso__plane_shape, body),
                   sizeof body);
            iso__bit_set(plane->world.displaced, body); // 0 in a dead record, which is harmless
            image_reshape_body(plane, body);
        }
    }
    return true;
}

/// Marks the bodies that differ. @return whether derived data may differ that is not of a pose
static bool image_compare_bodies(iso__plane *plane, const image_state *image) {
    const uint32_t before = plane->world.globals->body_count, after = image->counts->body_count;
    bool has_other_mass = before != after;
    for (uint32_t i = 0; i < before || i < after; ++i) {
        const iso__plane_body *body = &plane->bodies[i];
        const uint8_t *bytes = image->own[IMAGE_BODIES] + i * sizeof *body;
        const bool is_both = i < before && i < after;
        if (is_both && memcmp(body, bytes, sizeof *body) == 0) {
            continue;
        }
        iso__bit_set(plane->world.displaced, i);
        iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, i);
        iso__plane_body other = {0};
        if (i < after) {
            memcpy(&other, bytes, sizeof other);
        }
        if (body->type != other.type || body->mass != other.mass || body->inertia != other.inertia ||
            ((body->flags ^ other.flags) & ISO__PLANE_BODY_FIXED_ROTATION) != 0) {
            has_other_mass = true;
            image_reshape_body(plane, i);
        }
    }
    // Of a section that has become shorter or longer the last shard differs.
    iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, after > 0 ? after - 1 : 0);
    return has_other_mass;
}

#define IMAGE_BODIES_OFFSET offsetof(iso__plane_joint, body_a) // of a joint, A to D
#define IMAGE_BODIES_SIZE   (4 * sizeof(uint32_t))

_Static_assert(offsetof(iso__plane_joint, body_d) - IMAGE_BODIES_OFFSET == IMAGE_BODIES_SIZE - sizeof(uint32_t),
               "the bodies");

/// Whether the joints that keep bodies from colliding may be others: their kinds, switches or bodies.
static bool image_joints_differ(const iso__plane *plane, const image_state *image) {
    const uint32_t count = plane->world.globals->joint_count;
    bool differs = count != image->counts->joint_count;
    for (uint32_t i = 0; i < count && !differs; ++i) {
        const uint8_t *joint = (const uint8_t *)&plane->joints[i];
        const uint8_t *other = image->own[IMAGE_JOINTS] + i * sizeof(iso__plane_joint);
        differs = memcmp(joint + IMAGE_BODIES_OFFSET, other + IMAGE_BODIES_OFFSET, IMAGE_BODIES_SIZE) != 0 ||
                  joint[offsetof(iso__plane_joint, kind)] != other[offsetof(iso__plane_joint, kind)] ||
                  joint[offsetof(iso__plane_joint, flags)] != other[offsetof(iso__plane_joint, flags)];
    }
    return differs;
}

/// The key of a contact whose shapes are the same in both states.
static iso__pair image_contact_key(const iso__plane *plane, const iso__plane_contact *contact) {
    const uint64_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
    return (iso__pair){a << 32 | b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

static bool image_is_reshaped(const iso__plane *plane, const iso__plane_contact *contact) {
    return iso__bit_is_set(plane->reshaped, contact->shape_a) || iso__bit_is_set(plane->reshaped, contact->shape_b);
}

/// The first of the world's contacts from `at` on that does not come before one of the image. Both lists are in the
/// order of their keys, in which shapes that are the same stand alike.
static uint32_t image_pass_contacts(const iso__plane *plane, uint32_t at, const iso__plane_contact *other) {
    const iso__pair end = image_contact_key(plane, other);
    for (; at < plane->world.globals->contact_count; ++at) {
        if (!image_is_reshaped(plane, &plane->contacts[at])) {
            const iso__pair key = image_contact_key(plane, &plane->contacts[at]);
            if (!iso__pair_is_less(&key, &end)) {
                break;
            }
        }
    }
    return at;
}

#define IMAGE_KEY_SIZE    (2 * sizeof(uint32_t)) // both shapes, at the begin of a contact
#define IMAGE_POSE_OFFSET offsetof(iso__plane_contact, pose_offset)
#define IMAGE_POSE_SIZE   (4 * sizeof(uint32_t)) // offset and angles

_Static_assert(offsetof(iso__plane_contact, shape_a) == 0 && offsetof(iso__plane_contact, shape_b) == sizeof(uint32_t),
               "a key");
_Static_assert(offsetof(iso__plane_contact, pose_angle) - IMAGE_POSE_OFFSET == IMAGE_POSE_SIZE / 2, "a pose");

/// A manifold follows from shapes and pose, so what is known of a contact is known of that of the image with the same
/// shapes and pose. Most contacts are in both lists, mostly side by side.
static void image_keep_manifolds(iso__plane *plane, const image_state *image) {
    uint32_t *numbers = plane->scratch->contact_manifolds_next;
    const uint32_t before = plane->world.globals->contact_count, after = image->counts->contact_count;
    const uint8_t *bytes = image->own[IMAGE_CONTACTS];
    uint64_t reshaped = 0;
    for (uint32_t w = 0; w < (plane->world.def.shape_capacity + 63u) / 64u; ++w) {
        reshaped |= plane->reshaped[w];
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < after; ++i, bytes += sizeof(iso__plane_contact)) {
        numbers[i] = 0;
        if (at == before || memcmp(bytes, &plane->contacts[at], IMAGE_KEY_SIZE) != 0) {
            iso__plane_contact other;
            memcpy(&other, bytes, sizeof other);
            at = image_is_reshaped(plane, &other) ? at : image_pass_contacts(plane, at, &other);
            if (at == before || memcmp(bytes, &plane->contacts[at], IMAGE_KEY_SIZE) != 0) {
                continue;
            }
        }
        const iso__plane_contact *contact = &plane->contacts[at];
        const uint32_t number = plane->contact_manifolds[at++];
        if (memcmp(bytes + IMAGE_POSE_OFFSET, (const uint8_t *)contact + IMAGE_POSE_OFFSET, IMAGE_POSE_SIZE) == 0 &&
            bytes[offsetof(iso__plane_contact, point_count)] == contact->point_count &&
            (reshaped == 0 || !image_is_reshaped(plane, contact))) {
            numbers[i] = number;
        }
    }
    plane->scratch->contact_manifolds_next = plane->contact_manifolds;
    plane->contact_manifolds = numbers;
}

/// Boxes, leaves and pairs stay where image and world agree: a box is a function of pose and shape, a pair one of
/// shapes and their bodies' types. So does what derives from shapes, and what is known of contacts and joints. So the
/// cost of a restore to a few ticks before depends on what has moved. What differs is discarded here, while the world
/// still has its own state.
void iso__plane_image_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                                  const uint8_t *const *own, const uint8_t *shape_generations) {
    iso__plane *plane = iso__plane_of(world);
    const image_state image = {next, own, shape_generations};
    const bool has_other_shape = image_compare_shapes(plane, &image);
    const bool has_other_mass = image_compare_bodies(plane, &image);
    if (!has_other_shape && !has_other_mass) {
        parts[IMAGE_SHAPES].size = parts[IMAGE_SHAPE_DERIVED].size = 0;
    }
    image_keep_manifolds(plane, &image);
    world->has_changed_joints = world->has_changed_joints || image_joints_differ(plane, &image);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (section != ISO_SECTION_DEF && section != ISO_SECTION_BODIES) {
            iso__mark_section_dirty(
                world, (iso_section)section); // the shapes' marks come with the image, the bodies' are made
        }
    }
}
