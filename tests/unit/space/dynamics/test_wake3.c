/// Who sleeps and who wakes in space, and what contacts tell when they end.
#include "unit/space/world/space_util.h"

#define FALLING_TICKS 240u

static iso_world_def sleeping_def(void) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    def.sleep_speed = fix(0.05);
    return def;
}

static iso_body_id box_at(iso_world *world, iso_body_type type, double x, double y, double z) {
    const iso_shape3_def box = box3(0.5, 0.5, 0.5);
    const iso_body_id body = body3_add(world, type, wide3(x, y, z), iso_quat_identity());
    shape3_add(world, body, &box);
    return body;
}

/// A box that sleeps on the static box `floor`.
static iso_world *world_of_sleeper(iso_body_id *floor, iso_body_id *sleeper) {
    const iso_world_def def = sleeping_def();
    iso_world *world = world_make(&def);
    *floor = box_at(world, ISO_BODY_STATIC, 0, 0, 0);
    *sleeper = box_at(world, ISO_BODY_DYNAMIC, 0, 1, 0);
    world_steps(world, FALLING_TICKS);
    assert_false(iso_body_is_awake(world, *sleeper));
    return world;
}

static double height_of(const iso_world *world, iso_body_id body) {
    return from_wide(view3(world, body).centre.y);
}

// ---- static bodies that change -------------------------------------------------------------------

static void test_a_floor_that_is_moved_away_lets_fall_what_slept_on_it(void **state) {
    (void)state;
    iso_body_id floor, sleeper;
    iso_world *world = world_of_sleeper(&floor, &sleeper);
    EXPECT_STATUS(iso_body3_set_position(world, floor, wide3(50, 0, 0), iso_quat_identity()), ISO_OK);
    world_steps(world, 60);
    EXPECT(height_of(world, sleeper) < -3, "it fell to %g m", height_of(world, sleeper));
    world_free(world);
}

static void test_a_static_body_that_is_moved_into_a_sleeper_pushes_it_out(void **state) {
    (void)state;
    iso_body_id floor, sleeper;
    iso_world *world = world_of_sleeper(&floor, &sleeper);
    const iso_body_id far = box_at(world, ISO_BODY_STATIC, 40, 1, 0);
    world_steps(world, 1);
    assert_false(iso_body_is_awake(world, sleeper));
    EXPECT_STATUS(iso_body3_set_position(world, far, wide3(0.8, 1, 0), iso_quat_identity()), ISO_OK);
    world_steps(world, 60);
    EXPECT(from_wide(view3(world, sleeper).centre.x) < -0.1, "x %g m", from_wide(view3(world, sleeper).centre.x));
    world_free(world);
}

static void test_a_static_shape_that_is_made_in_a_sleeper_pushes_it_out(void **state) {
    (void)state;
    iso_body_id floor, sleeper;
    iso_world *world = world_of_sleeper(&floor, &sleeper);
    box_at(world, ISO_BODY_STATIC, 0.8, 1, 0);
    world_steps(world, 60);
    EXPECT(from_wide(view3(world, sleeper).centre.x) < -0.1, "x %g m", from_wide(view3(world, sleeper).centre.x));
    world_free(world);
}

static void test_a_plane_that_is_made_wakes_whoever_is_there(void **state) {
    (void)state;
    iso_body_id floor, sleeper;
    iso_world *world = world_of_sleeper(&floor, &sleeper);
    const iso_body_id body = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    const iso_shape3_def plane = iso_shape3_def_plane(fix3(0, 1, 0), fix(0.7));
    shape3_add(world, body, &plane);
    world_steps(world, 120);
    EXPECT(height_of(world, sleeper) > 1.15, "it was lifted to %g m", height_of(world, sleeper));
    world_free(world);
}

// ---- joints --------------------------------------------------------------------------------------

static iso_joint_id join(iso_world *world, iso_body_id a, iso_body_id b, bool removes) {
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    iso_joint_id joint = {0, 0};
    def.body_a = a;
    def.body_b = b;
    def.axes[0].rest = fix(1);
    def.remove_on_break = removes;
    def.break_force = wide(1);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_OK);
    return joint;
}

