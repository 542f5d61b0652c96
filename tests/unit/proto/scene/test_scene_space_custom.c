/// Joints of scenes in space whose rows are one's own: texts, names, parameters, the built-in scene, what is wrong.
#include "isostep/body3.h"
#include "isostep/constraint.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/joint3.h"
#include "test_scene_built.h"
#include "test_scene_util.h"
#include <math.h>

static double place(iso_wide value) {
    return (double)value / 4294967296.0;
}

static iso_vec3_wide centre_of(const built *b, const char *name) {
    for (uint32_t i = 0; i < b->scene->body_count; ++i) {
        if (strcmp(iso_scene_body_name(b->scene, i), name) == 0) {
            iso_body3_view view;
            assert_int_equal(iso_body3_get(b->world, iso_body_next(b->world, i), &view), ISO_OK);
            return view.centre;
        }
    }
    fail_msg("no body %s", name);
    return (iso_vec3_wide){0, 0, 0};
}

static void test_built_in_scene_keeps_its_constraints(void **state) {
    (void)state;
    built b = build_builtin("symbolic3");
    assert_int_equal(b.scene->program_count, 7);
    assert_int_equal(b.scene->joint_count, 8);
    double way = 0;
    for (int tick = 0; tick < 300; ++tick) {
        assert_int_equal(iso_world_step_empty(b.world), ISO_OK);
        for (uint32_t i = 0; i < 8; ++i) {
            iso_wide apart, angle;
            const iso_joint_id joint = iso_joint_next(b.world, i);
            assert_int_equal(iso_joint3_get_separation(b.world, joint, &apart), ISO_OK);
            assert_int_equal(iso_joint3_get_angle_error(b.world, joint, &angle), ISO_OK);
            if (place(apart) > 0.02 || place(angle) > 0.03) {
                fail_msg("tick %d: joint %u is off by %g m, %g rad", tick, i, place(apart), place(angle));
            }
        }
        const iso_vec3_wide bead = centre_of(&b, "bead"), planet = centre_of(&b, "planet");
        const double x = place(bead.x) - 8;
        assert_true(fabs(place(bead.y) - x * x) < 0.01 && fabs(place(bead.z) - 0.25 * x) < 0.01);
        assert_true(fabs(hypot(hypot(place(planet.x) - 5, place(planet.y)), place(planet.z)) - 1) < 0.01);
        way = fmax(way, 1 - x);
    }
    assert_true(way > 1.8); // it swings to the other side
    iso_world_counts counts;
    iso_world_get_counts(b.world, &counts);
    assert_int_equal(counts.clamped_rows, 0);
    built_free(&b);
}

static iso_status push_check(const iso_program_params *params) {
    return params->vectors3[0][2] >= 0 ? ISO_OK : ISO_ERR_RANGE;
}

static void push_rows(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                      iso_constraint3_rows *rows) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        rows->error[i] = bodies[0].position[i] - params->vectors3[0][i];
        rows->jacobian[i][0][i] = ISO_WIDE_ONE;
    }
}

static void flat_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                      iso_constraint_rows *rows) {
    (void)bodies;
    (void)params;
    (void)state;
    rows->jacobian[0][0][0] = ISO_WIDE_ONE;
}

static const char *const pin_vectors[] = {"place"};
static const iso_constraint pins[] = {
    {.name = "flat", .body_count = 1, .row_count = 1, .rows = flat_rows},
    {.name = "pin",
     .body_count = 1,
     .vector_count = 1,
     .row_count = 3,
     .vector_names = pin_vectors,
     .check = push_check,
     .rows3 = push_rows},
};
static const iso_game pin_game = {.name = "pins",
                                  .version = 1,
                                  .control_layout = "none",
                                  .dimensions = 12,
                                  .constraints = pins,
                                  .constraint_count = 2};
static const iso_game *const pin_games[] = {&pin_game};

#define HEAD                                                                                                        \
    "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"game\": {\"name\": \"pins\"}, \"capacities\": "          \
    "{\"custom_joints\": 1}, \"constraints\": {\"rod\": [\"body a, b vector v scalar s limit s 0 5\", "             \
    "\"constraint |b.position - a.position - v| - s\"]}, \"bodies\": [{\"name\": \"p\", \"shapes\": [{\"kind\": "   \
    "\"sphere\", \"radius\": 1}]}, {\"name\": \"q\", \"position\": [1, 2, 3], \"shapes\": [{\"kind\": \"sphere\", " \
    "\"radius\": 1}]}], \"joints\": ["
#define ROD     "\"kind\": \"symbolic\", \"constraint\": \"rod\""
#define BODIES2 ", \"bodies\": {\"a\": \"p\", \"b\": \"q\"}"

static iso_status read_joint_of(const iso_game *const *games, const char *joint, iso_scene **scene,
                                iso_scene_error *error) {
    char text[4096];
    const int size = snprintf(text, sizeof text, "%s{%s}]}", HEAD, joint);
    assert_true(size > 0 && (size_t)size < sizeof text);
    return iso_scene_parse(text, (size_t)size, games, 1, scene, error);
}

static iso_status read_joint(const char *joint, iso_scene **scene, iso_scene_error *error) {
    return read_joint_of(pin_games, joint, scene, error);
}

