/// Queries against brute force in double precision over all kinds of shapes: what is found, in which order, where,
/// and that asking leaves no trace.
///
/// The distance of a point on a line from a convex piece is a convex function of its place on the line. So a ternary
/// search finds where a ray is deepest, and bisection before it where it enters: a second method without any of the
/// core's cases.
#include "unit/plane/collide/convex_util.h"

#include "world/world.h"
#include "unit/many.h"

#define HITS_MAX 256u
#define SHAPES   120
/// 2^-30 of a distance, shapes of a few metres, places rounded to Q31.32; and what doubles lose 100 m out.
#define EXACT 2e-8

typedef struct room {
    iso_world *world;
    iso_shape_id shapes[SHAPES];
    convex convexes[SHAPES];
    iso_shape_def defs[SHAPES];
    uint32_t count;
    double size;
    iso_vec2_wide origin; // the middle of it; all doubles are relative to this
} room;

static iso_shape_def shape_any(rng *random, double size) {
    iso_shape_def def;
    switch (rng_below(random, 4)) {
    case 0:
        def = shape_circle(size * rng_range(random, 0.2, 1));
        break;
    case 1:
        def = shape_capsule_random(random, size, size * rng_range(random, 0.05, 0.5));
        break;
    case 2:
        def = shape_polygon_random(random, 3 + rng_below(random, 6), size, size * rng_range(random, 0.3, 1), 0);
        break;
    default:
        def = shape_polygon_random(random, 3 + rng_below(random, 6), size, size * rng_range(random, 0.3, 1),
                                   size * rng_range(random, 0.05, 0.5));
    }
    def.filter.category = 1u << rng_below(random, 3);
    def.filter.mask = rng_below(random, 8);
    return def;
}

/// Bodies of one to three shapes, some of them destroyed again, so that indices have gaps.
static void room_make(room *is, uint64_t seed, double size, double far) {
    rng random = {seed};
    *is = (room){.world = world_make_small(0), .size = size, .origin = {wide(far), wide(-far)}};
    while (is->count < SHAPES) {
        const double spread = 12 * size;
        const iso_body_id body = body_add(is->world, rng_below(&random, 2) ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC,
                                          far + rng_range(&random, -spread, spread),
                                          -far + rng_range(&random, -spread, spread), rng_range(&random, -9, 9));
        for (uint32_t i = 0; i < 1 + rng_below(&random, 3) && is->count < SHAPES; ++i) {
            const iso_shape_def def = shape_any(&random, size);
            iso_shape_id shape;
            if (iso_shape_create(is->world, body, &def, &shape) == ISO_OK) {
                is->defs[is->count] = def;
                is->shapes[is->count++] = shape;
            }
        }
        if (rng_below(&random, 5) == 0) {
            const iso_body_id gone = body_add_shape(is->world, ISO_BODY_STATIC, 0, 0, 0, &is->defs[0]);
            EXPECT_STATUS(iso_body_destroy(is->world, gone), ISO_OK);
        }
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        is->convexes[i] = convex_of(is->world, is->shapes[i], is->origin);
    }
}

static iso_vec2_wide room_place(const room *is, double x, double y) {
    return (iso_vec2_wide){is->origin.x + wide(x), is->origin.y + wide(y)};
}

static vec room_vec(const room *is, iso_vec2_wide place) {
    return (vec){from_wide(place.x - is->origin.x), from_wide(place.y - is->origin.y)};
}

static uint32_t room_find(const room *is, iso_shape_id shape) {
    for (uint32_t i = 0; i < is->count; ++i) {
        if (is->shapes[i].index == shape.index && is->shapes[i].generation == shape.generation) {
            return i;
        }
    }
    fail_msg("a hit names the shape %u:%u, which is not there", shape.index, shape.generation);
    return 0;
}

static iso_query_filter filter_any(rng *random) {
    return rng_below(random, 2) ? iso_query_filter_default()
                                : (iso_query_filter){1 + rng_below(random, 7), 1 + rng_below(random, 7)};
}

static bool room_sees(const room *is, uint32_t i, iso_query_filter filter) {
    const iso_filter of = is->defs[i].filter;
    return (of.category & filter.mask) != 0 && (of.mask & filter.category) != 0;
}

