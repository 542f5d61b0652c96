/// Manifolds of round shapes, boxes and planes against solids in double precision.
#include "round_util.h"

#define ROUNDS 4000

static void test_round_shapes_touch_where_their_cores_are_nearest(void **state) {
    (void)state;
    static const iso__space_collider_kind kinds[][2] = {
        {ISO__SPACE_COLLIDER_SPHERE, ISO__SPACE_COLLIDER_SPHERE},
        {ISO__SPACE_COLLIDER_SPHERE, ISO__SPACE_COLLIDER_CAPSULE},
        {ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_CAPSULE},
        {ISO__SPACE_COLLIDER_SPHERE, ISO__SPACE_COLLIDER_BOX},
        {ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_BOX},
    };
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        rng random = {k};
        uint32_t counts[3] = {0};
        for (uint32_t i = 0; i < ROUNDS; ++i) {
            const pair is = pair_random(&random, kinds[k][0], kinds[k][1], 2);
            counts[check_apart(&is)] += 1;
        }
        EXPECT(counts[1] > ROUNDS / 10, "%u of pairs %u touch", counts[1], k);
    }
}

static void test_parallel_capsules_touch_at_both_ends_of_what_they_share(void **state) {
    (void)state;
    rng random = {3};
    uint32_t twos = 0;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_CAPSULE, 0.6);
        memcpy(is.b.rotation, is.a.rotation, sizeof is.a.rotation);
        const double from = rng_range(&random, -1, 1), length = rng_range(&random, -1, 1),
                     tilt = rng_range(&random, -0.001, 0.001);
        for (int k = 0; k < 3; ++k) {
            const double e = ldexp(is.a.ends[1][k], -24) - ldexp(is.a.ends[0][k], -24),
                         at = ldexp(is.a.ends[0][k], -24);
            is.b.ends[0][k] = length24(at + from * e);
            is.b.ends[1][k] = length24(at + (from + length) * e + (k == (int)(i % 3) ? tilt * length : 0));
        }
        pair_update(&is);
        twos += check_apart(&is) == 2;
    }
    EXPECT(twos > ROUNDS / 4, "%u with two points", twos);
}

/// Across each other by less than the angle of parallels: the normal is that of the middle, so both ends are alike.
static void test_capsules_nearly_parallel_touch_evenly(void **state) {
    (void)state;
    rng random = {9};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_CAPSULE, 0);
        const double turn = rng_range(&random, -0.015, 0.015), height = rng_range(&random, 0.05, 0.2);
        for (int k = 0; k < 2; ++k) {
            const double x = k == 0 ? 1 : -1;
            const int32_t a[3] = {length24(x), 0, 0},
                          b[3] = {length24(x * cos(turn)), length24(height), length24(x * sin(turn))};
            memcpy(is.a.ends[k], a, sizeof a);
            memcpy(is.b.ends[k], b, sizeof b);
        }
        is.a.radius = is.b.radius = length24(0.1);
        memcpy(is.b.rotation, is.a.rotation, sizeof is.a.rotation);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        assert_int_equal(manifold.count, 2);
        const vec3 up = vec3_turn(is.a.rotation, (vec3){0, 1, 0});
        EXPECT_NEAR(vec3_length(vec3_sub(vec3_of(manifold.normal, 30), up)), 0, NEAR / height, "the normal");
        for (int k = 0; k < 2; ++k) {
            EXPECT_NEAR(ldexp(manifold.points[k].separation, -24), height - 0.2, NEAR, "separation");
        }
    }
}

static void test_capsules_flat_on_boxes_touch_at_both_ends(void **state) {
    (void)state;
    rng random = {4};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        pair is = pair_random(&random, ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_BOX, 0);
        // Both in one frame, the capsule along x over the face of +y.
        rotation_unit(is.b.frame);
        memcpy(is.a.rotation, is.b.rotation, sizeof is.a.rotation);
        place_random(&random, 0, is.b.centre);
        const int32_t height = is.b.half[1] + length24(rng_range(&random, -0.2, 1) * ldexp(is.a.radius, -24));
        const int32_t x = length24(rng_range(&random, -1.2, 0.9)), end = x + length24(rng_range(&random, 0.3, 2));
        const int32_t z = (int32_t)(is.b.half[2] * rng_range(&random, -1, 1));
        for (int k = 0; k < 2; ++k) {
            is.a.ends[k][0] = k == 0 ? x : end;
            is.a.ends[k][1] = height;
            is.a.ends[k][2] = z;
        }
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        const int32_t low = iso__max32(x, -is.b.half[0]), high = iso__min32(end, is.b.half[0]);
        const int32_t side = iso__min32(iso__min32(is.b.half[0] + end, is.b.half[0] - x), is.b.half[2] - abs(z));
        if (high - low < 10 || height < 0 || (height < is.b.half[1] && side < is.b.half[1] - height)) {
            continue; // beyond the face, or nearer to another one
        }
        assert_int_equal(manifold.count, 2);
        for (int k = 0; k < 2; ++k) {
            const double half = ldexp(height - is.a.radius - is.b.half[1], -25);
            const vec3 expected = {ldexp(k == 0 ? low : high, -24), ldexp(is.b.half[1], -24) + half, ldexp(z, -24)};
            const vec3 off = vec3_sub(vec3_turn(is.a.rotation, expected), vec3_of(manifold.points[k].anchor_a, 24));
            EXPECT_NEAR(vec3_length(off), 0, 3e-7, "point %d of %u", k, i);
            EXPECT_NEAR(ldexp(manifold.points[k].separation, -24), 2 * half, NEAR, "separation");
        }
    }
}

