/// Manifolds of capsules against exact geometry in double precision, and the poses in which a piece with a segment
/// for a core is special: in line, crossed, parallel, on its end; and the tips of needles.
///
/// Bounds as in test_manifold.c. A capsule and a circle choose nothing, so nothing is given away there.
#include "manifold_util.h"
#include "unit/many.h"

static const iso_shape_kind CAPSULES[2] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_CAPSULE};
static const iso_shape_kind CAPSULE_CIRCLE[2] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_CIRCLE};
static const iso_shape_kind CIRCLE_CAPSULE[2] = {ISO_SHAPE_CIRCLE, ISO_SHAPE_CAPSULE};
static const iso_shape_kind CAPSULE_POLYGON[2] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_POLYGON};
static const iso_shape_kind POLYGON_CAPSULE[2] = {ISO_SHAPE_POLYGON, ISO_SHAPE_CAPSULE};

static void test_capsules_and_circles_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("capsule and circle", 1, 0.05, 5, CAPSULE_CIRCLE, 0.4, 0);
    pairs_check("circle and capsule", 2, 0.05, 5, CIRCLE_CAPSULE, 0.4, 0);
    pairs_check("wide capsule and circle", 3, 0.01, 30, CAPSULE_CIRCLE, 0.9, 0);
}

static void test_capsules_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("capsules", 4, 0.05, 5, CAPSULES, 0.4, PREFERENCE);
    pairs_check("capsules of 1 cm", 5, 0.005, 0.02, CAPSULES, 0.9, PREFERENCE);
    pairs_check("capsules of 30 m", 6, 10, 30, CAPSULES, 0.9, PREFERENCE);
    pairs_check("capsules without much length", 7, 0.0001, 0.001, CAPSULES, 900, PREFERENCE);
}

static void test_capsules_and_polygons_touch_as_they_are(void **state) {
    (void)state;
    pairs_check("capsule and polygon", 8, 0.1, 5, CAPSULE_POLYGON, 0.3, PREFERENCE);
    pairs_check("polygon and capsule", 9, 0.1, 5, POLYGON_CAPSULE, 0.3, PREFERENCE);
    pairs_check("wide polygon and capsule", 10, 1, 30, POLYGON_CAPSULE, 0.9, PREFERENCE);
}

static void test_capsules_and_sharp_polygons_touch_as_they_are(void **state) {
    (void)state;
    rng random = {11};
    errors worst = {0, 0, 0, 0, 0};
    for (int pair = 0; pair < 120; ++pair) {
        const iso_shape_def polygon = shape_polygon_random(&random, 3 + rng_below(&random, 6), 1, 0.6, 0);
        const iso_shape_def capsule = shape_capsule_random(&random, 0.7, rng_range(&random, 0.02, 0.3));
        const iso_shape_def defs[2] = {pair % 2 ? polygon : capsule, pair % 2 ? capsule : polygon};
        placed is;
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < 100; ++i) {
            // Down to cores that overlap.
            placed_pose(&is, &random, i % 4 ? separation_any(&random, 0.1) : rng_range(&random, -0.45, 0));
            manifold_check("capsule and sharp polygon", &is, PREFERENCE, &worst);
        }
        world_free(is.world);
    }
    errors_print("capsule and sharp polygon", &worst);
}

/// The separation along the best normal of segments that cross is that of the shallower end.
static void test_crossed_capsules_part_along_the_shorter_way(void **state) {
    (void)state;
    rng random = {12};
    uint32_t crossed = 0;
    for (int i = 0; i < ISO_TEST_MANY(4000); ++i) {
        const iso_shape_def defs[2] = {shape_capsule(-1, 0, 1, 0, 0.1), shape_capsule(0, -0.7, 0, 0.7, 0.05)};
        placed is;
        assert_true(placed_make(&is, defs));
        placed_put(&is, 0, 0, 0, rng_range(&random, -1, 1));
        placed_put(&is, 1, rng_range(&random, -0.8, 0.8), rng_range(&random, -0.8, 0.8), rng_range(&random, -1, 1));
        convex a, b;
        placed_read(&is, &a, &b);
        const double faces = convex_face_gap(&a, &b);
        iso__plane_manifold manifold;
        iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
        if (faces < -PREFERENCE) {
            double least = HUGE_VAL;
            for (uint32_t p = 0; p < manifold.count; ++p) {
                least = fmin(least, manifold.points[p].separation * QUANTUM_LENGTH);
            }
            EXPECT_NEAR(least, faces - 0.15, PREFERENCE + 8 * QUANTUM_LENGTH, "pose %d", i);
            ++crossed;
        }
        world_free(is.world);
    }
    EXPECT(crossed > ISO_TEST_MANY(1000), "only %u of the capsules crossed", crossed);
}