// ---- points --------------------------------------------------------------------------------------

static void point_check(const room *is, vec p, const iso_point_hit *hit, double exact) {
    const convex *of = &is->convexes[room_find(is, hit->shape)];
    const vec at = room_vec(is, hit->point), n = {hit->normal.x / 1073741824.0, hit->normal.y / 1073741824.0};
    const double distance = from_wide(hit->distance);
    EXPECT_NEAR(distance, convex_point_distance(of, p), exact, "distance of (%g, %g)", p.x, p.y);
    EXPECT_NEAR(convex_point_distance(of, at), 0, exact, "the point of the border nearest to (%g, %g)", p.x, p.y);
    EXPECT_NEAR(hypot(p.x - at.x, p.y - at.y), fabs(distance), exact, "way to the border");
    EXPECT_NEAR(convex_point_distance(of, (vec){at.x + 0.01 * n.x, at.y + 0.01 * n.y}), 0.01, exact,
                "out along the normal");
    iso_shape_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape_get(is->world, hit->shape, &def, &body), ISO_OK);
    assert_true(body.index == hit->body.index && body.generation == hit->body.generation);
}

static void point_check_all(const room *is, vec p, double reach, iso_query_filter filter, double exact) {
    const iso_vec2_wide place = room_place(is, p.x, p.y);
    iso_point_hit hits[HITS_MAX], few[2], closest;
    uint32_t count, few_count, closest_count;
    EXPECT_STATUS(iso_query_point_all(is->world, place, wide(reach), filter, hits, HITS_MAX, &count), ISO_OK);
    EXPECT_STATUS(iso_query_point_all(is->world, place, wide(reach), filter, few, 2, &few_count), ISO_OK);
    EXPECT_STATUS(iso_query_point_closest(is->world, place, wide(reach), filter, &closest, &closest_count), ISO_OK);
    bool found[SHAPES] = {false};
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = true;
        point_check(is, p, &hits[i], exact);
        assert_true(i == 0 || hits[i - 1].shape.index < hits[i].shape.index);
        best = hits[i].distance < hits[best].distance ? i : best;
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        const double over = convex_point_distance(&is->convexes[i], p) - reach;
        EXPECT(fabs(over) < exact || found[i] == (room_sees(is, i, filter) && over < 0), "shape %u: %g beyond reach", i,
               over);
    }
    assert_int_equal(few_count, count);
    assert_memory_equal(few, hits, sizeof few[0] * (count < 2 ? count : 2));
    assert_int_equal(closest_count, count > 0);
    if (count > 0) {
        assert_memory_equal(&closest, &hits[best], sizeof closest);
    }
}

static void test_points_find_what_is_near_and_how_far(void **state) {
    (void)state;
    rng random = {31};
    static room is;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        room_make(&is, seed, seed % 2 ? 2 : 0.3, seed < 3 ? 0 : 29000);
        for (int i = 0; i < ISO_TEST_MANY(300); ++i) {
            const double spread = 14 * is.size;
            const vec p = {rng_range(&random, -spread, spread), rng_range(&random, -spread, spread)};
            point_check_all(&is, p, i % 3 ? rng_range(&random, 0, 2 * is.size) : 0, filter_any(&random),
                            EXACT * (1 + is.size));
            iso_point_hit hit;
            EXPECT_STATUS(iso_shape_get_closest_point(is.world, is.shapes[i % SHAPES], room_place(&is, p.x, p.y), &hit),
                          ISO_OK);
            point_check(&is, p, &hit, EXACT * (4 + is.size));
        }
        world_free(is.world);
    }
}

// ---- rays ----------------------------------------------------------------------------------------

/// The signed distance of the point s along a ray.
static double ray_depth(const convex *of, vec o, vec d, double s) {
    return convex_point_distance(of, (vec){o.x + s * d.x, o.y + s * d.y});
}

