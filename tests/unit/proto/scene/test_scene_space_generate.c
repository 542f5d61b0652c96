/// Generators in space: how many bodies, where, in which order, with which names.
#include "test_scene_util.h"

#define HEAD   "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"first\"}, "
#define SPHERE "{\"kind\": \"sphere\", \"radius\": 0.5}"

/// Position in quarters of a metre.
static void expect_body(const iso_scene *scene, uint32_t index, const char *name, int32_t x, int32_t y, int32_t z) {
    const iso_vec3_wide p = scene->bodies3[index].def.position;
    assert_string_equal(iso_scene_body_name(scene, index), name);
    if (p.x != x * (ISO_WIDE_ONE / 4) || p.y != y * (ISO_WIDE_ONE / 4) || p.z != z * (ISO_WIDE_ONE / 4)) {
        fail_msg("%s is not at (%d, %d, %d) / 4", name, x, y, z);
    }
    assert_int_equal(iso_scene_body_find(scene, name), index);
}

static void test_space_row_goes_along_its_step(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"generator\": \"row\", \"name\": \"r\", \"count\": 3, \"step\": [1, 0.5, -2], "
                                     "\"body\": {\"position\": [0, 1, 0], \"tag\": 4, \"shapes\": [" SPHERE "]}}]}");
    assert_int_equal(scene->body_count, 4);
    assert_int_equal(scene->shape_count, 1);
    assert_int_equal(scene->shape_total, 3);
    expect_body(scene, 1, "r[0]", 0, 4, 0);
    expect_body(scene, 2, "r[1]", 4, 6, -8);
    expect_body(scene, 3, "r[2]", 8, 8, -16);
    assert_int_equal(scene->bodies3[3].def.tag, 4);
    assert_int_equal(scene->bodies3[3].element, 1);
    iso_scene_free(scene);
}

static void test_space_grid_has_columns_rows_and_layers(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"generator\": \"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 3, "
                                     "\"layers\": 2, \"step\": [1, 2, -1], \"body\": {\"position\": [0.25, 0, 0]}}]}");
    assert_int_equal(scene->body_count, 13);
    uint32_t index = 1;
    for (int32_t column = 0; column < 2; ++column) {
        for (int32_t row = 0; row < 3; ++row) {
            for (int32_t layer = 0; layer < 2; ++layer) {
                char name[40];
                snprintf(name, sizeof name, "g[%d,%d,%d]", column, row, layer);
                expect_body(scene, index++, name, 1 + 4 * column, 8 * row, -4 * layer);
            }
        }
    }
    iso_scene_free(scene);
}

/// Each row is half a step farther and one body shorter.
static void test_space_wall_without_halves_gets_shorter(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"generator\": \"wall\", \"name\": \"w\", \"columns\": 3, \"rows\": 2, "
                                     "\"step\": [2, 1, 1], \"body\": {\"shapes\": [" SPHERE "]}}]}");
    assert_int_equal(scene->body_count, 6);
    expect_body(scene, 1, "w[0,0]", 0, 0, 0);
    expect_body(scene, 2, "w[1,0]", 8, 0, 4);
    expect_body(scene, 3, "w[2,0]", 16, 0, 8);
    expect_body(scene, 4, "w[0,1]", 4, 4, 2);
    expect_body(scene, 5, "w[1,1]", 12, 4, 6);
    assert_int_equal(scene->shape_total, 5);
    iso_scene_free(scene);
    parse_bad(HEAD "{\"generator\": \"wall\", \"name\": \"w\", \"columns\": 2, \"rows\": 3, \"step\": [2, 1, 0], "
                   "\"body\": {}}]}",
              "/bodies/1/rows", "3", "at most as many rows as columns, or a \"half\" for the ends of rows");
}

