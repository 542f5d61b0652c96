/// The file of events: nothing in it is torn, what is missing is told, and nobody waits for it.
#include "host/watch/event_log.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "isostep/proto/recording.h"

static char path[64];
static char *text; // of the file

static int set_up(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/event-log-XXXXXX");
    const int file = mkstemp(path);
    close(file);
    text = calloc(1, 4u << 20);
    return file >= 0 && text != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    free(text);
    return unlink(path);
}

static void add_line(iso__event_log *log, uint64_t number) {
    static const uint8_t uid[ISO_RECORDING_UID_SIZE] = {0xAB};
    iso__event_log_begin(log, "main", uid, 7, number);
}

static void file_read(void) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    text[fread(text, 1, (4u << 20) - 1, in)] = '\0';
    fclose(in);
}

/// Fails unless the lines from `at` on are those of the numbers from `first` on. @return behind them
static const char *expect_lines(const char *at, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        char head[128];
        const int size = snprintf(head, sizeof head, "{\"session\":\"main\",\"tick\":%llu,\"begin\":{\"uid\":\"ab0000",
                                  (unsigned long long)(first + i));
        if (strncmp(at, head, (size_t)size) != 0) {
            fail_msg("line %llu is %.100s", (unsigned long long)(first + i), at);
        }
        at = strchr(at, '\n');
        assert_non_null(at);
        ++at;
    }
    return at;
}

static void test_lines_without_room_are_counted_where_they_are_missing(void **state) {
    (void)state;
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    assert_int_equal(iso__event_log_start(&log), 0);
    const uint64_t count = 20000; // more than a MiB
    for (uint64_t i = 0; i < count; ++i) {
        add_line(&log, i); // waits for nobody: nothing is written yet
    }
    const uint64_t dropped = log.dropped;
    assert_true(dropped > 0 && dropped < count);
    iso__event_log_serve(&log);
    const uint64_t end_ns = iso__clock_now() + 10 * ISO__NS_PER_S;
    while (iso__clock_now() < end_ns && strstr(text, "dropped") == NULL) {
        usleep(1000);
        file_read();
    }
    add_line(&log, count);
    assert_true(iso__event_log_stop(&log, 5000));
    iso__event_log_term(&log);
    file_read();
    const char *at = expect_lines(text, 0, count - dropped);
    char line[64];
    const int size = snprintf(line, sizeof line, "{\"dropped\":%llu}\n", (unsigned long long)dropped);
    assert_int_equal(strncmp(at, line, (size_t)size), 0);
    at = expect_lines(at + size, count, 1);
    assert_string_equal(at, "");
}

/// A shorter line that would still fit must not stand where a longer one is missing.
static void test_no_line_overtakes_a_missing_one(void **state) {
    (void)state;
    static const uint8_t uid[ISO_RECORDING_UID_SIZE] = {0};
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    add_line(&log, 0);
    const size_t size = log.filled;
    log.filled = ISO__EVENT_LOG_SIZE - size;
    iso__event_log_begin(&log, "longer", uid, 7, 0);
    assert_int_equal(log.dropped, 1);
    add_line(&log, 0);
    assert_int_equal(log.dropped, 2);
    iso__event_log_term(&log);
}

static void test_what_was_not_written_is_tried_again_from_there(void **state) {
    (void)state;
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000; // within a line
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    assert_int_equal(iso__event_log_start(&log), 0);
    iso__event_log_serve(&log);
    for (uint64_t i = 0; i < 50; ++i) {
        add_line(&log, i);
    }
    const uint64_t end_ns = iso__clock_now() + 10 * ISO__NS_PER_S;
    while (iso__clock_now() < end_ns && strlen(text) < 1000) {
        usleep(1000);
        file_read();
    }
    assert_int_equal(strlen(text), 1000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    while (iso__clock_now() < end_ns && strstr(text, "\"tick\":49,") == NULL) {
        usleep(1000);
        file_read();
    }
    assert_true(iso__event_log_stop(&log, 5000));
    iso__event_log_term(&log);
    file_read();
    assert_string_equal(expect_lines(text, 0, 50), "");
}

static void test_a_start_that_fails_leaves_the_file_as_it_is(void **state) {
    (void)state;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs("{half", out);
    fclose(out);
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    assert_int_equal(iso__event_log_start(&log), 0);
    add_line(&log, 0);
    assert_true(iso__event_log_stop(&log, 5000));
    iso__event_log_term(&log);
    file_read();
    assert_string_equal(text, "{half");
}

static void file_write(const char *bytes);

/// A server that was killed has left a line that is no JSON: the next one goes on behind the last whole line.
static void test_an_incomplete_last_line_is_cut_off(void **state) {
    (void)state;
    static const char *const files[] = {"{\"a\":1}\n{\"b\":", "{\"b", "{\"a\":1}\n"};
    static const char *const kept[] = {"{\"a\":1}\n", "", "{\"a\":1}\n"};
    for (size_t i = 0; i < 3; ++i) {
        iso__event_log log;
        file_write(files[i]);
        assert_true(iso__event_log_open(&log, path));
        assert_int_equal(iso__event_log_start(&log), 0);
        iso__event_log_serve(&log);
        add_line(&log, 0);
        assert_true(iso__event_log_stop(&log, 5000));
        iso__event_log_term(&log);
        file_read();
        assert_memory_equal(text, kept[i], strlen(kept[i]));
        assert_string_equal(expect_lines(text + strlen(kept[i]), 0, 1), "");
    }
}

static void file_write(const char *bytes) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(bytes, out);
    fclose(out);
}

