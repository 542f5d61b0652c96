/// Shapes in snapshots: each has as many vertices as it needs.
#ifndef ISO_PLANE_SNAPSHOT_READ_SHAPE_H
#define ISO_PLANE_SNAPSHOT_READ_SHAPE_H

#include "plane/world/records.h"

/// Reads the shape at `bytes`, of which `size` bytes are left. The unused vertices become zero.
/// @return the bytes it took; 0 when it does not fit or has more vertices than a shape can have
size_t iso__plane_snapshot_read_shape(const uint8_t *bytes, size_t size, iso__plane_shape *shape);

#endif
