/// What is told of a contact: places, normal, separation, speeds and impulses at the present poses.
#include "unit/world/physics_util.h"

#include "isostep/snapshot.h"

static iso_contact_manifold manifold_of(const iso_world *world, uint32_t index) {
    iso_contact_manifold manifold;
    assert_true(iso_world_get_contact_manifold(world, index, &manifold));
    return manifold;
}

static double from_unit(int32_t component) {
    return component / 1073741824.0;
}

/// A floor with its surface at y = 0.
static iso_body_id floor_add(iso_world *world) {
    const iso_shape_def floor = shape_box(20, 1);
    return body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
}

/// m g h on two corners; friction is what keeps a pushed box in its place.
static void test_a_resting_box_is_carried_at_its_corners(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    floor_add(world);
    const iso_shape_def box = shape_box(0.5, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0.25, 0, &box);
    for (int i = 0; i < 120; ++i) {
        EXPECT_STATUS(iso_body_apply_force_to_centre(world, body, (iso_vec2_wide){ISO_WIDE_ONE, 0}), ISO_OK);
        world_steps(world, 1);
    }
    const iso_contact_manifold is = manifold_of(world, 0);
    assert_true(is.is_touching);
    assert_int_equal(is.point_count, 2);
    EXPECT_NEAR(from_unit(is.normal.x), 0, 1e-6, "normal x");
    EXPECT_NEAR(from_unit(is.normal.y), 1, 1e-6, "normal y");
    const double x = body_pose(world, body).x, mass = body_pose(world, body).mass, h = world_substep(world);
    double normal = 0, tangent = 0;
    for (int p = 0; p < 2; ++p) {
        const iso_contact_point *point = &is.points[p];
        const double side = from_wide(point->point.x) > x ? 0.5 : -0.5;
        EXPECT_NEAR(from_wide(point->point.x), x + side, 1e-4, "point %d x", p);
        EXPECT_NEAR(from_wide(point->point.y), from_wide(point->separation) / 2, 1e-6, "point %d y", p);
        EXPECT_NEAR(from_wide(point->separation), 0, 0.006, "separation %d", p);
        EXPECT_NEAR(from_wide(point->approach_speed), 0, 1e-3, "approach %d", p);
        normal += from_wide(point->normal_impulse);
        tangent += from_wide(point->tangent_impulse);
    }
    assert_true((is.points[0].point.x > is.points[1].point.x) != (is.points[0].point.x < is.points[1].point.x));
    EXPECT_NEAR(normal, mass * 10 * h, 0.02 * mass * 10 * h, "normal impulse");
    // The push goes to the right, the normal turned left is (-1, 0), and B is the box.
    EXPECT_NEAR(tangent, 1 * h, 0.02 * h, "friction");
    world_free(world);
}

/// v + w x r of both bodies, along the normal, against doubles.
static void test_approach_speed_is_that_of_the_place(void **state) {
    (void)state;
    rng random = {3};
    int seen = 0;
    for (int i = 0; i < 200; ++i) {
        iso_world *world = world_make_small(0);
        const iso_shape_def box = shape_box(0.5, 0.5), ball = shape_circle(0.4);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 100, -50, rng_range(&random, -3, 3), &box);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 100 + rng_range(&random, -1, 1),
                                             -50 + rng_range(&random, 0.2, 1), 0, i % 2 == 0 ? &ball : &box);
        world_steps(world, 1);
        const iso_body_id both[] = {a, b};
        for (int n = 0; n < 2; ++n) {
            body_set_velocity(world, both[n], rng_range(&random, -5, 5), rng_range(&random, -5, 5),
                              rng_range(&random, -9, 9));
        }
        iso_contact_manifold is;
        if (iso_world_get_contact_manifold(world, 0, &is)) {
            const pose pa = body_pose(world, a), pb = body_pose(world, b);
            for (uint8_t p = 0; p < is.point_count; ++p) {
                const double x = from_wide(is.points[p].point.x), y = from_wide(is.points[p].point.y);
                const double vx = pb.vx - pb.w * (y - pb.y) - (pa.vx - pa.w * (y - pa.y));
                const double vy = pb.vy + pb.w * (x - pb.x) - (pa.vy + pa.w * (x - pa.x));
                const double speed = -(vx * from_unit(is.normal.x) + vy * from_unit(is.normal.y));
                EXPECT_NEAR(from_wide(is.points[p].approach_speed), speed, 1e-5, "approach %d", i);
                ++seen;
            }
        }
        world_free(world);
    }
    assert_true(seen > 100);
}

