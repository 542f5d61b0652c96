/// What is told of a contact in space: places, normal, separation, speeds and impulses at the present poses.
#include "unit/space/world/space_util.h"

static iso_contact3_manifold manifold_of(const iso_world *world, uint32_t index) {
    iso_contact3_manifold manifold;
    assert_true(iso_world_get_contact3_manifold(world, index, &manifold));
    return manifold;
}

static vector unit_of(iso_unit3 n) {
    return (vector){{n.x * QUANTUM_UNIT, n.y * QUANTUM_UNIT, n.z * QUANTUM_UNIT}};
}

static iso_world *falling_make(void) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, -10 * ONE};
    iso_world *world = world_make(&def);
    const iso_shape3_def floor = box3(20, 1, 20);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, -1, 0), iso_quat_identity()), &floor);
    return world;
}

static iso_body_id add(iso_world *world, const iso_shape3_def *shape, double x, double y, double z) {
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(x, y, z), iso_quat_identity());
    shape3_add(world, body, shape);
    return body;
}

/// m g h on four corners; friction is what keeps a pushed box in its place, and twist one that is turned.
static void test_a_resting_box_is_carried_at_its_corners(void **state) {
    (void)state;
    iso_world *world = falling_make();
    iso_shape3_def box = box3(0.5, 0.25, 0.4);
    box.density = fix(2);
    const iso_body_id body = add(world, &box, 3, 0.25, -2);
    for (int i = 0; i < 120; ++i) {
        EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(1, 0, 0.5)), ISO_OK);
        EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3(0, 0.25, 0)), ISO_OK);
        world_steps(world, 1);
    }
    const iso_contact3_manifold is = manifold_of(world, 0);
    iso_contact3_view view;
    assert_true(iso_world_get_contact3(world, 0, &view));
    assert_true(is.is_touching && view.is_touching && is.point_count == 4 && view.point_count == 4 && view.child == 0);
    EXPECT_NEAR(length(sum(unit_of(is.normal), -1, (vector){{0, 1, 0}})), 0, 1e-5, "normal");
    const iso_body3_view at = view3(world, body);
    const double weight = from_wide(at.mass) * 10 * world_substep(world);
    double normal = 0;
    int corners = 0;
    for (int p = 0; p < 4; ++p) {
        const iso_contact3_point *point = &is.points[p];
        const vector arm = sum(vector_of(point->point), -1, vector_of(at.centre));
        EXPECT_NEAR(fabs(arm.x[0]), 0.5, 1e-3, "point %d: x", p);
        EXPECT_NEAR(fabs(arm.x[2]), 0.4, 1e-3, "point %d: z", p);
        EXPECT_NEAR(from_wide(point->point.y), from_wide(point->separation) / 2, 1e-5, "point %d: y", p);
        EXPECT_NEAR(from_wide(point->separation), 0, 0.006, "separation %d", p);
        EXPECT_NEAR(from_wide(point->approach_speed), 0, 1e-3, "approach %d", p);
        assert_true(point->normal_impulse == view.normal_impulse[p]);
        normal += from_wide(point->normal_impulse);
        corners |= 1 << ((arm.x[0] > 0) * 2 + (arm.x[2] > 0));
    }
    assert_int_equal(corners, 15);
    EXPECT_NEAR(normal, weight, 0.02 * weight, "normal impulse");
    const vector friction = vector_of(is.friction_impulse); // B is the box
    EXPECT_NEAR(friction.x[0], -1 * world_substep(world), 0.02 * world_substep(world), "friction along x");
    EXPECT_NEAR(friction.x[1], 0, 1e-5, "friction along the normal");
    EXPECT_NEAR(friction.x[2], -0.5 * world_substep(world), 0.02 * world_substep(world), "friction along z");
    EXPECT_NEAR(from_wide(is.twist_impulse), -0.25 * world_substep(world), 0.02 * world_substep(world), "twist");
    assert_true(view.twist_impulse == is.twist_impulse && view.friction_impulse.x == is.friction_impulse.x);
    world_free(world);
}

