/// Solids in double precision, and random colliders with their twins.
#ifndef TEST_COLLIDE3_UTIL_H
#define TEST_COLLIDE3_UTIL_H

#include "unit/math/vec3_util.h"
#include "unit/world/physics_util.h"

#include "space/collide/hull.h"
#include "space/collide/manifold.h"

/// What rounding may do: the quantum is 6e-8 m.
#define NEAR 2e-7

static inline vec3 vec3_of(const int32_t *v, unsigned fraction) {
    return (vec3){ldexp(v[0], -(int)fraction), ldexp(v[1], -(int)fraction), ldexp(v[2], -(int)fraction)};
}

static inline vec3 vec3_of_wide(const int64_t *v) {
    return (vec3){ldexp((double)v[0], -24), ldexp((double)v[1], -24), ldexp((double)v[2], -24)};
}

static inline vec3 vec3_turn(const int32_t *r, vec3 v) {
    return (vec3){vec3_dot(vec3_of(r, 30), v), vec3_dot(vec3_of(r + 3, 30), v), vec3_dot(vec3_of(r + 6, 30), v)};
}

/// A solid in the world's orientation: the hull of its points, made rounder by its radius.
typedef struct solid {
    vec3 points[ISO__SPACE_HULL_VERTICES];
    vec3 normals[ISO__SPACE_HULL_FACES], directions[ISO__SPACE_HULL_EDGES]; // of faces and edges
    uint8_t rings[ISO__SPACE_HULL_FACES][ISO__SPACE_HULL_VERTICES + 1];
    uint8_t ring_counts[ISO__SPACE_HULL_FACES];
    uint32_t count, normal_count, direction_count;
    double radius;
} solid;

static inline void solid_add_box(solid *is, const iso__space_collider *box, vec3 origin) {
    vec3 axes[3];
    for (int i = 0; i < 3; ++i) {
        const vec3 column = vec3_of((const int32_t[]){box->frame[i], box->frame[3 + i], box->frame[6 + i]}, 30);
        axes[i] = vec3_turn(box->rotation, column);
    }
    const vec3 half = vec3_of(box->half, 24),
               centre = vec3_add(origin, vec3_turn(box->rotation, vec3_of(box->centre, 24)));
    is->count = 8;
    for (uint32_t i = 0; i < 8; ++i) {
        const vec3 x = vec3_scale(axes[0], (i & 1) != 0 ? half.x : -half.x),
                   y = vec3_scale(axes[1], (i & 2) != 0 ? half.y : -half.y),
                   z = vec3_scale(axes[2], (i & 4) != 0 ? half.z : -half.z);
        is->points[i] = vec3_add(centre, vec3_add(x, vec3_add(y, z)));
    }
    is->normal_count = 6;
    is->direction_count = 3;
    static const uint8_t rings[6][4] = {{0, 4, 6, 2}, {0, 1, 5, 4}, {0, 2, 3, 1},
                                        {1, 3, 7, 5}, {2, 6, 7, 3}, {4, 5, 7, 6}};
    for (int i = 0; i < 6; ++i) {
        is->normals[i] = vec3_scale(axes[i % 3], i < 3 ? -1 : 1);
        is->directions[i % 3] = axes[i % 3];
        is->ring_counts[i] = 4;
        memcpy(is->rings[i], rings[i], 4);
    }
}

static inline void solid_add_hull(solid *is, const iso__space_collider *collider, vec3 origin) {
    const iso__space_hull *hull = collider->hull;
    is->count = hull->vertex_count;
    is->normal_count = hull->face_count;
    is->direction_count = hull->edge_count;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        is->points[i] = vec3_add(origin, vec3_turn(collider->rotation, vec3_of(hull->vertices[i], 24)));
    }
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        is->normals[i] = vec3_turn(collider->rotation, vec3_of(hull->normals[i], 30));
        is->ring_counts[i] = (uint8_t)(hull->first[i + 1] - hull->first[i]);
        memcpy(is->rings[i], hull->ring + hull->first[i], is->ring_counts[i]);
    }
    for (uint32_t i = 0; i < hull->edge_count; ++i) {
        is->directions[i] = vec3_unit(vec3_sub(is->points[hull->edges[i][1]], is->points[hull->edges[i][0]]));
    }
}

