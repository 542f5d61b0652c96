/// See read_shape.h.
#include "plane/snapshot/read_shape.h"

#include <string.h>

#include "base/bytes.h"
#include "plane/world/sections.h"
#include "state/section.h"

size_t iso__plane_snapshot_read_shape(const uint8_t *bytes, size_t size, iso__plane_shape *shape) {
    *shape = (iso__plane_shape){0};
    if (size < ISO__PLANE_SHAPE_FIXED_SIZE) {
        return 0;
    }
    // The vertices are the last field.
#if ISO__LITTLE_ENDIAN
    memcpy(shape, bytes, ISO__PLANE_SHAPE_FIXED_SIZE);
#else
    const iso__section_table *table = &iso__plane_sections[ISO_SECTION_SHAPES];
    iso__record_decode(table->fields, table->field_count - 1, bytes, shape);
#endif
    const size_t whole = iso__plane_shape_encoded_size(shape);
    if (shape->vertex_count > ISO_POLYGON_VERTICES_MAX || size < whole) {
        return 0;
    }
    for (uint32_t i = 0; i < iso__plane_shape_words(shape); ++i) {
        shape->vertices[i] = (int32_t)iso__read_u32(bytes + ISO__PLANE_SHAPE_FIXED_SIZE + 4u * i);
    }
    return whole;
}
