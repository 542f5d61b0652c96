/// Fields of heights beyond the public interface.
#ifndef ISO_SPACE_WORLD_HEIGHTS_H
#define ISO_SPACE_WORLD_HEIGHTS_H

#include "space/world/space.h"

/// Records that the samples of a field take.
uint32_t iso__space_heights_block_count(uint32_t columns, uint32_t rows);

/// The samples of a field of the world, row by row.
const int16_t *iso__space_heights_samples(const iso__space *space, const iso__space_height_field *heights);

#endif
