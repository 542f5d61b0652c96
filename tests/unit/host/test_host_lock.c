/// The lock on a folder of recordings: who gets it, what the other one is told, and folders whose locks may not hold.
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/lock.h"
#include "host_rig.h"

static int folder, lock_error, statfs_error, write_error;
static int64_t file_system; // what the folder is said to be on

int __real_fstatfs(int file, struct statfs *info);
int __wrap_fstatfs(int file, struct statfs *info);
int __real_fcntl(int file, int command, ...);
int __wrap_fcntl(int file, int command, ...);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset);

int __wrap_fstatfs(int file, struct statfs *info) {
    errno = statfs_error;
    const int result = __real_fstatfs(file, info);
    info->f_type = (__typeof__(info->f_type))file_system;
    return statfs_error != 0 ? -1 : result;
}

int __wrap_fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    errno = lock_error;
    return lock_error != 0 && command == F_OFD_SETLK ? -1 : __real_fcntl(file, command, argument);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset) {
    errno = write_error;
    return write_error != 0 ? -1 : __real_pwrite(file, bytes, size, offset);
}

static int set_up(void **state) {
    (void)state;
    host_disk_begin();
    host_rig_clear_log();
    lock_error = statfs_error = write_error = 0;
    file_system = EXT4_SUPER_MAGIC;
    folder = open(the_disk.folder, O_RDONLY | O_DIRECTORY);
    return folder >= 0 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    close(folder);
    host_disk_end();
    return 0;
}

static bool take(bool allow_unlocked, int *file) {
    *file = 1000;
    host_rig_clear_log();
    return iso__lock_take(folder, "the/folder", allow_unlocked, file);
}

static void make_file(const char *text, mode_t mode) {
    int file = openat(folder, ISO__LOCK_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static void expect_text(const char *text) {
    char bytes[400] = "";
    int file = openat(folder, ISO__LOCK_NAME, O_RDONLY);
    assert_true(read(file, bytes, sizeof bytes - 1) >= 0);
    close(file);
    assert_string_equal(bytes, text);
}

static void make_own_text(char text[200]) {
    char host[72] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, 200, "process %ld on %s", (long)getpid(), host);
}

static void test_the_second_one_is_told_who_has_the_folder_and_touches_nothing(void **state) {
    (void)state;
    int first, second;
    char own[200], line[210];
    make_own_text(own);
    snprintf(line, sizeof line, "%s\n", own);
    assert_true(take(false, &first));
    assert_true(first >= 0);
    assert_string_equal(host_rig_log, "");
    expect_text(line);
    for (int allow = 0; allow < 2; ++allow) {
        // Who allows a folder without locks does not take one that is locked.
        assert_false(take(allow, &second));
        assert_int_equal(second, -1);
        assert_true(host_rig_has_logged(own) && host_rig_has_logged("'the/folder' is in use by"));
        assert_null(strchr(strstr(host_rig_log, own), '\r'));
        expect_text(line);
    }
    close(first);
    assert_true(take(false, &second));
    close(second);
}

static void test_a_holder_that_does_not_say_who_it_is_is_another_process(void **state) {
    (void)state;
    int file;
    make_file("", 0600);
    lock_error = EAGAIN;
    assert_false(take(false, &file));
    assert_true(host_rig_has_logged("in use by another process;"));
    lock_error = EACCES; // as some systems say it
    make_file("process 12 on somewhere\nand more", 0600);
    assert_false(take(true, &file));
    assert_true(host_rig_has_logged("in use by process 12 on somewhere;"));
    assert_int_equal(file, -1);
    expect_text("process 12 on somewhere\nand more");
}

static void test_the_file_is_for_this_user_alone_and_says_nothing_of_who_had_it_before(void **state) {
    (void)state;
    char line[210], own[200];
    int file;
    struct stat info;
    make_own_text(own);
    snprintf(line, sizeof line, "%s\n", own);
    char long_text[301] = "";
    memset(long_text, 'x', sizeof long_text - 1);
    make_file(long_text, 0666);
    assert_true(take(false, &file));
    expect_text(line);
    assert_int_equal(fstat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_not_equal(__real_fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
    close(file);
}

static void test_who_has_it_is_not_worth_a_refusal(void **state) {
    (void)state;
    int file;
    write_error = ENOSPC;
    assert_true(take(false, &file));
    assert_true(host_rig_has_logged("cannot be written") && host_rig_has_logged(strerror(ENOSPC)));
    close(file);
}

static void expect_needs_permission(const char *why) {
    int file;
    if (take(false, &file)) {
        fail_msg("a folder that may not be locked is taken: %s", why);
    }
    assert_int_equal(file, -1);
    if (!host_rig_has_logged(why) || !host_rig_has_logged("--allow-unlocked")) {
        fail_msg("'%s' is not said: %s", why, host_rig_log);
    }
    if (!take(true, &file)) {
        fail_msg("it is not taken though that is allowed: %s", why);
    }
    assert_true(file >= 0);
    if (!host_rig_has_logged(why) || !host_rig_has_logged("make sure that no other server uses it")) {
        fail_msg("there is no warning: %s", host_rig_log);
    }
    close(file);
}

static void test_folders_that_several_machines_can_have_are_refused_unless_allowed(void **state) {
    (void)state;
    // Of the kernel's own header, as far as it has them.
    static const struct {
        int64_t type;
        const char *name;
    } list[] = {
        {NFS_SUPER_MAGIC, "NFS"},
        {SMB_SUPER_MAGIC, "SMB"},
        {(int64_t)CIFS_SUPER_MAGIC, "CIFS"},
        {(int64_t)SMB2_SUPER_MAGIC, "SMB"},
        {V9FS_MAGIC, "9P"},
        {FUSE_SUPER_MAGIC, "FUSE"},
        {CEPH_SUPER_MAGIC, "Ceph"},
        {AFS_SUPER_MAGIC, "AFS"},
        {AFS_FS_MAGIC, "AFS"},
        {OCFS2_SUPER_MAGIC, "OCFS2"},
        {NCP_SUPER_MAGIC, "NCP"},
        {CODA_SUPER_MAGIC, "Coda"},
        {0x0BD00BD0, "Lustre"},
        {0x01161970, "GFS2"},
        {0x47504653, "GPFS"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        char why[40];
        file_system = list[i].type;
        snprintf(why, sizeof why, "(%s)", list[i].name);
        expect_needs_permission(why);
    }
    static const int64_t own[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC,
                                  TMPFS_MAGIC,      OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        int file;
        file_system = own[i];
        assert_true(take(false, &file));
        assert_string_equal(host_rig_log, "");
        close(file);
    }
}

static void test_folders_without_locks_are_refused_unless_allowed(void **state) {
    (void)state;
    lock_error = ENOLCK;
    expect_needs_permission(strerror(ENOLCK));
    lock_error = 0;
    statfs_error = ENOSYS;
    expect_needs_permission(strerror(ENOSYS));
}

int main(void) {
#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LOCK_TEST(test_the_second_one_is_told_who_has_the_folder_and_touches_nothing),
        LOCK_TEST(test_a_holder_that_does_not_say_who_it_is_is_another_process),
        LOCK_TEST(test_the_file_is_for_this_user_alone_and_says_nothing_of_who_had_it_before),
        LOCK_TEST(test_who_has_it_is_not_worth_a_refusal),
        LOCK_TEST(test_folders_that_several_machines_can_have_are_refused_unless_allowed),
        LOCK_TEST(test_folders_without_locks_are_refused_unless_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