/// Bodies 4 m long, halves 2 m: both ends of each row are 2 m beside the first and the last body's middle.
static void test_space_wall_with_halves_ends_flush(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD "{\"generator\": \"wall\", \"name\": \"w\", \"columns\": 3, \"rows\": 4, \"step\": [4, 1, 0], "
             "\"body\": {\"position\": [0, 0.5, 1], \"shapes\": [{\"kind\": \"box\", \"half_extents\": [2, 0.5, "
             "1]}]}, \"half\": {\"tag\": 5, \"shapes\": [{\"kind\": \"box\", \"half_extents\": [1, 0.5, 1]}, " SPHERE
             "]}}, {\"name\": \"last\"}]}");
    assert_int_equal(scene->body_count, 16);
    static const struct {
        const char *name;
        int32_t x;
        bool is_half;
    } bodies[] = {{"w[0,0]", 0, false},  {"w[1,0]", 16, false}, {"w[2,0]", 32, false}, {"w[0,1]", -4, true},
                  {"w[1,1]", 8, false},  {"w[2,1]", 24, false}, {"w[3,1]", 36, true},  {"w[0,2]", 0, false},
                  {"w[1,2]", 16, false}, {"w[2,2]", 32, false}, {"w[0,3]", -4, true},  {"w[1,3]", 8, false},
                  {"w[2,3]", 24, false}, {"w[3,3]", 36, true}};
    static const int32_t y[] = {2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 14, 14, 14, 14};
    for (uint32_t i = 0; i < 14; ++i) {
        expect_body(scene, 1 + i, bodies[i].name, bodies[i].x, y[i], 4);
        assert_int_equal(scene->bodies3[1 + i].shape_count, bodies[i].is_half ? 2 : 1);
        assert_int_equal(scene->bodies3[1 + i].def.tag, bodies[i].is_half ? 5 : 0);
    }
    assert_int_equal(scene->shape_total, 10 + 2 * 4);
    expect_body(scene, 15, "last", 0, 0, 0);
    iso_scene_free(scene);
    parse_bad(HEAD "{\"generator\": \"wall\", \"name\": \"w\", \"columns\": 2, \"rows\": 3, \"step\": [2, 1, 0], "
                   "\"body\": {}, \"half\": {\"position\": [0, 0, 0]}}]}",
              "/bodies/1/half/position", "[0,0,0]", "nothing: halves are where the ends of the rows are");
}

static void test_space_pyramid_is_square(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"generator\": \"pyramid3\", \"name\": \"p\", \"rows\": 3, \"step\": [1, 2, 3], "
                                     "\"body\": {}}]}");
    assert_int_equal(scene->body_count, 15);
    uint32_t index = 1;
    for (int32_t row = 0; row < 3; ++row) {
        for (int32_t column = 0; column < 3 - row; ++column) {
            for (int32_t layer = 0; layer < 3 - row; ++layer) {
                char name[40];
                snprintf(name, sizeof name, "p[%d,%d,%d]", column, row, layer);
                expect_body(scene, index++, name, 4 * column + 2 * row, 8 * row, 12 * layer + 6 * row);
            }
        }
    }
    iso_scene_free(scene);
}

/// Quarter turns about y through (10, 0, 5) take (12, y, 5) to (10, y, 3), (8, y, 5) and (10, y, 7); each is 0.5 m
/// higher.
static void test_space_ring_turns_its_bodies(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD "{\"generator\": \"ring\", \"name\": \"r\", \"count\": 4, \"centre\": [10, 0, 5], \"angle\": "
             "1.5707963267948966, \"step\": [0, 0.5, 0], \"body\": {\"position\": [12, 1, 5], \"velocity\": [3, 0, "
             "0], \"angular_velocity\": [0, 1, 2], \"shapes\": [" SPHERE "]}}]}");
    assert_int_equal(scene->body_count, 5);
    assert_int_equal(scene->shape_total, 4);
    expect_body(scene, 1, "r[0]", 48, 4, 20);
    expect_body(scene, 2, "r[1]", 40, 6, 12);
    expect_body(scene, 3, "r[2]", 32, 8, 20);
    expect_body(scene, 4, "r[3]", 40, 10, 28);
    const iso_body3_def *second = &scene->bodies3[2].def;
    const iso_quat quarter = iso_quat_from_axis_angle((iso_vec3){0, ISO_FIX16_ONE, 0}, ISO_WIDE_PI / 2);
    assert_true(iso_quat_angle(second->rotation, quarter) < ISO_WIDE_ONE >> 24);
    assert_true(second->velocity.x == 0 && second->velocity.y == 0 && second->velocity.z == -3 * ISO_WIDE_ONE);
    assert_true(second->angular_velocity.x == 2 * ISO_WIDE_ONE && second->angular_velocity.y == ISO_WIDE_ONE);
    iso_scene_free(scene);
}

