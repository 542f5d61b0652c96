/// Two boxes against all fifteen axes in double precision.
#include "polytope_util.h"

#define ROUNDS 30000

static void test_boxes_touch_along_the_best_axis(void **state) {
    (void)state;
    rng random = {1};
    tally seen = {0};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, i % 4 == 0 ? 0.8 : 1.5);
        polytopes_check(&is, &seen);
    }
    print_message("%u faces, %u edges, %u apart, %u empty; off by %.3g, %.3g\n", seen.faces, seen.edges, seen.apart,
                  seen.empty, seen.gap_error, seen.surface_error);
    EXPECT(seen.faces > ROUNDS / 5 && seen.edges > ROUNDS / 50, "%u faces, %u edges", seen.faces, seen.edges);
    EXPECT(seen.empty < ROUNDS / 500, "%u of %u touch but have no points", seen.empty, ROUNDS);
}

static void test_boxes_in_the_other_order_make_the_mirrored_manifold(void **state) {
    (void)state;
    rng random = {2};
    uint32_t compared = 0;
    for (uint32_t i = 0; i < ROUNDS / 3; ++i) {
        const pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 1);
        compared += polytopes_check_mirror(&is);
    }
    EXPECT(compared > ROUNDS / 20, "%u compared", compared);
}

/// Cubes on each other, shaken by rounding: four points at the corners of what they share, whatever the turn of the
/// whole.
static void test_stacked_boxes_touch_at_four_corners(void **state) {
    (void)state;
    rng random = {3};
    for (uint32_t i = 0; i < ROUNDS / 3; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 0);
        rotation_unit(is.a.frame);
        rotation_unit(is.b.frame);
        memcpy(is.b.rotation, is.a.rotation, sizeof is.a.rotation);
        if (i % 2 == 0) {
            memcpy(is.b.half, is.a.half, sizeof is.a.half);
        }
        memset(is.a.centre, 0, sizeof is.a.centre);
        memset(is.b.centre, 0, sizeof is.b.centre);
        const int axis = (int)(i % 3);
        const double gap = rng_range(&random, -0.02, 0.015), sign = i % 5 < 2 ? 1 : -1;
        double local[3] = {rng_range(&random, -0.02, 0.02), rng_range(&random, -0.02, 0.02),
                           rng_range(&random, -0.02, 0.02)};
        if (i % 4 == 0) {
            memset(local, 0, sizeof local);
        }
        local[axis] = sign * (ldexp(is.a.half[axis] + is.b.half[axis], -24) + gap);
        const vec3 offset = vec3_turn(is.a.rotation, (vec3){local[0], local[1], local[2]});
        is.offset[0] = length24(offset.x);
        is.offset[1] = length24(offset.y);
        is.offset[2] = length24(offset.z);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        assert_int_equal(manifold.count, 4);
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            const double a = ldexp(is.a.half[k], -24), b = ldexp(is.b.half[k], -24);
            low[k] = fmax(-a, local[k] - b);
            high[k] = fmin(a, local[k] + b);
        }
        uint32_t corners = 0;
        for (uint32_t k = 0; k < 4; ++k) {
            EXPECT_NEAR(ldexp(manifold.points[k].separation, -24), gap, NEAR, "separation");
            const vec3 p = vec3_of(manifold.points[k].anchor_a, 24);
            for (uint32_t c = 0; c < 4; ++c) {
                double at[3];
                at[(axis + 1) % 3] = (c & 1) != 0 ? high[(axis + 1) % 3] : low[(axis + 1) % 3];
                at[(axis + 2) % 3] = (c & 2) != 0 ? high[(axis + 2) % 3] : low[(axis + 2) % 3];
                at[axis] = (low[axis] + high[axis]) / 2;
                const vec3 corner = vec3_turn(is.a.rotation, (vec3){at[0], at[1], at[2]});
                corners |= vec3_length(vec3_sub(corner, p)) < 4e-7 ? 1u << c : 0;
            }
        }
        EXPECT(corners == 15, "corners %u of %u", corners, i);
    }
}

/// Two edges that cross at a right angle, at any depth: one point, halfway between them.
static void test_crossed_edges_touch_in_one_point(void **state) {
    (void)state;
    rng random = {4};
    const double c = sqrt(0.5);
    for (uint32_t i = 0; i < ROUNDS / 10; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 0);
        for (int k = 0; k < 3; ++k) {
            is.a.half[k] = is.b.half[k] = ISO__LENGTH_ONE;
            is.a.centre[k] = is.b.centre[k] = 0;
        }
        rotation_unit(is.a.frame);
        rotation_unit(is.b.frame);
        // A's upper edge along x, B's lower edge along z.
        const double ra[9] = {1, 0, 0, 0, c, -c, 0, c, c}, rb[9] = {c, -c, 0, c, c, 0, 0, 0, 1};
        for (int k = 0; k < 9; ++k) {
            is.a.rotation[k] = (int32_t)lround(ldexp(ra[k], 30));
            is.b.rotation[k] = (int32_t)lround(ldexp(rb[k], 30));
        }
        const double gap = rng_range(&random, -0.3, 0.01), x = rng_range(&random, -0.6, 0.6),
                     z = rng_range(&random, -0.6, 0.6);
        is.offset[0] = length24(x);
        is.offset[1] = length24(2 * sqrt(2) + gap);
        is.offset[2] = length24(z);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        assert_int_equal(manifold.count, 1);
        EXPECT_NEAR(ldexp(manifold.points[0].separation, -24), gap, NEAR, "separation");
        const vec3 expected = {x, sqrt(2) + gap / 2, 0};
        EXPECT_NEAR(vec3_length(vec3_sub(vec3_of(manifold.points[0].anchor_a, 24), expected)), 0, 3e-7, "the point");
        EXPECT_NEAR(manifold.normal[1], ISO__UNIT_ONE, 2, "the normal");
    }
}

/// Boxes of 60 m, at the ends of all ranges.
static void test_the_largest_boxes_fit(void **state) {
    (void)state;
    rng random = {5};
    for (uint32_t i = 0; i < ROUNDS / 3; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_BOX, ISO__SPACE_COLLIDER_BOX, 121);
        for (int k = 0; k < 3; ++k) {
            is.a.half[k] = is.b.half[k] = 60 * ISO__LENGTH_ONE / 2 + (int32_t)rng_below(&random, 4 * ISO__LENGTH_ONE);
            is.a.centre[k] = is.b.centre[k] = 0;
        }
        pair_update(&is);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        const double faces = solid_face_gap(&is.sa, &is.sb), best = fmax(faces, solid_edge_gap(&is.sa, &is.sb));
        EXPECT((best > 0.0201) <= (manifold.count == 0), "points at %g", best);
        if (manifold.count > 0) {
            EXPECT_NEAR(solid_gap(&is.sa, &is.sb, vec3_of(manifold.normal, 30)), best, SLOP + SLOP / 10, "the gap");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_touch_along_the_best_axis),
        cmocka_unit_test(test_boxes_in_the_other_order_make_the_mirrored_manifold),
        cmocka_unit_test(test_stacked_boxes_touch_at_four_corners),
        cmocka_unit_test(test_crossed_edges_touch_in_one_point),
        cmocka_unit_test(test_the_largest_boxes_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
