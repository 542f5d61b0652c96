/// Axis-aligned boxes.
#ifndef ISO_PLANE_COLLIDE_BOX_H
#define ISO_PLANE_COLLIDE_BOX_H

#include <stdbool.h>
#include <stdint.h>

/// [m] Q15.16. A box that touches another overlaps it.
typedef struct iso__plane_box {
    int32_t min_x, min_y, max_x, max_y;
} iso__plane_box;

/// Without branches: which of the four sides decides is different from pair to pair, and a processor guesses it wrong.
static inline bool iso__plane_box_overlaps(const iso__plane_box *a, const iso__plane_box *b) {
    return ((a->min_x <= b->max_x) & (b->min_x <= a->max_x) & (a->min_y <= b->max_y) & (b->min_y <= a->max_y)) != 0;
}

static inline bool iso__plane_box_contains(const iso__plane_box *outer, const iso__plane_box *inner) {
    return outer->min_x <= inner->min_x && outer->min_y <= inner->min_y && inner->max_x <= outer->max_x &&
           inner->max_y <= outer->max_y;
}

/// The smallest box that contains both.
static inline iso__plane_box iso__plane_box_union(const iso__plane_box *a, const iso__plane_box *b) {
    return (iso__plane_box){
        .min_x = a->min_x < b->min_x ? a->min_x : b->min_x,
        .min_y = a->min_y < b->min_y ? a->min_y : b->min_y,
        .max_x = a->max_x > b->max_x ? a->max_x : b->max_x,
        .max_y = a->max_y > b->max_y ? a->max_y : b->max_y,
    };
}

#endif