/// v + w x r of both bodies, along the normal, against doubles, of all kinds of shapes and far from the origin.
static void test_approach_speed_is_that_of_the_place(void **state) {
    (void)state;
    rng random = {3};
    int seen = 0;
    const iso_vec3 corners[] = {fix3(0.5, 0, 0), fix3(-0.5, 0.1, 0.4), fix3(-0.4, 0, -0.5), fix3(0, 0.6, 0)};
    const iso_shape3_def shapes[] = {box3(0.5, 0.4, 0.3), iso_shape3_def_sphere(fix(0.5)),
                                     iso_shape3_def_capsule(fix3(-0.3, 0, 0), fix3(0.3, 0.2, 0), fix(0.3)),
                                     iso_shape3_def_hull(corners, 4)};
    for (int i = 0; i < 400; ++i) {
        iso_world *world = space_make();
        iso_body_id both[2];
        for (int n = 0; n < 2; ++n) {
            const vector at = sum((vector){{100, -50, 9000}}, 0.45 * n, rng_vector(&random, 1));
            both[n] = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(&random));
            shape3_add(world, both[n], &shapes[rng_below(&random, 4)]);
        }
        world_steps(world, 1);
        for (int n = 0; n < 2; ++n) {
            body3_set_velocity(world, both[n], rng_vector(&random, 5), rng_vector(&random, 9));
        }
        iso_contact3_manifold is;
        if (iso_world_get_contact3_manifold(world, 0, &is)) {
            const iso_body3_view a = view3(world, both[0]), b = view3(world, both[1]);
            for (uint8_t p = 0; p < is.point_count; ++p) {
                const vector at = vector_of(is.points[p].point);
                const vector va = sum(vector_of(a.velocity), 1,
                                      cross(vector_of(a.angular_velocity), sum(at, -1, vector_of(a.centre))));
                const vector vb = sum(vector_of(b.velocity), 1,
                                      cross(vector_of(b.angular_velocity), sum(at, -1, vector_of(b.centre))));
                EXPECT_NEAR(from_wide(is.points[p].approach_speed), dot(sum(va, -1, vb), unit_of(is.normal)), 1e-5,
                            "approach %d", i);
                ++seen;
            }
        }
        world_free(world);
    }
    assert_true(seen > 300);
}

/// A plane whose body is so far away that no anchor could say where its points are.
static void test_points_on_a_far_plane_are_where_they_are(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, -10 * ONE};
    iso_world *world = world_make(&def);
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ONE, 0}, 0), ball = iso_shape3_def_sphere(ONE);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(-9000, 0, 4000), iso_quat_identity()), &floor);
    add(world, &ball, 5000, 1, -3000);
    world_steps(world, 30);
    const iso_contact3_manifold is = manifold_of(world, 0);
    assert_int_equal(is.point_count, 1);
    EXPECT_NEAR(length(sum(vector_of(is.points[0].point), -1, (vector){{5000, 0, -3000}})), 0, 0.01, "the point");
    world_free(world);
}

/// Near when the step begins, metres apart when it ends.
static void test_what_has_come_apart_has_no_points(void **state) {
    (void)state;
    iso_world *world = falling_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE / 2);
    const iso_body_id body = add(world, &ball, 0, 0.505, 0);
    body3_set_velocity(world, body, (vector){{0, 390, 0}}, (vector){{0, 0, 0}});
    world_steps(world, 1);
    assert_true(from_wide(view3(world, body).centre.y) > 5);
    iso_contact3_view view;
    assert_true(iso_world_get_contact3(world, 0, &view) && view.point_count == 1); // of the step
    const iso_contact3_manifold is = manifold_of(world, 0);
    assert_int_equal(is.point_count, 0);
    assert_true(is.normal.x == 0 && is.normal.y == 0 && is.normal.z == 0 && !is.is_touching);
    world_free(world);
}

static void test_a_contact_that_is_only_near_does_not_touch(void **state) {
    (void)state;
    iso_world *world = falling_make();
    EXPECT_STATUS(iso_world_set_gravity3(world, (iso_vec3){0, 0, 0}), ISO_OK);
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE / 2);
    const iso_body_id body = add(world, &ball, 0, 0.512, 0);
    world_steps(world, 1);
    const iso_contact3_manifold is = manifold_of(world, 0);
    assert_true(!is.is_touching && is.point_count == 1 && is.points[0].normal_impulse == 0);
    EXPECT_NEAR(from_wide(is.points[0].separation), 0.012, 2 * QUANTUM_FIX16, "separation");
    iso_contact3_manifold none;
    iso_contact3_view view;
    assert_false(iso_world_get_contact3_manifold(world, 1, &none));
    assert_false(iso_world_get_contact3_manifold(world, UINT32_MAX, &none));
    assert_false(iso_world_get_contact3(world, 1, &view));
    assert_int_equal(iso_body_next_contact(world, body, 0), 0);
    assert_int_equal(iso_body_next_contact(world, body, 1), UINT32_MAX);
    assert_int_equal(iso_body_next_contact(world, (iso_body_id){body.index, body.generation + 2}, 0), UINT32_MAX);
    world_free(world);
}

