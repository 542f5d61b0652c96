/// The text of a scene: strict JSON, limits, hostile input.
#include <inttypes.h>

#include "test_scene_util.h"
#include "unit/many.h"

static void bad_text(const char *text, size_t size, const char *path, const char *value, const char *expected,
                     uint32_t line, uint32_t column) {
    // An exact copy on the heap, so that a sanitizer sees a read beyond its end.
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, text, size);
    iso_scene *scene = NULL;
    iso_scene_error error;
    const iso_status status = parse(copy, size, &scene, &error);
    free(copy);
    if (status != ISO_ERR_SCENE_INVALID || strcmp(error.path, path) != 0 || strcmp(error.value, value) != 0 ||
        strcmp(error.expected, expected) != 0 || error.line != line || error.column != column) {
        fail_msg("%.80s\n wanted %s | %s | %s | %u:%u\n    got %s | %s | %s | %u:%u (%s)", text, path, value, expected,
                 line, column, error.path, error.value, error.expected, error.line, error.column,
                 iso_status_name(status));
    }
    assert_null(scene);
}

#define BAD(text, path, value, expected, line, column) \
    bad_text(text, sizeof(text) - 1, path, value, expected, line, column)

static void test_scene_text_is_strict_json(void **state) {
    (void)state;
    BAD("", "", "the end of the text", "an object", 1, 1);
    BAD("  \n ", "", "the end of the text", "an object", 2, 2);
    BAD("[]", "", "[]", "an object", 1, 1);
    BAD("12", "", "12", "an object", 1, 1);
    BAD("\xEF\xBB\xBF{}", "", "\\xef\\xbb\\xbf{}", "an object", 1, 1);
    BAD("{} {}", "", "{}", "nothing after the scene", 1, 4);
    BAD("{", "", "the end of the text", "a key in double quotes", 1, 2);
    BAD("{\"a\"", "/a", "the end of the text", "a colon", 1, 5);
    BAD("{\"a\":", "/a", "the end of the text", "a value of JSON", 1, 6);
    BAD("{\"a\":1", "/a", "the end of the text", "a comma or the end of the object", 1, 7);
    BAD("{\"a\":1,}", "/a", "}", "a key in double quotes", 1, 8);
    BAD("{\"a\":[1,]}", "/a/1", "]}", "a value of JSON", 1, 9);
    BAD("{\"a\":[1 2]}", "/a/0", "2]}", "a comma or the end of the array", 1, 9);
    BAD("{'a':1}", "", "'a':1}", "a key in double quotes", 1, 2);
    BAD("{a:1}", "", "a:1}", "a key in double quotes", 1, 2);
    BAD("{\"a\":NaN}", "/a", "NaN}", "a value of JSON", 1, 6);
    BAD("{\"a\":Infinity}", "/a", "Infinity}", "a value of JSON", 1, 6);
    BAD("{\"a\":-Infinity}", "/a", "-Infinity}", "a number of JSON", 1, 6);
    BAD("{\"a\":nul}", "/a", "nul}", "a value of JSON", 1, 6);
    BAD("{\"a\":01}", "/a", "01}", "a number of JSON", 1, 6);
    BAD("{\"a\":1.}", "/a", "1.}", "a number of JSON", 1, 6);
    BAD("{\"a\":.5}", "/a", ".5}", "a value of JSON", 1, 6);
    BAD("{\"a\":+1}", "/a", "+1}", "a value of JSON", 1, 6);
    BAD("{\"a\":1e}", "/a", "1e}", "a number of JSON", 1, 6);
    BAD("{\"a\":-}", "/a", "-}", "a number of JSON", 1, 6);
    BAD("{\"a\":0x10}", "/a", "x10}", "a comma or the end of the object", 1, 7);
    BAD("{\"a\":18446744073709551616}", "/a", "18446744073709551616}", "an integer of at most 64 bits", 1, 6);
    BAD("{\"a\":-9223372036854775809}", "/a", "-9223372036854775809}", "an integer of at most 64 bits", 1, 6);
    BAD("{\"a\":\"x\ny\"}", "/a", "\\x0ay\"}", "no control character in a string", 1, 8);
    BAD("{\"a\":\"x", "/a", "the end of the text", "the end of the string", 1, 8);
    BAD("{\"a\":\"\\", "/a", "\\", "an escape of JSON, not of U+0000", 1, 7);
    BAD("{\"a\":\"\\x\"}", "/a", "\\x\"}", "an escape of JSON, not of U+0000", 1, 7);
    BAD("{\"a\":\"\\u12", "/a", "\\u12", "an escape of JSON, not of U+0000", 1, 7);
    BAD("{\"a\":\"\\u00g0\"}", "/a", "\\u00g0\"}", "an escape of JSON, not of U+0000", 1, 7);
    BAD("{\"a\":\"\\u0000\"}", "/a", "\\u0000\"}", "an escape of JSON, not of U+0000", 1, 7);
    BAD("{\"a\":\"\\ud800\"}", "/a", "\\ud800\"}", "a pair of surrogates", 1, 7);
    BAD("{\"a\":\"\\ud800\\u0041\"}", "/a", "\\ud800\\u0041\"}", "a pair of surrogates", 1, 7);
    BAD("{\"a\":\"\\udc00\\ud800\"}", "/a", "\\udc00\\ud800\"}", "a pair of surrogates", 1, 7);
    BAD("{\"\\u0061\":1}", "", "\\u0061\":1}", "a key without escapes", 1, 3);
}

