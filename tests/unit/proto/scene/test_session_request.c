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
    if (strstr(line, what) == NULL || line[0] == '\0') {
        fail_msg("%s: '%s' instead of '%s'", text, line, what);
    }
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
    expect(
        "{\"name\":\"a\",\"scene\":\"s\",\"seed\":1}",
        "/seed: …, expected a known key: one of name, scene, document, password, private, slots, spectators, record");
    expect("{\"name\":\"a\",\"name\":\"b\",\"scene\":\"s\"}", "line 1, column ");
    expect("", "line 1, column 1");
    expect("[\"a\"]", "expected an object");
}

static void test_settings_are_read(void **state) {
    (void)state;
    assert_string_equal(wrong("{\"name\":\"a\",\"scene\":\"s\"}"), "");
    assert_string_equal(request.password, "");
    assert_false(request.is_private || request.is_unrecorded || request.has_spectators);
    assert_int_equal(request.slots, 0);
    assert_string_equal(
        wrong("{\"name\":\"a\",\"scene\":\"s\",\"password\":\"p\\u00e4ss\",\"private\":true,\"slots\":1,"
              "\"spectators\":0,\"record\":false}"),
        "");
    assert_string_equal(request.password, "p\xC3\xA4ss");
    assert_true(request.is_private && request.is_unrecorded && request.has_spectators);
    assert_int_equal(request.slots, 1);
    assert_int_equal(request.spectators, 0);
    iso_session_request_term(&request);
    assert_string_equal(request.password, "");
    assert_string_equal(wrong("{\"name\":\"a\",\"scene\":\"s\",\"private\":false,\"slots\":32,\"spectators\":512,"
                              "\"record\":true}"),
                        "");
    assert_false(request.is_private || request.is_unrecorded);
    assert_int_equal(request.slots, 32);
    assert_int_equal(request.spectators, 512);
}

static void test_settings_have_their_ranges(void **state) {
    (void)state;
    static const struct {
        const char *member, *what;
    } rows[] = {
        {"\"private\":1", "/private: 1, expected true or false"},
        {"\"record\":null", "/record: null, expected true or false"},
        {"\"slots\":0", "/slots: 0, expected an integer from 1 to 32"},
        {"\"slots\":33", "/slots: 33, expected an integer from 1 to 32"},
        {"\"slots\":1.5", "/slots: 1.5, expected "},
        {"\"spectators\":513", "/spectators: 513, expected an integer from 0 to 512"},
        {"\"spectators\":-1", "/spectators: -1, expected "},
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        snprintf(text, sizeof text, "{\"name\":\"a\",\"scene\":\"s\",%s}", rows[i].member);
        expect(text, rows[i].what);
    }
}

/// What is wrong is answered and logged, and must not have it.
static void test_error_does_not_show_a_password(void **state) {
    (void)state;
    static const char *const members[] = {
        "\"password\":12345678901",
        "\"password\":\"\"",
        "\"password\":null",
        "\"password\":[\"12345678901\"]",
        "\"password\":\"123456789012345678901234567890123456789012345678901234567890123\xC3\xA4\"",
    };
    char text[300];
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
        snprintf(text, sizeof text, "{\"name\":\"a\",\"scene\":\"s\",%s}", members[i]);
        expect(text, "/password: …, expected a password: 1 to 63 bytes of UTF-8 without control characters");
        assert_null(strstr(wrong(text), "12345678901"));
    }
    static const char *const others[] = {
        "{\"name\":\"a\",\"scene\":\"s\",\"Password\":\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s\",\"password\":\"12345678901}",
        "{\"name\":\"a\",\"scene\":\"s\",\"password\":'12345678901'}",
        "{\"name\":\"a\",\"password\":\"x\",\"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s\",\"password\":\"12345678901\\u0000\"}",
        "[{\"password\":\"12345678901\"}]",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        expect(others[i], "expected ");
        assert_null(strstr(wrong(others[i]), "12345678901"));
    }
    // What is almost JSON shows the text where it ends to be, and a member that has another one in it shows that.
    static const char *const typos[] = {
        "{\"name\":\"a\",\"scene\":\"s\" \"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s\"; \"password\":\"12345678901\"}",
        "{\"name\":\"a\" \"password\":\"12345678901\"}",
        "{\"name\":\"a,\"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s,\"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":s,\"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"record\":false \"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"slots\":4 \"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"private\":True,\"password\":\"12345678901\"}",
        "{\"name\":\"a\",\"private\":True,\"pass\\u0077ord\":\"12345678901\"}",
        "{\"name\":\"a\",\"password\"=\"12345678901\"}",
        "{\"name\":\"a\" password: \"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s\"} \"12345678901\"",
        "{\"12345678901\" \"a\"}",
        "{\"password\":{\"12345678901\" 1}}",
        "{\"name\":{\"password\":\"12345678901\"}}",
        "{\"name\":[\"12345678901\"]}",
        "{\"name\":\"a\",\"slots\":\"12345678901\",\"scene\":\"s\"}",
        "{\"name\":\"a\",\"document\":{\"password\":\"12345678901\"}}",
        "{\"name\":\"a\\\",\\\"password\\\":\\\"12345678901\"}",
        "{\"name\":\"a\",\"scene\":\"s\\\",\\\"slots\\\":2,\\\"password\\\":\\\"12345678901\"}",
        "12345678901 {}",
    };
    for (size_t i = 0; i < sizeof typos / sizeof typos[0]; ++i) {
        expect(typos[i], "expected ");
        if (strstr(wrong(typos[i]), "12345") != NULL) {
            fail_msg("%s: %s", typos[i], wrong(typos[i]));
        }
    }
    expect(typos[0], "line 1, column 25: /scene: …, expected a comma or the end of the object");
    // The longest one.
    snprintf(text, sizeof text, "{\"name\":\"a\",\"scene\":\"s\",\"password\":\"%063d\"}", 1);
    assert_string_equal(wrong(text), "");
    assert_int_equal(strlen(request.password), 63);
    iso_session_request_term(&request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_is_read),
        cmocka_unit_test(test_document_is_read_as_it_is),
        cmocka_unit_test(test_names_have_their_form),
        cmocka_unit_test(test_one_of_scene_and_document_is_given),
        cmocka_unit_test(test_settings_are_read),
        cmocka_unit_test(test_settings_have_their_ranges),
        cmocka_unit_test(test_error_does_not_show_a_password),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
