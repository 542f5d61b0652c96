/// Which recordings --keep removes, and which it never does.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/retention.h"
#include "isostep/proto/recording.h"

#define DAY INT64_C(86400)
#define NOW (INT64_C(20000) * DAY)

static char folder[64];
static iso__disk disk;

static int setup(void **state) {
    (void)state;
    strcpy(folder, "/tmp/isostep-keeper-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(iso__disk_open(&disk, folder), 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char command[128];
    iso__disk_close(&disk);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : -1;
}

/// A file of 1,000 bytes that ends as a sealed one does. @param days  since it was sealed
static void put(const char *name, bool goes_on, int64_t days) {
    uint8_t bytes[1000] = {0}, end[200];
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
    const iso_recording_index_entry entry = {.tick = 0, .offset = 20};
    const iso_recording_footer footer = {.last_tick = 9, .goes_on = goes_on, .entries = &entry, .entry_count = 1};
    size_t size = iso_recording_encode_end(&footer, 500, &chain, end, sizeof end);
    assert_true(size > 0);
    size = iso_recording_encode_end(&footer, sizeof bytes - size, &chain, end, sizeof end);
    memcpy(bytes + sizeof bytes - size, end, size);
    const int file = openat(disk.folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    const struct timespec times[2] = {{.tv_sec = NOW - days * DAY}, {.tv_sec = NOW - days * DAY}};
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static bool is_there(const char *name) {
    return faccessat(disk.folder, name, F_OK, 0) == 0;
}

static uint32_t turn(const char *session, const char *all) {
    iso__retention_config config = {.disk = &disk};
    assert_true(session == NULL || iso__keep_parse(&config.session, session));
    assert_true(all == NULL || iso__keep_parse(&config.all, all));
    return iso__retention_turn(&config, NOW);
}

static void test_limits_are_read_with_their_units(void **state) {
    (void)state;
    iso__keep_limits limits = {0};
    assert_true(iso__keep_parse(&limits, "30d") && iso__keep_parse(&limits, "1000n") &&
                iso__keep_parse(&limits, "20GiB"));
    assert_int_equal(limits.seconds, 30 * DAY);
    assert_int_equal(limits.files, 1000);
    assert_true(limits.bytes == UINT64_C(20) << 30);
    static const char *const wrong[] = {"", "30", "d", "-1d", "0n", "1.5GiB", "20GB", "30 d", "99999999999999999999n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        if (iso__keep_parse(&limits, wrong[i])) {
            fail_msg("'%s' is taken", wrong[i]);
        }
    }
}

static void test_old_files_go_and_the_newest_of_a_session_that_goes_on_stays(void **state) {
    (void)state;
    put("main-07000000-1.isr", true, 90);
    put("main-07000000-2.isr", true, 80);
    put("main-07000000-3.isr", true, 70); // sealed by a signal: a later start continues it
    put("done-08000000-1.isr", true, 90);
    put("done-08000000-2.isr", false, 90);
    put("idle-09000000-1.isr", true, 90);
    put("idle-09000000-1.isr.ignored", true, 90); // it is over, too
    put("live-0a000000-1.isr", true, 90);
    put("live-0a000000-1.2.isr", true, 90);
    put("live-0a000000-1.isr.torn", true, 90);
    put("notes.txt", true, 90);
    put("live-0a000000-1.3.isr.part", true, 90);
    assert_int_equal(turn("30d", NULL), 6);
    assert_true(is_there("main-07000000-3.isr") && is_there("live-0a000000-1.3.isr.part"));
    // A kill, or a power cut, may leave nothing of the one that is not sealed: then the session goes on from the one
    // before.
    assert_true(is_there("live-0a000000-1.2.isr") && !is_there("live-0a000000-1.isr"));
    assert_true(is_there("live-0a000000-1.isr.torn") && is_there("notes.txt"));
    assert_false(is_there("main-07000000-2.isr") || is_there("done-08000000-2.isr") || is_there("idle-09000000-1.isr"));
    assert_int_equal(turn("30d", NULL), 0);
}

/// What a session was created with goes with its last file, not before, and not while there is none yet.
static void test_settings_go_with_the_last_file(void **state) {
    (void)state;
    put("done-08000000-1.isr", false, 90);
    put("done-08000000.settings", false, 90);
    put("long-08000000-1.isr", true, 90);
    put("long-08000000-2.isr", false, 1);
    put("long-08000000.settings", false, 90);
    put("torn-08000000-1.isr", false, 90);
    put("torn-08000000-1.isr.torn", false, 90);
    put("torn-08000000.settings", false, 90);
    put("begins-08000000.settings", false, 90);
    put("goes-on-08000000-1.isr", true, 90);
    put("goes-on-08000000.settings", false, 90);
    assert_int_equal(turn("30d", NULL), 3);
    assert_false(is_there("done-08000000.settings"));
    assert_true(is_there("long-08000000.settings") && is_there("torn-08000000.settings"));
    assert_true(is_there("begins-08000000.settings") && is_there("goes-on-08000000.settings"));
}

static void test_the_oldest_beyond_a_number_or_a_size_go(void **state) {
    (void)state;
    char name[64];
    for (int i = 1; i <= 5; ++i) {
        snprintf(name, sizeof name, "main-07000000-%d.isr", i);
        put(name, true, 10 - i);
        snprintf(name, sizeof name, "side-08000000-%d.isr", i);
        put(name, true, 20 - i);
    }
    assert_int_equal(turn("3n", NULL), 4);
    assert_true(is_there("main-07000000-3.isr") && is_there("side-08000000-3.isr"));
    assert_int_equal(turn(NULL, "4n"), 2);
    assert_false(is_there("side-08000000-3.isr") || is_there("side-08000000-4.isr")); // those were older
    assert_true(is_there("side-08000000-5.isr") && is_there("main-07000000-3.isr"));
    assert_int_equal(turn("1KiB", NULL), 2);
    assert_true(is_there("main-07000000-5.isr") && !is_there("main-07000000-4.isr"));
    // No limit takes the newest.
    assert_int_equal(turn("1KiB", "1n"), 0);
    uint64_t bytes;
    assert_true(iso__retention_measure(&disk, &bytes));
    assert_int_equal(bytes, 2000);
}

/// A session that begins anew at each start is another one each time.
static void test_sessions_of_one_name_are_limited_together_by_keep_all_alone(void **state) {
    (void)state;
    for (int i = 1; i <= 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "main-0%d000000-1.isr", i);
        put(name, false, 10 - i);
    }
    assert_int_equal(turn("2n", NULL), 0);
    assert_int_equal(turn("2n", "2n"), 2);
    assert_true(is_there("main-03000000-1.isr") && is_there("main-04000000-1.isr"));
}

static void test_a_file_that_is_read_stays_until_it_is_read(void **state) {
    (void)state;
    put("main-07000000-1.isr", true, 90);
    put("main-07000000-2.isr", false, 90);
    const int reader = openat(disk.folder, "main-07000000-1.isr", O_RDONLY);
    assert_int_equal(flock(reader, LOCK_SH), 0);
    // Without the second one, which says that the session is over, it would go on from the first.
    assert_int_equal(turn("30d", NULL), 0);
    close(reader);
    assert_int_equal(turn("30d", NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_are_read_with_their_units),
        cmocka_unit_test_setup_teardown(test_old_files_go_and_the_newest_of_a_session_that_goes_on_stays, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_settings_go_with_the_last_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_oldest_beyond_a_number_or_a_size_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sessions_of_one_name_are_limited_together_by_keep_all_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_file_that_is_read_stays_until_it_is_read, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
