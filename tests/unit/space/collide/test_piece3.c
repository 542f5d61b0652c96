/// Pieces against their colliders in double precision.
#include "piece_util.h"

#define ROUNDS 400
#define SLIGHT 2e-9 // [m] what rounding may do: directions have 30 bits, places 32

static void check_solid(const twin *it) {
    const iso__space_piece *piece = &it->piece;
    assert_non_null(piece->solid);
    assert_int_equal(piece->solid->face_count, it->is.normal_count);
    const iso__space_hull *of = piece->solid;
    for (uint32_t f = 0; f < of->face_count; ++f) {
        const vec3 n = vec3_of(piece->normals[f], 30);
        double off = HUGE_VAL, farthest = -HUGE_VAL;
        for (uint32_t i = 0; i < it->is.normal_count; ++i) {
            off = fmin(off, vec3_length(vec3_sub(n, it->is.normals[i])));
        }
        EXPECT_NEAR(off, 0, 4e-9, "normal of face %u", f);
        for (uint32_t i = of->first[f]; i < of->first[f + 1]; ++i) {
            farthest = fmax(farthest, vec3_dot(n, vec3_of_place(piece->vertices[of->ring[i]])));
        }
        EXPECT_NEAR(ldexp((double)piece->offsets[f], -32), farthest, SLIGHT, "offset of face %u", f);
    }
    for (uint32_t e = 0; e < piece->solid->edge_count; ++e) {
        const vec3 from = it->is.points[piece->solid->edges[e][0]], to = it->is.points[piece->solid->edges[e][1]];
        const vec3 direction = vec3_of(piece->directions[e], 30);
        assert_true(vec3_length(vec3_sub(direction, vec3_unit(vec3_sub(to, from)))) < 2e-6); // corners have 24 bits
    }
}

static void test_pieces_are_where_their_colliders_are(void **state) {
    (void)state;
    rng random = {1};
    twin it;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const iso__space_collider_kind kind = (iso__space_collider_kind)(i % PIECE_KINDS);
        twin_random(&random, kind, 100, &it);
        if (kind == ISO__SPACE_COLLIDER_PLANE) {
            assert_int_equal(it.piece.vertex_count, 0);
            assert_null(it.piece.solid);
            assert_true(vec3_length(vec3_sub(vec3_of(it.piece.normals[0], 30), it.normal)) < 4e-9);
            EXPECT_NEAR(ldexp((double)it.piece.offsets[0], -32), it.offset, 2e-7, "offset of a half-space"); // 100 m
            continue;
        }
        assert_int_equal(it.piece.vertex_count, it.is.count);
        EXPECT_NEAR(ldexp((double)it.piece.radius, -32), it.is.radius, 0, "radius");
        for (uint32_t k = 0; k < it.is.count; ++k) {
            const double off = vec3_length(vec3_sub(vec3_of_place(it.piece.vertices[k]), it.is.points[k]));
            // A box's axes are rounded once more.
            EXPECT(off < (kind == ISO__SPACE_COLLIDER_BOX ? SLIGHT * 2 : SLIGHT / 4), "vertex %u off by %g", k, off);
        }
        if (kind == ISO__SPACE_COLLIDER_BOX || kind == ISO__SPACE_COLLIDER_HULL) {
            check_solid(&it);
        } else {
            assert_null(it.piece.solid);
        }
    }
}

static void test_an_upright_box_is_between_its_corners(void **state) {
    (void)state;
    const int64_t lower[3] = {wide(-1.5), wide(2), wide(7)}, upper[3] = {wide(4), wide(2), wide(7.25)};
    iso__space_piece piece;
    iso__space_piece_make_box(lower, upper, &piece);
    assert_int_equal(piece.vertex_count, 8);
    assert_int_equal(piece.radius, 0);
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            assert_int_equal(piece.vertices[i][k], (i >> k & 1u) != 0 ? upper[k] : lower[k]);
        }
    }
    for (uint32_t f = 0; f < piece.solid->face_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            if (piece.normals[f][k] != 0) {
                assert_int_equal(piece.offsets[f], piece.normals[f][k] > 0 ? upper[k] : -lower[k]);
            }
        }
    }
}

static void test_shrinking_keeps_the_point_that_it_is_about(void **state) {
    (void)state;
    rng random = {2};
    twin it;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        twin_random(&random, (iso__space_collider_kind)(i % PIECE_KINDS), 10, &it);
        const iso__space_piece before = it.piece;
        const int64_t eighths = 1 + rng_below(&random, 7);
        const vec3 about = vec3_random(&random, 10);
        int64_t place[3];
        place_of(about, place);
        iso__space_piece_shrink(&it.piece, place, eighths);
        assert_int_equal(it.piece.radius, before.radius * eighths / 8);
        for (uint32_t k = 0; k < before.vertex_count; ++k) {
            const vec3 from = vec3_sub(vec3_of_place(before.vertices[k]), vec3_of_place(place));
            const vec3 expected = vec3_add(vec3_of_place(place), vec3_scale(from, (double)eighths / 8));
            assert_true(vec3_length(vec3_sub(vec3_of_place(it.piece.vertices[k]), expected)) < 5e-10);
        }
        if (before.vertex_count == 0) {
            assert_int_equal(it.piece.offsets[0], before.offsets[0]);
        } else if (before.solid != NULL) {
            for (uint32_t f = 0; f < before.solid->face_count; ++f) {
                const double height = vec3_dot(vec3_of(before.normals[f], 30), vec3_of_place(place));
                const double offset = height + (ldexp((double)before.offsets[f], -32) - height) * (double)eighths / 8;
                EXPECT_NEAR(ldexp((double)it.piece.offsets[f], -32), offset, SLIGHT, "offset of face %u", f);
            }
        }
    }
}

static void test_the_nearest_point_of_a_segment(void **state) {
    (void)state;
    rng random = {3};
    uint32_t between = 0;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        int64_t a[3], b[3], p[3], nearest[3];
        place_of(vec3_random(&random, 3), a);
        place_of(i % 50 == 0 ? vec3_of_place(a) : vec3_random(&random, 3), b);
        place_of(vec3_random(&random, 5), p);
        iso__space_piece_nearest(a, b, p, nearest);
        const vec3 q = vec3_of_place(p);
        const double distance = vec3_length(vec3_sub(vec3_of_place(nearest), q));
        if (i % 50 == 0) {
            assert_memory_equal(nearest, a, sizeof nearest); // without length
            continue;
        }
        EXPECT_NEAR(distance, segment_distance(q, vec3_of_place(a), vec3_of_place(b)), 5e-10, "distance");
        EXPECT(segment_distance(vec3_of_place(nearest), vec3_of_place(a), vec3_of_place(b)) < 5e-10, "off the segment");
        between += memcmp(nearest, a, sizeof nearest) != 0 && memcmp(nearest, b, sizeof nearest) != 0;
    }
    assert_true(between > ROUNDS / 4 && between < ROUNDS * 3 / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_where_their_colliders_are),
        cmocka_unit_test(test_an_upright_box_is_between_its_corners),
        cmocka_unit_test(test_shrinking_keeps_the_point_that_it_is_about),
        cmocka_unit_test(test_the_nearest_point_of_a_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
