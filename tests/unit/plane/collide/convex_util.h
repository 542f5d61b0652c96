/// Convex pieces in double precision, exact to rounding: distance, penetration, support.
#ifndef TEST_CONVEX_UTIL_H
#define TEST_CONVEX_UTIL_H

#include "unit/world/physics_util.h"

typedef struct vec {
    double x, y;
} vec;

/// A point or a convex polygon with a rounding, in the world.
typedef struct convex {
    vec points[ISO_POLYGON_VERTICES_MAX];
    uint32_t count;
    double radius;
} convex;

static inline vec vec_sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y};
}

static inline double vec_dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y;
}

/// The shape where its body is, relative to a point near both bodies: far out doubles would lose what is compared.
static inline convex convex_of(const iso_world *world, iso_shape_id shape, iso_vec2_wide origin) {
    iso_shape_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape_get(world, shape, &def, &body), ISO_OK);
    const iso_body_view view = body_view(world, body);
    const double angle = 2 * PI * from_wide((int64_t)(uint32_t)(uint64_t)view.angle_turns);
    const double c = cos(angle), s = sin(angle);
    convex is = {.count = def.point_count, .radius = from_fix(def.radius)};
    for (uint32_t i = 0; i < def.point_count; ++i) {
        const double x = from_fix(def.points[i].x), y = from_fix(def.points[i].y);
        is.points[i] = (vec){from_wide(view.position.x - origin.x) + c * x - s * y,
                             from_wide(view.position.y - origin.y) + s * x + c * y};
    }
    return is;
}

static inline double point_segment_distance(vec p, vec a, vec b) {
    const vec e = vec_sub(b, a), r = vec_sub(p, a);
    const double length = vec_dot(e, e), t = length > 0 ? fmin(fmax(vec_dot(r, e) / length, 0), 1) : 0;
    return hypot(r.x - t * e.x, r.y - t * e.y);
}

static inline vec convex_normal(const convex *is, uint32_t i) {
    const vec e = vec_sub(is->points[(i + 1) % is->count], is->points[i]);
    const double length = hypot(e.x, e.y);
    return (vec){e.y / length, -e.x / length};
}

/// How far b is from a along a direction: the smallest n.b minus the largest n.a, cores only.
static inline double convex_gap(const convex *a, const convex *b, vec n) {
    double from = -HUGE_VAL, to = HUGE_VAL;
    for (uint32_t i = 0; i < a->count; ++i) {
        from = fmax(from, vec_dot(n, a->points[i]));
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        to = fmin(to, vec_dot(n, b->points[i]));
    }
    return to - from;
}

/// The largest gap along the normals of both cores: when it is not positive, minus the least way to part them.
static inline double convex_face_gap(const convex *a, const convex *b) {
    double largest = -HUGE_VAL;
    for (uint32_t i = 0; a->count > 1 && i < a->count; ++i) {
        largest = fmax(largest, convex_gap(a, b, convex_normal(a, i)));
    }
    for (uint32_t i = 0; b->count > 1 && i < b->count; ++i) {
        const vec n = convex_normal(b, i);
        largest = fmax(largest, convex_gap(a, b, (vec){-n.x, -n.y}));
    }
    return largest;
}

static inline double convex_core_distance(const convex *a, const convex *b) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            least = fmin(least, point_segment_distance(a->points[i], b->points[j], b->points[(j + 1) % b->count]));
            least = fmin(least, point_segment_distance(b->points[j], a->points[i], a->points[(i + 1) % a->count]));
        }
    }
    return least;
}

/// The distance between the surfaces; negative: the least translation that parts them.
static inline double convex_separation(const convex *a, const convex *b) {
    const double faces = convex_face_gap(a, b);
    const double core = faces > 0 || faces == -HUGE_VAL ? convex_core_distance(a, b) : faces;
    return core - a->radius - b->radius;
}

/// The distance of a point from the surface, negative inside.
static inline double convex_point_distance(const convex *is, vec p) {
    const convex point = {.points = {p}, .count = 1};
    return convex_separation(is, &point);
}

#endif
