/// How far pieces are apart, against all axes and the nearest points in double precision.
#include "piece_util.h"

#include "space/collide/separate.h"

#define ROUNDS 6000
#define CLEAR  1e-6 // [m] solids that faces part by more are not searched further

static twin twins[2];

static bool is_solid(const twin *it) {
    return it->collider.kind == ISO__SPACE_COLLIDER_BOX || it->collider.kind == ISO__SPACE_COLLIDER_HULL;
}

static bool is_plane(const twin *it) {
    return it->collider.kind == ISO__SPACE_COLLIDER_PLANE;
}

/// Along a direction, with the radii; of a half-space only along its normal.
static double gap_along(const twin *a, const twin *b, vec3 n) {
    return solid_gap(&a->is, &b->is, n) - a->is.radius - b->is.radius;
}

static double plane_gap(const twin *plane, const twin *b) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < b->is.count; ++i) {
        least = fmin(least, vec3_dot(plane->normal, b->is.points[i]) - plane->offset);
    }
    return least - b->is.radius;
}

/// What separate.h promises.
static double expected_gap(const twin *a, const twin *b) {
    if (is_plane(a) || is_plane(b)) {
        return is_plane(a) ? plane_gap(a, b) : plane_gap(b, a);
    }
    const double radii = a->is.radius + b->is.radius, faces = solid_face_gap(&a->is, &b->is);
    if (is_solid(a) && is_solid(b)) {
        return faces > CLEAR ? faces : fmax(faces, solid_edge_gap(&a->is, &b->is));
    }
    const twin *round = is_solid(a) ? b : a, *other = is_solid(a) ? a : b;
    const double cores = solid_round_distance(&round->is, &other->is);
    if (cores > 0) {
        return cores - radii;
    }
    return fmax(faces, solid_edge_gap(&a->is, &b->is)) - radii;
}

/// @param size  [m] of their places: directions have 30 bits
static void check_pair(double size, uint32_t seen[3]) {
    const twin *a = &twins[0], *b = &twins[1];
    int32_t axis[3], back[3];
    const int64_t gap = iso__space_piece_separate(&a->piece, &b->piece, axis);
    const double expected = expected_gap(a, b), found = ldexp((double)gap, -32);
    const int kinds[2] = {a->collider.kind, b->collider.kind};
    const bool is_by_edges = is_solid(a) && is_solid(b) && solid_face_gap(&a->is, &b->is) <= CLEAR;
    // Crosses of edges that are nearly parallel are left out by either, each with a limit of its own.
    EXPECT_NEAR(found, expected, (is_by_edges ? 2e-7 : 2e-8) + 3e-9 * size, "gap of kinds %d and %d", kinds[0],
                kinds[1]);
    EXPECT_NEAR(vec3_length(vec3_of(axis, 30)), 1, 4e-9, "length of the axis of kinds %d and %d", kinds[0], kinds[1]);
    const vec3 n = vec3_of(axis, 30);
    if (is_plane(a) || is_plane(b)) {
        const vec3 normal = is_plane(a) ? a->normal : vec3_scale(b->normal, -1);
        assert_true(vec3_length(vec3_sub(n, normal)) < 4e-9);
    } else {
        // From one to the other, and as far as they are apart along it.
        EXPECT_NEAR(gap_along(a, b, n), found, CLEAR, "gap along the axis of kinds %d and %d", kinds[0], kinds[1]);
    }
    assert_true(llabs(iso__space_piece_separate(&b->piece, &a->piece, back) - gap) <= 4);
    EXPECT_NEAR(is_plane(a) || is_plane(b) ? found : gap_along(b, a, vec3_of(back, 30)), found, CLEAR,
                "gap along the axis of kinds %d and %d", kinds[1], kinds[0]);
    ++seen[found < 0 ? 0 : is_by_edges ? 1 : 2];
}

static void test_pieces_are_as_far_apart_as_their_twins(void **state) {
    (void)state;
    rng random = {1};
    for (uint32_t i = 0; i < PIECE_KINDS * PIECE_KINDS - 1; ++i) {
        uint32_t seen[3] = {0};
        for (uint32_t k = 0; k < ROUNDS / (PIECE_KINDS * PIECE_KINDS); ++k) {
            twin_random(&random, (iso__space_collider_kind)(i / PIECE_KINDS), 1, &twins[0]);
            twin_random(&random, (iso__space_collider_kind)(i % PIECE_KINDS), k % 4 == 0 ? 50 : 2, &twins[1]);
            check_pair(k % 4 == 0 ? 50 : 2, seen);
        }
        EXPECT(seen[0] > 10 && seen[1] + seen[2] > 60, "kinds %u: %u overlap, %u, %u apart", i, seen[0], seen[1],
               seen[2]);
    }
}

/// Hulls and boxes that just touch: what faces part by less than that is parted by edges.
static void test_solids_that_nearly_touch_are_parted_by_edges(void **state) {
    (void)state;
    rng random = {2};
    uint32_t parted = 0;
    for (uint32_t i = 0; i < 1500; ++i) {
        twin_random(&random, i % 2 == 0 ? ISO__SPACE_COLLIDER_BOX : ISO__SPACE_COLLIDER_HULL, 0, &twins[0]);
        twin_random(&random, i % 3 == 0 ? ISO__SPACE_COLLIDER_BOX : ISO__SPACE_COLLIDER_HULL, 1, &twins[1]);
        const double edges = solid_edge_gap(&twins[0].is, &twins[1].is),
                     faces = solid_face_gap(&twins[0].is, &twins[1].is);
        if (edges < 1e-3 || faces > 0) {
            continue;
        }
        int32_t axis[3];
        const int64_t gap = iso__space_piece_separate(&twins[0].piece, &twins[1].piece, axis);
        EXPECT_NEAR(ldexp((double)gap, -32), edges, 2e-7, "gap of edges, faces at %g", faces);
        ++parted;
    }
    EXPECT(parted > 20, "%u parted by edges", parted);
}

static void test_two_half_spaces_never_meet(void **state) {
    (void)state;
    rng random = {3};
    int32_t axis[3];
    for (uint32_t i = 0; i < 100; ++i) {
        twin_random(&random, ISO__SPACE_COLLIDER_PLANE, 10, &twins[0]);
        twin_random(&random, ISO__SPACE_COLLIDER_PLANE, 10, &twins[1]);
        assert_true(iso__space_piece_separate(&twins[0].piece, &twins[1].piece, axis) > INT64_C(1) << 60);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_as_far_apart_as_their_twins),
        cmocka_unit_test(test_solids_that_nearly_touch_are_parted_by_edges),
        cmocka_unit_test(test_two_half_spaces_never_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
