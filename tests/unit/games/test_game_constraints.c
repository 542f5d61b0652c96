/// The sandbox's constraints, zip and cam: their Jacobians, what they do to bodies, what they remember, what they
/// refuse.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/proto/scene.h"

#define PI 3.14159265358979323846

enum { ZIP, CAM };

static double metres(iso_wide value) {
    return (double)value / 4294967296.0;
}

static iso_wide wide(double value) {
    return (iso_wide)llround(value * 4294967296.0);
}

static void assert_near(double is, double expected, double bound) {
    if (fabs(is - expected) > bound) {
        fail_msg("%.9g, expected %.9g", is, expected);
    }
}

static double random_between(double from, double to) {
    static uint64_t state = 3;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (to - from) * (double)(state >> 40) / 16777216.0;
}

static const iso_constraint *constraint_of(uint32_t index) {
    assert_int_equal(iso_game_sandbox.constraint_count, 2);
    assert_string_equal(iso_game_sandbox.constraints[index].name, index == ZIP ? "zip" : "cam");
    return &iso_game_sandbox.constraints[index];
}

// ---- Jacobian ------------------------------------------------------------------------------------

static void body_turn(iso_constraint_body *body, iso_wide angle) {
    body->angle = angle;
    body->rotation = iso_rotation_make((uint32_t)iso_turns_from_radians(angle));
}

static iso_wide *body_coordinate(iso_constraint_body *body, int k) {
    return k < 2 ? &body->position[k] : &body->angle;
}

static double error_at(const iso_constraint *constraint, iso_constraint_body *bodies,
                       const iso_program_params *params) {
    const iso_wide state[ISO_CONSTRAINT_STATE_MAX] = {0};
    iso_constraint_rows rows = {0};
    constraint->rows(bodies, params, state, &rows);
    return metres(rows.error[0]);
}

/// Central differences over 2^-10: what they leave out is h^2 / 6 times the third derivative; errors of rotations,
/// 8e-10 each on lengths of up to 5 m, count 2^10 times.
static void expect_jacobian(const iso_constraint *constraint, iso_constraint_body *bodies,
                            const iso_program_params *params, double bound) {
    const iso_wide state[ISO_CONSTRAINT_STATE_MAX] = {0}, h = ISO_WIDE_ONE >> 10;
    iso_constraint_rows rows = {0};
    constraint->rows(bodies, params, state, &rows);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_wide *at = body_coordinate(&bodies[i], k);
            double sides[2];
            for (int side = 0; side < 2; ++side) {
                *at += side == 0 ? -h : 2 * h;
                body_turn(&bodies[i], bodies[i].angle);
                sides[side] = error_at(constraint, bodies, params);
            }
            *at -= h;
            body_turn(&bodies[i], bodies[i].angle);
            const double expected = (sides[1] - sides[0]) / (2 * metres(h)), is = metres(rows.jacobian[0][i][k]);
            if (fabs(is - expected) > bound) {
                fail_msg("%s: body %d, coordinate %d: %.8f, by differences %.8f", constraint->name, i, k, is, expected);
            }
        }
    }
}

static void random_bodies(iso_constraint_body *bodies, double apart) {
    const double x = random_between(-50, 50), y = random_between(-50, 50), way = random_between(-PI, PI);
    bodies[0] = (iso_constraint_body){.position = {wide(x), wide(y)}};
    bodies[1] = (iso_constraint_body){.position = {wide(x + apart * cos(way)), wide(y + apart * sin(way))}};
    body_turn(&bodies[0], wide(random_between(-10, 10)));
    body_turn(&bodies[1], wide(random_between(-10, 10)));
}