/// @param deepest  the least signed distance along the ray
/// @return where it enters, as a share of the ray, when it does
static double ray_truth(const convex *of, vec o, vec d, double *deepest) {
    double low = 0, high = 1;
    for (int i = 0; i < 120; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        *(ray_depth(of, o, d, a) < ray_depth(of, o, d, b) ? &high : &low) =
            ray_depth(of, o, d, a) < ray_depth(of, o, d, b) ? b : a;
    }
    const double at = (low + high) / 2, ends = fmin(ray_depth(of, o, d, 0), ray_depth(of, o, d, 1));
    *deepest = fmin(ray_depth(of, o, d, at), ends);
    low = 0;
    high = ray_depth(of, o, d, at) < ends ? at : ends == ray_depth(of, o, d, 0) ? 0 : 1;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        *(ray_depth(of, o, d, middle) > 0 ? &low : &high) = middle;
    }
    return high;
}

static void ray_check_hit(const room *is, vec o, vec d, const iso_ray_hit *hit, double exact) {
    const convex *of = &is->convexes[room_find(is, hit->shape)];
    const vec at = room_vec(is, hit->point), n = {hit->normal.x / 1073741824.0, hit->normal.y / 1073741824.0};
    const double fraction = from_wide(hit->fraction), length = hypot(d.x, d.y), along = fmax(exact, length * 3e-10);
    EXPECT(fraction >= 0 && fraction <= 1, "a fraction of %g", fraction);
    EXPECT_NEAR(hypot(o.x + fraction * d.x - at.x, o.y + fraction * d.y - at.y), 0, 2 * along,
                "point at the fraction %g", fraction);
    if (n.x == 0 && n.y == 0) {
        EXPECT(fraction == 0 && convex_point_distance(of, o) < exact, "a ray from outside has a normal");
        return;
    }
    EXPECT_NEAR(convex_point_distance(of, at), 0, exact, "the point where the ray enters");
    EXPECT_NEAR(convex_point_distance(of, (vec){at.x + 0.01 * n.x, at.y + 0.01 * n.y}), 0.01, 4 * exact,
                "out along the normal");
    EXPECT(n.x * d.x + n.y * d.y <= exact * length, "the ray enters along the normal");
    // Not where it leaves: a little farther it is deeper, unless it grazes.
    EXPECT(n.x * d.x + n.y * d.y > -1e-3 * length || ray_depth(of, o, d, fraction + 1e-4 / length) < exact,
           "the ray leaves");
}

static void ray_check_all(const room *is, vec o, vec d, iso_query_filter filter, double exact) {
    const iso_vec2_wide origin = room_place(is, o.x, o.y), translation = {wide(d.x), wide(d.y)};
    iso_ray_hit hits[HITS_MAX], few[3], closest;
    uint32_t count, few_count, closest_count;
    EXPECT_STATUS(iso_query_ray_all(is->world, origin, translation, filter, hits, HITS_MAX, &count), ISO_OK);
    EXPECT_STATUS(iso_query_ray_all(is->world, origin, translation, filter, few, 3, &few_count), ISO_OK);
    EXPECT_STATUS(iso_query_ray_closest(is->world, origin, translation, filter, &closest, &closest_count), ISO_OK);
    bool found[SHAPES] = {false};
    for (uint32_t i = 0; i < count; ++i) {
        found[room_find(is, hits[i].shape)] = true;
        ray_check_hit(is, o, d, &hits[i], exact);
        assert_true(i == 0 || hits[i - 1].fraction < hits[i].fraction ||
                    (hits[i - 1].fraction == hits[i].fraction && hits[i - 1].shape.index < hits[i].shape.index));
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        double deepest;
        const double enters = ray_truth(&is->convexes[i], o, d, &deepest);
        if (fabs(deepest) < exact) {
            continue;
        }
        EXPECT(found[i] == (room_sees(is, i, filter) && deepest < 0), "shape %u, kind %u: as deep as %g, %s", i,
               is->defs[i].kind, deepest, found[i] ? "hit" : "missed");
        for (uint32_t h = 0; h < count && deepest < -1e-4; ++h) {
            // Entering a millimetre deep is never so flat that a rounded border moves the point by more.
            if (room_find(is, hits[h].shape) == i) {
                EXPECT_NEAR(from_wide(hits[h].fraction) * hypot(d.x, d.y), enters * hypot(d.x, d.y), 1e-5,
                            "shape %u enters", i);
            }
        }
    }
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
        for (int i = 0; i < 60; ++i) {
            const double spread = 14 * is.size, length = 14 * is.size * pow(10, rng_range(&random, -4, 0.3));
            const vec o = {rng_range(&random, -spread, spread), rng_range(&random, -spread, spread)};
            const double turn = rng_range(&random, 0, 2 * PI);
            // Every fifth is upright or level: faces of boxes, corners.
            const vec d = i % 5   ? (vec){length * cos(turn), length * sin(turn)}
                          : i % 2 ? (vec){length, 0}
                                  : (vec){0, -length};
            ray_check_all(&is, o, d, filter_any(&random), EXACT * (2 + is.size));
        }
        world_free(is.world);
    }
}

