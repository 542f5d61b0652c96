/// The plane's sections: tables of persisted fields, made from the lists of records.h.
#ifndef ISO_PLANE_WORLD_SECTIONS_H
#define ISO_PLANE_WORLD_SECTIONS_H

#include "plane/world/plane.h"
#include "world/kernel.h"

/// Bytes of a shape's canonical form before its vertices.
#define ISO__PLANE_SHAPE_FIXED_SIZE offsetof(iso__plane_shape, vertices)

extern const iso__section_table iso__plane_sections[ISO_SECTION_COUNT];

/// See iso__kernel.
const void *iso__plane_records(const iso_world *world, iso_section section);
uint32_t iso__plane_used_count(iso_section section, const void *record, const iso_field *field);
size_t iso__plane_gather(const iso_world *world, uint32_t first, uint32_t count, uint8_t *bytes);
size_t iso__plane_variable_size(const iso_world *world);
iso_status iso__plane_flip_bit(iso_world *world);

/// How many words of `vertices` a shape uses: a segment all of them, as 64-bit numbers, a tapered capsule one for its
/// second radius.
static inline uint32_t iso__plane_shape_words(const iso__plane_shape *shape) {
    if (shape->kind == ISO_SHAPE_CAPSULE && (shape->flags & ISO__PLANE_SHAPE_TAPERED) != 0) {
        return ISO__PLANE_SHAPE_RADIUS_B + 1;
    }
    return shape->kind == ISO_SHAPE_SEGMENT ? 2u * ISO_POLYGON_VERTICES_MAX : 2u * shape->vertex_count;
}

/// Canonical bytes of a shape.
static inline size_t iso__plane_shape_encoded_size(const iso__plane_shape *shape) {
    return ISO__PLANE_SHAPE_FIXED_SIZE + sizeof(int32_t) * iso__plane_shape_words(shape);
}

#endif
