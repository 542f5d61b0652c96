/// Hulls and boxes against all axes in double precision.
#include "hull_util.h"
#include "polytope_util.h"
#include "round_util.h"

#define ROUNDS 1200

static iso__space_hull hulls[2];

static pair hulls_random(rng *random, bool is_box, double apart) {
    pair is = pair_random(random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 0);
    hull_random(random, 4 + rng_below(random, 29), 1, &hulls[0]);
    hull_random(random, 4 + rng_below(random, 29), 1, &hulls[1]);
    is.a.kind = is_box ? ISO__SPACE_COLLIDER_BOX : ISO__SPACE_COLLIDER_HULL;
    is.b.kind = ISO__SPACE_COLLIDER_HULL;
    is.a.hull = &hulls[0];
    is.b.hull = &hulls[1];
    for (int k = 0; k < 3; ++k) {
        is.offset[k] = length24(rng_range(random, -apart, apart));
    }
    pair_update(&is);
    return is;
}

static void check_best_axis(bool is_box, uint64_t seed) {
    rng random = {seed};
    tally seen = {0};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const pair is = hulls_random(&random, is_box, 1);
        polytopes_check(&is, &seen);
    }
    print_message("%u faces, %u edges (%u instead of faces), %u apart, %u empty; off by %.3g, %.3g\n", seen.faces,
                  seen.edges, seen.instead, seen.apart, seen.empty, seen.gap_error, seen.surface_error);
    EXPECT(seen.faces > ROUNDS / 10 && seen.edges > ROUNDS / 10, "%u faces, %u edges", seen.faces, seen.edges);
    EXPECT(seen.instead < ROUNDS / 50, "%u edges instead of faces", seen.instead);
    EXPECT(seen.empty < ROUNDS / 100, "%u of %u touch but have no points", seen.empty, ROUNDS);
}

static void test_hulls_touch_along_the_best_axis(void **state) {
    (void)state;
    check_best_axis(false, 1);
}

static void test_boxes_and_hulls_touch_along_the_best_axis(void **state) {
    (void)state;
    check_best_axis(true, 2);
}

static void test_hulls_in_the_other_order_make_the_mirrored_manifold(void **state) {
    (void)state;
    rng random = {3};
    uint32_t compared = 0;
    for (uint32_t i = 0; i < ROUNDS / 2; ++i) {
        const pair is = hulls_random(&random, i % 2 == 0, 1);
        compared += polytopes_check_mirror(&is);
    }
    EXPECT(compared > ROUNDS / 20, "%u compared", compared);
}

/// The same solid as a hull and as a box makes the same manifold.
static void test_boxes_as_hulls_touch_as_boxes(void **state) {
    (void)state;
    rng random = {4};
    uint32_t touching = 0;
    for (uint32_t i = 0; i < 4 * ROUNDS; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 1.2);
        memset(is.b.centre, 0, sizeof is.b.centre);
        rotation_unit(is.b.frame);
        const iso__space_manifold expected = manifold_of(&is.a, &is.b, is.offset);
        const int64_t half[3] = {is.b.half[0], is.b.half[1], is.b.half[2]};
        iso__space_hull_make_box(half, &hulls[1]);
        is.b.kind = ISO__SPACE_COLLIDER_HULL;
        is.b.hull = &hulls[1];
        iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        if (manifold.count != expected.count || expected.count > 2) {
            continue; // at a limit, or perhaps reduced along other axes
        }
        touching += manifold.count > 0;
        for (int k = 0; k < 3; ++k) {
            manifold.normal[k] = -manifold.normal[k];
        }
        for (uint32_t k = 0; k < manifold.count; ++k) {
            memcpy(manifold.points[k].anchor_b, manifold.points[k].anchor_a, sizeof manifold.points[k].anchor_a);
        }
        EXPECT_NEAR(manifold_mirror_difference(&expected, &manifold), 0, 1e-6, "as a box, %u", i);
    }
    EXPECT(touching > ROUNDS, "%u touch", touching);
}

