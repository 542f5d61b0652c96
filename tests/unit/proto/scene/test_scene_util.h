/// What the tests of the scene parser share.
#ifndef ISO_TEST_SCENE_UTIL_H
#define ISO_TEST_SCENE_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/scene.h"

/// A game with two parameters that only these tests have.
static const iso_game_param test_game_params[] = {
    {"speed", 2 * ISO_WIDE_ONE, 0, 100 * ISO_WIDE_ONE},
    {"goals", 3 * ISO_WIDE_ONE, ISO_WIDE_ONE, 9 * ISO_WIDE_ONE},
};
static const iso_game test_game = {
    .name = "test-game",
    .version = 1,
    .control_layout = "none",
    .params = test_game_params,
    .param_count = 2,
};
static const iso_game *const test_games[] = {&test_game};

static inline iso_status parse(const char *text, size_t size, iso_scene **scene, iso_scene_error *error) {
    return iso_scene_parse(text, size, test_games, 1, scene, error);
}

/// Parses a text that must be right.
static inline iso_scene *parse_ok(const char *text) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    const iso_status status = parse(text, strlen(text), &scene, &error);
    if (status != ISO_OK) {
        char line[800];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s: %s\n%s", iso_status_name(status), line, text);
    }
    return scene;
}

/// Parses a text that must be wrong at `path` with this value; what was expected is returned in *error.
static inline void parse_bad(const char *text, const char *path, const char *value, const char *expected) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    const iso_status status = parse(text, strlen(text), &scene, &error);
    if (status != ISO_ERR_SCENE_INVALID || strcmp(error.path, path) != 0 || strcmp(error.value, value) != 0 ||
        strcmp(error.expected, expected) != 0) {
        fail_msg("%s\n wanted %s | %s | %s\n    got %s | %s | %s (%s)", text, path, value, expected, error.path,
                 error.value, error.expected, iso_status_name(status));
    }
    assert_null(scene);
}

/// Reads a document of proto/ as a text.
static inline void read_text(const char *name, char *text, size_t capacity) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", ISO_TEST_PROTO_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, capacity - 1, file);
    fclose(file);
    assert_true(size > 0 && size < capacity - 1);
    text[size] = 0;
}

/// A scene that is wrong at one place.
typedef struct bad_case {
    const char *rest; // after the head of the scene
    const char *path, *value, *expected;
} bad_case;

static inline void run_bad_cases(const char *head, const bad_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", head, cases[i].rest);
        parse_bad(text, cases[i].path, cases[i].value, cases[i].expected);
    }
}

#endif
