/// Queries of points and rays in space against brute force in double precision: what is found, in which order, where,
/// that asking leaves no trace, and what is refused.
///
/// How far a point on a line is from a convex piece is a convex function of its place there. So a ternary search finds
/// where it is deepest, and bisection before it where it enters.
#include "room3.h"

// ---- points --------------------------------------------------------------------------------------

static void point_check(const room *is, vector p, const iso_point3_hit *hit, double exact) {
    const uint32_t shape = room_find(is, hit->shape);
    const twin *of = &is->twins[shape];
    const vector at = room_vec(is, hit->point), n = unit_of(hit->normal);
    const double distance = from_wide(hit->distance);
    EXPECT_NEAR(distance, twin_distance(of, p), exact, "distance, kind %u", is->defs[shape].kind);
    EXPECT_NEAR(twin_distance(of, at), 0, exact, "the point of the border, kind %u", is->defs[shape].kind);
    EXPECT_NEAR(length(apart(p, at)), fabs(distance), exact, "way to the border");
    EXPECT_NEAR(length(n), 1, 4e-9, "normal's length");
    EXPECT_NEAR(length(apart(sum(at, distance, n), p)), 0, 10 * exact, "the way is along the normal");
    EXPECT_NEAR(twin_distance(of, sum(at, 0.01, n)), 0.01, 10 * exact, "out along the normal, kind %u",
                is->defs[shape].kind);
    iso_shape3_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape3_get(is->world, hit->shape, &def, &body), ISO_OK);
    assert_true(body.index == hit->body.index && body.generation == hit->body.generation);
}

static void point_check_all(const room *is, vector p, double reach, iso_query_filter filter, double exact) {
    const iso_vec3_wide place = room_place(is, p);
    const iso_wide r = wide(reach);
    static iso_point3_hit hits[HITS_MAX], few[2], closest, nearest[HITS_MAX];
    uint32_t count, few_count, closest_count, nearest_count;
    EXPECT_STATUS(iso_query3_point_all(is->world, place, r, filter, hits, HITS_MAX, &count), ISO_OK);
    EXPECT_STATUS(iso_query3_point_all(is->world, place, r, filter, few, 2, &few_count), ISO_OK);
    EXPECT_STATUS(iso_query3_point_closest(is->world, place, r, filter, &closest, &closest_count), ISO_OK);
    EXPECT_STATUS(iso_query3_nearest(is->world, place, r, filter, nearest, 1 + count / 2, &nearest_count), ISO_OK);
    bool found[SHAPES] = {false};
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = true;
        point_check(is, p, &hits[i], exact);
        assert_true(i == 0 || hits[i - 1].shape.index < hits[i].shape.index);
        best = hits[i].distance < hits[best].distance ? i : best;
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        const double over = twin_distance(&is->twins[i], p) - reach;
        EXPECT(fabs(over) < exact || found[i] == (room_sees(is, i, filter) && over < 0),
               "shape %u, kind %u: %g beyond reach", i, is->defs[i].kind, over);
    }
    assert_true(few_count == count && nearest_count == count);
    clean_iso_point3_hit(hits, count);
    clean_iso_point3_hit(few, at_most(count, 2));
    clean_iso_point3_hit(&closest, closest_count);
    clean_iso_point3_hit(nearest, at_most(count, 1 + count / 2));
    assert_memory_equal(few, hits, sizeof few[0] * (count < 2 ? count : 2));
    assert_int_equal(closest_count, count > 0);
    if (count > 0) {
        assert_memory_equal(&closest, &hits[best], sizeof closest);
        assert_memory_equal(&closest, &nearest[0], sizeof closest);
    }
    for (uint32_t i = 1; i < 1 + count / 2 && i < count; ++i) {
        uint32_t nearer = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const bool is_before = hits[k].distance != nearest[i].distance
                                       ? hits[k].distance < nearest[i].distance
                                       : hits[k].shape.index < nearest[i].shape.index;
            nearer += is_before;
        }
        assert_int_equal(nearer, i);
    }
}

