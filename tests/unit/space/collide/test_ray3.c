/// Rays against pieces in double precision.
#include "piece_util.h"

#include "space/collide/ray.h"

#define ROUNDS 6000

/// A ray and what it may meet, as doubles.
typedef struct aim {
    const twin *at;
    vec3 origin, direction;
} aim;

static vec3 aim_point(const aim *is, double s) {
    return vec3_add(is->origin, vec3_scale(is->direction, s));
}

static double aim_gap(const void *of, double s) {
    const aim *is = of;
    return twin_distance(is->at, aim_point(is, s));
}

static void ray_make(iso__space_ray *ray, vec3 origin, vec3 way) {
    int64_t by[3];
    place_of(way, by);
    iso__space_ray_init(ray, (iso_vec3_wide){by[0], by[1], by[2]});
    place_of(origin, ray->origin);
}

static aim aim_make(const twin *at, const iso__space_ray *ray) {
    const vec3 d = {(double)ray->direction[0], (double)ray->direction[1], (double)ray->direction[2]};
    return (aim){at, vec3_of_place(ray->origin), vec3_unit(d)};
}

static void check_hit(const aim *is, double s, const int32_t normal[3], double reach, bool hit, double found) {
    const vec3 n = vec3_of(normal, 30);
    EXPECT(hit, "kind %d is not entered at %g", is->at->collider.kind, s);
    // Who grazes a piece enters it somewhere along a longer part of the way.
    const double slope = -vec3_dot(n, is->direction);
    EXPECT(slope > 0, "the normal of kind %d is along the ray", is->at->collider.kind);
    EXPECT_NEAR(found, s, 1e-8 / slope + 1e-9 * reach, "where kind %d is entered", is->at->collider.kind);
    EXPECT_NEAR(vec3_length(n), 1, 4e-9, "length of the normal");
    // Out of the piece.
    EXPECT_NEAR(twin_distance(is->at, vec3_add(aim_point(is, s), vec3_scale(n, 0.01))), 0.01, 2e-7,
                "distance along the normal of kind %d", is->at->collider.kind);
}

static void test_rays_enter_where_the_border_is(void **state) {
    (void)state;
    rng random = {1};
    uint32_t hits[PIECE_KINDS] = {0}, misses[PIECE_KINDS] = {0};
    twin it;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        const uint32_t kind = i % PIECE_KINDS;
        twin_random(&random, (iso__space_collider_kind)kind, 1, &it);
        const bool is_upright = i / PIECE_KINDS % 7 == 0;
        if (is_upright) { // so that faces are along rays
            rotation_unit(it.collider.rotation);
            rotation_unit(it.collider.frame);
            twin_move(&it, vec3_of_place(it.at));
        }
        vec3 origin;
        do {
            origin = vec3_random(&random, 4);
        } while (twin_distance(&it, origin) < 1e-3);
        iso__space_ray ray;
        // Some to what is there, some anywhere, some along an axis.
        const bool is_plane = kind == ISO__SPACE_COLLIDER_PLANE;
        const vec3 of_it = is_plane ? vec3_random(&random, 4) : it.is.points[rng_below(&random, it.is.count)];
        const vec3 to = vec3_add(of_it, vec3_random(&random, 0.4));
        vec3 way = i / PIECE_KINDS % 4 == 0 ? vec3_random(&random, 6) : vec3_scale(vec3_sub(to, origin), 1.5);
        if (is_upright) {
            way = (vec3){i % 2 == 0 ? way.x : 0, 0, i % 2 == 0 ? 0 : way.z}; // past some of the faces
        }
        ray_make(&ray, origin, way);
        const aim is = aim_make(&it, &ray);
        const double reach = ldexp((double)ray.reach, -32);
        EXPECT_NEAR(reach, vec3_length(way), 1e-9, "reach");
        double where;
        const double least = convex_least(aim_gap, &is, 0, reach, &where);
        int64_t s;
        int32_t normal[3];
        const bool hit = iso__space_ray_enter(&ray, &it.piece, &s, normal);
        if (least > 1e-7) {
            EXPECT(!hit, "kind %u is %g away and was entered", kind, least);
            ++misses[kind];
        } else if (least < -1e-4) {
            const double at = convex_root(aim_gap, &is, 0, where);
            check_hit(&is, at, normal, reach, hit, ldexp((double)s, -32));
            // A ray that ends before does not enter.
            iso__space_ray shorter = ray;
            int64_t none;
            shorter.reach = s - 1;
            assert_false(iso__space_ray_enter(&shorter, &it.piece, &none, normal));
            shorter.reach = s;
            assert_true(iso__space_ray_enter(&shorter, &it.piece, &none, normal));
            assert_int_equal(none, s);
            ++hits[kind];
        }
    }
    for (uint32_t kind = 0; kind < PIECE_KINDS; ++kind) {
        EXPECT(hits[kind] > 150 && misses[kind] > 150, "kind %u: %u hits, %u misses", kind, hits[kind], misses[kind]);
    }
}

static void test_a_ray_without_length_enters_nothing(void **state) {
    (void)state;
    rng random = {2};
    twin it;
    iso__space_ray ray;
    int64_t s, point[3];
    int32_t normal[3];
    ray_make(&ray, (vec3){1, 2, 3}, (vec3){0, 0, 0});
    assert_int_equal(ray.length, 0);
    assert_int_equal(ray.reach, 0);
    iso__space_ray_point(&ray, 5, point);
    assert_memory_equal(point, ray.origin, sizeof point);
    for (uint32_t kind = 0; kind < PIECE_KINDS; ++kind) {
        twin_random(&random, (iso__space_collider_kind)kind, 0, &it);
        assert_false(iso__space_ray_enter(&ray, &it.piece, &s, normal));
    }
}

