/// Blueprints and compounds of scenes: what the world gets, and what is refused.
#include "test_scene_util.h"

#include "isostep/compound.h"

#define HEAD  "{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 12, \"shapes\": 12, \"joints\": 6}"
#define WHEEL "{\"kind\": \"circle\", \"radius\": 0.25}"
#define CART                                                                                                           \
    "{\"name\": \"cart\", \"bodies\": [{\"name\": \"box\", \"mass\": 3, \"shapes\": [" WHEEL ", " WHEEL "]},"          \
    "{\"generator\": \"row\", \"name\": \"wheel\", \"count\": 2, \"step\": [1, 0], \"body\": {\"position\": "          \
    "[-0.5, -0.5], \"shapes\": [" WHEEL "]}}],"                                                                        \
    "\"joints\": [{\"name\": \"hub\", \"kind\": \"revolute\", \"body_a\": \"box\", \"body_b\": \"wheel[0]\", \"at\": " \
    "[-0.5, -0.5]}, {\"kind\": \"distance\", \"body_a\": \"box\", \"body_b\": \"wheel[1]\"}]}"

static iso_world *build(const char *text, iso_scene **scene, iso_scene_error *error, iso_status expected) {
    *scene = parse_ok(text);
    const size_t size = iso_world_size(iso_scene_def(*scene), NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(iso_scene_def(*scene), NULL, memory, size, &world), ISO_OK);
    assert_int_equal(iso_scene_build(*scene, world, error), expected);
    return world;
}

static void test_a_scene_makes_blueprints_and_compounds(void **state) {
    (void)state;
    static const char text[] =
        HEAD ", \"blueprints\": [" CART "], \"bodies\": [{\"name\": \"box\"}],"
             "\"compounds\": [{\"blueprint\": \"cart\", \"position\": [3, 4], \"angle\": 0.5, \"velocity\": [1, "
             "0], \"angular_velocity\": 0.25, \"tag\": 8, \"owner\": \"everyone\"}, {\"blueprint\": \"cart\"}]}";
    iso_scene *scene;
    iso_world *world = build(text, &scene, NULL, ISO_OK);
    assert_true(scene->body_count == 1 && scene->compound_bodies == 6 && scene->compound_shapes == 8);
    assert_true(scene->compound_joints == 4 && scene->blueprints[0].parts->shape_total == 4);
    iso_blueprint_view blueprint;
    assert_true(iso_world_get_blueprint(world, 0, &blueprint) && blueprint.shape_count == 4);
    assert_string_equal(blueprint.name, "cart");
    iso_compound_view view;
    const iso_compound_id first = iso_compound_next(world, 0), second = iso_compound_next(world, 1);
    assert_int_equal(iso_compound_get(world, first, &view), ISO_OK);
    assert_true(view.tag == 8 && view.owner.slot == ISO_OWNER_EVERYONE && view.body_count == 3);
    assert_true(llabs(view.position.x - 3 * ISO_WIDE_ONE) < 4 && llabs(view.angle - ISO_WIDE_ONE / 2) < 8);
    // The scene's own body comes first, whatever its name; joints are those of the blueprint.
    iso_body_view body;
    const iso_body_id box = iso_compound_find_body(world, second, 0);
    assert_int_equal(box.index, 4);
    assert_int_equal(iso_body_get(world, box, &body), ISO_OK);
    assert_true(body.mass == 3 * ISO_WIDE_ONE && body.spawn_number == 0 && body.owner.slot == ISO_OWNER_NOBODY);
    iso_joint_def joint;
    assert_int_equal(iso_joint_get(world, iso_joint_next(world, 3), &joint), ISO_OK);
    assert_true(joint.kind == ISO_JOINT_DISTANCE && iso_body_id_equal(joint.body_a, box) && joint.body_b.index == 6);
    assert_true(llabs(joint.rest - ISO_FIX16_ONE * 7071 / 10000) < 4); // measured in the blueprint's frame
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    free(world);
    iso_scene_free(scene);
}

