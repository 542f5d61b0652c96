/// The log: what a line says, and how many lines a peer can cause.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "host/watch/log.h"
#include "host/watch/log_limit.h"
#include "unit/address_util.h"

#define S UINT64_C(1000000000)

static char said[1 << 16];

/// Standard error goes into a file while `say` runs. @return what was said
static const char *hear(void (*say)(void)) {
    char path[] = "/tmp/isostep-log-XXXXXX";
    int file = mkstemp(path), old = dup(STDERR_FILENO);
    assert_true(file >= 0 && old >= 0);
    unlink(path);
    dup2(file, STDERR_FILENO);
    say();
    dup2(old, STDERR_FILENO);
    close(old);
    ssize_t size = pread(file, said, sizeof said - 1, 0);
    close(file);
    assert_true(size >= 0);
    said[size] = '\0';
    return said;
}

static void know(uint64_t connection, const char *text, uint16_t port) {
    const iso__address address = read_address(text, port);
    iso__log_set_connection(connection, &address);
}

static unsigned count_lines(const char *text) {
    unsigned count = 0;
    for (; *text != '\0'; ++text) {
        count += *text == '\n';
    }
    return count;
}

static void say_one(void) {
    iso__log(&(iso__log_about){.level = ISO__LOG_WARNING, .session = "main", .connection = 7, .code = ISO_ERR_RATE},
             "slot %u: \"\\\n\x1b[31m", 3u);
}

static void test_a_line_says_time_level_session_peer_and_code(void **state) {
    (void)state;
    know(7, "192.0.2.7", 5123);
    const char *text = hear(say_one);
    unsigned year, month, day, hour, minute, second, ms;
    int rest = 0;
    assert_int_equal(
        sscanf(text, "%4u-%2u-%2uT%2u:%2u:%2u.%3uZ %n", &year, &month, &day, &hour, &minute, &second, &ms, &rest), 7);
    assert_string_equal(
        text + rest,
        "isostep-server: warning: session main: slot 3: \"\\??[31m [connection 7 from 192.0.2.7:5123] [RATE]\n");
    know(7 + ISO__LOG_CONNECTIONS, "192.0.2.9", 5124);
    assert_non_null(strstr(hear(say_one), "[connection 7] [RATE]"));
}

static void say_hidden(void) {
    iso__log_info("Zo\u00eb \xC2\x9B"
                  "31m \u202egnp.exe\u2066\u2028 \x9b");
}

static void test_a_line_holds_nothing_that_a_terminal_obeys(void **state) {
    (void)state;
    assert_non_null(strstr(hear(say_hidden), ": Zo\u00eb ?31m ?gnp.exe?? ?\n"));
}

static void test_json_lines_can_be_read_by_a_library(void **state) {
    (void)state;
    know(7, "192.0.2.7", 5123);
    iso__log_set_json(true);
    const char *text = hear(say_one);
    iso__log_set_json(false);
    assert_int_equal(count_lines(text), 1);
    struct json_object *line = json_tokener_parse(text);
    assert_non_null(line);
    static const char *const fields[][2] = {{"level", "warning"}, {"session", "main"},
                                            {"connection", "7"},  {"address", "192.0.2.7:5123"},
                                            {"code", "RATE"},     {"message", "slot 3: \"\\??[31m"}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        assert_string_equal(json_object_get_string(json_object_object_get(line, fields[i][0])), fields[i][1]);
    }
    assert_non_null(json_object_object_get(line, "time"));
    json_object_put(line);
}

static void say_long(void) {
    char text[5000];
    memset(text, '"', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    errno = EBADF;
    iso__log_error("%s", text);
    assert_int_equal(errno, EBADF);
}

static void test_a_long_message_is_cut_and_stays_json(void **state) {
    (void)state;
    assert_true(strlen(hear(say_long)) < 1100);
    iso__log_set_json(true);
    struct json_object *line = json_tokener_parse(hear(say_long));
    iso__log_set_json(false);
    assert_non_null(line);
    assert_int_equal(strlen(json_object_get_string(json_object_object_get(line, "message"))), 1000);
    json_object_put(line);
}

static void say_flood(void) {
    for (int i = 0; i < 5000; ++i) {
        iso__log(
            &(iso__log_about){.level = ISO__LOG_INFO, .session = "main", .connection = 9, .code = ISO_ERR_MALFORMED},
            "flood %d", i);
    }
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .session = "main", .connection = 9, .code = ISO_ERR_RATE},
             "another code");
    know(9, "192.0.2.8", 1);
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .session = "main", .connection = 9, .code = ISO_ERR_MALFORMED},
             "another address");
    iso__log_flush(UINT64_MAX);
}

static void test_a_flood_is_limited_and_counted(void **state) {
    (void)state;
    know(9, "192.0.2.7", 1);
    const char *text = hear(say_flood);
    assert_int_equal(count_lines(text), ISO__LOG_LINES_MAX + 3);
    assert_non_null(strstr(text, "another code"));
    assert_non_null(strstr(text, "another address"));
    assert_non_null(strstr(text, "4980 more lines like this about 192.0.2.7 were suppressed [MALFORMED]"));
}

static void test_a_window_ends_and_says_what_it_left_out(void **state) {
    (void)state;
    static iso__log_limit limit;
    iso__log_limit_entry entry;
    for (unsigned i = 0; i < ISO__LOG_LINES_MAX + 2; ++i) {
        assert_int_equal(iso__log_limit_take(&limit, ISO_ERR_RATE, "a", true, S + i), i < ISO__LOG_LINES_MAX);
    }
    assert_false(iso__log_limit_pop(&limit, S + ISO__LOG_WINDOW_NS - 1, &entry));
    assert_true(iso__log_limit_pop(&limit, S + ISO__LOG_WINDOW_NS, &entry));
    assert_int_equal(entry.left_out, 2);
    assert_string_equal(entry.subject, "a");
    assert_true(iso__log_limit_take(&limit, ISO_ERR_RATE, "a", true, S + ISO__LOG_WINDOW_NS));
}

static void test_many_addresses_share_a_limit(void **state) {
    (void)state;
    static iso__log_limit limit;
    iso__log_limit_entry entry;
    unsigned written = 0;
    char address[16];
    for (unsigned i = 0; i < 3000; ++i) {
        snprintf(address, sizeof address, "10.0.%u.%u", i / 256, i % 256);
        written += iso__log_limit_take(&limit, ISO_ERR_MALFORMED, address, true, S);
    }
    assert_int_equal(written, ISO__LOG_ALL_LINES_MAX);
    uint64_t left_out = 0;
    while (iso__log_limit_pop(&limit, UINT64_MAX, &entry)) {
        left_out += entry.left_out;
    }
    assert_int_equal(left_out, 3000 - ISO__LOG_ALL_LINES_MAX);
    // Sessions are not of that number: a server with many of them says of each what became of it.
    for (unsigned i = 0; i < 300; ++i) {
        snprintf(address, sizeof address, "session s%u", i);
        assert_true(iso__log_limit_take(&limit, ISO_OK, address, false, S));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_says_time_level_session_peer_and_code),
        cmocka_unit_test(test_a_line_holds_nothing_that_a_terminal_obeys),
        cmocka_unit_test(test_json_lines_can_be_read_by_a_library),
        cmocka_unit_test(test_a_long_message_is_cut_and_stays_json),
        cmocka_unit_test(test_a_flood_is_limited_and_counted),
        cmocka_unit_test(test_a_window_ends_and_says_what_it_left_out),
        cmocka_unit_test(test_many_addresses_share_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
