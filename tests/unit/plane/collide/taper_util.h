/// The twin of tapered pieces in double precision: hulls of circles, known by how far they reach in a direction.
///
/// Two convex sets are apart, or minus the least way that parts them, by the largest over all directions n of
///
///   f(n) = -reach_A(n) - reach_B(-n)     reach(n) = max over its circles of n.centre + radius
///
/// Here every direction is tried, then the best ones are refined by thirds. It knows of no side, end or region.
#ifndef TEST_TAPER_UTIL_H
#define TEST_TAPER_UTIL_H

#include "unit/world/physics_util.h"

#include "plane/world/geometry.h"

#define TWIN_DIRECTIONS 192

typedef struct twin {
    uint32_t count;
    double x[ISO_POLYGON_VERTICES_MAX], y[ISO_POLYGON_VERTICES_MAX], radius[ISO_POLYGON_VERTICES_MAX];
} twin;

static inline double twin_reach(const twin *is, double nx, double ny) {
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < is->count; ++i) {
        most = fmax(most, nx * is->x[i] + ny * is->y[i] + is->radius[i]);
    }
    return most;
}

static inline double twin_gap(const twin *a, const twin *b, double nx, double ny) {
    return -twin_reach(a, nx, ny) - twin_reach(b, -nx, -ny);
}

/// @param n  receives the direction from a to b; may be NULL
static inline double twin_separation(const twin *a, const twin *b, double n[2]) {
    double gaps[TWIN_DIRECTIONS], best = -HUGE_VAL, best_at = 0;
    for (int i = 0; i < TWIN_DIRECTIONS; ++i) {
        const double at = 2 * PI * i / TWIN_DIRECTIONS;
        gaps[i] = twin_gap(a, b, cos(at), sin(at));
    }
    for (int i = 0; i < TWIN_DIRECTIONS; ++i) {
        if (gaps[i] < gaps[(i + 1) % TWIN_DIRECTIONS] || gaps[i] < gaps[(i + TWIN_DIRECTIONS - 1) % TWIN_DIRECTIONS]) {
            continue;
        }
        double low = 2 * PI * (i - 1) / TWIN_DIRECTIONS, high = 2 * PI * (i + 1) / TWIN_DIRECTIONS;
        for (int n_step = 0; n_step < 50; ++n_step) {
            const double one = low + (high - low) / 3, two = high - (high - low) / 3;
            const bool is_first = twin_gap(a, b, cos(one), sin(one)) > twin_gap(a, b, cos(two), sin(two));
            *(is_first ? &high : &low) = is_first ? two : one;
        }
        const double gap = twin_gap(a, b, cos(low), sin(low));
        if (gap > best) {
            best = gap;
            best_at = low;
        }
    }
    if (n != NULL) {
        n[0] = cos(best_at);
        n[1] = sin(best_at);
    }
    return best;
}

static inline double twin_distance(const twin *is, double x, double y) {
    const twin point = {.count = 1, .x = {x}, .y = {y}};
    return twin_separation(is, &point, NULL);
}

/// A definition's twin in a frame that stands at (x, y) and is turned by `turns`.
static inline twin twin_of(const iso_shape_def *def, double x, double y, double turns) {
    twin is = {.count = def->point_count};
    const double c = cos(2 * PI * turns), s = sin(2 * PI * turns);
    for (uint32_t i = 0; i < def->point_count; ++i) {
        const double px = from_fix(def->points[i].x), py = from_fix(def->points[i].y);
        is.x[i] = x + c * px - s * py;
        is.y[i] = y + s * px + c * py;
        is.radius[i] = from_fix(i == 1 && def->radius_b != 0 ? def->radius_b : def->radius);
    }
    return is;
}

/// Exactly, for small numbers: double has all bits of the place and of the angle's fraction.
static inline twin twin_of_shape(const iso_world *world, iso_shape_id shape) {
    iso_shape_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape_get(world, shape, &def, &body), ISO_OK);
    const iso_body_view view = body_view(world, body);
    return twin_of(&def, from_wide(view.position.x), from_wide(view.position.y),
                   from_wide((int64_t)(uint32_t)(uint64_t)view.angle_turns));
}

static inline iso_shape_def shape_tapered(double ax, double ay, double bx, double by, double radius_a,
                                          double radius_b) {
    return iso_shape_def_tapered_capsule((iso_vec2){fix(ax), fix(ay)}, (iso_vec2){fix(bx), fix(by)}, fix(radius_a),
                                         fix(radius_b));
}

/// Ends of any two radii up to `size`; the larger one holds between nothing and nearly all of the smaller.
static inline iso_shape_def shape_tapered_random(rng *random, double size) {
    for (;;) {
        const double turn = rng_range(random, 0, 2 * PI), x = rng_range(random, -0.3, 0.3) * size;
        const double radius_a = fmax(0.0011, size * pow(10, rng_range(random, -2, 0)));
        const double radius_b = fmax(0.0011, size * pow(10, rng_range(random, -2, 0)));
        const double apart = fabs(radius_a - radius_b) * 1.0001 + 0.002 + size * pow(10, rng_range(random, -4, 0));
        const iso_shape_def def = shape_tapered(x, 0, x + apart * cos(turn), apart * sin(turn), radius_a, radius_b);
        if (iso_shape_def_check(&def) == ISO_OK) {
            return def;
        }
    }
}

#endif
