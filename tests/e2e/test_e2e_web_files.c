/// Recordings over HTTP: the list, ranges, and who may read how many at a time.
#include "e2e_web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char body[1 << 16];
static e2e_answer answer;

/// A file that is longer than all buffers between.
static void make_large(const char *folder, char path[128]) {
    snprintf(path, 128, "%s/large-1.isr", folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 64 << 20), 0);
    close(file);
}

/// Asks for it, and does not read it.
static e2e_web *open_reader(const e2e_server *other) {
    e2e_web *web = e2e_web_open(other, 4096);
    e2e_web_say(web, "GET /api/recordings/large-1.isr HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return web;
}

static unsigned read_ten(const e2e_server *other) {
    return e2e_web_get(other, "/api/recordings/large-1.isr", "Range: bytes=0-9\r\n", &answer, body, sizeof body);
}

static void expect_16_at_a_time(const e2e_server *other, const char *folder) {
    e2e_web *webs[17];
    char path[128];
    make_large(folder, path);
    for (size_t i = 0; i < 17; ++i) {
        webs[i] = open_reader(other);
    }
    e2e_sleep_ms(200);
    assert_true(e2e_web_read(webs[16], &answer, false, 3000));
    assert_int_equal(answer.status, 503);
    // Nobody holds a place for hours by reading a little now and then.
    e2e_sleep_ms(3000);
    assert_int_equal(read_ten(other), 503);
    e2e_sleep_ms(2000);
    assert_int_equal(read_ten(other), 206);
    assert_int_equal(e2e_web_get(other, "/metrics", "", &answer, body, sizeof body), 200);
    assert_non_null(strstr(body, "what=\"HTTP answers given up for others, read too slowly\"} 1\n"));
    for (size_t i = 0; i < 17; ++i) {
        e2e_web_close(webs[i]);
    }
    unlink(path);
    e2e_sleep_ms(200);
}

static void test_recordings_are_listed_and_read_in_ranges(void **state) {
    (void)state;
    static char whole[1 << 20];
    char folder[64], path[512], name[300], request[400];
    e2e_server other;
    e2e_folder_make(folder);
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, "--for", "2", NULL});
    assert_int_equal(e2e_web_get(&other, "/api/recordings", "", &answer, body, sizeof body), 200);
    assert_null(strstr(body, "isr")); // none is sealed yet
    assert_int_equal(e2e_web_get(&other, "/api/recordings/server.key", "", &answer, body, sizeof body), 404);
    assert_int_equal(e2e_server_stop(&other, 0), 0);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    const char *last = strrchr(path, '/') + 1;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof body);

    e2e_server_start(&other,
                     (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, "--session", "second", NULL});
    assert_int_equal(e2e_web_get(&other, "/api/recordings", "", &answer, body, sizeof body), 200);
    snprintf(name, sizeof name, "\"name\":\"%s\",\"size\":%zu,", last, size);
    assert_non_null(strstr(body, name));
    const size_t listed = strlen(body);
    e2e_web *web = e2e_web_open(&other, 0);
    e2e_web_say(web, "HEAD /api/recordings HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(e2e_web_read(web, &answer, true, 5000));
    e2e_web_close(web);
    snprintf(name, sizeof name, "Content-Length: %zu\r\n", listed);
    assert_non_null(strstr(answer.head, name));
    snprintf(request, sizeof request, "/api/recordings/%s", last);
    assert_int_equal(e2e_web_get(&other, request, "", &answer, body, sizeof body), 200);
    assert_int_equal(answer.size, size);
    assert_memory_equal(body, whole, size);
    assert_int_equal(e2e_web_get(&other, request, "Range: bytes=100-299\r\n", &answer, body, sizeof body), 206);
    assert_int_equal(answer.size, 200);
    assert_memory_equal(body, whole + 100, 200);
    snprintf(name, sizeof name, "Content-Range: bytes 100-299/%zu\r\n", size);
    assert_non_null(strstr(answer.head, name));
    assert_int_equal(e2e_web_get(&other, request, "Range: bytes=9999999-\r\n", &answer, body, sizeof body), 416);
    expect_16_at_a_time(&other, folder);
    snprintf(request, sizeof request, "/api/recordings/%s.part", last);
    assert_int_equal(e2e_web_get(&other, request, "", &answer, body, sizeof body), 404);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
    e2e_folder_remove(folder);
}

/// The folder is read again when it has changed, and not because somebody asks.
static void test_listing_is_made_when_the_folder_changes(void **state) {
    (void)state;
    char folder[64], path[128];
    e2e_server other;
    e2e_folder_make(folder);
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, NULL});
    make_large(folder, path);
    e2e_sleep_ms(3100);
    assert_int_equal(e2e_web_get(&other, "/api/recordings", "", &answer, body, sizeof body), 200);
    assert_non_null(strstr(body, "\"name\":\"large-1.isr\",\"size\":67108864,"));
    // No recording does this; here it shows that nobody looks.
    assert_int_equal(truncate(path, 1), 0);
    e2e_sleep_ms(1200);
    assert_int_equal(e2e_web_get(&other, "/api/recordings", "", &answer, body, sizeof body), 200);
    assert_non_null(strstr(body, "\"name\":\"large-1.isr\",\"size\":67108864,"));
    unlink(path);
    E2E_WAIT(e2e_web_get(&other, "/api/recordings", "", &answer, body, sizeof body) == 200 &&
                 strstr(body, "large-1.isr") == NULL,
             e2e_sleep_ms(20));
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
    e2e_folder_remove(folder);
}

/// Whether retention leaves it alone, since somebody reads it: see test_host_retention.
static bool is_being_read(const char *path) {
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const bool is_free = flock(file, LOCK_EX | LOCK_NB) == 0;
    close(file);
    return !is_free;
}

static void test_address_reads_few_recordings_at_a_time(void **state) {
    (void)state;
    e2e_web *webs[4];
    char folder[64], path[128];
    e2e_server other;
    e2e_folder_make(folder);
    e2e_server_start(&other,
                     (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, "--limit-loopback", NULL});
    make_large(folder, path);
    assert_false(is_being_read(path));
    for (size_t i = 0; i < 4; ++i) {
        webs[i] = open_reader(&other);
    }
    E2E_WAIT(is_being_read(path), e2e_sleep_ms(5));
    e2e_sleep_ms(200);
    assert_int_equal(read_ten(&other), 503);
    e2e_web_close(webs[0]);
    E2E_WAIT(read_ten(&other) == 206, e2e_sleep_ms(20));
    for (size_t i = 1; i < 4; ++i) {
        e2e_web_close(webs[i]);
    }
    E2E_WAIT(!is_being_read(path), e2e_sleep_ms(20));
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings_are_listed_and_read_in_ranges),
        cmocka_unit_test(test_listing_is_made_when_the_folder_changes),
        cmocka_unit_test(test_address_reads_few_recordings_at_a_time),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