/// A ray at a corner that two faces share finds one of them; at one between two boxes it does not slip through.
static void test_rays_do_not_slip_through_corners(void **state) {
    (void)state;
    rng random = {33};
    for (int i = 0; i < ISO_TEST_MANY(400); ++i) {
        iso_world *world = world_make_small(0);
        const double size = 0.01 * pow(5000, rng_range(&random, 0, 1));
        iso_shape_def shape =
            shape_polygon_random(&random, 3 + rng_below(&random, 6), size, size, i % 2 ? 0 : 0.1 * size + 0.002);
        iso_shape_id id;
        const iso_body_id body = body_add(world, ISO_BODY_STATIC, 3, 4, rng_range(&random, -3, 3));
        if (iso_shape_create(world, body, &shape, &id) == ISO_OK) {
            const convex is = convex_of(world, id, (iso_vec2_wide){0, 0});
            vec middle = {0, 0};
            for (uint32_t v = 0; v < is.count; ++v) {
                middle.x += is.points[v].x / is.count;
                middle.y += is.points[v].y / is.count;
            }
            for (uint32_t v = 0; v < is.count; ++v) {
                // From outside, through the corner, to the middle.
                const vec corner = is.points[v];
                const iso_vec2_wide origin = {wide(middle.x + 3 * (corner.x - middle.x)),
                                              wide(middle.y + 3 * (corner.y - middle.y))};
                const iso_vec2_wide translation = {wide(middle.x) - origin.x, wide(middle.y) - origin.y};
                iso_ray_hit hit;
                uint32_t count;
                EXPECT_STATUS(
                    iso_query_ray_closest(world, origin, translation, iso_query_filter_default(), &hit, &count),
                    ISO_OK);
                EXPECT(count == 1, "polygon %d, corner %u is no obstacle", i, v);
                const vec at = {from_wide(hit.point.x), from_wide(hit.point.y)};
                EXPECT_NEAR(convex_point_distance(&is, at), 0, EXACT * (1 + size), "polygon %d, corner %u", i, v);
            }
        }
        world_free(world);
    }
}

