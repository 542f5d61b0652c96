/// Manifolds of tapered capsules against their twins in double precision (taper_util.h), and the poses that matter: on
/// the flat side, on an end, over the end of a face.
///
/// Bounds as in test_manifold.c: rounding, and a tenth of the slop where a reference face is chosen.
#include "taper_util.h"

#include "plane/world/body_mass.h"
#include "plane/world/plane.h"

#define SPECULATIVE 0.02
#define PREFERENCE  0.0005

static const iso__manifold_settings SETTINGS = {.slop = 83886, .speculative = 335544}; // 5 mm and 20 mm in Q7.24

typedef enum partner { TAPERED, CIRCLE, CAPSULE, SHARP, ROUNDED, PARTNERS } partner;

static iso_shape_def partner_make(rng *random, partner kind, double size) {
    switch (kind) {
    case CIRCLE:
        return shape_circle(size * rng_range(random, 0.05, 1));
    case CAPSULE:
        return shape_capsule_random(random, size, size * rng_range(random, 0.05, 0.5));
    case SHARP:
        return shape_polygon_random(random, 3 + rng_below(random, 6), size, size * rng_range(random, 0.4, 1), 0);
    case ROUNDED:
        return shape_polygon_random(random, 3 + rng_below(random, 6), size, size * rng_range(random, 0.4, 1),
                                    size * rng_range(random, 0.05, 0.3));
    default:
        return shape_tapered_random(random, size);
    }
}

typedef struct pair {
    iso_world *world;
    iso_shape_id shapes[2];
} pair;

static bool pair_make(pair *is, const iso_shape_def defs[2]) {
    is->world = world_make_small(0);
    for (int i = 0; i < 2; ++i) {
        const iso_body_id body = body_add(is->world, ISO_BODY_STATIC, 0, 0, 0);
        if (iso_shape_create(is->world, body, &defs[i], &is->shapes[i]) != ISO_OK) {
            world_free(is->world);
            return false; // two points of a small polygon came too close
        }
    }
    return true;
}

static void pair_put(pair *is, int which, double x, double y, double turns) {
    iso__plane_body *body = &iso__plane_of(is->world)->bodies[which];
    body->position[0] = wide(x);
    body->position[1] = wide(y);
    body->angle = wide(turns);
    iso__plane_body_update_rotation(iso__plane_of(is->world), (uint32_t)which);
}

/// Turns both at random and pushes B along the best direction until they are about as far apart.
static void pair_pose(pair *is, rng *random, double separation) {
    double x = rng_range(random, -1, 1), y = rng_range(random, -1, 1);
    const double turns = rng_range(random, -3, 3);
    pair_put(is, 0, 0, 0, rng_range(random, -3, 3));
    for (int i = 0; i < 4; ++i) {
        double n[2];
        pair_put(is, 1, x, y, turns);
        const twin a = twin_of_shape(is->world, is->shapes[0]), b = twin_of_shape(is->world, is->shapes[1]);
        const double off = separation - twin_separation(&a, &b, n);
        x += off * n[0];
        y += off * n[1];
    }
    pair_put(is, 1, x, y, turns);
}

typedef struct worst {
    double separation, normal, place;
    uint32_t count, touching, two;
} worst;

static double least_separation(const iso__plane_manifold *manifold) {
    double least = HUGE_VAL;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        least = fmin(least, manifold->points[p].separation * QUANTUM_LENGTH);
    }
    return least;
}

/// Whether two middles are so near each other that the way between them, less than a tenth of the slop, is no
/// direction: a corner in the middle of an end.
static bool pair_is_degenerate(const twin *a, const twin *b) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            least = fmin(least, hypot(a->x[i] - b->x[j], a->y[i] - b->y[j]));
        }
    }
    return least < 2 * PREFERENCE;
}

