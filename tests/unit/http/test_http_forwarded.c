/// Who a proxy speaks for: what a client writes itself never counts.
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "http/forwarded.h"

/// 10.0.0.0/8 and ::1.
static bool is_trusted(const void *user, const iso__address *address) {
    (void)user;
    if (address->family == ISO__ADDRESS_IPV4) {
        return address->bytes[12] == 10;
    }
    return iso__address_is_loopback(address);
}

static char found[INET6_ADDRSTRLEN];

/// @param first, second  headers "name: value"; NULL: none
static iso__http_forwarded find(const char *first, const char *second) {
    static char texts[2][2000];
    const char *const lines[] = {first, second};
    iso__address address = {0};
    iso__http_request request = {.header_count = 1, .headers = {{"host", "a"}}};
    for (size_t i = 0; i < 2 && lines[i] != NULL; ++i) {
        snprintf(texts[i], sizeof texts[i], "%s", lines[i]);
        char *colon = strchr(texts[i], ':');
        *colon = '\0';
        request.headers[request.header_count++] = (iso__http_header){texts[i], colon + 2};
    }
    const iso__http_forwarded result = iso__http_forwarded_find(&request, is_trusted, NULL, &address);
    found[0] = '\0';
    if (result == ISO__HTTP_FORWARDED_FOUND && address.family == ISO__ADDRESS_IPV4) {
        inet_ntop(AF_INET, address.bytes + 12, found, sizeof found);
    } else if (result == ISO__HTTP_FORWARDED_FOUND) {
        inet_ntop(AF_INET6, address.bytes, found, sizeof found);
    }
    return result;
}

static void test_address_is_the_first_from_the_right_that_is_no_proxy(void **state) {
    (void)state;
    static const struct {
        const char *first, *second, *address;
    } cases[] = {
        {"x-forwarded-for: 192.0.2.7", NULL, "192.0.2.7"},
        {"x-forwarded-for: 198.51.100.1, 192.0.2.7", NULL, "192.0.2.7"}, // the first the client has written
        {"x-forwarded-for: 198.51.100.1,192.0.2.7 , 10.0.0.1,10.0.0.2", NULL, "192.0.2.7"},
        {"x-forwarded-for: 198.51.100.1", "x-forwarded-for: 192.0.2.7, 10.0.0.1", "192.0.2.7"},
        {"x-forwarded-for: rubbish, 192.0.2.7", NULL, "192.0.2.7"},
        {"x-forwarded-for: , ,192.0.2.7,", NULL, "192.0.2.7"},
        {"x-forwarded-for: 10.0.0.3, 10.0.0.1", NULL, "10.0.0.3"}, // a proxy asks for itself
        {"x-forwarded-for: 192.0.2.7:4711", NULL, "192.0.2.7"},
        {"x-forwarded-for: 2001:db8::7", NULL, "2001:db8::7"},
        {"x-forwarded-for: [2001:db8::7]", NULL, "2001:db8::7"},
        {"x-forwarded-for: [2001:db8::7]:4711", NULL, "2001:db8::7"},
        {"x-forwarded-for: ::ffff:192.0.2.7", NULL, "192.0.2.7"},
        {"x-forwarded-for: 192.0.2.7, ::ffff:10.0.0.1, ::1", NULL, "192.0.2.7"},
        {"forwarded: for=192.0.2.7", NULL, "192.0.2.7"},
        {"forwarded: For=\"[2001:db8:cafe::17]:4711\"", NULL, "2001:db8:cafe::17"},
        {"forwarded: for=198.51.100.1;proto=http, by=10.0.0.1 ; for=192.0.2.7;proto=https, for=10.0.0.1", NULL,
         "192.0.2.7"},
        {"forwarded: for=\"198.51.100.1, for=203.0.113.9\", for=192.0.2.7", NULL, "192.0.2.7"},
        {"forwarded: for=x;a=\"\\\", for=203.0.113.9\", for=192.0.2.7", NULL, "192.0.2.7"},
        {"forwarded: for=192.0.2.7", "x-forwarded-for: 192.0.2.7", "192.0.2.7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (find(cases[i].first, cases[i].second) != ISO__HTTP_FORWARDED_FOUND ||
            strcmp(found, cases[i].address) != 0) {
            fail_msg("%s: '%s'", cases[i].first, found);
        }
    }
    assert_int_equal(find(NULL, NULL), ISO__HTTP_FORWARDED_NONE);
    assert_int_equal(find("x-real-ip: 192.0.2.7", NULL), ISO__HTTP_FORWARDED_NONE);
}

static void test_what_a_proxy_writes_has_to_be_an_address(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "x-forwarded-for: ",
        "x-forwarded-for: 192.0.2.7, unknown",
        "x-forwarded-for: 192.0.2",
        "x-forwarded-for: 192.0.2.7:",
        "x-forwarded-for: 192.0.2.7:x",
        "x-forwarded-for: [2001:db8::7",
        "x-forwarded-for: [2001:db8::7]x",
        "x-forwarded-for: 2001:db8::7%eth0",
        "x-forwarded-for: 192.0.2.7 10.0.0.1",
        "forwarded: for=_hidden",
        "forwarded: proto=https",
        "forwarded: for=192.0.2.7, proto=https",
        "forwarded: for=",
        "forwarded: for=\"192.0.2.7",
        // What a client has begun, and a proxy went on with.
        "forwarded: for=198.51.100.1;a=\", for=192.0.2.7",
        "forwarded: for=198.51.100.1;a=\"\\, for=\"[2001:db8::7]\"",
        "forwarded: for=198.51.100.1, for=198.51.100.2;a=\", for=\"[2001:db8::7]\";by=10.0.0.1",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        if (find(wrong[i], NULL) != ISO__HTTP_FORWARDED_WRONG) {
            fail_msg("%s: '%s'", wrong[i], found);
        }
    }
    char many[1024] = "x-forwarded-for: 192.0.2.7";
    for (unsigned i = 0; i < ISO__HTTP_HOPS_MAX - 1; ++i) {
        strcat(many, ", 10.0.0.1");
    }
    assert_int_equal(find(many, NULL), ISO__HTTP_FORWARDED_FOUND);
    strcat(many, ", 10.0.0.1");
    assert_int_equal(find(many, NULL), ISO__HTTP_FORWARDED_WRONG);
}

/// A proxy that writes one of them passes the other one on as the client has sent it.
static void test_headers_that_disagree_name_nobody(void **state) {
    (void)state;
    assert_int_equal(find("forwarded: for=198.51.100.1", "x-forwarded-for: 192.0.2.7"), ISO__HTTP_FORWARDED_DISAGREE);
    assert_int_equal(find("forwarded: for=_hidden", "x-forwarded-for: 192.0.2.7"), ISO__HTTP_FORWARDED_DISAGREE);
    assert_int_equal(find("forwarded: for=192.0.2.7", "x-forwarded-for: unknown"), ISO__HTTP_FORWARDED_WRONG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address_is_the_first_from_the_right_that_is_no_proxy),
        cmocka_unit_test(test_what_a_proxy_writes_has_to_be_an_address),
        cmocka_unit_test(test_headers_that_disagree_name_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
