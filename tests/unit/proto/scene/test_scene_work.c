/// What building a scene takes is counted before it is done, and bounded where the author is not trusted.
#include "isostep/games.h"
#include "isostep/scenes.h"
#include "test_scene_util.h"

#define HEAD "{\"format\":1,\"name\":\"a\",\"capacities\":{\"bodies\":40000,\"shapes\":60000,\"joints\":40000},"
#define HEAD3            \
    "{\"dimensions\":3," \
    "\"format\":1,\"name\":\"a\",\"capacities\":{\"bodies\":45000,\"shapes\":45000,\"joints\":10},"
#define CIRCLE "\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]"
#define SPHERE "\"shapes\":[{\"kind\":\"sphere\",\"radius\":1}]"
#define BOX    "{\"kind\":\"box\",\"half_width\":1,\"half_height\":1}"
#define ROW(count, body, step) \
    "{\"generator\":\"row\",\"name\":\"r\",\"count\":" #count ",\"step\":" step ",\"body\":{" body "}}"

#define RICH                                                                                                          \
    "{\"kind\":\"revolute\",\"body_a\":\"a\",\"body_b\":\"b\",\"at\":[0,0],\"limit\":{\"lower\":0,\"upper\":1,"       \
    "\"hertz\":1,\"damping_ratio\":1},\"motor\":{\"speed\":1,\"max\":1},\"break\":{\"force\":1,\"torque\":1,"         \
    "\"error\":1,\"angle\":1,\"remove\":true},\"hertz\":1,\"tag\":1,\"owner\":\"nobody\",\"enabled\":true,\"damping_" \
    "ratio\":1,\"force_max\":1,\"torque_max\":1,\"correction_max\":1,\"collide_connected\":true}"

#define BOX4  BOX "," BOX "," BOX "," BOX
#define BOX16 BOX4 "," BOX4 "," BOX4 "," BOX4

static iso_status parse_sent(const char *text, iso_scene **scene, iso_scene_error *error) {
    return iso_scene_parse_within(text, strlen(text), iso_games, ISO_GAME_COUNT, UINT64_MAX, scene, error);
}

static iso_status parse_trusted(const char *text, iso_scene **scene, iso_scene_error *error) {
    return iso_scene_parse(text, strlen(text), iso_games, ISO_GAME_COUNT, scene, error);
}

/// Each has one kind of work alone, of which there is too much.
static const struct {
    const char *text, *path;
} dear[] = {
    {HEAD
     "\"bodies\":[{\"name\":\"b\"}," ROW(820, "\"shapes\":[" BOX16 "," BOX16 "," BOX16 "," BOX16 "]", "[0,0]") "]}",
     "/bodies/1"},
    {HEAD3 "\"bodies\":[" ROW(43000,
                              "\"shapes\":[{\"kind\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1],[1,1,"
                              "0],[0,1,1],[1,0,1]]}]",
                              "[0,0,0]") "]}",
     "/bodies/0"},
    {HEAD "\"bodies\":[{\"generator\":\"copies\",\"name\":\"k\",\"columns\":20000,\"step\":[0,0],\"bodies\":[{\"name\":"
          "\"a\"},{\"name\":\"b\"}],\"joints\":[" RICH "," RICH "," RICH "," RICH "," RICH "," RICH "," RICH "]}]}",
     "/bodies/0/joints"},
};

static void test_what_takes_too_much_is_refused_before_it_is_made(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof dear / sizeof *dear; ++i) {
        iso_scene *scene = NULL;
        iso_scene_error error = {.line = 0};
        const iso_status status = parse_sent(dear[i].text, &scene, &error);
        if (status != ISO_ERR_SCENE_INVALID || strcmp(error.path, dear[i].path) != 0) {
            fail_msg("%zu: %s at %s, expected %s", i, iso_status_name(status), error.path, error.expected);
        }
        static const char begins[] = "a scene that takes at most 500000 units of work to build: up to here it takes ";
        assert_memory_equal(error.expected, begins, sizeof begins - 1);
        assert_true(strtoull(error.expected + sizeof begins - 1, NULL, 10) > ISO_SCENE_SENT_WORK_MAX);
        // Whoever writes a file is trusted, as far as the capacities go.
        const iso_status trusted = parse_trusted(dear[i].text, &scene, &error);
        assert_true(trusted == ISO_OK ? scene->work > ISO_SCENE_SENT_WORK_MAX * (uint64_t)1000
                                      : strstr(error.expected, "joints in all (/capacities/joints)") != NULL);
        iso_scene_free(scene);
    }
}

