/// Shapes in space beyond the public interface.
#ifndef ISO_SPACE_WORLD_SHAPE_H
#define ISO_SPACE_WORLD_SHAPE_H

#include "space/world/space.h"

/// Bytes of a shape's canonical form before its vertices.
#define ISO__SPACE_SHAPE_FIXED_SIZE offsetof(iso__space_shape, vertices)

/// How many words of `vertices` a shape of this kind with so many points uses.
static inline uint32_t iso__space_shape_words(const iso__space_shape *shape) {
    switch (shape->kind) {
    case ISO_SHAPE3_BOX:
        return 10; // centre, half extents, quaternion
    case ISO_SHAPE3_PLANE:
        return 5; // normal, offset
    case ISO_SHAPE3_HEIGHTS:
        return 4; // middle, number
    default:
        return 3u * shape->vertex_count;
    }
}

/// See iso__kernel.
uint32_t iso__space_shape_next(const iso_world *world, uint32_t body, uint32_t index);

/// The offset of a plane [m] Q31.32, along its normal from the body's origin.
int64_t iso__space_shape_plane_offset(const iso__space_shape *shape);

/// Writes a checked definition into a zero record, and reads it back.
void iso__space_shape_write_record(iso__space_shape *record, uint32_t body, const iso_shape3_def *def);
void iso__space_shape_read_record(const iso__space_shape *record, iso_shape3_def *def);

/// iso_shape3_create of a definition that iso_shape3_def_check has accepted: the check of a hull makes the hull.
iso_status iso__space_shape_create(iso_world *world, iso_body_id body, const iso_shape3_def *def, iso_shape_id *shape);

/// The part of iso_shape3_def_check that is not about geometry: the numbers that every kind has.
iso_status iso__space_shape_check_values(const iso_shape3_def *def);

/// Frees a shape's slot; its body's list and mass are left to the caller.
void iso__space_shape_release(iso__space *space, uint32_t shape);

/// What the kernel's table has of shapes.
iso_status iso__space_shape_destroy(iso_world *world, uint32_t shape);
void iso__space_shape_set_filter(iso_world *world, uint32_t shape, iso_filter filter);
void iso__space_shape_set_tag(iso_world *world, uint32_t shape, uint32_t tag);
uint32_t iso__space_shape_body(const iso_world *world, uint32_t shape);
bool iso__space_shape_is_hull(const iso_world *world, uint32_t shape);
iso_owner iso__space_shape_owner(const iso_world *world, uint32_t shape);
void iso__space_shape_set_owner(iso_world *world, uint32_t shape, iso_owner owner);

/// Ground has no mass, so only static bodies may have it.
static inline bool iso__space_shape_is_ground(uint8_t kind) {
    return kind == ISO_SHAPE3_PLANE || kind == ISO_SHAPE3_HEIGHTS;
}

/// Whether one of a body's shapes is ground.
static inline bool iso__space_body_has_ground(const iso__space *space, uint32_t body) {
    bool has_ground = false;
    for (uint32_t i = space->body_derived[body].first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        has_ground = has_ground || iso__space_shape_is_ground(space->shapes[i].kind);
    }
    return has_ground;
}

#endif
