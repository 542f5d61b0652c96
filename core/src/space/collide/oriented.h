/// A box as its pairs see it: its axes and its centre in the world's orientation, and the way between the two frames.
#ifndef ISO_SPACE_COLLIDE_ORIENTED_H
#define ISO_SPACE_COLLIDE_ORIENTED_H

#include <stddef.h>
#include <string.h>

#include "space/collide/manifold.h"
#include "space/collide/vec_ops.h"

typedef struct iso__space_oriented {
    int32_t rotation[9]; // Q2.30 row-major: the box's frame to the world's orientation; its columns are the box's axes
    int64_t centre[3];   // [m] Q.24 from body A's centre of mass, world orientation
    int64_t half[3];     // [m] Q.24
} iso__space_oriented;

/// Whether a box has its body's axes. A product with them is exact.
static inline bool iso__space_oriented_is_straight(const int32_t frame[9]) {
    return ((frame[0] ^ ISO__UNIT_ONE) | frame[1] | frame[2] | frame[3] | (frame[4] ^ ISO__UNIT_ONE) | frame[5] |
            frame[6] | frame[7] | (frame[8] ^ ISO__UNIT_ONE)) == 0;
}

/// @param offset  of the box's body from body A's centre of mass, or NULL for body A itself
static inline void iso__space_oriented_make(const iso__space_collider *box, const int64_t offset[3],
                                            iso__space_oriented *oriented) {
    if (iso__space_oriented_is_straight(box->frame)) {
        memcpy(oriented->rotation, box->rotation, sizeof oriented->rotation);
    } else {
        iso__space_ops_product(box->rotation, box->frame, oriented->rotation);
    }
    if ((box->centre[0] | box->centre[1] | box->centre[2]) == 0) {
        memset(oriented->centre, 0, sizeof oriented->centre);
    } else {
        iso__space_ops_turn32(box->rotation, box->centre, oriented->centre);
    }
    for (int i = 0; i < 3; ++i) {
        oriented->centre[i] += offset == NULL ? 0 : offset[i];
        oriented->half[i] = box->half[i];
    }
}

/// A point of the world's orientation in the box's frame.
static inline void iso__space_oriented_to_local(const iso__space_oriented *oriented, const int64_t point[3],
                                                int64_t local[3]) {
    int64_t d[3];
    iso__space_ops_sub(point, oriented->centre, d);
    iso__space_ops_turn_back(oriented->rotation, d, local);
}

static inline void iso__space_oriented_to_world(const iso__space_oriented *oriented, const int64_t local[3],
                                                int64_t point[3]) {
    int64_t d[3];
    iso__space_ops_turn(oriented->rotation, local, d);
    for (int i = 0; i < 3; ++i) {
        point[i] = oriented->centre[i] + d[i];
    }
}

#endif
