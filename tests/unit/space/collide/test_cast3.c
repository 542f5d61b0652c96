/// Pieces on their way against gaps in double precision.
#include "piece_util.h"

#include "space/collide/cast.h"

#define ROUNDS 700

static twin moving, still;

static bool is_solid(const twin *it) {
    return it->collider.kind == ISO__SPACE_COLLIDER_BOX || it->collider.kind == ISO__SPACE_COLLIDER_HULL;
}

/// What moves, from where it is in `moving`.
static vec3 direction;

/// A function of the way that is positive where they are apart and convex: the gap along the best axis, or of round
/// ones that of their cores without the radii.
static double gap_on_the_way(const void *of, double s) {
    twin there = moving;
    (void)of;
    for (uint32_t i = 0; i < there.is.count; ++i) {
        there.is.points[i] = vec3_add(there.is.points[i], vec3_scale(direction, s));
    }
    if (still.collider.kind == ISO__SPACE_COLLIDER_PLANE) {
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < there.is.count; ++i) {
            least = fmin(least, vec3_dot(still.normal, there.is.points[i]) - still.offset);
        }
        return least - there.is.radius;
    }
    if (is_solid(&there) && is_solid(&still)) {
        return fmax(solid_face_gap(&there.is, &still.is), solid_edge_gap(&there.is, &still.is));
    }
    const solid *round = is_solid(&there) ? &still.is : &there.is, *other = is_solid(&there) ? &there.is : &still.is;
    return solid_round_distance(round, other) - round->radius - other->radius;
}

/// The farthest point of a collider from its body.
static double extent_of(const twin *it) {
    double farthest = 0;
    for (uint32_t i = 0; i < it->is.count; ++i) {
        farthest = fmax(farthest, vec3_length(vec3_sub(it->is.points[i], vec3_of_place(it->at))));
    }
    return farthest + it->is.radius;
}

static iso__space_cast cast_make(vec3 way) {
    iso__space_cast cast = {.moving = &moving.collider, .still = &still.collider, .piece = &still.piece};
    int64_t by[3];
    place_of(way, by);
    iso__space_ray_init(&cast.way, (iso_vec3_wide){by[0], by[1], by[2]});
    memcpy(cast.way.origin, moving.at, sizeof moving.at);
    cast.moving_extent = wide(extent_of(&moving) + 1e-6);
    cast.still_extent = still.collider.kind == ISO__SPACE_COLLIDER_PLANE ? 0 : wide(extent_of(&still) + 1e-6);
    const vec3 d = {(double)cast.way.direction[0], (double)cast.way.direction[1], (double)cast.way.direction[2]};
    direction = cast.way.length == 0 ? (vec3){0, 0, 0} : vec3_unit(d);
    return cast;
}

static void check_touch(const iso__space_cast_hit *hit, double at, double size) {
    const int kinds[2] = {moving.collider.kind, still.collider.kind};
    const vec3 n = vec3_of(hit->normal, 30), point = vec3_of_place(hit->point);
    const double s = ldexp((double)hit->s, -32), slope = -vec3_dot(n, direction);
    EXPECT_NEAR(vec3_length(n), 1, 4e-9, "length of the normal of kinds %d and %d", kinds[0], kinds[1]);
    EXPECT(slope > 0, "kinds %d and %d part along the normal", kinds[0], kinds[1]);
    // They stop within 1.5e-8 m, never beyond; who grazes may do so for longer.
    const double slack = (4e-8 + size * 1e-8) / slope;
    EXPECT(s < at + slack && s > at - slack - 4e-7 / slope, "kinds %d and %d touch at %.9f, found %.9f, slope %g",
           kinds[0], kinds[1], at, s, slope);
    // Where they touch is on both.
    EXPECT_NEAR(twin_distance(&still, point), 0, 1e-5, "the point on kind %d, of %d", kinds[1], kinds[0]);
    const vec3 back = vec3_sub(point, vec3_scale(direction, s));
    EXPECT_NEAR(twin_distance(&moving, back), 0, 1e-5, "the point on kind %d, with %d", kinds[0], kinds[1]);
    // What is still is behind the plane through the point, and what moves before it.
    const double before = solid_gap(&(solid){.points = {back}, .count = 1}, &moving.is, n) - moving.is.radius;
    EXPECT_NEAR(before, 0, 1e-5, "kind %d before the plane", kinds[0]);
    if (kinds[1] == ISO__SPACE_COLLIDER_PLANE) {
        assert_true(vec3_length(vec3_sub(n, still.normal)) < 4e-9);
    } else {
        const double behind = solid_gap(&still.is, &(solid){.points = {point}, .count = 1}, n) - still.is.radius;
        EXPECT_NEAR(behind, 0, 1e-5, "kind %d behind the plane", kinds[1]);
    }
}

