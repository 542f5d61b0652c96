/// Manifolds in space: where and along which normal two shapes touch.
///
/// A manifold is a pure function of two shapes and their poses. Distances are relative to body A's centre of mass, in
/// the world's orientation. One file per family of pairs, manifold_*.c, each for kinds in the order of
/// iso__space_collider_kind; the other order is the mirror image, bit for bit.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_H
#define ISO_SPACE_COLLIDE_MANIFOLD_H

#include <stdbool.h>

#include "math/fixed_ops.h"

#define ISO__SPACE_MANIFOLD_POINTS   4
#define ISO__SPACE_MANIFOLD_CHILDREN 4 // of a pair with a field of heights

struct iso__space_hull;

typedef struct iso__space_manifold_point {
    int32_t anchor_a[3];     // [m] Q7.24 from body A's centre of mass, world orientation: halfway between the surfaces
    int32_t anchor_b[3];     // [m] Q7.24 from body B's; of a plane's body, which may be far away, saturated
    int32_t separation;      // [m] Q7.24, negative when the shapes overlap
    int32_t separation_made; // [m] Q7.24, the same at the pose of which the manifold was made
    int16_t place[3];        // 2^-14 L of the smaller body, in its frame: iso__space_manifold_set_places
} iso__space_manifold_point;

typedef struct iso__space_manifold {
    int32_t normal[3]; // Q2.30, from A to B, world orientation
    iso__space_manifold_point points[ISO__SPACE_MANIFOLD_POINTS];
    uint8_t count;
    bool leaves_corners; // of the patch: iso__space_manifold_reduce, and those that are farther than speculative
    bool is_kept;        // that of an earlier tick: space/dynamics/contact_pose.c
    bool is_hidden;      // it does not push: space/dynamics/seam.c
} iso__space_manifold;

/// In the order in which pairs are made.
typedef enum iso__space_collider_kind {
    ISO__SPACE_COLLIDER_SPHERE,
    ISO__SPACE_COLLIDER_CAPSULE,
    ISO__SPACE_COLLIDER_BOX,
    ISO__SPACE_COLLIDER_HULL,
    ISO__SPACE_COLLIDER_PLANE,
    ISO__SPACE_COLLIDER_HEIGHTS,
    ISO__SPACE_COLLIDER_KIND_COUNT
} iso__space_collider_kind;

/// [m] Q.24: how far below its lowest sample a field of heights is solid.
#define ISO__SPACE_HEIGHTS_DEPTH (INT64_C(64) << 24)

/// A field of heights: space/collide/heights.h.
typedef struct iso__space_heights {
    const int16_t *samples; // row by row
    int32_t cell, scale;    // [m] Q.24, at most 16 and 1/16
    uint16_t columns, rows;
    int16_t low, high; // the least and the largest sample
} iso__space_heights;

/// A shape to collide, about its body's centre of mass, and how the body is turned. It extends at most 60 m.
typedef struct iso__space_collider {
    uint8_t kind;
    int32_t centre[3];       // [m] Q7.24, body frame: sphere, box, the middle of heights
    int32_t ends[2][3];      // [m] Q7.24, body frame: capsule
    int32_t half[3];         // [m] Q7.24: half of a box's edges
    int32_t frame[9];        // Q2.30 row-major: a box's own rotation in the body
    int32_t radius;          // [m] Q7.24: sphere, capsule
    int32_t plane_normal[3]; // Q2.30, body frame, out of the ground
    int64_t plane_offset;    // [m] Q31.32: the plane is where normal . x = offset
    const struct iso__space_hull *hull;
    iso__space_heights heights;
    int32_t rotation[9]; // Q2.30 row-major, body to world
} iso__space_collider;

typedef struct iso__space_manifold_settings {
    int64_t slop;        // [m] Q7.24: below this, distances count as equal when features are chosen
    int64_t speculative; // [m] Q7.24: points that are farther apart are left out
} iso__space_manifold_settings;

/// Collides two pieces; the manifold has no points when they are farther apart than the speculative distance. Two
/// planes never touch. Fields of heights have functions of their own, space/collide/manifold_heights.h.
///
/// @param offset  [m] Q.24: body B's centre of mass from A's, world orientation; within 121 m per component, but with a
///                plane anything that two places of a world give
void iso__space_manifold_make(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                              const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold);

/// Fills in the places of the points, by which points of successive manifolds are known again.
///
/// @param rotation  Q2.30, of the body in whose frame the places are
/// @param exponent  k of that body's L = 2^k, -8 to 6
/// @param is_of_b   that body is B
void iso__space_manifold_set_places(iso__space_manifold *manifold, const int32_t rotation[9], int exponent,
                                    bool is_of_b);

/// Adds a point, unless it is beyond the speculative distance.
///
/// @param point  [m] Q.24 from A's centre of mass, world orientation, halfway between the surfaces
static inline void iso__space_manifold_add_point(const iso__space_manifold_settings *settings, const int64_t point[3],
                                                 int64_t separation, const int64_t offset[3],
                                                 iso__space_manifold *manifold) {
    if (separation > settings->speculative) {
        return;
    }
    ISO_VALIDATE_ASSERT(manifold->count < ISO__SPACE_MANIFOLD_POINTS);
    iso__space_manifold_point *added = &manifold->points[manifold->count++];
    for (int i = 0; i < 3; ++i) {
        added->anchor_a[i] = iso__saturate32(point[i]);
        added->anchor_b[i] = iso__saturate32(point[i] - offset[i]);
    }
    added->separation = added->separation_made = iso__saturate32(separation);
}

static inline void iso__space_manifold_set_normal(const int32_t normal[3], iso__space_manifold *manifold) {
    for (int i = 0; i < 3; ++i) {
        manifold->normal[i] = normal[i];
    }
}

static inline void iso__space_manifold_flip_normal(iso__space_manifold *manifold) {
    for (int i = 0; i < 3; ++i) {
        manifold->normal[i] = iso__neg32(manifold->normal[i]);
    }
}

/// The manifold of the pair in the other order.
static inline void iso__space_manifold_swap(iso__space_manifold *manifold) {
    iso__space_manifold_flip_normal(manifold);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__space_manifold_point *point = &manifold->points[i];
        for (int k = 0; k < 3; ++k) {
            const int32_t anchor = point->anchor_a[k];
            point->anchor_a[k] = point->anchor_b[k];
            point->anchor_b[k] = anchor;
        }
    }
}

#endif
