/// Shapes beyond the public interface.
#ifndef ISO_WORLD_SHAPE_H
#define ISO_WORLD_SHAPE_H

#include "world/world.h"

/// Reads a shape's record back as its definition. The friction of a record whose bits below 2^-16 are not
/// zero is rounded down.
void iso__shape_read_record(const iso__shape *record, iso_shape_def *def);

/// Clears a shape's record and frees its slot; its body's list and mass are the caller's.
void iso__shape_release(iso_world *world, uint32_t shape);

/// Marks a shape so that its pairs are found again, since it may touch others than before.
static inline void iso__shape_touch(iso_world *world, uint32_t shape) {
    iso__bit_set(world->reshaped, shape);
    iso__bit_set(world->displaced, world->shapes[shape].body);
}

#endif