static void test_a_joint_that_breaks_and_goes_lets_its_bodies_sleep(void **state) {
    (void)state;
    const iso_world_def def = sleeping_def();
    iso_world *world = world_make(&def);
    box_at(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id body = box_at(world, ISO_BODY_DYNAMIC, 0, 1, 0);
    // It hangs from above by a joint that bears less than its weight.
    const iso_body_id above = box_at(world, ISO_BODY_STATIC, 0, 2.3, 0);
    const iso_joint_id joint = join(world, above, body, true);
    world_steps(world, FALLING_TICKS);
    assert_false(iso_joint_is_valid(world, joint));
    assert_false(iso_body_is_awake(world, body));
    world_free(world);
}

static void test_waking_goes_through_joints(void **state) {
    (void)state;
    const iso_world_def def = sleeping_def();
    iso_world *world = world_make(&def);
    iso_body_id bodies[3];
    for (int i = 0; i < 3; ++i) {
        box_at(world, ISO_BODY_STATIC, 3.0 * i, 0, 0);
        bodies[i] = box_at(world, ISO_BODY_DYNAMIC, 3.0 * i, 1, 0);
    }
    world_steps(world, FALLING_TICKS);
    for (int i = 0; i < 3; ++i) {
        assert_false(iso_body_is_awake(world, bodies[i]));
    }
    iso_joint3_def rod = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    iso_joint_id joint = {0, 0};
    rod.body_a = bodies[0];
    rod.body_b = bodies[1];
    rod.axes[0].rest = fix(3);
    EXPECT_STATUS(iso_joint3_create(world, &rod, &joint), ISO_OK);
    world_steps(world, 1);
    assert_true(iso_body_is_awake(world, bodies[0]) && iso_body_is_awake(world, bodies[1]));
    assert_false(iso_body_is_awake(world, bodies[2]));
    world_free(world);
}

// ---- the border of the world ---------------------------------------------------------------------

static void test_a_body_at_the_border_is_told_once_and_sleeps(void **state) {
    (void)state;
    iso_world_def def = sleeping_def();
    def.gravity = (iso_vec2){0, 0};
    iso_world *world = world_make(&def);
    const iso_body_id body = box_at(world, ISO_BODY_DYNAMIC, 29999, 0, 0);
    body3_set_velocity(world, body, (vector){{300, 1, 0}}, (vector){{0, 0, 0}});
    uint32_t told = 0;
    for (int tick = 0; tick < 5; ++tick) {
        iso_events events;
        world_steps(world, 1);
        iso_world_get_events(world, &events);
        told += events.left_world_count;
    }
    assert_int_equal(told, 1);
    assert_false(iso_body_is_awake(world, body));
    world_free(world);
}

// ---- contacts that end ---------------------------------------------------------------------------

static void test_a_contact_of_a_body_that_is_destroyed_ends(void **state) {
    (void)state;
    iso_body_id floor, sleeper;
    iso_world *world = world_of_sleeper(&floor, &sleeper);
    EXPECT_STATUS(iso_body_destroy(world, sleeper), ISO_OK);
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.contact_end_count, 1);
    assert_true(iso_body_id_equal(events.contact_ends[0].body_a, floor));
    assert_true(iso_body_id_equal(events.contact_ends[0].body_b, sleeper));
    world_free(world);
}

static void test_contacts_beyond_the_room_are_counted_and_not_begun(void **state) {
    (void)state;
    iso_world_def def = sleeping_def();
    def.contact_capacity = 2;
    iso_world *world = world_make(&def);
    for (int i = 0; i < 4; ++i) {
        box_at(world, ISO_BODY_STATIC, 3.0 * i, 0, 0);
        box_at(world, ISO_BODY_DYNAMIC, 3.0 * i, 0.999, 0);
    }
    uint32_t begun = 0;
    for (int tick = 0; tick < 10; ++tick) {
        iso_events events;
        world_steps(world, 1);
        iso_world_get_events(world, &events);
        begun += events.contact_begin_count;
    }
    assert_int_equal(begun, 2);
    assert_int_equal(world_counts(world).dropped_contacts, 2 * 10);
    world_free(world);
}

// ---- what a kinematic body drives ----------------------------------------------------------------

static void test_a_turntable_takes_along_what_stands_on_its_middle(void **state) {
    (void)state;
    const iso_world_def def = sleeping_def();
    iso_world *world = world_make(&def);
    const iso_body_id table = body3_add(world, ISO_BODY_KINEMATIC, wide3(0, 0, 0), iso_quat_identity());
    const iso_shape3_def disc = box3(2, 0.5, 2);
    shape3_add(world, table, &disc);
    body3_set_velocity(world, table, (vector){{0, 0, 0}}, (vector){{0, 1, 0}});
    const iso_body_id box = box_at(world, ISO_BODY_DYNAMIC, 0, 1, 0);
    world_steps(world, FALLING_TICKS);
    EXPECT_NEAR(from_wide(view3(world, box).angular_velocity.y), 1, 0.01, "it turns with the table");
    assert_true(iso_body_is_awake(world, box));
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_floor_that_is_moved_away_lets_fall_what_slept_on_it),
        cmocka_unit_test(test_a_static_body_that_is_moved_into_a_sleeper_pushes_it_out),
        cmocka_unit_test(test_a_static_shape_that_is_made_in_a_sleeper_pushes_it_out),
        cmocka_unit_test(test_a_plane_that_is_made_wakes_whoever_is_there),
        cmocka_unit_test(test_a_joint_that_breaks_and_goes_lets_its_bodies_sleep),
        cmocka_unit_test(test_waking_goes_through_joints),
        cmocka_unit_test(test_a_body_at_the_border_is_told_once_and_sleeps),
        cmocka_unit_test(test_a_contact_of_a_body_that_is_destroyed_ends),
        cmocka_unit_test(test_contacts_beyond_the_room_are_counted_and_not_begun),
        cmocka_unit_test(test_a_turntable_takes_along_what_stands_on_its_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
