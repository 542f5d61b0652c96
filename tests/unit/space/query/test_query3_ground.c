/// Queries of points, overlaps and shapes on their way on fields of heights against brute force in double precision:
/// the ground is all prisms below its triangles, its border all triangles, the floor and the four sides.
#include "room3.h"

#include "isostep/heights.h"
#include "unit/many.h"

#define SIDE  9
#define CELL  1.25
#define CELLS ((SIDE - 1) * (SIDE - 1))
#define DEPTH 64.0
#define NEAR  1e-6 // [m] 70 m from the field's middle

static int16_t samples[SIDE * SIDE];

typedef struct ground {
    iso_world *world;
    iso_shape_id shape;
    vector place;
    matrix R;
    twin prisms[2 * CELLS]; // about the place, as all doubles
    double floor;
} ground;

static double height_of(int column, int row) {
    return samples[row * SIDE + column] / 64.0;
}

/// In the field's frame about its middle.
static vector corner_of(int column, int row) {
    const double half = (SIDE - 1) / 2.0;
    return (vector){{(column - half) * CELL, height_of(column, row), (row - half) * CELL}};
}

static void ground_corners(int cell, int half, vector corners[3]) {
    const int c = cell % (SIDE - 1), r = cell / (SIDE - 1);
    corners[0] = corner_of(c, r);
    corners[1] = half == 0 ? corner_of(c + 1, r) : corner_of(c, r + 1);
    corners[2] = corner_of(c + 1, r + 1);
}

static vector ground_turn(const ground *is, vector v) {
    return turned(&is->R, v);
}

/// @param roughness  of the samples [1/64 m]
static void ground_make(ground *is, uint64_t seed, double roughness) {
    rng random = {seed};
    uint32_t index;
    *is = (ground){.world = space_make(), .floor = HUGE_VAL};
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)rng_range(&random, -roughness, roughness + 1);
        is->floor = fmin(is->floor, samples[i] / 64.0 - DEPTH);
    }
    const iso_heights_def heights = {samples, SIDE, SIDE, fix(CELL), ISO_FIX16_ONE / 64};
    EXPECT_STATUS(iso_world_add_heights(is->world, &heights, &index), ISO_OK);
    const iso_quat turn = rng_quat(&random);
    is->place = (vector){{1000.5, -20.25, 300}};
    is->R = matrix_of(turn);
    const iso_body_id body =
        body3_add(is->world, ISO_BODY_STATIC, wide3(is->place.x[0], is->place.x[1], is->place.x[2]), turn);
    const iso_shape3_def def = iso_shape3_def_heights(index);
    is->shape = shape3_add(is->world, body, &def);
    for (int i = 0; i < 2 * CELLS; ++i) {
        vector corners[3];
        ground_corners(i / 2, i % 2, corners);
        is->prisms[i] = (twin){.count = 6};
        for (uint32_t k = 0; k < 6; ++k) {
            vector v = corners[k % 3];
            v.x[1] = k < 3 ? v.x[1] : is->floor;
            is->prisms[i].points[k] = ground_turn(is, v);
        }
        twin_complete(&is->prisms[i]);
    }
}

static iso_vec3_wide ground_place(const ground *is, vector p) {
    return wide3(is->place.x[0] + p.x[0], is->place.x[1] + p.x[1], is->place.x[2] + p.x[2]);
}

static vector ground_vec(const ground *is, iso_vec3_wide place) {
    return sum(vector_of(place), -1, is->place);
}

/// Somewhere in the ground, over it or beside it.
static vector ground_any(const ground *is, rng *random, double high) {
    vector p = rng_vector(random, 0.65 * CELL * (SIDE - 1));
    p.x[1] = rng_below(random, 6) == 0 ? rng_range(random, is->floor - 3, high) : rng_range(random, -high, high);
    return p;
}

// ---- points --------------------------------------------------------------------------------------

