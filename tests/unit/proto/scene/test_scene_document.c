/// proto/SCENE.md against the parser: its example parses, it names every key and word that the parser knows, and its
/// tables have the ranges and defaults of the code's lists.
#include <math.h>

#include "test_scene_util.h"

#define SPACE "\n## Space\n"

static char document[65536];

static void read_document(void) {
    read_text("SCENE.md", document, sizeof document);
}

static void test_scene_document_example_parses(void **state) {
    (void)state;
    read_document();
    const char *start = strstr(document, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = 0;
    iso_scene *scene = parse_ok(start);
    assert_int_equal(scene->body_count, 10);
    assert_int_equal(scene->joint_count, 9);
    // Hook and ball are where the chain ends.
    assert_int_equal(scene->joints[0].def.anchor_a.y, 0);
    assert_int_equal(scene->joints[8].def.anchor_b.y, 32768);
    iso_scene_free(scene);
}

static void test_scene_document_example_in_space_parses(void **state) {
    (void)state;
    read_document();
    const char *start = strstr(strstr(document, SPACE), "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = 0;
    iso_scene *scene = parse_ok(start);
    assert_int_equal(scene->def.dimensions, 3);
    assert_int_equal(scene->body_count, 2 + 4 * 6 + 2);
    // The wall's ends are 1.5 m from its middle in each row.
    const uint32_t half = iso_scene_body_find(scene, "brick[6,1]");
    assert_true(scene->bodies3[half].def.position.x == ISO_WIDE_ONE + ISO_WIDE_ONE * 3 / 8);
    assert_int_equal(scene->shapes3[scene->bodies3[half].shape_first].points[1].x, ISO_FIX16_ONE / 8);
    iso_scene_free(scene);
}

/// Each word after the colon or "one of" of what was expected must stand in a part of the document as code.
static void check_words_in(const char *part, const char *text) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(parse(text, strlen(text), &scene, &error), ISO_ERR_SCENE_INVALID);
    char *list = strstr(error.expected, "one of ");
    assert_non_null(list);
    uint32_t count = 0;
    for (char *word = strtok(list + strlen("one of "), ", "); word != NULL; word = strtok(NULL, ", ")) {
        char code[64];
        snprintf(code, sizeof code, "`%s`", word);
        if (strstr(part, code) == NULL) {
            fail_msg("SCENE.md does not mention %s", code);
        }
        count += 1;
    }
    assert_true(count >= 2);
}

static void check_words(const char *text) {
    check_words_in(document, text);
}

#define HEAD   "{\"format\": 1, \"name\": \"t\", "
#define BODIES "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], "
#define PAIR   "\"body_a\": \"a\", \"body_b\": \"b\", "

static void test_scene_document_names_every_key(void **state) {
    (void)state;
    read_document();
    check_words("{\"?\": 0}");
    check_words(HEAD "\"capacities\": {\"?\": 0}}");
    check_words(HEAD "\"world\": {\"?\": 0}}");
    check_words(HEAD "\"game\": {\"?\": 0}}");
    check_words(HEAD "\"materials\": {\"m\": {\"?\": 0}}}");
    check_words(HEAD "\"bodies\": [{\"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"type\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"owner\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"?\"}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"circle\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"box\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"polygon\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"capsule\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"segment\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"chain\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1, \"filter\": "
                     "{\"?\": 0}}]}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"row\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"chain\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"grid\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"pyramid\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"copies\", \"?\": 0}]}");
    check_words(HEAD "\"joints\": [{\"kind\": \"?\"}]}");
#define CHECK_KIND(name, number, snake, has) check_words(HEAD "\"joints\": [{\"kind\": \"" #snake "\", \"?\": 0}]}");
    ISO_JOINT_KIND_LIST(CHECK_KIND)
#undef CHECK_KIND
    check_words(HEAD "\"bodies\": [{\"generator\": \"chain\", \"name\": \"c\", \"count\": 2, \"step\": [1, 0], "
                     "\"body\": {}, \"joint\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"limit\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"motor\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"spring\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"distance\", " PAIR "\"break\": {\"?\": 0}}]}");
}

#define HEAD3 "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, "

/// In the chapter of space itself.
static void test_scene_document_names_every_key_of_space(void **state) {
    (void)state;
    read_document();
    char *chapter = strstr(document, SPACE);
    assert_non_null(chapter);
    char *end = strstr(chapter + 1, "\n## ");
    assert_non_null(end);
    *end = 0;
    check_words(HEAD3 "\"world\": {\"?\": 0}}");
    check_words_in(chapter, HEAD3 "\"world\": {\"integrator\": \"?\"}}");
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"?\": 0}]}");
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"name\": \"b\", \"type\": \"?\"}]}");
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"name\": \"b\", \"owner\": \"?\"}]}");
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"name\": \"b\", \"rotation\": {\"?\": 0}}]}");
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"?\"}]}]}");
    static const char *const kinds[] = {"sphere", "capsule", "box", "hull", "plane"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 HEAD3
                 "\"bodies\": [{\"name\": \"b\", \"type\": \"static\", \"shapes\": [{\"kind\": \"%s\", \"?\": 0}]}]}",
                 kinds[i]);
        check_words_in(chapter, text);
    }
    check_words_in(chapter, HEAD3 "\"bodies\": [{\"generator\": \"?\"}]}");
    static const char *const generators[] = {"row", "chain", "grid", "wall", "pyramid3", "copies"};
    for (size_t i = 0; i < sizeof generators / sizeof generators[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, HEAD3 "\"bodies\": [{\"generator\": \"%s\", \"?\": 0}]}", generators[i]);
        check_words_in(chapter, text);
        const char *row = strstr(chapter, "| generator | keys | makes |");
        char code[64];
        snprintf(code, sizeof code, "\n| `%s` | ", generators[i]);
        assert_non_null(strstr(row, code));
    }
}

