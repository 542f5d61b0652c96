/// What stands in the recordings' folder beside the recordings: the key and the lock, and who may read what.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/key.h"
#include "host/recordings/lock.h"
#include "host_rig.h"

static iso__disk disk;
static uid_t other_user; // added to the process's own

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void) {
    return __real_geteuid() + other_user;
}

static int set_up(void **state) {
    (void)state;
    other_user = 0;
    host_rig_clear_log();
    host_disk_begin();
    return iso__disk_open(&disk, the_disk.folder);
}

static int tear_down(void **state) {
    (void)state;
    iso__disk_close(&disk);
    host_disk_end();
    return 0;
}

static void expect_log(const char *text) {
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
    host_rig_clear_log();
}

static mode_t mode_of(const char *name) {
    struct stat info;
    assert_int_equal(fstatat(disk.folder, name, &info, AT_SYMLINK_NOFOLLOW), 0);
    return info.st_mode;
}

// ---- The key ----------------------------------------------------------------------------------------------

static bool load_key(void) {
    iso__key key;
    return iso__key_load(&key, disk.folder, the_disk.folder);
}

static void test_a_key_is_made_once_and_read_again(void **state) {
    (void)state;
    iso__key first, second;
    assert_true(iso__key_load(&first, disk.folder, the_disk.folder));
    assert_true(iso__key_load(&second, disk.folder, the_disk.folder));
    assert_memory_equal(first.bytes, second.bytes, sizeof first.bytes);
    assert_int_equal(mode_of(ISO__KEY_NAME), S_IFREG | 0600);
}

static void test_the_key_of_another_user_is_refused(void **state) {
    (void)state;
    assert_true(load_key());
    other_user = 1;
    assert_false(load_key());
    expect_log(ISO__KEY_NAME "': it belongs to another user");
}

static void test_a_key_that_is_no_file_of_its_own_is_refused(void **state) {
    (void)state;
    char target[200];
    snprintf(target, sizeof target, "%s/elsewhere", the_disk.folder);
    assert_true(load_key());
    assert_int_equal(renameat(disk.folder, ISO__KEY_NAME, disk.folder, "elsewhere"), 0);
    assert_int_equal(symlinkat(target, disk.folder, ISO__KEY_NAME), 0);
    assert_false(load_key());
    expect_log(ISO__KEY_NAME "': it is a symbolic link");
    unlinkat(disk.folder, ISO__KEY_NAME, 0);

    assert_int_equal(mkfifoat(disk.folder, ISO__KEY_NAME, 0600), 0);
    assert_false(load_key());
    expect_log(ISO__KEY_NAME "': it is not a regular file");
    unlinkat(disk.folder, ISO__KEY_NAME, 0);

    assert_int_equal(mkdirat(disk.folder, ISO__KEY_NAME, 0700), 0);
    assert_false(load_key());
    expect_log(ISO__KEY_NAME "': it is a folder");
    assert_int_equal(unlinkat(disk.folder, ISO__KEY_NAME, AT_REMOVEDIR), 0);
}

// ---- The lock ---------------------------------------------------------------------------------------------

static bool take_lock(bool allow_unlocked) {
    int file = -1;
    const bool is_taken = iso__lock_take(disk.folder, the_disk.folder, allow_unlocked, &file);
    assert_true(is_taken || file < 0);
    if (file >= 0) {
        close(file);
    }
    return is_taken;
}

/// Also when the server is told that no other one uses the folder: what stands there is not the server's.
static void test_a_lock_that_is_no_file_is_refused(void **state) {
    (void)state;
    char target[200];
    snprintf(target, sizeof target, "%s/elsewhere", the_disk.folder);
    for (unsigned allow = 0; allow < 2; ++allow) {
        assert_int_equal(mkfifoat(disk.folder, ISO__LOCK_NAME, 0600), 0);
        assert_false(take_lock(allow != 0));
        expect_log(ISO__LOCK_NAME "' cannot be locked: it is not a regular file");
        assert_true(S_ISFIFO(mode_of(ISO__LOCK_NAME)));
        unlinkat(disk.folder, ISO__LOCK_NAME, 0);

        assert_int_equal(symlinkat(target, disk.folder, ISO__LOCK_NAME), 0);
        assert_false(take_lock(allow != 0));
        expect_log(ISO__LOCK_NAME "' cannot be locked: it is a symbolic link");
        assert_int_equal(access(target, F_OK), -1);
        unlinkat(disk.folder, ISO__LOCK_NAME, 0);

        assert_int_equal(mkdirat(disk.folder, ISO__LOCK_NAME, 0700), 0);
        assert_false(take_lock(allow != 0));
        expect_log(ISO__LOCK_NAME "' cannot be locked: it is a folder");
        assert_int_equal(unlinkat(disk.folder, ISO__LOCK_NAME, AT_REMOVEDIR), 0);
    }
    assert_true(take_lock(false));
}