static double triangle_distance(vector p, vector a, vector b, vector c) {
    const vector n = cross(apart(b, a), apart(c, a));
    const double height = dot(n, apart(p, a)) / dot(n, n);
    const vector foot = sum(p, -height, n);
    const double u = dot(cross(apart(b, a), apart(foot, a)), n), v = dot(cross(apart(c, b), apart(foot, b)), n),
                 w = dot(cross(apart(a, c), apart(foot, c)), n);
    if (u >= 0 && v >= 0 && w >= 0) {
        return fabs(height) * length(n);
    }
    return fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
}

static double quad_distance(vector p, vector a, vector b, vector c, vector d) {
    return fmin(triangle_distance(p, a, b, c), triangle_distance(p, a, c, d));
}

static vector below(const ground *is, vector v) {
    return (vector){{v.x[0], is->floor, v.x[2]}};
}

/// Of a place of the field's frame from the border.
static double border_distance(const ground *is, vector p) {
    const int last = SIDE - 1;
    double distance = quad_distance(p, below(is, corner_of(0, 0)), below(is, corner_of(last, 0)),
                                    below(is, corner_of(last, last)), below(is, corner_of(0, last)));
    for (int i = 0; i < 2 * CELLS; ++i) {
        vector c[3];
        ground_corners(i / 2, i % 2, c);
        distance = fmin(distance, triangle_distance(p, c[0], c[1], c[2]));
    }
    for (int i = 0; i < last; ++i) {
        const vector ends[4][2] = {{corner_of(i, 0), corner_of(i + 1, 0)},
                                   {corner_of(i, last), corner_of(i + 1, last)},
                                   {corner_of(0, i), corner_of(0, i + 1)},
                                   {corner_of(last, i), corner_of(last, i + 1)}};
        for (int k = 0; k < 4; ++k) {
            distance =
                fmin(distance, quad_distance(p, ends[k][0], ends[k][1], below(is, ends[k][1]), below(is, ends[k][0])));
        }
    }
    return distance;
}

static bool ground_has(const ground *is, vector p) {
    const double x = p.x[0] / CELL + (SIDE - 1) / 2.0, z = p.x[2] / CELL + (SIDE - 1) / 2.0;
    if (x < 0 || z < 0 || x > SIDE - 1 || z > SIDE - 1 || p.x[1] < is->floor) {
        return false;
    }
    const int c = (int)fmin(x, SIDE - 2), r = (int)fmin(z, SIDE - 2);
    const double u = x - c, v = z - r, first = height_of(c, r), across = height_of(c + 1, r + 1);
    const double height = u >= v ? first + (height_of(c + 1, r) - first) * u + (across - height_of(c + 1, r)) * v
                                 : first + (height_of(c, r + 1) - first) * v + (across - height_of(c, r + 1)) * u;
    return p.x[1] <= height;
}

static void test_points_know_the_border(void **state) {
    (void)state;
    rng random = {71};
    static ground is;
    uint32_t inside = 0, outside = 0;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        ground_make(&is, seed, seed == 0 ? 0.5 : 40 * (double)seed * (double)seed);
        for (int i = 0; i < 1500; ++i) {
            vector p = ground_any(&is, &random, 3 + 3 * (double)seed);
            if (i % 10 == 0) { // on a corner or over it, where the nearest are many
                p = sum(corner_of(i % SIDE, i / 10 % SIDE), i % 20 == 0 ? 0 : 0.5, (vector){{0, 1, 0}});
            }
            const double distance = (ground_has(&is, p) ? -1 : 1) * border_distance(&is, p);
            const iso_vec3_wide place = ground_place(&is, ground_turn(&is, p));
            iso_point3_hit hit, other;
            uint32_t count;
            EXPECT_STATUS(iso_shape3_get_closest_point(is.world, is.shape, place, &hit), ISO_OK);
            EXPECT(fabs(from_wide(hit.distance) - distance) < NEAR || fabs(distance) < NEAR,
                   "round %d: %g instead of %g", i, from_wide(hit.distance), distance);
            const vector at = ground_vec(&is, hit.point);
            EXPECT_NEAR(border_distance(&is, turned_back(&is.R, at)), 0, NEAR, "round %d: the point", i);
            const vector again = sum(at, from_wide(hit.distance), unit_of(hit.normal));
            EXPECT_NEAR(length(apart(again, ground_turn(&is, p))), 0, NEAR, "round %d: along the normal", i);
            const double reach = rng_range(&random, 0, 6);
            EXPECT_STATUS(
                iso_query3_point_closest(is.world, place, wide(reach), iso_query_filter_default(), &other, &count),
                ISO_OK);
            EXPECT(count == (hit.distance <= wide(reach)), "round %d: %u within %g, %g away", i, count, reach,
                   distance);
            if (count == 1) {
                clean_iso_point3_hit(&hit, 1);
                clean_iso_point3_hit(&other, 1);
                assert_memory_equal(&other, &hit, sizeof hit);
            }
            inside += distance < -NEAR;
            outside += distance > NEAR;
        }
        world_free(is.world);
    }
    assert_true(inside > 1000 && outside > 1000);
}

