/// Manifolds against exact geometry in double precision: separation, normal, place and features for random poses.
///
/// Bounds. The core rounds vertices, normals and results to Q7.24 and Q2.30: a few quanta, more for wide pieces, whose
/// levers multiply a normal's error. Between polygons a tenth of the slop (0.5 mm) decides which face is the
/// reference and when two corners meet round, so that this much is given away on purpose.
#include "manifold_util.h"
#include "unit/many.h"

static const iso_shape_kind CIRCLES[2] = {ISO_SHAPE_CIRCLE, ISO_SHAPE_CIRCLE};
static const iso_shape_kind POLYGON_CIRCLE[2] = {ISO_SHAPE_POLYGON, ISO_SHAPE_CIRCLE};
static const iso_shape_kind CIRCLE_POLYGON[2] = {ISO_SHAPE_CIRCLE, ISO_SHAPE_POLYGON};
static const iso_shape_kind POLYGONS[2] = {ISO_SHAPE_POLYGON, ISO_SHAPE_POLYGON};

static void test_circles_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("circles", 1, 0.05, 5, CIRCLES, 0, 0);
}

static void test_polygons_and_circles_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("polygon and circle", 2, 0.1, 5, POLYGON_CIRCLE, 0, 0);
    pairs_check("circle and polygon", 3, 0.1, 5, CIRCLE_POLYGON, 0, 0);
    pairs_check("rounded polygon and circle", 4, 0.1, 5, POLYGON_CIRCLE, 0.3, 0);
}

static void test_sharp_polygons_touch_within_a_tenth_of_the_slop(void **state) {
    (void)state;
    pairs_check("sharp polygons", 5, 0.1, 5, POLYGONS, 0, PREFERENCE);
}

static void test_rounded_polygons_touch_within_a_tenth_of_the_slop(void **state) {
    (void)state;
    pairs_check("rounded polygons", 6, 0.1, 5, POLYGONS, 0.3, PREFERENCE);
    pairs_check("round polygons", 7, 0.1, 2, POLYGONS, 2, PREFERENCE);
}

static void test_pebbles_and_platforms_touch_as_well(void **state) {
    (void)state;
    // Half a millimetre is a large share of a pebble: other faces than the best are as near.
    pairs_check("pebbles of 1 cm", 8, 0.01, 0.05, POLYGONS, 0, 10 * PREFERENCE);
    pairs_check("pebbles of 2 mm", 9, 0.002, 0.01, CIRCLES, 0, 0);
    pairs_check("platforms of 60 m", 10, 40, 59, POLYGONS, 0, PREFERENCE);
    pairs_check("platform and ball", 11, 0.01, 59, POLYGON_CIRCLE, 0, 0);
    pairs_check("round platforms", 12, 20, 59, CIRCLES, 0, 0);
}

// ---- symmetry ------------------------------------------------------------------------------------

/// The whole pair moved elsewhere gives the same bits: a manifold knows differences of places only.
static void test_manifolds_are_the_same_30_km_out(void **state) {
    (void)state;
    rng random = {20};
    for (int pair = 0; pair < 60; ++pair) {
        placed is;
        const iso_shape_def defs[2] = {shape_polygon_random(&random, 5, 1, 0.7, pair % 2 * 0.1),
                                       pair % 3 ? shape_polygon_random(&random, 6, 0.5, 0.5, 0) : shape_circle(0.4)};
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < 20; ++i) {
            placed_pose(&is, &random, separation_any(&random, 1));
            iso__plane_manifold near, far;
            memset(&near, 0, sizeof near);
            memset(&far, 0, sizeof far);
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &near);
            for (int b = 0; b < 2; ++b) {
                iso__plane_of(is.world)->bodies[b].position[0] += wide(29990) + 12345;
                iso__plane_of(is.world)->bodies[b].position[1] -= wide(29990) - 777;
            }
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &far);
            assert_memory_equal(&near, &far, sizeof near);
        }
        world_free(is.world);
    }
}

