/// The recorder's system calls.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/disk.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/isostep-disk-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    (void)state;
    char path[128];
    static const char *const names[] = {"a.part", "a", "b"};
    for (size_t i = 0; i < 3; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void expect_content(const char *name, const char *content) {
    char path[128], bytes[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    ssize_t size = read(file, bytes, sizeof bytes - 1);
    close(file);
    assert_int_equal(size, strlen(content));
    assert_string_equal(bytes, content);
}

static void test_file_is_written_cut_synced_and_renamed(void **state) {
    (void)state;
    iso__disk disk;
    size_t written = 0;
    assert_int_equal(iso__disk_open(&disk, folder), 0);
    assert_int_equal(iso__disk_create_file(&disk, "a.part"), ISO_OK);
    assert_int_equal(iso__disk_write(&disk, (const uint8_t *)"hello, disk", 11, 0, &written), ISO_OK);
    assert_int_equal(written, 11);
    assert_int_equal(iso__disk_truncate(&disk, 7), ISO_OK);
    assert_int_equal(iso__disk_write(&disk, (const uint8_t *)"you", 3, 7, &written), ISO_OK);
    assert_int_equal(iso__disk_sync(&disk), ISO_OK);
    assert_int_equal(iso__disk_close_file(&disk), ISO_OK);
    assert_int_equal(iso__disk_rename(&disk, "a.part", "a"), ISO_OK);
    assert_int_equal(iso__disk_sync_folder(&disk), ISO_OK);
    iso__disk_close(&disk);
    expect_content("a", "hello, you");
}

static void test_nothing_is_overwritten(void **state) {
    (void)state;
    iso__disk disk;
    size_t written;
    assert_int_equal(iso__disk_open(&disk, folder), 0);
    assert_int_equal(iso__disk_create_file(&disk, "a"), ISO_OK);
    assert_int_equal(iso__disk_write(&disk, (const uint8_t *)"old", 3, 0, &written), ISO_OK);
    assert_int_equal(iso__disk_close_file(&disk), ISO_OK);
    assert_int_equal(iso__disk_create_file(&disk, "a"), ISO_ERR_IO);
    assert_int_equal(iso__disk_create_file(&disk, "b"), ISO_OK);
    assert_int_equal(iso__disk_close_file(&disk), ISO_OK);
    assert_int_equal(iso__disk_rename(&disk, "b", "a"), ISO_ERR_IO);
    iso__disk_close(&disk);
    expect_content("a", "old");
    expect_content("b", "");
}

static void test_full_disk_is_an_error_with_the_bytes_that_fit(void **state) {
    (void)state;
    iso__disk disk = {.folder = -1, .file = open("/dev/full", O_WRONLY)};
    size_t written = 99;
    assert_int_equal(iso__disk_write(&disk, (const uint8_t *)"x", 1, 0, &written), ISO_ERR_IO);
    assert_int_equal(written, 0);
    assert_int_equal(iso__disk_close_file(&disk), ISO_OK);
}

/// What is synced into a file that nobody can find is not durable.
static void test_a_sync_fails_when_the_file_is_not_in_its_folder(void **state) {
    (void)state;
    for (unsigned how = 0; how < 3; ++how) {
        iso__disk disk;
        char path[128], other[128];
        snprintf(path, sizeof path, "%s/a.part", folder);
        snprintf(other, sizeof other, "%s/b", folder);
        assert_int_equal(iso__disk_open(&disk, folder), 0);
        assert_int_equal(iso__disk_create_file(&disk, "a.part"), ISO_OK);
        assert_int_equal(iso__disk_sync(&disk), ISO_OK);
        if (how == 0) {
            assert_int_equal(unlink(path), 0);
        } else {
            assert_int_equal(rename(path, other), 0);
        }
        if (how == 2) {
            close(open(path, O_WRONLY | O_CREAT, 0600));
        }
        assert_int_equal(iso__disk_sync(&disk), ISO_ERR_IO);
        iso__disk_close(&disk);
        unlink(path);
        unlink(other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_file_is_written_cut_synced_and_renamed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing_is_overwritten, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_full_disk_is_an_error_with_the_bytes_that_fit, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_sync_fails_when_the_file_is_not_in_its_folder, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