static void test_points_find_what_is_near_and_how_far(void **state) {
    (void)state;
    rng random = {31};
    static room is;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        room_make(&is, seed, seed % 2 ? 2 : 0.3, seed < 3 ? 0 : 29000);
        for (int i = 0; i < 300; ++i) {
            const vector p = rng_vector(&random, 7 * is.size);
            point_check_all(&is, p, i % 3 ? rng_range(&random, 0, 2 * is.size) : 0, filter_any(&random),
                            EXACT * (1 + is.size));
            iso_point3_hit hit;
            EXPECT_STATUS(iso_shape3_get_closest_point(is.world, is.shapes[i % SHAPES], room_place(&is, p), &hit),
                          ISO_OK);
            point_check(&is, p, &hit, EXACT * (4 + is.size));
        }
        world_free(is.world);
    }
}

// ---- rays ----------------------------------------------------------------------------------------

static void ray_check_hit(const room *is, vector o, vector d, const iso_ray3_hit *hit, double exact) {
    const uint32_t shape = room_find(is, hit->shape);
    const way line = {&is->twins[shape], NULL, o, d};
    const vector at = room_vec(is, hit->point), n = unit_of(hit->normal);
    const double fraction = from_wide(hit->fraction), reach = length(d), along = fmax(exact, reach * 3e-10);
    EXPECT(fraction >= 0 && fraction <= 1, "a fraction of %g", fraction);
    EXPECT_NEAR(length(apart(sum(o, fraction, d), at)), 0, 2 * along, "point at the fraction %g", fraction);
    if (is_zero(hit->normal)) {
        EXPECT(fraction == 0 && way_depth(&line, 0) < exact, "a ray from outside has a normal");
        return;
    }
    EXPECT_NEAR(twin_distance(line.of, at), 0, exact, "the point where the ray enters, kind %u", is->defs[shape].kind);
    EXPECT_NEAR(twin_distance(line.of, sum(at, 0.01, n)), 0.01, 4 * exact, "out along the normal, kind %u",
                is->defs[shape].kind);
    EXPECT(dot(n, d) <= exact * reach, "the ray enters along the normal");
    // Not where it leaves: a little farther it is deeper, unless it grazes.
    EXPECT(dot(n, d) > -1e-3 * reach || way_depth(&line, fraction + 1e-4 / reach) < exact, "the ray leaves");
}

static void ray_check_all(const room *is, vector o, vector d, iso_query_filter filter, double exact) {
    const iso_vec3_wide origin = room_place(is, o), translation = wide3(d.x[0], d.x[1], d.x[2]);
    static iso_ray3_hit hits[HITS_MAX], few[3], closest;
    uint32_t count, few_count, closest_count;
    EXPECT_STATUS(iso_query3_ray_all(is->world, origin, translation, filter, hits, HITS_MAX, &count), ISO_OK);
    EXPECT_STATUS(iso_query3_ray_all(is->world, origin, translation, filter, few, 3, &few_count), ISO_OK);
    EXPECT_STATUS(iso_query3_ray_closest(is->world, origin, translation, filter, &closest, &closest_count), ISO_OK);
    uint32_t found[SHAPES] = {0}; // plus one
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = i + 1;
        ray_check_hit(is, o, d, &hits[i], exact);
        assert_true(i == 0 || hits[i - 1].fraction < hits[i].fraction ||
                    (hits[i - 1].fraction == hits[i].fraction && hits[i - 1].shape.index < hits[i].shape.index));
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        double deepest = 1, enters = 0;
        if (is->twins[i].count == 0 || segment_distance(is->middles[i], o, sum(o, 1, d)) < is->reaches[i] + 0.01) {
            enters = way_truth(&(way){&is->twins[i], NULL, o, d}, 90, &deepest);
        }
        if (fabs(deepest) < exact) {
            continue;
        }
        EXPECT((found[i] != 0) == (room_sees(is, i, filter) && deepest < 0), "shape %u, kind %u: as deep as %g, %s", i,
               is->defs[i].kind, deepest, found[i] ? "hit" : "missed");
        if (found[i] != 0 && deepest < -1e-4) {
            // Entering a millimetre deep is never so flat that a rounded border moves the point by more.
            EXPECT_NEAR(from_wide(hits[found[i] - 1].fraction) * length(d), enters * length(d), 1e-5, "shape %u enters",
                        i);
        }
    }
    clean_iso_ray3_hit(hits, count);
    clean_iso_ray3_hit(few, at_most(count, 3));
    clean_iso_ray3_hit(&closest, closest_count);
    assert_int_equal(few_count, count);
    assert_memory_equal(few, hits, sizeof few[0] * (count < 3 ? count : 3));
    assert_int_equal(closest_count, count > 0);
    if (count > 0) {
        assert_memory_equal(&closest, &hits[0], sizeof closest);
    }
}