static void test_exchanged_shapes_touch_the_other_way_round(void **state) {
    (void)state;
    rng random = {21};
    for (int pair = 0; pair < 120; ++pair) {
        placed is;
        const bool is_exact = pair % 2;
        const iso_shape_def defs[2] = {shape_polygon_random(&random, 3 + (uint32_t)pair % 6, 1, 0.7, 0),
                                       is_exact ? shape_circle(0.4) : shape_polygon_random(&random, 6, 0.5, 0.5, 0)};
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < 50; ++i) {
            placed_pose(&is, &random, separation_any(&random, 0.5));
            iso__plane_manifold one, other;
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &one);
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 1, 0, &other);
            const double bound = is_exact ? 8 * QUANTUM_LENGTH : 2 * PREFERENCE;
            if (one.count == 0 || other.count == 0) {
                const iso__plane_manifold *some = one.count ? &one : &other;
                EXPECT(some->count == 0 || some->points[0].separation > SETTINGS.speculative - 20000,
                       "only one order finds points");
                continue;
            }
            double least[2] = {HUGE_VAL, HUGE_VAL};
            for (uint32_t p = 0; p < one.count; ++p) {
                least[0] = fmin(least[0], one.points[p].separation * QUANTUM_LENGTH);
            }
            for (uint32_t p = 0; p < other.count; ++p) {
                least[1] = fmin(least[1], other.points[p].separation * QUANTUM_LENGTH);
            }
            EXPECT_NEAR(least[0], least[1], bound, "pair %d: separation", pair);
            if (is_exact) {
                EXPECT_NEAR(one.normal[0] / 1073741824.0, -other.normal[0] / 1073741824.0, 1e-6, "normal");
                EXPECT_NEAR(one.normal[1] / 1073741824.0, -other.normal[1] / 1073741824.0, 1e-6, "normal");
                const uint32_t feature = other.points[0].feature;
                assert_int_equal(one.points[0].feature, (feature & 0xFF) << 8 | feature >> 8);
            }
        }
        world_free(is.world);
    }
}

// ---- features ------------------------------------------------------------------------------------

/// A box on a face keeps the numbers of its points while it trembles, sinks, slides and hangs over an end.
static void test_features_stay_while_a_box_trembles_and_slides(void **state) {
    (void)state;
    rng random = {22};
    const double roundings[] = {0, 0.1};
    for (int r = 0; r < 2; ++r) {
        placed is;
        iso_shape_def defs[2] = {shape_box(2, 0.5), shape_box(0.5, 0.5)};
        defs[0].radius = defs[1].radius = fix(roundings[r]);
        assert_true(placed_make(&is, defs));
        for (int turn = 0; turn < 8; ++turn) {
            // The whole pair at several angles; quarter turns of B alone.
            const double whole = turn / 16.0, c = cos(2 * PI * whole), s = sin(2 * PI * whole),
                         high = 1 + 2 * roundings[r];
            uint32_t first[2], first_count, now[2], now_count;
            placed_put(&is, 0, 0, 0, whole);
            placed_put(&is, 1, -high * s, high * c, whole + turn % 4 / 4.0);
            features_of(&is, first, &first_count);
            assert_int_equal(first_count, 2);
            assert_int_not_equal(first[0], first[1]);
            for (int i = 0; i < ISO_TEST_MANY(200); ++i) {
                const double along = rng_range(&random, -2.3, 2.3), up = high + rng_range(&random, -0.004, 0.0002);
                const double tremble = rng_range(&random, -2e-5, 2e-5);
                placed_put(&is, 1, along * c - up * s, along * s + up * c, whole + turn % 4 / 4.0 + tremble);
                features_of(&is, now, &now_count);
                assert_int_equal(now_count, 2);
                EXPECT(now[0] == first[0] && now[1] == first[1], "at %g, turned by %g: features %x %x became %x %x",
                       along, tremble, first[0], first[1], now[0], now[1]);
            }
        }
        world_free(is.world);
    }
}

/// Every pair of features that can touch has its own number.
static void test_features_name_the_faces_and_corners_that_touch(void **state) {
    (void)state;
    placed is;
    const iso_shape_def defs[2] = {shape_box(1, 1), shape_circle(0.5)};
    assert_true(placed_make(&is, defs));
    uint32_t seen[8], count;
    for (int i = 0; i < 8; ++i) {
        const double angle = i * PI / 4, far = i % 2 ? sqrt(2) + 0.49 : 1.49;
        placed_put(&is, 1, far * cos(angle), far * sin(angle), 0);
        features_of(&is, &seen[i], &count);
        assert_int_equal(count, 1);
        for (int j = 0; j < i; ++j) {
            EXPECT(seen[i] != seen[j], "places %d and %d have the feature %x", i, j, seen[i]);
        }
    }
    world_free(is.world);
}