static void test_a_scene_says_what_is_wrong_with_them(void **state) {
    (void)state;
    static const struct {
        const char *blueprints, *compounds, *path, *value, *expected;
    } cases[] = {
        {"{}", "", "/blueprints", "{}", "an array of 0 to 256"},
        {"[{\"name\": \"b\"}]", "", "/blueprints/0", "{\"name\":\"b\"}",
         "1 to 128 bodies, with at most as many shapes and joints"},
        {"[{\"name\": \"b c\"}]", "", "/blueprints/0/name", "\"b c\"",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {"[{\"name\": \"b\", \"shapes\": []}]", "", "/blueprints/0/shapes", "[]",
         "a known key: one of name, bodies, joints"},
        {"[" CART ", " CART "]", "", "/blueprints/1/name", "\"cart\"", "a name that no other blueprint has"},
        {"[{\"name\": \"b\", \"bodies\": [{\"name\": \"a\", \"mass\": -1}]}]", "", "/blueprints/0/bodies/0/mass", "-1",
         "a number from 2^-16 to 2^17"},
        {"[{\"name\": \"b\", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}]", "", "/blueprints/0/bodies/1/name",
         "\"a\"", "a name that no other body or generator has"},
        {"[{\"name\": \"b\", \"bodies\": [{\"name\": \"a\"}], \"joints\": [{\"kind\": \"gear\", \"body_a\": \"a\", "
         "\"body_b\": \"ground\"}]}]",
         "", "/blueprints/0/joints/0/body_b", "\"ground\"", "the name of a body"},
        {"[" CART ", {\"name\": \"b\", \"bodies\": [{\"generator\": \"row\", \"name\": \"r\", \"count\": 10, \"step\": "
         "[1, 0], \"body\": {}}]}]",
         "", "/blueprints/1", NULL, "at most 12 bodies, shapes and joints, each, in all blueprints"},
        {"[" CART "]", "[{\"blueprint\": \"card\"}]", "/compounds/0/blueprint", "\"card\"", "the name of a blueprint"},
        {"[" CART "]", "[{\"blueprint\": \"cart\", \"at\": 1}]", "/compounds/0/at", "1",
         "a known key: one of blueprint, position, angle, velocity, angular_velocity, tag, owner"},
        {"[" CART "]", "[{\"blueprint\": \"cart\", \"position\": [0, 30001]}]", "/compounds/0/position/1", "30001",
         "a number from -30000 to 30000"},
        {"[" CART "]",
         "[{\"blueprint\": \"cart\"}, {\"blueprint\": \"cart\"}, {\"blueprint\": \"cart\"}, {\"blueprint\": \"cart\"}]",
         "/compounds/3", "{\"blueprint\":\"cart\"}", "at most 12 bodies, 12 shapes and 6 joints in all (/capacities)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[4096];
        snprintf(text, sizeof text, HEAD ", \"bodies\": [{\"name\": \"ground\"}], \"blueprints\": %s%s%s}",
                 cases[i].blueprints, cases[i].compounds[0] != 0 ? ", \"compounds\": " : "", cases[i].compounds);
        iso_scene *scene = NULL;
        iso_scene_error error;
        const iso_status status = parse(text, strlen(text), &scene, &error);
        if (status != ISO_ERR_SCENE_INVALID || strcmp(error.path, cases[i].path) != 0 ||
            (cases[i].value != NULL && strcmp(error.value, cases[i].value) != 0) ||
            strcmp(error.expected, cases[i].expected) != 0) {
            fail_msg("%s\n got %s | %s | %s", text, error.path, error.value, error.expected);
        }
    }
}

static void test_what_only_the_world_finds_is_told_by_its_place(void **state) {
    (void)state;
    iso_scene *scene;
    iso_scene_error error;
    iso_world *world = build(HEAD ", \"blueprints\": [" CART "], \"compounds\": [{\"blueprint\": \"cart\"}, "
                                  "{\"blueprint\": \"cart\", \"position\": [30000, 0]}]}",
                             &scene, &error, ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/compounds/1");
    assert_string_equal(error.value, "cart");
    assert_string_equal(error.expected, "for the part wheel[1] a body that the world takes (a value is out of range)");
    free(world);
    iso_scene_free(scene);
    world = build(HEAD ", \"blueprints\": [{\"name\": \"dust\", \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": "
                       "\"circle\", \"radius\": 0.001}]}]}]}",
                  &scene, &error, ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/blueprints/0");
    assert_string_equal(error.expected,
                        "for the part a shapes whose mass and inertia are in range (a value is out of range)");
    free(world);
    iso_scene_free(scene);
    world = build(HEAD ", \"bodies\": [{\"name\": \"b\", \"shapes\": [" WHEEL
                       ", {\"kind\": \"segment\", \"points\": [[70, 0], [69, 0]]}]}]}",
                  &scene, &error, ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/bodies/0");
    assert_string_equal(error.expected,
                        "shapes that are within 60 m of its centre of mass; segments of static bodies may be farther "
                        "from its origin (a shape is too far out)");
    free(world);
    iso_scene_free(scene);
}

#define DISC(name, x) \
    "{\"name\": \"" name "\", \"position\": [" x ", 0], \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.25}]}"
#define DRIVEN(kind, speed)                                                                                 \
    "[{\"name\": \"driven\", \"bodies\": [" DISC("a", "0") ", " DISC(                                       \
        "b", "1") "], \"joints\": [{\"kind\": \"" kind                                                      \
                  "\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"motor\": {\"speed\": " speed \
                  ", \"max\": 5}}]}]"

/// As in a joint of the scene: 188.5 rad/s for each body.
static void test_motors_of_blueprints_are_no_faster_than_their_bodies_turn(void **state) {
    (void)state;
    static const struct {
        const char *blueprints;
        iso_status status;
    } cases[] = {
        {DRIVEN("revolute", "376"), ISO_OK},
        {DRIVEN("revolute", "378"), ISO_ERR_SCENE_INVALID},
        {DRIVEN("revolute", "-378"), ISO_ERR_SCENE_INVALID},
        {DRIVEN("prismatic", "378"), ISO_OK}, // m/s
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[2000];
        iso_scene *scene;
        iso_scene_error error = {0};
        snprintf(text, sizeof text, HEAD ", \"blueprints\": %s}", cases[i].blueprints);
        iso_world *world = build(text, &scene, &error, cases[i].status);
        if (cases[i].status != ISO_OK) {
            assert_string_equal(error.path, "/blueprints/0");
            assert_string_equal(error.value, "driven");
            assert_non_null(strstr(error.expected, "a motor that is no faster than its bodies can turn"));
        }
        free(world);
        iso_scene_free(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scene_makes_blueprints_and_compounds),
        cmocka_unit_test(test_a_scene_says_what_is_wrong_with_them),
        cmocka_unit_test(test_what_only_the_world_finds_is_told_by_its_place),
        cmocka_unit_test(test_motors_of_blueprints_are_no_faster_than_their_bodies_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
