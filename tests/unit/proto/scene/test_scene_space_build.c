/// Building worlds in space: the built-in scenes, and what the world refuses.
#include "test_scene_built.h"

static iso_body3_view view_of(const iso_world *world, uint32_t index) {
    iso_body3_view view;
    assert_int_equal(iso_body3_get(world, iso_body_next(world, index), &view), ISO_OK);
    return view;
}

static void expect_near(iso_wide value, iso_wide expected, iso_wide within, const char *what) {
    if (value < expected - within || value > expected + within) {
        fail_msg("%s: %lld, expected %lld", what, (long long)value, (long long)expected);
    }
}

/// Each body is where the scene says, has its shapes and moves as it says.
static void expect_as_written(const built *b) {
    iso_world_counts counts;
    iso_world_get_counts(b->world, &counts);
    assert_int_equal(iso_world_get_def(b->world)->dimensions, 3);
    assert_int_equal(counts.bodies, b->scene->body_count);
    assert_int_equal(counts.shapes, b->scene->shape_total);
    for (uint32_t i = 0; i < b->scene->body_count; ++i) {
        const iso_scene_body3 *body = &b->scene->bodies3[i];
        const iso_body3_view view = view_of(b->world, i);
        const char *name = iso_scene_body_name(b->scene, i);
        const iso_wide quantum = ISO_WIDE_ONE / 4096;
        assert_int_equal(view.type, body->def.type);
        expect_near(view.position.x, body->def.position.x, 16, name);
        expect_near(view.position.y, body->def.position.y, 16, name);
        expect_near(view.position.z, body->def.position.z, 16, name);
        assert_true(iso_quat_angle(view.rotation, body->def.rotation) < ISO_WIDE_ONE >> 24);
        expect_near(view.angular_velocity.x, body->def.angular_velocity.x, quantum, name);
        expect_near(view.angular_velocity.y, body->def.angular_velocity.y, quantum, name);
        expect_near(view.angular_velocity.z, body->def.angular_velocity.z, quantum, name);
    }
}

/// The T-handle's and the box's middle axis is y, the top's two larger moments and the cube's three are equal.
static void test_gyro_has_six_tops(void **state) {
    (void)state;
    static const char *const names[] = {"handle", "box", "top", "rod", "cube", "hammer"};
    built b = build_builtin("gyro");
    assert_int_equal(b.scene->body_count, 6);
    expect_as_written(&b);
    for (uint32_t i = 0; i < 6; ++i) {
        const iso_body3_view view = view_of(b.world, i);
        assert_string_equal(iso_scene_body_name(b.scene, i), names[i]);
        assert_true(view.mass > 0);
        assert_true(view.moments[0] > 0 && view.moments[0] <= view.moments[1] && view.moments[1] <= view.moments[2]);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        const iso_body3_view view = view_of(b.world, i);
        const iso_vec3_wide middle = {view.angular_velocity.x, view.angular_velocity.y, view.angular_velocity.z};
        // Momentum over velocity along y.
        expect_near(iso_wide_div(view.angular_momentum.y, middle.y), view.moments[1], view.moments[1] / 1000, names[i]);
        assert_true(view.moments[0] < view.moments[1] && view.moments[1] < view.moments[2]);
    }
    const iso_body3_view rod = view_of(b.world, 3), cube = view_of(b.world, 4);
    expect_near(rod.moments[1] / 20, rod.moments[0], rod.moments[0] / 100, "rod");
    expect_near(cube.moments[0], cube.moments[2], cube.moments[0] / 100000, "cube");
    built_free(&b);
}

/// Ten seconds of it: nobody touches the momentum, and the handle turns over.
static void test_gyro_keeps_its_momentum(void **state) {
    (void)state;
    built b = build_builtin("gyro");
    iso_body3_view before[6];
    for (uint32_t i = 0; i < 6; ++i) {
        before[i] = view_of(b.world, i);
    }
    bool has_turned_over = false;
    for (int tick = 0; tick < 600; ++tick) {
        assert_int_equal(iso_world_step_empty(b.world), ISO_OK);
        const iso_vec3_wide up = {0, ISO_WIDE_ONE, 0};
        has_turned_over =
            has_turned_over || iso_quat_rotate(view_of(b.world, 0).rotation, up).y < -ISO_WIDE_ONE * 9 / 10;
    }
    assert_true(has_turned_over);
    for (uint32_t i = 0; i < 6; ++i) {
        const iso_body3_view after = view_of(b.world, i);
        assert_memory_equal(&after.angular_momentum, &before[i].angular_momentum, sizeof after.angular_momentum);
        expect_near(after.centre.x, before[i].centre.x, 16, "gyro");
    }
    built_free(&b);
}

