/// The recorder's system calls when the kernel refuses, takes less or is interrupted: each is an answer and a line in
/// the log.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/disk.h"
#include "host/watch/log.h"

static char folder[100], file_path[140], said[1000];
static iso__disk disk;
static int sync_error, truncate_error, close_error, rename_error, link_error, folder_error, access_error, share_error;
static int write_errors[8]; // of the next calls: 0 works, -1 takes nothing
static size_t write_max;    // [bytes] that one call takes
static unsigned write_calls;

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset);
int __real_fdatasync(int file);
int __wrap_fdatasync(int file);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
int __real_close(int file);
int __wrap_close(int file);
int __real_renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned flags);
int __wrap_renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned flags);
int __real_linkat(int old_folder, const char *old_name, int new_folder, const char *new_name, int flags);
int __wrap_linkat(int old_folder, const char *old_name, int new_folder, const char *new_name, int flags);
int __real_faccessat(int where, const char *path, int mode, int flags);
int __wrap_faccessat(int where, const char *path, int mode, int flags);
int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
void __wrap_iso__log(const iso__log_about *about, const char *format, ...) __attribute__((format(printf, 2, 3)));

void __wrap_iso__log(const iso__log_about *about, const char *format, ...) {
    (void)about;
    const size_t size = strlen(said);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said + size, sizeof said - size, format, arguments);
    va_end(arguments);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset) {
    const unsigned call = write_calls++;
    assert_true(call < 100);
    const int error = call < 8 ? write_errors[call] : 0;
    errno = error > 0 ? error : 0;
    return error > 0 ? -1 : error < 0 ? 0 : __real_pwrite(file, bytes, size < write_max ? size : write_max, offset);
}

static int answer(int error, int result) {
    errno = error != 0 ? error : errno;
    return error != 0 ? -1 : result;
}

int __wrap_fdatasync(int file) {
    return answer(sync_error, sync_error != 0 ? 0 : __real_fdatasync(file));
}

int __wrap_fsync(int file) {
    assert_int_equal(file, disk.folder);
    return answer(folder_error, folder_error != 0 ? 0 : __real_fsync(file));
}

int __wrap_ftruncate(int file, off_t size) {
    return answer(truncate_error, truncate_error != 0 ? 0 : __real_ftruncate(file, size));
}

int __wrap_close(int file) {
    return answer(close_error, __real_close(file));
}

int __wrap_renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned flags) {
    return answer(rename_error,
                  rename_error != 0 ? 0 : __real_renameat2(old_folder, old_name, new_folder, new_name, flags));
}

int __wrap_linkat(int old_folder, const char *old_name, int new_folder, const char *new_name, int flags) {
    return answer(link_error, link_error != 0 ? 0 : __real_linkat(old_folder, old_name, new_folder, new_name, flags));
}

int __wrap_faccessat(int where, const char *path, int mode, int flags) {
    return answer(access_error, access_error != 0 ? 0 : __real_faccessat(where, path, mode, flags));
}

int __wrap_fchmod(int file, mode_t mode) {
    return answer(share_error, share_error != 0 ? 0 : __real_fchmod(file, mode));
}

static int set_up(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    sync_error = truncate_error = close_error = rename_error = link_error = folder_error = access_error = share_error =
        0;
    memset(write_errors, 0, sizeof write_errors);
    write_max = SIZE_MAX;
    write_calls = 0;
    snprintf(folder, sizeof folder, "%s/isostep-disk-XXXXXX", base != NULL && strlen(base) < 60 ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(file_path, sizeof file_path, "%s/a", folder);
    assert_int_equal(iso__disk_open(&disk, folder), 0);
    assert_int_equal(iso__disk_create_file(&disk, "a"), ISO_OK);
    said[0] = '\0';
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "folder"};
    for (size_t i = 0; i < 3; ++i) {
        if (unlinkat(disk.folder, names[i], 0) != 0) {
            unlinkat(disk.folder, names[i], AT_REMOVEDIR);
        }
    }
    iso__disk_close(&disk);
    return rmdir(folder);
}

static void expect_said(const char *text) {
    if (strstr(said, text) == NULL) {
        fail_msg("'%s' is not said: %s", text, said);
    }
    said[0] = '\0';
}

