/// What manifolds of round shapes share: their cores in the world's orientation, and points between two cores.
#ifndef ISO_COLLIDE3_ROUND3_H
#define ISO_COLLIDE3_ROUND3_H

#include <stddef.h>

#include "collide3/manifold3.h"
#include "collide3/segment3.h"

/// A point of a collider's body from body A's centre of mass.
///
/// @param offset  of the body, or NULL for body A itself
static inline void iso__round3_place(const iso__collider3 *collider, const int32_t local[3], const int64_t offset[3],
                                     int64_t point[3]) {
    iso__ops3_turn32(collider->rotation, local, point);
    for (int i = 0; offset != NULL && i < 3; ++i) {
        point[i] += offset[i];
    }
}

static inline void iso__round3_make_centre(const iso__collider3 *sphere, const int64_t offset[3], int64_t centre[3]) {
    iso__round3_place(sphere, sphere->centre, offset, centre);
}

static inline void iso__round3_make_segment(const iso__collider3 *capsule, const int64_t offset[3],
                                            iso__segment3 *segment) {
    iso__round3_place(capsule, capsule->ends[0], offset, segment->ends[0]);
    iso__round3_place(capsule, capsule->ends[1], offset, segment->ends[1]);
    iso__segment3_complete(segment);
}

/// Adds a point along a normal that is already set, n from A to B.
///
/// @param distance  [m] Q.24: of the cores along n
/// @param p         the point of A's core
static inline void iso__round3_add_along(const iso__manifold3_settings *settings, const int32_t n[3], int64_t distance,
                                         const int64_t p[3], int64_t radius_a, int64_t radius_b,
                                         const int64_t offset[3], iso__manifold3 *manifold) {
    int64_t point[3];
    // Halfway between the surfaces at radius_a and distance - radius_b.
    iso__ops3_advance(p, n, (radius_a + distance - radius_b) >> 1, point);
    iso__manifold3_add_point(settings, point, distance - radius_a - radius_b, offset, manifold);
}

/// Adds the point between the nearest points p of A's core and q of B's, and sets the normal.
///
/// @param across  the normal when p and q coincide
static inline void iso__round3_add(const iso__manifold3_settings *settings, const int64_t p[3], int64_t radius_a,
                                   const int64_t q[3], int64_t radius_b, const int32_t across[3],
                                   const int64_t offset[3], iso__manifold3 *manifold) {
    int64_t d[3];
    iso__ops3_sub(q, p, d);
    int32_t n[3];
    const int64_t distance = iso__ops3_normalize(d, n);
    iso__manifold3_set_normal(distance == 0 ? across : n, manifold);
    iso__round3_add_along(settings, manifold->normal, distance, p, radius_a, radius_b, offset, manifold);
}

#endif
