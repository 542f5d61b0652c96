/// Two bodies that are placed at will, and their manifold against exact geometry in double precision.
#ifndef TEST_MANIFOLD_UTIL_H
#define TEST_MANIFOLD_UTIL_H

#include "convex_util.h"

#include "plane/world/body_mass.h"
#include "plane/world/geometry.h"
#include "plane/world/plane.h"

#define SPECULATIVE 0.02
#define PREFERENCE  0.0005 // a tenth of the slop

static const iso__manifold_settings SETTINGS = {.slop = 83886, .speculative = 335544}; // 5 mm and 20 mm in Q7.24

// ---- two bodies that are placed at will ----------------------------------------------------------

typedef struct placed {
    iso_world *world;
    iso_shape_id shapes[2];
    double size;
    iso_vec2_wide origin; // where the pair is
} placed;

static inline bool placed_make(placed *is, const iso_shape_def defs[2]) {
    *is = (placed){.world = world_make_small(0)};
    for (int i = 0; i < 2; ++i) {
        const iso_body_id body = body_add(is->world, ISO_BODY_STATIC, 0, 0, 0);
        if (iso_shape_create(is->world, body, &defs[i], &is->shapes[i]) != ISO_OK) {
            world_free(is->world);
            return false; // two points of a small polygon came too close
        }
        for (uint32_t p = 0; p < defs[i].point_count; ++p) {
            const double far =
                hypot(from_fix(defs[i].points[p].x), from_fix(defs[i].points[p].y)) + from_fix(defs[i].radius);
            is->size = fmax(is->size, far);
        }
    }
    return true;
}

static inline void placed_put(placed *is, int which, double x, double y, double turns) {
    iso__plane_body *body = &iso__plane_of(is->world)->bodies[which];
    body->position[0] = is->origin.x + wide(x);
    body->position[1] = is->origin.y + wide(y);
    body->angle = wide(turns);
    iso__plane_body_update_rotation(iso__plane_of(is->world), (uint32_t)which);
}

static inline void placed_read(const placed *is, convex *a, convex *b) {
    *a = convex_of(is->world, is->shapes[0], is->origin);
    *b = convex_of(is->world, is->shapes[1], is->origin);
}

/// Turns both at random and moves B along a random ray to where the surfaces are `separation` apart.
static inline void placed_pose(placed *is, rng *random, double separation) {
    convex a, b;
    const double direction = rng_range(random, 0, 2 * PI), turns = rng_range(random, -3, 3);
    placed_put(is, 0, 0, 0, rng_range(random, -3, 3));
    double low = 0, high = 3 * is->size + 1;
    for (int i = 0; i < 45; ++i) {
        const double middle = (low + high) / 2;
        placed_put(is, 1, middle * cos(direction), middle * sin(direction), turns);
        placed_read(is, &a, &b);
        *(convex_separation(&a, &b) < separation ? &low : &high) = middle;
    }
}

// ---- one manifold against the truth --------------------------------------------------------------

typedef struct errors {
    double separation, normal, place;
    uint32_t count, touching;
} errors;

static inline void manifold_check_points(const char *name, const placed *is, const iso__plane_manifold *manifold,
                                         const convex *a, const convex *b, double bound, errors *worst) {
    const iso__plane_body *bodies = iso__plane_of(is->world)->bodies;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso__plane_manifold_point *point = &manifold->points[p];
        for (int axis = 0; axis < 2; ++axis) {
            const double between = from_wide(bodies[1].position[axis] - bodies[0].position[axis]);
            EXPECT_NEAR((point->anchor_a[axis] - (double)point->anchor_b[axis]) * QUANTUM_LENGTH, between,
                        QUANTUM_LENGTH, "%s: the two anchors of a point", name);
        }
        const vec place = {from_wide(bodies[0].position[0] - is->origin.x) + point->anchor_a[0] * QUANTUM_LENGTH,
                           from_wide(bodies[0].position[1] - is->origin.y) + point->anchor_a[1] * QUANTUM_LENGTH};
        const double separation = point->separation * QUANTUM_LENGTH;
        EXPECT(separation <= SPECULATIVE + QUANTUM_LENGTH, "%s: a point %g m apart", name, separation);
        // Halfway between the surfaces, so no farther outside of either than half the separation.
        const double off =
            fmax(convex_point_distance(a, place), convex_point_distance(b, place)) - fabs(separation) / 2;
        EXPECT(off <= bound, "%s: a point of separation %g is %g m off the middle", name, separation, off);
        worst->place = fmax(worst->place, off);
    }
}