static void test_points_along_a_ray(void **state) {
    (void)state;
    rng random = {3};
    for (uint32_t i = 0; i < 1000; ++i) {
        // From a quantum to the largest way that there is.
        const double size = ldexp(1, (int)rng_below(&random, 48) - 31);
        const vec3 origin = vec3_random(&random, 1000), way = vec3_random(&random, size);
        iso__space_ray ray;
        int64_t point[3];
        ray_make(&ray, origin, way);
        if (ray.length == 0) {
            continue;
        }
        const double s = rng_range(&random, 0, 1) * ldexp((double)ray.reach, -32);
        const aim is = aim_make(NULL, &ray);
        iso__space_ray_point(&ray, llround(ldexp(s, 32)), point);
        const double off = vec3_length(vec3_sub(vec3_of_place(point), aim_point(&is, s)));
        EXPECT(off < 1e-9 + size * 1e-15, "at %g of %g off by %g", s, size, off);
    }
}

static void test_clipping_leaves_what_is_between_two_values(void **state) {
    (void)state;
    rng random = {4};
    uint32_t empty = 0, whole = 0, parts = 0;
    for (uint32_t i = 0; i < 4000; ++i) {
        iso__space_ray ray;
        const int axis = (int)rng_below(&random, 3);
        ray_make(&ray, vec3_random(&random, 4), vec3_random(&random, 4));
        if (i % 4 == 0) {
            const vec3 way = vec3_random(&random, 4);
            ray_make(&ray, vec3_random(&random, 4),
                     (vec3){axis == 0 ? 0 : way.x, axis == 1 ? 0 : way.y, axis == 2 ? 0 : way.z});
        }
        const double low = rng_range(&random, -5, 4), high = low + rng_range(&random, 0, 5);
        const aim is = aim_make(NULL, &ray);
        const double o = axis == 0 ? is.origin.x : axis == 1 ? is.origin.y : is.origin.z;
        const double d = axis == 0 ? is.direction.x : axis == 1 ? is.direction.y : is.direction.z;
        const double reach = ldexp((double)ray.reach, -32);
        double from = 0, to = reach;
        if (d == 0) {
            to = o < low || o > high ? -1 : to;
        } else {
            from = fmax(from, fmin((low - o) / d, (high - o) / d));
            to = fmin(to, fmax((low - o) / d, (high - o) / d));
        }
        int64_t part[2] = {0, ray.reach};
        iso__space_ray_clip(&ray, axis, wide(low), wide(high), part);
        const double slack = 1e-9 / fmax(fabs(d), 1e-3) + 1e-8;
        if (from < to - slack) {
            EXPECT_NEAR(ldexp((double)part[0], -32), from, slack, "begin");
            EXPECT_NEAR(ldexp((double)part[1], -32), to, slack, "end");
            ++*(from == 0 && to == reach ? &whole : &parts);
        } else if (from > to + slack) {
            EXPECT(part[1] < part[0], "something is left of nothing");
            ++empty;
        }
    }
    EXPECT(empty > 300 && whole > 300 && parts > 300, "%u empty, %u whole, %u parts", empty, whole, parts);
}

static void test_approaching_skips_what_is_far(void **state) {
    (void)state;
    rng random = {5};
    uint32_t moved = 0, near = 0, passes = 0;
    for (uint32_t i = 0; i < 4000; ++i) {
        const double extent = rng_range(&random, 0.1, 5);
        const vec3 origin = vec3_random(&random, i % 2 == 0 ? 20000 : 6);
        const vec3 to = vec3_random(&random, 2 * extent);
        iso__space_ray ray;
        ray_make(&ray, origin, vec3_scale(vec3_sub(to, origin), rng_range(&random, 0.5, 1.5)));
        const iso__space_ray before = ray;
        const aim is = aim_make(NULL, &ray);
        const double reach = ldexp((double)ray.reach, -32), slack = 1e-9 * (1 + reach);
        const double at = fmin(fmax(-vec3_dot(is.origin, is.direction), 0), reach);
        const double least = vec3_length(aim_point(&is, at));
        const int64_t by = iso__space_ray_approach(&ray, wide(extent));
        if (by < 0) {
            EXPECT(least > extent - slack, "%g of %g away and passed by", least, extent);
            assert_memory_equal(&ray, &before, sizeof ray);
            ++passes;
            continue;
        }
        EXPECT(least < extent + slack + 2e-9, "%g of %g away and met", least, extent);
        assert_int_equal(ray.reach, before.reach - by);
        const vec3 there = aim_point(&is, ldexp((double)by, -32));
        EXPECT(vec3_length(vec3_sub(vec3_of_place(ray.origin), there)) < slack, "off the ray");
        // Never beyond where it may enter, and so near that what is left is short.
        EXPECT(by == 0 || vec3_length(there) > extent - slack, "skipped to %g of %g", vec3_length(there), extent);
        EXPECT(vec3_length(there) < 2 * extent + 1 + slack || by == 0, "left %g of %g", vec3_length(there), extent);
        const double along = -vec3_dot(is.origin, is.direction);
        EXPECT_NEAR(ldexp((double)by, -32), fmax(along - extent - 1, 0), slack, "how far");
        ++*(by > 0 ? &moved : &near);
    }
    EXPECT(moved > 500 && near > 200 && passes > 500, "%u moved, %u near, %u pass", moved, near, passes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_enter_where_the_border_is),
        cmocka_unit_test(test_a_ray_without_length_enters_nothing),
        cmocka_unit_test(test_points_along_a_ray),
        cmocka_unit_test(test_clipping_leaves_what_is_between_two_values),
        cmocka_unit_test(test_approaching_skips_what_is_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