static void test_rays_are_exact_at_the_extremes(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def pebble = shape_circle(0.0011), slab = shape_box(42, 0.001), big = shape_circle(59.9);
    body_add_shape(world, ISO_BODY_STATIC, 29000, -29000, 0, &pebble);
    body_add_shape(world, ISO_BODY_STATIC, -29000, 29000, 0, &slab);
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &big);
    const iso_query_filter filter = iso_query_filter_default();
    iso_ray_hit hits[4];
    uint32_t count;
    // 90 km long, through all three.
    EXPECT_STATUS(iso_query_ray_all(world, (iso_vec2_wide){wide(-32000), wide(32000)},
                                    (iso_vec2_wide){wide(64000), wide(-64000)}, filter, hits, 4, &count),
                  ISO_OK);
    assert_int_equal(count, 3);
    const double root = sqrt(0.5);
    EXPECT_NEAR(from_wide(hits[0].point.y), 29000 + from_fix(fix(0.001)), 1e-8, "slab");
    EXPECT_NEAR(from_wide(hits[1].point.x), -root * from_fix(fix(59.9)), 1e-7, "disc of 60 m");
    EXPECT_NEAR(from_wide(hits[2].point.x), 29000 - root * from_fix(fix(0.0011)), 1e-8, "pebble at the end of 90 km");
    EXPECT_NEAR(from_wide(hits[2].fraction), (61000 - root * from_fix(fix(0.0011))) / 64000, 1e-9, "fraction");
    // One quantum long, from one quantum outside; and without length.
    iso_vec2_wide touch = {wide(29000) + iso_wide_from_fix16(fix(0.0011)) + 1, wide(-29000)};
    EXPECT_STATUS(iso_query_ray_all(world, touch, (iso_vec2_wide){-1, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_STATUS(iso_query_ray_all(world, touch, (iso_vec2_wide){0, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 0);
    touch.x -= 2;
    EXPECT_STATUS(iso_query_ray_all(world, touch, (iso_vec2_wide){0, 0}, filter, hits, 4, &count), ISO_OK);
    assert_int_equal(count, 1);
    assert_true(hits[0].fraction == 0 && hits[0].normal.x == 0 && hits[0].normal.y == 0);
    world_free(world);
}

// ---- overlaps ------------------------------------------------------------------------------------

static void overlap_check(const room *is, const convex *asked, iso_query_filter filter, const iso_overlap_hit *hits,
                          uint32_t count, const iso_overlap_hit *closest, uint32_t closest_count, double exact) {
    bool found[SHAPES] = {false};
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t shape = room_find(is, hits[i].shape);
        found[shape] = true;
        EXPECT_NEAR(from_wide(hits[i].separation), convex_separation(&is->convexes[shape], asked), exact, "separation");
        assert_true(i == 0 || hits[i - 1].shape.index < hits[i].shape.index);
        best = hits[i].separation < hits[best].separation ? i : best;
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        const double separation = convex_separation(&is->convexes[i], asked);
        EXPECT(fabs(separation) < exact || found[i] == (room_sees(is, i, filter) && separation < 0),
               "shape %u, kind %u, against %u points: %g apart", i, is->defs[i].kind, asked->count, separation);
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
    for (uint64_t seed = 0; seed < 6; ++seed) {
        room_make(&is, 200 + seed, seed % 2 ? 2 : 0.3, seed < 3 ? 0 : 29000);
        for (int i = 0; i < ISO_TEST_MANY(300); ++i) {
            const double spread = 14 * is.size, size = is.size * rng_range(&random, 0.1, 3);
            const vec p = {rng_range(&random, -spread, spread), rng_range(&random, -spread, spread)};
            const iso_query_filter filter = filter_any(&random);
            iso_overlap_hit hits[HITS_MAX], few[2], closest;
            uint32_t count, few_count, closest_count;
            convex asked = {.count = 4};
            if (i % 2) {
                const vec q = {p.x + (i % 10 == 1 ? 0 : size), p.y + size * rng_range(&random, 0, 1)};
                asked.points[0] = p;
                asked.points[1] = (vec){q.x, p.y};
                asked.points[2] = q;
                asked.points[3] = (vec){p.x, q.y};
                if (i % 10 == 1) {
                    asked.points[1] = q; // a box without width is a segment
                    asked.count = 2;
                }
                const iso_vec2_wide lower = room_place(&is, p.x, p.y), upper = room_place(&is, q.x, q.y);
                EXPECT_STATUS(iso_query_box_all(is.world, lower, upper, filter, hits, HITS_MAX, &count), ISO_OK);
                EXPECT_STATUS(iso_query_box_all(is.world, lower, upper, filter, few, 2, &few_count), ISO_OK);
                EXPECT_STATUS(iso_query_box_closest(is.world, lower, upper, filter, &closest, &closest_count), ISO_OK);
            } else {
                const iso_shape_def def = shape_any(&random, size);
                const iso_wide angle = wide(2 * PI * rng_range(&random, -2, 2));
                const iso_vec2_wide place = room_place(&is, p.x, p.y);
                const double c = cos(from_wide(angle)), s = sin(from_wide(angle));
                if (iso_shape_def_check(&def) != ISO_OK) {
                    continue;
                }
                asked.count = def.point_count;
                asked.radius = from_fix(def.radius);
                for (uint32_t v = 0; v < asked.count; ++v) {
                    const double x = from_fix(def.points[v].x), y = from_fix(def.points[v].y);
                    asked.points[v] = (vec){p.x + c * x - s * y, p.y + s * x + c * y};
                }
                EXPECT_STATUS(iso_query_shape_all(is.world, &def, place, angle, filter, hits, HITS_MAX, &count),
                              ISO_OK);
                EXPECT_STATUS(iso_query_shape_all(is.world, &def, place, angle, filter, few, 2, &few_count), ISO_OK);
                EXPECT_STATUS(iso_query_shape_closest(is.world, &def, place, angle, filter, &closest, &closest_count),
                              ISO_OK);
            }
            overlap_check(&is, &asked, filter, hits, count, &closest, closest_count, EXACT * (2 + is.size));
            assert_int_equal(few_count, count);
            assert_memory_equal(few, hits, sizeof few[0] * (count < 2 ? count : 2));
        }
        // The whole world.
        iso_overlap_hit hits[HITS_MAX];
        uint32_t count, seen = 0;
        const iso_vec2_wide lower = {wide(-65536), wide(-65536)}, upper = {wide(65536), wide(65536)};
        EXPECT_STATUS(iso_query_box_all(is.world, lower, upper, iso_query_filter_default(), hits, HITS_MAX, &count),
                      ISO_OK);
        for (uint32_t i = 0; i < is.count; ++i) {
            seen += room_sees(&is, i, iso_query_filter_default());
        }
        assert_int_equal(count, seen);
        world_free(is.world);
    }
}

// ---- what queries leave and depend on ------------------------------------------------------------

/// Everything that many queries answer, as bytes.
static size_t answers(const iso_world *world, uint64_t seed, uint8_t *bytes, size_t capacity) {
    rng random = {seed};
    size_t size = 0;
    for (int i = 0; i < 40; ++i) {
        iso_ray_hit rays[8];
        iso_point_hit points[8];
        iso_overlap_hit overlaps[8];
        uint32_t counts[3];
        memset(rays, 0, sizeof rays);
        memset(points, 0, sizeof points);
        memset(overlaps, 0, sizeof overlaps);
        const iso_vec2_wide p = {wide(rng_range(&random, -20, 20)), wide(rng_range(&random, -2, 20))};
        const iso_vec2_wide d = {wide(rng_range(&random, -40, 40)), wide(rng_range(&random, -40, 40))};
        const iso_shape_def capsule = shape_capsule(-1, 0, 1, 0, 0.5);
        const iso_query_filter filter = iso_query_filter_default();
        EXPECT_STATUS(iso_query_ray_all(world, p, d, filter, rays, 8, &counts[0]), ISO_OK);
        EXPECT_STATUS(iso_query_point_all(world, p, ISO_WIDE_ONE, filter, points, 8, &counts[1]), ISO_OK);
        EXPECT_STATUS(
            iso_query_shape_all(world, &capsule, p, iso_radians_from_turns(d.x), filter, overlaps, 8, &counts[2]),
            ISO_OK);
        assert_true(size + sizeof rays + sizeof points + sizeof overlaps + sizeof counts <= capacity);
        memcpy(bytes + size, rays, sizeof rays);
        memcpy(bytes + size + sizeof rays, points, sizeof points);
        memcpy(bytes + size + sizeof rays + sizeof points, overlaps, sizeof overlaps);
        memcpy(bytes + size + sizeof rays + sizeof points + sizeof overlaps, counts, sizeof counts);
        size += sizeof rays + sizeof points + sizeof overlaps + sizeof counts;
    }
    return size;
}

static void image_of(const iso_world *world, uint8_t **image, size_t *size) {
    *size = iso_world_image_size(world);
    *image = calloc(1, *size); // structs may have holes
    assert_int_equal(iso_world_save(world, *image, *size), *size);
}

static void test_answers_depend_on_the_state_alone_and_change_nothing(void **state) {
    (void)state;
    static uint8_t first[1 << 17], second[1 << 17];
    iso_world *world = world_make_small(-10);
    rng random = {35};
    const iso_shape_def ground = shape_box(30, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    for (int i = 0; i < 60; ++i) {
        const iso_shape_def def = i % 2 ? shape_capsule(-0.4, 0, 0.4, 0, 0.2) : shape_box(0.4, 0.3);
        body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -10, 10), rng_range(&random, 1, 15), i, &def);
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
        iso_world *restored = world_make_small(-10), *decoded = world_make_small(-10);
        EXPECT_STATUS(iso_world_restore(restored, before, before_size), ISO_OK);
        const size_t snapshot_size = iso_snapshot_size(world);
        uint8_t *snapshot = malloc(snapshot_size);
        assert_int_equal(iso_snapshot_encode(world, snapshot, snapshot_size), snapshot_size);
        EXPECT_STATUS(iso_snapshot_decode(decoded, snapshot, snapshot_size), ISO_OK);
        iso_world_drop_caches(world);
        iso_world *others[3] = {restored, decoded, world};
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(answers(others[i], (uint64_t)round, second, sizeof second), size);
            assert_memory_equal(first, second, size);
        }
        free(before);
        free(after);
        free(snapshot);
        world_free(restored);
        world_free(decoded);
        world_steps(world, 13);
    }
    world_free(world);
}

static void test_questions_out_of_range_are_refused(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(1);
    const iso_shape_id id = shape_add(world, body_add(world, ISO_BODY_STATIC, 0, 0, 0), &ball);
    const iso_query_filter filter = iso_query_filter_default();
    const iso_wide edge = wide(ISO_QUERY_PLACE_MAX_M);
    const iso_vec2_wide zero = {0, 0}, good = {edge, -edge}, bad = {0, -edge - 1}, least = {ISO_WIDE_MIN, 0},
                        long_way = {0, 2 * edge};
    iso_point_hit point;
    iso_ray_hit ray;
    iso_overlap_hit overlap;
    uint32_t count = 7;
    EXPECT_STATUS(iso_query_point_all(world, good, edge, filter, &point, 1, &count), ISO_OK);
    EXPECT_STATUS(iso_query_point_all(world, bad, 0, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_point_all(world, least, 0, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_point_all(world, zero, -1, filter, &point, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_point_closest(world, zero, edge + 1, filter, &point, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_ray_all(world, good, long_way, filter, &ray, 1, &count), ISO_OK);
    EXPECT_STATUS(iso_query_ray_all(world, bad, zero, filter, &ray, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_ray_closest(world, zero, (iso_vec2_wide){2 * edge + 1, 0}, filter, &ray, &count),
                  ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_box_all(world, zero, bad, filter, &overlap, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_box_all(world, (iso_vec2_wide){1, 0}, zero, filter, &overlap, 1, &count), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_query_box_closest(world, zero, zero, filter, &overlap, &count), ISO_OK);
    assert_int_equal(count, 1);
    iso_shape_def flat = ball;
    flat.radius = 0;
    EXPECT_STATUS(iso_query_shape_all(world, &flat, zero, 0, filter, &overlap, 1, &count), ISO_ERR_GEOMETRY);
    EXPECT_STATUS(iso_query_shape_closest(world, &ball, bad, 0, filter, &overlap, &count), ISO_ERR_RANGE);
    assert_int_equal(count, 0);
    EXPECT_STATUS(iso_shape_get_closest_point(world, id, bad, &point), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_get_closest_point(world, id, good, &point), ISO_OK);
    EXPECT_STATUS(iso_shape_get_closest_point(world, (iso_shape_id){id.index, id.generation + 2}, zero, &point),
                  ISO_ERR_STALE);
    // Counting alone needs no array.
    EXPECT_STATUS(iso_query_ray_all(world, zero, zero, filter, NULL, 0, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_STATUS(iso_query_ray_all(world, zero, zero, (iso_query_filter){1, 2}, NULL, 0, &count), ISO_OK);
    assert_int_equal(count, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_find_what_is_near_and_how_far),
        cmocka_unit_test(test_rays_hit_what_is_in_their_way),
        cmocka_unit_test(test_rays_do_not_slip_through_corners),
        cmocka_unit_test(test_rays_are_exact_at_the_extremes),
        cmocka_unit_test(test_overlaps_find_what_they_touch),
        cmocka_unit_test(test_answers_depend_on_the_state_alone_and_change_nothing),
        cmocka_unit_test(test_questions_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
