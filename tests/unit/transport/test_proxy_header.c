/// PROXY headers, versions 1 and 2: whose a connection is, and what is none, in one piece and byte by byte.
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "transport/proxy_header.h"

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"

static iso__proxy_header header;

/// @return the status; *consumed bytes were taken
static iso__proxy_status feed(const void *bytes, size_t size, size_t step, size_t *consumed) {
    iso__proxy_status status = ISO__PROXY_MORE;
    memset(&header, 0, sizeof header);
    *consumed = 0;
    while (status == ISO__PROXY_MORE && *consumed < size) {
        size_t taken = 0;
        const size_t left = size - *consumed;
        status = iso__proxy_header_feed(&header, (const uint8_t *)bytes + *consumed, left < step ? left : step, &taken);
        *consumed += taken;
    }
    return status;
}

static const char *address(void) {
    static char text[80];
    char host[INET6_ADDRSTRLEN] = "";
    if (!header.has_address) {
        return "none";
    }
    if (header.address.family == ISO__ADDRESS_IPV4) {
        inet_ntop(AF_INET, header.address.bytes + 12, host, sizeof host);
    } else {
        inet_ntop(AF_INET6, header.address.bytes, host, sizeof host);
    }
    snprintf(text, sizeof text, "%s|%u", host, header.address.port);
    return text;
}

static void expect(const void *bytes, size_t size, const char *wanted) {
    for (size_t step = 1; step <= size + 3; step += step == 1 ? 2 : size) {
        char more[512];
        size_t consumed = 0;
        assert_true(size + 3 <= sizeof more);
        memcpy(more, bytes, size);
        memcpy(more + size, "own", 3);
        assert_int_equal(feed(more, size + 3, step, &consumed), ISO__PROXY_DONE);
        // What follows belongs to the connection.
        assert_int_equal(consumed, size);
        assert_string_equal(address(), wanted);
    }
}

static void test_lines_of_version_1(void **state) {
    (void)state;
    static const struct {
        const char *line, *address;
    } cases[] = {
        {"PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", "192.0.2.7|56324"},
        {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255|65535"},
        {"PROXY TCP6 2001:db8::7 2001:db8::1 0 443\r\n", "2001:db8::7|0"},
        {"PROXY TCP6 ::ffff:192.0.2.7 ::1 1 443\r\n", "192.0.2.7|1"},
        {"PROXY UNKNOWN\r\n", "none"},
        {"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect(cases[i].line, strlen(cases[i].line), cases[i].address);
    }
}

static void test_wrong_lines(void **state) {
    (void)state;
    static const char *const lines[] = {
        "HELLO",
        "PROXY\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 \r\n",
        "PROXY TCP4 192.0.2.7  198.51.100.1 56324 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\n",
        "PROXY TCP4 192.0.2.700 198.51.100.1 56324 443\r\n",
        "PROXY TCP4 2001:db8::7 2001:db8::1 1 443\r\n",
        "PROXY TCP6 192.0.2.7 198.51.100.1 1 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 01 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 -1 443\r\n",
        "PROXY UDP4 192.0.2.7 198.51.100.1 1 443\r\n",
        ("PROXY TCP4 "
         "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"),
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        size_t consumed = 0;
        if (feed(lines[i], strlen(lines[i]), 1, &consumed) != ISO__PROXY_FAILED ||
            feed(lines[i], strlen(lines[i]), 1000, &consumed) != ISO__PROXY_FAILED) {
            fail_msg("%s", lines[i]);
        }
    }
    // Noticed at once.
    size_t consumed = 0;
    assert_int_equal(feed("\x05", 1, 1, &consumed), ISO__PROXY_FAILED);
    assert_int_equal(feed("PROXX", 5, 1, &consumed), ISO__PROXY_FAILED);
    assert_int_equal(feed("PROXY TCP4", 10, 1, &consumed), ISO__PROXY_MORE);
}

#define LITERAL(text) text, sizeof text - 1

static void test_binary_headers_of_version_2(void **state) {
    (void)state;
    expect(LITERAL(SIGNATURE "\x21\x11\x00\x0C\xC0\x00\x02\x07\xC6\x33\x64\x01\xDC\x04\x01\xBB"), "192.0.2.7|56324");
    // With further fields behind.
    expect(LITERAL(SIGNATURE "\x21\x11\x00\x11\xC0\x00\x02\x07\xC6\x33\x64\x01\xDC\x04\x01\xBB\x04\x00\x02zz"),
           "192.0.2.7|56324");
    expect(LITERAL(SIGNATURE
                   "\x21\x21\x00\x24\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x07\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0"
                   "\0\0\x01\x00\x50\x01\xBB"),
           "2001:db8::7|80");
    expect(LITERAL(SIGNATURE
                   "\x21\x21\x00\x24\0\0\0\0\0\0\0\0\0\0\xFF\xFF\xC0\x00\x02\x07\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0"
                   "\0\0\x01\x00\x50\x01\xBB"),
           "192.0.2.7|80");
    // The proxy looks whether we are there; an address that is none of the network's.
    expect(LITERAL(SIGNATURE "\x20\x00\x00\x00"), "none");
    expect(LITERAL(SIGNATURE "\x20\x11\x00\x0C\xC0\x00\x02\x07\xC6\x33\x64\x01\xDC\x04\x01\xBB"), "none");
    expect(LITERAL(SIGNATURE "\x21\x00\x00\x03zzz"), "none");
    expect(LITERAL(SIGNATURE "\x21\x31\x00\x03zzz"), "none");
}

static void test_wrong_binary_headers(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {LITERAL("\r\n\r\n\0\r\nQUIX")},         {LITERAL(SIGNATURE "\x11\x11\x00\x0C")}, // another version
        {LITERAL(SIGNATURE "\x22\x11\x00\x0C")},                                          // another command
        {LITERAL(SIGNATURE "\x21\x12\x00\x0C")},                                          // datagrams
        {LITERAL(SIGNATURE "\x21\x41\x00\x0C")},                                          // a family that there is not
        {LITERAL(SIGNATURE "\x21\x11\x00\x0B")},                                          // too short for its addresses
        {LITERAL(SIGNATURE "\x21\x21\x00\x23")}, {LITERAL(SIGNATURE "\x21\x11\x10\x01")}, // longer than we wait for
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        size_t consumed = 0;
        if (feed(cases[i].bytes, cases[i].size, 1, &consumed) != ISO__PROXY_FAILED ||
            feed(cases[i].bytes, cases[i].size, 1000, &consumed) != ISO__PROXY_FAILED) {
            fail_msg("case %zu", i);
        }
        assert_int_equal(consumed, cases[i].size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_version_1),
        cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_binary_headers_of_version_2),
        cmocka_unit_test(test_wrong_binary_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