/// Nothing sleeps while a scene is built, so what does not move looks for no sleepers, however many bodies there are.
static void test_static_bodies_cost_what_dynamic_ones_do(void **state) {
    (void)state;
    static const char *const scenes[][2] = {
        {HEAD "\"bodies\":[" ROW(40000, "\"type\":\"dynamic\"," CIRCLE, "[0,0]") "]}",
         HEAD "\"bodies\":[" ROW(40000, "\"type\":\"static\", " CIRCLE, "[0,0]") "]}"},
        {HEAD3 "\"bodies\":[" ROW(40000, "\"type\":\"dynamic\"," SPHERE, "[0,0,0]") "]}",
         HEAD3 "\"bodies\":[" ROW(40000, "\"type\":\"static\", " SPHERE, "[0,0,0]") "]}"},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        uint64_t work[2];
        for (int type = 0; type < 2; ++type) {
            iso_scene *scene = NULL;
            iso_scene_error error;
            assert_int_equal(parse_sent(scenes[i][type], &scene, &error), ISO_OK);
            work[type] = scene->work;
            iso_scene_free(scene);
        }
        assert_true(work[0] == work[1]);
    }
}

/// Compounds are made of what a blueprint is, each anew.
static void test_compounds_count_as_their_parts(void **state) {
    (void)state;
    static char text[40000];
    iso_scene_error error;
    for (uint32_t count = 40; count <= 440; count += 400) {
        iso_scene *scene = NULL;
        int size = snprintf(text, sizeof text, HEAD "\"blueprints\":[{\"name\":\"b\",\"bodies\":[%s]}],\"compounds\":[",
                            ROW(2, "\"shapes\":[" BOX16 "," BOX16 "," BOX16 "," BOX16 "]", "[0,0]"));
        for (uint32_t i = 0; i < count; ++i) {
            size += snprintf(text + size, sizeof text - (size_t)size, "%s{\"blueprint\":\"b\"}", i > 0 ? "," : "");
        }
        snprintf(text + size, sizeof text - (size_t)size, "]}");
        const iso_status status = parse_sent(text, &scene, &error);
        assert_int_equal(status, count == 40 ? ISO_OK : ISO_ERR_SCENE_INVALID);
        if (status != ISO_OK) {
            assert_memory_equal(error.path, "/compounds/", 11);
            assert_non_null(strstr(error.expected, "units of work"));
        } else {
            assert_true(scene->work > 40 * scene->blueprints[0].parts->work);
        }
        iso_scene_free(scene);
    }
}

/// What people build is far from the limit: all scenes of the library, those that are meant to be large among them.
static void test_usual_scenes_may_be_sent(void **state) {
    (void)state;
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    for (size_t i = 0; i < count; ++i) {
        iso_scene *scene = NULL;
        iso_scene_error error;
        const iso_status status =
            iso_scene_parse_within(list[i].text, list[i].size, iso_games, ISO_GAME_COUNT, UINT64_MAX, &scene, &error);
        if (status != ISO_OK) {
            fail_msg("%s: %s", list[i].name, error.expected);
        }
        assert_true(scene->work > 0 && scene->work < ISO_SCENE_SENT_WORK_MAX * (uint64_t)1000 / 5);
        iso_scene_free(scene);
    }
    assert_true(count > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_takes_too_much_is_refused_before_it_is_made),
        cmocka_unit_test(test_static_bodies_cost_what_dynamic_ones_do),
        cmocka_unit_test(test_compounds_count_as_their_parts),
        cmocka_unit_test(test_usual_scenes_may_be_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
