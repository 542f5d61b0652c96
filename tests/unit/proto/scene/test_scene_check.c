/// Several errors of one scene, and the places of errors in its text.
#include "test_scene_util.h"

#define ERRORS_MAX 8

static iso_scene_error errors[ERRORS_MAX];
static uint32_t error_count;

static iso_status check(const char *text, uint32_t capacity) {
    iso_scene *scene = NULL;
    const iso_status status =
        iso_scene_check(text, strlen(text), test_games, 1, &scene, errors, capacity, &error_count);
    assert_int_equal(scene != NULL, status == ISO_OK);
    iso_scene_free(scene);
    return status;
}

static void assert_error(uint32_t index, const char *path, uint32_t line, uint32_t column) {
    assert_true(index < error_count);
    const iso_scene_error *error = &errors[index];
    if (strcmp(error->path, path) != 0 || error->line != line || error->column != column) {
        fail_msg("error %u: wanted %s at %u:%u, got %s at %u:%u", index, path, line, column, error->path, error->line,
                 error->column);
    }
}

static const char many[] = "{\"format\": 1, \"name\": \"many\",\n"
                           " \"tick_rate_hz\": 9,\n"
                           " \"world\": {\"slop\": 3},\n"
                           " \"game\": {\"name\": \"none\"},\n"
                           " \"constraints\": {\"c\": \"nonsense\"},\n"
                           " \"materials\": {\"m\": {\"density\": -1}, \"n\": {\"weight\": 1}},\n"
                           " \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5, "
                           "\"material\": \"m\"}]},\n"
                           "  {\"name\": \"b\", \"mass\": 0}]}";

static void test_scene_check_finds_what_does_not_depend_on_each_other(void **state) {
    (void)state;
    assert_int_equal(check(many, ERRORS_MAX), ISO_ERR_SCENE_INVALID);
    assert_int_equal(error_count, 7);
    assert_error(0, "/tick_rate_hz", 2, 18);
    assert_error(1, "/world/slop", 3, 20);
    assert_error(2, "/game/name", 4, 19);
    assert_error(3, "/constraints/c", 5, 23);
    assert_error(4, "/materials/m/density", 6, 33);
    assert_error(5, "/materials/n/weight", 6, 54);
    assert_error(6, "/bodies/1/mass", 8, 25);
}

static void test_scene_check_ends_with_the_last_error_there_is_room_for(void **state) {
    (void)state;
    for (uint32_t capacity = 1; capacity <= 7; ++capacity) {
        assert_int_equal(check(many, capacity), ISO_ERR_SCENE_INVALID);
        assert_int_equal(error_count, capacity);
        assert_error(0, "/tick_rate_hz", 2, 18);
    }
}

/// One wrong thing is one error, not one for each that names it.
static void test_scene_check_says_nothing_of_what_depends_on_an_error(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": 1}, {\"name\": \"b\"}], "
         "\"joints\": [{\"kind\": \"weld\", \"body_a\": \"a\", \"body_b\": \"b\"}]}",
         "/bodies/0/name"},
        {"{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": -1}, \"bodies\": [{\"name\": \"b\"}, {}]}",
         "/capacities/bodies"},
        {"{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 1}, "
         "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\"}, {\"name\": \"d\"}]}",
         "/bodies/1"},
        {"{\"format\": 1, \"name\": \"t\", \"constraints\": {\"c\": \"nonsense\"}, "
         "\"bodies\": [{\"name\": \"a\"}], \"joints\": [{\"kind\": \"symbolic\", \"constraint\": \"c\"}]}",
         "/constraints/c"},
        {"{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "/bodies/1/name"},
        {"{\"format\": 1, \"name\": \"t\", \"game\": {\"name\": \"none\"}, \"bodies\": [{\"name\": \"a\"}], "
         "\"joints\": [{\"kind\": \"user\", \"constraint\": \"c\", \"bodies\": {\"body1\": \"a\"}}]}",
         "/game/name"},
        {"{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"game\": {\"name\": \"none\"}, \"bodies\": "
         "[{\"name\": \"a\"}], \"joints\": [{\"kind\": \"user\", \"constraint\": \"c\", \"bodies\": "
         "{\"body1\": \"a\"}}]}",
         "/game/name"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_int_equal(check(texts[i][0], ERRORS_MAX), ISO_ERR_SCENE_INVALID);
        assert_int_equal(error_count, 1);
        assert_string_equal(errors[0].path, texts[i][1]);
    }
}

static void test_scene_check_finds_each_wrong_joint(void **state) {
    (void)state;
    assert_int_equal(check("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}],\n"
                           " \"joints\": [{\"kind\": \"weld\", \"body_a\": \"x\", \"body_b\": \"b\"},\n"
                           "  {\"kind\": \"weld\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0]},\n"
                           "  {\"kind\": \"weld\", \"body_a\": \"a\"}]}",
                           ERRORS_MAX),
                     ISO_ERR_SCENE_INVALID);
    assert_int_equal(error_count, 2);
    assert_error(0, "/joints/0/body_a", 2, 40);
    // What is missing has the place of what should hold it.
    assert_error(1, "/joints/2/body_b", 4, 3);
}