/// About an axis that is not y, a template with a rotation of its own is turned by both.
static void test_space_ring_goes_about_any_axis(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD "{\"generator\": \"ring\", \"name\": \"r\", \"count\": 3, \"axis\": [0, 0, 4], \"angle\": "
             "3.141592653589793, \"body\": {\"position\": [1, 2, 3], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": "
             "0.5}}}]}");
    expect_body(scene, 2, "r[1]", -4, -8, 12);
    expect_body(scene, 3, "r[2]", 4, 8, 12);
    const iso_vec3_wide forward = {0, ISO_WIDE_ONE, 0};
    const iso_vec3_wide first = iso_quat_rotate(scene->bodies3[1].def.rotation, forward);
    const iso_vec3_wide turned = iso_quat_rotate(scene->bodies3[2].def.rotation, forward);
    assert_true(iso_vec3_wide_distance((iso_vec3_wide){-first.x, -first.y, first.z}, turned) < ISO_WIDE_ONE >> 24);
    iso_scene_free(scene);
}

/// Joints go to the body below, then to the column before, then to the layer before, each halfway.
static void test_space_grid_has_joints(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD "{\"generator\": \"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 2, \"layers\": 2, \"step\": "
             "[1, 2, -1], \"body\": {}, \"column_joint\": {}, \"row_joint\": {\"kind\": \"distance\"}, "
             "\"layer_joint\": {\"kind\": \"hinge\", \"axis\": [0, 0, 1], \"hertz\": 5}}]}");
    static const struct {
        uint8_t kind;
        uint32_t a, b;
    } joints[] = {{ISO_JOINT3_HINGE, 1, 2}, {ISO_JOINT3_BALL, 1, 3},     {ISO_JOINT3_BALL, 2, 4},
                  {ISO_JOINT3_HINGE, 3, 4}, {ISO_JOINT3_DISTANCE, 1, 5}, {ISO_JOINT3_DISTANCE, 2, 6},
                  {ISO_JOINT3_HINGE, 5, 6}, {ISO_JOINT3_BALL, 5, 7},     {ISO_JOINT3_DISTANCE, 3, 7},
                  {ISO_JOINT3_BALL, 6, 8},  {ISO_JOINT3_DISTANCE, 4, 8}, {ISO_JOINT3_HINGE, 7, 8}};
    assert_int_equal(scene->joint_count, sizeof joints / sizeof joints[0]);
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        const iso_scene_joint3 *joint = &scene->joints3[i];
        assert_int_equal(joint->def.kind, joints[i].kind);
        assert_int_equal(joint->body_a, joints[i].a);
        assert_int_equal(joint->body_b, joints[i].b);
        const iso_vec3 a = joint->def.frame_a.anchor, b = joint->def.frame_b.anchor;
        if (joint->def.kind == ISO_JOINT3_BALL) {
            assert_true(a.x == 0 && a.y == ISO_FIX16_ONE && a.z == 0 && b.y == -ISO_FIX16_ONE);
        } else if (joint->def.kind == ISO_JOINT3_HINGE) {
            assert_true(a.x == 0 && a.y == 0 && a.z == -ISO_FIX16_ONE / 2 && b.z == ISO_FIX16_ONE / 2);
            assert_int_equal(joint->def.hertz, 5 * ISO_FIX16_ONE);
        } else {
            assert_int_equal(joint->def.axes[0].rest, ISO_FIX16_ONE);
        }
    }
    iso_scene_free(scene);
}