// ---- overlaps ------------------------------------------------------------------------------------

/// The bounding ball of what is asked about [m], about a point.
static double twin_reach(const twin *asked, vector about) {
    double reach = 0;
    for (uint32_t i = 0; i < asked->count; ++i) {
        reach = fmax(reach, length(apart(asked->points[i], about)) + asked->radius);
    }
    return reach;
}

/// Whether a way comes near the column of a prism, in the field's frame.
static bool column_is_near(const ground *is, int prism, vector p, vector d, double reach) {
    vector corners[3];
    ground_corners(prism / 2, prism % 2, corners);
    const vector from = turned_back(&is->R, p), to = turned_back(&is->R, sum(p, 1, d));
    bool is_near = true;
    for (int axis = 0; axis < 3; axis += 2) {
        const double low = fmin(corners[0].x[axis], corners[2].x[axis]),
                     high = fmax(corners[0].x[axis], corners[2].x[axis]);
        is_near =
            is_near && fmin(from.x[axis], to.x[axis]) - reach <= high && fmax(from.x[axis], to.x[axis]) + reach >= low;
    }
    return is_near;
}

static double ground_separation(const ground *is, const twin *asked, vector p) {
    const double reach = twin_reach(asked, p) + 0.01;
    double separation = HUGE_VAL;
    for (int i = 0; i < 2 * CELLS; ++i) {
        if (column_is_near(is, i, p, (vector){{0, 0, 0}}, reach)) {
            separation = fmin(separation, twin_separation(&is->prisms[i], asked));
        }
    }
    return fmax(separation, -DEPTH);
}

static void overlap_check(double truth, const iso_overlap3_hit *hit, uint32_t count, int round) {
    EXPECT(fabs(truth) < NEAR || (count == 1) == (truth < 0), "round %d: %u hits, %g apart", round, count, truth);
    if (count == 1 && truth < 0) {
        EXPECT_NEAR(from_wide(hit->separation), truth, NEAR, "round %d: the separation", round);
    }
}

static void test_overlaps_find_the_ground(void **state) {
    (void)state;
    rng random = {72};
    static ground is;
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        ground_make(&is, 10 + seed, seed == 0 ? 0.5 : 60 * (double)seed);
        for (int i = 0; i < 160; ++i) {
            const double size = rng_range(&random, 0.1, 2);
            const vector p = ground_turn(&is, ground_any(&is, &random, 4));
            iso_overlap3_hit hit;
            uint32_t count;
            twin asked;
            if (i % 4 == 0) {
                const vector q = sum(p, size, (vector){{1, i % 8 == 0 ? 0 : 0.5, 2}});
                asked = twin_of_box(p, q);
                EXPECT_STATUS(iso_query3_box_closest(is.world, ground_place(&is, p), ground_place(&is, q),
                                                     iso_query_filter_default(), &hit, &count),
                              ISO_OK);
            } else {
                iso_shape3_def def = shape_any(&random, size, 1 + rng_below(&random, 4));
                const iso_quat turn = rng_quat(&random);
                const matrix R = matrix_of(turn);
                asked = twin_of_def(&def, p, &R);
                if (iso_shape3_def_check(&def) != ISO_OK || !twin_is_even(&asked)) {
                    continue;
                }
                EXPECT_STATUS(iso_query3_shape_closest(is.world, &def, ground_place(&is, p), turn,
                                                       iso_query_filter_default(), &hit, &count),
                              ISO_OK);
            }
            const double truth = ground_separation(&is, &asked, p);
            overlap_check(truth, &hit, count, i);
            hits += truth < -NEAR;
            misses += truth > NEAR;
        }
        // What has all of it in it is told no deeper than it is solid.
        iso_overlap3_hit hit;
        uint32_t count;
        EXPECT_STATUS(iso_query3_box_all(is.world, wide3(-65536, -65536, -65536), wide3(65536, 65536, 65536),
                                         iso_query_filter_default(), &hit, 1, &count),
                      ISO_OK);
        assert_true(count == 1 && hit.separation == -wide(DEPTH));
        world_free(is.world);
    }
    assert_true(hits > 200 && misses > 100);
}

