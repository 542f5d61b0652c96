/// Any bytes as a scene: it is refused with a place and an expectation, or it keeps what scene.h promises.
#include "fuzz.h"

#include "isostep/games.h"
#include "isostep/proto/session_request.h"

static void check_scene(const iso_scene *scene) {
    FUZZ_CHECK(scene->body_count <= scene->def.body_capacity);
    FUZZ_CHECK(scene->shape_total <= scene->def.shape_capacity);
    FUZZ_CHECK(scene->joint_count <= scene->def.joint_capacity);
    FUZZ_CHECK(iso_world_def_check(&scene->def, NULL) == ISO_OK);
    const bool in_space = scene->def.dimensions == 3;
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const uint32_t first = in_space ? scene->bodies3[i].shape_first : scene->bodies[i].shape_first;
        const uint32_t shapes = in_space ? scene->bodies3[i].shape_count : scene->bodies[i].shape_count;
        FUZZ_CHECK(first + shapes <= scene->shape_count);
        FUZZ_CHECK(strlen(iso_scene_body_name(scene, i)) <= ISO_SCENE_BODY_NAME_MAX);
    }
    for (uint32_t i = 0; i < scene->shape_count; ++i) {
        FUZZ_CHECK((in_space ? iso_shape3_def_check(&scene->shapes3[i]) : iso_shape_def_check(&scene->shapes[i])) ==
                   ISO_OK);
    }
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        const uint32_t a = in_space ? scene->joints3[i].body_a : scene->joints[i].body_a;
        const uint32_t b = in_space ? scene->joints3[i].body_b : scene->joints[i].body_b;
        const bool is_target =
            in_space ? scene->joints3[i].def.kind == ISO_JOINT3_TARGET : scene->joints[i].def.kind == ISO_JOINT_TARGET;
        FUZZ_CHECK(b < scene->body_count && a != b);
        FUZZ_CHECK(a < scene->body_count || (a == UINT32_MAX && is_target));
        FUZZ_CHECK(!in_space || iso_joint3_def_check(&scene->joints3[i].def) == ISO_OK);
    }
}

/// A small scene builds; only a body's mass or inertia may be refused.
static void check_build(const iso_scene *scene) {
    static _Alignas(64) unsigned char memory[1 << 20];
    const size_t size = iso_world_size(&scene->def, scene->game);
    iso_world *world = NULL;
    if (size > sizeof memory) {
        return;
    }
    FUZZ_CHECK(iso_world_create(&scene->def, scene->game, memory, size, &world) == ISO_OK);
    const iso_status status = iso_scene_build(scene, world, NULL);
    FUZZ_CHECK(status == ISO_OK || status == ISO_ERR_SCENE_INVALID);
}

/// The errors of a scene, as many as there is room for, begin with the one that reading it stops at.
static void check_errors(const uint8_t *bytes, size_t size, const iso_scene_error *first) {
    static iso_scene_error errors[8];
    iso_scene *scene = NULL;
    uint32_t count;
    const iso_status status =
        iso_scene_check((const char *)bytes, size, iso_games, ISO_GAME_COUNT, &scene, errors, 8, &count);
    FUZZ_CHECK(status == ISO_ERR_SCENE_INVALID && scene == NULL && count >= 1 && count <= 8);
    errors[0].more = 0;
    FUZZ_CHECK(memcmp(&errors[0], first, sizeof *first) == 0);
    for (uint32_t i = 0; i < count; ++i) {
        FUZZ_CHECK(errors[i].expected[0] != 0 && errors[i].line >= 1 && errors[i].column >= 1);
    }
}

typedef struct fuzz_text {
    const uint8_t *bytes;
    size_t size;
} fuzz_text;

static bool read_included(void *user, const char *path, char **text, size_t *size, const char **why) {
    const fuzz_text *included = user;
    FUZZ_CHECK(path[0] != 0 && path[0] != '/' && strstr(path, "..") != path && strlen(path) <= ISO_SCENE_PATH_MAX);
    *text = malloc(included->size + 1);
    FUZZ_CHECK(*text != NULL);
    memcpy(*text, included->bytes, included->size);
    *size = included->size;
    *why = "";
    return included->size > 0;
}

/// What stands before the first zero is a scene, what stands behind it is each file that it includes.
static void check_source(const uint8_t *bytes, size_t size) {
    const uint8_t *zero = size > 0 ? memchr(bytes, 0, size) : NULL;
    if (zero == NULL || zero + 1 == bytes + size) {
        return;
    }
    fuzz_text included = {zero + 1, size - (size_t)(zero + 1 - bytes)};
    const iso_scene_files files = {"fuzz.json", &included, read_included};
    iso_scene_source *source = NULL;
    iso_scene *scene = NULL;
    iso_scene_error error;
    iso_status status = iso_scene_source_make((const char *)bytes, (size_t)(zero - bytes), &files, &source, &error);
    if (status == ISO_OK) {
        size_t whole;
        const char *text = iso_scene_source_text(source, &whole);
        status = iso_scene_parse(text, whole, iso_games, ISO_GAME_COUNT, &scene, &error);
        if (status != ISO_OK) {
            iso_scene_source_locate(source, &error);
        }
    }
    FUZZ_CHECK(status == ISO_OK ||
               (status == ISO_ERR_SCENE_INVALID && error.expected[0] != 0 && error.line >= 1 && error.column >= 1));
    iso_scene_free(scene);
    iso_scene_source_free(source);
}

/// The same bytes as a request for a session.
static void check_request(const uint8_t *bytes, size_t size) {
    iso_session_request request = {0};
    iso_scene_error error;
    const iso_status status = iso_session_request_parse((const char *)bytes, size, &request, &error);
    if (status == ISO_OK) {
        FUZZ_CHECK(iso_session_name_is_valid(request.name, strlen(request.name)));
        FUZZ_CHECK(request.document == NULL || request.scene[0] == 0);
        FUZZ_CHECK(request.document == NULL || request.document_size <= size);
    } else {
        FUZZ_CHECK(status == ISO_ERR_SCENE_INVALID && error.expected[0] != 0 && error.line >= 1 && error.column >= 1);
    }
    iso_session_request_term(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    char line[16];
    check_source(bytes, size);
    check_request(bytes, size);
    const iso_status status = iso_scene_parse((const char *)bytes, size, iso_games, ISO_GAME_COUNT, &scene, &error);
    if (status == ISO_OK) {
        check_scene(scene);
        check_build(scene);
        iso_scene_free(scene);
    } else {
        FUZZ_CHECK(status == ISO_ERR_SCENE_INVALID && scene == NULL && error.expected[0] != 0);
        FUZZ_CHECK(iso_scene_error_format(&error, line, sizeof line) > 0 && strlen(line) < sizeof line);
        check_errors(bytes, size, &error);
    }
    return 0;
}