/// A heap on ground of heights.
static iso_world *heap_make(void) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, -10 * ONE};
    iso_world *world = world_make(&def);
    int16_t samples[81];
    rng random = {9};
    for (int i = 0; i < 81; ++i) {
        samples[i] = (int16_t)rng_below(&random, 12);
    }
    uint32_t heights;
    const iso_heights_def ground = {.columns = 9, .rows = 9, .cell = ONE, .scale = ONE / 16, .samples = samples};
    EXPECT_STATUS(iso_world_add_heights(world, &ground, &heights), ISO_OK);
    const iso_shape3_def field = iso_shape3_def_heights(heights);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &field);
    const iso_vec3 corners[] = {fix3(0.5, 0, 0), fix3(-0.5, 0.1, 0.4), fix3(-0.4, 0, -0.5), fix3(0, 0.6, 0)};
    for (int i = 0; i < 30; ++i) {
        const iso_shape3_def shapes[] = {box3(0.6, 0.3, 0.4), iso_shape3_def_sphere(fix(0.4)),
                                         iso_shape3_def_hull(corners, 4)};
        add(world, &shapes[i % 3], rng_range(&random, -2, 2), 1 + 0.5 * i, rng_range(&random, -2, 2));
    }
    return world;
}

/// Reading changes no bit, and what is read follows from the state alone: also in a world that has no solids of hulls
/// yet.
static void test_reading_follows_from_the_state(void **state) {
    (void)state;
    iso_world *world = heap_make();
    world_steps(world, 150);
    iso_world *copy = world_make(iso_world_get_def(world));
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    const uint64_t root = iso_world_root(world);
    const uint32_t count = world_counts(world).contacts;
    uint32_t children = 0, pushing = 0;
    assert_true(count > 40);
    for (uint32_t i = 0; i < count; ++i) {
        iso_contact3_view view;
        iso_contact3_manifold is, other; // padding may differ
        memset(&is, 0, sizeof is);
        memset(&other, 0, sizeof other);
        assert_true(iso_world_get_contact3(world, i, &view));
        assert_true(iso_world_get_contact3_manifold(world, i, &is) && iso_world_get_contact3_manifold(copy, i, &other));
        assert_true(is.point_count == other.point_count && is.is_touching == other.is_touching);
        assert_memory_equal(&is.normal, &other.normal, sizeof is.normal);
        assert_memory_equal(is.points, other.points, sizeof is.points);
        children += view.child > 0;
        for (uint8_t p = 0; p < is.point_count; ++p) {
            pushing += is.points[p].normal_impulse > 0;
        }
    }
    assert_true(children > 0 && pushing > 40);
    assert_int_equal(iso_world_root(world), root);
    free(bytes);
    world_free(copy);
    world_free(world);
}

static void test_a_bodys_contacts_are_those_that_name_it(void **state) {
    (void)state;
    iso_world *world = heap_make();
    world_steps(world, 150);
    uint32_t found = 0;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        uint32_t next = iso_body_next_contact(world, b, 0);
        for (uint32_t i = 0; i < world_counts(world).contacts; ++i) {
            iso_contact3_view view;
            assert_true(iso_world_get_contact3(world, i, &view));
            if (iso_body_id_equal(view.body_a, b) || iso_body_id_equal(view.body_b, b)) {
                assert_int_equal(next, i);
                next = iso_body_next_contact(world, b, i + 1);
                ++found;
            }
        }
        assert_int_equal(next, UINT32_MAX);
    }
    assert_int_equal(found, 2 * world_counts(world).contacts);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_resting_box_is_carried_at_its_corners),
        cmocka_unit_test(test_approach_speed_is_that_of_the_place),
        cmocka_unit_test(test_points_on_a_far_plane_are_where_they_are),
        cmocka_unit_test(test_what_has_come_apart_has_no_points),
        cmocka_unit_test(test_a_contact_that_is_only_near_does_not_touch),
        cmocka_unit_test(test_reading_follows_from_the_state),
        cmocka_unit_test(test_a_bodys_contacts_are_those_that_name_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