static void expect_content(const char *name, const char *content) {
    char bytes[64] = "";
    const int file = openat(disk.folder, name, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(read(file, bytes, sizeof bytes - 1), strlen(content));
    __real_close(file);
    assert_string_equal(bytes, content);
}

static bool is_there(const char *name) {
    struct stat info;
    return fstatat(disk.folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static iso_status write_text(const char *text, uint64_t offset, size_t *written) {
    *written = 1000;
    return iso__disk_write(&disk, (const uint8_t *)text, strlen(text), offset, written);
}

static void test_a_write_goes_on_where_the_kernel_has_stopped(void **state) {
    (void)state;
    size_t written;
    write_max = 3;
    write_errors[1] = write_errors[2] = EINTR;
    assert_int_equal(write_text("0123456789", 0, &written), ISO_OK);
    assert_int_equal(written, 10);
    assert_int_equal(write_calls, 6);
    assert_int_equal(write_text("abcd", 8, &written), ISO_OK);
    expect_content("a", "01234567abcd");
    assert_int_equal(write_text("", 3, &written), ISO_OK);
    assert_int_equal(written, 0);
    assert_string_equal(said, "");
}

static void test_a_write_that_fails_says_how_much_there_is(void **state) {
    (void)state;
    size_t written;
    write_max = 3;
    write_errors[2] = EIO;
    assert_int_equal(write_text("0123456789", 0, &written), ISO_ERR_IO);
    assert_int_equal(written, 6);
    expect_said(strerror(EIO));
    // A kernel that takes nothing and gives no reason has no room.
    write_calls = 0;
    memset(write_errors, 0, sizeof write_errors);
    write_errors[1] = -1;
    assert_int_equal(write_text("0123456789", 0, &written), ISO_ERR_IO);
    assert_int_equal(written, 3);
    expect_said(strerror(ENOSPC));
    assert_int_equal(write_calls, 2);
}

static void test_every_call_that_fails_is_an_answer_and_names_the_file(void **state) {
    (void)state;
    sync_error = EIO;
    assert_int_equal(iso__disk_sync(&disk), ISO_ERR_IO);
    expect_said("fdatasync of a failed");
    sync_error = 0;
    assert_int_equal(iso__disk_sync(&disk), ISO_OK);
    truncate_error = EROFS;
    assert_int_equal(iso__disk_truncate(&disk, 0), ISO_ERR_IO);
    expect_said(strerror(EROFS));
    folder_error = EIO;
    assert_int_equal(iso__disk_sync_folder(&disk), ISO_ERR_IO);
    expect_said("the folder failed");
    folder_error = 0;
    assert_int_equal(iso__disk_sync_folder(&disk), ISO_OK);
    close_error = EIO;
    const int file = disk.file;
    assert_int_equal(iso__disk_close_file(&disk), ISO_ERR_IO);
    expect_said("closing a failed");
    close_error = 0;
    // It is closed all the same, and not closed twice.
    assert_int_equal(disk.file, -1);
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_int_equal(iso__disk_create_file(&disk, "a"), ISO_ERR_IO);
    expect_said("creating a failed: File exists");
    assert_int_equal(iso__disk_remove(&disk, "b"), ISO_ERR_IO);
    expect_said("removing b failed");
    assert_int_equal(iso__disk_remove(&disk, "a"), ISO_OK);
    assert_false(is_there("a"));
    assert_string_equal(said, "");
}

static void test_what_was_put_in_the_files_place_is_found_at_the_next_sync(void **state) {
    (void)state;
    assert_int_equal(renameat(disk.folder, "a", disk.folder, "b"), 0);
    assert_int_equal(iso__disk_sync(&disk), ISO_ERR_IO);
    expect_said("a is no longer in its folder");
    assert_int_equal(mkdirat(disk.folder, "a", 0700), 0);
    assert_int_equal(iso__disk_sync(&disk), ISO_ERR_IO);
    expect_said("a is no longer in its folder");
    assert_int_equal(unlinkat(disk.folder, "a", AT_REMOVEDIR), 0);
    assert_int_equal(symlinkat("b", disk.folder, "a"), 0);
    assert_int_equal(iso__disk_sync(&disk), ISO_ERR_IO);
    assert_int_equal(unlinkat(disk.folder, "a", 0), 0);
    assert_int_equal(renameat(disk.folder, "b", disk.folder, "a"), 0);
    assert_int_equal(iso__disk_sync(&disk), ISO_OK);
}

static void test_a_file_system_without_a_safe_rename_gets_a_second_name_first(void **state) {
    (void)state;
    rename_error = EINVAL;
    assert_int_equal(iso__disk_rename(&disk, "a", "b"), ISO_OK);
    assert_true(is_there("b") && !is_there("a"));
    // Nothing is replaced.
    assert_int_equal(iso__disk_create_file(&(iso__disk){.folder = disk.folder, .file = -1}, "a"), ISO_OK);
    assert_int_equal(iso__disk_rename(&disk, "a", "b"), ISO_ERR_IO);
    expect_said("renaming a failed");
    assert_true(is_there("b") && is_there("a"));
    // Any other error is one.
    assert_int_equal(unlinkat(disk.folder, "b", 0), 0);
    rename_error = EIO;
    assert_int_equal(iso__disk_rename(&disk, "a", "b"), ISO_ERR_IO);
    expect_said(strerror(EIO));
    assert_true(is_there("a") && !is_there("b"));
    rename_error = EINVAL;
    link_error = EPERM;
    assert_int_equal(iso__disk_rename(&disk, "a", "b"), ISO_ERR_IO);
    expect_said(strerror(EPERM));
    assert_true(is_there("a") && !is_there("b"));
}

static void test_a_folder_is_made_and_must_be_one_that_can_be_written(void **state) {
    (void)state;
    iso__disk other;
    char path[140];
    struct stat info;
    snprintf(path, sizeof path, "%s/folder", folder);
    assert_int_equal(iso__disk_open(&other, path), 0);
    assert_int_equal(other.file, -1);
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    const int opened = other.folder;
    iso__disk_close(&other);
    assert_int_equal(other.folder, -1);
    assert_int_equal(fcntl(opened, F_GETFD), -1);
    access_error = EACCES;
    assert_int_equal(iso__disk_open(&other, path), EACCES);
    assert_int_equal(other.folder, -1);
    assert_int_equal(fcntl(opened, F_GETFD), -1); // it is the lowest that is free
    access_error = 0;
    assert_int_equal(iso__disk_open(&other, file_path), ENOTDIR);
    snprintf(path, sizeof path, "%s/not/there", folder);
    assert_int_equal(iso__disk_open(&other, path), ENOENT);
    assert_int_equal(other.folder, -1);
}

static void test_closing_closes_what_is_open(void **state) {
    (void)state;
    iso__disk other;
    assert_int_equal(iso__disk_open(&other, folder), 0);
    assert_int_equal(iso__disk_create_file(&other, "b"), ISO_OK);
    const int files[2] = {other.folder, other.file};
    iso__disk_close(&other);
    assert_int_equal(fcntl(files[0], F_GETFD), -1);
    assert_int_equal(fcntl(files[1], F_GETFD), -1);
    iso__disk_close(&other);
}

static void test_a_file_that_cannot_be_shared_is_told(void **state) {
    (void)state;
    share_error = EPERM;
    iso__disk_share(&disk, "a");
    expect_said("a cannot be made readable for others");
    share_error = 0;
    iso__disk_share(&disk, "a");
    assert_string_equal(said, "");
    iso__disk_share(&disk, "missing");
    expect_said(strerror(ENOENT));
}

int main(void) {
#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        DISK_TEST(test_a_write_goes_on_where_the_kernel_has_stopped),
        DISK_TEST(test_a_write_that_fails_says_how_much_there_is),
        DISK_TEST(test_every_call_that_fails_is_an_answer_and_names_the_file),
        DISK_TEST(test_what_was_put_in_the_files_place_is_found_at_the_next_sync),
        DISK_TEST(test_a_file_system_without_a_safe_rename_gets_a_second_name_first),
        DISK_TEST(test_a_folder_is_made_and_must_be_one_that_can_be_written),
        DISK_TEST(test_closing_closes_what_is_open),
        DISK_TEST(test_a_file_that_cannot_be_shared_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