// ---- Who may read -----------------------------------------------------------------------------------------

static void close_file(void) {
    assert_int_equal(iso__disk_close_file(&disk), ISO_OK);
}

/// A recording that is written has a secret, its salt, until it is sealed.
static void test_only_a_sealed_recording_is_for_others(void **state) {
    (void)state;
    static const struct { mode_t mask, mode; } cases[] = {{022, 0644}, {002, 0664}, {077, 0600}, {0, 0666}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const mode_t before = umask(cases[i].mask);
        iso__disk_close(&disk);
        assert_int_equal(iso__disk_open(&disk, the_disk.folder), 0);
        assert_int_equal(umask(cases[i].mask), cases[i].mask);
        assert_int_equal(iso__disk_create_file(&disk, "a.isr.part"), ISO_OK);
        assert_int_equal(mode_of("a.isr.part"), S_IFREG | 0600);
        close_file();
        assert_int_equal(iso__disk_rename(&disk, "a.isr.part", "a.isr"), ISO_OK);
        assert_int_equal(mode_of("a.isr"), S_IFREG | 0600);
        iso__disk_share(&disk, "a.isr");
        umask(before);
        assert_int_equal(mode_of("a.isr"), S_IFREG | cases[i].mode);
        unlinkat(disk.folder, "a.isr", 0);
    }
    assert_int_equal(host_rig_log[0], '\0');
}

static void test_what_stands_in_the_place_of_a_recording_is_not_shared(void **state) {
    (void)state;
    assert_int_equal(iso__disk_create_file(&disk, "secret"), ISO_OK);
    close_file();
    assert_int_equal(symlinkat("secret", disk.folder, "a.isr"), 0);
    iso__disk_share(&disk, "a.isr");
    assert_int_equal(mode_of("secret"), S_IFREG | 0600);
    expect_log("a.isr cannot be made readable for others");
}

// ---- Messages ---------------------------------------------------------------------------------------------

static void test_what_fails_is_named(void **state) {
    (void)state;
    size_t written;
    assert_int_equal(iso__disk_create_file(&disk, "main.isr.part"), ISO_OK);
    iso__disk other = {.folder = disk.folder, .file = -1};
    assert_int_equal(iso__disk_create_file(&other, "main.isr.part"), ISO_ERR_IO);
    expect_log("recording: creating main.isr.part failed: File exists");
    assert_int_equal(iso__disk_rename(&disk, "none.isr.part", "b"), ISO_ERR_IO);
    expect_log("recording: renaming none.isr.part failed: No such file");
    assert_int_equal(iso__disk_remove(&disk, "none.isr.part"), ISO_ERR_IO);
    expect_log("recording: removing none.isr.part failed: No such file");
    close(disk.file); // behind its back
    assert_int_equal(iso__disk_write(&disk, (const uint8_t *)"x", 1, 0, &written), ISO_ERR_IO);
    expect_log("recording: writing main.isr.part failed: Bad file descriptor");
    assert_int_equal(iso__disk_truncate(&disk, 0), ISO_ERR_IO);
    expect_log("recording: truncating main.isr.part failed: Bad file descriptor");
    assert_int_equal(iso__disk_close_file(&disk), ISO_ERR_IO);
    expect_log("recording: closing main.isr.part failed: Bad file descriptor");
}

int main(void) {
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_a_key_is_made_once_and_read_again),
        FOLDER_TEST(test_the_key_of_another_user_is_refused),
        FOLDER_TEST(test_a_key_that_is_no_file_of_its_own_is_refused),
        FOLDER_TEST(test_a_lock_that_is_no_file_is_refused),
        FOLDER_TEST(test_only_a_sealed_recording_is_for_others),
        FOLDER_TEST(test_what_stands_in_the_place_of_a_recording_is_not_shared),
        FOLDER_TEST(test_what_fails_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
