/// What the parts of the construction of a hull work on. hull.c calls them one after the other: hull_faces.h and
/// hull_join.h.
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