/// Spheres and capsules whose cores are in a box are pushed out the shortest way, edges only when they are better by
/// the slop.
static void test_cores_in_boxes_leave_by_the_best_axis(void **state) {
    (void)state;
    rng random = {5};
    uint32_t edges = 0, inside = 0;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const pair is = pair_random(&random, i % 2 == 0 ? ISO__SPACE_COLLIDER_SPHERE : ISO__SPACE_COLLIDER_CAPSULE,
                                    ISO__SPACE_COLLIDER_BOX, 0.7);
        const uint32_t by = check_inside(&is);
        edges += by == 2;
        inside += by != 0;
    }
    EXPECT(edges > 10 && inside > ROUNDS / 20, "%u by edges of %u", edges, inside);
}

// ---- planes --------------------------------------------------------------------------------------

static void test_shapes_touch_planes_with_their_lowest_points(void **state) {
    (void)state;
    rng random = {6};
    uint32_t counts[ISO__SPACE_MANIFOLD_POINTS + 1] = {0};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        pair is = pair_random(&random, (iso__space_collider_kind)(i % 3), ISO__SPACE_COLLIDER_PLANE, 3);
        int32_t r[9];
        rotation_random(&random, r);
        if (i % 2 == 0) { // flat on a face
            rotation_unit(is.a.frame);
            memcpy(r, (int32_t[]){0, ISO__UNIT_ONE, 0}, 12);
            memcpy(is.b.rotation, is.a.rotation, sizeof is.a.rotation);
            is.sa = solid_of(&is.a, (vec3){0, 0, 0});
        }
        memcpy(is.b.plane_normal, r, sizeof is.b.plane_normal);
        const vec3 n = vec3_turn(is.b.rotation, vec3_of(r, 30));
        double lowest = HUGE_VAL;
        for (uint32_t k = 0; k < is.sa.count; ++k) {
            lowest = fmin(lowest, vec3_dot(n, is.sa.points[k]));
        }
        is.b.plane_offset =
            -wide(vec3_dot(n, vec3_of_wide(is.offset))) + wide(lowest - is.sa.radius + rng_range(&random, -0.03, 0.2));
        const double ground = vec3_dot(n, vec3_of_wide(is.offset)) + from_wide(is.b.plane_offset);
        const iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        manifold_check(&manifold, is.offset);
        manifold_check_mirror(&manifold, &is);
        counts[manifold.count] += 1;
        const double separation = lowest - is.sa.radius - ground;
        EXPECT((separation <= 0.02 - NEAR) <= (manifold.count > 0), "no point at %g", separation);
        if (manifold.count == 0) {
            continue;
        }
        EXPECT_NEAR(vec3_dot(vec3_of(manifold.normal, 30), n), -1, 4e-9, "the plane's normal");
        if (is.a.kind != ISO__SPACE_COLLIDER_BOX || manifold.count < 4) {
            EXPECT_NEAR(least_separation(&manifold), separation, 3e-7, "separation");
        }
        for (uint32_t k = 0; k < manifold.count; ++k) {
            const double half = ldexp(manifold.points[k].separation, -25);
            const vec3 p = vec3_of(manifold.points[k].anchor_a, 24);
            EXPECT_NEAR(vec3_dot(n, p) - ground, half, 3e-7, "height of point %u", k);
            // The lowest point of the upper end is inside of a steep capsule.
            if (is.a.kind != ISO__SPACE_COLLIDER_CAPSULE || 2 * half <= least_separation(&manifold)) {
                EXPECT_NEAR(solid_core_distance(&is.sa, vec3_add(p, vec3_scale(n, half))), is.sa.radius, 3e-7, "on A");
            }
        }
    }
    EXPECT(counts[0] > 50 && counts[1] > 50 && counts[2] > 50 && counts[4] > 50, "%u %u %u %u %u", counts[0], counts[1],
           counts[2], counts[3], counts[4]);
}

