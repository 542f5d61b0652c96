/// A session whose folder of recordings was moved away and made again: nothing is recorded in the new one before the
/// session's settings and its mark are there, since the next start would let everybody in, or would not find the
/// session.
///
/// The path leads to the same folder all the time; only the count of moves says otherwise, as it does to a session when
/// the writer has followed the path for another one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_rig.h"

static host_rig *rig;
static iso__folder home;
static int lock_file = -1;
static char obstacle[600]; // a folder in the place where the settings are written first

static int set_up(void **state) {
    (void)state;
    rig = host_rig_make();
    assert_true(host_rig_start(rig));
    home = (iso__folder){.path = the_disk.folder, .file = rig->disk.folder, .lock_file = &lock_file, .key = &rig->key};
    rig->writer.home = &home;
    rig->hosted.settings.is_private = true;
    rig->hosted.recording.config.has_mark = true;
    char name[ISO__DISK_NAME_SIZE];
    iso__settings_make_name(rig->hosted.name, rig->hosted.uid, name);
    snprintf(obstacle, sizeof obstacle, "%s/%s.part", the_disk.folder, name);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rmdir(obstacle);
    host_rig_free(rig);
    return 0;
}

static void expect_files(uint32_t recordings, uint32_t others) {
    assert_int_equal(host_rig_count_files(".isr.part"), recordings);
    assert_int_equal(host_rig_count_files(".settings"), others);
    assert_int_equal(host_rig_count_files(".http"), others);
}

/// It was moved after they were written, and before the recording's first file was made.
static void test_the_first_file_waits_for_them(void **state) {
    (void)state;
    atomic_fetch_add(&home.moves, 1);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    expect_files(1, 1);
    assert_int_equal(rig->hosted.recording.generation, 0);
}

static void test_the_first_file_is_not_made_without_them(void **state) {
    (void)state;
    assert_int_equal(mkdir(obstacle, 0700), 0);
    atomic_fetch_add(&home.moves, 1);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    expect_files(0, 0);
    assert_true(host_rig_has_logged(".settings cannot be created"));
}

/// Another session was the first to see that it was moved.
static void test_the_next_file_waits_for_them(void **state) {
    (void)state;
    rig->hosted.recording.config.roll_size = 2000;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    expect_files(1, 0);
    atomic_fetch_add(&home.moves, 1);
    host_rig_run(rig, 3 * HOST_RIG_SECOND);
    assert_true(rig->hosted.recording.number > 1);
    expect_files(1, 1);
}

static void test_a_recording_begins_again_only_with_them(void **state) {
    (void)state;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    expect_files(1, 0);
    const iso__recording *recording = &rig->hosted.recording;
    assert_int_equal(mkdir(obstacle, 0700), 0);
    the_disk.is_full = true;
    host_rig_run(rig, 500 * HOST_RIG_MS);
    atomic_fetch_add(&home.moves, 1);
    the_disk.is_full = false;
    const uint32_t creates = the_disk.creates;
    host_rig_run(rig, 5 * HOST_RIG_SECOND);
    assert_true(recording->generation > 1);
    assert_int_equal(the_disk.creates, creates);
    expect_files(1, 0);
    // Tried again for as long as it takes.
    assert_int_equal(rmdir(obstacle), 0);
    host_rig_run(rig, 40 * HOST_RIG_SECOND);
    expect_files(2, 1);
    assert_true(the_disk.creates > creates);
}

int main(void) {
#define MOVED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MOVED_TEST(test_the_first_file_waits_for_them),
        MOVED_TEST(test_the_first_file_is_not_made_without_them),
        MOVED_TEST(test_the_next_file_waits_for_them),
        MOVED_TEST(test_a_recording_begins_again_only_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
