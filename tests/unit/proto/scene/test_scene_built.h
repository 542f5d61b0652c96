/// What the tests of worlds that are built from scenes share: a scene with its world.
#ifndef ISO_TEST_SCENE_BUILT_H
#define ISO_TEST_SCENE_BUILT_H

#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/scenes.h"
#include "test_scene_util.h"

typedef struct built {
    iso_scene *scene;
    void *memory;
    iso_world *world;
} built;

/// Of a text that parses. @return what building the world returns
static inline iso_status try_build(const char *text, size_t size, built *b, iso_scene_error *error) {
    const iso_allocator allocator = iso_heap_allocator();
    *b = (built){NULL, NULL, NULL};
    assert_int_equal(parse(text, size, &b->scene, error), ISO_OK);
    return iso_scene_create_world(b->scene, NULL, &allocator, &b->memory, &b->world, error);
}

static inline built build_text(const char *text, size_t size) {
    iso_scene_error error = {.line = 0};
    built b;
    const iso_status status = try_build(text, size, &b, &error);
    if (status != ISO_OK) {
        fail_msg("%s: %s: %s, expected %s", iso_status_name(status), error.path, error.value, error.expected);
    }
    return b;
}

static inline built build_builtin(const char *name) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    assert_non_null(builtin);
    return build_text(builtin->text, builtin->size);
}

static inline void built_free(built *b) {
    free(b->memory);
    iso_scene_free(b->scene);
}

#endif
