/// Queries of overlaps and of shapes on their way in space against brute force in double precision.
///
/// How far a shape on its way is from a convex piece is a convex function of its place there. So a ternary search finds
/// where it is deepest, and bisection before it where it enters.
#include "room3.h"
#include "unit/many.h"

// ---- overlaps ------------------------------------------------------------------------------------

static void overlap_check(const room *is, const twin *asked, iso_query_filter filter, const iso_overlap3_hit *hits,
                          uint32_t count, const iso_overlap3_hit *closest, uint32_t closest_count, double exact) {
    uint32_t found[SHAPES] = {0}; // plus one
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = i + 1;
        assert_true(i == 0 || hits[i - 1].shape.index < hits[i].shape.index);
        best = hits[i].separation < hits[best].separation ? i : best;
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        double least = is->twins[i].count == 0 ? 0 : HUGE_VAL;
        for (uint32_t v = 0; v < asked->count && is->twins[i].count > 0; ++v) {
            least = fmin(least, length(apart(asked->points[v], is->middles[i])));
        }
        if (found[i] == 0 && asked->face_count == 0 && asked->count == 1 &&
            least > is->reaches[i] + asked->radius + 0.01) {
            continue;
        }
        const double separation = twin_separation(&is->twins[i], asked);
        EXPECT(fabs(separation) < exact || (found[i] != 0) == (room_sees(is, i, filter) && separation < 0),
               "shape %u, kind %u, against %u points: %g apart", i, is->defs[i].kind, asked->count, separation);
        if (found[i] != 0) {
            EXPECT_NEAR(from_wide(hits[found[i] - 1].separation), separation, exact, "separation, kind %u, %u points",
                        is->defs[i].kind, asked->count);
        }
    }
    assert_int_equal(closest_count, count > 0);
    if (count > 0) {
        assert_memory_equal(closest, &hits[best], sizeof *closest);
    }
}

static void test_overlaps_find_what_they_touch(void **state) {
    (void)state;
    rng random = {34};
    static room is;
    static iso_overlap3_hit hits[HITS_MAX], few[2], closest;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        room_make(&is, 200 + seed, seed % 2 ? 2 : 0.3, seed < 2 ? 0 : 29000);
        for (int i = 0; i < ISO_TEST_MANY(200); ++i) {
            const double size = is.size * rng_range(&random, 0.1, 3);
            const vector p = rng_vector(&random, 7 * is.size);
            const iso_query_filter filter = filter_any(&random);
            uint32_t count, few_count, closest_count;
            twin asked;
            if (i % 3 == 0) {
                const vector q = {
                    {p.x[0] + (i % 2 ? 0 : size), p.x[1] + size * rng_range(&random, 0, 1), p.x[2] + size}};
                asked = twin_of_box(p, q);
                const iso_vec3_wide lower = room_place(&is, p), upper = room_place(&is, q);
                EXPECT_STATUS(iso_query3_box_all(is.world, lower, upper, filter, hits, HITS_MAX, &count), ISO_OK);
                EXPECT_STATUS(iso_query3_box_all(is.world, lower, upper, filter, few, 2, &few_count), ISO_OK);
                EXPECT_STATUS(iso_query3_box_closest(is.world, lower, upper, filter, &closest, &closest_count), ISO_OK);
            } else {
                const iso_shape3_def def = shape_any(&random, size, 1 + rng_below(&random, 4));
                const iso_quat turn = rng_quat(&random);
                const matrix R = matrix_of(turn);
                const iso_vec3_wide place = room_place(&is, p);
                if (iso_shape3_def_check(&def) != ISO_OK) {
                    continue;
                }
                asked = twin_of_def(&def, room_vec(&is, place), &R);
                if (def.kind == ISO_SHAPE3_HULL && !twin_is_even(&asked)) {
                    continue;
                }
                EXPECT_STATUS(iso_query3_shape_all(is.world, &def, place, turn, filter, hits, HITS_MAX, &count),
                              ISO_OK);
                EXPECT_STATUS(iso_query3_shape_all(is.world, &def, place, turn, filter, few, 2, &few_count), ISO_OK);
                EXPECT_STATUS(iso_query3_shape_closest(is.world, &def, place, turn, filter, &closest, &closest_count),
                              ISO_OK);
            }
            overlap_check(&is, &asked, filter, hits, count, &closest, closest_count, EXACT * (2 + is.size));
            assert_int_equal(few_count, count);
            assert_memory_equal(few, hits, sizeof few[0] * (count < 2 ? count : 2));
        }
        // The whole world.
        uint32_t count, seen = 0;
        EXPECT_STATUS(iso_query3_box_all(is.world, wide3(-65536, -65536, -65536), wide3(65536, 65536, 65536),
                                         iso_query_filter_default(), hits, HITS_MAX, &count),
                      ISO_OK);
        for (uint32_t i = 0; i < is.count; ++i) {
            seen += room_sees(&is, i, iso_query_filter_default());
        }
        assert_int_equal(count, seen);
        world_free(is.world);
    }
}