static void test_jacobians_are_the_derivatives(void **unused) {
    (void)unused;
    for (int round = 0; round < 500; ++round) {
        iso_constraint_body bodies[2];
        iso_program_params params = {0};
        random_bodies(bodies, random_between(4, 5));
        for (int i = 0; i < 4; ++i) {
            params.vectors[i / 2][i % 2] = wide(random_between(-1, 1));
        }
        expect_jacobian(constraint_of(ZIP), bodies, &params, 1e-5);
        random_bodies(bodies, random_between(1, 3));
        params = (iso_program_params){
            .scalars = {wide(random_between(0.5, 2)), wide(random_between(0, 1)), wide(random_between(1, 3))}};
        expect_jacobian(constraint_of(CAM), bodies, &params, 1e-4); // third derivatives up to pi^3 / 2
    }
}

// ---- motion --------------------------------------------------------------------------------------

/// A static post, a box of a metre that is thrown up, a disc with a motor of 2 rad/s, its follower on a rail, and a
/// body in the disc's centre.
static iso_status parse(const char *joints, iso_scene **scene, iso_scene_error *error) {
    static const char form[] =
        "{'format': 1, 'name': 'sandbox-constraints', 'game': {'name': 'sandbox'}, 'world': {'sleep_speed': 0},"
        " 'capacities': {'bodies': 8, 'shapes': 8, 'joints': 8, 'contacts': 8, 'slots': 1}, 'bodies': ["
        "{'name': 'post', 'type': 'static'},"
        "{'name': 'box', 'position': [0, -3], 'velocity': [0, 6], 'shapes': [{'kind': 'box', 'half_width': 0.5, "
        "'half_height': 0.5}]},"
        "{'name': 'disc', 'position': [5, 0], 'shapes': [{'kind': 'circle', 'radius': 1, 'filter': {'mask': 0}}]},"
        "{'name': 'follower', 'position': [5, 1.25], 'shapes': [{'kind': 'circle', 'radius': 0.25, 'filter': {'mask': "
        "0}}]},"
        "{'name': 'lost', 'position': [5, 0], 'gravity_scale': 0, 'shapes': [{'kind': 'circle', 'radius': 0.25, "
        "'filter': {'mask': 0}}]}],"
        " 'joints': [{'kind': 'revolute', 'body_a': 'post', 'body_b': 'disc', 'at': [5, 0], 'motor': {'speed': 2, "
        "'max': 1000}},"
        "{'kind': 'prismatic', 'body_a': 'post', 'body_b': 'follower', 'at': [5, 1.25], 'axis': [0, 1]}%s]}";
    char text[4096];
    const int size = snprintf(text, sizeof text, form, joints);
    assert_true(size > 0 && (size_t)size < sizeof text);
    for (int i = 0; i < size; ++i) {
        text[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return iso_scene_parse(text, (size_t)size, iso_games, ISO_GAME_COUNT, scene, error);
}

static iso_world *make(const char *joints) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene = NULL;
    iso_scene_error error;
    void *memory = NULL;
    iso_world *world = NULL;
    if (parse(joints, &scene, &error) != ISO_OK ||
        iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error) != ISO_OK) {
        char line[600];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s", line);
    }
    iso_scene_free(scene);
    return world;
}

static void run(iso_world *world, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
}

static iso_body_view view_of(const iso_world *world, uint32_t index) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_body_next(world, index), &view), ISO_OK);
    return view;
}

#define TIE                                                                                \
    ", {'kind': 'user', 'constraint': 'zip', 'bodies': {'body1': 'post', 'body2': 'box'}," \
    " 'vectors': {'anchor1': [0, 0], 'anchor2': [0, 0.5]}, 'scalars': {'shortest': 0.5, 'tooth': 0.3}"