#define BODIES3 "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], "
#define PLACES3 "\"body_a\": \"a\", \"body_b\": \"b\", \"axis\": [1, 0, 0], "

/// In the section of joints in space itself, but for what every joint has.
static void test_scene_document_names_every_key_of_joints_in_space(void **state) {
    (void)state;
    read_document();
    char *section = strstr(document, "\n### Joints in space\n");
    assert_non_null(section);
    char *end = strstr(section + 1, "\n## ");
    assert_non_null(end);
    *end = 0;
    check_words_in(section, HEAD3 BODIES3 "\"joints\": [{\"kind\": \"?\"}]}");
#define CHECK_KIND3(name, number, snake, linear, angular, axis0, axis1, axis2, has)               \
    check_words_in(section, HEAD3 BODIES3 "\"joints\": [{\"kind\": \"" #snake "\", \"?\": 0}]}"); \
    assert_non_null(strstr(section, "\n| `" #snake "` | "));
    ISO_JOINT3_KIND_LIST(CHECK_KIND3)
    ISO_JOINT3_CUSTOM_LIST(CHECK_KIND3)
#undef CHECK_KIND3
    static const char *const parts[] = {"limit", "motor", "spring", "break"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 HEAD3 BODIES3 "\"joints\": [{\"kind\": \"parallel\", " PLACES3 "\"%s\": {\"?\": 0}}]}", parts[i]);
        check_words_in(section, text);
    }
    check_words_in(section, HEAD3 BODIES3 "\"joints\": [{\"kind\": \"ball\", \"body_b\": \"b\", \"swing\": "
                                          "{\"?\": 0}}]}");
}

/// @name The tables of keys against the lists that the code has
/// @{
typedef struct table_row {
    const char *at; // in the document
    char cells[3][600];
} table_row;

/// The row below `heading`, and before the next heading, whose first cell has the key.
static table_row find_row(const char *heading, const char *key) {
    table_row row = {NULL, {"", "", ""}};
    char code[64];
    snprintf(code, sizeof code, "`%s`", key);
    const char *line = strstr(document, heading);
    assert_non_null(line);
    for (line = strchr(line + 1, '\n') + 1; *line != 0 && *line != '#' && row.at == NULL;
         line = strchr(line, '\n') + 1) {
        assert_non_null(strchr(line, '\n'));
        const int count =
            sscanf(line, "| %599[^|\n]| %599[^|\n]| %599[^|\n]|\n", row.cells[0], row.cells[1], row.cells[2]);
        row.at = count == 3 && strstr(row.cells[0], code) != NULL ? line : NULL;
    }
    if (row.at == NULL) {
        fail_msg("SCENE.md has no row of %s below \"%s\"", code, heading);
    }
    return row;
}

/// A number with commas between its thousands. @return what stands behind it, NULL: it is none
static const char *read_number(const char *text, long double *value) {
    static const char all[] = "2^64 - 1";
    if (strncmp(text, all, strlen(all)) == 0) {
        *value = (long double)UINT64_MAX;
        return text + strlen(all);
    }
    char digits[32];
    size_t size = 0, at = 0;
    for (; size < sizeof digits - 1 && text[at] != 0 && strchr("-.0123456789,", text[at]) != NULL; ++at) {
        if (text[at] != ',') {
            digits[size++] = text[at];
        } else if (text[at + 1] < '0' || text[at + 1] > '9') {
            break;
        }
    }
    digits[size] = 0;
    char *end;
    *value = strtold(digits, &end);
    return size > 0 && *end == 0 ? text + at : NULL;
}

/// Whether a cell says "LOW to HIGH", for the first two numbers that it says so of.
static bool read_range(const char *cell, long double *low, long double *high) {
    for (const char *to = strstr(cell, " to "); to != NULL; to = strstr(to + 1, " to ")) {
        const char *start = to;
        while (start > cell && strchr("-.0123456789,", start[-1]) != NULL) {
            --start;
        }
        if (start < to && start > cell && start[-1] == '/') {
            return false; // a fraction
        }
        if (start < to && read_number(start, low) == to && read_number(to + 4, high) != NULL) {
            return true;
        }
    }
    return false;
}

static void expect_range(const table_row *row, const char *key, long double low, long double high) {
    long double from, to;
    if (!read_range(row->cells[1], &from, &to) || from != low || to != high) {
        fail_msg("%s is from %Lg to %Lg, SCENE.md says \"%s\"", key, low, high, row->cells[1]);
    }
}

static void expect_default(const table_row *row, const char *key, long double value, long double one) {
    long double written;
    if (read_number(row->cells[2], &written) == NULL || floorl(written * one + 0.5L) != value) {
        fail_msg("%s is %Lg by default, SCENE.md says \"%s\"", key, value / one, row->cells[2]);
    }
}

static void expect_switch(const table_row *row, const char *key, bool value) {
    const char *word = value ? "true " : "false ";
    if (strncmp(row->cells[2], word, strlen(word)) != 0) {
        fail_msg("%s is %sby default, SCENE.md says \"%s\"", key, word, row->cells[2]);
    }
}

#define FIX16_OF(value)    floorl((value)*65536.0L + 0.5L)
#define HEADING_root       "\n## The scene\n"
#define HEADING_capacities "\n### capacities\n"

static void test_scene_document_has_the_world_as_the_code_has_it(void **state) {
    (void)state;
    read_document();
    const iso_world_def def = iso_world_def_default();
#define EXPECT_COUNT(type, name, low, high, otherwise, object, key, unit)     \
    {                                                                         \
        const table_row row = find_row(HEADING_##object, #key);               \
        expect_range(&row, #key, (low), (high));                              \
        if (strncmp(row.cells[2], "three quarters of `contacts`", 28) == 0) { \
            assert_int_equal(def.name, def.contact_capacity * 3 / 4);         \
        } else {                                                              \
            expect_default(&row, #key, def.name, 1);                          \
        }                                                                     \
    }
#define EXPECT_NUMBER(name, low, high, otherwise, unit)                                                   \
    {                                                                                                     \
        const table_row row = find_row("\n### world\n", #name);                                           \
        long double from, to;                                                                             \
        if (!read_range(row.cells[1], &from, &to) || FIX16_OF(from) != (low) || FIX16_OF(to) != (high)) { \
            fail_msg("the range of " #name " in SCENE.md is not the code's");                             \
        }                                                                                                 \
        expect_default(&row, #name, def.name, 65536);                                                     \
    }
#define EXPECT_OTHER(name)
    ISO_WORLD_DEF_LIST(EXPECT_COUNT, EXPECT_NUMBER, EXPECT_OTHER)
}

/// Their order is that of the command that sets them (WIRE.md) and of its canonical bytes.
static void test_scene_document_has_the_parameters_of_bodies_as_the_code_has_them(void **state) {
    (void)state;
    read_document();
    const iso_body_params params = iso_body_params_default();
    const char *before = document;
#define EXPECT_NUMBER_OF_BODY(name, low, high, otherwise)       \
    {                                                           \
        const table_row row = find_row("\n## Bodies\n", #name); \
        expect_range(&row, #name, (low), (high));               \
        expect_default(&row, #name, params.name, 65536);        \
        assert_true(row.at > before);                           \
        before = row.at;                                        \
    }
#define EXPECT_SWITCH_OF_BODY(name, bit, key)                  \
    {                                                          \
        const table_row row = find_row("\n## Bodies\n", #key); \
        expect_switch(&row, #key, params.name);                \
        const char *at = strstr(row.at, "`" #key "`");         \
        assert_true(at > before);                              \
        before = at;                                           \
    }
    ISO_BODY_NUMBER_LIST(EXPECT_NUMBER_OF_BODY)
    ISO_BODY_SWITCH_LIST(EXPECT_SWITCH_OF_BODY)
}

static void test_scene_document_has_the_parameters_of_bodies_in_space_as_the_code_has_them(void **state) {
    (void)state;
    read_document();
    const iso_body3_params params = iso_body3_params_default();
    const char *before = document;
#define HEADING_BODY3 "\n### Bodies in space\n"
#define EXPECT_NUMBER_OF_BODY3(name, low, high, otherwise)    \
    {                                                         \
        const table_row row = find_row(HEADING_BODY3, #name); \
        expect_range(&row, #name, (low), (high));             \
        expect_default(&row, #name, params.name, 65536);      \
        assert_true(row.at > before);                         \
        before = row.at;                                      \
    }
#define EXPECT_SWITCH_OF_BODY3(name, bit, key)               \
    {                                                        \
        const table_row row = find_row(HEADING_BODY3, #key); \
        expect_switch(&row, #key, params.name);              \
        const char *at = strstr(row.at, "`" #key "`");       \
        assert_true(at > before);                            \
        before = at;                                         \
    }
    ISO_BODY3_NUMBER_LIST(EXPECT_NUMBER_OF_BODY3)
    ISO_BODY3_SWITCH_LIST(EXPECT_SWITCH_OF_BODY3)
}

/// What the document says of integrators, speeds, hulls and densities.
static void test_scene_document_has_the_bounds_of_space_as_the_code_has_them(void **state) {
    (void)state;
    read_document();
    char text[64];
    table_row row = find_row(SPACE, "integrator");
#define EXPECT_INTEGRATOR(NAME, number, name) assert_non_null(strstr(row.cells[1], "`" #name "`"));
    ISO_INTEGRATOR_LIST(EXPECT_INTEGRATOR)
    assert_int_equal(iso_world_def_default().integrator, ISO_INTEGRATOR_SPLIT);
    assert_memory_equal(row.cells[2], "`split` ", 8);
    snprintf(text, sizeof text, "within ±%d;", ISO_SPEED3_MAX_M_S);
    row = find_row(HEADING_BODY3, "velocity");
    assert_non_null(strstr(row.cells[1], text));
    snprintf(text, sizeof text, "(4 to %d triples ", ISO_HULL_VERTICES_MAX);
    assert_non_null(strstr(document, text));
    snprintf(text, sizeof text, "in kg/m³, 0 to 32767, and %d by default", iso_shape3_def_default().density >> 16);
    assert_non_null(strstr(document, text));
}

/// A number of a joint has a row of its own, or stands in that of the part that it belongs to.
static table_row find_joint_row(const char *name, const char **word) {
    static const char *const parts[] = {"motor", "spring", "break", "limit"};
    const char *key = strcmp(name, "lower") == 0 || strcmp(name, "upper") == 0 ? "limit" : name;
    *word = name;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const size_t size = strlen(parts[i]);
        if (strncmp(name, parts[i], size) == 0 && name[size] == '_') {
            key = parts[i];
            *word = name + size + 1;
        }
    }
    return find_row("\nThe numbers that only some kinds have:\n", key);
}

static void expect_joint_number(const char *name, long double low, long double high, long double value,
                                long double one) {
    const char *word;
    const table_row row = find_joint_row(name, &word);
    char code[64];
    snprintf(code, sizeof code, "`%s`", word);
    if (word != name || strcmp(name, "lower") == 0 || strcmp(name, "upper") == 0) {
        if (strstr(row.cells[1], code) == NULL) {
            fail_msg("SCENE.md has no %s in the row \"%s\"", code, row.cells[0]);
        }
        return;
    }
    long double from, to, written;
    if (read_range(row.cells[1], &from, &to)) {
        expect_range(&row, name, low, high);
    }
    if (read_number(row.cells[2], &written) != NULL) { // else what the scene makes it
        expect_default(&row, name, value, one);
    }
}

static void test_scene_document_has_the_numbers_of_joints_as_the_code_has_them(void **state) {
    (void)state;
    read_document();
    const iso_joint_def def = iso_joint_def_default();
#define ONE_FIX16                                     65536.0L
#define ONE_WIDE                                      4294967296.0L
#define EXPECT_NUMBER_OF_JOINT(type, name, low, high) expect_joint_number(#name, low, high, def.name, ONE_##type);
    ISO_JOINT_NUMBER_LIST(EXPECT_NUMBER_OF_JOINT)
    const char *word;
    table_row row = find_joint_row("axis", &word);
    assert_memory_equal(row.cells[2], "[1, 0] ", 7);
    assert_true(def.axis.x == ISO_FIX16_ONE && def.axis.y == 0);
    row = find_joint_row("enabled", &word);
    expect_switch(&row, "enabled", def.enabled);
    row = find_joint_row("collide_connected", &word);
    expect_switch(&row, "collide_connected", def.collide_connected);
    row = find_joint_row("break", &word);
    assert_true(!def.remove_on_break && strstr(row.cells[1], "`remove` (false)") != NULL);
}

static void range_of_joint3(const char *key, long double *low, long double *high) {
#define RANGE_OF_JOINT3(type, name, from, to) \
    if (strcmp(key, #name) == 0) {            \
        *low = (from);                        \
        *high = (to);                         \
    }
    ISO_JOINT3_NUMBER_LIST(RANGE_OF_JOINT3)
}

static void test_scene_document_has_the_numbers_of_joints_in_space_as_the_code_has_them(void **state) {
    (void)state;
    read_document();
    const iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_HINGE);
#define EXPECT_NUMBER_OF_JOINT3(key)                                           \
    {                                                                          \
        const table_row row = find_row("\nEvery joint may have `name`", #key); \
        long double low = 0, high = 0;                                         \
        range_of_joint3(#key, &low, &high);                                    \
        expect_range(&row, #key, low, high);                                   \
        expect_default(&row, #key, def.key, 65536);                            \
    }
    EXPECT_NUMBER_OF_JOINT3(hertz)
    EXPECT_NUMBER_OF_JOINT3(damping_ratio)
    EXPECT_NUMBER_OF_JOINT3(force_max)
    EXPECT_NUMBER_OF_JOINT3(torque_max)
    EXPECT_NUMBER_OF_JOINT3(correction_max)
}
/// @}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_document_example_parses),
        cmocka_unit_test(test_scene_document_example_in_space_parses),
        cmocka_unit_test(test_scene_document_names_every_key),
        cmocka_unit_test(test_scene_document_names_every_key_of_space),
        cmocka_unit_test(test_scene_document_names_every_key_of_joints_in_space),
        cmocka_unit_test(test_scene_document_has_the_world_as_the_code_has_it),
        cmocka_unit_test(test_scene_document_has_the_parameters_of_bodies_as_the_code_has_them),
        cmocka_unit_test(test_scene_document_has_the_parameters_of_bodies_in_space_as_the_code_has_them),
        cmocka_unit_test(test_scene_document_has_the_bounds_of_space_as_the_code_has_them),
        cmocka_unit_test(test_scene_document_has_the_numbers_of_joints_as_the_code_has_them),
        cmocka_unit_test(test_scene_document_has_the_numbers_of_joints_in_space_as_the_code_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
