/// Hulls: Euler's formula, all points behind all faces, faces that are one, clouds that are refused, any order of the
/// points.
#include "hull_util.h"

static double hull_volume(const iso__space_hull *hull) {
    double volume = 0;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const vec3 p = vec3_of(hull->vertices[hull->ring[hull->first[f]]], 24);
        for (uint32_t i = hull->first[f] + 1u; i + 1u < hull->first[f + 1]; ++i) {
            const vec3 q = vec3_of(hull->vertices[hull->ring[i]], 24),
                       r = vec3_of(hull->vertices[hull->ring[i + 1]], 24);
            volume += vec3_dot(p, vec3_cross(q, r)) / 6;
        }
    }
    return volume;
}

/// What holds for every hull.
static void hull_check(const iso__space_hull *hull, const int32_t (*points)[3], uint32_t count, double tolerance) {
    assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2);
    assert_int_equal(hull->first[0], 0);
    assert_int_equal(hull->first[hull->face_count], 2 * hull->edge_count);
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const vec3 n = vec3_of(hull->normals[f], 30);
        const double offset = ldexp((double)hull->offsets[f], -54);
        EXPECT_NEAR(vec3_length(n), 1, 4e-9, "normal %u", f);
        for (uint32_t i = 0; i < count; ++i) {
            const double height = vec3_dot(n, vec3_of(points[i], 24)) - offset;
            EXPECT(height < tolerance, "point %u is %g over face %u", i, height, f);
        }
        assert_true(hull->first[f + 1] - hull->first[f] >= 3);
        for (uint32_t i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            const uint8_t from = hull->ring[i], to = hull->ring[i + 1u < hull->first[f + 1] ? i + 1 : hull->first[f]];
            assert_true(from >= hull->ring[hull->first[f]]);
            const vec3 p = vec3_of(hull->vertices[from], 24);
            EXPECT_NEAR(vec3_dot(n, p), offset, 2 * tolerance, "vertex of face %u", f);
            const uint8_t *edge = hull->edges[hull->ring_edge[i]];
            const bool is_forward = edge[0] == from;
            assert_int_equal(edge[is_forward ? 0 : 1], from);
            assert_int_equal(edge[is_forward ? 1 : 0], to);
            assert_int_equal(edge[is_forward ? 2 : 3], f);
        }
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        const uint8_t *edge = hull->edges[e];
        const vec3 d = vec3_sub(vec3_of(hull->vertices[edge[1]], 24), vec3_of(hull->vertices[edge[0]], 24));
        const vec3 off = vec3_sub(vec3_unit(d), vec3_of(hull->directions[e], 30));
        assert_true(edge[0] < edge[1]);
        assert_true(e == 0 || memcmp(hull->edges[e - 1], edge, 2) < 0);
        EXPECT_NEAR(vec3_length(off), 0, 2e-9, "direction of edge %u", e);
        EXPECT(vec3_length(d) > 0.000999, "an edge of %g", vec3_length(d));
        // It goes with the face on its left, which is counterclockwise from outside.
        const vec3 across = vec3_cross(vec3_of(hull->normals[edge[2]], 30), vec3_of(hull->normals[edge[3]], 30));
        assert_true(vec3_dot(across, d) > 0);
    }
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        bool is_given = false;
        for (uint32_t k = 0; k < count; ++k) {
            is_given = is_given || memcmp(hull->vertices[i], points[k], sizeof points[k]) == 0;
        }
        assert_true(is_given);
    }
}

static void test_clouds_have_hulls(void **state) {
    (void)state;
    rng random = {1};
    uint32_t made = 0, largest = 0;
    for (uint32_t i = 0; i < 600; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t count =
            cloud_random(&random, 4 + rng_below(&random, 29), pow(10, rng_range(&random, -1, 1.7)), points);
        iso__space_hull hull;
        if (iso__space_hull_make((const int32_t(*)[3])points, count, &hull) != ISO_OK) {
            continue; // points that are nearer than a millimetre
        }
        hull_check(&hull, (const int32_t(*)[3])points, count, 2.5e-4);
        made += 1;
        largest = hull.face_count > largest ? hull.face_count : largest;
    }
    EXPECT(made > 500 && largest > 50, "%u made, %u faces", made, largest);
}