static void test_round_shapes_touch_hulls_where_they_are_nearest(void **state) {
    (void)state;
    rng random = {6};
    uint32_t counts[3] = {0}, inside[3] = {0};
    for (uint32_t i = 0; i < 2 * ROUNDS; ++i) {
        pair is = hulls_random(&random, true, i % 4 < 2 ? 1.5 : 0.5);
        is.a.kind = i % 2 == 0 ? ISO__SPACE_COLLIDER_SPHERE : ISO__SPACE_COLLIDER_CAPSULE;
        pair_update(&is);
        inside[check_inside(&is)] += 1;
        if (fmax(solid_face_gap(&is.sb, &is.sa), solid_edge_gap(&is.sb, &is.sa)) > 1e-3) {
            counts[check_apart(&is)] += 1;
        }
    }
    EXPECT(counts[1] > ROUNDS / 5 && counts[2] > ROUNDS / 50, "%u and %u touch", counts[1], counts[2]);
    EXPECT(inside[1] > ROUNDS / 10 && inside[2] > ROUNDS / 50, "%u and %u overlap", inside[1], inside[2]);
}

/// A box as a hull against a capsule, which may lie flat on it.
static void test_round_shapes_touch_hulls_as_they_touch_boxes(void **state) {
    (void)state;
    rng random = {7};
    uint32_t counts[3] = {0};
    for (uint32_t i = 0; i < 4 * ROUNDS; ++i) {
        pair is = pair_random(&random, i % 2 == 0 ? ISO__SPACE_COLLIDER_SPHERE : ISO__SPACE_COLLIDER_CAPSULE,
                              ISO__SPACE_COLLIDER_BOX, 1);
        memset(is.b.centre, 0, sizeof is.b.centre);
        rotation_unit(is.b.frame);
        if (i % 3 == 0) { // along the box's z
            memcpy(is.b.rotation, is.a.rotation, sizeof is.b.rotation);
            memcpy(is.a.ends[1], is.a.ends[0], sizeof(int32_t[2]));
        }
        const iso__space_manifold expected = manifold_of(&is.a, &is.b, is.offset);
        const int64_t half[3] = {is.b.half[0], is.b.half[1], is.b.half[2]};
        iso__space_hull_make_box(half, &hulls[1]);
        is.b.kind = ISO__SPACE_COLLIDER_HULL;
        is.b.hull = &hulls[1];
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        assert_int_equal(manifold.count, expected.count);
        counts[manifold.count] += 1;
        for (uint32_t k = 0; k < manifold.count; ++k) {
            EXPECT_NEAR(ldexp(manifold.points[k].separation - expected.points[k].separation, -24), 0, NEAR,
                        "separation");
        }
    }
    EXPECT(counts[1] > ROUNDS / 2 && counts[2] > ROUNDS / 5, "%u and %u touch", counts[1], counts[2]);
}

static void test_hulls_touch_planes_with_their_lowest_vertices(void **state) {
    (void)state;
    rng random = {5};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        pair is = hulls_random(&random, false, 0);
        is.b = (iso__space_collider){.kind = ISO__SPACE_COLLIDER_PLANE, .plane_normal = {0, ISO__UNIT_ONE, 0}};
        rotation_unit(is.b.rotation);
        double lowest = HUGE_VAL;
        for (uint32_t k = 0; k < is.sa.count; ++k) {
            lowest = fmin(lowest, is.sa.points[k].y);
        }
        const double depth = rng_range(&random, -0.015, 0.3);
        is.b.plane_offset = wide(lowest + depth);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        assert_true(manifold.count > 0);
        assert_int_equal(manifold.normal[1], -ISO__UNIT_ONE);
        for (uint32_t k = 0; k < manifold.count; ++k) {
            const double separation = ldexp(manifold.points[k].separation, -24);
            const vec3 p = vec3_of(manifold.points[k].anchor_a, 24);
            EXPECT(separation > -depth - NEAR, "deeper than the deepest: %g, %g", separation, depth);
            EXPECT_NEAR(p.y, lowest + depth + separation / 2, NEAR, "height");
            EXPECT_NEAR(solid_core_distance(&is.sa, (vec3){p.x, p.y + separation / 2, p.z}), 0, NEAR, "a vertex");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls_touch_along_the_best_axis),
        cmocka_unit_test(test_boxes_and_hulls_touch_along_the_best_axis),
        cmocka_unit_test(test_hulls_in_the_other_order_make_the_mirrored_manifold),
        cmocka_unit_test(test_boxes_as_hulls_touch_as_boxes),
        cmocka_unit_test(test_round_shapes_touch_hulls_where_they_are_nearest),
        cmocka_unit_test(test_round_shapes_touch_hulls_as_they_touch_boxes),
        cmocka_unit_test(test_hulls_touch_planes_with_their_lowest_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