/// The error at a joint of this body, in a scene with some others.
static void expect_nearest(const char *body, const char *nearest) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"ground\"}, {\"name\": \"round\"}, {\"name\": "
             "\"a\"}, {\"generator\": \"row\", \"name\": \"crate\", \"count\": 3, \"step\": [1, 0], \"body\": {}}],"
             "\"joints\": [{\"kind\": \"weld\", \"body_a\": \"%s\", \"body_b\": \"a\", \"at\": [0, 0]}]}",
             body);
    assert_int_equal(check(text, ERRORS_MAX), ISO_ERR_SCENE_INVALID);
    assert_int_equal(error_count, 1);
    // How a group's bodies are numbered, and up to where.
    assert_string_equal(errors[0].expected, strncmp(body, "crate", 5) == 0
                                                ? "the name of a body, as from crate[0] to crate[2]"
                                                : "the name of a body");
    if (strcmp(errors[0].nearest, nearest) != 0) {
        fail_msg("for %s: %s, expected %s", body, errors[0].nearest, nearest);
    }
}

static void test_scene_error_names_what_is_nearest(void **state) {
    (void)state;
    expect_nearest("grond", "'ground', 'round'");
    expect_nearest("Ground", "'ground', 'round'");
    expect_nearest("rounf", "'round', 'ground'");
    expect_nearest("rnoud", "'round'");
    expect_nearest("ceiling", "");
    expect_nearest("x", "");
    expect_nearest("crate[7]", "'crate[0]'");
    expect_nearest("crate", "'crate[0]'");
    expect_nearest("crat[1]", "'crate[0]'");
    static const char *const texts[][3] = {
        {"{\"format\": 1, \"name\": \"t\", \"game\": {\"name\": \"test_gaem\"}}", "/game/name", "'test-game'"},
        {"{\"format\": 1, \"name\": \"t\", \"materials\": {\"steel\": {}}, \"bodies\": [{\"name\": \"a\", \"shapes\": "
         "[{\"kind\": \"circle\", \"radius\": 1, \"material\": \"stel\"}]}]}",
         "/bodies/0/shapes/0/material", "'steel'"},
        {"{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\", \"velocty\": [0, 0]}]}", "/bodies/0/velocty",
         "'velocity'"},
        {"{\"format\": 1, \"name\": \"t\", \"blueprints\": [{\"name\": \"cart\", \"bodies\": [{\"name\": \"a\"}]}], "
         "\"compounds\": [{\"blueprint\": \"card\"}]}",
         "/compounds/0/blueprint", "'cart'"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_int_equal(check(texts[i][0], ERRORS_MAX), ISO_ERR_SCENE_INVALID);
        assert_string_equal(errors[0].path, texts[i][1]);
        assert_string_equal(errors[0].nearest, texts[i][2]);
    }
    char line[1200];
    iso_scene_error_format(&errors[0], line, sizeof line);
    assert_non_null(strstr(line, "expected the name of a blueprint; did you mean 'cart'?"));
}

static void test_scene_check_counts_errors_of_one_kind(void **state) {
    (void)state;
    char text[4000] = "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\"}";
    for (int i = 0; i < 31; ++i) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ", {\"name\": \"b%d\", \"mas\": %d}", i, i);
    }
    strcat(text, ", {\"name\": \"c\", \"mass\": -1}, {\"name\": \"d\", \"mas\": 1}],"
                 "\"joints\": [{\"kind\": \"weld\", \"body_a\": \"x\"}]}");
    assert_int_equal(check(text, 3), ISO_ERR_SCENE_INVALID);
    assert_int_equal(error_count, 2);
    assert_string_equal(errors[0].path, "/bodies/1/mas");
    assert_int_equal(errors[0].more, 31);
    assert_string_equal(errors[1].path, "/bodies/32/mass");
    assert_int_equal(errors[1].more, 0);
    char line[1200];
    iso_scene_error_format(&errors[0], line, sizeof line);
    assert_non_null(strstr(line, "; did you mean 'mass'? (and 31 more)"));
}

static void test_scene_check_of_a_right_scene_is_a_parse(void **state) {
    (void)state;
    assert_int_equal(check("{\"format\": 1, \"name\": \"t\"}", ERRORS_MAX), ISO_OK);
    assert_int_equal(error_count, 0);
}

static void test_scene_error_of_a_text_that_is_no_json_has_its_own_place(void **state) {
    (void)state;
    assert_int_equal(check("{\"format\": 1,\n \"name\": nil}", ERRORS_MAX), ISO_ERR_SCENE_INVALID);
    assert_int_equal(error_count, 1);
    assert_error(0, "/name", 2, 10);
    // A path that is longer than its room is cut at both ends of the comparison.
    char text[800];
    snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"t\",\n \"%0300d\": 1}", 0);
    assert_int_equal(check(text, ERRORS_MAX), ISO_ERR_SCENE_INVALID);
    assert_int_equal(errors[0].line, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_check_finds_what_does_not_depend_on_each_other),
        cmocka_unit_test(test_scene_check_ends_with_the_last_error_there_is_room_for),
        cmocka_unit_test(test_scene_error_names_what_is_nearest),
        cmocka_unit_test(test_scene_check_counts_errors_of_one_kind),
        cmocka_unit_test(test_scene_check_says_nothing_of_what_depends_on_an_error),
        cmocka_unit_test(test_scene_check_finds_each_wrong_joint),
        cmocka_unit_test(test_scene_check_of_a_right_scene_is_a_parse),
        cmocka_unit_test(test_scene_error_of_a_text_that_is_no_json_has_its_own_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