/// Points on a grid: whole planes and lines of them.
static void test_points_of_a_grid_make_boxes_and_wedges(void **state) {
    (void)state;
    rng random = {2};
    uint32_t made = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t count = 4 + rng_below(&random, 29);
        for (uint32_t k = 0; k < 3 * count; ++k) {
            points[k / 3][k % 3] = (int32_t)rng_below(&random, 3) * ISO__LENGTH_ONE;
        }
        iso__space_hull hull;
        if (iso__space_hull_make((const int32_t(*)[3])points, count, &hull) == ISO_OK) {
            hull_check(&hull, (const int32_t(*)[3])points, count, 1e-7);
            made += 1;
        }
    }
    EXPECT(made > 900, "%u made", made);
    int32_t cube[27][3];
    for (uint32_t k = 0; k < 27; ++k) {
        cube[k][0] = (int32_t)(k % 3) * ISO__LENGTH_ONE;
        cube[k][1] = (int32_t)(k / 3 % 3) * ISO__LENGTH_ONE;
        cube[k][2] = (int32_t)(k / 9) * ISO__LENGTH_ONE;
    }
    iso__space_hull hull;
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])cube, 27, &hull), ISO_OK);
    assert_int_equal(hull.vertex_count, 8);
    assert_int_equal(hull.face_count, 6);
    EXPECT_NEAR(hull_volume(&hull), 8, 1e-9, "volume");
}

static void test_boxes_are_the_hulls_of_their_corners(void **state) {
    (void)state;
    const int64_t half[3] = {ISO__LENGTH_ONE / 3, 60 * (int64_t)ISO__LENGTH_ONE, 1 << 20};
    iso__space_hull box, hull;
    int32_t corners[8][3];
    iso__space_hull_make_box(half, &box);
    for (uint32_t i = 0; i < 24; ++i) {
        corners[i / 3][i % 3] = (int32_t)((i / 3 >> i % 3 & 1) != 0 ? half[i % 3] : -half[i % 3]);
    }
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])corners, 8, &hull), ISO_OK);
    assert_memory_equal(box.vertices, hull.vertices, sizeof hull.vertices);
    assert_memory_equal(box.normals, hull.normals, sizeof hull.normals);
    assert_memory_equal(box.offsets, hull.offsets, sizeof hull.offsets);
    assert_memory_equal(box.directions, hull.directions, sizeof hull.directions);
    assert_memory_equal(box.edges, hull.edges, sizeof hull.edges);
    assert_memory_equal(box.first, hull.first, sizeof hull.first);
    assert_memory_equal(box.ring, hull.ring, sizeof hull.ring);
    assert_memory_equal(box.ring_edge, hull.ring_edge, sizeof hull.ring_edge);
    assert_int_equal(box.edge_count, hull.edge_count);
}

/// A prism whose ends are uneven by less than 2^-12 m, or by more.
static void test_faces_within_the_tolerance_are_one(void **state) {
    (void)state;
    rng random = {3};
    for (uint32_t i = 0; i < 400; ++i) {
        const uint32_t sides = 4 + rng_below(&random, 13);
        const bool is_even = i % 2 == 0;
        int32_t points[ISO__SPACE_HULL_VERTICES][3];
        for (uint32_t k = 0; k < 2 * sides; ++k) {
            const double angle = 2 * PI * (k % sides) / sides;
            const double uneven = is_even ? rng_range(&random, 0, 1e-4) : k % 2 == 0 ? 0 : 2e-3;
            points[k][0] = length24(cos(angle));
            points[k][1] = length24(sin(angle));
            points[k][2] = length24(k < sides ? -0.5 - uneven : 0.5 + uneven);
        }
        iso__space_hull hull;
        EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])points, 2 * sides, &hull), ISO_OK);
        hull_check(&hull, (const int32_t(*)[3])points, 2 * sides, 2.5e-4);
        if (is_even) {
            assert_int_equal(hull.face_count, sides + 2);
            assert_int_equal(hull.vertex_count, 2 * sides);
        } else {
            assert_true(hull.face_count > sides + 2);
        }
    }
}

