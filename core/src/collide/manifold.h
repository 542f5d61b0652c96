/// Manifolds: where and along which normal two shapes touch.
///
/// A manifold is a pure function of two shapes and their poses. Distances are relative to body A's centre of
/// mass, in the world's orientation.
#ifndef ISO_COLLIDE_MANIFOLD_H
#define ISO_COLLIDE_MANIFOLD_H

#include "dynamics/world.h"

typedef struct iso__manifold_point {
    int32_t anchor_a[2]; // [m] Q7.24, from body A's centre of mass, world orientation
    int32_t anchor_b[2]; // [m] Q7.24, from body B's
    int32_t separation;  // [m] Q7.24, negative when the shapes overlap
    uint32_t feature;    // names the features that touch, the same while they slide: 8 bits each of A and B
} iso__manifold_point;

typedef struct iso__manifold {
    int32_t normal[2]; // Q2.30, from A to B
    iso__manifold_point points[2];
    uint32_t count;
} iso__manifold;

/// One shape as the manifold functions see it: in a frame that is centred on body A's centre of mass and turned
/// with body A, so that only B's vertices need to be rotated. 64 bits hold every sum without a proof per line.
typedef struct iso__convex {
    int64_t vertices[ISO_POLYGON_VERTICES_MAX][2]; // [m] Q.24
    int32_t normals[ISO_POLYGON_VERTICES_MAX][2];  // Q2.30
    int64_t radius;                                // [m] Q.24
    uint32_t count;
} iso__convex;

/// @param slop         [m] Q7.24: below this, distances count as equal when features are chosen
/// @param speculative  [m] Q7.24: points that are farther apart are left out
typedef struct iso__manifold_settings {
    int64_t slop;
    int64_t speculative;
} iso__manifold_settings;

/// Collides two shapes. The manifold has no points when they are farther apart than the speculative distance.
void iso__manifold_make(const iso_world *world, const iso__manifold_settings *settings, uint32_t shape_a, uint32_t shape_b,
                        iso__manifold *manifold);

/// @name One function per pair of kinds, in A's frame: separations, normal and points (as anchors of A). A capsule
/// counts as a polygon of two vertices, whose faces are the two sides of its segment.
/// @{
void iso__manifold_circle_circle(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                 iso__manifold *manifold);
void iso__manifold_polygon_circle(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                  iso__manifold *manifold);
void iso__manifold_polygon_polygon(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                   iso__manifold *manifold);
/// @}

/// The one point between two round tips: their centres, the direction and the distance between them.
void iso__manifold_add_point(iso__manifold *manifold, int64_t x, int64_t y, int64_t separation, uint32_t feature);

#endif
