/// The impacts of contact events in space: where and how fast two shapes met, against closed forms; when pairs begin
/// and end.
#include "unit/space/world/space_util.h"

static iso_events events_of(const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    return events;
}

static vector unit_of(iso_unit3 n) {
    return (vector){{n.x * QUANTUM_UNIT, n.y * QUANTUM_UNIT, n.z * QUANTUM_UNIT}};
}

static iso_world *falling_make(void) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, -10 * ONE};
    return world_make(&def);
}

static iso_body_id floor_add(iso_world *world) {
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ONE, 0}, 0);
    const iso_body_id body = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    shape3_add(world, body, &floor);
    return body;
}

static iso_body_id ball_add(iso_world *world, vector at, double radius, double restitution) {
    iso_shape3_def ball = iso_shape3_def_sphere(fix(radius));
    ball.restitution = fix(restitution);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), iso_quat_identity());
    shape3_add(world, body, &ball);
    return body;
}

/// Steps until a contact begins. @return its event; *before is the body's view before that step
static iso_contact_event step_to_begin(iso_world *world, iso_body_id body, iso_body3_view *before) {
    for (int t = 0; t < 300; ++t) {
        *before = view3(world, body);
        world_steps(world, 1);
        if (events_of(world).contact_begin_count > 0) {
            assert_int_equal(events_of(world).contact_begin_count, 1);
            return events_of(world).contact_begins[0];
        }
    }
    fail_msg("no contact began");
    return (iso_contact_event){0};
}

/// From every height, with and without a bounce, so that some meet the floor as the step begins and some within it.
static void test_a_ball_meets_the_floor_with_its_speed(void **state) {
    (void)state;
    for (int i = 0; i < 40; ++i) {
        iso_world *world = falling_make();
        floor_add(world);
        const iso_body_id body = ball_add(world, (vector){{2, 0.6 + 0.05 * i, -1}}, 0.5, i % 2);
        body3_set_velocity(world, body, (vector){{3, 0, 1}}, (vector){{0, 2, 0}});
        iso_body3_view before;
        const iso_contact_event event = step_to_begin(world, body, &before);
        assert_int_equal(event.body_b.index, body.index);
        assert_true(event.normal3.x == 0 && event.normal3.y == ISO_ROTATION_ONE && event.normal3.z == 0);
        assert_true(event.normal.x == 0 && event.normal.y == 0 && event.point.x == 0 && event.point.y == 0);
        assert_true(from_wide(before.velocity.y) < -1);
        EXPECT_NEAR(from_wide(event.approach_speed), -from_wide(before.velocity.y), 1e-6, "%d: the approach speed", i);
        EXPECT_NEAR(from_wide(event.point3.x), from_wide(before.centre.x), 1e-6, "%d: x", i);
        EXPECT_NEAR(from_wide(event.point3.z), from_wide(before.centre.z), 1e-6, "%d: z", i);
        EXPECT_NEAR(from_wide(event.point3.y), (from_wide(before.centre.y) - 0.5) / 2, 1e-6, "%d: y", i);
        world_free(world);
    }
}

/// Of a box that turns, the corner that comes down fastest counts: v + w x r there.
static void test_a_turning_box_meets_with_its_fastest_corner(void **state) {
    (void)state;
    iso_world *world = falling_make();
    floor_add(world);
    const iso_shape3_def box = box3(1, 0.25, 0.5);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 1.5, 0), iso_quat_identity());
    shape3_add(world, body, &box);
    body3_set_velocity(world, body, (vector){{0.25, -2, 0}}, (vector){{0.3, 0, -1.5}});
    iso_body3_view before;
    const iso_contact_event event = step_to_begin(world, body, &before);
    const vector arm = sum(vector_of(event.point3), -1, vector_of(before.centre));
    const vector speed = sum(vector_of(before.velocity), 1, cross(vector_of(before.angular_velocity), arm));
    EXPECT_NEAR(from_wide(event.approach_speed), -dot(speed, unit_of(event.normal3)), 1e-5, "the approach speed");
    assert_true(from_wide(event.approach_speed) > 1 - from_wide(before.velocity.y)); // of the end, not of the centre
    world_free(world);
}

/// A ball that is hit has no impulse left at the end of the tick: the pair began and ended. Where the balls still
/// overlap it begins once more, at the speed that is left.
static void test_a_hit_within_a_step_begins_and_ends_in_it(void **state) {
    (void)state;
    uint32_t within = 0;
    for (int i = 0; i < 60; ++i) {
        iso_world *world = space_make();
        const double gap = 0.001 + 0.018 * i / 60;
        const iso_body_id target = ball_add(world, (vector){{0, 0, 0}}, 0.5, 0);
        const iso_body_id bullet = ball_add(world, (vector){{-1 - gap, 0, 0}}, 0.5, i % 2);
        body3_set_velocity(world, bullet, (vector){{2, 0, 0}}, (vector){{0, 0, 0}});
        uint32_t begins = 0, ends = 0;
        for (int t = 0; t < 30; ++t) {
            world_steps(world, 1);
            const iso_events events = events_of(world);
            begins += events.contact_begin_count;
            ends += events.contact_end_count;
            within += events.contact_begin_count > 0 && events.contact_end_count > 0;
            if (events.contact_begin_count > 0) {
                const double speed = begins == 1 ? 2 : 0;
                EXPECT_NEAR(from_wide(events.contact_begins[0].approach_speed), speed, 0.05, "gap %.4f", gap);
                EXPECT_NEAR(fabs(unit_of(events.contact_begins[0].normal3).x[0]), 1, 1e-6, "gap %.4f: normal", gap);
            }
            assert_true(ends <= begins);
        }
        assert_true(from_wide(view3(world, target).velocity.x) > 0.9);
        EXPECT(begins == 1 || (begins == 2 && i % 2 == 0), "gap %.4f: %u begins", gap, begins);
        world_free(world);
    }
    print_message("%u of 60 within a step\n", within);
    assert_true(within > 5);
}