static void pair_check(const char *name, const pair *is, double preference, double size, worst *seen) {
    const twin a = twin_of_shape(is->world, is->shapes[0]), b = twin_of_shape(is->world, is->shapes[1]);
    const double truth = twin_separation(&a, &b, NULL), exact = 10 * QUANTUM_LENGTH + 8e-9 * size;
    if (pair_is_degenerate(&a, &b)) {
        return;
    }
    iso__plane_manifold manifold;
    iso__plane_shapes_collide(iso__plane_of(is->world), &SETTINGS, is->shapes[0].index, is->shapes[1].index, &manifold);
    ++seen->count;
    if (manifold.count == 0) {
        EXPECT(truth > SPECULATIVE - preference - exact, "%s: no point at a separation of %g", name, truth);
        return;
    }
    ++seen->touching;
    seen->two += manifold.count == 2;
    const double nx = manifold.normal[0] / 1073741824.0, ny = manifold.normal[1] / 1073741824.0;
    const double gap = twin_gap(&a, &b, nx, ny), least = least_separation(&manifold);
    EXPECT_NEAR(hypot(nx, ny), 1, 4e-9, "%s: length of the normal", name);
    EXPECT_NEAR(least, truth, preference + exact, "%s: separation", name);
    EXPECT_NEAR(gap, truth, 2 * preference + exact, "%s: apart along the normal, at a separation of %g", name, truth);
    seen->separation = fmax(seen->separation, fabs(least - truth));
    seen->normal = fmax(seen->normal, fabs(gap - truth));
    const iso__plane_body *body = &iso__plane_of(is->world)->bodies[0];
    for (uint32_t p = 0; p < manifold.count; ++p) {
        const iso__plane_manifold_point *point = &manifold.points[p];
        const double x = from_wide(body->position[0]) + point->anchor_a[0] * QUANTUM_LENGTH;
        const double y = from_wide(body->position[1]) + point->anchor_a[1] * QUANTUM_LENGTH;
        const double half = fabs(point->separation * QUANTUM_LENGTH) / 2;
        const double off = fmax(twin_distance(&a, x, y), twin_distance(&b, x, y)) - half;
        // The second point of a face is half-way along the reference's normal, to which the other side may lean.
        EXPECT(off <= exact + 4 * preference, "%s: a point of separation %g is %g m off the middle", name, 2 * half,
               off);
        seen->place = fmax(seen->place, off);
    }
}

static double separation_any(rng *random, double size) {
    switch (rng_below(random, 4)) {
    case 0:
        return rng_range(random, -0.001, 0.001);
    case 1:
        return rng_range(random, 0, 0.03);
    case 2:
        return rng_range(random, -0.02, 0);
    default:
        return rng_range(random, -0.2 * size, 0);
    }
}

static double least_radius(const iso_shape_def *def) {
    return from_fix(def->radius_b != 0 && def->radius_b < def->radius ? def->radius_b : def->radius);
}

static void pairs_check(const char *name, uint64_t seed, partner other, double smallest, double largest) {
    rng random = {seed};
    worst seen = {0, 0, 0, 0, 0, 0};
    for (int n = 0; n < 60; ++n) {
        const double size = smallest * pow(largest / smallest, rng_range(&random, 0, 1));
        const iso_shape_def tapered = shape_tapered_random(&random, size);
        const iso_shape_def mate = partner_make(&random, other, size);
        const iso_shape_def defs[2] = {n % 2 ? mate : tapered, n % 2 ? tapered : mate};
        pair is;
        if (!pair_make(&is, defs)) {
            continue;
        }
        for (int i = 0; i < 20; ++i) {
            // Two lines of middles stay apart, as in any world that works; into a polygon they may come.
            const double floor = other == SHARP ? -size : -least_radius(&tapered) - least_radius(&mate);
            pair_pose(&is, &random, fmax(separation_any(&random, size), floor));
            pair_check(name, &is, other == CIRCLE ? 0 : PREFERENCE, size, &seen);
        }
        world_free(is.world);
    }
    print_message("%s: %u poses, %u with points, %u with two; worst separation %.1e, normal %.1e, place %.1e m\n", name,
                  seen.count, seen.touching, seen.two, seen.separation, seen.normal, seen.place);
    EXPECT(seen.touching > seen.count / 3 && seen.count >= 1000, "%s: too few touch", name);
}

static void test_tapered_capsules_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("tapered", 1, TAPERED, 0.05, 5);
    pairs_check("tapered, small", 2, TAPERED, 0.01, 0.05);
    pairs_check("tapered, large", 3, TAPERED, 5, 15);
    pairs_check("tapered and capsule", 4, CAPSULE, 0.05, 5);
}