/// @param preference  what the choice of a reference face may give away [m]
static inline void manifold_check(const char *name, const placed *is, double preference, errors *worst) {
    convex a, b;
    placed_read(is, &a, &b);
    const double truth = convex_separation(&a, &b), exact = 8 * QUANTUM_LENGTH + 4e-9 * is->size;
    iso__plane_manifold manifold;
    iso__plane_shapes_collide(iso__plane_of(is->world), &SETTINGS, is->shapes[0].index, is->shapes[1].index, &manifold);
    ++worst->count;
    if (manifold.count == 0) {
        EXPECT(truth > SPECULATIVE - preference - exact, "%s: no point at a separation of %g", name, truth);
        return;
    }
    ++worst->touching;
    double least = HUGE_VAL;
    for (uint32_t p = 0; p < manifold.count; ++p) {
        least = fmin(least, manifold.points[p].separation * QUANTUM_LENGTH);
    }
    const vec n = {manifold.normal[0] / 1073741824.0, manifold.normal[1] / 1073741824.0};
    const double gap = convex_gap(&a, &b, n) - a.radius - b.radius;
    EXPECT_NEAR(hypot(n.x, n.y), 1, 4e-9, "%s: length of the normal", name);
    EXPECT_NEAR(least, truth, preference + exact, "%s: separation", name);
    // Along the best normal the shapes are apart by the truth; along this one by no less than it gives away.
    EXPECT_NEAR(gap, truth, 2 * preference + exact, "%s: apart along the normal, at a separation of %g", name, truth);
    worst->separation = fmax(worst->separation, fabs(least - truth));
    worst->normal = fmax(worst->normal, fabs(gap - truth));
    manifold_check_points(name, is, &manifold, &a, &b, exact + preference, worst);
}

static inline void errors_print(const char *name, const errors *worst) {
    print_message("%s: %u poses, %u with points; worst separation %.1e, normal %.1e, place %.1e m\n", name,
                  worst->count, worst->touching, worst->separation, worst->normal, worst->place);
}

/// Apart, touching, slightly and deeply in each other.
static inline double separation_any(rng *random, double size) {
    switch (rng_below(random, 4)) {
    case 0:
        return rng_range(random, -0.001, 0.001);
    case 1:
        return rng_range(random, 0, 0.03);
    case 2:
        return rng_range(random, -0.02, 0);
    default:
        return rng_range(random, -0.3 * size, 0);
    }
}

static inline void pairs_check(const char *name, uint64_t seed, double smallest, double largest,
                               const iso_shape_kind kinds[2], double rounding, double preference) {
    rng random = {seed};
    errors worst = {0, 0, 0, 0, 0};
    for (int pair = 0; pair < 120; ++pair) {
        iso_shape_def defs[2];
        for (int i = 0; i < 2; ++i) {
            const double size = smallest * pow(largest / smallest, rng_range(&random, 0, 1));
            const double round = rounding * size * rng_range(&random, 0.1, 1);
            defs[i] = kinds[i] == ISO_SHAPE_CIRCLE    ? shape_circle(size)
                      : kinds[i] == ISO_SHAPE_CAPSULE ? shape_capsule_random(&random, size, round)
                                                      : shape_polygon_random(&random, 3 + rng_below(&random, 6), size,
                                                                             size * rng_range(&random, 0.2, 1), round);
        }
        placed is;
        if (!placed_make(&is, defs)) {
            continue;
        }
        is.origin = (iso_vec2_wide){wide(rng_range(&random, -100, 100)), wide(rng_range(&random, -100, 100))};
        const double least_size = fmin(from_fix(defs[0].radius), from_fix(defs[1].radius)) * (rounding > 0);
        for (int i = 0; i < 100; ++i) {
            // The cores of rounded pieces stay apart, as in any world that works.
            const double separation = separation_any(&random, is.size);
            placed_pose(&is, &random, rounding > 0 ? fmax(separation, -least_size) : separation);
            manifold_check(name, &is, preference, &worst);
        }
        world_free(is.world);
    }
    errors_print(name, &worst);
    EXPECT(worst.touching > worst.count / 4 && worst.count > 3000, "%s: too few touch", name);
}

static inline void features_of(const placed *is, uint32_t features[2], uint32_t *count) {
    iso__plane_manifold manifold;
    iso__plane_shapes_collide(iso__plane_of(is->world), &SETTINGS, 0, 1, &manifold);
    *count = manifold.count;
    for (uint32_t p = 0; p < manifold.count; ++p) {
        features[p] = manifold.points[p].feature;
    }
}

#endif
