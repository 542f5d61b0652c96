/// What GET /api/scenes promises of memory is what POST /api/sessions then says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/start/scenes.h"
#include "host_web_rig.h"

static int tear_down(void **state) {
    (void)state;
    web_rig_end();
    return 0;
}

static void get_list(void) {
    iso__web_scenes(web_rig_call(0));
    assert_int_equal(web_rig_make_all(), 1);
    assert_int_equal(the_web.answers[0].status, 200);
}

/// One scene of the list, up to the next call.
static const char *listed(const char *name) {
    static char entry[800];
    char head[80];
    snprintf(head, sizeof head, "{\"name\":\"%s\",", name);
    const char *at = strstr(the_web.answers[0].text, head);
    if (at == NULL) {
        fail_msg("%s is not listed", name);
    }
    snprintf(entry, sizeof entry, "%.*s", (int)strcspn(at, "\n"), at);
    return entry;
}

/// Creates a session of this scene. What it needs is said when it is refused.
static void compare(const char *name, uint32_t memory_mib) {
    const char *entry = listed(name);
    const bool fits = strstr(entry, "\"fits\":false") == NULL;
    const unsigned long mib = strtoul(strstr(entry, "\"memory_mib\":") + 13, NULL, 10);
    char needs[64];
    iso__created_session *created = web_rig_create(1, "arena", name);
    web_rig_make_all();
    const web_rig_answer *answer = &the_web.answers[1];
    if (answer->count == 0) {
        iso__created_session_hear_started(created, ISO_OK);
    }
    if (answer->status != (fits ? 201 : 503)) {
        fail_msg("%s, with --memory %u: %s is answered %u %s", name, memory_mib, entry, answer->status, answer->text);
    }
    if (fits != (mib <= memory_mib)) {
        fail_msg("%s, with --memory %u: %lu MiB, but fits is %d", name, memory_mib, mib, fits);
    }
    if (fits && the_web.created.list[0].hosted.memory.used > (uint64_t)mib << 20) {
        fail_msg("%s takes %zu bytes, and %lu MiB are said", name, (size_t)created->hosted.memory.used, mib);
    }
    snprintf(needs, sizeof needs, "needs %lu MiB", mib);
    if (!fits && strstr(answer->text, needs) == NULL) {
        fail_msg("%s, with --memory %u: %lu MiB are said, and %s", name, memory_mib, mib, answer->text);
    }
    if (fits) {
        web_rig_remove(created);
    }
}

static void check(const char *memory, bool is_recorded) {
    size_t count = 0;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    web_rig_begin(is_recorded, (const char *const[]){"--memory", memory, NULL});
    get_list();
    for (size_t i = 0; i < count; ++i) {
        compare(list[i].name, (uint32_t)strtoul(memory, NULL, 10));
    }
}

static void test_promise_holds_within_24_mib(void **state) {
    (void)state;
    check("24", false);
}

static void test_promise_holds_within_24_mib_with_a_recording(void **state) {
    (void)state;
    check("24", true);
}

static void test_promise_holds_within_64_mib(void **state) {
    (void)state;
    check("64", false);
}

static void test_promise_holds_within_64_mib_with_a_recording(void **state) {
    (void)state;
    check("64", true);
}

static void test_promise_holds_within_128_mib(void **state) {
    (void)state;
    check("128", false);
}

static void test_promise_holds_within_128_mib_with_a_recording(void **state) {
    (void)state;
    check("128", true);
}

static const char own_text[] = "{\"format\": 1, \"name\": \"arena\", \"description\": \"Ours. Nothing else.\"}";
static const iso_server_scene own[] = {{"arena", own_text, sizeof own_text - 1},
                                       {"arena-2", own_text, sizeof own_text - 1}};

static int tear_down_own(void **state) {
    iso__scenes_bring(NULL, 0);
    return tear_down(state);
}

/// Those of the program stand first in the list, are what a session has without one of its own, and go by their names.
static void test_scenes_of_the_program_are_like_built_in_ones(void **state) {
    (void)state;
    assert_true(iso__scenes_bring(own, 2));
    web_rig_begin(false, NULL);
    assert_string_equal(the_web.options.scene, "arena");
    assert_string_equal(the_web.options.sessions[0].scene, "arena");
    get_list();
    static const char first[] = "{\"scenes\":[\n{\"name\":\"arena\",\"title\":\"Ours. Nothing else\",\"bodies\":0,";
    assert_int_equal(strncmp(the_web.answers[0].text, first, sizeof first - 1), 0);
    // The page asks which of them it can play.
    assert_non_null(strstr(listed("arena"), "\"kind\":\"scene\",\"game\":\"\"}"));
    assert_non_null(strstr(listed("pinball"), "\"kind\":\"game\",\"game\":\"pinball\"}"));
    compare("arena", 64);
    compare("arena-2", 64);
    compare("stack", 64);
    web_rig_create(1, "other", "none");
    web_rig_make_all();
    assert_int_equal(the_web.answers[1].status, 400);
    assert_non_null(strstr(the_web.answers[1].text, "they are: arena, arena-2, bridge, "));
}

static void test_scenes_of_the_program_have_names_of_their_own(void **state) {
    (void)state;
    static const char *const wrong[] = {"stack", "", "Arena", "a/b"};
    web_rig_begin(false, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_false(iso__scenes_bring(&(iso_server_scene){wrong[i], own_text, sizeof own_text - 1}, 1));
    }
    assert_true(host_rig_has_logged("the program's scene 0, 'stack': there is a scene of this name already"));
    assert_false(iso__scenes_bring((iso_server_scene[]){own[0], own[0]}, 2));
    assert_false(iso__scenes_bring(&(iso_server_scene){"arena", NULL, 0}, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_scenes_of_the_program_are_like_built_in_ones, tear_down_own),
        cmocka_unit_test_teardown(test_scenes_of_the_program_have_names_of_their_own, tear_down_own),
        cmocka_unit_test_teardown(test_promise_holds_within_24_mib, tear_down),
        cmocka_unit_test_teardown(test_promise_holds_within_24_mib_with_a_recording, tear_down),
        cmocka_unit_test_teardown(test_promise_holds_within_64_mib, tear_down),
        cmocka_unit_test_teardown(test_promise_holds_within_64_mib_with_a_recording, tear_down),
        cmocka_unit_test_teardown(test_promise_holds_within_128_mib, tear_down),
        cmocka_unit_test_teardown(test_promise_holds_within_128_mib_with_a_recording, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
