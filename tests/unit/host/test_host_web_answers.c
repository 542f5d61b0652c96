/// Recordings over HTTP, and answers that the session builder prints: what is told of a file, which bytes of it, and
/// who is answered.
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/web/create.h"
#include "host_web_rig.h"
#include "unit/address_util.h"

static int set_up(void **state) {
    (void)state;
    web_rig_begin(true, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    web_rig_end();
    return 0;
}

static void write_file(const char *name, size_t size, time_t modified) {
    char bytes[1000] = {0};
    const int file = openat(the_web.disk.folder, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(file >= 0 && size <= sizeof bytes);
    assert_int_equal(write(file, bytes, size), size);
    const struct timespec times[2] = {{.tv_sec = modified}, {.tv_sec = modified}};
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

/// Asks for a recording with one header, or none.
static const web_rig_answer *get(const char *recording, const char *name, const char *value) {
    web_rig_call(0);
    if (name != NULL) {
        web_rig_header(0, name, value);
    }
    the_web.params[0][0] = recording;
    iso__web_recording(&the_web.calls[0]);
    assert_int_equal(the_web.answers[0].count, 1);
    return &the_web.answers[0];
}

static const char *tag_of(const char *recording) {
    static char tag[2][64];
    static unsigned turn;
    const web_rig_answer *answer = get(recording, NULL, NULL);
    turn = 1 - turn;
    const char *at = strstr(answer->lines, "ETag: ");
    assert_non_null(at);
    snprintf(tag[turn], sizeof tag[turn], "%.*s", (int)strcspn(at + 6, "\r"), at + 6);
    return tag[turn];
}

static void test_tag_is_of_size_and_time(void **state) {
    (void)state;
    char first[64];
    write_file("a.isr", 100, 1000);
    snprintf(first, sizeof first, "%s", tag_of("a.isr"));
    assert_string_equal(tag_of("a.isr"), first);
    assert_int_equal(get("a.isr", "if-none-match", first)->status, 304);
    assert_int_equal(the_web.answers[0].size, 100);
    write_file("a.isr", 100, 1001);
    assert_string_not_equal(tag_of("a.isr"), first);
    assert_int_equal(get("a.isr", "if-none-match", first)->status, 200);
    write_file("a.isr", 101, 1000);
    assert_string_not_equal(tag_of("a.isr"), first);
}

static void test_ranges_end_with_the_file(void **state) {
    (void)state;
    static const struct {
        const char *range;
        unsigned status;
        uint64_t offset, size;
        const char *line;
    } cases[] = {
        {"bytes=0-100", 206, 0, 100, "Content-Range: bytes 0-99/100\r\n"},
        {"bytes=0-99", 206, 0, 100, "Content-Range: bytes 0-99/100\r\n"},
        {"bytes=0-98", 206, 0, 99, "Content-Range: bytes 0-98/100\r\n"},
        {"bytes=99-", 206, 99, 1, "Content-Range: bytes 99-99/100\r\n"},
        {"bytes=99-100", 206, 99, 1, "Content-Range: bytes 99-99/100\r\n"},
        {"bytes=-1", 206, 99, 1, "Content-Range: bytes 99-99/100\r\n"},
        {"bytes=-101", 206, 0, 100, "Content-Range: bytes 0-99/100\r\n"},
        {"bytes=100-", 416, 0, 0, "Content-Range: bytes */100\r\n"},
        {"lines=1-2", 200, 0, 100, "Accept-Ranges: bytes\r\n"},
    };
    write_file("a.isr", 100, 1000);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const web_rig_answer *answer = get("a.isr", "range", cases[i].range);
        if (answer->status != cases[i].status || answer->offset != cases[i].offset || answer->size != cases[i].size ||
            strstr(answer->lines, cases[i].line) == NULL) {
            fail_msg("%s: %u, %lu bytes from %lu, %s", cases[i].range, answer->status, (unsigned long)answer->size,
                     (unsigned long)answer->offset, answer->lines);
        }
    }
}

static void test_range_of_another_file_is_not_given(void **state) {
    (void)state;
    write_file("a.isr", 100, 1000);
    const char *tag = tag_of("a.isr");
    web_rig_call(0);
    web_rig_header(0, "range", "bytes=0-9");
    web_rig_header(0, "if-range", tag);
    the_web.params[0][0] = "a.isr";
    iso__web_recording(&the_web.calls[0]);
    assert_int_equal(the_web.answers[0].status, 206);
    web_rig_call(0);
    web_rig_header(0, "range", "bytes=0-9");
    web_rig_header(0, "if-range", "\"other\"");
    the_web.params[0][0] = "a.isr";
    iso__web_recording(&the_web.calls[0]);
    assert_int_equal(the_web.answers[0].status, 200);
    assert_int_equal(the_web.answers[0].size, 100);
}

static void test_only_sealed_recordings_are_given(void **state) {
    (void)state;
    write_file("a.isr.part", 10, 1000);
    write_file("server.key", 10, 1000);
    write_file("b.isr", 10, 1000);
    assert_int_equal(symlinkat("b.isr", the_web.disk.folder, "link.isr"), 0);
    assert_int_equal(mkfifoat(the_web.disk.folder, "pipe.isr", 0600), 0);
    assert_int_equal(mkdirat(the_web.disk.folder, "folder.isr", 0700), 0);
    static const char *const names[] = {"a.isr.part", "server.key", "link.isr", "pipe.isr",
                                        "folder.isr", "none.isr",   "../b.isr", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        assert_int_equal(get(names[i], NULL, NULL)->status, 404);
    }
    assert_int_equal(get("b.isr", NULL, NULL)->status, 200);
    unlinkat(the_web.disk.folder, "folder.isr", AT_REMOVEDIR);
}

static void list(uint32_t stream) {
    iso__web_recordings(web_rig_call(stream));
}

static void test_list_has_the_newest_first(void **state) {
    (void)state;
    write_file("old.isr", 10, 1000);
    write_file("new.isr", 20, 2000);
    write_file("b.isr", 30, 1500);
    write_file("a.isr", 30, 1500);
    write_file("c.isr.part", 30, 3000);
    list(0);
    assert_int_equal(web_rig_make_all(), 1);
    assert_string_equal(the_web.answers[0].text,
                        "{\"recordings\":[\n{\"name\":\"new.isr\",\"size\":20,\"modified\":\"1970-01-01T00:33:20Z\"},"
                        "\n{\"name\":\"a.isr\",\"size\":30,\"modified\":\"1970-01-01T00:25:00Z\"},"
                        "\n{\"name\":\"b.isr\",\"size\":30,\"modified\":\"1970-01-01T00:25:00Z\"},"
                        "\n{\"name\":\"old.isr\",\"size\":10,\"modified\":\"1970-01-01T00:16:40Z\"}\n]}\n");
}

static void test_all_who_ask_meanwhile_get_one_list(void **state) {
    (void)state;
    write_file("a.isr", 10, 1000);
    list(0);
    list(1);
    list(2);
    iso__web_forget(&the_web.web, &the_web.streams[1]);
    the_web.streams[3].user = &the_web.web.scenes; // waits for another
    assert_int_equal(web_rig_make_all(), 1);
    assert_int_equal(the_web.answers[0].count, 1);
    assert_int_equal(the_web.answers[1].count, 0);
    assert_int_equal(the_web.answers[2].count, 1);
    assert_int_equal(the_web.answers[3].count, 0);
    assert_null(the_web.streams[0].user);
    assert_null(the_web.streams[2].user);
    assert_ptr_equal(the_web.streams[3].user, &the_web.web.scenes);
    the_web.streams[3].user = NULL;
    // A second later the folder is looked at again.
    list(0);
    assert_int_equal(the_web.answers[0].count, 1);
    assert_false(web_rig_make());
    write_file("b.isr", 10, 1000);
    host_rig_now_ns += 2 * HOST_RIG_SECOND;
    list(0);
    assert_int_equal(the_web.answers[0].count, 0);
    assert_true(web_rig_make());
    assert_non_null(strstr(the_web.answers[0].text, "b.isr"));
}

static void write_settings(const char *name, const char *text, mode_t mode) {
    const int file = openat(the_web.disk.folder, name, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

/// Recordings of sessions of which some are restricted: by their settings, or since these are unreadable.
static const struct {
    const char *recording, *settings, *text;
    mode_t mode;
    bool is_restricted;
} mixed[] = {
    {"a-00000001-1.isr", "a-00000001.settings", "isostep session settings 1\nprivate\nend\n", 0600, true},
    {"a-00000001-2.isr", NULL, NULL, 0, true},
    {"a-00000001-2.3.isr", NULL, NULL, 0, true},
    {"a-00000003-2.3.isr", NULL, NULL, 0, false},
    {"a-00000001-2.2.isr", NULL, NULL, 0, true},
    {"a-00000002-1.isr", "a-00000002.settings", "isostep session settings 1\nslots 3\nend\n", 0600, false},
    {"a-00000003-1.isr", NULL, NULL, 0, false},
    {"a-00000003-1.12.isr", NULL, NULL, 0, false},
    {"b-a-00000001-1.isr", NULL, NULL, 0, false},
    {"a-00000001-00000001-1.isr", NULL, NULL, 0, false},
    {"c-00000001-1.isr", "c-00000001.settings", "what is this\n", 0600, true},
    {"d-00000001-1.isr", "d-00000001.settings", "isostep session settings 1\nslots 3\nend\n", 0644, true},
    {"f-00000001-1.isr", "f-00000001.settings",
     "isostep session settings 1\npassword 00112233445566778899aabbccddeeff "
     "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff 0011223344556677\nend\n",
     0600, true},
    {"e.isr", "e.settings", "isostep session settings 1\nprivate\nend\n", 0600, false},
};

#define MIXED_COUNT (sizeof mixed / sizeof mixed[0])

static void write_mixed(void) {
    for (size_t i = 0; i < MIXED_COUNT; ++i) {
        write_file(mixed[i].recording, 10, 1000);
        if (mixed[i].settings != NULL) {
            write_settings(mixed[i].settings, mixed[i].text, mixed[i].mode);
        }
    }
}

/// The first list is everybody's, the second one that of who has a right.
static void expect_lists_of_mixed(void) {
    for (size_t i = 0; i < MIXED_COUNT; ++i) {
        char name[80];
        snprintf(name, sizeof name, "\"%s\"", mixed[i].recording);
        if ((strstr(the_web.answers[0].text, name) == NULL) != mixed[i].is_restricted ||
            strstr(the_web.answers[1].text, name) == NULL) {
            fail_msg("%s: %s", name, the_web.answers[0].text);
        }
    }
}

/// What everybody is told of is neither the list of who has a right, nor made from it.
static void test_private_recordings_are_listed_to_who_has_a_right(void **state) {
    (void)state;
    write_mixed();
    for (unsigned round = 0; round < 2; ++round) {
        list(0);
        web_rig_call(1);
        the_web.calls[1].role = ISO__HTTP_ROLE_READ;
        iso__web_recordings(&the_web.calls[1]);
        assert_int_equal(web_rig_make_all(), round == 0 ? 2 : 0); // each is made once
        expect_lists_of_mixed();
    }
    assert_string_equal(host_rig_log, ""); // who asks writes nothing into it
    // One that waits for either list and goes is not answered.
    host_rig_now_ns += 2 * HOST_RIG_SECOND;
    write_file("f.isr", 10, 1000);
    list(0);
    iso__web_forget(&the_web.web, &the_web.streams[0]);
    assert_int_equal(web_rig_make_all(), 1);
    assert_int_equal(the_web.answers[0].count, 0);
}

static void test_private_recordings_are_given_to_who_has_a_right(void **state) {
    (void)state;
    write_mixed();
    for (size_t i = 0; i < MIXED_COUNT; ++i) {
        assert_int_equal(get(mixed[i].recording, NULL, NULL)->status, mixed[i].is_restricted ? 404 : 200);
        web_rig_call(0);
        the_web.calls[0].role = ISO__HTTP_ROLE_READ;
        the_web.params[0][0] = mixed[i].recording;
        iso__web_recording(&the_web.calls[0]);
        assert_int_equal(the_web.answers[0].status, 200);
    }
}

static void set_folder_time(time_t modified) {
    const struct timespec times[2] = {{.tv_sec = modified}, {.tv_sec = modified}};
    assert_int_equal(futimens(the_web.disk.folder, times), 0);
}

/// The list of a folder that has not changed is given again, but never the one before the last change.
static void test_list_is_that_of_the_last_change(void **state) {
    (void)state;
    write_file("a.isr", 10, 1000);
    set_folder_time(1000);
    list(0);
    assert_true(web_rig_make());
    host_rig_now_ns += 100 * HOST_RIG_SECOND;
    list(0);
    assert_int_equal(the_web.answers[0].count, 1);
    assert_false(web_rig_make());
    write_file("b.isr", 10, 1000);
    set_folder_time(2000);
    list(0);
    list(1);
    assert_int_equal(the_web.answers[0].count + the_web.answers[1].count, 0);
    assert_int_equal(web_rig_make_all(), 1);
    assert_non_null(strstr(the_web.answers[0].text, "b.isr"));
    assert_non_null(strstr(the_web.answers[1].text, "b.isr"));
}

static void test_server_that_ends_makes_no_list(void **state) {
    (void)state;
    the_web.is_ending = true;
    list(0);
    iso__web_scenes(web_rig_call(1));
    assert_int_equal(the_web.answers[0].status, 503);
    assert_int_equal(the_web.answers[1].status, 503);
    assert_false(web_rig_make());
}

static void test_list_of_scenes_is_made_once(void **state) {
    (void)state;
    iso__web_scenes(web_rig_call(0));
    iso__web_scenes(web_rig_call(1));
    assert_int_equal(web_rig_make_all(), 1);
    iso__web_scenes(web_rig_call(2));
    assert_false(web_rig_make());
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(the_web.answers[i].count, 1);
    }
    assert_string_equal(the_web.answers[0].text, the_web.answers[2].text);
    assert_true(strlen(the_web.answers[0].text) > 1000);
}

/// Of one address four may read recordings at a time, of loopback only where that is limited.
static void test_address_reads_few_recordings_at_a_time(void **state) {
    (void)state;
    write_file("a.isr", 10, 1000);
    for (uint32_t i = 0; i < WEB_RIG_STREAMS; ++i) {
        the_web.streams[i].body.is_file = true;
        the_web.streams[i].is_answering = true;
        the_web.streams[i].answered_ns = host_rig_now_ns;
    }
    assert_int_equal(get("a.isr", NULL, NULL)->status, 200);
    the_web.options.limit_loopback = true;
    assert_int_equal(get("a.isr", NULL, NULL)->status, 503);
    the_web.streams[3].body.is_file = false;
    assert_int_equal(get("a.isr", NULL, NULL)->status, 200);
    // One that is closing has given its place back; another address has its own.
    the_web.streams[3].body.is_file = true;
    the_web.streams[2].tcp.base.state = ISO__STREAM_CLOSING;
    assert_int_equal(get("a.isr", NULL, NULL)->status, 200);
    the_web.streams[2].tcp.base.state = ISO__STREAM_OPEN;
    the_web.streams[1].tcp.base.address = read_address("127.0.0.2", 0);
    assert_int_equal(get("a.isr", NULL, NULL)->status, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tag_is_of_size_and_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranges_end_with_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_range_of_another_file_is_not_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_sealed_recordings_are_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_has_the_newest_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_who_ask_meanwhile_get_one_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_private_recordings_are_listed_to_who_has_a_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_private_recordings_are_given_to_who_has_a_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_is_that_of_the_last_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server_that_ends_makes_no_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_of_scenes_is_made_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_address_reads_few_recordings_at_a_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
