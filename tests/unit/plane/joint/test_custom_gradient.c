/// Rows whose gradient is small: what they hold, which are counted, which are refused when they are loaded.
#include "test_custom_util.h"

#include "math/wide128.h"

/// A world of a wall at (0, 0) and a box of 1 kg at (x, 0) on a joint, which `form` says after "kind".
static iso_status row_parse(const char *constraint, double x, const char *joint, iso_scene **scene,
                            iso_scene_error *error) {
    static const char form[] =
        "{'format': 1, 'name': 'row', 'capacities': {'bodies': 2, 'shapes': 1, 'joints': 1, 'contacts': 1, 'slots': 1,"
        " 'programs': 1, 'custom_joints': 1}, 'game': {'name': 'user'}, 'constraints': {'row': '%s'},"
        " 'world': {'sleep_speed': 0}, 'bodies': [{'name': 'a', 'type': 'static'},"
        " {'name': 'b', 'position': [%.10g, 0], 'shapes': [{'kind': 'box', 'half_width': 0.5, 'half_height': 0.5}]}],"
        " 'joints': [{%s}]}";
    char text[4096];
    const int size = snprintf(text, sizeof text, form, constraint, x, joint);
    for (int i = 0; i < size; ++i) {
        text[i] = text[i] == '\'' ? '"' : text[i];
    }
    return iso_scene_parse(text, (size_t)size, user_games, 1, scene, error);
}

static iso_world *row_make(const char *constraint, double x, const char *joint) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene = NULL;
    iso_scene_error error;
    void *memory = NULL;
    iso_world *world = NULL;
    if (row_parse(constraint, x, joint, &scene, &error) != ISO_OK ||
        iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error) != ISO_OK) {
        char line[600];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s", line);
    }
    iso_scene_free(scene);
    return world;
}

static uint64_t clamped_rows(const iso_world *world) {
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    return counts.clamped_rows;
}

#define BEARING   "body a, b vector axis constraint unit (b.position - a.position) cross axis"
#define ON_A_ROW  "'kind': 'symbolic', 'constraint': 'row', 'bodies': {'a': 'a', 'b': 'b'}"
#define BY_A_LINE ON_A_ROW ", 'vectors': {'axis': [1, 0]}"

/// The bearing of b from a is y / |d|, a gradient of 1 / |d|: K is 2^-10 at 32 m, 2^-20 at 1,024 m.
static void test_a_bearing_holds_at_any_distance_up_to_a_kilometre(void **unused) {
    (void)unused;
    const double distances[] = {1, 10, 31, 33, 60, 200, 1000};
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; ++i) {
        iso_world *world = row_make(BEARING, distances[i], BY_A_LINE);
        swing_run(world, 120);
        const double y = to_double(iso__plane_of(world)->bodies[1].position[1]);
        iso_vec2_wide force;
        assert_int_equal(iso_joint_get_force(world, swing_joint(world, 0), &force), ISO_OK);
        const double weight = 10 * to_double(iso__plane_of(world)->body_derived[1].mass);
        print_message("%g m: %g m low, %g N of %g N\n", distances[i], -y, to_double(force.y), weight);
        assert_true(fabs(y) < 1e-2);
        assert_true(fabs(to_double(force.y) / weight - 1) < 0.001);
        assert_int_equal(clamped_rows(world), 0);
        free(world);
    }
}

/// Beyond, a row rests, and the world says so.
static void test_a_row_that_rests_is_counted(void **unused) {
    (void)unused;
    iso_world *world = row_make(BEARING, 1100, BY_A_LINE);
    swing_run(world, 60);
    assert_true(to_double(iso__plane_of(world)->bodies[1].position[1]) < -4);
    assert_true(clamped_rows(world) >= 60);
    free(world);
}

/// What is left of a spin of 5 rad/s when ratio * angle is held at 0, after a quarter of a second.
static double spin_left(const char *joint) {
    iso_world *world = row_make(BEARING, 3, joint);
    assert_int_equal(iso_body_set_velocity(world, iso_body_next(world, 1), (iso_vec2_wide){0, 0}, 5 * ISO_WIDE_ONE),
                     ISO_OK);
    swing_run(world, 15);
    const double angle = to_double(iso_radians_from_turns(iso__plane_of(world)->bodies[1].angle));
    assert_int_equal(clamped_rows(world), 0);
    free(world);
    return angle;
}