/// Thrown up by 6 m/s the box rises by 1.8 m from -3 m: its anchor comes to -0.7 m, between the teeth at 0.5 m and 0.8
/// m.
static void test_a_tie_holds_at_the_last_tooth(void **unused) {
    (void)unused;
    iso_world *world = make(TIE "}");
    double highest = -10;
    for (int t = 0; t < 300; ++t) {
        run(world, 1);
        const double y = metres(view_of(world, 1).centre.y) + 0.5;
        highest = fmax(highest, y);
        assert_true(t < 60 || y > -0.83);
    }
    assert_true(highest > -0.78 && highest < -0.5);
    assert_near(metres(view_of(world, 1).centre.y), -0.8 - 0.5, 0.01);
    iso_wide separation;
    iso_vec2_wide force;
    const iso_joint_id joint = iso_joint_next(world, 2);
    assert_int_equal(iso_joint_get_separation(world, joint, &separation), ISO_OK);
    assert_true(separation >= 0 && metres(separation) < 0.01);
    assert_int_equal(iso_joint_get_force(world, joint, &force), ISO_OK);
    assert_near(metres(force.y), 10, 0.1); // its weight
    // Let go and caught again it holds as before; a longer tie it never becomes.
    assert_int_equal(iso_joint_enable(world, joint, false), ISO_OK);
    run(world, 30);
    assert_true(metres(view_of(world, 1).centre.y) < -2);
    assert_int_equal(iso_joint_enable(world, joint, true), ISO_OK);
    run(world, 240);
    assert_near(metres(view_of(world, 1).centre.y), -1.3, 0.01);
    free(world);
}

/// The box weighs 10 N. What is broken closes anew where it is when it is joined again.
static void test_a_broken_tie_forgets(void **unused) {
    (void)unused;
    iso_world *world = make(TIE ", 'break': {'force': 5}}");
    const iso_joint_id joint = iso_joint_next(world, 2);
    iso_joint_def def;
    run(world, 120);
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    assert_false(def.enabled);
    const double y = metres(view_of(world, 1).centre.y);
    assert_true(y < -2.5);
    assert_int_equal(iso_joint_set_break(world, joint, 0, 0, 0, 0, false), ISO_OK);
    assert_int_equal(iso_body_set_velocity(world, iso_body_next(world, 1), (iso_vec2_wide){0, 0}, 0), ISO_OK);
    assert_int_equal(iso_joint_enable(world, joint, true), ISO_OK);
    run(world, 240);
    assert_true(metres(view_of(world, 1).centre.y) < y && metres(view_of(world, 1).centre.y) > y - 0.35);
    free(world);
}

/// The follower's height is the cam's radius above it, at every angle; without the nose it rests on the disc.
static void test_a_cam_lifts_its_follower_along_its_profile(void **unused) {
    (void)unused;
    iso_world *world = make(", {'kind': 'user', 'constraint': 'cam', 'bodies': {'body1': 'disc', 'body2': 'follower'},"
                            " 'scalars': {'base': 1.25, 'lift': 0.5, 'width': 1.5}}");
    double worst = 0, highest = 0;
    for (int t = 0; t < 600; ++t) {
        run(world, 1);
        const double turned = 2 * PI * metres(view_of(world, 2).angle_turns), y = metres(view_of(world, 3).centre.y);
        const double theta = remainder(PI / 2 - turned, 2 * PI);
        const double radius = 1.25 + (fabs(theta) < 1.5 ? 0.25 * (1 + cos(PI * theta / 1.5)) : 0);
        worst = fmax(worst, fabs(y - radius));
        highest = fmax(highest, y);
    }
    print_message("cam: the follower is at most %.6f m off\n", worst);
    assert_true(worst < 0.005);
    assert_true(highest > 1.74);
    free(world);
}

// ---- what does not fit ---------------------------------------------------------------------------