/// Faces see nothing of two segments in line; their ends must.
static void test_capsules_in_line_touch_with_their_ends(void **state) {
    (void)state;
    rng random = {13};
    placed is;
    const iso_shape_def defs[2] = {shape_capsule(-1, 0, 1, 0, 0.25), shape_capsule(-0.5, 0, 0.5, 0, 0.5)};
    assert_true(placed_make(&is, defs));
    for (int i = 0; i < ISO_TEST_MANY(2000); ++i) {
        const double turn = i < 8 ? i / 8.0 : rng_range(&random, -1, 1), gap = rng_range(&random, -0.7, 0.015);
        const double bend = i % 2 ? 0 : pow(10, rng_range(&random, -10, -4)), far = 1 + 0.5 + 0.75 + gap;
        const double c = cos(2 * PI * turn), s = sin(2 * PI * turn);
        placed_put(&is, 0, 0, 0, turn);
        placed_put(&is, 1, far * c, far * s, turn + bend + (i % 3 ? 0.5 : 0));
        iso__plane_manifold manifold;
        iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &manifold);
        EXPECT(manifold.count == 1, "%u points at a gap of %g, bent by %g", manifold.count, gap, bend);
        EXPECT_NEAR(manifold.points[0].separation * QUANTUM_LENGTH, gap, 8 * QUANTUM_LENGTH + bend * 8, "gap");
        EXPECT_NEAR(manifold.normal[0] / 1073741824.0 * c + manifold.normal[1] / 1073741824.0 * s, 1, 1e-4, "normal");
        assert_int_equal(manifold.points[0].feature, (1 + 16) << 8 | (i % 3 ? 1 + 16 : 0 + 16));
    }
    world_free(is.world);
}

/// Two points that keep their numbers while the upper one trembles, slides and hangs over.
static void test_lying_capsules_touch_in_two_points_that_stay(void **state) {
    (void)state;
    rng random = {14};
    const iso_shape_def lower[] = {shape_capsule(-2, 0, 2, 0, 0.25), shape_box(2, 0.25),
                                   shape_capsule(-0.5, 0, 0.5, 0, 0.25)};
    for (int l = 0; l < 3; ++l) {
        const iso_shape_def defs[2] = {lower[l], shape_capsule(-0.5, 0, 0.5, 0, 0.25)};
        // The last pair is alike, and its ends stand above each other.
        const double reach = l == 2 ? 0.002 : 2.3;
        placed is;
        assert_true(placed_make(&is, defs));
        for (int turn = 0; turn < 8; ++turn) {
            const double whole = turn / 16.0, c = cos(2 * PI * whole), s = sin(2 * PI * whole), high = 0.5;
            uint32_t first[2], first_count, now[2], now_count;
            placed_put(&is, 0, 0, 0, whole);
            placed_put(&is, 1, -high * s, high * c, whole + turn % 2 / 2.0);
            features_of(&is, first, &first_count);
            assert_int_equal(first_count, 2);
            assert_int_not_equal(first[0], first[1]);
            for (int i = 0; i < ISO_TEST_MANY(300); ++i) {
                const double along = rng_range(&random, -reach, reach), up = high + rng_range(&random, -0.004, 0.0002);
                const double tremble = rng_range(&random, -2e-5, 2e-5);
                placed_put(&is, 1, along * c - up * s, along * s + up * c, whole + turn % 2 / 2.0 + tremble);
                features_of(&is, now, &now_count);
                EXPECT(now_count == 2, "lower %d, at %g, turned by %g: %u points", l, along, tremble, now_count);
                EXPECT(now[0] == first[0] && now[1] == first[1], "at %g, turned by %g: features %x %x became %x %x",
                       along, tremble, first[0], first[1], now[0], now[1]);
            }
        }
        world_free(is.world);
    }
}

static void test_standing_capsule_keeps_its_point_while_it_sways(void **state) {
    (void)state;
    rng random = {15};
    const iso_shape_def lower[] = {shape_box(2, 0.25), shape_capsule(-2, 0, 2, 0, 0.25)};
    for (int l = 0; l < 2; ++l) {
        const iso_shape_def defs[2] = {lower[l], shape_capsule(0, -0.5, 0, 0.5, 0.25)};
        placed is;
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < ISO_TEST_MANY(500); ++i) {
            // The lower end stays where it is.
            const double sway = rng_range(&random, -0.1, 0.1), along = rng_range(&random, -1.9, 1.9);
            uint32_t features[2] = {0, 0}, count;
            placed_put(&is, 0, 0, 0, 0);
            placed_put(&is, 1, along - 0.5 * sin(2 * PI * sway), 0.499 + 0.5 * cos(2 * PI * sway), sway);
            features_of(&is, features, &count);
            assert_int_equal(count, 1);
            const bool end = l == 1 && features[0] == (1u << 8 | 16u);
            EXPECT(end || features[0] == ((l == 0 ? 2u : 0u) << 8 | 16u), "feature %x on %d at %g, sway %g",
                   features[0], l, along, sway);
        }
        world_free(is.world);
    }
}