static void test_small_ratios_hold_as_the_native_kind_does(void **unused) {
    (void)unused;
    const char *const ratios[] = {"1", "0.02", "0.015625"};
    for (size_t i = 0; i < 3; ++i) {
        char native[200], user[300];
        snprintf(native, sizeof native, "'kind': 'gear', 'body_a': 'a', 'body_b': 'b', 'ratio': %s", ratios[i]);
        snprintf(user, sizeof user,
                 "'kind': 'user', 'constraint': 'angle', 'bodies': {'body1': 'a', 'body2': 'b'}, 'scalars': {"
                 "'ratio': %s, 'jointMin': 0, 'jointMax': 0}",
                 ratios[i]);
        const double of_native = spin_left(native), of_user = spin_left(user);
        print_message("ratio %s: %g rad, native %g rad\n", ratios[i], of_user, of_native);
        assert_true(fabs(of_native) < 1e-2);
        assert_true(fabs(of_user - of_native) < 1e-4);
    }
}

/// J = k: it converges for every size of k, within the range of an entry.
static void test_large_gradients_hold(void **unused) {
    (void)unused;
    const char *const sizes[] = {"1", "1000", "30000", "100000", "260000"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        char joint[200];
        snprintf(joint, sizeof joint, ON_A_ROW ", 'scalars': {'k': %s}", sizes[i]);
        iso_world *world = row_make("body a, b scalar k constraint k * (b.position.y - a.position.y)", 2, joint);
        swing_run(world, 120);
        print_message("k = %s: %g m\n", sizes[i], to_double(iso__plane_of(world)->bodies[1].position[1]));
        assert_true(fabs(to_double(iso__plane_of(world)->bodies[1].position[1])) < 1e-2);
        assert_int_equal(clamped_rows(world), 0);
        free(world);
    }
}

static void expect_refused(const char *constraint, const char *joint, const char *expected) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    char line[600] = "";
    const iso_status status = row_parse(constraint, 2, joint, &scene, &error);
    if (expected == NULL) {
        assert_int_equal(status, ISO_OK);
        iso_scene_free(scene);
        return;
    }
    assert_int_not_equal(status, ISO_OK);
    iso_scene_error_format(&error, line, sizeof line);
    if (strstr(line, expected) == NULL) {
        fail_msg("%s: %s", constraint, line);
    }
}

/// A gradient that is known at loading, from numbers or with the parameters, is refused below 2^-10.
static void test_what_can_never_hold_is_refused(void **unused) {
    (void)unused;
    static const char of_number[] = "which hardly moves with a body, expected a row with a gradient of 1/1024 or more";
    expect_refused("body a, b constraint { a.rotation 0.0009 * b.rotation }", ON_A_ROW, of_number);
    expect_refused("body a, b constraint 0.0009 * b.position.x", ON_A_ROW, of_number);
    expect_refused("body a, b constraint 0.001 * b.position.x", ON_A_ROW, NULL);
    expect_refused("body a, b constraint 0.001 * b.rotation - 0.0001 * a.rotation", ON_A_ROW, NULL);
    expect_refused("body a, b constraint 0.0001 * b.position.x + 0.0001 * b.rotation", ON_A_ROW, NULL); // a small body
#define OF_K "body a, b scalar k constraint { b.rotation k * b.position.x + k * a.position.x }"
    static const char of_k[] = "parameters by which row 2 has a gradient of 1/1024 or more";
    expect_refused(OF_K, ON_A_ROW ", 'scalars': {'k': 0}", of_k);
    expect_refused(OF_K, ON_A_ROW ", 'scalars': {'k': -0.0004}", of_k);
    expect_refused(OF_K, ON_A_ROW ", 'scalars': {'k': -0.0005}", NULL);
    // J depends on the place: it is not known.
    expect_refused("body a, b scalar k constraint k * |b.position| * b.position.x", ON_A_ROW ", 'scalars': {'k': 1e-6}",
                   NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bearing_holds_at_any_distance_up_to_a_kilometre),
        cmocka_unit_test(test_a_row_that_rests_is_counted),
        cmocka_unit_test(test_small_ratios_hold_as_the_native_kind_does),
        cmocka_unit_test(test_large_gradients_hold),
        cmocka_unit_test(test_what_can_never_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
