/// Axis-aligned boxes in space.
#ifndef ISO_SPACE_COLLIDE_BOX_H
#define ISO_SPACE_COLLIDE_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "space/collide/manifold.h"

/// [m] Q15.16. A box that touches another overlaps it.
typedef struct iso__space_box {
    int32_t min_x, min_y, min_z, max_x, max_y, max_z;
} iso__space_box;

/// Without branches, as in the plane: which of the six sides decides is different from pair to pair.
static inline bool iso__space_box_overlaps(const iso__space_box *a, const iso__space_box *b) {
    return ((a->min_x <= b->max_x) & (b->min_x <= a->max_x) & (a->min_y <= b->max_y) & (b->min_y <= a->max_y) &
            (a->min_z <= b->max_z) & (b->min_z <= a->max_z)) != 0;
}

static inline bool iso__space_box_contains(const iso__space_box *outer, const iso__space_box *inner) {
    return outer->min_x <= inner->min_x && outer->min_y <= inner->min_y && outer->min_z <= inner->min_z &&
           inner->max_x <= outer->max_x && inner->max_y <= outer->max_y && inner->max_z <= outer->max_z;
}

/// The smallest box that contains both.
static inline iso__space_box iso__space_box_union(const iso__space_box *a, const iso__space_box *b) {
    return (iso__space_box){
        .min_x = iso__min32(a->min_x, b->min_x),
        .min_y = iso__min32(a->min_y, b->min_y),
        .min_z = iso__min32(a->min_z, b->min_z),
        .max_x = iso__max32(a->max_x, b->max_x),
        .max_y = iso__max32(a->max_y, b->max_y),
        .max_z = iso__max32(a->max_z, b->max_z),
    };
}

/// The smallest box around a collider, rounded outwards. A plane has no end, its box is all that there is.
///
/// @param position  [m] Q31.32: its body's centre of mass
void iso__space_collider_box(const iso__space_collider *collider, const int64_t position[3], iso__space_box *box);

#endif
