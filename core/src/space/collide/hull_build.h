/// The parts of the construction of a hull: hull.c calls them one after the other.
#ifndef ISO_SPACE_COLLIDE_HULL_BUILD_H
#define ISO_SPACE_COLLIDE_HULL_BUILD_H

#include "math/wide128.h"
#include "space/collide/hull.h"

typedef struct iso__space_hull_face {
    uint8_t ring[ISO__SPACE_HULL_VERTICES]; // counterclockwise from outside
    uint8_t ring_count;
    uint32_t on_plane; // bits: all points on its plane
    int32_t normal[3]; // Q2.30
    int64_t offset;    // [m] Q.54: of one of its vertices along the normal
    int64_t area;      // [m^2] Q.48, twice
} iso__space_hull_face;

typedef struct iso__space_hull_builder {
    const int32_t (*points)[3]; // no two are in one place
    uint32_t count;
    iso__space_hull_face faces[ISO__SPACE_HULL_FACES];
    uint32_t face_count;
    uint8_t owner[ISO__SPACE_HULL_VERTICES]
                 [ISO__SPACE_HULL_VERTICES]; // the face with the edge from one point to another, plus one
} iso__space_hull_builder;

/// Finds the faces of the points, without rounding, in the order of the first three points of each that are on no line.
/// @return false when all points are on one plane
bool iso__space_hull_find_faces(iso__space_hull_builder *builder);

/// Joins faces that are nearly one.
/// @return false when less than four faces are left, or the solid has become another one: it is smaller than 1e-6 m^3,
/// or
///         than seven eighths of what it was
bool iso__space_hull_join_faces(iso__space_hull_builder *builder);

/// Makes the ring of a face from the points on its plane: its corners, from the lowest on.
///
/// @param normal  outwards, of any length
void iso__space_hull_make_ring(const iso__space_hull_builder *builder, const int64_t normal[3],
                               iso__space_hull_face *face);

/// Sets a face's normal, offset and area from its ring.
void iso__space_hull_measure_face(const iso__space_hull_builder *builder, iso__space_hull_face *face);

/// Turns a face's ring so that it begins with its lowest vertex, and around if it is the other way.
void iso__space_hull_turn_ring(iso__space_hull_face *face, bool is_reversed);

/// Twice the area of a face along its normal, Q.48, not rounded.
void iso__space_hull_find_area(const iso__space_hull_builder *builder, const iso__space_hull_face *face,
                               int64_t area[3]);

static inline void iso__space_hull_sub(const int32_t a[3], const int32_t b[3], int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = (int64_t)a[i] - b[i];
    }
}

/// (q - p) x (r - p), exact, Q.48.
static inline void iso__space_hull_cross(const int32_t p[3], const int32_t q[3], const int32_t r[3], int64_t out[3]) {
    int64_t u[3], v[3];
    iso__space_hull_sub(q, p, u);
    iso__space_hull_sub(r, p, v);
    for (int i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = u[k] * v[l] - u[l] * v[k];
    }
}

/// n . (q - p), exact, Q.72.
static inline iso__int128 iso__space_hull_height(const int64_t n[3], const int32_t p[3], const int32_t q[3]) {
    int64_t d[3];
    iso__space_hull_sub(q, p, d);
    const iso__int128 sum = iso__int128_add(iso__int128_mul(n[0], d[0]), iso__int128_mul(n[1], d[1]));
    return iso__int128_add(sum, iso__int128_mul(n[2], d[2]));
}

#endif
