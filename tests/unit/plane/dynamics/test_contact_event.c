/// The impacts of contact events: where and how fast two shapes met, against closed forms.
#include "unit/world/physics_util.h"

static iso_events events_of(const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    return events;
}

/// Steps until a contact begins. @return its event; *before is the body's view before that step
static iso_contact_event step_to_impact(iso_world *world, iso_body_id body, iso_body_view *before) {
    for (int t = 0; t < 300; ++t) {
        EXPECT_STATUS(iso_body_get(world, body, before), ISO_OK);
        world_steps(world, 1);
        const iso_events events = events_of(world);
        if (events.contact_begin_count > 0) {
            assert_int_equal(events.contact_begin_count, 1);
            return events.contact_begins[0];
        }
    }
    fail_msg("no contact began");
    return (iso_contact_event){0};
}

static void test_ball_meets_the_floor(void **state) {
    (void)state;
    for (int bounces = 0; bounces < 2; ++bounces) {
        iso_world *world = world_make_small(-10);
        const iso_shape_def floor = shape_box(20, 1);
        iso_shape_def ball = shape_circle(0.5);
        ball.restitution = bounces * ONE;
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -2, 3, 0, &ball);
        body_set_velocity(world, body, 3, 0, 0);
        iso_body_view before;
        const iso_contact_event event = step_to_impact(world, body, &before);
        assert_int_equal(event.body_b.index, body.index);
        assert_int_equal(event.normal.x, 0);
        assert_int_equal(event.normal.y, ISO_ROTATION_ONE);
        assert_true(from_wide(before.velocity.y) < -5);
        EXPECT_NEAR(from_wide(event.approach_speed), -from_wide(before.velocity.y), 1e-6, "the approach speed");
        EXPECT_NEAR(from_wide(event.point.x), from_wide(before.centre.x), 1e-6, "x of the point");
        // Halfway between the floor and the lowest point of the ball.
        EXPECT_NEAR(from_wide(event.point.y), (from_wide(before.centre.y) - 0.5) / 2, 1e-6, "y of the point");
        world_free(world);
    }
}

static void test_turning_rod_meets_with_its_end(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5), rod = shape_capsule(-2, 0, 2, 0, 0.25);
    body_add_shape(world, ISO_BODY_STATIC, 1.75, 1.5, 0, &ball);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &rod);
    body_set_velocity(world, body, 0.25, 0.5, 1.5);
    iso_body_view before;
    const iso_contact_event event = step_to_impact(world, body, &before);
    const double nx = (double)event.normal.x / ISO_ROTATION_ONE, ny = (double)event.normal.y / ISO_ROTATION_ONE;
    const double rx = from_wide(event.point.x - before.centre.x), ry = from_wide(event.point.y - before.centre.y);
    const double w = from_wide(before.angular_velocity);
    const double vx = from_wide(before.velocity.x) - w * ry, vy = from_wide(before.velocity.y) + w * rx;
    assert_true(ny < -0.8); // from the ball, which is above, to the rod
    EXPECT_NEAR(from_wide(event.approach_speed), -(vx * nx + vy * ny), 1e-5, "the approach speed");
    assert_true(from_wide(event.approach_speed) > 2); // of the end, not of the centre
    world_free(world);
}

/// Without gravity nothing presses the shapes together after the impact.
static void test_kinematic_body_has_the_speed_of_its_way(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def plate = shape_box(2, 0.5), ball = shape_circle(0.5);
    const iso_body_id lift = body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 0, &plate);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1.25, 0, &ball);
    for (int t = 1; t < 60 && events_of(world).contact_begin_count == 0; ++t) {
        const iso_vec2_wide to = {0, t * ISO_WIDE_ONE / 20}; // 3 m/s at 60 Hz
        EXPECT_STATUS(iso_body_move_kinematic(world, lift, to, 0), ISO_OK);
        world_steps(world, 1);
    }
    const iso_events events = events_of(world);
    assert_int_equal(events.contact_begin_count, 1);
    EXPECT_NEAR(from_wide(events.contact_begins[0].approach_speed), 3, 1e-4, "the approach speed");
    assert_int_equal(events.contact_begins[0].body_b.index, body.index);
    world_free(world);
}

