/// What manifolds of round shapes share: their cores in the world's orientation, and points between two cores.
#ifndef ISO_SPACE_COLLIDE_ROUND_H
#define ISO_SPACE_COLLIDE_ROUND_H

#include <stddef.h>

#include "space/collide/manifold.h"
#include "space/collide/segment.h"

/// A point of a collider's body from body A's centre of mass.
///
/// @param offset  of the body, or NULL for body A itself
static inline void iso__space_round_place(const iso__space_collider *collider, const int32_t local[3],
                                          const int64_t offset[3], int64_t point[3]) {
    iso__space_ops_turn32(collider->rotation, local, point);
    for (int i = 0; offset != NULL && i < 3; ++i) {
        point[i] += offset[i];
    }
}

static inline void iso__space_round_make_centre(const iso__space_collider *sphere, const int64_t offset[3],
                                                int64_t centre[3]) {
    iso__space_round_place(sphere, sphere->centre, offset, centre);
}

static inline void iso__space_round_make_segment(const iso__space_collider *capsule, const int64_t offset[3],
                                                 iso__space_segment *segment) {
    iso__space_round_place(capsule, capsule->ends[0], offset, segment->ends[0]);
    iso__space_round_place(capsule, capsule->ends[1], offset, segment->ends[1]);
    iso__space_segment_complete(segment);
}

/// Adds a point along a normal that is already set, n from A to B.
///
/// @param distance  [m] Q.24: of the cores along n
/// @param p         the point of A's core
static inline void iso__space_round_add_along(const iso__space_manifold_settings *settings, const int32_t n[3],
                                              int64_t distance, const int64_t p[3], int64_t radius_a, int64_t radius_b,
                                              const int64_t offset[3], iso__space_manifold *manifold) {
    int64_t point[3];
    // Halfway between the surfaces at radius_a and distance - radius_b.
    iso__space_ops_advance(p, n, (radius_a + distance - radius_b) >> 1, point);
    iso__space_manifold_add_point(settings, point, distance - radius_a - radius_b, offset, manifold);
}

/// Adds the point between the nearest points p of A's core and q of B's, and sets the normal.
///
/// @param across  the normal when p and q coincide
static inline void iso__space_round_add(const iso__space_manifold_settings *settings, const int64_t p[3],
                                        int64_t radius_a, const int64_t q[3], int64_t radius_b, const int32_t across[3],
                                        const int64_t offset[3], iso__space_manifold *manifold) {
    int64_t d[3];
    iso__space_ops_sub(q, p, d);
    int32_t n[3];
    const int64_t distance = iso__space_ops_normalize(d, n);
    iso__space_manifold_set_normal(distance == 0 ? across : n, manifold);
    iso__space_round_add_along(settings, manifold->normal, distance, p, radius_a, radius_b, offset, manifold);
}

/// Whether both ends of a core were added over a face whose normal is nearly that of its nearest point, and one of them
/// is as near, give or take what the normals differ: the core may be over another part of the face than the one it is
/// nearest to.
///
/// @param distance  [m] Q.24: of the cores
static inline bool iso__space_round_is_flat(const iso__space_manifold *manifold, int64_t distance, int64_t radius) {
    const int64_t deeper = iso__min32(manifold->points[0].separation, manifold->points[1].separation);
    return manifold->count == 2 && deeper + radius <= distance + (distance >> 13) + 8;
}

#endif
