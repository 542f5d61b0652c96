/// See colour.h.
#include "step/colour.h"

#include "base/assert.h"

uint32_t iso__colour_groups(const uint32_t counts[ISO__COLOURS + 1], uint32_t size,
                            iso__group_range groups[ISO__COLOURS + 1]) {
    ISO_ASSERT(size > 0);
    uint32_t group = 0;
    for (uint32_t n = 0; n <= ISO__COLOURS; ++n) {
        const uint32_t c = n == 0 ? ISO__COLOUR_OVERFLOW : n - 1;
        groups[c].begin = group;
        groups[c].end = group += (counts[c] + size - 1) / size;
    }
    return group;
}
