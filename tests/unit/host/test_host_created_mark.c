/// Marks of sessions that were created over HTTP: they are found by their names, and nothing else is.
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

#include "host/recordings/created_mark.h"

static char folder[] = "/tmp/test_host_mark_XXXXXX";
static iso__disk disk = {.file = -1};

static void make_file(const char *name) {
    const int file = openat(disk.folder, name, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    close(file);
}

static void test_marks_are_found_by_their_names(void **state) {
    (void)state;
    static const char *const others[] = {".http", "Arena.http", "arena.http.part", "arena", "a_b.http", "a-1.isr.part"};
    iso__created_mark_list list;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(iso__disk_open(&disk, folder), 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        make_file(others[i]);
    }
    assert_int_equal(mkdirat(disk.folder, "folder.http", 0700), 0);
    assert_true(iso__created_mark_list_read(&list, &disk));
    assert_int_equal(list.count, 0);
    iso__created_mark_list_term(&list);
    for (char name[] = "z-9"; name[0] >= 'a'; --name[0]) {
        assert_int_equal(iso__created_mark_create(&disk, name), ISO_OK);
    }
    assert_int_equal(iso__created_mark_create(&disk, "b-9"), ISO_OK); // is there
    iso__created_mark_remove(&disk, "a-9");
    iso__created_mark_remove(&disk, "a-9"); // is not there
    assert_true(iso__created_mark_list_read(&list, &disk));
    assert_int_equal(list.count, 25);
    assert_string_equal(list.names[0], "b-9");
    assert_string_equal(list.names[24], "z-9");
    for (uint32_t i = 0; i < list.count; ++i) {
        iso__created_mark_remove(&disk, list.names[i]);
    }
    iso__created_mark_list_term(&list);
    assert_int_equal(unlinkat(disk.folder, "folder.http", AT_REMOVEDIR), 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_int_equal(unlinkat(disk.folder, others[i], 0), 0);
    }
    assert_int_equal(rmdir(folder), 0); // nothing else was left
    assert_int_equal(iso__created_mark_create(&disk, "a"), ISO_ERR_IO);
    iso__disk_close(&disk);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_marks_are_found_by_their_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