static void expect_open(bool is_taken) {
    iso__event_log log;
    assert_int_equal(iso__event_log_open(&log, path), is_taken);
    iso__event_log_term(&log);
}

static void test_a_file_of_another_kind_is_left_as_it_is(void **state) {
    (void)state;
    static const char *const others[] = {"ISOSTEP recording", "\n{\"session\":\"main\"}\n", "x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        file_write(others[i]);
        expect_open(false);
        file_read();
        assert_string_equal(text, others[i]);
    }
    file_write("{");
    expect_open(true);
}

/// A file that may be written alone is taken while it is empty: what is in it nobody can tell.
static void test_a_file_that_cannot_be_read(void **state) {
    (void)state;
    const bool is_root = geteuid() == 0;
    assert_int_equal(is_root ? chown(path, 65534, (gid_t)-1) : 0, 0);
    file_write("");
    assert_int_equal(chmod(path, 0222), 0);
    assert_int_equal(is_root ? seteuid(65534) : 0, 0);
    expect_open(true);
    FILE *out = fopen(path, "ab");
    if (out != NULL) {
        fputs("{\"kept\":1}\n", out);
        fclose(out);
    }
    expect_open(false);
    assert_int_equal(is_root ? seteuid(0) : 0, 0);
    assert_non_null(out);
    assert_int_equal(chmod(path, 0600), 0);
    file_read();
    assert_string_equal(text, "{\"kept\":1}\n");
}

#define MANY 1024u // events in a tick

static void emit_many(iso_world *world, void *state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; ++i) {
        assert_int_equal(iso_world_emit(world, 1, &i, sizeof i), ISO_OK);
    }
}

static const iso_field many_fields[] = {{"number", "", 0, 1, ISO_FIELD_U32}};
static iso_game_event many_events[] = {{"many", 1, 4, many_fields, 1}};
static const iso_game many = {
    .name = "many", .version = 1, .events = many_events, .event_count = 1, .after_step = emit_many};

/// @return a world after a step with MANY events; `memory` is to be freed
static iso_world *make_many(void **memory) {
    iso_world_def def = iso_world_def_default();
    strcpy(def.game, many.name);
    const size_t size = iso_world_size(&def, &many);
    *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, &many, *memory, size, &world), ISO_OK);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    return world;
}

/// A game that emits without end neither stalls its session nor takes the place of other sessions' lines.
static void test_lines_of_a_tick_have_a_bound(void **state) {
    (void)state;
    void *memory;
    const iso_world *world = make_many(&memory);
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    assert_int_equal(iso__event_log_start(&log), 0);
    iso__event_log_tick(&log, "many", world, &(iso_event_view){0});
    assert_int_equal(log.dropped, 0);
    assert_int_equal(log.dropped_total, MANY - ISO__EVENT_LOG_TICK_LINES);
    add_line(&log, 1);
    iso__event_log_serve(&log);
    assert_true(iso__event_log_stop(&log, 5000));
    iso__event_log_term(&log);
    file_read();
    const char *at = text;
    for (unsigned i = 0; i < ISO__EVENT_LOG_TICK_LINES; ++i) {
        char line[128];
        const int size = snprintf(line, sizeof line,
                                  "{\"session\":\"many\",\"tick\":1,\"game\":\"many\",\"event\":\"many\","
                                  "\"fields\":{\"number\":%u}}\n",
                                  i);
        assert_int_equal(strncmp(at, line, (size_t)size), 0);
        at += size;
    }
    assert_int_equal(strncmp(at, "{\"dropped\":768}\n", 16), 0);
    assert_string_equal(expect_lines(at + 16, 1, 1), "");
    free(memory);
}

static void test_no_line_is_made_to_be_dropped(void **state) {
    (void)state;
    void *memory;
    const iso_world *world = make_many(&memory);
    iso__event_log log;
    assert_true(iso__event_log_open(&log, path));
    // A few lines more: what finds no room is not lost from the count.
    log.filled = ISO__EVENT_LOG_SIZE - 200;
    iso__event_log_tick(&log, "many", world, &(iso_event_view){0});
    assert_true(log.filled > ISO__EVENT_LOG_SIZE - 200);
    assert_true(log.dropped > MANY - 4 && log.dropped < MANY);
    // Who makes a line reads the event's fields, and would fall there.
    const uint64_t before = log.dropped;
    many_events[0].fields = NULL;
    iso__event_log_tick(&log, "many", world, &(iso_event_view){0});
    assert_int_equal(log.dropped, before + MANY);
    log.dropped = 0;
    log.filled = ISO__EVENT_LOG_SIZE;
    iso__event_log_tick(&log, "many", world, &(iso_event_view){0});
    assert_int_equal(log.dropped, MANY);
    many_events[0].fields = many_fields;
    iso__event_log_term(&log);
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines_without_room_are_counted_where_they_are_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_line_overtakes_a_missing_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_was_not_written_is_tried_again_from_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_start_that_fails_leaves_the_file_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_incomplete_last_line_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_file_of_another_kind_is_left_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_of_a_tick_have_a_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_line_is_made_to_be_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_file_that_cannot_be_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
