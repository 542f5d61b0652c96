/// Axis-aligned boxes in space.
#ifndef ISO_COLLIDE3_BOX3_H
#define ISO_COLLIDE3_BOX3_H

#include <stdbool.h>
#include <stdint.h>

#include "collide3/manifold3.h"

/// [m] Q15.16. A box that touches another overlaps it.
typedef struct iso__box3 {
    int32_t min_x, min_y, min_z, max_x, max_y, max_z;
} iso__box3;

/// Without branches, as in the plane: which of the six sides decides is different from pair to pair.
static inline bool iso__box3_overlaps(const iso__box3 *a, const iso__box3 *b) {
    return ((a->min_x <= b->max_x) & (b->min_x <= a->max_x) & (a->min_y <= b->max_y) & (b->min_y <= a->max_y) &
            (a->min_z <= b->max_z) & (b->min_z <= a->max_z)) != 0;
}

static inline bool iso__box3_contains(const iso__box3 *outer, const iso__box3 *inner) {
    return outer->min_x <= inner->min_x && outer->min_y <= inner->min_y && outer->min_z <= inner->min_z &&
           inner->max_x <= outer->max_x && inner->max_y <= outer->max_y && inner->max_z <= outer->max_z;
}

/// The smallest box that contains both.
static inline iso__box3 iso__box3_union(const iso__box3 *a, const iso__box3 *b) {
    return (iso__box3){
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
void iso__collider3_box(const iso__collider3 *collider, const int64_t position[3], iso__box3 *box);

#endif