// ---- shapes on their way -------------------------------------------------------------------------

/// Where it first enters one of the prisms, as a share of the way; 2: nowhere. @param deepest  out: of all
static double ground_truth(const ground *is, const twin *asked, vector p, vector d, double *deepest) {
    const double reach = twin_reach(asked, p) + 0.01;
    double first = 2;
    *deepest = HUGE_VAL;
    for (int i = 0; i < 2 * CELLS; ++i) {
        double deep;
        if (column_is_near(is, i, p, d, reach)) {
            const double enters = way_truth(&(way){&is->prisms[i], asked, p, d}, 40, &deep);
            *deepest = fmin(*deepest, deep);
            first = deep < -1e-4 && enters < first ? enters : first;
        }
    }
    return first;
}

static void cast_check(const ground *is, const twin *asked, vector p, vector d, const iso_cast3_hit *hit, int round) {
    const double s = from_wide(hit->fraction);
    if (is_zero(hit->normal)) {
        EXPECT(s == 0 && ground_separation(is, asked, p) < NEAR, "round %d: it begins in the ground", round);
        return;
    }
    twin moved = *asked;
    for (uint32_t i = 0; i < moved.count; ++i) {
        moved.points[i] = sum(moved.points[i], s, d);
    }
    const vector at = ground_vec(is, hit->point);
    EXPECT_NEAR(border_distance(is, turned_back(&is->R, at)), 0, 2 * NEAR, "round %d: the point is on the border",
                round);
    EXPECT_NEAR(twin_distance(asked, sum(at, -s, d)), 0, 2 * NEAR, "round %d: and on that of the shape", round);
    EXPECT(dot(unit_of(hit->normal), d) < NEAR, "round %d: it comes against the normal", round);
}