static void test_space_copies_repeat_bodies(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD "{\"generator\": \"copies\", \"name\": \"c\", \"columns\": 2, \"rows\": 2, \"step\": [1, 0, 0.5], "
             "\"row_step\": [0, 3, 0], \"group_step\": -2, \"bodies\": [{\"name\": \"x\", \"position\": [0, 1, 0], "
             "\"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.5, \"filter\": {\"group\": -1}}]}, {\"name\": \"y\", "
             "\"shapes\": [" SPHERE "]}]}]}");
    static const char *const names[] = {"c[0,0].x", "c[0,0].y", "c[1,0].x", "c[1,0].y",
                                        "c[0,1].x", "c[0,1].y", "c[1,1].x", "c[1,1].y"};
    assert_int_equal(scene->body_count, 9);
    assert_int_equal(scene->shape_total, 8);
    for (int32_t i = 0; i < 8; ++i) {
        const int32_t copy = i / 2, column = copy % 2, row = copy / 2;
        expect_body(scene, (uint32_t)(1 + i), names[i], 4 * column, 12 * row + (i % 2 == 0 ? 4 : 0), 2 * column);
        const iso_scene_body3 *body = &scene->bodies3[1 + i];
        assert_int_equal(scene->shapes3[body->shape_first].filter.group, i % 2 == 0 ? -1 - 2 * copy : 0);
    }
    iso_scene_free(scene);
    parse_bad(HEAD "{\"generator\": \"copies\", \"name\": \"c\", \"step\": [0, 0, 0], \"bodies\": [{\"name\": \"x\"}, "
                   "{\"name\": \"x\"}]}]}",
              "/bodies/1/bodies/1/name", "\"x\"", "a name that no other body of the copy has");
}

/// A thousand steps of 0.1 m are 100 m, in each direction.
static void test_space_steps_do_not_add_up_rounding(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"generator\": \"row\", \"name\": \"r\", \"count\": 1001, \"step\": [0.1, -0.1, "
                                     "0.1], \"body\": {}}]}");
    const iso_vec3_wide p = scene->bodies3[1001].def.position;
    assert_true(p.x == 100 * ISO_WIDE_ONE && p.y == -100 * ISO_WIDE_ONE && p.z == 100 * ISO_WIDE_ONE);
    iso_scene_free(scene);
}