/// The end of a platform and the tip that hangs over it: no way of standing there loses the contact.
static void test_tip_at_the_end_of_a_face_is_not_clipped_off(void **state) {
    (void)state;
    rng random = {16};
    const iso_shape_def lower[] = {shape_box(1, 0.25), shape_capsule(-1, 0, 1, 0, 0.25)};
    for (int l = 0; l < 2; ++l) {
        const iso_shape_def defs[2] = {lower[l], shape_capsule(0, -0.5, 0, 0.5, 0.25)};
        errors worst = {0, 0, 0, 0, 0};
        placed is;
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < ISO_TEST_MANY(20000); ++i) {
            const double sway = pow(10, rng_range(&random, -9, -0.7)) * (i % 2 ? 1 : -1);
            const double over = pow(10, rng_range(&random, -8, -1)) * (i % 4 < 2 ? 1 : -1);
            placed_put(&is, 0, 0, 0, 0);
            placed_put(&is, 1, 1 + over - 0.5 * sin(2 * PI * sway), 0.4999 + 0.5 * cos(2 * PI * sway), sway);
            manifold_check("tip at the end of a face", &is, PREFERENCE, &worst);
        }
        EXPECT(worst.touching == worst.count, "%u contacts of %u are lost", worst.count - worst.touching, worst.count);
        world_free(is.world);
    }
}

/// The faces of two needles hardly look at what stands before their tips: a face's separation is a small share of
/// the distance.
static void test_needles_meet_with_their_tips(void **state) {
    (void)state;
    rng random = {17};
    errors worst = {0, 0, 0, 0, 0};
    for (int pair = 0; pair < 200; ++pair) {
        const double slope = pow(10, rng_range(&random, -2.3, -0.5)),
                     radius = pair % 2 ? rng_range(&random, 0, 0.2) : 0;
        iso_shape_def defs[2] = {shape_box(1, 1), shape_box(1, 1)};
        for (int i = 0; i < 2; ++i) {
            const double side = i == 0 ? 1 : -1;
            defs[i].point_count = 3;
            defs[i].radius = fix(radius);
            defs[i].points[0] = (iso_vec2){fix(side), 0};
            defs[i].points[1] = (iso_vec2){fix(-side), fix(2 * side * slope)};
            defs[i].points[2] = (iso_vec2){fix(-side), fix(-2 * side * slope)};
        }
        placed is;
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < 100; ++i) {
            const double gap = 2 * radius + rng_range(&random, 0.001, 0.019),
                         aside = rng_range(&random, -0.5, 0.5) * gap;
            placed_put(&is, 0, 0, 0, 0);
            placed_put(&is, 1, 2 + sqrt(gap * gap - aside * aside), aside, 0);
            manifold_check("needles", &is, PREFERENCE, &worst);
        }
        world_free(is.world);
    }
    errors_print("needles", &worst);
}

static void test_exchanged_capsules_touch_the_other_way_round(void **state) {
    (void)state;
    rng random = {18};
    for (int pair = 0; pair < 120; ++pair) {
        const iso_shape_def other = pair % 3 == 0   ? shape_circle(0.4)
                                    : pair % 3 == 1 ? shape_capsule_random(&random, 0.5, 0.2)
                                                    : shape_polygon_random(&random, 5, 0.5, 0.4, 0);
        const iso_shape_def defs[2] = {shape_capsule_random(&random, 0.8, 0.15), other};
        placed is;
        assert_true(placed_make(&is, defs));
        for (int i = 0; i < 50; ++i) {
            placed_pose(&is, &random, rng_range(&random, -0.1, 0.01));
            iso__plane_manifold one, back;
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 0, 1, &one);
            iso__plane_shapes_collide(iso__plane_of(is.world), &SETTINGS, 1, 0, &back);
            assert_true(one.count > 0 && back.count > 0);
            double least[2] = {HUGE_VAL, HUGE_VAL};
            for (uint32_t p = 0; p < one.count; ++p) {
                least[0] = fmin(least[0], one.points[p].separation * QUANTUM_LENGTH);
            }
            for (uint32_t p = 0; p < back.count; ++p) {
                least[1] = fmin(least[1], back.points[p].separation * QUANTUM_LENGTH);
            }
            EXPECT_NEAR(least[0], least[1], pair % 3 ? PREFERENCE : 8 * QUANTUM_LENGTH, "pair %d: separation", pair);
        }
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capsules_and_circles_touch_as_they_are),
        cmocka_unit_test(test_capsules_touch_as_they_are),
        cmocka_unit_test(test_capsules_and_polygons_touch_as_they_are),
        cmocka_unit_test(test_capsules_and_sharp_polygons_touch_as_they_are),
        cmocka_unit_test(test_crossed_capsules_part_along_the_shorter_way),
        cmocka_unit_test(test_capsules_in_line_touch_with_their_ends),
        cmocka_unit_test(test_lying_capsules_touch_in_two_points_that_stay),
        cmocka_unit_test(test_standing_capsule_keeps_its_point_while_it_sways),
        cmocka_unit_test(test_tip_at_the_end_of_a_face_is_not_clipped_off),
        cmocka_unit_test(test_needles_meet_with_their_tips),
        cmocka_unit_test(test_exchanged_capsules_touch_the_other_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