// ---- single poses --------------------------------------------------------------------------------

static void test_corners_meet_round(void **state) {
    (void)state;
    rng random = {23};
    placed is;
    const double roundings[] = {0, 0.25};
    for (int r = 0; r < 2; ++r) {
        iso_shape_def defs[2] = {shape_box(0.5, 0.5), shape_box(0.5, 0.5)};
        defs[0].radius = defs[1].radius = fix(roundings[r]);
        assert_true(placed_make(&is, defs));
        errors worst = {0, 0, 0, 0, 0};
        for (int i = 0; i < ISO_TEST_MANY(500); ++i) {
            const double angle = rng_range(&random, 0.05, PI / 2 - 0.05), gap = rng_range(&random, 0.002, 0.019);
            const double far = 2 * roundings[r] + gap;
            placed_put(&is, 0, 0, 0, 0);
            placed_put(&is, 1, 1 + far * cos(angle), 1 + far * sin(angle), 0);
            iso__plane_manifold manifold;
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
            assert_int_equal(manifold.count, 1);
            EXPECT_NEAR(manifold.normal[0] / 1073741824.0, cos(angle), 1e-4, "normal at %g", angle);
            EXPECT_NEAR(manifold.normal[1] / 1073741824.0, sin(angle), 1e-4, "normal at %g", angle);
            EXPECT_NEAR(manifold.points[0].separation * QUANTUM_LENGTH, gap, 4 * QUANTUM_LENGTH, "separation at %g",
                        angle);
            assert_int_equal(manifold.points[0].feature, (2 + 16) << 8 | (0 + 16));
            manifold_check("corners", &is, 0, &worst);
        }
        world_free(is.world);
    }
}

static void test_coincident_centres_have_a_normal(void **state) {
    (void)state;
    const iso_shape_def shapes[] = {shape_circle(0.5), shape_box(0.5, 0.5), shape_box(3, 0.1)};
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            placed is;
            const iso_shape_def defs[2] = {shapes[a], shapes[b]};
            assert_true(placed_make(&is, defs));
            for (int turn = 0; turn < 16; ++turn) {
                placed_put(&is, 0, 0, 0, turn / 16.0);
                placed_put(&is, 1, 0, 0, turn % 4 / 8.0);
                iso__plane_manifold manifold;
                iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
                assert_true(manifold.count >= 1);
                EXPECT_NEAR(hypot(manifold.normal[0], manifold.normal[1]) / 1073741824.0, 1, 4e-9, "normal");
                convex ca, cb;
                placed_read(&is, &ca, &cb);
                const double truth = convex_face_gap(&ca, &cb);
                if (truth != -HUGE_VAL) {
                    double least = HUGE_VAL;
                    for (uint32_t p = 0; p < manifold.count; ++p) {
                        least = fmin(least, manifold.points[p].separation * QUANTUM_LENGTH);
                    }
                    EXPECT_NEAR(least, truth - ca.radius - cb.radius, PREFERENCE, "shapes %d and %d, turn %d", a, b,
                                turn);
                }
            }
            world_free(is.world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circles_touch_as_they_are),
        cmocka_unit_test(test_polygons_and_circles_touch_as_they_are),
        cmocka_unit_test(test_sharp_polygons_touch_within_a_tenth_of_the_slop),
        cmocka_unit_test(test_rounded_polygons_touch_within_a_tenth_of_the_slop),
        cmocka_unit_test(test_pebbles_and_platforms_touch_as_well),
        cmocka_unit_test(test_manifolds_are_the_same_30_km_out),
        cmocka_unit_test(test_exchanged_shapes_touch_the_other_way_round),
        cmocka_unit_test(test_features_stay_while_a_box_trembles_and_slides),
        cmocka_unit_test(test_features_name_the_faces_and_corners_that_touch),
        cmocka_unit_test(test_corners_meet_round),
        cmocka_unit_test(test_coincident_centres_have_a_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