// ---- shapes on their way -------------------------------------------------------------------------

static void cast_check_hit(const room *is, const twin *asked, vector p, vector d, const iso_cast3_hit *hit,
                           double exact) {
    const uint32_t shape = room_find(is, hit->shape);
    const twin *of = &is->twins[shape];
    const vector at = room_vec(is, hit->point), n = unit_of(hit->normal);
    const double fraction = from_wide(hit->fraction), reach = length(d);
    const way line = {of, asked, p, d};
    EXPECT(fraction >= 0 && fraction <= 1, "a fraction of %g", fraction);
    const double depth = way_depth(&line, fraction);
    if (is_zero(hit->normal)) {
        EXPECT(fraction == 0 && depth < exact, "a shape from outside has a normal");
        return;
    }
    EXPECT_NEAR(depth, 0, exact + reach * 3e-10, "they touch, kinds %u and %u points", is->defs[shape].kind,
                asked->count);
    EXPECT(dot(n, d) <= exact * reach, "it comes against the normal");
    EXPECT_NEAR(twin_distance(of, at), 0, 1e-6, "the point is on the border, kind %u", is->defs[shape].kind);
    EXPECT_NEAR(twin_distance(asked, sum(at, -fraction, d)), 0, 1e-6, "and on that of the shape, kind %u, %u points",
                is->defs[shape].kind, asked->count);
    EXPECT_NEAR(twin_distance(of, sum(at, 0.01, n)), 0.01, 1e-5, "out along the normal, kind %u", is->defs[shape].kind);
}

static void cast_check_all(const room *is, const iso_shape3_def *def, vector p, iso_quat turn, vector d,
                           iso_query_filter filter, double exact) {
    const iso_vec3_wide place = room_place(is, p), translation = wide3(d.x[0], d.x[1], d.x[2]);
    static iso_cast3_hit hits[HITS_MAX], few[3], closest;
    uint32_t count, few_count, closest_count;
    const matrix R = matrix_of(turn);
    const twin asked = twin_of_def(def, room_vec(is, place), &R);
    if (def->kind == ISO_SHAPE3_HULL && !twin_is_even(&asked)) {
        return;
    }
    double size = 0;
    for (uint32_t v = 0; v < asked.count; ++v) {
        size = fmax(size, length(apart(asked.points[v], p)) + asked.radius);
    }
    EXPECT_STATUS(iso_query3_cast_all(is->world, def, place, turn, translation, filter, hits, HITS_MAX, &count),
                  ISO_OK);
    EXPECT_STATUS(iso_query3_cast_all(is->world, def, place, turn, translation, filter, few, 3, &few_count), ISO_OK);
    EXPECT_STATUS(iso_query3_cast_closest(is->world, def, place, turn, translation, filter, &closest, &closest_count),
                  ISO_OK);
    uint32_t found[SHAPES] = {0}; // plus one
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = i + 1;
        cast_check_hit(is, &asked, p, d, &hits[i], exact);
        assert_true(i == 0 || hits[i - 1].fraction < hits[i].fraction ||
                    (hits[i - 1].fraction == hits[i].fraction && hits[i - 1].shape.index < hits[i].shape.index));
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        double deepest = 1, enters = 0;
        const bool is_near =
            is->twins[i].count == 0 || segment_distance(is->middles[i], p, sum(p, 1, d)) < is->reaches[i] + size + 0.01;
        if (is_near && room_sees(is, i, filter)) {
            enters = way_truth(&(way){&is->twins[i], &asked, p, d}, 40, &deepest);
        }
        if (fabs(deepest) < exact + 2e-8) {
            continue;
        }
        EXPECT((found[i] != 0) == (deepest < 0), "shape %u, kind %u, against %u points: as deep as %g, %s", i,
               is->defs[i].kind, asked.count, deepest, found[i] ? "hit" : "missed");
        if (found[i] != 0 && deepest < -1e-4) {
            EXPECT_NEAR(from_wide(hits[found[i] - 1].fraction) * length(d), enters * length(d), 1e-5,
                        "shape %u, kind %u, is met by %u points", i, is->defs[i].kind, asked.count);
        }
    }
    clean_iso_cast3_hit(hits, count);
    clean_iso_cast3_hit(few, at_most(count, 3));
    clean_iso_cast3_hit(&closest, closest_count);
    assert_int_equal(few_count, count);
    assert_memory_equal(few, hits, sizeof few[0] * (count < 3 ? count : 3));
    assert_int_equal(closest_count, count > 0);
    if (count > 0) {
        assert_memory_equal(&closest, &hits[0], sizeof closest);
    }
}