/// @param origin  of the body's centre of mass
static inline solid solid_of(const iso__space_collider *collider, vec3 origin) {
    solid is = {.radius = ldexp(collider->radius, -24)};
    if (collider->kind == ISO__SPACE_COLLIDER_BOX) {
        is.radius = 0;
        solid_add_box(&is, collider, origin);
    } else if (collider->kind == ISO__SPACE_COLLIDER_HULL) {
        is.radius = 0;
        solid_add_hull(&is, collider, origin);
    } else {
        const bool is_sphere = collider->kind == ISO__SPACE_COLLIDER_SPHERE;
        is.count = is_sphere ? 1 : 2;
        for (uint32_t i = 0; i < is.count; ++i) {
            const vec3 p = vec3_of(is_sphere ? collider->centre : collider->ends[i], 24);
            is.points[i] = vec3_add(origin, vec3_turn(collider->rotation, p));
        }
        if (!is_sphere) {
            is.directions[0] = vec3_unit(vec3_sub(is.points[1], is.points[0]));
            is.direction_count = 1;
        }
    }
    return is;
}

static inline double segment_distance(vec3 p, vec3 a, vec3 b) {
    const vec3 e = vec3_sub(b, a), r = vec3_sub(p, a);
    const double t = fmin(fmax(vec3_dot(r, e) / vec3_dot(e, e), 0), 1);
    return vec3_length(vec3_sub(r, vec3_scale(e, t)));
}

/// Of the core from a point: negative inside, then the distance to the nearest face.
static inline double solid_core_distance(const solid *is, vec3 p) {
    if (is->count <= 2) {
        return is->count == 1 ? vec3_length(vec3_sub(p, is->points[0]))
                              : segment_distance(p, is->points[0], is->points[1]);
    }
    double inside = -HUGE_VAL, outside = HUGE_VAL;
    for (uint32_t f = 0; f < is->normal_count; ++f) {
        const vec3 n = is->normals[f];
        const double height = vec3_dot(n, vec3_sub(p, is->points[is->rings[f][0]]));
        inside = fmax(inside, height);
        bool is_over = height > 0;
        for (uint32_t i = 0; i < is->ring_counts[f] && height > 0; ++i) {
            const vec3 a = is->points[is->rings[f][i]], b = is->points[is->rings[f][(i + 1) % is->ring_counts[f]]];
            outside = fmin(outside, segment_distance(p, a, b));
            is_over = is_over && vec3_dot(vec3_cross(vec3_sub(b, a), n), vec3_sub(p, a)) <= 0;
        }
        outside = is_over ? fmin(outside, height) : outside;
    }
    return inside <= 0 ? inside : outside;
}

/// How far b is from a along a direction, cores only.
static inline double solid_gap(const solid *a, const solid *b, vec3 n) {
    double from = -HUGE_VAL, to = HUGE_VAL;
    for (uint32_t i = 0; i < a->count; ++i) {
        from = fmax(from, vec3_dot(n, a->points[i]));
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        to = fmin(to, vec3_dot(n, b->points[i]));
    }
    return to - from;
}

/// The largest gap along all normals of faces, and along all crosses of edges; minus the least way to part the cores
/// when they overlap.
static inline double solid_face_gap(const solid *a, const solid *b) {
    double faces = -HUGE_VAL;
    for (uint32_t i = 0; i < a->normal_count; ++i) {
        faces = fmax(faces, solid_gap(a, b, a->normals[i]));
    }
    for (uint32_t i = 0; i < b->normal_count; ++i) {
        faces = fmax(faces, solid_gap(a, b, vec3_scale(b->normals[i], -1)));
    }
    return faces;
}

static inline double solid_edge_gap(const solid *a, const solid *b) {
    double edges = -HUGE_VAL;
    for (uint32_t i = 0; i < a->direction_count; ++i) {
        for (uint32_t j = 0; j < b->direction_count; ++j) {
            const vec3 across = vec3_cross(a->directions[i], b->directions[j]);
            if (vec3_dot(across, across) >= ldexp(1, -12)) {
                const vec3 n = vec3_unit(across);
                edges = fmax(edges, fmax(solid_gap(a, b, n), solid_gap(a, b, vec3_scale(n, -1))));
            }
        }
    }
    return edges;
}

/// The distance of the cores, of which `a` is a point or a segment: a convex function along it.
static inline double solid_round_distance(const solid *a, const solid *b) {
    if (a->count == 1) {
        return solid_core_distance(b, a->points[0]);
    }
    double low = 0, high = 1;
    const vec3 e = vec3_sub(a->points[1], a->points[0]);
    for (int i = 0; i < 100; ++i) {
        const double third = (high - low) / 3;
        const double left = fmax(solid_core_distance(b, vec3_add(a->points[0], vec3_scale(e, low + third))), 0);
        const double right = fmax(solid_core_distance(b, vec3_add(a->points[0], vec3_scale(e, high - third))), 0);
        if (left <= right) {
            high -= third;
        }
        if (right <= left) {
            low += third;
        }
    }
    return solid_core_distance(b, vec3_add(a->points[0], vec3_scale(e, (low + high) / 2)));
}

// ---- pairs ---------------------------------------------------------------------------------------