static void test_scene_text_may_have_comments(void **state) {
    (void)state;
    static const char *const right[] = {
        "/* before */ {\"format\": 1, \"name\": \"c\"} // behind",
        "//\n{\"format\" /**/ : /***/ 1 /* , */, // x\r\n \"name\": \"c\" /* ** / // */}//\n",
        "{\"format\": 1, // \xE2\x82\xAC \" ' { [\n\"name\": /*\n*\n\t*/ \"c\"}/* // */",
        "{\"format\":1/**/,\"name\":\"c\",\"world\":{\"gravity\":[/*x*/0,/*y*/-9.81]},\"bodies\":[/*none*/]}",
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
        iso_scene *scene = parse_ok(right[i]);
        assert_string_equal(scene->name, "c");
        iso_scene_free(scene);
    }
    // In a string they are text.
    iso_scene *scene = parse_ok("{\"format\": 1, \"name\": \"c\", \"description\": \"/* a // b \\\" */ //\"}");
    assert_string_equal(scene->description, "/* a // b \" */ //");
    iso_scene_free(scene);
}

static void test_scene_text_refuses_wrong_comments(void **state) {
    (void)state;
    BAD("{/*x*/}", "/format", "nothing", "an integer from 1 to 1", 1, 1);
    BAD("{\n /* x\n}", "", "/* x", "the end of the comment, */", 2, 2);
    BAD("{\"a\": /*/ 1}", "/a", "/*/ 1}", "the end of the comment, */", 1, 7);
    BAD("{\"a\": [1, /* 1]}", "/a/1", "/* 1]}", "the end of the comment, */", 1, 11);
    BAD("{\"a\" /*", "/a", "/*", "the end of the comment, */", 1, 6);
    BAD("{\"a\": 1} /*", "", "/*", "the end of the comment, */", 1, 10);
    BAD("/*", "", "/*", "the end of the comment, */", 1, 1);
    BAD("// {}", "", "the end of the text", "an object", 1, 6);
    BAD("{\"a\": 1 / 2}", "/a", "/ 2}", "a comma or the end of the object", 1, 9);
    BAD("{/}", "", "/}", "a key in double quotes", 1, 2);
    BAD("{} /", "", "/", "nothing after the scene", 1, 4);
    BAD("{# x\n}", "", "# x", "a key in double quotes", 1, 2);
    BAD("{\"a\": 1/*x*/2}", "/a", "2}", "a comma or the end of the object", 1, 13);
    BAD("{// \0\n}", "", "\\x00", "no control character in a comment", 1, 5);
    BAD("{/* \x1b */}", "", "\\x1b */}", "no control character in a comment", 1, 5);
    BAD("{// \xFF\n}", "", "\\xff", "UTF-8", 1, 5);
    // A sequence of UTF-8 does not go beyond its comment.
    BAD("{// \xC3\n}", "", "\\xc3", "UTF-8", 1, 5);
    BAD("{/* \xE2\x82*/}", "", "\\xe2\\x82*/}", "UTF-8", 1, 5);
    // What stands behind comments keeps its place.
    BAD("/* 1\n 2 */ {// 3\n \"a\": /* 4 */ nil}", "/a", "nil}", "a value of JSON", 3, 15);
    BAD("// x\n{\"format\": 1, /* \n */ \"name\": 7}", "/name", "7", "a name: 1 to 31 letters, digits, \"_\" or \"-\"",
        3, 13);
}

