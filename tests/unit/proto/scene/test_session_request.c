/// Requests for sessions: what is right is read, and what is wrong is named with its place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/session_request.h"

static iso_session_request request;

/// Reads a text. @return what is wrong; "": nothing
static const char *wrong(const char *text) {
    static char line[1200];
    iso_scene_error error;
    const iso_status status = iso_session_request_parse(text, strlen(text), &request, &error);
    line[0] = '\0';
    if (status != ISO_OK) {
        assert_int_equal(status, ISO_ERR_SCENE_INVALID);
        iso_scene_error_format(&error, line, sizeof line);
    }
    return line;
}

static void expect(const char *text, const char *what) {
    const char *line = wrong(text);
    if (strstr(line, what) == NULL || line[0] == '\0')
        fail_msg("%s: '%s' instead of '%s'", text, line, what);
}

static void test_scene_is_read(void **state) {
    (void)state;
    assert_string_equal(wrong(" {\"scene\": \"ragdolls\", // built in\n \"name\": \"arena-2\"}"), "");
    assert_string_equal(request.name, "arena-2");
    assert_string_equal(request.scene, "ragdolls");
    assert_null(request.document);
    iso_session_request_term(&request);
}

static void test_document_is_read_as_it_is(void **state) {
    (void)state;
    assert_string_equal(wrong("{\"name\":\"a\",\"document\":\"{\\n\\u00e9}\"}"), "");
    assert_string_equal(request.scene, "");
    assert_int_equal(request.document_size, 5);
    assert_memory_equal(request.document, "{\n\xC3\xA9}", 5);
    iso_session_request_term(&request);
    assert_string_equal(wrong("{\"name\":\"a\",\"document\":\"\"}"), "");
    assert_non_null(request.document);
    assert_int_equal(request.document_size, 0);
    iso_session_request_term(&request);
    assert_null(request.document);
}

static void test_names_have_their_form(void **state) {
    (void)state;
    char text[200], name[70];
    static const char expected[] = "expected a session's name: 1 to 63 of a to z, 0 to 9 and -";
    memset(name, 'a', sizeof name);
    snprintf(text, sizeof text, "{\"name\":\"%.63s\",\"scene\":\"s\"}", name);
    assert_string_equal(wrong(text), "");
    snprintf(text, sizeof text, "{\"name\":\"%.64s\",\"scene\":\"s\"}", name);
    expect(text, expected);
    expect("{\"name\":\"\",\"scene\":\"s\"}", expected);
    expect("{\"name\":\"a_b\",\"scene\":\"s\"}", "line 1, column 9: /name: \"a_b\", expected a session's name");
    expect("{\"name\":\"a\\u0000\",\"scene\":\"s\"}", "/name: ");
    expect("{\"name\":7,\"scene\":\"s\"}", expected);
    expect("{\"scene\":\"s\"}", "line 1, column 1: /name: nothing, ");
    assert_true(iso_session_name_is_valid("a-b=c", 3));
    assert_false(iso_session_name_is_valid("a-b=c", 4));
    assert_false(iso_session_name_is_valid("a", 0));
}

static void test_one_of_scene_and_document_is_given(void **state) {
    (void)state;
    expect("{\"name\":\"a\"}", "/scene: nothing, expected the name of a built-in scene, or document");
    expect("{\"name\":\"a\",\n\"document\":\"\",\"scene\":\"s\"}",
           "line 2, column 12: /document: \"\", expected either ");
    expect("{\"name\":\"a\",\"scene\":\"01234567890123456789012345678901\"}", "/scene: ");
    expect("{\"name\":\"a\",\"scene\":null}", "/scene: ");
    expect("{\"name\":\"a\",\"document\":{}}", "/document: {}, expected a scene's text, as a string");
    expect("{\"name\":\"a\",\"scene\":\"s\",\"seed\":1}",
           "/seed: 1, expected a known key: one of name, scene, document");
    expect("{\"name\":\"a\",\"name\":\"b\",\"scene\":\"s\"}", "line 1, column ");
    expect("", "line 1, column 1");
    expect("[\"a\"]", "expected an object");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_is_read),
        cmocka_unit_test(test_document_is_read_as_it_is),
        cmocka_unit_test(test_names_have_their_form),
        cmocka_unit_test(test_one_of_scene_and_document_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
