/// Random colliders of all kinds as pieces, with their twins in double precision.
#ifndef TEST_PIECE_UTIL_H
#define TEST_PIECE_UTIL_H

#include "hull_util.h"

#include "space/collide/piece.h"

#define PIECE_KINDS (ISO__SPACE_COLLIDER_PLANE + 1)

typedef struct twin {
    iso__space_collider collider;
    iso__space_hull hull;
    int64_t at[3]; // [m] Q31.32, of the body
    iso__space_piece piece;
    solid is;
    vec3 normal; // of a half-space
    double offset;
} twin;

static inline vec3 vec3_of_place(const int64_t v[3]) {
    return (vec3){ldexp((double)v[0], -32), ldexp((double)v[1], -32), ldexp((double)v[2], -32)};
}

static inline void place_of(vec3 v, int64_t place[3]) {
    place[0] = llround(ldexp(v.x, 32));
    place[1] = llround(ldexp(v.y, 32));
    place[2] = llround(ldexp(v.z, 32));
}

static inline vec3 vec3_random(rng *random, double size) {
    return (vec3){rng_range(random, -size, size), rng_range(random, -size, size), rng_range(random, -size, size)};
}

static inline vec3 direction_random(rng *random) {
    vec3 v;
    do {
        v = vec3_random(random, 1);
    } while (vec3_length(v) > 1 || vec3_length(v) < 0.1);
    return vec3_unit(v);
}

/// Puts the body of a collider elsewhere.
static inline void twin_move(twin *it, vec3 at) {
    place_of(at, it->at);
    iso__space_piece_make(&it->collider, it->at, &it->piece);
    if (it->collider.kind != ISO__SPACE_COLLIDER_PLANE) {
        it->is = solid_of(&it->collider, vec3_of_place(it->at));
        return;
    }
    it->normal = vec3_turn(it->collider.rotation, vec3_of(it->collider.plane_normal, 30));
    it->offset = ldexp((double)it->collider.plane_offset, -32) + vec3_dot(it->normal, vec3_of_place(it->at));
}

/// A piece of about 1 m, `size` from the origin at most.
static inline void twin_random(rng *random, iso__space_collider_kind kind, double size, twin *it) {
    it->collider = collider_random(random, kind, 1);
    if (kind == ISO__SPACE_COLLIDER_HULL) {
        hull_random(random, 4 + rng_below(random, 29), 1, &it->hull);
        it->collider.hull = &it->hull;
    } else if (kind == ISO__SPACE_COLLIDER_PLANE) {
        const vec3 n = direction_random(random);
        const double normal[3] = {n.x, n.y, n.z};
        for (int k = 0; k < 3; ++k) {
            it->collider.plane_normal[k] = (int32_t)lround(ldexp(normal[k], 30));
        }
        it->collider.plane_offset = wide(rng_range(random, -1, 1));
    }
    twin_move(it, vec3_random(random, size));
}

/// Of a point from the border of a piece, negative inside.
static inline double twin_distance(const twin *it, vec3 p) {
    if (it->collider.kind == ISO__SPACE_COLLIDER_PLANE) {
        return vec3_dot(it->normal, p) - it->offset;
    }
    return solid_core_distance(&it->is, p) - it->is.radius;
}

typedef double gap_at(const void *of, double s);

/// The least of a convex function between two values, and where it is.
static inline double convex_least(gap_at *gap, const void *of, double low, double high, double *where) {
    for (int i = 0; i < 48; ++i) {
        const double third = (high - low) / 3, left = gap(of, low + third), right = gap(of, high - third);
        high -= left <= right ? third : 0;
        low += right <= left ? third : 0;
    }
    *where = (low + high) / 2;
    return gap(of, *where);
}

/// Where a convex function, positive at `low`, is zero before `high`, where it is not.
static inline double convex_root(gap_at *gap, const void *of, double low, double high) {
    for (int i = 0; i < 48; ++i) {
        const double middle = (low + high) / 2;
        if (gap(of, middle) > 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

#endif
