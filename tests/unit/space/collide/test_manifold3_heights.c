/// Pieces on fields of heights against all of their triangles in double precision.
#include "hull_util.h"

#include "space/collide/heights.h"
#include "space/collide/manifold_heights.h"

#define SIDE   9
#define ROUNDS 600

static int16_t samples[SIDE * SIDE];

static iso__space_collider field_make(rng *random, int height, double cell) {
    iso__space_collider field = {.kind = ISO__SPACE_COLLIDER_HEIGHTS};
    rotation_unit(field.rotation);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)lround(rng_range(random, -height, height));
    }
    field.heights = (iso__space_heights){samples, length24(cell), length24(1.0 / 256), SIDE, SIDE, -32768, 32767};
    return field;
}

static vec3 corner_of(const iso__space_collider *field, int column, int row) {
    const double cell = ldexp(field->heights.cell, -24), half = (SIDE - 1) / 2.0;
    return (vec3){(column - half) * cell, samples[row * SIDE + column] / 256.0, (row - half) * cell};
}

/// A triangle, as a solid without a volume.
static solid triangle_of(const iso__space_collider *field, int column, int row, int half) {
    solid is = {.count = 3, .normal_count = 2, .direction_count = 3};
    is.points[0] = corner_of(field, column, row);
    is.points[1] = half == 0 ? corner_of(field, column + 1, row) : corner_of(field, column + 1, row + 1);
    is.points[2] = half == 0 ? corner_of(field, column + 1, row + 1) : corner_of(field, column, row + 1);
    for (int i = 0; i < 3; ++i) {
        is.directions[i] = vec3_unit(vec3_sub(is.points[(i + 1) % 3], is.points[i]));
    }
    is.normals[0] = vec3_unit(vec3_cross(is.directions[1], is.directions[0]));
    is.normals[1] = vec3_scale(is.normals[0], -1);
    return is;
}

/// The least gap between a solid and any triangle: negative when it is in the surface, and no gap above 1 m is
/// measured.
static double field_gap(const iso__space_collider *field, const solid *piece) {
    double least = 1;
    for (int i = 0; i < 2 * (SIDE - 1) * (SIDE - 1); ++i) {
        const solid triangle = triangle_of(field, i / 2 % (SIDE - 1), i / 2 / (SIDE - 1), i % 2);
        double gap = solid_gap(&triangle, piece, triangle.normals[0]);
        for (int k = 0; k < 6 && gap < least; ++k) {
            const double sign = k < 3 ? 1 : -1;
            const vec3 axis = {k % 3 == 0 ? sign : 0, k % 3 == 1 ? sign : 0, k % 3 == 2 ? sign : 0};
            gap = fmax(gap, solid_gap(&triangle, piece, axis));
        }
        if (gap < least) {
            least = fmin(least, fmax(solid_face_gap(&triangle, piece), solid_edge_gap(&triangle, piece)));
        }
    }
    return least;
}

static double triangle_distance(const solid *triangle, vec3 p) {
    double least = HUGE_VAL;
    bool is_over = true;
    const vec3 n = triangle->normals[0];
    for (int i = 0; i < 3; ++i) {
        const vec3 a = triangle->points[i], b = triangle->points[(i + 1) % 3];
        least = fmin(least, segment_distance(p, a, b));
        is_over = is_over && vec3_dot(vec3_cross(vec3_sub(b, a), n), vec3_sub(p, a)) >= 0;
    }
    const double height = fabs(vec3_dot(n, vec3_sub(p, triangle->points[0])));
    return is_over ? height : least;
}

static double field_distance(const iso__space_collider *field, vec3 p) {
    double least = HUGE_VAL;
    for (int i = 0; i < 2 * (SIDE - 1) * (SIDE - 1); ++i) {
        const solid triangle = triangle_of(field, i / 2 % (SIDE - 1), i / 2 / (SIDE - 1), i % 2);
        least = fmin(least, triangle_distance(&triangle, p));
    }
    return least;
}

static double field_height(const iso__space_collider *field, vec3 p) {
    const double cell = ldexp(field->heights.cell, -24);
    const double x = p.x / cell + (SIDE - 1) / 2.0, z = p.z / cell + (SIDE - 1) / 2.0;
    const int c = (int)floor(x), r = (int)floor(z);
    const double u = x - c, v = z - r, s00 = corner_of(field, c, r).y, s11 = corner_of(field, c + 1, r + 1).y;
    return u >= v ? s00 + u * (corner_of(field, c + 1, r).y - s00) + v * (s11 - corner_of(field, c + 1, r).y)
                  : s00 + v * (corner_of(field, c, r + 1).y - s00) + u * (s11 - corner_of(field, c, r + 1).y);
}