/// What rests begins once, and ends once when it is taken away; the end has no impact.
static void test_what_rests_does_not_flicker(void **state) {
    (void)state;
    iso_world *world = falling_make();
    floor_add(world);
    const iso_shape3_def box = box3(0.5, 0.5, 0.5);
    iso_body_id bodies[5];
    for (int i = 0; i < 5; ++i) {
        bodies[i] = body3_add(world, ISO_BODY_DYNAMIC, wide3(0.05 * i, 0.51 + 1.02 * i, 0), iso_quat_identity());
        shape3_add(world, bodies[i], &box);
    }
    uint32_t begins = 0, ends = 0;
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        begins += events_of(world).contact_begin_count;
        ends += events_of(world).contact_end_count;
    }
    assert_int_equal(begins, 5);
    assert_int_equal(ends, 0);
    body3_set_velocity(world, bodies[4], (vector){{0, 9, 0}}, (vector){{0, 0, 0}});
    for (int t = 0; t < 10 && events_of(world).contact_end_count == 0; ++t) {
        world_steps(world, 1);
    }
    assert_int_equal(events_of(world).contact_end_count, 1);
    const iso_contact_event end = events_of(world).contact_ends[0];
    assert_int_equal(end.body_b.index, bodies[4].index);
    assert_true(end.approach_speed == 0 && end.point3.y == 0 && end.normal3.y == 0);
    world_free(world);
}

/// Several contacts with a field of heights are one pair.
static void test_a_pair_with_heights_begins_and_ends_once(void **state) {
    (void)state;
    iso_world *world = falling_make();
    int16_t samples[25];
    for (int i = 0; i < 25; ++i) {
        samples[i] = (int16_t)(i % 5 == 2 ? 0 : 16); // a groove along z
    }
    uint32_t heights;
    const iso_heights_def ground = {.columns = 5, .rows = 5, .cell = ONE, .scale = ONE / 16, .samples = samples};
    EXPECT_STATUS(iso_world_add_heights(world, &ground, &heights), ISO_OK);
    const iso_shape3_def field = iso_shape3_def_heights(heights);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &field);
    const iso_body_id body = ball_add(world, (vector){{0, 1.5, 0}}, 0.5, 0);
    iso_body3_view before;
    const iso_contact_event event = step_to_begin(world, body, &before);
    const vector arm = sum(vector_of(event.point3), -1, vector_of(before.centre));
    EXPECT_NEAR(length(arm), 0.5, 0.05, "the point is on the ball");
    EXPECT_NEAR(from_wide(event.approach_speed), -dot(vector_of(before.velocity), unit_of(event.normal3)), 1e-5,
                "along a slope");
    uint32_t begins = 0, ends = 0, most = 0;
    for (int t = 0; t < 120; ++t) {
        world_steps(world, 1);
        begins += events_of(world).contact_begin_count;
        ends += events_of(world).contact_end_count;
        most = world_counts(world).contacts > most ? world_counts(world).contacts : most;
    }
    assert_true(most > 1 && begins == ends);
    EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    assert_int_equal(events_of(world).contact_end_count, 1);
    world_free(world);
}

/// Whether a pair touched follows from the state: a world that is decoded tells the same.
static void test_events_are_the_same_after_a_decode(void **state) {
    (void)state;
    iso_world *world = falling_make(), *other = falling_make();
    floor_add(world);
    rng random = {5};
    for (int i = 0; i < 30; ++i) {
        const vector at = {{rng_range(&random, -2, 2), 0.6 + i, rng_range(&random, -2, 2)}};
        ball_add(world, at, rng_range(&random, 0.3, 0.5), i % 3 == 0 ? 0.8 : 0);
    }
    uint32_t told = 0;
    for (int t = 0; t < 300; ++t) {
        const size_t size = iso_snapshot_size(world);
        uint8_t *bytes = malloc(size);
        assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
        EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
        free(bytes);
        world_steps(world, 1);
        world_steps(other, 1);
        const iso_events a = events_of(world), b = events_of(other);
        assert_int_equal(a.contact_begin_count, b.contact_begin_count);
        assert_int_equal(a.contact_end_count, b.contact_end_count);
        for (uint32_t i = 0; i < a.contact_begin_count; ++i) {
            assert_true(a.contact_begins[i].approach_speed == b.contact_begins[i].approach_speed);
            assert_true(a.contact_begins[i].shape_b.index == b.contact_begins[i].shape_b.index);
        }
        told += a.contact_begin_count + a.contact_end_count;
    }
    assert_true(told > 60);
    world_free(other);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_meets_the_floor_with_its_speed),
        cmocka_unit_test(test_a_turning_box_meets_with_its_fastest_corner),
        cmocka_unit_test(test_a_hit_within_a_step_begins_and_ends_in_it),
        cmocka_unit_test(test_what_rests_does_not_flicker),
        cmocka_unit_test(test_a_pair_with_heights_begins_and_ends_once),
        cmocka_unit_test(test_events_are_the_same_after_a_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
