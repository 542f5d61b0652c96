/// What a request may ask for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http/policy.h"

static void test_paths(void **state) {
    (void)state;
    static const struct {
        const char *target, *prefix;
        unsigned status;
        const char *path;
    } cases[] = {
        {"/", "", 200, "/"},
        {"/healthz?x=/../", "", 200, "/healthz"},
        {"/a%20b", "", 200, "/a b"},
        {"http://host:1/a/b?c", "", 200, "/a/b"},
        {"/games/isostep/healthz", "/games/isostep", 200, "/healthz"},
        {"/games/isostep/", "/games/isostep", 200, "/"},
        {"/games/isostep", "/games/isostep", 404, NULL},
        {"/games/isostepx/healthz", "/games/isostep", 404, NULL},
        {"/healthz", "/games/isostep", 404, NULL},
        {"/api/recordings/..", "", 400, NULL},
        {"/api/recordings/../x", "", 400, NULL},
        {"/api/recordings/%2e%2e/x", "", 400, NULL},
        {"/./x", "", 400, NULL},
        {"/a%2fb", "", 400, NULL},
        {"/a%00", "", 400, NULL},
        {"/a%0a", "", 400, NULL},
        {"/a\\b", "", 400, NULL},
        {"/a%", "", 400, NULL},
        {"/a%4", "", 400, NULL},
        {"/a%zz", "", 400, NULL},
        {"*", "", 400, NULL},
        {"host:443", "", 400, NULL},
        {"http://host", "", 400, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char path[ISO__HTTP_TARGET_MAX + 1];
        assert_int_equal(iso__http_path(cases[i].target, cases[i].prefix, path), cases[i].status);
        if (cases[i].path != NULL) {
            assert_string_equal(path, cases[i].path);
        }
    }
}

static void test_origins(void **state) {
    (void)state;
    static const char *const allowed[] = {"https://example.com", "http://dev.local:8080"};
    static const struct {
        const char *origin, *host;
        bool may;
    } cases[] = {
        {NULL, "localhost:7780", true},
        {"http://localhost:7780", "localhost:7780", true},
        {"http://LOCALHOST:7780", "localhost:7780", true},
        {"https://play.example.org", "play.example.org", true}, // behind a proxy that ends TLS
        {"https://play.example.org", "play.example.org:443", true},
        {"http://[::1]:7780", "[::1]:7780", true},
        {"http://localhost:7781", "localhost:7780", false},
        {"http://localhost", "localhost:7780", false},
        {"http://evil.example", "localhost:7780", false},
        {"http://localhost:7780.evil.example", "localhost:7780", false},
        {"http://localhost:7780/", "localhost:7780", false},
        {"http://localhost:7780@evil.example", "localhost:7780", false},
        {"null", "localhost:7780", false},
        {"", "localhost:7780", false},
        {"file://", "localhost:7780", false},
        {"https://example.com", "localhost:7780", true},
        {"https://example.com:443", "localhost:7780", true},
        {"http://example.com", "localhost:7780", false}, // another scheme
        {"http://dev.local:8080", "localhost:7780", true},
        {"http://dev.local", "localhost:7780", false},
        {"http://localhost:7780", NULL, false},
        {"http://localhost:99999", "localhost:99999", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(iso__http_origin_is_allowed(cases[i].origin, cases[i].host, allowed, 2), cases[i].may);
    }
    assert_true(iso__http_is_origin("https://example.com"));
    assert_false(iso__http_is_origin("https://example.com/"));
    assert_false(iso__http_is_origin("example.com"));
}

static void test_loopback_hosts(void **state) {
    (void)state;
    static const char *const yes[] = {"localhost", "LocalHost:1", "127.0.0.1:7780", "127.255.0.9", "[::1]", "[::1]:80"};
    static const char *const no[] = {"example.com",
                                     "localhost.example.com",
                                     "127.0.0.1.example.com",
                                     "127.example.com",
                                     "128.0.0.1",
                                     "[::2]",
                                     "127.0.0",
                                     "127.0.0.0001",
                                     "127...1",
                                     "",
                                     "localhost:x"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; ++i) {
        assert_true(iso__http_host_is_loopback(yes[i]));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i) {
        assert_false(iso__http_host_is_loopback(no[i]));
    }
    assert_false(iso__http_host_is_loopback(NULL));
}

/// A right request to go on as WebSocket, to be made wrong.
static iso__http_request upgrade(void) {
    return (iso__http_request){
        .method = ISO__HTTP_GET,
        .headers =
            {
                {"host", "localhost:7780"},
                {"upgrade", "WebSocket"},
                {"sec-websocket-version", "13"},
                {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
                {"sec-websocket-protocol", "other, isostep.v1"},
                {"origin", "http://localhost:7780"},
            },
        .header_count = 6,
        .is_upgrade = true,
        .is_version_1_1 = true,
    };
}

static void test_upgrades(void **state) {
    (void)state;
    static const char *const allowed[] = {"https://example.com"};
    static const struct {
        unsigned header;
        const char *value;
        unsigned status;
    } cases[] = {
        {1, "h2c", 426},
        {2, "8", 426},
        {3, "dGhlIHNhbXBsZSBub25jZQ=", 400},
        {3, "dGhlIHNhbXBsZSBub25jZ!==", 400},
        {3, "AAAAAAAAAAAAAAAAAAAAAAA=", 400}, // 17 bytes
        {4, "isostep.v2", 400},
        {5, "http://evil.example", 403},
        {5, "null", 403},
        {5, "https://example.com", 101},
    };
    const iso__http_origins origins = {allowed, 1, true};
    iso__http_request request = upgrade();
    assert_int_equal(iso__http_upgrade_status(&request, &origins), 101);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        request = upgrade();
        request.headers[cases[i].header].value = cases[i].value;
        assert_int_equal(iso__http_upgrade_status(&request, &origins), cases[i].status);
    }
    request = upgrade();
    request.method = ISO__HTTP_POST;
    assert_int_equal(iso__http_upgrade_status(&request, &origins), 405);
    request = upgrade();
    request.is_upgrade = false;
    assert_int_equal(iso__http_upgrade_status(&request, &origins), 426);
    request = upgrade();
    request.header_count = 5; // no browser
    assert_int_equal(iso__http_upgrade_status(&request, &origins), 101);
}

static void test_names_that_were_made_to_lead_here_are_foreign(void **state) {
    (void)state;
    iso__http_request request = upgrade();
    request.headers[0].value = "evil.example:7780";
    request.headers[5].value = "http://evil.example:7780";
    assert_int_equal(iso__http_upgrade_status(&request, &(iso__http_origins){NULL, 0, true}), 403);
    // Elsewhere names are as they are, and a proxy knows its own.
    assert_int_equal(iso__http_upgrade_status(&request, &(iso__http_origins){NULL, 0, false}), 101);
    request.has_proxy = true;
    assert_int_equal(iso__http_upgrade_status(&request, &(iso__http_origins){NULL, 0, true}), 101);
}

static bool add_token(iso__http_tokens *tokens, const char *name, iso__http_role role, const char *token) {
    uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE];
    iso__http_token_hash(token, hash);
    return iso__http_tokens_add_hash(tokens, name, role, hash);
}

static void test_changes_need_a_token_with_the_role(void **state) {
    (void)state;
    static const struct {
        const char *host, *origin, *authorization;
        bool has_proxy, is_loopback, has_tokens;
        iso__http_role needed;
        unsigned status;
    } cases[] = {
        // Without tokens nobody, from wherever: what a proxy on this machine passes on looks like its user's.
        {"localhost:7780", NULL, NULL, false, true, false, ISO__HTTP_ROLE_ADMIN, 403},
        {"127.0.0.1:7780", "http://127.0.0.1:7780", NULL, false, true, false, ISO__HTTP_ROLE_ADMIN, 403},
        {"127.0.0.1:7780", NULL, "Bearer 0123456789abcdef", false, true, false, ISO__HTTP_ROLE_READ, 403},
        {"localhost:7780", NULL, NULL, false, false, false, ISO__HTTP_ROLE_MODERATE, 403},
        {"localhost:7780", NULL, NULL, false, true, false, ISO__HTTP_ROLE_NONE, 200},
        {"localhost:7780", "http://evil.example", NULL, false, true, true, ISO__HTTP_ROLE_NONE, 200},
        {"localhost:7780", NULL, NULL, false, true, true, ISO__HTTP_ROLE_ADMIN, 401},
        {"localhost:7780", NULL, "Bearer 0123456789abcdeg", false, true, true, ISO__HTTP_ROLE_READ, 401},
        {"localhost:7780", NULL, "Bearer 0123456789abcdef", false, true, true, ISO__HTTP_ROLE_ADMIN, 200},
        {"localhost:7780", NULL, "Bearer moderate-moderate", false, true, true, ISO__HTTP_ROLE_READ, 200},
        {"localhost:7780", NULL, "Bearer moderate-moderate", false, true, true, ISO__HTTP_ROLE_MODERATE, 200},
        {"localhost:7780", NULL, "Bearer moderate-moderate", false, true, true, ISO__HTTP_ROLE_ADMIN, 403},
        {"play.example.org", NULL, "bearer 0123456789abcdef", true, false, true, ISO__HTTP_ROLE_ADMIN, 200},
        {"play.example.org", "https://example.com", "Bearer 0123456789abcdef", true, false, true, ISO__HTTP_ROLE_ADMIN,
         200},
        {"play.example.org", "http://evil.example", "Bearer 0123456789abcdef", true, false, true, ISO__HTTP_ROLE_ADMIN,
         403},
        {"evil.example:7780", "http://evil.example:7780", "Bearer 0123456789abcdef", false, true, true,
         ISO__HTTP_ROLE_ADMIN, 403},
        {"localhost:7780", "null", "Bearer 0123456789abcdef", false, true, true, ISO__HTTP_ROLE_ADMIN, 403},
    };
    static const char *const allowed[] = {"https://example.com"};
    static iso__http_tokens tokens;
    assert_true(add_token(&tokens, "m", ISO__HTTP_ROLE_MODERATE, "moderate-moderate"));
    assert_true(add_token(&tokens, "a", ISO__HTTP_ROLE_ADMIN, "0123456789abcdef"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const iso__http_token *by = NULL;
        iso__http_request request = {.method = ISO__HTTP_DELETE, .has_proxy = cases[i].has_proxy};
        request.headers[request.header_count++] = (iso__http_header){"host", cases[i].host};
        if (cases[i].origin != NULL) {
            request.headers[request.header_count++] = (iso__http_header){"origin", cases[i].origin};
        }
        if (cases[i].authorization != NULL) {
            request.headers[request.header_count++] = (iso__http_header){"authorization", cases[i].authorization};
        }
        const iso__http_origins origins = {allowed, 1, cases[i].is_loopback};
        const unsigned status =
            iso__http_change_status(&request, &origins, cases[i].has_tokens ? &tokens : NULL, cases[i].needed, 0, &by);
        if (status != cases[i].status) {
            fail_msg("case %zu: %u", i, status);
        }
        assert_int_equal(by != NULL, cases[i].has_tokens && cases[i].authorization != NULL && status != 401);
    }
}

static void test_reading_needs_the_right_name_on_loopback(void **state) {
    (void)state;
    static const char *const allowed[] = {"https://play.example.com", "http://lan.example:8080"};
    static const struct {
        const char *host;
        bool is_loopback, has_proxy;
        unsigned status;
    } cases[] = {
        {"localhost:7780", true, false, 200},
        {"127.0.0.1:7780", true, false, 200},
        {"[::1]:7780", true, true, 200},
        {NULL, true, false, 200},
        {"evil.example:7780", true, false, 421},
        {"evil.example:7780", false, false, 200},
        {"play.example.com", true, false, 200},
        {"PLAY.example.com:443", true, false, 200},
        {"play.example.com:80", true, false, 421},
        {"lan.example:8080", true, false, 200},
        {"lan.example", true, false, 421},
        // A proxy keeps its own name. A page can add its headers, but comes to our port.
        {"behind.example", true, true, 200},
        {"behind.example:8443", true, true, 200},
        {"evil.example:7780", true, true, 421},
        {"evil.example:x", true, true, 421},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const iso__http_origins origins = {allowed, 2, cases[i].is_loopback};
        iso__http_request request = {.has_proxy = cases[i].has_proxy, .header_count = cases[i].host != NULL};
        request.headers[0] = (iso__http_header){"host", cases[i].host};
        assert_int_equal(iso__http_read_status(&request, &origins, 7780), cases[i].status);
    }
    // At the port that a browser leaves out.
    const iso__http_request request = {.has_proxy = true, .header_count = 1, .headers = {{"host", "evil.example"}}};
    assert_int_equal(iso__http_read_status(&request, &(iso__http_origins){allowed, 2, true}, 80), 421);
}

static void test_ranges(void **state) {
    (void)state;
    static const struct {
        const char *value;
        uint64_t size;
        iso__http_range_kind kind;
        uint64_t first, last;
    } cases[] = {
        {NULL, 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"bytes=0-9", 100, ISO__HTTP_RANGE_PART, 0, 9},
        {"bytes=0-100", 100, ISO__HTTP_RANGE_PART, 0, 99}, // one more than there are
        {"bytes=90-", 100, ISO__HTTP_RANGE_PART, 90, 99},
        {"bytes=90-1000", 100, ISO__HTTP_RANGE_PART, 90, 99},
        {"bytes=-10", 100, ISO__HTTP_RANGE_PART, 90, 99},
        {"bytes=-1000", 100, ISO__HTTP_RANGE_PART, 0, 99},
        {"bytes=99-99", 100, ISO__HTTP_RANGE_PART, 99, 99},
        {"bytes=100-", 100, ISO__HTTP_RANGE_WRONG, 0, 0},
        {"bytes=-0", 100, ISO__HTTP_RANGE_WRONG, 0, 0},
        {"bytes=0-", 0, ISO__HTTP_RANGE_WRONG, 0, 0},
        {"bytes=-5", 0, ISO__HTTP_RANGE_WRONG, 0, 0},
        {"bytes=9-0", 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"bytes=0-9,20-29", 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"lines=0-9", 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"bytes=a-", 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"bytes=99999999999999999999999-", 100, ISO__HTTP_RANGE_NONE, 0, 0},
        {"bytes=", 100, ISO__HTTP_RANGE_NONE, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint64_t first = 0, last = 0;
        assert_int_equal(iso__http_range(cases[i].value, cases[i].size, &first, &last), cases[i].kind);
        if (cases[i].kind == ISO__HTTP_RANGE_PART) {
            assert_int_equal(first, cases[i].first);
            assert_int_equal(last, cases[i].last);
        }
    }
}

static void test_recording_names(void **state) {
    (void)state;
    static const char *const yes[] = {"main-74cfe687-1.isr", "main-74cfe687-1.2.isr", "main-74cfe687-12.345.isr"};
    static const char *const no[] = {
        "server.key", ".isr",     "main.isr.part", "main.isr.torn",  "../main.isr",  "a/b.isr",
        "",           "a.b.isr",  "Main.isr",      "-main.isr",      "server.lock",  ".2.isr",
        "a..isr",     "a.02.isr", "a.2.isr.part",  "a.2.3.isr",      "a.2b.isr",     "a.-2.isr",
        "..isr",      "a.2isr",   "a..2.isr",      "main-1.2.isr.x", "main-1.isr.2", "main-1.isr.isr"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; ++i) {
        assert_true(iso__http_is_recording_name(yes[i]));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i) {
        assert_false(iso__http_is_recording_name(no[i]));
    }
}

static void test_tags(void **state) {
    (void)state;
    assert_true(iso__http_has_tag("\"a\"", "\"a\""));
    assert_true(iso__http_has_tag("\"b\", W/\"a\"", "\"a\""));
    assert_true(iso__http_has_tag("*", "\"a\""));
    assert_false(iso__http_has_tag("\"ab\"", "\"a\""));
    assert_false(iso__http_has_tag(NULL, "\"a\""));
    assert_false(iso__http_has_tag("", "\"a\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_loopback_hosts),
        cmocka_unit_test(test_upgrades),
        cmocka_unit_test(test_names_that_were_made_to_lead_here_are_foreign),
        cmocka_unit_test(test_changes_need_a_token_with_the_role),
        cmocka_unit_test(test_reading_needs_the_right_name_on_loopback),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_recording_names),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