static void test_scene_text_refuses_repeated_keys(void **state) {
    (void)state;
    BAD("{\"a\":1,\n \"a\":2}", "/a", "\"a\":2}", "each key once", 2, 2);
    BAD("{\"x\":[{}, {\"b\":{\"c\":1,\"d\":2,\"c\":3}}]}", "/x/1/b/c", "\"c\":3}}]}", "each key once", 1, 29);
    BAD("{\"\":1,\"\":2}", "/", "\"\":2}", "each key once", 1, 7);
}

static void test_scene_text_refuses_what_is_not_utf8(void **state) {
    (void)state;
    static const char *const bad[] = {"\xFF",
                                      "\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC3",
                                      "\xC3(",
                                      "\xE0\x80\x80",
                                      "\xE2\x82",
                                      "\xED\xA0\x80",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF8\x88\x80\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[64];
        iso_scene *scene = NULL;
        iso_scene_error error;
        snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"%s\"}", bad[i]);
        assert_int_equal(parse(text, strlen(text), &scene, &error), ISO_ERR_SCENE_INVALID);
        assert_string_equal(error.expected, "UTF-8");
        assert_string_equal(error.path, "/name");
    }
    // The text may end within a sequence.
    BAD("{\"a\":\"\xE2\x82", "/a", "\\xe2\\x82", "UTF-8", 1, 7);
    // What is UTF-8 is kept.
    iso_scene *scene = parse_ok("{\"format\": 1, \"name\": \"u\", \"description\": \"\xC3\xA9 \xE2\x82\xAC "
                                "\xF0\x9F\x98\x80 \\u00e9 \\ud83d\\ude00\"}");
    assert_string_equal(scene->description, "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xC3\xA9 \xF0\x9F\x98\x80");
    iso_scene_free(scene);
}

static void test_scene_text_refuses_zero_bytes(void **state) {
    (void)state;
    BAD("\0", "", "\\x00", "an object", 1, 1);
    BAD("{\0}", "", "\\x00}", "a key in double quotes", 1, 2);
    BAD("{\"a\":\"b\0c\"}", "/a", "\\x00c\"}", "no control character in a string", 1, 8);
    BAD("{\"format\":1,\"name\":\"a\"}\0", "", "\\x00", "nothing after the scene", 1, 24);
}

/// `prefix`, then `unit` as often as it fits into `size` bytes, then `suffix`.
static char *repeat(const char *prefix, const char *unit, const char *suffix, size_t count, size_t *size) {
    const size_t unit_size = strlen(unit);
    *size = strlen(prefix) + count * unit_size + strlen(suffix);
    char *text = malloc(*size);
    memcpy(text, prefix, strlen(prefix));
    for (size_t i = 0; i < count; ++i) {
        memcpy(text + strlen(prefix) + i * unit_size, unit, unit_size);
    }
    memcpy(text + *size - strlen(suffix), suffix, strlen(suffix));
    return text;
}

/// As a text of a file, or one that was sent.
static void bad_in_limits(bool was_sent, const char *prefix, const char *unit, const char *suffix, size_t count,
                          const char *expected) {
    size_t size = 0;
    char *text = repeat(prefix, unit, suffix, count, &size);
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(was_sent ? iso_scene_parse_within(text, size, NULL, 0, UINT64_MAX, &scene, &error)
                              : parse(text, size, &scene, &error),
                     ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.expected, expected);
    assert_null(scene);
    free(text);
}

