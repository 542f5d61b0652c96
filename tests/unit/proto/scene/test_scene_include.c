/// Scenes with files that they include; the files are the tests' own.
#include "test_scene_util.h"

typedef struct test_file {
    const char *path, *text;
} test_file;

static const test_file *test_files; // ends with a path of NULL
static unsigned read_count;

static bool read_test_file(void *user, const char *path, char **text, size_t *size, const char **why) {
    assert_ptr_equal(user, &test_files);
    ++read_count;
    for (const test_file *file = test_files; file->path != NULL; ++file) {
        if (strcmp(file->path, path) == 0) {
            // An exact copy on the heap, so that a sanitizer sees a read beyond its end.
            *size = strlen(file->text);
            *text = malloc(*size > 0 ? *size : 1);
            memcpy(*text, file->text, *size);
            return true;
        }
    }
    *why = "there is none";
    return false;
}

/// Reads the scene with what it includes; error.path is "-" when all is right.
static iso_scene *read_scene(const char *text, const test_file *files, iso_scene_error *error) {
    const iso_scene_files access = {"main.json", &test_files, read_test_file};
    iso_scene_source *source = NULL;
    iso_scene *scene = NULL;
    test_files = files;
    read_count = 0;
    iso_status status = iso_scene_source_make(text, strlen(text), &access, &source, error);
    if (status == ISO_OK) {
        size_t size;
        const char *whole = iso_scene_source_text(source, &size);
        status = parse(whole, size, &scene, error);
        if (status != ISO_OK) {
            iso_scene_source_locate(source, error);
        }
    }
    iso_scene_source_free(source);
    assert_int_equal(status, scene != NULL ? ISO_OK : ISO_ERR_SCENE_INVALID);
    return scene;
}

static iso_scene *read_right(const char *text, const test_file *files) {
    iso_scene_error error;
    iso_scene *scene = read_scene(text, files, &error);
    if (scene == NULL) {
        char line[1200];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s\n%s", line, text);
    }
    return scene;
}

/// @param wanted  what iso_scene_error_format writes
static void read_wrong(const char *text, const test_file *files, const char *wanted) {
    iso_scene_error error;
    char line[1200];
    iso_scene *scene = read_scene(text, files, &error);
    assert_null(scene);
    iso_scene_error_format(&error, line, sizeof line);
    assert_string_equal(line, wanted);
}

#define HEAD "{\"format\": 1, \"name\": \"t\""

static const test_file parts[] = {
    {"materials.json", "{\"materials\": {\"steel\": {\"density\": 7.8}, \"ice\": {\"friction\": 0}}}"},
    {"walls.json", "// Walls of ice.\n{\"include\": [\"materials.json\"], \"bodies\": [\n"
                   " {\"name\": \"left\", \"type\": \"static\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1, "
                   "\"material\": \"ice\"}]}, // the first one\n"
                   " {\"name\": \"right\", \"type\": \"static\"} // the last one\n]}"},
    {"sub/more.json", "{\"format\": 1, \"description\": \"x\", \"include\": [\"deep/most.json\", \"../walls.json\"],\n"
                      " \"bodies\": [{\"name\": \"more\"}],\n"
                      " \"joints\": [{\"kind\": \"distance\", \"body_a\": \"more\", \"body_b\": \"left\"}]}"},
    {"sub/deep/most.json", "{\"bodies\": [{\"name\": \"most\"}], \"joints\": [], \"constraints\": {}}"},
    {NULL, NULL},
};

static void assert_bodies(const iso_scene *scene, const char *names) {
    char all[256] = "";
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? " " : "", iso_scene_body_name(scene, i));
    }
    assert_string_equal(all, names);
}

static void test_includes_come_before_what_includes_them(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD ", \"include\": [\"sub/more.json\"], \"bodies\": [{\"name\": \"own\", \"shapes\": [{\"kind\": \"circle\", "
             "\"radius\": 1, \"material\": \"steel\"}]}],"
             " \"joints\": [{\"kind\": \"distance\", \"body_a\": \"own\", \"body_b\": \"right\"}]}",
        // The order of keys does not matter, nor do comments.
        "// c\n{/* c */\"joints\": [/* c */{\"kind\": \"distance\", \"body_a\": \"own\", \"body_b\": \"right\"}], "
        "\"bodies\": [ // c\n{\"name\": \"own\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1, \"material\": "
        "\"steel\"}]}],\"format\": 1, \"include\" /* c */: [/* c */\"sub/more.json\" // c\n], \"name\": \"t\"}",
    };
    for (size_t i = 0; i < 2; ++i) {
        iso_scene *scene = read_right(texts[i], parts);
        assert_bodies(scene, "most left right more own");
        assert_int_equal(scene->joint_count, 2);
        assert_int_equal(scene->joints[0].body_a, 3);
        assert_int_equal(scene->joints[1].body_a, 4);
        assert_int_equal(scene->shapes[0].friction, 0);
        assert_int_equal(scene->shapes[1].density, 511181); // 7.8
        iso_scene_free(scene);
    }
    // Lists that the scene itself does not have, or has empty.
    iso_scene *scene = read_right(HEAD ", \"include\": [\"sub/more.json\"]}", parts);
    assert_bodies(scene, "most left right more");
    iso_scene_free(scene);
    scene = read_right(HEAD ", \"bodies\": [], \"materials\": {}, \"joints\": [ ], \"include\": [\"sub/more.json\"]}",
                       parts);
    assert_bodies(scene, "most left right more");
    iso_scene_free(scene);
}