static void test_joints_name_their_constraint_and_bodies(void **state) {
    (void)state;
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(read_joint(ROD BODIES2 ", \"vectors\": {\"v\": [1, 0, -2]}, \"scalars\": {\"s\": 2.5}, "
                                            "\"force_max\": 3, \"torque_max\": 4, \"break\": {\"force\": 1, \"error\": "
                                            "2, \"angle\": 3}, \"hertz\": 5",
                                &scene, &error),
                     ISO_OK);
    const iso_scene_joint3 *rod = &scene->joints3[0];
    assert_int_equal(rod->def.kind, ISO_JOINT3_SYMBOLIC);
    assert_int_equal(rod->def.constraint, 0);
    assert_int_equal(rod->body_a, 0);
    assert_int_equal(rod->body_b, 1);
    assert_true(rod->def.params.vectors3[0][0] == ISO_WIDE_ONE && rod->def.params.vectors3[0][1] == 0 &&
                rod->def.params.vectors3[0][2] == -2 * ISO_WIDE_ONE && rod->def.params.scalars[0] == 5 * ISO_WIDE_HALF);
    assert_true(rod->def.force_max == 3 * ISO_WIDE_ONE && rod->def.torque_max == 4 * ISO_WIDE_ONE);
    assert_true(rod->def.break_error == 2 * ISO_WIDE_ONE && rod->def.break_angle == 3 * ISO_WIDE_ONE);
    iso_scene_free(scene);
    assert_int_equal(read_joint("\"kind\": \"user\", \"constraint\": \"pin\", \"bodies\": {\"body1\": \"q\"}, "
                                "\"vectors\": {\"place\": [1, 2, 4]}",
                                &scene, &error),
                     ISO_OK);
    assert_int_equal(scene->joints3[0].body_a, UINT32_MAX);
    assert_int_equal(scene->joints3[0].body_b, 1);
    assert_int_equal(scene->joints3[0].def.constraint, 1);
    const iso_allocator allocator = iso_heap_allocator();
    iso_world *world;
    void *memory;
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error), ISO_OK);
    for (int tick = 0; tick < 120; ++tick) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    iso_body3_view view;
    assert_int_equal(iso_body3_get(world, iso_body_next(world, 1), &view), ISO_OK);
    assert_true(fabs(place(view.centre.x) - 1) < 1e-3 && fabs(place(view.centre.y) - 2) < 1e-3 &&
                fabs(place(view.centre.z) - 4) < 1e-3);
    free(memory);
    iso_scene_free(scene);
}

static void test_joints_say_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *joint, *path, *expected;
    } wrong[] = {
        {"\"kind\": \"symbolic\", \"constraint\": \"rope\"" BODIES2, "/joints/0/constraint",
         "a constraint of the scene: rod"},
        {"\"kind\": \"user\", \"constraint\": \"flat\", \"bodies\": {\"body1\": \"p\"}", "/joints/0/constraint",
         "a constraint of the game; flat is not for worlds in space, but these are: pin"},
        {"\"kind\": \"user\", \"constraint\": \"none\", \"bodies\": {\"body1\": \"p\"}", "/joints/0/constraint",
         "a constraint of the game: pin"},
        {ROD ", \"bodies\": {\"a\": \"p\"}, \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 1}",
         "/joints/0/bodies/b", "the name of a body"},
        {ROD ", \"bodies\": {\"a\": \"p\", \"b\": \"p\"}, \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 1}",
         "/joints/0/bodies/b", "another body than a"},
        {ROD BODIES2 ", \"vectors\": {\"v\": [1, 0]}, \"scalars\": {\"s\": 1}", "/joints/0/vectors/v", "an array of 3"},
        {ROD BODIES2 ", \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 6}", "/joints/0",
         "parameters that keep limit 1 of the constraint"},
        {"\"kind\": \"user\", \"constraint\": \"pin\", \"bodies\": {\"body1\": \"q\"}, \"vectors\": {\"place\": [1, 2, "
         "-4]}",
         "/joints/0", "parameters that the game's constraint takes"},
        {ROD BODIES2 ", \"at\": [0, 0, 0], \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 1}", "/joints/0/at",
         "a known key: one of name, kind, constraint, bodies, vectors, scalars, owner, tag, enabled, hertz, "
         "damping_ratio, force_max, torque_max, correction_max, break, collide_connected"},
        {ROD BODIES2 ", \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 1}}, {" ROD BODIES2
                     ", \"vectors\": {\"v\": [1, 0, 0]}, \"scalars\": {\"s\": 1}",
         "/joints/1", "no more joints with a constraint than /capacities/custom_joints"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        iso_scene *scene = NULL;
        iso_scene_error error;
        if (read_joint(wrong[i].joint, &scene, &error) != ISO_ERR_SCENE_INVALID ||
            strcmp(error.path, wrong[i].path) != 0 || strcmp(error.expected, wrong[i].expected) != 0) {
            fail_msg("%s: %s, expected %s; not %s, %s", wrong[i].joint, error.path, error.expected, wrong[i].path,
                     wrong[i].expected);
        }
    }
}

/// A game whose constraints are all for the plane says so, whether it has one of the name or not.
static void test_constraints_of_the_plane_alone_are_none_in_space(void **state) {
    (void)state;
    iso_game game = pin_game;
    const iso_game *const games[] = {&game};
    game.constraint_count = 1;
    static const struct {
        const char *joint, *expected;
    } wrong[] = {
        {"\"kind\": \"user\", \"constraint\": \"flat\"",
         "nothing: flat is not for worlds in space, and no constraint of the game is"},
        {"\"kind\": \"user\", \"constraint\": \"pin\"", "nothing: the game has no constraints for worlds in space"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        iso_scene *scene = NULL;
        iso_scene_error error;
        assert_int_equal(read_joint_of(games, wrong[i].joint, &scene, &error), ISO_ERR_SCENE_INVALID);
        assert_string_equal(error.path, "/joints/0/constraint");
        assert_string_equal(error.expected, wrong[i].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_scene_keeps_its_constraints),
        cmocka_unit_test(test_joints_name_their_constraint_and_bodies),
        cmocka_unit_test(test_joints_say_what_is_wrong),
        cmocka_unit_test(test_constraints_of_the_plane_alone_are_none_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
