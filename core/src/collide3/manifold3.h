/// Manifolds in space: where and along which normal two shapes touch.
///
/// A manifold is a pure function of two shapes and their poses. Distances are relative to body A's centre of mass, in the
/// world's orientation. One file per family of pairs, manifold3_*.c, each for kinds in the order of iso__collider3_kind; the
/// other order is the mirror image, bit for bit.
#ifndef ISO_COLLIDE3_MANIFOLD3_H
#define ISO_COLLIDE3_MANIFOLD3_H

#include <stdbool.h>

#include "math/fixed_ops.h"

#define ISO__MANIFOLD3_POINTS 4

struct iso__hull3;

typedef struct iso__manifold3_point {
    int32_t anchor_a[3]; // [m] Q7.24 from body A's centre of mass, world orientation: halfway between the surfaces
    int32_t anchor_b[3]; // [m] Q7.24 from body B's; of a plane's body, which may be far away, saturated
    int32_t separation;  // [m] Q7.24, negative when the shapes overlap
    int16_t place[3];    // 2^-14 L of the smaller body, in its frame: iso__manifold3_set_places
} iso__manifold3_point;

typedef struct iso__manifold3 {
    int32_t normal[3]; // Q2.30, from A to B, world orientation
    iso__manifold3_point points[ISO__MANIFOLD3_POINTS];
    uint8_t count;
} iso__manifold3;

/// In the order in which pairs are made.
typedef enum iso__collider3_kind {
    ISO__COLLIDER3_SPHERE,
    ISO__COLLIDER3_CAPSULE,
    ISO__COLLIDER3_BOX,
    ISO__COLLIDER3_HULL,
    ISO__COLLIDER3_PLANE,
    ISO__COLLIDER3_HEIGHTS,
    ISO__COLLIDER3_KIND_COUNT
} iso__collider3_kind;

/// [m] Q.24: how far below its lowest sample a field of heights is solid.
#define ISO__HEIGHTS3_DEPTH (INT64_C(64) << 24)

/// A field of heights: collide3/heights3.h.
typedef struct iso__heights3 {
    const int16_t *samples; // row by row
    int32_t cell, scale;    // [m] Q.24, at most 16 and 1/16
    uint16_t columns, rows;
    int16_t low, high; // the least and the largest sample
} iso__heights3;

/// A shape to collide, about its body's centre of mass, and how the body is turned. It extends at most 60 m.
typedef struct iso__collider3 {
    uint8_t kind;
    int32_t centre[3];       // [m] Q7.24, body frame: sphere, box, the middle of heights
    int32_t ends[2][3];      // [m] Q7.24, body frame: capsule
    int32_t half[3];         // [m] Q7.24: half of a box's edges
    int32_t frame[9];        // Q2.30 row-major: a box's own rotation in the body
    int32_t radius;          // [m] Q7.24: sphere, capsule
    int32_t plane_normal[3]; // Q2.30, body frame, out of the ground
    int64_t plane_offset;    // [m] Q31.32: the plane is where normal . x = offset
    const struct iso__hull3 *hull;
    iso__heights3 heights;
    int32_t rotation[9]; // Q2.30 row-major, body to world
} iso__collider3;

typedef struct iso__manifold3_settings {
    int64_t slop;        // [m] Q7.24: below this, distances count as equal when features are chosen
    int64_t speculative; // [m] Q7.24: points that are farther apart are left out
} iso__manifold3_settings;

/// Collides two pieces; the manifold has no points when they are farther apart than the speculative distance. Two planes
/// never touch. Fields of heights have functions of their own, collide3/manifold3_heights.h.
///
/// @param offset  [m] Q.24: body B's centre of mass from A's, world orientation; within 121 m per component, but with a
///                plane anything that two places of a world give
void iso__manifold3_make(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                         const int64_t offset[3], iso__manifold3 *manifold);

/// Fills in the places of the points, by which points of successive manifolds are known again.
///
/// @param rotation  Q2.30, of the body in whose frame the places are
/// @param exponent  k of that body's L = 2^k, -8 to 6
/// @param is_of_b   that body is B
void iso__manifold3_set_places(iso__manifold3 *manifold, const int32_t rotation[9], int exponent, bool is_of_b);

/// Adds a point, unless it is beyond the speculative distance.
///
/// @param point  [m] Q.24 from A's centre of mass, world orientation, halfway between the surfaces
static inline void iso__manifold3_add_point(const iso__manifold3_settings *settings, const int64_t point[3],
                                            int64_t separation, const int64_t offset[3], iso__manifold3 *manifold) {
    if (separation > settings->speculative) {
        return;
    }
    ISO_VALIDATE_ASSERT(manifold->count < ISO__MANIFOLD3_POINTS);
    iso__manifold3_point *added = &manifold->points[manifold->count++];
    for (int i = 0; i < 3; ++i) {
        added->anchor_a[i] = iso__saturate32(point[i]);
        added->anchor_b[i] = iso__saturate32(point[i] - offset[i]);
    }
    added->separation = iso__saturate32(separation);
}

static inline void iso__manifold3_set_normal(const int32_t normal[3], iso__manifold3 *manifold) {
    for (int i = 0; i < 3; ++i) {
        manifold->normal[i] = normal[i];
    }
}

static inline void iso__manifold3_flip_normal(iso__manifold3 *manifold) {
    for (int i = 0; i < 3; ++i) {
        manifold->normal[i] = iso__neg32(manifold->normal[i]);
    }
}

/// The manifold of the pair in the other order.
static inline void iso__manifold3_swap(iso__manifold3 *manifold) {
    iso__manifold3_flip_normal(manifold);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__manifold3_point *point = &manifold->points[i];
        for (int k = 0; k < 3; ++k) {
            const int32_t anchor = point->anchor_a[k];
            point->anchor_a[k] = point->anchor_b[k];
            point->anchor_b[k] = anchor;
        }
    }
}

#endif