/// A view and its manifold agree on the impulses of features that are still there; a ball has one.
static void test_impulses_are_those_of_the_view(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    floor_add(world);
    const iso_shape_def ball = shape_circle(0.5);
    body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &ball);
    world_steps(world, 60);
    iso_contact_view view;
    assert_true(iso_world_get_contact(world, 0, &view));
    const iso_contact_manifold is = manifold_of(world, 0);
    assert_int_equal(is.point_count, 1);
    assert_true(view.normal_impulse[0] > 0);
    assert_true(is.points[0].normal_impulse == view.normal_impulse[0]);
    assert_true(is.points[0].tangent_impulse == view.tangent_impulse[0]);
    world_free(world);
}

static void test_what_has_come_apart_has_no_points(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    floor_add(world);
    iso_shape_def ball = shape_circle(0.5);
    ball.restitution = ISO_FIX16_ONE;
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.505, 0, &ball);
    body_set_velocity(world, body, 0, -400, 0);
    world_steps(world, 1); // throws it back, and carries it off what it began on
    assert_true(body_pose(world, body).y > 2);
    iso_contact_view view;
    assert_true(iso_world_get_contact(world, 0, &view)); // of the step
    const iso_contact_manifold is = manifold_of(world, 0);
    assert_int_equal(is.point_count, 0);
    assert_true(is.normal.x == 0 && is.normal.y == 0);
    world_free(world);
}

static void test_a_contact_that_is_only_near_does_not_touch(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    floor_add(world);
    const iso_shape_def ball = shape_circle(0.5);
    body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.512, 0, &ball);
    world_steps(world, 1);
    const iso_contact_manifold is = manifold_of(world, 0);
    assert_false(is.is_touching);
    assert_int_equal(is.point_count, 1);
    EXPECT_NEAR(from_wide(is.points[0].separation), 0.012, 2 * QUANTUM_FIX16, "separation");
    assert_true(is.points[0].normal_impulse == 0);
    iso_contact_manifold none;
    assert_false(iso_world_get_contact_manifold(world, 1, &none));
    assert_false(iso_world_get_contact_manifold(world, UINT32_MAX, &none));
    world_free(world);
}

/// Reading changes no bit, and what is read follows from the state alone.
static void test_reading_follows_from_the_state(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    floor_add(world);
    rng random = {9};
    for (int i = 0; i < 30; ++i) {
        const iso_shape_def box = shape_box(rng_range(&random, 0.2, 0.5), 0.3), ball = shape_circle(0.4);
        body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -3, 3), rng_range(&random, 0.5, 9), 0.3,
                       i % 2 ? &box : &ball);
    }
    world_steps(world, 150);
    const iso_world_def def = *iso_world_get_def(world);
    iso_world *copy = world_make(&def);
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    const uint64_t root = iso_world_root(world);
    const uint32_t count = world_counts(world).contacts;
    assert_true(count > 20);
    for (uint32_t i = 0; i < count; ++i) {
        iso_contact_manifold is, other; // padding may differ
        memset(&is, 0, sizeof is);
        memset(&other, 0, sizeof other);
        assert_true(iso_world_get_contact_manifold(world, i, &is) && iso_world_get_contact_manifold(copy, i, &other));
        assert_true(is.point_count == other.point_count && is.is_touching == other.is_touching);
        assert_memory_equal(&is.normal, &other.normal, sizeof is.normal);
        assert_memory_equal(is.points, other.points, sizeof is.points);
    }
    assert_int_equal(iso_world_root(world), root);
    free(bytes);
    world_free(copy);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_resting_box_is_carried_at_its_corners),
        cmocka_unit_test(test_approach_speed_is_that_of_the_place),
        cmocka_unit_test(test_impulses_are_those_of_the_view),
        cmocka_unit_test(test_what_has_come_apart_has_no_points),
        cmocka_unit_test(test_a_contact_that_is_only_near_does_not_touch),
        cmocka_unit_test(test_reading_follows_from_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
