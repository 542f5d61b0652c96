/// Which names of a scene clients are told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/start/names.h"
#include "isostep/games.h"
#include "isostep/proto/codec.h"
#include "isostep/scenes.h"

static iso__names names;

/// The names of a built-in scene, which can be sent.
static const iso_message_names *make(const char *name) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    iso_scene *scene = NULL;
    assert_non_null(builtin);
    assert_int_equal(iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, &scene, NULL), ISO_OK);
    assert_int_equal(iso__names_init(&names, scene), ISO_OK);
    iso_scene_free(scene);
    const iso_message_names *told = iso__names_get(&names);
    assert_non_null(told);
    const iso_message message = {.kind = ISO_MESSAGE_NAMES, .as.names = *told};
    void *memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    uint8_t *bytes = malloc(ISO_FRAME_MAX_SERVER);
    size_t size;
    assert_int_equal(iso_message_encode(&message, memory, ISO_ENCODE_MEMORY_SIZE, bytes, ISO_FRAME_MAX_SERVER, &size),
                     ISO_OK);
    free(memory);
    free(bytes);
    return told;
}

static const char *find(const iso_message_names *told, uint8_t of, uint32_t index) {
    for (uint32_t i = 0; i < told->count; ++i) {
        if (told->names[i].of == of && told->names[i].index == index) {
            return told->names[i].name;
        }
    }
    return "";
}

static void test_all_names_of_a_small_scene_are_told(void **state) {
    (void)state;
    const iso_message_names *told = make("suspension-car");
    assert_int_equal(told->count, 36 + 2);
    assert_int_equal(told->left_out, 0);
    assert_string_equal(find(told, ISO_NAMED_BODY, 1), "ground[1]");
    assert_string_equal(find(told, ISO_NAMED_BODY, 33), "chassis");
    assert_string_equal(find(told, ISO_NAMED_JOINT, 0), "rear");
    assert_string_equal(find(told, ISO_NAMED_JOINT, 1), "front");
    iso__names_term(&names);
}

/// What the scene names itself is told, wherever it stands.
static void test_generated_names_are_left_out_first(void **state) {
    (void)state;
    const char text[] =
        "{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 2000}, \"bodies\": [{\"generator\": \"row\", "
        "\"name\": \"box\", \"count\": 1500, \"step\": [1, 0], \"body\": {}}, {\"name\": \"last\"}], \"joints\": "
        "[{\"name\": \"j\", \"kind\": \"filter\", \"body_a\": \"last\", \"body_b\": \"box[7]\"}]}";
    iso_scene *scene = NULL;
    assert_int_equal(iso_scene_parse(text, strlen(text), NULL, 0, &scene, NULL), ISO_OK);
    assert_int_equal(iso__names_init(&names, scene), ISO_OK);
    iso_scene_free(scene);
    const iso_message_names *told = iso__names_get(&names);
    assert_int_equal(told->count, ISO_NAMES_MAX);
    assert_int_equal(told->left_out, 1502 - ISO_NAMES_MAX);
    assert_string_equal(find(told, ISO_NAMED_BODY, 1500), "last");
    assert_string_equal(find(told, ISO_NAMED_JOINT, 0), "j");
    assert_string_equal(find(told, ISO_NAMED_BODY, 1021), "box[1021]");
    assert_string_equal(find(told, ISO_NAMED_BODY, 1022), "");
    iso__names_term(&names);
    assert_true(make("large-pyramid")->left_out > 4000);
    iso__names_term(&names);
}

/// Names may be so long that fewer have room.
static void test_as_many_names_are_told_as_their_text_allows(void **state) {
    (void)state;
    const char text[] =
        "{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 1000}, \"bodies\": [{\"generator\": \"copies\", "
        "\"name\": \"abcdefghijklmnopqrstuvwxyz-1234\", \"columns\": 900, \"step\": [1, 0], \"bodies\": [{\"name\": "
        "\"abcdefghijklmnopqrstuvwxyz-5678\"}]}]}";
    iso_scene *scene = NULL;
    assert_int_equal(iso_scene_parse(text, strlen(text), NULL, 0, &scene, NULL), ISO_OK);
    assert_int_equal(iso__names_init(&names, scene), ISO_OK);
    iso_scene_free(scene);
    const iso_message_names *told = iso__names_get(&names);
    size_t size = 0;
    for (uint32_t i = 0; i < told->count; ++i) {
        size += strlen(told->names[i].name);
    }
    assert_in_range(size, ISO_NAMES_TEXT_MAX - ISO_NAME_MAX, ISO_NAMES_TEXT_MAX);
    assert_int_equal(told->count + told->left_out, 900);
    iso__names_term(&names);
    assert_null(iso__names_get(&names));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_names_of_a_small_scene_are_told),
        cmocka_unit_test(test_generated_names_are_left_out_first),
        cmocka_unit_test(test_as_many_names_are_told_as_their_text_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