/// The edge of a blade: its bevel is within the tolerance of the sole, the largest face, but on the other side of the
/// edge. It becomes part of the back.
static void test_faces_are_not_folded_over_an_edge(void **state) {
    (void)state;
    static const double section[5][2] = {{0, 0}, {1, 0}, {1, 0.05}, {0.5, 0.06}, {0.0012, 0.0002}};
    int32_t points[10][3];
    for (uint32_t i = 0; i < 10; ++i) {
        points[i][0] = length24(section[i / 2][0]);
        points[i][1] = length24(i % 2);
        points[i][2] = length24(section[i / 2][1]);
    }
    iso__space_hull hull;
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])points, 10, &hull), ISO_OK);
    assert_int_equal(hull.face_count, 6);
    assert_int_equal(hull.vertices[0][0], 0);
    assert_int_equal(hull.vertices[1][0], 0);
    bool has_sole = false;
    for (uint32_t f = 0; f < hull.face_count; ++f) {
        has_sole = has_sole || (hull.normals[f][2] == -ISO__UNIT_ONE && hull.first[f + 1] - hull.first[f] == 4);
    }
    assert_true(has_sole);
}

static void test_clouds_without_volume_are_refused(void **state) {
    (void)state;
    rng random = {4};
    iso__space_hull hull;
    for (uint32_t i = 0; i < 300; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3], r[9];
        const uint32_t count = 4 + rng_below(&random, 29);
        rotation_random(&random, r);
        for (uint32_t k = 0; k < count; ++k) {
            // A plane, a line, a speck, or one that is too large.
            const double y = i % 5 == 1 ? 0 : rng_range(&random, -1, 1);
            const vec3 p = vec3_scale(vec3_turn(r, (vec3){rng_range(&random, -1, 1), y, 0}), i % 5 == 3 ? 1e-4 : 1);
            points[k][0] = length24(p.x + (i % 5 == 3 ? rng_range(&random, -3e-4, 3e-4) : 0));
            points[k][1] = length24(i % 5 == 4 && k == 0 ? 119.9 : p.y + (i % 5 == 4 ? -1.2 : 0));
            points[k][2] = length24(p.z + (i % 5 == 4 ? rng_range(&random, -1, 1) : 0));
        }
        const iso_status status = iso__space_hull_make((const int32_t(*)[3])points, count, &hull);
        EXPECT(status == ISO_ERR_GEOMETRY, "cloud %u of %u points: %s", i, count, iso_status_name(status));
    }
    int32_t few[33][3] = {{0, 0, 0}, {ISO__LENGTH_ONE, 0, 0}, {0, ISO__LENGTH_ONE, 0}, {0, 0, ISO__LENGTH_ONE}};
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])few, 4, &hull), ISO_OK);
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])few, 3, &hull), ISO_ERR_GEOMETRY);
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])few, 33, &hull), ISO_ERR_GEOMETRY);
    // A corner that is cut off by 0.12 mm.
    few[4][0] = ISO__LENGTH_ONE / 8000;
    few[5][1] = ISO__LENGTH_ONE / 8000;
    few[6][2] = ISO__LENGTH_ONE / 8000;
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3]) & few[1], 6, &hull), ISO_ERR_GEOMETRY);
}

/// Near-degenerate clouds end in a hull or in a refusal, never in something else.
static void test_clouds_that_are_nearly_flat_are_built_or_refused(void **state) {
    (void)state;
    rng random = {5};
    uint32_t counts[2] = {0};
    for (uint32_t i = 0; i < 3000; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t count = 4 + rng_below(&random, 29);
        const double thin = pow(10, rng_range(&random, -7, -1)), near = pow(10, rng_range(&random, -7, 0));
        for (uint32_t k = 0; k < count; ++k) {
            const int kind = (int)rng_below(&random, 3);
            points[k][0] = length24(kind == 0 ? rng_below(&random, 3) * near : rng_range(&random, -1, 1));
            points[k][1] = length24(kind == 1 ? rng_below(&random, 3) - 1.0 : rng_range(&random, -1, 1));
            points[k][2] = length24(thin * (kind == 2 ? rng_below(&random, 2) : rng_range(&random, -1, 1)));
        }
        iso__space_hull hull;
        const iso_status status = iso__space_hull_make((const int32_t(*)[3])points, count, &hull);
        assert_true(status == ISO_OK || status == ISO_ERR_GEOMETRY);
        counts[status == ISO_OK] += 1;
        if (status == ISO_OK) {
            // Joined faces keep the plane of the largest one, and lose what is between.
            for (uint32_t f = 0; f < hull.face_count; ++f) {
                for (uint32_t k = 0; k < hull.vertex_count; ++k) {
                    const double height = vec3_dot(vec3_of(hull.normals[f], 30), vec3_of(hull.vertices[k], 24));
                    assert_true(height <= ldexp((double)hull.offsets[f], -54) + 1e-12);
                }
            }
            assert_int_equal(hull.vertex_count - hull.edge_count + hull.face_count, 2);
            assert_true(hull_unevenness(&hull) < 5e-4);
            EXPECT(hull_volume(&hull) > 0, "volume %g", hull_volume(&hull));
        }
    }
    EXPECT(counts[0] > 100 && counts[1] > 100, "%u refused, %u built", counts[0], counts[1]);
}