static void test_rays_hit_what_is_in_their_way(void **state) {
    (void)state;
    rng random = {32};
    static room is;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        room_make(&is, 100 + seed, seed % 2 ? 2 : 0.3, seed < 3 ? 0 : 29000);
        for (int i = 0; i < 150; ++i) {
            const double reach = 14 * is.size * pow(10, rng_range(&random, -4, 0.3));
            const vector o = rng_vector(&random, 7 * is.size), turn = rng_vector(&random, 1);
            // Every fifth is along an axis of the world: faces of boxes, edges, corners.
            vector d = {{0, 0, 0}};
            d.x[i % 3] = i % 2 ? reach : -reach;
            d = i % 5 ? scaled(turn, reach / length(turn)) : d;
            ray_check_all(&is, o, d, filter_any(&random), EXACT * (2 + is.size));
        }
        world_free(is.world);
    }
}

/// A ray at a corner or an edge finds one of the faces that share it.
static void test_rays_do_not_slip_through_corners_and_edges(void **state) {
    (void)state;
    rng random = {33};
    for (int i = 0; i < 200; ++i) {
        static room is;
        is = (room){.world = space_make(), .size = 0.01 * pow(5000, rng_range(&random, 0, 1))};
        const iso_shape3_def def = shape_any(&random, is.size, i % 2 ? ISO_SHAPE3_BOX : ISO_SHAPE3_HULL);
        room_add_shape(&is, body3_add(is.world, ISO_BODY_STATIC, wide3(3, 4, 5), rng_quat(&random)), &def);
        const twin of = is.count == 0 ? (twin){.count = 0} : room_twin(&is, is.shapes[0]);
        vector middle = {{0, 0, 0}};
        for (uint32_t v = 0; v < of.count; ++v) {
            middle = sum(middle, 1.0 / of.count, of.points[v]);
        }
        for (uint32_t v = 0; v < of.count * of.count; ++v) {
            // From outside, through the corner or the middle of two, to the middle.
            const vector corner = scaled(sum(of.points[v % of.count], 1, of.points[v / of.count]), 0.5);
            const iso_vec3_wide origin = room_place(&is, sum(middle, 3, apart(corner, middle)));
            if (twin_distance(&of, room_vec(&is, origin)) < 0.001 * is.size || (def.filter.mask & 7) == 0) {
                continue;
            }
            const iso_vec3_wide translation = {wide(middle.x[0]) - origin.x, wide(middle.x[1]) - origin.y,
                                               wide(middle.x[2]) - origin.z};
            iso_ray3_hit hit;
            uint32_t count;
            EXPECT_STATUS(iso_query3_ray_closest(is.world, origin, translation, (iso_query_filter){7, 7}, &hit, &count),
                          ISO_OK);
            EXPECT(count == 1, "solid %d, corner %u is no obstacle", i, v);
            EXPECT_NEAR(twin_distance(&of, room_vec(&is, hit.point)), 0, EXACT * (1 + is.size), "solid %d", i);
        }
        world_free(is.world);
    }
}