static void test_shapes_on_their_way_stop_at_what_they_touch(void **state) {
    (void)state;
    rng random = {36};
    static room is;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        room_make(&is, 300 + seed, seed % 2 ? 2 : 0.3, seed < 2 ? 0 : 29000);
        for (int i = 0; i < ISO_TEST_MANY(200); ++i) {
            const double reach = 14 * is.size * pow(10, rng_range(&random, -3, 0));
            const iso_shape3_def def = shape_any(&random, is.size * rng_range(&random, 0.1, 1), 1 + (uint32_t)i % 4);
            const vector turn = rng_vector(&random, 1), p = rng_vector(&random, 7 * is.size);
            if (iso_shape3_def_check(&def) == ISO_OK) {
                cast_check_all(&is, &def, p, rng_quat(&random), scaled(turn, reach / length(turn)), filter_any(&random),
                               EXACT * (2 + is.size));
            }
        }
        world_free(is.world);
    }
}

/// Axes that are parallel, faces that are level: a box that falls on a box, slides along it, leaves it.
static void test_shapes_on_their_way_meet_faces_squarely(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ground = box3(10, 1, 10), box = box3(0.5, 0.5, 0.5), ball = iso_shape3_def_sphere(fix(0.5)),
                         rod = iso_shape3_def_capsule(fix3(-1, 0, 0), fix3(1, 0, 0), fix(0.5)),
                         floor = iso_shape3_def_plane(fix3(0, 1, 0), fix(-50));
    const iso_shape_id on =
        shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(20000, -1, 0), iso_quat_identity()), &ground);
    const iso_query_filter filter = iso_query_filter_default();
    const iso_shape3_def *shapes[3] = {&box, &ball, &rod};
    iso_cast3_hit hit;
    uint32_t count;
    for (int i = 0; i < 3; ++i) {
        EXPECT_STATUS(iso_query3_cast_closest(world, shapes[i], wide3(20003, 4.5, 1), iso_quat_identity(),
                                              wide3(0, -8, 0), filter, &hit, &count),
                      ISO_OK);
        assert_true(count == 1 && hit.shape.index == on.index);
        EXPECT_NEAR(from_wide(hit.fraction), 0.5, 1e-8, "shape %d falls on it", i);
        assert_true(hit.normal.x == 0 && hit.normal.y == ISO_ROTATION_ONE && hit.normal.z == 0);
        EXPECT_NEAR(length(apart(vector_of(hit.point), (vector){{20003, 0, 1}})), 0, 1e-6, "in the middle");
        // Along it, a hair above; from it; into it.
        iso_vec3_wide near = wide3(20003, 0.5, 1);
        near.y += 3;
        EXPECT_STATUS(
            iso_query3_cast_closest(world, shapes[i], near, iso_quat_identity(), wide3(8, 0, 0), filter, &hit, &count),
            ISO_OK);
        EXPECT(count == 0, "shape %d slides along it", i);
        EXPECT_STATUS(
            iso_query3_cast_closest(world, shapes[i], near, iso_quat_identity(), wide3(0, 8, 0), filter, &hit, &count),
            ISO_OK);
        EXPECT(count == 0, "shape %d leaves it", i);
        EXPECT_STATUS(
            iso_query3_cast_closest(world, shapes[i], near, iso_quat_identity(), wide3(8, -1, 0), filter, &hit, &count),
            ISO_OK);
        EXPECT(count == 1 && hit.fraction == 0 && !is_zero(hit.normal), "shape %d is let into it", i);
        // From 60 km away, at 65 km; and with an overlap.
        EXPECT_STATUS(iso_query3_cast_closest(world, shapes[i], wide3(20000, 65000, 0), iso_quat_identity(),
                                              wide3(0, -131072, 0), filter, &hit, &count),
                      ISO_OK);
        assert_int_equal(count, 1);
        EXPECT_NEAR(from_wide(hit.fraction) * 131072, 65000 - 0.5, 1e-4, "shape %d comes from afar", i);
        EXPECT_STATUS(iso_query3_cast_closest(world, shapes[i], wide3(20003, 0.4, 1), iso_quat_identity(),
                                              wide3(0, 8, 0), filter, &hit, &count),
                      ISO_OK);
        assert_true(count == 1 && hit.fraction == 0 && is_zero(hit.normal));
    }
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &floor);
    EXPECT_STATUS(iso_query3_cast_closest(world, &rod, wide3(-65000, 60000, 9), (iso_quat){0, 0, 1 << 20, 1 << 20},
                                          wide3(0, -120000, 0), filter, &hit, &count),
                  ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_NEAR(from_wide(hit.fraction) * 120000, 60050 - 1.5, 1e-4, "a rod on its end on a half-space");
    EXPECT_NEAR(length(apart(vector_of(hit.point), (vector){{-65000, -50, 9}})), 0, 1e-4, "the point below it");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlaps_find_what_they_touch),
        cmocka_unit_test(test_shapes_on_their_way_stop_at_what_they_touch),
        cmocka_unit_test(test_shapes_on_their_way_meet_faces_squarely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
