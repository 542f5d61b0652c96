/// The server's key: made once, whole, for its owner alone, and refused when others could have read it.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/key.h"
#include "host_rig.h"

static int folder, write_error, rename_error;
static unsigned syncs_left; // that work
static bool writes_half;
static unsigned file_syncs, folder_syncs;

ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    errno = write_error;
    return write_error != 0 ? -1 : __real_write(file, bytes, writes_half ? size / 2 : size);
}

int __wrap_fsync(int file) {
    struct stat info;
    errno = EIO;
    if (syncs_left-- == 0) {
        return -1;
    }
    assert_int_equal(fstat(file, &info), 0);
    *(S_ISDIR(info.st_mode) ? &folder_syncs : &file_syncs) += 1;
    return __real_fsync(file);
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to) {
    assert_int_equal(file_syncs, 1); // or a power cut may leave the name without the bytes
    errno = rename_error;
    return rename_error != 0 ? -1 : __real_renameat(from_folder, from, to_folder, to);
}

static int set_up(void **state) {
    (void)state;
    host_disk_begin();
    host_rig_clear_log();
    write_error = rename_error = 0;
    writes_half = false;
    syncs_left = 100;
    file_syncs = folder_syncs = 0;
    folder = open(the_disk.folder, O_RDONLY | O_DIRECTORY);
    return folder >= 0 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    close(folder);
    host_disk_end();
    return 0;
}

static void make_file(const void *bytes, size_t size, mode_t mode) {
    int file = openat(folder, ISO__KEY_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(__real_write(file, bytes, size), size);
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static void expect_refused(const char *why) {
    iso__key key;
    host_rig_clear_log();
    if (iso__key_load(&key, folder, "the/folder")) {
        fail_msg("it is taken: %s", why);
    }
    if (!host_rig_has_logged(why) || !host_rig_has_logged("'the/folder/" ISO__KEY_NAME "'")) {
        fail_msg("'%s' is not said: %s", why, host_rig_log);
    }
}

static void test_a_key_is_made_once_and_found_again(void **state) {
    (void)state;
    iso__key first = {0}, second = {0};
    const iso__key zero = {0};
    struct stat info;
    assert_true(iso__key_load(&first, folder, "the/folder"));
    assert_memory_not_equal(&first, &zero, sizeof zero);
    assert_int_equal(fstatat(folder, ISO__KEY_NAME, &info, 0), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(info.st_size, ISO__KEY_SIZE);
    assert_int_equal(folder_syncs, 1);
    assert_true(iso__key_load(&second, folder, "the/folder"));
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(file_syncs, 1);
    assert_int_equal(host_rig_count_files(".part"), 0);
    assert_string_equal(host_rig_log, "");
}

static void test_without_a_folder_each_process_has_its_own(void **state) {
    (void)state;
    iso__key key = {0};
    const iso__key zero = {0};
    assert_true(iso__key_load(&key, -1, "nowhere"));
    assert_memory_not_equal(&key, &zero, sizeof zero);
    assert_int_equal(file_syncs, 0);
    assert_int_equal(host_rig_count_files(ISO__KEY_NAME), 0);
}

static void test_a_key_that_others_can_read_is_refused(void **state) {
    (void)state;
    static const mode_t modes[] = {0640, 0620, 0610, 0604, 0602, 0601};
    const uint8_t bytes[ISO__KEY_SIZE] = {1, 2, 3};
    iso__key key;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        make_file(bytes, sizeof bytes, modes[i]);
        expect_refused("it must have mode 0600");
    }
    make_file(bytes, sizeof bytes, 0400);
    assert_true(iso__key_load(&key, folder, "the/folder"));
    assert_memory_equal(key.bytes, bytes, sizeof bytes);
}

static void test_what_is_not_a_key_is_refused_and_stays(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, ISO__KEY_SIZE - 1, ISO__KEY_SIZE + 1, 100};
    const uint8_t bytes[100] = {9};
    struct stat info;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        make_file(bytes, sizes[i], 0600);
        expect_refused("not a key of 32 bytes");
        assert_int_equal(fstatat(folder, ISO__KEY_NAME, &info, 0), 0);
        assert_int_equal(info.st_size, sizes[i]);
    }
}

/// A key that is there in part, or might be gone after a power cut, would lock everybody out.
static void test_a_key_is_made_whole_or_not_at_all(void **state) {
    (void)state;
    iso__key key;
    write_error = ENOSPC;
    expect_refused(strerror(ENOSPC));
    write_error = 0;
    writes_half = true;
    expect_refused("the/folder");
    writes_half = false;
    syncs_left = 0;
    expect_refused(strerror(EIO));
    assert_int_equal(host_rig_count_files(ISO__KEY_NAME), 0);
    syncs_left = 100;
    rename_error = EROFS;
    expect_refused(strerror(EROFS));
    assert_int_equal(host_rig_count_files(ISO__KEY_NAME), 0);
    rename_error = 0;
    file_syncs = 0;
    syncs_left = 1; // not that of the folder
    expect_refused(strerror(EIO));
    assert_int_equal(unlinkat(folder, ISO__KEY_NAME, 0), 0);
    // What an attempt has left is in nobody's way.
    assert_int_equal(symlinkat("elsewhere", folder, ISO__KEY_NAME ".part"), 0);
    syncs_left = 100;
    file_syncs = 0;
    assert_true(iso__key_load(&key, folder, "the/folder"));
    assert_int_equal(host_rig_count_files("elsewhere"), 0);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

static void test_a_secret_follows_from_the_key_and_what_it_is_for(void **state) {
    (void)state;
    iso__key key = {.bytes = {1}};
    uint8_t first[ISO_SECRET_SIZE] = {0}, second[ISO_SECRET_SIZE] = {0};
    iso__key_make_secret(&key, (const uint8_t *)"slot 1", 6, first);
    iso__key_make_secret(&key, (const uint8_t *)"slot 1", 6, second);
    assert_memory_equal(first, second, sizeof first);
    iso__key_make_secret(&key, (const uint8_t *)"slot 2", 6, second);
    assert_memory_not_equal(first, second, sizeof first);
    key.bytes[ISO__KEY_SIZE - 1] = 1;
    iso__key_make_secret(&key, (const uint8_t *)"slot 1", 6, second);
    assert_memory_not_equal(first, second, sizeof first);
}

int main(void) {
#define KEY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        KEY_TEST(test_a_key_is_made_once_and_found_again),
        KEY_TEST(test_without_a_folder_each_process_has_its_own),
        KEY_TEST(test_a_key_that_others_can_read_is_refused),
        KEY_TEST(test_what_is_not_a_key_is_refused_and_stays),
        KEY_TEST(test_a_key_is_made_whole_or_not_at_all),
        KEY_TEST(test_a_secret_follows_from_the_key_and_what_it_is_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