typedef struct pair {
    iso__space_collider a, b;
    int64_t offset[3];
    solid sa, sb;
} pair;

/// What the colliders and the offset of a pair have become.
static inline void pair_update(pair *is) {
    is->sa = solid_of(&is->a, (vec3){0, 0, 0});
    is->sb = solid_of(&is->b, vec3_of_wide(is->offset));
}

// ---- random colliders ----------------------------------------------------------------------------

static inline int32_t length24(double metres) {
    return (int32_t)lround(ldexp(metres, 24));
}

static inline void rotation_random(rng *random, int32_t r[9]) {
    double q[4], squared = 0;
    do {
        squared = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = rng_range(random, -1, 1);
            squared += q[i] * q[i];
        }
    } while (squared > 1 || squared < 0.01);
    const double s = 2 / squared, x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[9] = {1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
                         s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
                         s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 9; ++i) {
        r[i] = (int32_t)lround(ldexp(m[i], 30));
    }
}

static inline void rotation_unit(int32_t r[9]) {
    for (int i = 0; i < 9; ++i) {
        r[i] = i % 4 == 0 ? ISO__UNIT_ONE : 0;
    }
}

static inline void place_random(rng *random, double size, int32_t v[3]) {
    for (int i = 0; i < 3; ++i) {
        v[i] = length24(rng_range(random, -size, size));
    }
}

/// A collider of about `size`; a hull has to be set by the caller.
static inline iso__space_collider collider_random(rng *random, iso__space_collider_kind kind, double size) {
    iso__space_collider is = {.kind = (uint8_t)kind};
    rotation_random(random, is.rotation);
    rotation_random(random, is.frame);
    place_random(random, size / 2, is.centre);
    place_random(random, size, is.ends[0]);
    place_random(random, size, is.ends[1]);
    is.radius = length24(rng_range(random, 0.1, 1) * size);
    for (int i = 0; i < 3; ++i) {
        is.half[i] = length24(rng_range(random, 0.1, 1) * size);
    }
    return is;
}

static const iso__space_manifold_settings SETTINGS = {83886, 335544}; // 5 mm, 2 cm

static inline iso__space_manifold manifold_of(const iso__space_collider *a, const iso__space_collider *b,
                                              const int64_t offset[3]) {
    iso__space_manifold manifold;
    memset(&manifold, 0xA5, sizeof manifold);
    iso__space_manifold_make(&SETTINGS, a, b, offset, &manifold);
    return manifold;
}

/// Two pieces of about 1 m; `apart` bounds the way between their bodies along each axis.
static inline pair pair_random(rng *random, iso__space_collider_kind a, iso__space_collider_kind b, double apart) {
    pair is = {.a = collider_random(random, a, 1), .b = collider_random(random, b, 1)};
    for (int i = 0; i < 3; ++i) {
        is.offset[i] = length24(rng_range(random, -apart, apart));
    }
    pair_update(&is);
    return is;
}

// ---- manifolds -----------------------------------------------------------------------------------

/// What holds for every manifold.
static inline void manifold_check(const iso__space_manifold *manifold, const int64_t offset[3]) {
    assert_true(manifold->count <= ISO__SPACE_MANIFOLD_POINTS);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const iso__space_manifold_point *point = &manifold->points[i];
        EXPECT_NEAR(vec3_length(vec3_of(manifold->normal, 30)), 1, 4e-9, "the normal's length");
        assert_true(point->separation <= SETTINGS.speculative);
        for (int k = 0; k < 3; ++k) {
            assert_true(llabs(point->anchor_a[k] - point->anchor_b[k] - offset[k]) <= 1);
        }
    }
}

static inline double least_separation(const iso__space_manifold *manifold) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < manifold->count; ++i) {
        least = fmin(least, ldexp(manifold->points[i].separation, -24));
    }
    return least;
}

/// The largest a - b, b - a of two manifolds' points, of which the second one is of the pair in the other order.
static inline double manifold_mirror_difference(const iso__space_manifold *manifold,
                                                const iso__space_manifold *mirror) {
    double largest = vec3_length(vec3_add(vec3_of(manifold->normal, 30), vec3_of(mirror->normal, 30)));
    for (uint32_t i = 0; i < manifold->count; ++i) {
        double nearest = HUGE_VAL;
        for (uint32_t k = 0; k < mirror->count; ++k) {
            const iso__space_manifold_point *p = &manifold->points[i], *q = &mirror->points[k];
            const double off = vec3_length(vec3_sub(vec3_of(p->anchor_a, 24), vec3_of(q->anchor_b, 24)));
            nearest = fmin(nearest, fmax(off, fabs(ldexp(p->separation, -24) - ldexp(q->separation, -24))));
        }
        largest = fmax(largest, nearest);
    }
    return largest;
}

#endif