/// A scene in space has no blueprints and no compounds, and gets no empty ones from what it includes.
static void test_scenes_in_space_include(void **state) {
    (void)state;
    static const test_file files[] = {
        {"ice.json", "{\"materials\": {\"ice\": {\"friction\": 0}}, \"bodies\": [{\"name\": \"ball\", \"shapes\": "
                     "[{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"ice\"}]}]}"},
        {"plane.json", "{\"blueprints\": {\"b\": {\"bodies\": []}}}"},
        {NULL, NULL},
    };
    iso_scene *scene = read_right(HEAD ", \"dimensions\": 3, \"include\": [\"ice.json\"]}", files);
    assert_bodies(scene, "ball");
    iso_scene_free(scene);
    iso_scene_error error;
    assert_null(read_scene(HEAD ", \"dimensions\": 3, \"include\": [\"plane.json\"]}", files, &error));
    assert_string_equal(error.path, "/blueprints");
}

static void test_a_file_is_taken_once(void **state) {
    (void)state;
    iso_scene *scene = read_right(HEAD ", \"include\": [\"materials.json\", \"./walls.json\", \"sub/../walls.json\", "
                                       "\"sub/more.json\", \"materials.json\"]}",
                                  parts);
    assert_bodies(scene, "left right most more");
    assert_int_equal(read_count, 4);
    iso_scene_free(scene);
}

static void test_a_scene_without_includes_is_its_own_text(void **state) {
    (void)state;
    static const char text[] = HEAD " /* c */}\n";
    const iso_scene_files access = {"main.json", &test_files, read_test_file};
    iso_scene_source *source = NULL;
    iso_scene_error error;
    size_t size;
    assert_int_equal(iso_scene_source_make(text, strlen(text), &access, &source, &error), ISO_OK);
    assert_memory_equal(iso_scene_source_text(source, &size), text, strlen(text));
    assert_int_equal(size, strlen(text));
    iso_scene_source_free(source);
    iso_scene_source_free(NULL);
}

static void test_the_whole_text_includes_nothing_more(void **state) {
    (void)state;
    static const char text[] = HEAD ", \"include\": [\"sub/more.json\"]}";
    const iso_scene_files access = {"main.json", &test_files, read_test_file};
    iso_scene_source *source = NULL;
    iso_scene_error error;
    size_t size;
    test_files = parts;
    assert_int_equal(iso_scene_source_make(text, strlen(text), &access, &source, &error), ISO_OK);
    const char *whole = iso_scene_source_text(source, &size);
    iso_scene *scene = NULL;
    assert_int_equal(parse(whole, size, &scene, NULL), ISO_OK);
    assert_bodies(scene, "most left right more");
    iso_scene_free(scene);
    iso_scene_source_free(source);
    // Without files an include is told as such.
    parse_bad(text, "/include", "[\"sub/more.json\"]",
              "an empty array: this scene comes without a folder to read files from");
}

