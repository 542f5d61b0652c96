/// Requests from bytes, in one piece and byte by byte, and what is wrong with some.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "http/request.h"

static iso__http_parser *parser;

static int set_up(void **state) {
    (void)state;
    parser = iso__http_parser_create(16);
    return parser == NULL;
}

static int tear_down(void **state) {
    (void)state;
    iso__http_parser_destroy(parser);
    return 0;
}

static const iso__http_request *expect_request(const char *text) {
    size_t consumed = 0;
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)text, strlen(text), &consumed), ISO__HTTP_REQUEST);
    assert_int_equal(consumed, strlen(text));
    return iso__http_parser_request(parser);
}

static void expect_failure(const char *text, size_t size, unsigned status) {
    size_t consumed = 0;
    tear_down(NULL);
    set_up(NULL);
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)text, size, &consumed), ISO__HTTP_FAILED);
    assert_int_equal(iso__http_parser_status(parser), status);
    // It stays so.
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)"GET", 3, &consumed), ISO__HTTP_FAILED);
}

#define FAILS(text, status) expect_failure(text, sizeof(text) - 1, status)

static void test_request_is_read(void **state) {
    (void)state;
    const iso__http_request *request = expect_request("GET /api/sessions?a=b HTTP/1.1\r\nHost: localhost:7780\r\n"
                                                      "X-Long:  many words \r\nOrigin: http://localhost:7780\r\n\r\n");
    assert_int_equal(request->method, ISO__HTTP_GET);
    assert_string_equal(request->target, "/api/sessions?a=b");
    assert_int_equal(request->header_count, 3);
    assert_string_equal(iso__http_find(request, "host"), "localhost:7780");
    assert_string_equal(request->headers[1].name, "x-long");
    assert_memory_equal(request->headers[1].value, "many words", 10);
    assert_null(iso__http_find(request, "range"));
    assert_true(request->stays_open);
    assert_true(request->is_version_1_1);
    assert_false(request->is_upgrade);
    assert_false(request->has_proxy);
    assert_int_equal(request->body_size, 0);
    assert_false(iso__http_parser_is_inside(parser));
}

static void test_request_may_come_byte_by_byte(void **state) {
    (void)state;
    const char text[] = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-Forwarded-For: 1.2.3.4\r\n\r\nhello";
    size_t consumed = 0;
    for (size_t i = 0; i + 2 < sizeof text; ++i) {
        assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)text + i, 1, &consumed), ISO__HTTP_MORE);
        assert_int_equal(consumed, 1);
        assert_true(iso__http_parser_is_inside(parser));
    }
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)"o", 1, &consumed), ISO__HTTP_REQUEST);
    const iso__http_request *request = iso__http_parser_request(parser);
    assert_int_equal(request->method, ISO__HTTP_POST);
    assert_int_equal(request->body_size, 5);
    assert_memory_equal(request->body, "hello", 5);
    assert_true(request->has_proxy);
}

static void test_pipelined_requests_come_one_at_a_time(void **state) {
    (void)state;
    const char text[] = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n";
    size_t consumed = 0, second = 0;
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)text, sizeof text - 1, &consumed),
                     ISO__HTTP_REQUEST);
    assert_string_equal(iso__http_parser_request(parser)->target, "/1");
    assert_int_equal(consumed, 28);
    assert_int_equal(
        iso__http_parser_feed(parser, (const uint8_t *)text + consumed, sizeof text - 1 - consumed, &second),
        ISO__HTTP_REQUEST);
    const iso__http_request *request = iso__http_parser_request(parser);
    assert_string_equal(request->target, "/2");
    assert_int_equal(request->method, ISO__HTTP_HEAD);
    assert_int_equal(request->header_count, 2);
    assert_string_equal(iso__http_find(request, "host"), "b");
    assert_false(request->stays_open);
    assert_int_equal(consumed + second, sizeof text - 1);
}

static void test_what_follows_an_upgrade_is_left(void **state) {
    (void)state;
    const char text[] =
        "GET /v1/socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x82\x80";
    size_t consumed = 0;
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)text, sizeof text - 1, &consumed),
                     ISO__HTTP_REQUEST);
    assert_true(iso__http_parser_request(parser)->is_upgrade);
    assert_int_equal(consumed, sizeof text - 3);
}

/// What was judged when the head was whole cannot be changed by what follows the body.
static void test_trailers_are_refused(void **state) {
    (void)state;
    FAILS("GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://evil.example\r\nTransfer-Encoding: chunked\r\n\r\n"
          "0\r\nOrigin: x\r\n\r\n",
          400);
    FAILS("DELETE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nAuthorization: b\r\n\r\n",
          400);
}