static void test_falling3_falls_apart_from_all_else(void **state) {
    (void)state;
    built b = build_builtin("falling3");
    assert_int_equal(b.scene->body_count, 4 * 16 + 27);
    expect_as_written(&b);
    iso_wide heights[91];
    for (uint32_t i = 0; i < b.scene->body_count; ++i) {
        heights[i] = view_of(b.world, i).centre.y;
    }
    for (int tick = 0; tick < 60; ++tick) {
        assert_int_equal(iso_world_step_empty(b.world), ISO_OK);
    }
    iso_world_counts counts;
    iso_world_get_counts(b.world, &counts);
    assert_int_equal(counts.contacts, 0);
    // g t^2 / 2 and half a substep's fall more, g t h / 2.
    const iso_wide fall = iso_wide_from_fix16(642908) / 2 + iso_wide_from_fix16(642908) / 480;
    for (uint32_t i = 0; i < b.scene->body_count; ++i) {
        expect_near(heights[i] - view_of(b.world, i).centre.y, fall, ISO_WIDE_ONE / 1000, "falling3");
    }
    built_free(&b);
}

static void test_own_mass_and_moments_reach_the_world(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"mass\": 20, \"moments\": "
        "[0.5, 1, 1.25], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.5}]}, {\"name\": \"floor\", \"type\": "
        "\"static\", \"shapes\": [{\"kind\": \"plane\", \"normal\": [0, 1, 0]}]}]}";
    built b = build_text(text, sizeof text - 1);
    const iso_body3_view view = view_of(b.world, 0);
    expect_near(view.mass, 20 * ISO_WIDE_ONE, 0, "mass");
    expect_near(view.moments[0], ISO_WIDE_ONE / 2, ISO_WIDE_ONE >> 20, "least moment");
    expect_near(view.moments[2], ISO_WIDE_ONE * 5 / 4, ISO_WIDE_ONE >> 20, "largest moment");
    assert_int_equal(view_of(b.world, 1).type, ISO_BODY_STATIC);
    built_free(&b);
}

static void test_space_build_names_the_body_that_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *bodies, *path, *value, *expected;
    } cases[] = {
        {"{\"name\": \"light\"}, {\"generator\": \"row\", \"name\": \"heavy\", \"count\": 2, \"step\": [9, 0, 0], "
         "\"body\": {\"shapes\": [{\"kind\": \"box\", \"half_extents\": [20, 20, 20]}]}}",
         "/bodies/1", "heavy[0]", "shapes with a mass from 2^-16 to 2^17 kg that are not too thin"},
        {"{\"name\": \"fast\", \"angular_velocity\": [0, 300, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": "
         "0.5}]}",
         "/bodies/0", "fast", "an angular velocity of at most pi/4 per substep"},
        {"{\"name\": \"wide\", \"angular_velocity\": [0, 200, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 3}]}",
         "/bodies/0", "wide", "an angular velocity of at most pi/4 per substep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1000];
        const int size =
            snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [%s]}",
                     cases[i].bodies);
        iso_scene_error error = {.line = 0};
        built b;
        assert_int_equal(try_build(text, (size_t)size, &b, &error), ISO_ERR_SCENE_INVALID);
        assert_string_equal(error.path, cases[i].path);
        assert_string_equal(error.value, cases[i].value);
        assert_memory_equal(error.expected, cases[i].expected, strlen(cases[i].expected));
        assert_null(b.memory);
        iso_scene_free(b.scene);
    }
}

/// A world of the plane does not take a scene of space, nor the other way round.
static void test_a_world_takes_only_scenes_of_its_dimensions(void **state) {
    (void)state;
    static const char plane[] = "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\"}]}";
    built b = build_text(plane, sizeof plane - 1), other = build_builtin("gyro");
    assert_int_equal(iso_scene_build(other.scene, b.world, NULL), ISO_ERR_DIMENSION);
    assert_int_equal(iso_scene_build(b.scene, other.world, NULL), ISO_ERR_DIMENSION);
    built_free(&b);
    built_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gyro_has_six_tops),
        cmocka_unit_test(test_gyro_keeps_its_momentum),
        cmocka_unit_test(test_falling3_falls_apart_from_all_else),
        cmocka_unit_test(test_own_mass_and_moments_reach_the_world),
        cmocka_unit_test(test_space_build_names_the_body_that_is_refused),
        cmocka_unit_test(test_a_world_takes_only_scenes_of_its_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
