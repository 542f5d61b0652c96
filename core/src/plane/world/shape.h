/// Shapes beyond the public interface.
#ifndef ISO_PLANE_WORLD_SHAPE_H
#define ISO_PLANE_WORLD_SHAPE_H

#include "math/fixed_ops.h"
#include "plane/world/plane.h"
#include "solver/params.h"

/// By how much the radius of a capsule's second end is larger than that of its first, [m] Q7.24, within 60 m; of all
/// other shapes 0.
static inline int32_t iso__plane_shape_taper(const iso__plane_shape *shape) {
    return (shape->flags & ISO__PLANE_SHAPE_TAPERED) != 0
               ? iso__sub32(shape->vertices[ISO__PLANE_SHAPE_RADIUS_B], shape->radius)
               : 0;
}

/// Reads a shape's record back as its definition. The friction of a record whose bits below 2^-16 are not
/// zero is rounded down.
void iso__plane_shape_read_record(const iso__plane_shape *record, iso_shape_def *def);

/// Writes the record of a shape that passed iso_shape_def_check, on a body, without an owner.
void iso__plane_shape_write_record(iso__plane_shape *record, uint32_t body, const iso_shape_def *def);

/// As iso_shape_create, but bodies near the shape do not wake: iso__plane_shape_wake_near is the caller's.
iso_status iso__plane_shape_add(iso__plane *plane, iso_body_id body, const iso_shape_def *def, iso_shape_id *shape);

/// Clears a shape's record and frees its slot; its body's list and mass are the caller's.
void iso__plane_shape_release(iso__plane *plane, uint32_t shape);

/// Marks a shape so that its pairs are found again, since it may touch others than before.
static inline void iso__plane_shape_touch(iso__plane *plane, uint32_t shape) {
    iso__bit_set(plane->reshaped, shape);
    iso__bit_set(plane->world.displaced, plane->shapes[shape].body);
}

/// What the kernel's table has of shapes that are alive.
iso_status iso__plane_shape_destroy(iso_world *world, uint32_t shape);
uint32_t iso__plane_shape_next(const iso_world *world, uint32_t body, uint32_t index);
void iso__plane_shape_set_filter(iso_world *world, uint32_t shape, iso_filter filter);
void iso__plane_shape_set_tag(iso_world *world, uint32_t shape, uint32_t tag);

#endif
