/// Tokens and their file: what it may hold, who is found by which header, and what is said of a wrong line.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "http/tokens.h"

// Of "0123456789abcdef": printf %s 0123456789abcdef | sha256sum
#define HASH "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f"

static iso__http_tokens tokens;
static char why[160];

static bool parse(const char *text) {
    tokens.count = 0;
    why[0] = '\0';
    return iso__http_tokens_parse(&tokens, text, strlen(text), why, sizeof why);
}

static void test_file_has_names_roles_and_expiries(void **state) {
    (void)state;
    assert_true(parse("# the tokens\n\nanna\tadmin  " HASH " never\r\n  bob moderate " HASH " 2027-01-31\n"
                      "c read " HASH " 2027-01-31T12:00:01Z"));
    assert_int_equal(tokens.count, 3);
    assert_string_equal(tokens.list[0].name, "anna");
    assert_int_equal(tokens.list[0].role, ISO__HTTP_ROLE_ADMIN);
    assert_true(tokens.list[0].expires == ISO__HTTP_NEVER);
    assert_int_equal(tokens.list[1].role, ISO__HTTP_ROLE_MODERATE);
    assert_int_equal(tokens.list[1].expires, 1801353600);
    assert_int_equal(tokens.list[2].expires, 1801353600 + 12 * 3600 + 1);
    assert_true(parse(""));
    assert_int_equal(tokens.count, 0);
}

static void test_wrong_lines_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"anna admin " HASH "\n", "line 1: expected NAME ROLE HASH EXPIRY"},
        {"\nanna admin " HASH " never more\n", "line 2: expected NAME ROLE HASH EXPIRY"},
        {"Anna admin " HASH " never", "line 1: the name: expected"},
        {"a2345678901234567890123456789012 admin " HASH " never", "line 1: the name: expected"},
        {"anna root " HASH " never", "line 1: the role: expected read, moderate or admin"},
        {"anna none " HASH " never", "line 1: the role: expected read, moderate or admin"},
        {"anna admin 0123456789abcdef never", "line 1: the hash: expected the 64 hexadecimal digits"},
        {"anna admin " HASH "0 never", "line 1: the hash: expected"},
        {"anna admin x" HASH " never", "line 1: the hash: expected"},
        {"anna admin " HASH " 2027-02-29", "line 1: the expiry: expected YYYY-MM-DD"},
        {"anna admin " HASH " 2027-13-01", "line 1: the expiry: expected"},
        {"anna admin " HASH " 2027-01-01T24:00:00Z", "line 1: the expiry: expected"},
        {"anna admin " HASH " soon", "line 1: the expiry: expected"},
        {"anna admin " HASH " never\nanna read " HASH " never", "line 2: there is a token of this name already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (parse(cases[i].text) || strncmp(why, cases[i].why, strlen(cases[i].why)) != 0) {
            fail_msg("%s: %s", cases[i].text, why);
        }
    }
    assert_false(iso__http_tokens_parse(&tokens, "a\0b", 3, why, sizeof why));
    char text[400];
    memset(text, 'a', sizeof text);
    assert_false(iso__http_tokens_parse(&tokens, text, sizeof text, why, sizeof why));
    assert_string_equal(why, "line 1: it is too long");
}

static void test_there_are_at_most_256(void **state) {
    (void)state;
    char line[160];
    tokens.count = 0;
    for (unsigned i = 0; i < ISO__HTTP_TOKENS_MAX; ++i) {
        snprintf(line, sizeof line, "t%u read " HASH " never\n", i);
        assert_true(iso__http_tokens_parse(&tokens, line, strlen(line), why, sizeof why));
    }
    snprintf(line, sizeof line, "more read " HASH " never\n");
    assert_false(iso__http_tokens_parse(&tokens, line, strlen(line), why, sizeof why));
    assert_string_equal(why, "line 1: there are more than 256 tokens");
    uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE];
    iso__http_token_hash("0123456789abcdef", hash);
    assert_false(iso__http_tokens_add_hash(&tokens, "more", ISO__HTTP_ROLE_READ, hash));
}

static void test_token_is_found_until_it_expires(void **state) {
    (void)state;
    assert_true(parse("a read 0000000000000000000000000000000000000000000000000000000000000000 never\n"
                      "b moderate " HASH " 1970-01-02\n"));
    const iso__http_token *found = iso__http_tokens_find(&tokens, "Bearer 0123456789abcdef", 86399);
    assert_non_null(found);
    assert_string_equal(found->name, "b");
    assert_non_null(iso__http_tokens_find(&tokens, "bearer 0123456789abcdef", 0));
    assert_null(iso__http_tokens_find(&tokens, "Bearer 0123456789abcdef", 86400));
    static const char *const wrong[] = {NULL,
                                        "",
                                        "Bearer ",
                                        "Bearer  0123456789abcdef",
                                        "Bearer 0123456789abcde",
                                        "Bearer 0123456789abcdeg",
                                        "Bearer 0123456789abcdef0",
                                        "Bearer 0123456789abcdef0123456789abcdef",
                                        "Basic 0123456789abcdef",
                                        "Bearer " HASH};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_null(iso__http_tokens_find(&tokens, wrong[i], 0));
    }
}

static void test_line_that_is_made_can_be_read(void **state) {
    (void)state;
    char line[192];
    iso__http_token_line("anna", ISO__HTTP_ROLE_ADMIN, "0123456789abcdef", 1801353600, line, sizeof line);
    assert_string_equal(line, "anna admin " HASH " 2027-01-31T00:00:00Z\n");
    assert_true(parse(line));
    assert_int_equal(tokens.list[0].expires, 1801353600);
    iso__http_token_line("anna", ISO__HTTP_ROLE_READ, "0123456789abcdef", ISO__HTTP_NEVER, line, sizeof line);
    assert_string_equal(line, "anna read " HASH " never\n");
}

static void test_texts_that_are_tokens(void **state) {
    (void)state;
    assert_true(iso__http_is_token("0123456789abcdef"));
    assert_false(iso__http_is_token("0123456789abcde"));
    assert_false(iso__http_is_token("0123456789 abcdef"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_has_names_roles_and_expiries),
        cmocka_unit_test(test_wrong_lines_are_named),
        cmocka_unit_test(test_there_are_at_most_256),
        cmocka_unit_test(test_token_is_found_until_it_expires),
        cmocka_unit_test(test_line_that_is_made_can_be_read),
        cmocka_unit_test(test_texts_that_are_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