static void test_contact_that_ends_has_no_impact(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def floor = shape_box(20, 1), ball = shape_circle(0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &ball);
    world_steps(world, 10);
    body_set_velocity(world, body, 0, 9, 0);
    for (int t = 0; t < 10 && events_of(world).contact_end_count == 0; ++t) {
        world_steps(world, 1);
    }
    const iso_events events = events_of(world);
    assert_int_equal(events.contact_end_count, 1);
    const iso_contact_event *end = &events.contact_ends[0];
    assert_true(end->point.x == 0 && end->point.y == 0 && end->normal.x == 0 && end->normal.y == 0);
    assert_int_equal(end->approach_speed, 0);
    world_free(world);
}

// ---- what a game reads instead of events, as game.h says -------------------------------------------

typedef struct porter_state {
    uint32_t visitors, is_broken; // in the sensor; the joint
} porter_state;

static const iso_field porter_fields[] = {ISO_FIELD_OF(porter_state, visitors, "", U32),
                                          ISO_FIELD_OF(porter_state, is_broken, "", U32)};

static void porter_before_step(iso_world *world, void *state) {
    porter_state *porter = state;
    const iso_body_id gate = iso_body_next(world, 1);
    porter->visitors = 0;
    for (uint32_t c = iso_body_next_contact(world, gate, 0); c != UINT32_MAX;
         c = iso_body_next_contact(world, gate, c + 1)) {
        iso_contact_view contact;
        iso_contact_manifold manifold;
        if (iso_world_get_contact(world, c, &contact) && iso_world_get_contact_manifold(world, c, &manifold) &&
            manifold.is_touching) {
            const iso_body_id visitor = iso_body_id_equal(contact.body_a, gate) ? contact.body_b : contact.body_a;
            porter->visitors += iso_body_is_valid(world, visitor);
        }
    }
    iso_joint_def joint;
    porter->is_broken = iso_joint_get(world, iso_joint_next(world, 0), &joint) != ISO_OK || !joint.enabled;
}

/// A box falls into a sensor, out of the reach of a joint that is too weak for it, and falls asleep there.
static void test_a_game_polls_sensors_and_breaks(void **state) {
    (void)state;
    const iso_game game = {.name = "porter",
                           .version = 1,
                           .state_size = sizeof(porter_state),
                           .fields = porter_fields,
                           .field_count = 2,
                           .before_step = porter_before_step};
    iso_world_def def = world_def_small(-10);
    strcpy(def.game, "porter");
    def.sleep_speed = fix(0.05);
    const size_t size = iso_world_size(&def, &game);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &game, aligned_alloc(64, size), size, &world), ISO_OK);
    const iso_shape_def floor = shape_box(20, 1), box = shape_box(0.5, 0.5);
    iso_shape_def sensor = shape_box(3, 1);
    sensor.is_sensor = true;
    const iso_body_id ground = body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    body_add_shape(world, ISO_BODY_STATIC, 0, 0.5, 0, &sensor);
    const iso_body_id visitor = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 3, 0, &box);
    iso_distance_joint_def thread = iso_distance_joint_def_default();
    thread.body_a = ground;
    thread.body_b = visitor;
    thread.rest = fix(4);
    thread.break_force = wide(1);
    iso_joint_id joint;
    EXPECT_STATUS(iso_distance_joint_create(world, &thread, &joint), ISO_OK);
    iso_world_start(world);
    world_steps(world, 1);
    const porter_state *porter = iso_world_get_game_state(world);
    assert_true(porter->visitors == 0 && porter->is_broken == 0);
    assert_int_equal(events_of(world).joint_break_count, 1);
    world_steps(world, 1);
    assert_true(porter->visitors == 0 && porter->is_broken == 1);
    world_steps(world, 180);
    assert_false(iso_body_is_awake(world, visitor));
    assert_int_equal(porter->visitors, 1);
    EXPECT_STATUS(iso_body_destroy(world, visitor), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(porter->visitors, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_meets_the_floor),
        cmocka_unit_test(test_turning_rod_meets_with_its_end),
        cmocka_unit_test(test_kinematic_body_has_the_speed_of_its_way),
        cmocka_unit_test(test_contact_that_ends_has_no_impact),
        cmocka_unit_test(test_a_game_polls_sensors_and_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