static void test_shapes_on_their_way_stop_at_the_ground(void **state) {
    (void)state;
    rng random = {73};
    static ground is;
    const int shapes = ISO_TEST_STEP > 1 ? 3 : 25; // the twin takes long
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        ground_make(&is, 20 + seed, seed == 0 ? 0.5 : 60 * (double)seed);
        for (int i = 0; i < shapes; ++i) {
            iso_shape3_def def = shape_any(&random, rng_range(&random, 0.1, 1), 1 + rng_below(&random, 4));
            const iso_quat turn = rng_quat(&random);
            const matrix R = matrix_of(turn);
            vector from = ground_any(&is, &random, 8), to = ground_any(&is, &random, 4);
            from.x[1] = fabs(from.x[1]);
            to.x[0] = i % 8 == 0 ? from.x[0] : to.x[0]; // along a column, or straight down
            to.x[2] = i % 16 == 0 ? from.x[2] : to.x[2];
            to.x[1] = i % 5 == 0 ? from.x[1] : to.x[1];
            const vector p = ground_turn(&is, from), d = apart(ground_turn(&is, to), p);
            const twin asked = twin_of_def(&def, p, &R);
            if (iso_shape3_def_check(&def) != ISO_OK || !twin_is_even(&asked)) {
                continue;
            }
            iso_cast3_hit hit;
            uint32_t count;
            double deepest;
            EXPECT_STATUS(iso_query3_cast_closest(is.world, &def, ground_place(&is, p), turn,
                                                  wide3(d.x[0], d.x[1], d.x[2]), iso_query_filter_default(), &hit,
                                                  &count),
                          ISO_OK);
            const double enters = ground_truth(&is, &asked, p, d, &deepest);
            if (count == 1) {
                cast_check(&is, &asked, p, d, &hit, i);
            }
            EXPECT(fabs(deepest) < 1e-4 || (count == 1) == (deepest < 0), "round %d: %u hits, as deep as %g", i, count,
                   deepest);
            if (count == 1 && enters < 2) {
                EXPECT(from_wide(hit.fraction) * length(d) < enters * length(d) + 1e-5,
                       "round %d: hit at %g, not at %g", i, from_wide(hit.fraction), enters);
                EXPECT(deepest > -1e-3 || fabs(from_wide(hit.fraction) - enters) * length(d) < 1e-3, "round %d: early",
                       i);
                hits += 1;
            }
            misses += count == 0;
        }
        world_free(is.world);
    }
    assert_true(hits > (uint32_t)shapes * 4 / 5 && misses > (uint32_t)shapes * 2 / 5);
}

/// Over even ground nothing is met between two triangles, and what falls on it gets its normal.
static void test_even_ground_has_no_edges(void **state) {
    (void)state;
    static ground is;
    ground_make(&is, 5, 0);
    rng random = {74};
    for (int i = 0; i < 600; ++i) {
        iso_shape3_def def = i % 2 == 0 ? iso_shape3_def_sphere(fix(0.25)) : box3(0.5, 0.25, 0.125);
        iso_cast3_hit hit;
        uint32_t count;
        const double gap = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 1e-6 : rng_range(&random, -1e-9, 2e-9);
        const double x = rng_range(&random, -3, 3), z = rng_range(&random, -3, 3);
        // The field's own rotation, so that the box is level.
        iso_shape3_def of;
        iso_body_id body;
        EXPECT_STATUS(iso_shape3_get(is.world, is.shape, &of, &body), ISO_OK);
        const iso_quat turn = view3(is.world, body).rotation;
        const vector p = ground_turn(&is, (vector){{x, 0.25 + gap, z}});
        const vector along = ground_turn(&is, (vector){{rng_range(&random, -1, 1), 0, rng_range(&random, -1, 1)}});
        EXPECT_STATUS(iso_query3_cast_closest(is.world, &def, ground_place(&is, p), turn,
                                              wide3(along.x[0], along.x[1], along.x[2]), iso_query_filter_default(),
                                              &hit, &count),
                      ISO_OK);
        const vector up = ground_turn(&is, (vector){{0, 1, 0}});
        if (i % 3 == 2) { // it touches but for rounding: perhaps something is met, but no side of a triangle's ground
            EXPECT(count == 0 || is_zero(hit.normal) || dot(unit_of(hit.normal), up) > 0.99, "round %d: a side is met",
                   i);
            continue;
        }
        EXPECT(count == 0, "round %d: a slide meets something", i);
        const vector down = scaled(up, -1);
        EXPECT_STATUS(iso_query3_cast_closest(is.world, &def, ground_place(&is, p), turn,
                                              wide3(down.x[0], down.x[1], down.x[2]), iso_query_filter_default(), &hit,
                                              &count),
                      ISO_OK);
        EXPECT(count == 1 && fabs(from_wide(hit.fraction) - gap) < 1e-7, "round %d: a fall", i);
        EXPECT_NEAR(dot(unit_of(hit.normal), down), -1, 1e-6, "round %d: the normal", i);
    }
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_know_the_border),
        cmocka_unit_test(test_overlaps_find_the_ground),
        cmocka_unit_test(test_shapes_on_their_way_stop_at_the_ground),
        cmocka_unit_test(test_even_ground_has_no_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
