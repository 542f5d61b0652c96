/// Fields of heights beyond the public interface.
#ifndef ISO_WORLD3_HEIGHTS3_H
#define ISO_WORLD3_HEIGHTS3_H

#include "world3/world3.h"

/// Records that the samples of a field take.
uint32_t iso__heights_block_count(uint32_t columns, uint32_t rows);

/// The samples of a field of the world, row by row.
const int16_t *iso__heights_samples(const iso__space *space, const iso__heights *heights);

#endif
