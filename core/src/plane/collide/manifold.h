/// Manifolds: where and along which normal two shapes touch.
///
/// A manifold is a pure function of two shapes and their poses. Distances are relative to body A's centre of
/// mass, in the world's orientation.
#ifndef ISO_PLANE_COLLIDE_MANIFOLD_H
#define ISO_PLANE_COLLIDE_MANIFOLD_H

#include <stdbool.h>

#include "isostep/fixed.h"
#include "isostep/shape.h"
#include "math/fixed_ops.h"
#include "plane/collide/taper.h"
#include "solver/manifold_settings.h"

typedef struct iso__plane_manifold_point {
    int32_t anchor_a[2];     // [m] Q7.24, from body A's centre of mass, world orientation
    int32_t anchor_b[2];     // [m] Q7.24, from body B's
    int32_t separation;      // [m] Q7.24, negative when the shapes overlap
    int32_t separation_made; // [m] Q7.24, at the pose for which the manifold was made; a kept one follows the bodies
    uint32_t feature;        // names the features that touch, the same while they slide: 8 bits each of A and B
} iso__plane_manifold_point;

typedef struct iso__plane_manifold {
    int32_t normal[2]; // Q2.30, from A to B
    iso__plane_manifold_point points[2];
    int32_t
        extent; // [m] Q7.24: of the smaller of the shapes; of manifolds that are kept, plane/dynamics/contact_pose.c
    bool is_a_smaller; // likewise: shape A is the smaller one
    uint8_t count;
    bool is_short;    // its points lie so near each other that it may be hidden; plane/collide/seam.h
    bool is_hidden;   // within a step: another contact keeps the shapes from touching here; plane/dynamics/seam.c
    bool is_plain;    // likewise: neither shape is a sensor or one-way
    bool is_standing; // likewise: kept from the last step, with the same number; plane/dynamics/contact_prepare.c
} iso__plane_manifold;

/// One shape as the manifold functions see it: in a frame that is centred on body A's centre of mass and turned
/// with body A, so that only B's vertices need to be rotated. 64 bits hold every sum without a proof per line.
typedef struct iso__plane_convex {
    int64_t vertices[ISO_POLYGON_VERTICES_MAX][2]; // [m] Q.24
    int32_t normals[ISO_POLYGON_VERTICES_MAX][2];  // Q2.30; of a segment also the third and fourth, its neighbours'
    int64_t radius;                                // [m] Q.24
    int64_t taper; // [m] Q.24: what the second of two vertices has more; see plane/collide/taper.h
    uint32_t count;
} iso__plane_convex;

static inline int64_t iso__plane_convex_radius(const iso__plane_convex *piece, uint32_t vertex) {
    return piece->radius + iso__plane_taper_at(piece->taper, vertex);
}

/// A shape to collide: a rounded convex piece about its body's centre of mass, and how the body is turned.
typedef struct iso__plane_collider {
    const int32_t (*vertices)[2]; // [m] Q7.24, body frame
    const int32_t (*normals)[2];  // Q2.30, body frame; a circle has none
    iso_rotation rotation;
    uint32_t count;
    int32_t radius; // [m] Q7.24
    int32_t taper;  // [m] Q7.24: what the second of two vertices has more; its normals lean with it
    bool is_circle;
    bool is_segment; // one-sided, with the normals of its neighbours behind its own
} iso__plane_collider;

/// Collides two pieces, of which B's origin is at (dx, dy) [m] Q.24 from A's, in the world's orientation. The manifold
/// has no points when they are farther apart than the speculative distance.
void iso__plane_manifold_make(const iso__manifold_settings *settings, const iso__plane_collider *a,
                              const iso__plane_collider *b, int64_t dx, int64_t dy, iso__plane_manifold *manifold);

/// Whether a face of one of the pieces keeps the other so far away that iso__plane_manifold_make finds no point. A face
/// of each is looked at, so `false` says nothing; this costs a fifth of a manifold.
bool iso__plane_manifold_is_beyond(const iso__manifold_settings *settings, const iso__plane_collider *a,
                                   const iso__plane_collider *b, int64_t dx, int64_t dy);

/// Adds a point (x, y) [m] Q.24 in A's frame.
static inline void iso__plane_manifold_add_point(iso__plane_manifold *manifold, int64_t x, int64_t y,
                                                 int64_t separation, uint32_t feature) {
    iso__plane_manifold_point *point = &manifold->points[manifold->count++];
    // Contact points lie within the shapes' extents of 60 m, give or take the speculative distance.
    point->anchor_a[0] = iso__narrow32(x);
    point->anchor_a[1] = iso__narrow32(y);
    point->separation = iso__saturate32(separation);
    point->separation_made = point->separation;
    point->feature = feature;
}

#endif