static void bad_repeat(const char *prefix, const char *unit, const char *suffix, size_t count, const char *expected) {
    bad_in_limits(true, prefix, unit, suffix, count, expected);
}

/// A level of this many bodies, each written out.
static char *make_level(uint32_t body_count, size_t *size) {
    char *text = malloc(200 + 200 * (size_t)body_count);
    *size = (size_t)sprintf(
        text, "{\"format\":1,\"name\":\"level\",\"capacities\":{\"bodies\":%u,\"shapes\":%u},\"bodies\":[", body_count,
        body_count);
    for (uint32_t i = 0; i < body_count; ++i) {
        *size += (size_t)sprintf(text + *size,
                                 "%s{\"name\":\"b%u\",\"type\":\"dynamic\",\"position\":[%u,%u],\"velocity\":[0,0],"
                                 "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}\n",
                                 i > 0 ? "," : "", i, i % 1000, i / 1000);
    }
    *size += (size_t)sprintf(text + *size, "]}");
    return text;
}

static void test_a_file_holds_a_real_level_and_what_is_sent_holds_less(void **state) {
    (void)state;
    const uint32_t body_count = ISO_TEST_MANY(100000);
    size_t size = 0;
    char *text = make_level(body_count, &size);
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(iso_scene_parse(text, size, NULL, 0, &scene, &error), ISO_OK);
    assert_int_equal(scene->body_count, body_count);
    char last[16];
    snprintf(last, sizeof(last), "b%" PRIu32, body_count - 1);
    assert_string_equal(iso_scene_body_name(scene, body_count - 1), last);
    iso_scene_free(scene);
    scene = NULL;
    assert_int_equal(iso_scene_parse_within(text, size, NULL, 0, UINT64_MAX, &scene, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.expected, "a text of at most 1048576 bytes in a scene that is sent");
    free(text);
    text = make_level(5500, &size);
    assert_int_equal(iso_scene_parse_within(text, size, NULL, 0, UINT64_MAX, &scene, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.expected, "at most 65536 values in a scene that is sent");
    assert_int_equal(iso_scene_parse(text, size, NULL, 0, &scene, &error), ISO_OK);
    iso_scene_free(scene);
    free(text);
#if ISO_TEST_STEP == 1 // up to 64 MB each: half a minute elsewhere
    bad_in_limits(false, "", " ", "", ISO_SCENE_SIZE_MAX + 1, "a text of at most 67108864 bytes");
    bad_in_limits(false, "{\"a\":[", "0,", "0]}", ISO_SCENE_VALUES_MAX - 1, "at most 4194304 values");
    bad_in_limits(false, "{\"a\":[", "[],", "[]]}", 20000000, "at most 4194304 values");
    bad_in_limits(false, "{\"a\":", "[", "", ISO_SCENE_SIZE_MAX - 5, "at most 12 nested arrays and objects");
#endif
}

static void test_scene_text_bounds_depth_size_and_counts(void **state) {
    (void)state;
    const size_t mebibyte = ISO_SCENE_SENT_SIZE_MAX;
    bad_repeat("{\"a\":", "[", "", 1000, "at most 12 nested arrays and objects");
    bad_repeat("{\"a\":", "[", "", mebibyte - 5, "at most 12 nested arrays and objects");
    bad_repeat("", "[", "", mebibyte, "an object");
    bad_repeat("", "{\"a\":", "", mebibyte / 5, "at most 12 nested arrays and objects");
    bad_repeat("", " ", "", mebibyte + 1, "a text of at most 1048576 bytes in a scene that is sent");
    bad_repeat("", " ", "", mebibyte, "an object");
    bad_repeat("{\"a\":[", "0,", "0]}", 65535, "at most 65536 values in a scene that is sent");
    bad_repeat("{\"a\":[", "[],", "[]]}", 300000, "at most 65536 values in a scene that is sent");
    bad_repeat("{\"a\":", "9", "}", 65, "a number of at most 64 characters");
    bad_repeat("{\"a\":", "9", "}", mebibyte - 6, "a number of at most 64 characters");
    bad_repeat("{\"a\":0.", "0", "1}", 62, "a number of at most 64 characters");
    bad_repeat("{\"a\":1e", "9", "}", mebibyte - 8, "a number of at most 64 characters");
    bad_repeat("{\"", "k", "", mebibyte - 2, "the end of the string");

    // 12 levels pass the text's check and fail for their key.
    iso_scene *scene = NULL;
    iso_scene_error error;
    const char *deep = "{\"a\":[[[[[[[[[[[]]]]]]]]]]]}";
    assert_int_equal(parse(deep, strlen(deep), &scene, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/a");
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 6);
}

static void test_scene_text_bounds_members(void **state) {
    (void)state;
    static char text[8192];
    size_t size = (size_t)snprintf(text, sizeof text, "{");
    for (int i = 0; i <= ISO_SCENE_MEMBERS_MAX; ++i) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s\"k%d\":0", i > 0 ? "," : "", i);
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "}");
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(parse(text, size, &scene, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.expected, "at most 256 members in an object");
    assert_string_equal(error.path, "/k255");
}

static void test_scene_text_survives_any_cut_and_any_changed_byte(void **state) {
    (void)state;
    static const char text[] =
        "// c\n{\"format\": 1, /* \xC3\xA9 */ \"name\": \"t\", \"description\": \"\xC3\xA9\\n\\ud83d\\ude00\", "
        "\"world\": {\"slop\": 5e-3},"
        "\"game\": {\"name\": \"test-game\", \"params\": {\"speed\": 1.5}}, \"materials\": {\"m\": {\"density\": 2}},"
        "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"polygon\", \"points\": [[0,0],[1,0],[0,1]], "
        "\"material\": \"m\"}]},"
        "{\"generator\": \"chain\", \"name\": \"c\", \"count\": 3, \"step\": [0.5, 0], \"from\": \"b\", \"body\": {}}],"
        "\"joints\": [{\"kind\": \"target\", \"body_b\": \"c[1]\", \"target\": [1, 2]}]}";
    const size_t size = sizeof text - 1;
    iso_scene_free(parse_ok(text));
    for (size_t cut = 0; cut < size; ++cut) {
        char *copy = malloc(cut > 0 ? cut : 1);
        memcpy(copy, text, cut);
        iso_scene *scene = NULL;
        iso_scene_error error;
        assert_int_equal(parse(copy, cut, &scene, &error), ISO_ERR_SCENE_INVALID);
        free(copy);
    }
    static const char bytes[] = "\0\x1f\"\\{}[],:0e-.9x/*\n\x80\xc3\xff";
    for (size_t at = 0; at < size; ++at) {
        for (size_t i = 0; i < sizeof bytes - 1; ++i) {
            char *copy = malloc(size);
            memcpy(copy, text, size);
            copy[at] = bytes[i];
            iso_scene *scene = NULL;
            iso_scene_error error;
            const iso_status status = parse(copy, size, &scene, &error);
            assert_true(status == ISO_OK ? scene != NULL : status == ISO_ERR_SCENE_INVALID && error.expected[0] != 0);
            iso_scene_free(scene);
            free(copy);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_text_is_strict_json),
        cmocka_unit_test(test_scene_text_may_have_comments),
        cmocka_unit_test(test_scene_text_refuses_wrong_comments),
        cmocka_unit_test(test_scene_text_refuses_repeated_keys),
        cmocka_unit_test(test_scene_text_refuses_what_is_not_utf8),
        cmocka_unit_test(test_scene_text_refuses_zero_bytes),
        cmocka_unit_test(test_a_file_holds_a_real_level_and_what_is_sent_holds_less),
        cmocka_unit_test(test_scene_text_bounds_depth_size_and_counts),
        cmocka_unit_test(test_scene_text_bounds_members),
        cmocka_unit_test(test_scene_text_survives_any_cut_and_any_changed_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
