/// Definitions of fields of heights: what depends on no world.
#include "isostep/heights.h"

#include "space/world/heights.h"

/// Neighbours that differ by more would make cells longer than what pairs of pieces calculate with.
static bool heights_are_near(const iso_heights_def *def, int32_t a, int32_t b) {
    const int64_t step = (int64_t)(a < b ? b - a : a - b) * def->scale;
    return step <= (int64_t)ISO_HEIGHTS_STEP_MAX_M * ISO_FIX16_ONE;
}

iso_status iso_heights_def_check(const iso_heights_def *def) {
    if (def->samples == NULL || def->columns < 2 || def->columns > ISO_HEIGHTS_SIDE_MAX || def->rows < 2 ||
        def->rows > ISO_HEIGHTS_SIDE_MAX || def->cell < ISO_HEIGHTS_CELL_MIN || def->cell > ISO_HEIGHTS_CELL_MAX ||
        def->scale < 1 || def->scale > ISO_HEIGHTS_SCALE_MAX) {
        return ISO_ERR_RANGE;
    }
    for (uint32_t row = 0; row < def->rows; ++row) {
        for (uint32_t column = 0; column < def->columns; ++column) {
            const int16_t *sample = &def->samples[row * def->columns + column];
            if ((column > 0 && !heights_are_near(def, sample[0], sample[-1])) ||
                (row > 0 && !heights_are_near(def, sample[0], sample[-(int32_t)def->columns]))) {
                return ISO_ERR_GEOMETRY;
            }
        }
    }
    return ISO_OK;
}

uint32_t iso__space_heights_block_count(uint32_t columns, uint32_t rows) {
    return (columns * rows + ISO__HEIGHT_BLOCK_SAMPLES - 1) / ISO__HEIGHT_BLOCK_SAMPLES;
}