/// The two ends of the world are 85 km from each other.
static void test_planes_reach_across_the_world(void **state) {
    (void)state;
    iso__space_collider sphere = {.kind = ISO__SPACE_COLLIDER_SPHERE, .radius = ISO__LENGTH_ONE};
    iso__space_collider plane = {.kind = ISO__SPACE_COLLIDER_PLANE, .plane_normal = {0, ISO__UNIT_ONE, 0}};
    rotation_unit(sphere.rotation);
    rotation_unit(plane.rotation);
    const int64_t offset[3] = {INT64_C(60000) << 24, -(INT64_C(60000) << 24), INT64_C(60000) << 24};
    plane.plane_offset = (INT64_C(60000) << 32) - (INT64_C(1) << 31);
    iso__space_manifold manifold = manifold_of(&sphere, &plane, offset);
    assert_int_equal(manifold.count, 1);
    assert_int_equal(manifold.points[0].separation, -ISO__LENGTH_ONE / 2);
    assert_int_equal(manifold.points[0].anchor_a[1], -ISO__LENGTH_ONE * 3 / 4);
    assert_int_equal(manifold.points[0].anchor_b[0], INT32_MIN);
    plane.plane_offset = -(INT64_C(60000) << 32);
    manifold = manifold_of(&sphere, &plane, offset);
    assert_int_equal(manifold.count, 0);
    plane.plane_offset = INT64_C(60100) << 32; // far below the ground
    manifold = manifold_of(&sphere, &plane, offset);
    assert_int_equal(manifold.count, 1);
    assert_true(manifold.points[0].separation < -100 * ISO__LENGTH_ONE);
    manifold = manifold_of(&plane, &plane, offset);
    assert_int_equal(manifold.count, 0);
}

static void test_coinciding_cores_have_a_normal(void **state) {
    (void)state;
    static const int64_t none[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 9; ++i) {
        iso__space_collider pieces[2] = {{.kind = (uint8_t)(i / 3), .radius = 1000000},
                                         {.kind = (uint8_t)(i % 3), .radius = 1000000}};
        for (int k = 0; k < 2; ++k) {
            rotation_unit(pieces[k].rotation);
            rotation_unit(pieces[k].frame);
            for (int m = 0; m < 3; ++m) {
                pieces[k].half[m] = 1000000;
            }
            pieces[k].ends[0][k] = pieces[k].kind == ISO__SPACE_COLLIDER_CAPSULE && i != 1 ? -1000000 : 0;
            pieces[k].ends[1][k] = -pieces[k].ends[0][k];
        }
        const iso__space_manifold manifold = manifold_of(&pieces[0], &pieces[1], none);
        manifold_check(&manifold, none);
        EXPECT(manifold.count > 0, "pair %u", i);
        assert_true(manifold.points[0].separation < 0);
    }
}

static void test_places_are_in_the_frame_of_one_body(void **state) {
    (void)state;
    rng random = {8};
    for (uint32_t i = 0; i < 1000; ++i) {
        const pair is = pair_random(&random, ISO__SPACE_COLLIDER_CAPSULE, ISO__SPACE_COLLIDER_BOX, 1);
        iso__space_manifold manifold = manifold_of(&is.a, &is.b, is.offset);
        const bool is_of_b = i % 2 == 1;
        const int exponent = (int)(i % 15) - 8;
        const int32_t *r = is_of_b ? is.b.rotation : is.a.rotation;
        iso__space_manifold_set_places(&manifold, r, exponent, is_of_b);
        for (uint32_t k = 0; k < manifold.count; ++k) {
            const vec3 anchor = vec3_of(is_of_b ? manifold.points[k].anchor_b : manifold.points[k].anchor_a, 24);
            for (int m = 0; m < 3; ++m) {
                const vec3 axis = vec3_of((const int32_t[]){r[m], r[3 + m], r[6 + m]}, 30);
                const double place = ldexp(vec3_dot(axis, anchor), 14 - exponent);
                EXPECT_NEAR(manifold.points[k].place[m], fmin(fmax(place, -32768), 32767), 0.51, "place");
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_shapes_touch_where_their_cores_are_nearest),
        cmocka_unit_test(test_parallel_capsules_touch_at_both_ends_of_what_they_share),
        cmocka_unit_test(test_capsules_nearly_parallel_touch_evenly),
        cmocka_unit_test(test_capsules_flat_on_boxes_touch_at_both_ends),
        cmocka_unit_test(test_cores_in_boxes_leave_by_the_best_axis),
        cmocka_unit_test(test_shapes_touch_planes_with_their_lowest_points),
        cmocka_unit_test(test_planes_reach_across_the_world),
        cmocka_unit_test(test_coinciding_cores_have_a_normal),
        cmocka_unit_test(test_places_are_in_the_frame_of_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