static void test_space_generators_say_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {"{\"generator\": \"pyramid\"}]}", "/bodies/1/generator", "\"pyramid\"",
         "one of row, chain, grid, wall, pyramid3, ring, copies; what is there is for worlds of two dimensions"},
        {"{\"generator\": \"heap\"}]}", "/bodies/1/generator", "\"heap\"",
         "one of row, chain, grid, wall, pyramid3, ring, copies"},
        {"{\"generator\": \"ring\", \"name\": \"r\", \"count\": 2, \"body\": {}}]}", "/bodies/1/angle", "nothing",
         "a number from -32767 to 32767"},
        {"{\"generator\": \"ring\", \"name\": \"r\", \"count\": 2, \"angle\": 1, \"axis\": [0, 0, 0], \"body\": {}}]}",
         "/bodies/1/axis", "[0,0,0]", "a direction with a component that is not 0 (rounded to 2^-32)"},
        {"{\"generator\": \"ring\", \"name\": \"r\", \"count\": 2, \"angle\": 3, \"centre\": [30000, 0, 0], \"body\": "
         "{}}]}",
         "/bodies/1", "{\"generator\":\"ring\",\"name\":\"r\",\"count\":2,\"angle\":3,\"centre\":...",
         "steps that keep every body within 30000 m of the origin"},
        {"{\"generator\": \"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 1, \"layers\": 1, \"step\": [1, 1, 1], "
         "\"body\": {}, \"row_joint\": {\"kind\": \"target\"}}]}",
         "/bodies/1/row_joint/kind", "\"target\"", "a kind of joint between two bodies: not target, user or symbolic"},
        {"{\"generator\": \"row\", \"joint\": {}}]}", "/bodies/1/joint", "{}",
         "a known key: one of generator, name, count, step, body"},
        {"{\"generator\": \"copies\", \"joint\": {}}]}", "/bodies/1/joint", "{}",
         "a known key: one of generator, name, columns, rows, step, row_step, group_step, bodies, joints"},
        {"{\"generator\": \"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 2, \"step\": [1, 1, 1], \"body\": {}}]}",
         "/bodies/1/layers", "nothing", "an integer from 1 to 1048576"},
        {"{\"generator\": \"row\", \"name\": \"r\", \"count\": 2, \"step\": [1, 1], \"body\": {}}]}", "/bodies/1/step",
         "[1,1]", "an array of 3"},
        {"{\"generator\": \"row\", \"name\": \"r\", \"count\": 3, \"step\": [0, 0, 20000], \"body\": {}}]}",
         "/bodies/1/step", "[0,0,20000]", "steps that keep every body within 30000 m of the origin"},
        {"{\"generator\": \"row\", \"name\": \"r\", \"count\": 3, \"step\": [0, 0, 1], \"body\": {\"name\": \"x\"}}]}",
         "/bodies/1/body/name", "\"x\"",
         "a known key: one of type, position, rotation, velocity, angular_velocity, owner, tag, shapes, "
         "linear_damping, angular_damping, gravity_scale, lock_x, lock_y, lock_z, lock_turn_x, lock_turn_y, "
         "lock_turn_z, sleep, bullet, mass, moments"},
        {"{\"generator\": \"row\", \"name\": \"first\", \"count\": 3, \"step\": [0, 0, 1], \"body\": {}}]}",
         "/bodies/1/name", "\"first\"", "a name that no other body or generator has"},
    };
    run_bad_cases(HEAD, cases, sizeof cases / sizeof *cases);
    parse_bad(HEAD "{\"generator\": \"grid\", \"name\": \"g\", \"columns\": 1048576, \"rows\": 1048576, \"layers\": "
                   "1048576, \"step\": [0, 0, 0], \"body\": {\"shapes\": [" SPHERE "]}}]}",
              "/bodies/1", "{\"generator\":\"grid\",\"name\":\"g\",\"columns\":1048576,\"rows\":1048...",
              "at most 1024 bodies in all (/capacities/bodies)");
    parse_bad("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"pyramid3\"}]}", "/bodies/0/generator",
              "\"pyramid3\"", "one of row, chain, grid, pyramid, copies; what is there needs \"dimensions\": 3");
}

static void test_space_fills_its_capacities_exactly(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"capacities\": {\"bodies\": 14, "
                 "\"shapes\": 14}, \"bodies\": [{\"generator\": \"pyramid3\", \"name\": \"p\", \"rows\": "
                 "3, \"step\": [1, 1, 1], \"body\": {\"shapes\": [" SPHERE "]}}]}");
    assert_int_equal(scene->body_count, scene->def.body_capacity);
    assert_int_equal(scene->shape_total, scene->def.shape_capacity);
    iso_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space_row_goes_along_its_step),
        cmocka_unit_test(test_space_grid_has_columns_rows_and_layers),
        cmocka_unit_test(test_space_wall_without_halves_gets_shorter),
        cmocka_unit_test(test_space_wall_with_halves_ends_flush),
        cmocka_unit_test(test_space_pyramid_is_square),
        cmocka_unit_test(test_space_ring_turns_its_bodies),
        cmocka_unit_test(test_space_ring_goes_about_any_axis),
        cmocka_unit_test(test_space_grid_has_joints),
        cmocka_unit_test(test_space_copies_repeat_bodies),
        cmocka_unit_test(test_space_steps_do_not_add_up_rounding),
        cmocka_unit_test(test_space_generators_say_what_is_wrong),
        cmocka_unit_test(test_space_fills_its_capacities_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
