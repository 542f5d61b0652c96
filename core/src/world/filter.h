/// Which shapes collide, in worlds of every kind.
#ifndef ISO_WORLD_FILTER_H
#define ISO_WORLD_FILTER_H

#include "isostep/shape.h"

/// Two shapes of the same group collide if it is positive and do not if it is negative. Otherwise each one's mask must
/// contain a bit of the other's category.
static inline bool iso__filters_agree(iso_filter a, iso_filter b) {
    if (a.group != 0 && a.group == b.group) {
        return a.group > 0;
    }
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

#endif
