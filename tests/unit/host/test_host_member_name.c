/// Names of clients: equal to the eye is equal, and none is invisible.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/peers/member_name.h"

static void test_host_brings_names_into_one_form(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
    } names[] = {
        {"Anna", "Anna"},
        {"Zo\xC3\xAB", "Zo\xC3\xAB"},
        {"Zoe\xCC\x88", "Zo\xC3\xAB"},                                // e and a combining diaeresis
        {"\xEF\xBC\xA1\xEF\xBD\x8E\xEF\xBD\x8E\xEF\xBD\x81", "Anna"}, // full width
        {"\xEF\xAC\x81sh", "fish"},                                   // a ligature
        {"  An \t na\xC2\xA0\xE2\x80\x83 ", "An na"},                 // white space of all kinds
        {"An\xE2\x80\x8Bna\xC2\xAD\xEF\xBB\xBF", "Anna"},             // zero width, soft hyphen, byte order mark
        {"\xE2\x80\xAE"
         "Anna\xE2\x81\xA6",
         "Anna"},                                     // marks of direction
        {"\xE3\x85\xA4\xEF\xBE\xA0\xE2\xA0\x80", ""}, // Hangul fillers, the blank of Braille
        {"\xEE\x80\x80\xF3\xB0\x80\x80", ""},         // private use
        {"\xCD\xB8", ""},                             // unassigned
        // What is taken out stood between two characters that are one.
        {"Zoe\xCD\x8F\xCC\x88", "Zo\xC3\xAB"},
        {"Zoe\xEE\x80\x80\xCC\x88", "Zo\xC3\xAB"},
        // Marks without a character to stand on: over, around and beside it, and an accent that becomes a space and
        // one.
        {"\xCC\x81\xCC\x82", ""},
        {"\xE2\x83\x9D", ""},
        {"\xE0\xA4\xBE", ""},
        {" \xC2\xB4 \xCC\x81", ""},
        {"\xCC\x81.", "\xCC\x81."},
        {"", ""},
        {"\"A\\\"", "\"A\\\""},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char name[ISO_MEMBER_NAME_MAX + 1] = "";
        memcpy(name, names[i].from, strlen(names[i].from));
        iso__member_name_clean(name);
        assert_string_equal(name, names[i].to);
        iso__member_name_clean(name); // nothing is left to do
        assert_string_equal(name, names[i].to);
    }
}

static void test_host_cuts_names_that_became_longer(void **state) {
    (void)state;
    // Ten times the longest there is: 18 characters of 33 bytes each.
    char name[ISO_MEMBER_NAME_MAX + 1] = "";
    for (size_t i = 0; i + 3 <= ISO_MEMBER_NAME_MAX; i += 3) {
        memcpy(name + i, "\xEF\xB7\xBA", 3);
    }
    iso__member_name_clean(name);
    assert_int_equal(strlen(name), 31); // 8 letters of two bytes, a space and 7 letters: whole characters
    assert_memory_equal(name, "\xD8\xB5\xD9\x84\xD9\x89 \xD8\xA7", 9);
    assert_int_equal(name[ISO_MEMBER_NAME_MAX], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_brings_names_into_one_form),
        cmocka_unit_test(test_host_cuts_names_that_became_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