static void test_tapered_capsules_and_circles_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("tapered and circle", 5, CIRCLE, 0.05, 5);
}

static void test_tapered_capsules_and_polygons_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("tapered and polygon", 6, SHARP, 0.1, 5);
    pairs_check("tapered and rounded polygon", 7, ROUNDED, 0.1, 5);
}

/// The side's angle against the line of middles, in turns: what a tapered capsule is turned by to lie flat.
static double lying_turns(const iso_shape_def *def) {
    const double dx = from_fix(def->points[1].x) - from_fix(def->points[0].x);
    return asin((from_fix(def->radius_b) - from_fix(def->radius)) / dx) / (2 * PI);
}

/// Two points that keep their numbers while it trembles, slides and hangs over; on polygons, and on one another.
static void test_lying_tapered_capsules_touch_in_two_points_that_stay(void **state) {
    (void)state;
    rng random = {8};
    const iso_shape_def upper = shape_tapered(-0.5, 0, 0.5, 0, 0.3, 0.1);
    const iso_shape_def lower[] = {shape_box(2, 0.25), shape_capsule(-2, 0, 2, 0, 0.25)};
    for (int l = 0; l < 2; ++l) {
        for (int swap = 0; swap < 2; ++swap) {
            const iso_shape_def defs[2] = {swap ? upper : lower[l], swap ? lower[l] : upper};
            const double flat = lying_turns(&upper), c = cos(2 * PI * flat);
            pair is;
            assert_true(pair_make(&is, defs));
            uint32_t first[2] = {0, 0};
            for (int i = 0; i < 400; ++i) {
                // The left end's middle is 0.3 above the top, the origin at the mean of the radii.
                const double along = i == 0 ? 0 : rng_range(&random, -1.6, 1.6);
                const double up = 0.25 + 0.2 + (i == 0 ? 0 : rng_range(&random, -0.004, 0.0002));
                const double tremble = i == 0 ? 0 : rng_range(&random, -2e-5, 2e-5);
                pair_put(&is, swap, 0, 0, 0);
                pair_put(&is, 1 - swap, along * c, up, flat + tremble);
                iso__plane_manifold manifold;
                iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
                EXPECT(manifold.count == 2, "lower %d, at %g, turned by %g: %u points", l, along, tremble,
                       manifold.count);
                for (uint32_t p = 0; p < 2; ++p) {
                    first[p] = i == 0 ? manifold.points[p].feature : first[p];
                    assert_int_equal(manifold.points[p].feature, first[p]);
                    EXPECT_NEAR(manifold.points[p].separation * QUANTUM_LENGTH, up - 0.45, 2e-4, "lower %d", l);
                }
            }
            world_free(is.world);
        }
    }
}

/// On its large end, and on its small one: one point, whose number stays while it sways.
static void test_standing_tapered_capsule_keeps_its_point_while_it_sways(void **state) {
    (void)state;
    rng random = {9};
    for (int end = 0; end < 2; ++end) {
        const iso_shape_def defs[2] = {shape_box(2, 0.25),
                                       shape_tapered(0, -0.5, 0, 0.5, end ? 0.1 : 0.3, end ? 0.3 : 0.1)};
        pair is;
        assert_true(pair_make(&is, defs));
        for (int i = 0; i < 500; ++i) {
            const double sway = rng_range(&random, -0.1, 0.1), along = rng_range(&random, -1.5, 1.5);
            const double radius = end ? 0.1 : 0.3;
            pair_put(&is, 0, 0, 0, 0);
            pair_put(&is, 1, along - 0.5 * sin(2 * PI * sway), 0.249 + radius + 0.5 * cos(2 * PI * sway), sway);
            iso__plane_manifold manifold;
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
            assert_int_equal(manifold.count, 1);
            EXPECT(manifold.points[0].feature == (2u << 8 | 16u), "end %d: feature %x at %g, sway %g", end,
                   manifold.points[0].feature, along, sway);
            EXPECT_NEAR(manifold.points[0].separation * QUANTUM_LENGTH, -0.001, 2e-5, "end %d", end);
        }
        world_free(is.world);
    }
}