static void test_parameters_out_of_range_are_refused(void **unused) {
    (void)unused;
    const iso_program_params zip = {.scalars = {ISO_WIDE_ONE, ISO_WIDE_ONE}},
                             cam = {.scalars = {ISO_WIDE_ONE, 0, ISO_WIDE_ONE}};
    static const double wrong_zip[] = {0, -1, 0.0005, 32768},
                        wrong_cam[3][3] = {{0, 0.01, 1001}, {-0.01, 1001, -1}, {0, 0.01, 3.2}};
    assert_int_equal(constraint_of(ZIP)->check(&zip), ISO_OK);
    assert_int_equal(constraint_of(CAM)->check(&cam), ISO_OK);
    for (int i = 0; i < 8; ++i) {
        iso_program_params params = zip;
        params.scalars[i / 4] = wide(wrong_zip[i % 4]);
        assert_int_equal(constraint_of(ZIP)->check(&params), ISO_ERR_RANGE);
        params = zip;
        params.vectors[i / 4][i / 2 % 2] = i % 2 == 0 ? wide(60.01) : wide(-60.01);
        assert_int_equal(constraint_of(ZIP)->check(&params), ISO_ERR_RANGE);
    }
    for (int i = 0; i < 9; ++i) {
        iso_program_params params = cam;
        params.scalars[i / 3] = wide(wrong_cam[i / 3][i % 3]);
        assert_int_equal(constraint_of(CAM)->check(&params), ISO_ERR_RANGE);
    }
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(parse(", {'kind': 'user', 'constraint': 'cam', 'bodies': {'body1': 'disc', 'body2': 'follower'},"
                           " 'scalars': {'base': 0, 'lift': 0.5, 'width': 1.5}}",
                           &scene, &error),
                     ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/joints/2");
}

/// Bodies in one place, at the ends of the world, states that no tick gives: the world goes on, and the same twice.
static void test_places_without_a_direction_do_no_harm(void **unused) {
    (void)unused;
    static const iso_wide states[] = {0, 1, -1, ISO_WIDE_MAX, ISO_WIDE_MIN};
    for (uint32_t index = ZIP; index <= CAM; ++index) {
        const iso_constraint *constraint = constraint_of(index);
        const iso_program_params params = {.vectors = {{60 * ISO_WIDE_ONE, -60 * ISO_WIDE_ONE}},
                                           .scalars = {ISO_WIDE_ONE / 64, ISO_WIDE_ONE, ISO_WIDE_ONE / 64}};
        assert_int_equal(constraint->check(&params), ISO_OK);
        for (int round = 0; round < 40; ++round) {
            iso_constraint_body bodies[2];
            random_bodies(bodies, round % 4 == 0 ? 0 : round % 4 == 1 ? 1e-9 : round % 4 == 2 ? 1e-3 : 65535);
            iso_wide state[ISO_CONSTRAINT_STATE_MAX] = {states[round % 5]}, low[3] = {0}, high[3] = {0};
            iso_constraint_rows first = {0}, second = {0};
            if (constraint->prepare != NULL) {
                constraint->prepare(bodies, &params, state);
            }
            constraint->bounds(&params, state, low, high);
            constraint->rows(bodies, &params, state, &first);
            constraint->rows(bodies, &params, state, &second);
            assert_memory_equal(&first, &second, sizeof first);
            const double x = metres(first.jacobian[0][1][0]), y = metres(first.jacobian[0][1][1]);
            assert_true(hypot(x, y) > 0.99);
        }
    }
    iso_world *world = make(", {'kind': 'user', 'constraint': 'cam', 'bodies': {'body1': 'disc', 'body2': 'lost'},"
                            " 'scalars': {'base': 2, 'lift': 5, 'width': 0.015625}}");
    run(world, 120);
    const iso_body_view lost = view_of(world, 4);
    assert_true(hypot(metres(lost.centre.x) - 5, metres(lost.centre.y)) > 1.9); // pushed out
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobians_are_the_derivatives),
        cmocka_unit_test(test_a_tie_holds_at_the_last_tooth),
        cmocka_unit_test(test_a_broken_tie_forgets),
        cmocka_unit_test(test_a_cam_lifts_its_follower_along_its_profile),
        cmocka_unit_test(test_parameters_out_of_range_are_refused),
        cmocka_unit_test(test_places_without_a_direction_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