static void test_rays_are_exact_at_the_extremes(void **state) {
    (void)state;
    iso_world *world = space_make();
    iso_shape3_def pebble = iso_shape3_def_sphere(fix(0.0011)), big = iso_shape3_def_sphere(fix(59.9));
    const iso_shape3_def slab = box3(34, 0.001, 34), floor = iso_shape3_def_plane(fix3(0, 3, 0), 0);
    const iso_quat none = iso_quat_identity();
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(29000, -29000, 0), none), &pebble);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(-29000, 29000, 0), none), &slab);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), none), &big);
    const iso_query_filter filter = iso_query_filter_default();
    iso_ray3_hit hits[4];
    uint32_t count;
    // 90 km long, through all three.
    EXPECT_STATUS(iso_query3_ray_all(world, wide3(-32000, 32000, 0), wide3(64000, -64000, 0), filter, hits, 4, &count),
                  ISO_OK);
    assert_int_equal(count, 3);
    const double root = sqrt(0.5);
    EXPECT_NEAR(from_wide(hits[0].point.y), 29000 + from_fix(fix(0.001)), 1e-8, "slab");
    EXPECT_NEAR(from_wide(hits[1].point.x), -root * from_fix(fix(59.9)), 1e-7, "ball of 60 m");
    EXPECT_NEAR(from_wide(hits[2].point.x), 29000 - root * from_fix(fix(0.0011)), 1e-8, "pebble at the end of 90 km");
    EXPECT_NEAR(from_wide(hits[2].fraction), (61000 - root * from_fix(fix(0.0011))) / 64000, 1e-9, "fraction");
    // One quantum long, from one quantum outside; and without length.
    iso_vec3_wide touch = {wide(29000) + iso_wide_from_fix16(fix(0.0011)) + 1, wide(-29000), 0};
    EXPECT_STATUS(iso_query3_ray_all(world, touch, (iso_vec3_wide){-1, 0, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_STATUS(iso_query3_ray_all(world, touch, (iso_vec3_wide){0, 0, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 0);
    touch.x -= 2;
    EXPECT_STATUS(iso_query3_ray_all(world, touch, (iso_vec3_wide){0, 0, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 1);
    assert_true(hits[0].fraction == 0 && is_zero(hits[0].normal));
    // A half-space 65 km below, and from within.
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, -100, 0), none), &floor);
    EXPECT_STATUS(iso_query3_ray_all(world, wide3(60000, 65000, 3), wide3(0, -65536, 0), filter, hits, 4, &count),
                  ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_NEAR(from_wide(hits[0].point.y), -100, 1e-9, "half-space");
    EXPECT_STATUS(iso_query3_ray_all(world, wide3(60000, -101, 3), wide3(0, -65536, 0), filter, hits, 4, &count),
                  ISO_OK);
    assert_true(count == 1 && hits[0].fraction == 0);
    world_free(world);
}

// ---- what queries leave and depend on ------------------------------------------------------------

/// Everything that many queries answer, as bytes.
static size_t answers(const iso_world *world, uint64_t seed, uint8_t *bytes, size_t capacity) {
    rng random = {seed};
    size_t size = 0;
    iso_vec3 corners[6] = {fix3(1, 0, 0), fix3(-1, 0, 0), fix3(0, 1, 0), fix3(0, -1, 0), fix3(0, 0, 1), fix3(0, 0, -1)};
    const iso_shape3_def hull = iso_shape3_def_hull(corners, 6);
    for (int i = 0; i < 20; ++i) {
        struct {
            iso_ray3_hit rays[8];
            iso_point3_hit points[8];
            iso_overlap3_hit overlaps[8];
            iso_cast3_hit casts[8];
            uint32_t counts[4];
        } is;
        memset(&is, 0, sizeof is);
        const vector a = rng_vector(&random, 10), b = rng_vector(&random, 30);
        const iso_vec3_wide p = wide3(a.x[0], a.x[1] + 8, a.x[2]), d = wide3(b.x[0], b.x[1], b.x[2]);
        const iso_quat q = rng_quat(&random);
        const iso_query_filter filter = iso_query_filter_default();
        EXPECT_STATUS(iso_query3_ray_all(world, p, d, filter, is.rays, 8, &is.counts[0]), ISO_OK);
        EXPECT_STATUS(iso_query3_nearest(world, p, ISO_WIDE_ONE, filter, is.points, 8, &is.counts[1]), ISO_OK);
        EXPECT_STATUS(iso_query3_shape_all(world, &hull, p, q, filter, is.overlaps, 8, &is.counts[2]), ISO_OK);
        EXPECT_STATUS(iso_query3_cast_all(world, &hull, p, q, d, filter, is.casts, 8, &is.counts[3]), ISO_OK);
        clean_iso_ray3_hit(is.rays, at_most(is.counts[0], 8));
        clean_iso_point3_hit(is.points, at_most(is.counts[1], 8));
        clean_iso_cast3_hit(is.casts, at_most(is.counts[3], 8));
        assert_true(size + sizeof is <= capacity);
        memcpy(bytes + size, &is, sizeof is);
        size += sizeof is;
    }
    return size;
}

static void expect_answers(const iso_world *world, uint64_t seed, const uint8_t *expected, size_t size) {
    static uint8_t bytes[1 << 16];
    assert_int_equal(answers(world, seed, bytes, sizeof bytes), size);
    assert_memory_equal(bytes, expected, size);
}

static void image_of(const iso_world *world, uint8_t **image, size_t *size) {
    *size = iso_world_image_size(world);
    *image = calloc(1, *size); // structs may have holes
    assert_int_equal(iso_world_save(world, *image, *size), *size);
}

static void test_answers_depend_on_the_state_alone_and_change_nothing(void **state) {
    (void)state;
    static uint8_t first[1 << 16];
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    iso_world *world = world_make(&def);
    rng random = {35};
    const iso_shape3_def ground = box3(30, 1, 30);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, -1, 0), iso_quat_identity()), &ground);
    for (uint32_t i = 0; i < 40; ++i) {
        const iso_shape3_def shape = shape_any(&random, 0.6, 1 + i % 4);
        const vector p = rng_vector(&random, 6);
        const iso_body_id body =
            body3_add(world, ISO_BODY_DYNAMIC, wide3(p.x[0], p.x[1] + 8, p.x[2]), rng_quat(&random));
        iso_shape_id id;
        (void)iso_shape3_create(world, body, &shape, &id);
    }
    for (int round = 0; round < 8; ++round) {
        uint8_t *before, *after;
        size_t before_size, after_size;
        image_of(world, &before, &before_size);
        const size_t size = answers(world, (uint64_t)round, first, sizeof first);
        image_of(world, &after, &after_size);
        assert_int_equal(before_size, after_size);
        assert_memory_equal(before, after, before_size);
        // Restored elsewhere, decoded elsewhere, and without caches.
        iso_world *other = world_make(&def);
        EXPECT_STATUS(iso_world_restore(other, before, before_size), ISO_OK);
        expect_answers(other, (uint64_t)round, first, size);
        const size_t snapshot_size = iso_snapshot_size(world);
        uint8_t *snapshot = malloc(snapshot_size);
        assert_int_equal(iso_snapshot_encode(world, snapshot, snapshot_size), snapshot_size);
        EXPECT_STATUS(iso_snapshot_decode(other, snapshot, snapshot_size), ISO_OK);
        expect_answers(other, (uint64_t)round, first, size);
        iso_world_drop_caches(world);
        expect_answers(world, (uint64_t)round, first, size);
        free(snapshot);
        free(before);
        free(after);
        world_free(other);
        world_steps(world, 13);
    }
    world_free(world);
}

static void test_questions_out_of_range_are_refused(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(1)), plane = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    const iso_quat none = {0, 0, 0, 0};
    const iso_shape_id id =
        shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &ball);
    const iso_query_filter filter = iso_query_filter_default();
    const iso_wide edge = wide(ISO_QUERY_PLACE_MAX_M);
    const iso_vec3_wide zero = {0, 0, 0}, good = {edge, -edge, edge}, bad = {0, 0, -edge - 1},
                        least = {ISO_WIDE_MIN, 0, 0}, long_way = {0, 2 * edge, 0}, longer = {0, 0, 2 * edge + 1};
    iso_point3_hit point;
    iso_ray3_hit ray;
    iso_overlap3_hit overlap;
    iso_cast3_hit cast;
    uint32_t count = 7;
    EXPECT_STATUS(iso_query3_point_all(world, good, edge, filter, &point, 1, &count), ISO_OK);
    EXPECT_STATUS(iso_query3_point_all(world, bad, 0, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_point_all(world, least, 0, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_point_all(world, zero, -1, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_point_closest(world, zero, edge + 1, filter, &point, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_nearest(world, bad, 0, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_ray_all(world, good, long_way, filter, &ray, 1, &count), ISO_OK);
    EXPECT_STATUS(iso_query3_ray_all(world, bad, zero, filter, &ray, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_ray_closest(world, zero, longer, filter, &ray, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_box_all(world, zero, bad, filter, &overlap, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_box_all(world, (iso_vec3_wide){0, 0, 1}, zero, filter, &overlap, 1, &count),
                  ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_box_closest(world, zero, zero, filter, &overlap, &count), ISO_OK);
    assert_int_equal(count, 1);
    iso_shape3_def flat = ball;
    flat.radius = 0;
    EXPECT_STATUS(iso_query3_shape_all(world, &flat, zero, none, filter, &overlap, 1, &count), ISO_ERR_GEOMETRY);
    EXPECT_STATUS(iso_query3_shape_all(world, &plane, zero, none, filter, &overlap, 1, &count), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_query3_shape_closest(world, &ball, bad, none, filter, &overlap, &count), ISO_ERR_RANGE);
    assert_int_equal(count, 0);
    EXPECT_STATUS(iso_query3_cast_all(world, &ball, good, none, long_way, filter, &cast, 1, &count), ISO_OK);
    EXPECT_STATUS(iso_query3_cast_all(world, &ball, zero, none, longer, filter, &cast, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_cast_closest(world, &ball, bad, none, zero, filter, &cast, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query3_cast_closest(world, &plane, zero, none, zero, filter, &cast, &count), ISO_ERR_WRONG_TYPE);
    assert_int_equal(count, 0);
    EXPECT_STATUS(iso_shape3_get_closest_point(world, id, bad, &point), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape3_get_closest_point(world, id, good, &point), ISO_OK);
    EXPECT_STATUS(iso_shape3_get_closest_point(world, (iso_shape_id){id.index, id.generation + 2}, zero, &point),
                  ISO_ERR_STALE);
    // Counting alone needs no array.
    EXPECT_STATUS(iso_query3_ray_all(world, zero, zero, filter, NULL, 0, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_STATUS(iso_query3_cast_all(world, &ball, zero, none, zero, filter, NULL, 0, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_STATUS(iso_query3_ray_all(world, zero, zero, (iso_query_filter){1, 2}, NULL, 0, &count), ISO_OK);
    assert_int_equal(count, 0);
    world_free(world);
}

static void test_worlds_in_the_plane_are_refused_and_theirs_here(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.dimensions = 2;
    iso_world *plane = world_make(&def), *space = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(1));
    const iso_query_filter filter = iso_query_filter_default();
    const iso_vec3_wide zero = {0, 0, 0};
    const iso_quat none = {0, 0, 0, 0};
    const iso_status status = ISO_ERR_DIMENSION;
    iso_point3_hit point;
    uint32_t count = 7;
    EXPECT_STATUS(iso_query3_point_all(plane, zero, 0, filter, NULL, 0, &count), status);
    assert_int_equal(count, 0);
    EXPECT_STATUS(iso_query3_point_closest(plane, zero, 0, filter, &point, &count), status);
    EXPECT_STATUS(iso_query3_nearest(plane, zero, 0, filter, NULL, 0, &count), status);
    EXPECT_STATUS(iso_query3_ray_all(plane, zero, zero, filter, NULL, 0, &count), status);
    EXPECT_STATUS(iso_query3_box_all(plane, zero, zero, filter, NULL, 0, &count), status);
    EXPECT_STATUS(iso_query3_shape_all(plane, &ball, zero, none, filter, NULL, 0, &count), status);
    EXPECT_STATUS(iso_query3_cast_all(plane, &ball, zero, none, zero, filter, NULL, 0, &count), status);
    EXPECT_STATUS(iso_shape3_get_closest_point(plane, (iso_shape_id){0, 1}, zero, &point), status);
    EXPECT_STATUS(iso_query_ray_all(space, (iso_vec2_wide){0, 0}, (iso_vec2_wide){0, 0}, filter, NULL, 0, &count),
                  status);
    world_free(plane);
    world_free(space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_find_what_is_near_and_how_far),
        cmocka_unit_test(test_rays_hit_what_is_in_their_way),
        cmocka_unit_test(test_rays_do_not_slip_through_corners_and_edges),
        cmocka_unit_test(test_rays_are_exact_at_the_extremes),
        cmocka_unit_test(test_answers_depend_on_the_state_alone_and_change_nothing),
        cmocka_unit_test(test_questions_out_of_range_are_refused),
        cmocka_unit_test(test_worlds_in_the_plane_are_refused_and_theirs_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