static void test_casts_stop_where_they_touch(void **state) {
    (void)state;
    rng random = {1};
    uint32_t hits[PIECE_KINDS] = {0}, misses[PIECE_KINDS] = {0};
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const uint32_t kinds[2] = {i % ISO__SPACE_COLLIDER_PLANE, i / ISO__SPACE_COLLIDER_PLANE % PIECE_KINDS};
        // Some begin where bounding spheres do.
        const double size = i / 20 % 5 == 0 ? 150 : 4;
        twin_random(&random, (iso__space_collider_kind)kinds[0], size, &moving);
        twin_random(&random, (iso__space_collider_kind)kinds[1], 0, &still);
        const vec3 to = vec3_random(&random, i / 20 % 3 == 0 ? size : 1);
        const vec3 way = vec3_scale(vec3_sub(to, vec3_of_place(moving.at)), 1.5);
        const iso__space_cast cast = cast_make(way);
        const double reach = ldexp((double)cast.way.reach, -32);
        double where;
        if (gap_on_the_way(NULL, 0) < 1e-3) {
            continue;
        }
        const double least = convex_least(gap_on_the_way, NULL, 0, reach, &where);
        iso__space_cast_hit hit;
        const bool is_hit = iso__space_cast_find(&cast, &hit);
        if (least > 1e-5) {
            EXPECT(!is_hit, "kinds %u and %u are %g apart and touch at %g of %g", kinds[0], kinds[1], least,
                   ldexp((double)hit.s, -32), where);
            ++misses[kinds[1]];
        } else if (least < -1e-3) {
            EXPECT(is_hit, "kinds %u and %u touch by %g, missed", kinds[0], kinds[1], -least);
            check_touch(&hit, convex_root(gap_on_the_way, NULL, 0, where), size);
            ++hits[kinds[1]];
        }
    }
    for (uint32_t kind = 0; kind < PIECE_KINDS; ++kind) {
        EXPECT(hits[kind] > 18 && misses[kind] > 8, "kind %u: %u hits, %u misses", kind, hits[kind], misses[kind]);
    }
}

static void test_what_overlaps_from_the_beginning_is_hit_there(void **state) {
    (void)state;
    rng random = {2};
    uint32_t overlapped = 0;
    for (uint32_t i = 0; i < 800; ++i) {
        twin_random(&random, (iso__space_collider_kind)(i % ISO__SPACE_COLLIDER_PLANE), 1, &moving);
        twin_random(&random, (iso__space_collider_kind)(i / ISO__SPACE_COLLIDER_PLANE % PIECE_KINDS), 0, &still);
        const iso__space_cast cast = cast_make(vec3_random(&random, i % 3 == 0 ? 0 : 3)); // a way without length, too
        if (gap_on_the_way(NULL, 0) > -1e-3) {
            continue;
        }
        iso__space_cast_hit hit;
        EXPECT(iso__space_cast_find(&cast, &hit), "kinds %d and %d overlap by %g", moving.collider.kind,
               still.collider.kind, -gap_on_the_way(NULL, 0));
        assert_int_equal(hit.s, 0);
        assert_true((hit.normal[0] | hit.normal[1] | hit.normal[2]) == 0);
        assert_memory_equal(hit.point, moving.at, sizeof hit.point);
        ++overlapped;
    }
    EXPECT(overlapped > 200, "%u overlap", overlapped);
}

static void test_a_way_that_ends_before_does_not_touch(void **state) {
    (void)state;
    rng random = {3};
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 600; ++i) {
        twin_random(&random, (iso__space_collider_kind)(i % ISO__SPACE_COLLIDER_PLANE), 5, &moving);
        twin_random(&random, (iso__space_collider_kind)(i / ISO__SPACE_COLLIDER_PLANE % PIECE_KINDS), 0, &still);
        iso__space_cast cast = cast_make(vec3_scale(vec3_of_place(moving.at), -1));
        iso__space_cast_hit hit, none;
        if (gap_on_the_way(NULL, 0) < 1e-3 || !iso__space_cast_find(&cast, &hit)) {
            continue;
        }
        cast.way.reach = hit.s - wide(1e-6);
        assert_false(iso__space_cast_find(&cast, &none));
        cast.way.reach = hit.s;
        assert_true(iso__space_cast_find(&cast, &none));
        assert_int_equal(none.s, hit.s);
        ++ended;
    }
    EXPECT(ended > 200, "%u ended", ended);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts_stop_where_they_touch),
        cmocka_unit_test(test_what_overlaps_from_the_beginning_is_hit_there),
        cmocka_unit_test(test_a_way_that_ends_before_does_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