/// The tip that hangs over the end of a face: no way of standing there loses the contact.
static void test_end_over_the_end_of_a_face_is_not_clipped_off(void **state) {
    (void)state;
    rng random = {10};
    const iso_shape_def lower[] = {shape_box(1, 0.25), shape_capsule(-1, 0, 1, 0, 0.25),
                                   shape_tapered(-1, 0, 1, 0, 0.25, 0.25 + QUANTUM_FIX16)};
    for (int l = 0; l < 3; ++l) {
        const iso_shape_def defs[2] = {lower[l], shape_tapered(0, -0.5, 0, 0.5, 0.25, 0.1)};
        worst seen = {0, 0, 0, 0, 0, 0};
        pair is;
        assert_true(pair_make(&is, defs));
        for (int i = 0; i < 1000; ++i) {
            const double sway = pow(10, rng_range(&random, -9, -0.7)) * (i % 2 ? 1 : -1);
            const double over = pow(10, rng_range(&random, -8, -1)) * (i % 4 < 2 ? 1 : -1);
            pair_put(&is, 0, 0, 0, 0);
            pair_put(&is, 1, 1 + over - 0.5 * sin(2 * PI * sway), 0.4999 + 0.5 * cos(2 * PI * sway), sway);
            pair_check("end over the end of a face", &is, PREFERENCE, 1, &seen);
        }
        EXPECT(seen.touching == seen.count, "%u contacts of %u are lost", seen.count - seen.touching, seen.count);
        world_free(is.world);
    }
}

/// A second radius that differs by one quantum changes the answer by no more than that, and one that is the same does
/// not change it at all.
static void test_equal_radii_are_those_of_a_capsule(void **state) {
    (void)state;
    rng random = {11};
    for (int n = 0; n < 200; ++n) {
        const iso_shape_def capsule = shape_capsule_random(&random, 0.8, 0.15);
        const iso_shape_def other = partner_make(&random, (partner)(n % PARTNERS), 0.6);
        iso_shape_def same = capsule, near = capsule;
        same.radius_b = capsule.radius;
        near.radius_b = capsule.radius + 1;
        pair is[3];
        const iso_shape_def defs[3][2] = {{capsule, other}, {same, other}, {near, other}};
        if (!pair_make(&is[0], defs[0])) {
            continue;
        }
        assert_true(pair_make(&is[1], defs[1]) && pair_make(&is[2], defs[2]));
        for (int i = 0; i < 10; ++i) {
            pair_pose(&is[0], &random, rng_range(&random, -0.02, 0.015));
            iso__plane_manifold manifolds[3];
            for (int m = 0; m < 3; ++m) {
                for (int body = 0; m > 0 && body < 2; ++body) {
                    iso__plane_of(is[m].world)->bodies[body] = iso__plane_of(is[0].world)->bodies[body];
                    iso__plane_body_update_rotation(iso__plane_of(is[m].world), (uint32_t)body);
                }
                memset(&manifolds[m], 0, sizeof manifolds[m]);
                iso__plane_shapes_collide(iso__plane_of(is[m].world), &SETTINGS, 0, 1, &manifolds[m]);
            }
            assert_true(manifolds[0].count > 0 && manifolds[2].count > 0);
            assert_memory_equal(&manifolds[0], &manifolds[1], sizeof manifolds[0]);
            EXPECT_NEAR(least_separation(&manifolds[2]), least_separation(&manifolds[0]),
                        QUANTUM_FIX16 + PREFERENCE / 4, "pair %d, pose %d", n, i);
        }
        for (int m = 0; m < 3; ++m) {
            world_free(is[m].world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tapered_capsules_touch_as_they_are),
        cmocka_unit_test(test_tapered_capsules_and_circles_touch_as_they_are),
        cmocka_unit_test(test_tapered_capsules_and_polygons_touch_as_they_are),
        cmocka_unit_test(test_lying_tapered_capsules_touch_in_two_points_that_stay),
        cmocka_unit_test(test_standing_tapered_capsule_keeps_its_point_while_it_sways),
        cmocka_unit_test(test_end_over_the_end_of_a_face_is_not_clipped_off),
        cmocka_unit_test(test_equal_radii_are_those_of_a_capsule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