/// The solid does not depend on the order of its points: the same faces, whichever numbers they have.
static void test_any_order_of_the_points_makes_the_same_solid(void **state) {
    (void)state;
    rng random = {6};
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 300; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3], shuffled[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t count = cloud_random(&random, 4 + rng_below(&random, 29), 1, points);
        for (uint32_t k = 0; i % 2 == 0 && k < 3 * count; ++k) {
            points[k / 3][k % 3] = (int32_t)rng_below(&random, 3) * ISO__LENGTH_ONE; // with planes and lines of points
        }
        memcpy(shuffled, points, sizeof shuffled);
        for (uint32_t k = count - 1; k > 0; --k) {
            const uint32_t other = rng_below(&random, k + 1);
            for (int m = 0; m < 3; ++m) {
                const int32_t at = shuffled[k][m];
                shuffled[k][m] = shuffled[other][m];
                shuffled[other][m] = at;
            }
        }
        iso__space_hull hull, other;
        const iso_status status = iso__space_hull_make((const int32_t(*)[3])points, count, &hull);
        EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])shuffled, count, &other), status);
        if (status != ISO_OK) {
            continue;
        }
        assert_int_equal(hull.vertex_count, other.vertex_count);
        assert_int_equal(hull.face_count, other.face_count);
        assert_int_equal(hull.edge_count, other.edge_count);
        for (uint32_t f = 0; f < hull.face_count; ++f) {
            bool is_there = false;
            for (uint32_t g = 0; g < other.face_count; ++g) {
                is_there = is_there || (hull.first[f + 1] - hull.first[f] == other.first[g + 1] - other.first[g] &&
                                        memcmp(hull.normals[f], other.normals[g], sizeof hull.normals[f]) == 0 &&
                                        hull.offsets[f] == other.offsets[g]);
            }
            assert_true(is_there);
        }
        compared += 1;
    }
    EXPECT(compared > 200, "%u compared", compared);
}

static void test_a_hull_that_is_moved_is_that_of_moved_points(void **state) {
    (void)state;
    rng random = {7};
    iso__space_hull hull;
    hull_random(&random, 20, 1, &hull);
    int32_t points[ISO__SPACE_HULL_VERTICES][3];
    const int32_t by[3] = {12345678, -7654321, 99};
    for (uint32_t i = 0; i < 3u * hull.vertex_count; ++i) {
        points[i / 3][i % 3] = hull.vertices[i / 3][i % 3] + by[i % 3];
    }
    iso__space_hull moved;
    EXPECT_STATUS(iso__space_hull_make((const int32_t(*)[3])points, hull.vertex_count, &moved), ISO_OK);
    iso__space_hull_move(&hull, by);
    assert_memory_equal(&hull, &moved, sizeof hull);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clouds_have_hulls),
        cmocka_unit_test(test_points_of_a_grid_make_boxes_and_wedges),
        cmocka_unit_test(test_boxes_are_the_hulls_of_their_corners),
        cmocka_unit_test(test_faces_within_the_tolerance_are_one),
        cmocka_unit_test(test_faces_are_not_folded_over_an_edge),
        cmocka_unit_test(test_clouds_without_volume_are_refused),
        cmocka_unit_test(test_clouds_that_are_nearly_flat_are_built_or_refused),
        cmocka_unit_test(test_any_order_of_the_points_makes_the_same_solid),
        cmocka_unit_test(test_a_hull_that_is_moved_is_that_of_moved_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