static void test_chunked_bodies_are_put_together(void **state) {
    (void)state;
    const iso__http_request *request = expect_request(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    assert_int_equal(request->body_size, 5);
    assert_memory_equal(request->body, "abcde", 5);
}

/// As long as the text of its header X-Body.
static size_t judge(void *user, const iso__http_request *request) {
    ++*(unsigned *)user;
    assert_int_equal(request->body_size, 0);
    const char *value = iso__http_find(request, "x-body");
    return value != NULL ? strlen(value) : 0;
}

static void test_bodies_are_as_large_as_their_headers_allow(void **state) {
    (void)state;
    unsigned judged = 0;
    size_t consumed = 0;
    iso__http_parser_judge(parser, judge, &judged);
    const char *right = "POST / HTTP/1.1\r\nHost: a\r\nX-Body: 12345\r\nContent-Length: 5\r\n\r\nhello";
    for (unsigned i = 1; i <= 2; ++i) {
        assert_int_equal(expect_request(right)->body_size, 5);
        assert_int_equal(judged, i);
    }
    const char *large =
        "POST / HTTP/1.1\r\nHost: a\r\nX-Body: 1234\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)large, strlen(large), &consumed), ISO__HTTP_FAILED);
    assert_int_equal(iso__http_parser_status(parser), 413);
    // Never more than the parser's own.
    tear_down(NULL);
    set_up(NULL);
    iso__http_parser_judge(parser, judge, &judged);
    large = "POST / HTTP/1.1\r\nHost: a\r\nX-Body: 123456789012345678\r\nContent-Length: 17\r\n\r\n";
    assert_int_equal(iso__http_parser_feed(parser, (const uint8_t *)large, strlen(large), &consumed), ISO__HTTP_FAILED);
    assert_int_equal(iso__http_parser_status(parser), 413);
}

static void test_garbage_is_400(void **state) {
    (void)state;
    FAILS("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400);
    FAILS("hello\r\n\r\n", 400);
    FAILS("GET / HTTP/1.1\r\nHost a\r\n\r\n", 400);
    FAILS("GET / HTTP/1.1\r\nHost: a\r\nX: \x01\0\r\n\r\n", 400);
    FAILS("GET / HTTP/1.1\r\n\r\n", 400);                       // no host
    FAILS("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400); // two
    FAILS("GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n", 400);
    // A proxy might see another end of the request than we do.
    FAILS("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
    FAILS("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400);
    FAILS("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400);
}

static void test_versions_are_named(void **state) {
    (void)state;
    FAILS("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505);
    FAILS("GET / HTTP/1.7\r\nHost: a\r\n\r\n", 505);
    tear_down(NULL);
    set_up(NULL);
    const iso__http_request *request = expect_request("GET / HTTP/1.0\r\n\r\n");
    assert_false(request->stays_open);
    assert_false(request->is_version_1_1);
}

static void test_limits_are_named(void **state) {
    (void)state;
    static char text[2 * ISO__HTTP_HEAD_MAX];
    int size = snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\nHost: a\r\n\r\n", (int)ISO__HTTP_TARGET_MAX, 0);
    expect_failure(text, (size_t)size, 414);
    size = snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\nHost: a\r\n\r\n", (int)ISO__HTTP_TARGET_MAX - 1, 0);
    tear_down(NULL);
    set_up(NULL);
    assert_int_equal(strlen(expect_request(text)->target), ISO__HTTP_TARGET_MAX);

    size = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\nCookie: %0*d\r\n\r\n", (int)ISO__HTTP_HEAD_MAX, 0);
    expect_failure(text, (size_t)size, 431);

    size = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\n");
    for (unsigned i = 0; i < ISO__HTTP_HEADERS_MAX; ++i) {
        size += snprintf(text + size, sizeof text - (size_t)size, "X: %u\r\n", i);
    }
    expect_failure(text, (size_t)size, 431);

    FAILS("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n", 413); // the parser's limit is 16
    FAILS("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n01234567890123456\r\n", 413);
}

static void test_words_of_lists(void **state) {
    (void)state;
    assert_true(iso__http_has_word("keep-alive, Upgrade", "upgrade"));
    assert_true(iso__http_has_word("WebSocket", "websocket"));
    assert_false(iso__http_has_word("upgraded,upgrad", "upgrade"));
    assert_false(iso__http_has_word("", "upgrade"));
    assert_false(iso__http_has_word(NULL, "upgrade"));
}

static iso__http_event feed_text(iso__http_parser *to, const char *text) {
    size_t consumed = 0;
    return iso__http_parser_feed(to, (const uint8_t *)text, strlen(text), &consumed);
}

/// What has come counts, not what was announced, and it is given back.
static void test_bodies_share_what_they_may_take(void **state) {
    (void)state;
    static const char head[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n";
    static char half[5001], rest[5001];
    iso__http_bodies bodies = {.max = 12 << 10};
    iso__http_parser *a = iso__http_parser_create(1 << 20), *b = iso__http_parser_create(1 << 20);
    memset(half, 'x', sizeof half - 1);
    memset(rest, 'y', sizeof rest - 1);
    iso__http_parser_share(a, &bodies);
    iso__http_parser_share(b, &bodies);
    assert_int_equal(feed_text(a, head), ISO__HTTP_MORE);
    assert_int_equal(feed_text(b, head), ISO__HTTP_MORE);
    assert_int_equal(bodies.held, 0);
    assert_int_equal(feed_text(a, half), ISO__HTTP_MORE);
    assert_int_equal(bodies.held, 8 << 10);
    assert_int_equal(feed_text(b, half), ISO__HTTP_FAILED);
    assert_int_equal(iso__http_parser_status(b), ISO__HTTP_BODIES_STATUS);
    iso__http_parser_destroy(b);
    assert_int_equal(bodies.held, 8 << 10);
    bodies.max = 16 << 10;
    assert_int_equal(feed_text(a, rest), ISO__HTTP_REQUEST);
    assert_int_equal(bodies.held, 16 << 10);
    iso__http_parser_destroy(a);
    assert_int_equal(bodies.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_share_what_they_may_take),
        cmocka_unit_test_setup_teardown(test_request_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_request_may_come_byte_by_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipelined_requests_come_one_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_follows_an_upgrade_is_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_trailers_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chunked_bodies_are_put_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bodies_are_as_large_as_their_headers_allow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_garbage_is_400, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_versions_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits_are_named, set_up, tear_down),
        cmocka_unit_test(test_words_of_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
