/// The prisms of fields of heights against their corners in double precision.
#include "piece_util.h"

#include "space/collide/heights.h"
#include "space/collide/prism.h"

#define SIDE 5

static int16_t samples[SIDE * SIDE];

static iso__space_collider field_random(rng *random, bool is_turned) {
    iso__space_collider field = {.kind = ISO__SPACE_COLLIDER_HEIGHTS};
    int16_t low = INT16_MAX;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)lround(rng_range(random, -300, 300));
        low = samples[i] < low ? samples[i] : low;
    }
    if (is_turned) {
        rotation_random(random, field.rotation);
    } else {
        rotation_unit(field.rotation);
    }
    place_random(random, 3, field.centre);
    field.heights = (iso__space_heights){samples, length24(1.5), length24(1.0 / 128), SIDE, SIDE - 1, low, 300};
    return field;
}

/// A point of the field's frame [m] in the world's orientation, from the body.
static vec3 field_point(const iso__space_collider *field, double column, double y, double row) {
    const double cell = ldexp(field->heights.cell, -24);
    const vec3 begin = vec3_sub(vec3_of(field->centre, 24), (vec3){cell * (SIDE - 1) / 2, 0, cell * (SIDE - 2) / 2});
    return vec3_turn(field->rotation, vec3_add(begin, (vec3){cell * column, y, cell * row}));
}

static double height_at(const iso__space_collider *field, int column, int row) {
    return ldexp((double)iso__space_heights_height(&field->heights, column, row), -24);
}

/// Corners of half of a cell, as heights.h has them.
static const int HALVES[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};

static void check_vertices(const iso__space_collider *field, int column, int row, uint32_t half,
                           const iso__space_prism *prism) {
    const vec3 at = vec3_of_place(prism->at);
    const double floor = ldexp((double)iso__space_heights_floor(&field->heights), -24);
    assert_int_equal(prism->piece.vertex_count, 6);
    for (int i = 0; i < 3; ++i) {
        const int c = column + HALVES[half][i][0], r = row + HALVES[half][i][1];
        double top = HUGE_VAL, bottom = HUGE_VAL;
        for (int k = 0; k < 3; ++k) {
            const vec3 above = vec3_add(at, vec3_of_place(prism->piece.vertices[k]));
            const vec3 below = vec3_add(at, vec3_of_place(prism->piece.vertices[k + 3]));
            top = fmin(top, vec3_length(vec3_sub(above, field_point(field, c, height_at(field, c, r), r))));
            bottom = fmin(bottom, vec3_length(vec3_sub(below, field_point(field, c, floor, r))));
        }
        EXPECT(top < 1e-8, "corner %d of half %u is %g off", i, half, top);
        EXPECT(bottom < 1e-7, "corner %d of half %u is %g off at the floor", i, half, bottom); // 64 m below
    }
}

/// Faces are flat, turn counterclockwise, and have everything behind them; edges are between the faces that they name.
static void check_faces(const iso__space_prism *prism) {
    const iso__space_hull *hull = &prism->hull;
    const iso__space_piece *piece = &prism->piece;
    assert_ptr_equal(piece->solid, hull);
    assert_int_equal(hull->vertex_count + hull->face_count, hull->edge_count + 2); // Euler
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const vec3 n = vec3_of(piece->normals[f], 30);
        const uint32_t count = hull->first[f + 1] - hull->first[f];
        const uint8_t *ring = hull->ring + hull->first[f];
        EXPECT_NEAR(vec3_length(vec3_of(hull->normals[f], 30)), 1, 4e-9, "length of the normal of face %u", f);
        for (uint32_t i = 0; i < count; ++i) {
            const vec3 a = vec3_of_place(piece->vertices[ring[i]]),
                       b = vec3_of_place(piece->vertices[ring[(i + 1) % count]]);
            const vec3 c = vec3_of_place(piece->vertices[ring[(i + 2) % count]]);
            EXPECT_NEAR(vec3_dot(n, a), ldexp((double)piece->offsets[f], -32), 2e-7, "vertex %u of face %u", i, f);
            EXPECT(vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(c, b)), n) > 0, "face %u turns inward at %u", f, i);
            const uint8_t *edge = hull->edges[hull->ring_edge[hull->first[f] + i]];
            const uint8_t from = ring[i], to = ring[(i + 1) % count];
            assert_int_equal(edge[from < to ? 0 : 1], from);
            assert_int_equal(edge[from < to ? 1 : 0], to);
            assert_int_equal(edge[from < to ? 2 : 3], f); // to the left of the way from the lower to the higher one
        }
        for (uint32_t i = 0; i < hull->vertex_count; ++i) {
            const double over = vec3_dot(n, vec3_of_place(piece->vertices[i])) - ldexp((double)piece->offsets[f], -32);
            EXPECT(over < 2e-7, "vertex %u is %g before face %u", i, over, f);
        }
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        const vec3 way =
            vec3_sub(vec3_of(hull->vertices[hull->edges[e][1]], 24), vec3_of(hull->vertices[hull->edges[e][0]], 24));
        assert_true(vec3_length(vec3_sub(vec3_of(hull->directions[e], 30), vec3_unit(way))) < 4e-9);
    }
}

