/// Convex pieces in space for queries and sweeps: a point, a segment or a solid, each with a radius around it, or a
/// half-space.
///
/// Coordinates are Q31.32 metres in the world's orientation, about a place that the caller chooses: the centre of mass
/// of a shape's body, so that places of queries relative to it are exact. They are within ±2^18 m: places are within
/// 2^16 m, rays twice as long. Products have 128 bits, so nothing here needs a proof of range but that no difference
/// leaves 64.
#ifndef ISO_SPACE_COLLIDE_PIECE_H
#define ISO_SPACE_COLLIDE_PIECE_H

#include <stddef.h>

#include "isostep/fixed.h"

#include "math/vec3.h"
#include "space/collide/hull.h"
#include "space/collide/manifold.h"

typedef struct iso__space_piece {
    int64_t vertices[ISO__SPACE_HULL_VERTICES][3]; // [m] Q31.32
    int32_t normals[ISO__SPACE_HULL_FACES][3];     // Q2.30, of a solid's faces; of a half-space, the first, out of it
    int64_t offsets[ISO__SPACE_HULL_FACES];        // [m] Q31.32, along the normals: the vertex that is farthest out
    int32_t directions[ISO__SPACE_HULL_EDGES][3];  // Q2.30, of a solid's edges
    const iso__space_hull *solid;                  // its faces' rings and edges; NULL: it is none
    int64_t radius;                                // [m] Q31.32
    uint8_t vertex_count;                          // 0: a half-space
} iso__space_piece;

/// A collider as a piece.
/// @param at  [m] Q31.32, of its body's centre of mass
void iso__space_piece_make(const iso__space_collider *collider, const int64_t at[3], iso__space_piece *piece);

/// An upright box; its sides may be zero.
void iso__space_piece_make_box(const int64_t lower[3], const int64_t upper[3], iso__space_piece *piece);

/// Makes a piece smaller about a point: `eighths` of its size. A half-space stays as it is.
void iso__space_piece_shrink(iso__space_piece *piece, const int64_t about[3], int64_t eighths);

/// n . v, rounded once, [m] Q31.32.
static inline int64_t iso__space_piece_along(const int32_t n[3], const int64_t v[3]) {
    return iso__dot3_shift(n[0], v[0], n[1], v[1], n[2], v[2], ISO__UNIT_FRACTION);
}

/// The point of a segment that is nearest to p.
static inline void iso__space_piece_nearest(const int64_t a[3], const int64_t b[3], const int64_t p[3],
                                            int64_t nearest[3]) {
    const int64_t e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    iso__int128 along = {0, 0}, squared = {0, 0};
    for (int i = 0; i < 3; ++i) {
        along = iso__int128_add(along, iso__int128_mul(e[i], v[i]));
        squared = iso__int128_add(squared, iso__int128_mul(e[i], e[i]));
    }
    const bool is_before = iso__int128_sign(along) <= 0;
    const bool is_between = !is_before && iso__int128_compare(along, squared) < 0;
    const int64_t share = is_between ? iso__int128_div(along, 62, squared) : 0; // Q.62
    for (int i = 0; i < 3; ++i) {
        nearest[i] = is_before ? a[i] : is_between ? a[i] + iso__mul_shift(e[i], share, 62) : b[i];
    }
}

#endif