static void test_errors_name_their_file(void **state) {
    (void)state;
    static const test_file files[] = {
        {"good.json", "{\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}"},
        {"bad.json", "{\"bodies\": [{\"name\": \"c\"},\n  {\"name\": \"d\", \"angle\": \"up\"}]}"},
        {"joint.json", "{\"joints\": [\n{\"kind\": \"distance\", \"body_a\": \"a\", \"body_b\": \"nobody\"}]}"},
        {"steel.json", "{\"materials\": {\"steel\": {}}}"},
        {"other.json", "{\"materials\": {\n \"steel\": {}}}"},
        {"text.json", "{\"bodies\": [}"},
        {"world.json", "{\"bodies\": [], \"world\": {}}"},
        {"list.json", "{\"bodies\": {}}"},
        {NULL, NULL},
    };
    read_wrong(HEAD ", \"include\": [\"good.json\", \"bad.json\"]}", files,
               "in bad.json, line 2, column 26: /bodies/1/angle: \"up\", expected a number from -32767 to 32767");
    read_wrong(HEAD ", \"include\": [\"good.json\"],\n \"bodies\": [{\"name\": \"x\"}, {\"name\": \"a\"}]}", files,
               "line 2, column 37: /bodies/1/name: \"a\", expected a name that no other body or generator has");
    read_wrong(HEAD ", \"include\": [\"joint.json\"], \"bodies\": [{\"name\": \"a\"}]}", files,
               "in joint.json, line 2, column 47: /joints/0/body_b: \"nobody\", expected the name of a body");
    read_wrong(HEAD ", \"include\": [\"joint.json\"], \"bodies\": [{\"name\": \"a\"}, {\"name\": \"nobody\"}],\n"
                    " \"joints\": [{\"kind\": \"weld\"}]}",
               files, "line 2, column 13: /joints/0/body_a: nothing, expected the name of a body");
    read_wrong(HEAD ", \"include\": [\"steel.json\", \"other.json\"]}", files,
               "in other.json, line 2, column 2: /materials/steel: \"steel\": {}},, expected each key once");
    read_wrong(HEAD ", \"include\": [\"text.json\"]}", files,
               "in text.json, line 1, column 13: /bodies/0: }, expected a value of JSON");
    read_wrong(HEAD ", \"include\": [\"world.json\"]}", files,
               "in world.json, line 1, column 25: /world: {}, expected a known key: one of format, description, "
               "include, materials, constraints, blueprints, "
               "bodies, joints, compounds");
    read_wrong(HEAD ", \"include\": [\"list.json\"]}", files,
               "in list.json, line 1, column 12: /bodies: {}, expected an array");
    read_wrong(HEAD ",\n \"include\": [\"good.json\"],\n \"world\": {\"slop\": 3}}", files,
               "line 3, column 20: /world/slop: 3, expected a number from 0 to 0.5");
}

static void test_paths_stay_in_the_folder(void **state) {
    (void)state;
    static const char rule[] = "expected the path of a file from the including one's, with \"/\" between its parts";
    static const char leaves[] = "expected a path that stays within the scene's folder";
    static const test_file files[] = {{"sub/up.json", "{\"include\": [\"../../x.json\"]}"}, {NULL, NULL}};
    static const char *const names[][2] = {
        {"/etc/passwd", rule}, {"", rule},       {"a//b", rule},  {"a/", rule},   {".", rule},
        {"a/..", rule},        {"a\\\\b", rule}, {"a\\nb", rule}, {"..", leaves}, {"../x.json", leaves},
        {"a/../../x", leaves},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char text[256], wanted[512];
        snprintf(text, sizeof text, HEAD ", \"include\": [\"%s\"]}", names[i][0]);
        snprintf(wanted, sizeof wanted, "line 1, column 40: /include/0: \"%s\", %s", names[i][0], names[i][1]);
        read_wrong(text, files, wanted);
        assert_int_equal(read_count, 0);
    }
    read_wrong(HEAD ", \"include\": [\"sub/up.json\"]}", files,
               "in sub/up.json, line 1, column 14: /include/0: \"../../x.json\", expected a path that stays within the "
               "scene's folder");
    read_wrong(HEAD ", \"include\": [7]}", files, "line 1, column 40: /include/0: 7, expected the path of a file");
    read_wrong(HEAD ", \"include\": \"a\"}", files, "line 1, column 39: /include: \"a\", expected an array");
    read_wrong(HEAD ", \"include\": [\"none.json\"]}", files,
               "line 1, column 40: /include/0: \"none.json\", expected a file that can be read (none.json: there is "
               "none)");
    char text[512];
    snprintf(text, sizeof text, HEAD ", \"include\": [\"%0256d\"]}", 0);
    iso_scene_error error;
    assert_null(read_scene(text, files, &error));
    snprintf(text, sizeof text, HEAD ", \"include\": [\"sub/%0252d\"]}", 0);
    assert_null(read_scene(text, files, &error));
    assert_string_equal(error.expected, "the path of a file");
}

static void test_circles_are_refused_with_their_chain(void **state) {
    (void)state;
    static const test_file files[] = {
        {"self.json", "{\"include\": [\"self.json\"]}"},
        {"a.json", "{\"include\": [\"sub/b.json\"]}"},
        {"sub/b.json", "{\"include\": [\n\"../a.json\"]}"},
        {"main.json", "{}"},
        {NULL, NULL},
    };
    read_wrong(HEAD ", \"include\": [\"self.json\"]}", files,
               "in self.json, line 1, column 14: /include/0: \"self.json\", expected no circle: self.json includes "
               "self.json");
    read_wrong(HEAD ", \"include\": [\"a.json\"]}", files,
               "in sub/b.json, line 2, column 1: /include/0: \"../a.json\", expected no circle: a.json includes "
               "sub/b.json includes a.json");
    read_wrong(HEAD ", \"include\": [\"main.json\"]}", files,
               "line 1, column 40: /include/0: \"main.json\", expected no circle: main.json includes main.json");
}