/// The hull ends a metre below its lowest corner, where manifolds look for nothing any more.
static void check_hull(const iso__space_collider *field, int column, int row, uint32_t half,
                       const iso__space_prism *prism) {
    double lowest = HUGE_VAL;
    const double first = height_at(field, column, row);
    for (int i = 0; i < 3; ++i) {
        lowest = fmin(lowest, height_at(field, column + HALVES[half][i][0], row + HALVES[half][i][1]) - first);
    }
    for (int i = 0; i < 3; ++i) {
        const int32_t *above = prism->hull.vertices[i], *below = prism->hull.vertices[i + 3];
        EXPECT_NEAR(ldexp(below[1], -24), lowest - 1, 0, "bottom");
        assert_int_equal(above[0], below[0]);
        assert_int_equal(above[2], below[2]);
    }
    assert_int_equal(prism->collider.kind, ISO__SPACE_COLLIDER_HULL);
    assert_ptr_equal(prism->collider.hull, &prism->hull);
    assert_memory_equal(prism->collider.rotation, field->rotation, sizeof field->rotation);
}

/// A side is inner when a step over its middle leads to a cell that there is.
static uint32_t check_sides(const iso__space_collider *field, const iso__space_prism *prism) {
    const iso__space_hull *hull = &prism->hull;
    const double cell = ldexp(field->heights.cell, -24);
    uint32_t borders = 0;
    int64_t first[3];
    iso__space_heights_to_field(field, prism->at, first);
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t f = ISO__SPACE_PRISM_SIDES + i;
        double x = 0, z = 0;
        for (uint32_t k = hull->first[f]; k < hull->first[f + 1]; ++k) {
            x += ldexp(hull->vertices[hull->ring[k]][0], -24) / 4;
            z += ldexp(hull->vertices[hull->ring[k]][2], -24) / 4;
        }
        x += ldexp((double)first[0], -32) + ldexp(hull->normals[f][0], -30) * cell / 8;
        z += ldexp((double)first[2], -32) + ldexp(hull->normals[f][2], -30) * cell / 8;
        const bool is_inner = x > 0 && x < cell * (SIDE - 1) && z > 0 && z < cell * (SIDE - 2);
        assert_int_equal(prism->inner >> i & 1, is_inner);
        borders += !is_inner;
    }
    assert_int_equal(prism->inner >> 3, 0);
    return borders;
}

static void test_prisms_are_the_ground_below_their_triangles(void **state) {
    (void)state;
    rng random = {1};
    for (uint32_t i = 0; i < 40; ++i) {
        const iso__space_collider field = field_random(&random, i % 2 == 1);
        uint32_t borders = 0;
        for (int k = 0; k < (SIDE - 1) * (SIDE - 2); ++k) {
            const int column = k % (SIDE - 1), row = k / (SIDE - 1);
            for (uint32_t half = 0; half < 2; ++half) {
                iso__space_prism prism;
                int32_t normal[3], turned[3];
                iso__space_prism_make(&field, column, row, half, &prism);
                check_vertices(&field, column, row, half, &prism);
                check_faces(&prism);
                check_hull(&field, column, row, half, &prism);
                borders += check_sides(&field, &prism);
                iso__space_heights_normal(&field.heights, column, row, half, normal);
                assert_memory_equal(prism.hull.normals[ISO__SPACE_PRISM_TOP], normal, sizeof normal);
                iso__space_ops_turn_unit(field.rotation, normal, turned);
                assert_memory_equal(prism.piece.normals[ISO__SPACE_PRISM_TOP], turned, sizeof turned);
            }
        }
        assert_int_equal(borders, 2 * (SIDE - 1 + SIDE - 2));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prisms_are_the_ground_below_their_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