/// @return the least separation; HUGE_VAL: no point
static double field_collide(const iso__space_collider *field, const iso__space_collider *piece, const int64_t offset[3],
                            uint32_t *count) {
    iso__space_manifold manifolds[ISO__SPACE_MANIFOLD_CHILDREN];
    *count = iso__space_manifold_heights(&SETTINGS, field, piece, offset, manifolds);
    double least = HUGE_VAL, last = -HUGE_VAL;
    for (uint32_t i = 0; i < *count; ++i) {
        assert_true(manifolds[i].count > 0);
        assert_true(manifolds[i].normal[1] >= 0);
        manifold_check(&manifolds[i], offset);
        const double deepest = least_separation(&manifolds[i]);
        EXPECT(piece->kind != ISO__SPACE_COLLIDER_SPHERE || deepest >= last, "%g m comes after %g m", deepest, last);
        last = deepest;
        least = fmin(least, deepest);
    }
    return least;
}

/// A ball's deepest point is the nearest one of the surface, exactly.
static void test_balls_touch_where_the_surface_is_nearest(void **state) {
    (void)state;
    rng random = {1};
    uint32_t touched = 0, several = 0;
    double worst = 0;
    for (int i = 0; i < 4 * ROUNDS; ++i) {
        const iso__space_collider field = field_make(&random, 200, rng_range(&random, 0.5, 2));
        iso__space_collider ball = collider_random(&random, ISO__SPACE_COLLIDER_SPHERE, 1);
        memset(ball.centre, 0, sizeof ball.centre);
        const double reach = 3 * ldexp(field.heights.cell, -24), radius = ldexp(ball.radius, -24);
        vec3 at = {rng_range(&random, -reach, reach), 0, rng_range(&random, -reach, reach)};
        at.y = field_height(&field, at) + rng_range(&random, 0.001, 1.3 * radius);
        const int64_t offset[3] = {length24(at.x), length24(at.y), length24(at.z)};
        const double expected = field_distance(&field, vec3_of_wide(offset)) - radius;
        uint32_t count;
        const double is = field_collide(&field, &ball, offset, &count);
        if (expected > 0.02 + 1e-6) {
            EXPECT(count == 0, "round %d: a point though it is %g m away", i, expected);
        } else if (expected < 0.02 - 1e-6) {
            EXPECT(fabs(is - expected) < 1e-6, "round %d: %g m instead of %g", i, is, expected);
            worst = fmax(worst, fabs(is - expected));
            touched += 1;
            several += count > 1;
        }
    }
    print_message("%u touch, %u of them at several places; %g m off\n", touched, several, worst);
    assert_true(touched > 1000 && several > 100);
}

/// Lowers a piece onto the surface until it is `depth` in it.
static void piece_lower(const iso__space_collider *field, const iso__space_collider *piece, double depth,
                        int64_t offset[3]) {
    int64_t high = length24(3), low = high;
    for (bool is_above = true; is_above || high - low > 1;) {
        offset[1] = is_above ? low - length24(0.05) : (low + high) / 2;
        const solid is = solid_of(piece, vec3_of_wide(offset));
        const bool is_in = field_gap(field, &is) <= -depth;
        low = is_above || is_in ? offset[1] : low;
        high = is_in ? high : offset[1];
        is_above = is_above && !is_in;
    }
    offset[1] = high;
}

/// Corners on faces, ridges under faces, edges across ridges: what is a little in the surface is found, and how deep it
/// is.
static void test_pieces_are_found_where_they_are_in_the_surface(void **state) {
    (void)state;
    rng random = {2};
    static iso__space_hull hull;
    uint32_t missed = 0;
    double worst = 0;
    for (int i = 0; i < ROUNDS / 2; ++i) {
        const iso__space_collider field = field_make(&random, i % 2 == 0 ? 60 : 150, 1);
        iso__space_collider piece = collider_random(
            &random, i % 3 == 0 ? ISO__SPACE_COLLIDER_BOX : ISO__SPACE_COLLIDER_HULL, rng_range(&random, 0.4, 1.2));
        memset(piece.centre, 0, sizeof piece.centre);
        hull_random(&random, 4 + rng_below(&random, 29), 1, &hull);
        piece.hull = &hull;
        int64_t offset[3] = {length24(rng_range(&random, -2, 2)), 0, length24(rng_range(&random, -2, 2))};
        piece_lower(&field, &piece, 0.002, offset);
        const solid is = solid_of(&piece, vec3_of_wide(offset));
        const double expected = field_gap(&field, &is);
        uint32_t count;
        const double found = field_collide(&field, &piece, offset, &count);
        missed += count == 0 || found > 0;
        worst = count == 0 ? worst : fmax(worst, fabs(found - expected));
        EXPECT(count == 0 || fabs(found - expected) < 0.004, "round %d: %g m instead of %g", i, found, expected);
    }
    print_message("%u of %u missed; the depth is %g m off\n", missed, ROUNDS / 2, worst);
    // A few are only touched where the least way out is no way out of the terrain.
    EXPECT(missed <= ROUNDS / 100, "%u of %u are in the surface but have no point in it", missed, ROUNDS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_touch_where_the_surface_is_nearest),
        cmocka_unit_test(test_pieces_are_found_where_they_are_in_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
