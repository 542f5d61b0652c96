/// Whole files into memory: what is read, and what is said of a file that cannot be.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char path[100];
static int folder;
static size_t read_max; // [bytes] that one call gives
static unsigned read_calls;
static int read_errors[4]; // of the next calls: 0 works, -1 gives nothing
static int stat_error;
static uid_t stat_owner; // that is said of each file
static bool malloc_fails;
static uint8_t *bytes;
static size_t size;
static const char *what;
static iso_status (*reader)(int, const char *, size_t, uint8_t **, size_t *, const char **);

ssize_t __real_read(int file, void *to, size_t count);
ssize_t __wrap_read(int file, void *to, size_t count);
ssize_t __wrap___read_chk(int file, void *to, size_t count, size_t room);
int __real_fstat(int file, struct stat *info);
int __wrap_fstat(int file, struct stat *info);
void *__real_malloc(size_t count);
void *__wrap_malloc(size_t count);

ssize_t __wrap_read(int file, void *to, size_t count) {
    const unsigned call = read_calls++;
    assert_true(call < 100);
    const int error = call < 4 ? read_errors[call] : 0;
    errno = error > 0 ? error : EINTR; // what a call that works leaves there says nothing
    return error > 0 ? -1 : error < 0 ? 0 : __real_read(file, to, count < read_max ? count : read_max);
}

/// What it is called in a hardened build, when the compiler knows of how much room there is.
ssize_t __wrap___read_chk(int file, void *to, size_t count, size_t room) {
    assert_true(count <= room);
    return __wrap_read(file, to, count);
}

int __wrap_fstat(int file, struct stat *info) {
    errno = stat_error;
    const int result = stat_error != 0 ? -1 : __real_fstat(file, info);
    info->st_uid = stat_owner;
    return result;
}

void *__wrap_malloc(size_t count) {
    return malloc_fails ? NULL : __real_malloc(count);
}

static int set_up(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/isostep-file-XXXXXX", base != NULL && strlen(base) < 60 ? base : "/tmp");
    if (mkdtemp(path) == NULL) {
        return -1;
    }
    folder = open(path, O_RDONLY | O_DIRECTORY);
    reader = iso__file_read;
    read_max = SIZE_MAX;
    read_calls = 0;
    memset(read_errors, 0, sizeof read_errors);
    stat_error = 0;
    stat_owner = geteuid();
    malloc_fails = false;
    const int file = openat(folder, "a", O_WRONLY | O_CREAT, 0600);
    const ssize_t written = write(file, "0123456789", 10);
    close(file);
    return written == 10 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    unlinkat(folder, "a", 0);
    unlinkat(folder, "b", 0);
    close(folder);
    return rmdir(path);
}

static iso_status read_file(const char *name, size_t size_max) {
    const int free_before = dup(folder);
    close(free_before);
    bytes = (uint8_t *)path;
    what = "";
    const iso_status status = reader(folder, name, size_max, &bytes, &size, &what);
    const int free_after = dup(folder);
    close(free_after);
    assert_int_equal(free_after, free_before);
    assert_true((bytes != NULL) == (status == ISO_OK));
    return status;
}

static void expect_refused(const char *name, iso_status status, const char *why) {
    read_calls = 0;
    assert_int_equal(read_file(name, 100), status);
    assert_string_equal(what, why);
}

static void expect_content(const char *text) {
    assert_int_equal(size, strlen(text));
    assert_string_equal((const char *)bytes, text); // with a zero behind it
    free(bytes);
}

static void test_a_file_is_read_in_as_many_parts_as_it_takes(void **state) {
    (void)state;
    assert_int_equal(read_file("a", 10), ISO_OK);
    expect_content("0123456789");
    assert_int_equal(read_calls, 1);
    read_calls = 0;
    read_max = 4;
    read_errors[0] = read_errors[2] = EINTR;
    assert_int_equal(read_file("a", SIZE_MAX - 1), ISO_OK);
    expect_content("0123456789");
    assert_int_equal(read_calls, 5);
    close(openat(folder, "b", O_WRONLY | O_CREAT, 0600));
    assert_int_equal(read_file("b", 0), ISO_OK);
    expect_content("");
}

static void test_a_file_that_is_too_large_is_not_read(void **state) {
    (void)state;
    assert_int_equal(read_file("a", 9), ISO_ERR_RANGE);
    assert_string_equal(what, "it is too large");
    assert_int_equal(read_calls, 0);
}

static void test_only_files_are_read(void **state) {
    (void)state;
    expect_refused("missing", ISO_ERR_IO, strerror(ENOENT));
    expect_refused(".", ISO_ERR_IO, "it is a folder");
    assert_int_equal(mkfifoat(folder, "b", 0600), 0);
    expect_refused("b", ISO_ERR_IO, "it is not a regular file"); // and nobody is waited for
    assert_int_equal(read_calls, 0);
}

static void test_what_fails_on_the_way_is_told(void **state) {
    (void)state;
    read_max = 4;
    read_errors[1] = EIO;
    expect_refused("a", ISO_ERR_IO, strerror(EIO));
    read_errors[1] = -1;
    expect_refused("a", ISO_ERR_IO, "it became shorter while it was read");
    stat_error = EOVERFLOW;
    expect_refused("a", ISO_ERR_IO, strerror(EOVERFLOW));
    stat_error = 0;
    stat_owner = geteuid();
    malloc_fails = true;
    expect_refused("a", ISO_ERR_MEMORY, "there is no memory to read it");
    malloc_fails = false;
}

/// Of a file that says who may do what: root's, or the own one, which nobody else writes to.
static void test_files_that_others_have_a_say_in_are_not_read(void **state) {
    (void)state;
    const uid_t others[] = {geteuid() + 1, 65534};
    for (unsigned i = 0; i < 2; ++i) {
        stat_owner = others[i];
        reader = iso__file_read;
        assert_int_equal(read_file("a", 10), ISO_OK);
        expect_content("0123456789");
        reader = iso__file_read_own;
        expect_refused("a", ISO_ERR_IO,
                       "it belongs to another user: chown it to root, or to the user that the server runs as");
    }
    static const mode_t modes[] = {0620, 0602, 0666};
    for (unsigned i = 0; i < 3; ++i) {
        stat_owner = i % 2 == 0 ? geteuid() : 0;
        assert_int_equal(fchmodat(folder, "a", modes[i], 0), 0);
        expect_refused("a", ISO_ERR_IO, "others than its user may write to it: chmod go-w");
        assert_int_equal(fchmodat(folder, "a", 0644, 0), 0);
        assert_int_equal(read_file("a", 10), ISO_OK);
        expect_content("0123456789");
    }
    stat_error = EIO;
    expect_refused("a", ISO_ERR_IO, strerror(EIO));
}

int main(void) {
#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_a_file_is_read_in_as_many_parts_as_it_takes),
        FILE_TEST(test_a_file_that_is_too_large_is_not_read),
        FILE_TEST(test_only_files_are_read),
        FILE_TEST(test_what_fails_on_the_way_is_told),
        cmocka_unit_test_setup_teardown(test_files_that_others_have_a_say_in_are_not_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