/// N files, each of which includes the next.
static const test_file *chain_of(unsigned count) {
    static test_file files[80];
    static char texts[80][64], names[80][16];
    for (unsigned i = 0; i < count; ++i) {
        snprintf(names[i], sizeof names[i], "%u", i);
        snprintf(texts[i], sizeof texts[i], i + 1 < count ? "{\"include\": [\"%u\"]}" : "{}", i + 1);
        files[i] = (test_file){names[i], texts[i]};
    }
    files[count] = (test_file){NULL, NULL};
    return files;
}

static void test_depth_and_count_and_size_are_bounded(void **state) {
    (void)state;
    iso_scene_error error;
    iso_scene_free(read_right(HEAD ", \"include\": [\"0\"]}", chain_of(8)));
    assert_null(read_scene(HEAD ", \"include\": [\"0\"]}", chain_of(9), &error));
    assert_string_equal(error.expected, "at most 8 files that include each other in a row");
    assert_string_equal(error.file, "7");
    // All 64 of them side by side; none of them includes the next again.
    static test_file files[80];
    static char names[80][16], text[2048];
    for (unsigned count = 63; count <= 64; ++count) {
        size_t size = (size_t)snprintf(text, sizeof text, HEAD ", \"include\": [");
        for (unsigned i = 0; i < count; ++i) {
            snprintf(names[i], sizeof names[i], "%u", i);
            files[i] = (test_file){names[i], "{}"};
            size += (size_t)snprintf(text + size, sizeof text - size, "%s\"%u\"", i > 0 ? ", " : "", i);
        }
        snprintf(text + size, sizeof text - size, "]}");
        files[count] = (test_file){NULL, NULL};
        iso_scene *scene = read_scene(text, files, &error);
        assert_int_equal(scene != NULL, count == 63);
        iso_scene_free(scene);
    }
    assert_string_equal(error.expected, "at most 64 files, the scene's own among them");
    assert_string_equal(error.path, "/include/63");
    static char large[ISO_SCENE_SIZE_MAX + 1];
    memset(large, ' ', ISO_SCENE_SIZE_MAX);
    memcpy(large, "{}", 2);
    const test_file heavy[] = {{"large", large}, {NULL, NULL}};
    read_wrong(HEAD ", \"include\": [\"large\"]}", heavy,
               "line 1, column 40: /include/0: \"large\", expected files of at most 67108864 bytes together");
}

static void test_any_cut_and_any_changed_byte_of_a_file_has_a_place(void **state) {
    (void)state;
    static const char text[] = HEAD ",\"include\":[\"x\"],\"bodies\":[{\"name\":\"a\"}]}";
    char included[] = "{\"materials\":{\"m\":{}},\"bodies\":[{\"name\":\"b\"}],\"joints\":[{\"kind\":\"distance\","
                      "\"body_a\":\"a\",\"body_b\":\"b\"}]}//";
    const test_file files[] = {{"x", included}, {NULL, NULL}};
    static const char bytes[] = "\x1f\"\\{}[],:0/*\n\xff";
    iso_scene_free(read_right(text, files));
    for (size_t at = 0; at < sizeof included - 1; ++at) {
        const char kept = included[at];
        for (size_t i = 0; i < sizeof bytes; ++i) {
            included[at] = bytes[i]; // the last one cuts
            iso_scene_error error;
            iso_scene *scene = read_scene(text, files, &error);
            assert_true(scene != NULL || (error.line >= 1 && error.column >= 1));
            iso_scene_free(scene);
        }
        included[at] = kept;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_includes_come_before_what_includes_them),
        cmocka_unit_test(test_scenes_in_space_include),
        cmocka_unit_test(test_a_file_is_taken_once),
        cmocka_unit_test(test_a_scene_without_includes_is_its_own_text),
        cmocka_unit_test(test_the_whole_text_includes_nothing_more),
        cmocka_unit_test(test_errors_name_their_file),
        cmocka_unit_test(test_paths_stay_in_the_folder),
        cmocka_unit_test(test_circles_are_refused_with_their_chain),
        cmocka_unit_test(test_depth_and_count_and_size_are_bounded),
        cmocka_unit_test(test_any_cut_and_any_changed_byte_of_a_file_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
