/// What others have written, on a terminal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/text.h"

static void test_hidden_characters_are_not_printable(void **state) {
    (void)state;
    static const uint32_t hidden[] = {0,      '\n',   0x1B,   0x1F,   0x7F,   0x80,   0x9B,   0x9F,   0x61C,  0x200E,
                                      0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFFF9};
    static const uint32_t shown[] = {' ', '~', 0xA0, 0xEB, 0x200D, 0x2027, 0x202F, 0x3042, 0xFFFD, 0x1F600, 0x10FFFF};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; ++i) {
        assert_false(iso_text_is_printable(hidden[i]));
    }
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; ++i) {
        assert_true(iso_text_is_printable(shown[i]));
    }
}

/// One mark for each character, one for each byte that is none; what is good beside it stays.
static void test_a_text_is_made_printable(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"", ""},
        {"Zo\u00eb \U0001F600", "Zo\u00eb \U0001F600"},
        {"a\x1b[31m\nb\tc\x7f", "a?[31m?b?c?"},
        {"\xC2\x9B"
         "31m\u202ex\u2066",
         "?31m?x?"},
        {"\x9b\xC3(\xE2\x80\xF5", "?"
                                  "?(???"},          // C1 of eight bits, ends that do not come
        {"\xC0\x80\xED\xA0\x80\xE2\x80", "???????"}, // longer than needed, a surrogate, cut
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        char text[64];
        strcpy(text, texts[i][0]);
        iso_text_make_printable(text);
        assert_string_equal(text, texts[i][1]);
    }
}

static char *written;
static size_t written_size;

static void test_print_keeps_newlines_alone(void **state) {
    (void)state;
    FILE *file = open_memstream(&written, &written_size);
    assert_int_equal(iso_print(file, "%s: \u202e%d\n", "a\x1b]0;b", 7), 11);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(written, "a?]0;b: ?7\n");
    free(written);
}

/// Longer than what is at hand without memory of its own.
static void test_print_takes_a_text_of_any_length(void **state) {
    (void)state;
    static char text[5001];
    memset(text, 'x', 5000);
    text[4999] = '\x1b';
    FILE *file = open_memstream(&written, &written_size);
    assert_int_equal(iso_print(file, "%s\n", text), 5001);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(written_size, 5001);
    assert_string_equal(written + 4998, "x?\n");
    free(written);
}

static void test_a_json_string_is_json_whatever_the_text(void **state) {
    (void)state;
    FILE *file = open_memstream(&written, &written_size);
    iso_print_json_string(file, "\"\\\n\x1b\xC2\x9B\u202e\u00eb\x9b\U000E0001");
    assert_int_equal(fclose(file), 0);
    assert_string_equal(written, "\"\\\"\\\\\\u000a\\u001b\\u009b\\u202e\u00eb\\ufffd\\udb40\\udc01\"");
    free(written);
}

static void test_of_one_there_is_no_plural(void **state) {
    (void)state;
    assert_string_equal(iso_text_plural(0), "s");
    assert_string_equal(iso_text_plural(1), "");
    assert_string_equal(iso_text_plural(2), "s");
    assert_string_equal(iso_text_plural(UINT64_C(1) << 32 | 1), "s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_characters_are_not_printable),
        cmocka_unit_test(test_a_text_is_made_printable),
        cmocka_unit_test(test_print_keeps_newlines_alone),
        cmocka_unit_test(test_print_takes_a_text_of_any_length),
        cmocka_unit_test(test_a_json_string_is_json_whatever_the_text),
        cmocka_unit_test(test_of_one_there_is_no_plural),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
