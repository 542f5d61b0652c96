/// The file of a session's settings: what was written is read, and anything else is refused with its line.
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

#include "host/recordings/settings.h"
#include "host_rig.h"

#define NAME "arena-07000000.settings"
#define SALT "00112233445566778899aabbccddeeff"
#define MARK "08090a0b0c0d0e0f"
#define HASH "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const uint8_t uid[ISO_RECORDING_UID_SIZE] = {7};
static const iso__key key = {{1, 2, 3}};
static char folder[] = "/tmp/test_host_settings_XXXXXX";
static iso__disk disk = {.file = -1};
static size_t read_max = SIZE_MAX; // [bytes] that one call gives
static unsigned reads_interrupted; // how many of the next ones fail with EINTR
static bool is_foreign;            // the file is another user's

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap___read_chk(int file, void *bytes, size_t size, size_t room);
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

ssize_t __wrap_read(int file, void *bytes, size_t size) {
    if (reads_interrupted > 0) {
        --reads_interrupted;
        errno = EINTR;
        return -1;
    }
    return __real_read(file, bytes, size < read_max ? size : read_max);
}

ssize_t __wrap___read_chk(int file, void *bytes, size_t size, size_t room) {
    assert_true(size <= room);
    return __wrap_read(file, bytes, size);
}

uid_t __wrap_geteuid(void) {
    return __real_geteuid() + is_foreign;
}

static int set_up(void **state) {
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    return iso__disk_open(&disk, folder);
}

static int tear_down(void **state) {
    (void)state;
    unlinkat(disk.folder, NAME, 0);
    iso__disk_close(&disk);
    return rmdir(folder);
}

static void put(const char *text, size_t size, mode_t mode) {
    unlinkat(disk.folder, NAME, 0);
    const int file = openat(disk.folder, NAME, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), size);
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static iso__session_settings read_right(void) {
    iso__session_settings settings;
    memset(&settings, 0xFF, sizeof settings);
    host_rig_clear_log();
    if (!iso__settings_read(&settings, &disk, "arena", uid)) {
        fail_msg("%s", host_rig_log);
    }
    return settings;
}

static void expect_refusal(const char *what) {
    iso__session_settings settings;
    host_rig_clear_log();
    if (iso__settings_read(&settings, &disk, "arena", uid)) {
        fail_msg("it is read instead of: %s", what);
    }
    if (strstr(host_rig_log, what) == NULL || strstr(host_rig_log, NAME) == NULL) {
        fail_msg("'%s' instead of '%s'", host_rig_log, what);
    }
    assert_false(settings.is_private || settings.has_password || settings.has_spectators || settings.slots > 0);
}

static void test_what_was_written_is_read(void **state) {
    (void)state;
    iso_session_request request = {.is_private = true, .slots = 32, .has_spectators = true, .password = "p\xC3\xA4ss"};
    const iso__session_settings all = iso__settings_make(&request, &key);
    struct stat about;
    assert_true(iso__settings_are_own(&all));
    assert_true(iso__settings_write(&all, &disk, "arena", uid));
    assert_int_equal(fstatat(disk.folder, NAME, &about, 0), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    iso__session_settings found = read_right();
    assert_true(iso__settings_are_equal(&all, &found));
    assert_true(found.is_private && found.has_password && found.has_spectators);
    assert_int_equal(found.slots, 32);
    assert_int_equal(found.spectators, 0);
    // Whatever a call gives, and however often it is interrupted.
    read_max = 1;
    reads_interrupted = 3;
    found = read_right();
    read_max = SIZE_MAX;
    assert_true(iso__settings_are_equal(&all, &found));
    // Of another uid, and of another session, there are none.
    const uint8_t other[ISO_RECORDING_UID_SIZE] = {8};
    assert_true(iso__settings_read(&found, &disk, "arena", other));
    assert_false(iso__settings_are_own(&found));
    assert_true(iso__settings_read(&found, &disk, "aren", uid));
    assert_false(iso__settings_are_own(&found));
}

static void test_each_setting_is_one_to_keep(void **state) {
    (void)state;
    const iso__session_settings one[] = {
        {.is_private = true}, {.has_password = true}, {.slots = 1}, {.has_spectators = true, .spectators = 512}};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; ++i) {
        assert_true(iso__settings_are_own(&one[i]));
        assert_true(iso__settings_write(&one[i], &disk, "arena", uid));
        const iso__session_settings found = read_right();
        assert_true(iso__settings_are_equal(&one[i], &found));
        for (size_t j = 0; j < sizeof one / sizeof one[0]; ++j) {
            assert_true(iso__settings_are_equal(&one[j], &found) == (i == j));
        }
    }
    // Nothing is kept of what the server's options say, or of a session of which nothing is kept.
    const iso__session_settings none = {.is_unrecorded = true};
    unlinkat(disk.folder, NAME, 0);
    assert_false(iso__settings_are_own(&none));
    assert_true(iso__settings_write(&none, &disk, "arena", uid));
    assert_int_equal(faccessat(disk.folder, NAME, F_OK, 0), -1);
    const iso__session_settings found = read_right();
    assert_false(iso__settings_are_own(&found));
}

static void test_every_wrong_line_is_refused(void **state) {
    (void)state;
    static const char first[] = "isostep session settings 1\n";
    static const struct {
        const char *lines, *what;
    } rows[] = {
        {"private", "line 2: expected the end of a line"},
        {"", "line 2: expected the line \"end\": the file is cut"},
        {"private\n", "line 3: expected the line \"end\": the file is cut"},
        {"end", "line 2: expected the end of a line"},
        {"end \n", "line 2: expected private, password"},
        {"private\nend\nslots 1\n", "line 4: expected nothing after the line \"end\""},
        {"end\nend\n", "line 3: expected nothing after the line \"end\""},
        {"end\n\n", "line 3: expected nothing after the line \"end\""},
        {"\n", "line 2: expected private, password, slots or spectators"},
        {"private\n\n", "line 3: expected private, password, slots or spectators"},
        {"private \n", "line 2: expected private"},
        {"private\r\n", "line 2: expected private"},
        {"private yes\n", "line 2: expected private"},
        {" private\n", "line 2: expected private, password"},
        {"Private\n", "line 2: expected private, password"},
        {"private\nprivate\n", "line 3: expected each setting once"},
        {"slots 1\nslots 1\n", "line 3: expected each setting once"},
        {"slots 0\n", "line 2: expected slots and a number from 1 to 32"},
        {"slots 33\n", "line 2: expected slots and a number from 1 to 32"},
        {"slots 01\n", "line 2: expected slots"},
        {"slots +1\n", "line 2: expected slots"},
        {"slots 1 \n", "line 2: expected slots"},
        {"slots  1\n", "line 2: expected slots"},
        {"slots \n", "line 2: expected slots"},
        {"slots\n", "line 2: expected private, password, slots or spectators"},
        {"slots 4294967297\n", "line 2: expected slots"},
        {"spectators 513\n", "line 2: expected spectators and a number from 0 to 512"},
        {"spectators -1\n", "line 2: expected spectators"},
        {"spectators\n", "line 2: expected private, password, slots or spectators"},
        {"password\n", "line 2: expected private, password, slots or spectators"},
        {"password " SALT "\n",
         "line 2: expected password, a salt, a hash and a key of 32, 64 and 16 hexadecimal digits"},
        {"password " SALT " " HASH "\n", "line 2: expected password"},
        {"password " SALT " " HASH " " MARK "0\n", "line 2: expected password"},
        {"password " SALT " " HASH " " MARK " \n", "line 2: expected password"},
        {"password " SALT "  " HASH " " MARK "\n", "line 2: expected password"},
        {"password " HASH " " SALT " " MARK "\n", "line 2: expected password"},
        {"password 00112233445566778899AABBCCDDEEFF " HASH " " MARK "\n", "line 2: expected password"},
        {"password g0112233445566778899aabbccddeeff " HASH " " MARK "\n", "line 2: expected password"},
        {"password " SALT " g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f " MARK "\n",
         "line 2: expected password"},
        {"password " SALT " " HASH " g8090a0b0c0d0e0f\n", "line 2: expected password"},
        {"record off\n", "a later version may have written it"},
    };
    char text[1200];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int size = snprintf(text, sizeof text, "%s%s", first, rows[i].lines);
        put(text, (size_t)size, 0600);
        expect_refusal(rows[i].what);
    }
    static const char *const heads[] = {
        "",         "\n", "isostep session settings 1", "isostep session settings 2\n", "isostep session settings 1 \n",
        "private\n"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        put(heads[i], strlen(heads[i]), 0600);
        expect_refusal("line 1: expected ");
    }
    // A zero ends no line.
    static const char zero[] = "isostep session settings 1\nprivate\0x\n";
    put(zero, sizeof zero - 1, 0600);
    expect_refusal("line 2: expected a line of text");
    // Too long, whatever it says.
    memset(text, '\n', sizeof text);
    put(text, 1025, 0600);
    expect_refusal("it is larger than a file of settings");
    // The longest of each, and all that is right.
    const int size = snprintf(text, sizeof text, "%sspectators 512\npassword %s %s %s\nslots 32\nprivate\nend\n", first,
                              SALT, HASH, MARK);
    put(text, (size_t)size, 0600);
    const iso__session_settings found = read_right();
    assert_int_equal(found.spectators, 512);
    assert_int_equal(found.salt[15], 0xFF);
    assert_int_equal(found.hash[31], 0x1F);
    assert_int_equal(found.key_mark[7], 0x0F);
    // Cut anywhere, at the end of a line as well, it is refused: it would say less than it did.
    for (size_t cut = 0; cut < (size_t)size; ++cut) {
        put(text, cut, 0600);
        expect_refusal("expected ");
    }
    // Nothing that is otherwise than the server's is right as well.
    put("isostep session settings 1\nend\n", 31, 0600);
    const iso__session_settings none = read_right();
    assert_false(iso__settings_are_own(&none));
}

static void test_file_that_others_reach_is_refused(void **state) {
    (void)state;
    static const char text[] = "isostep session settings 1\nprivate\nend\n";
    static const mode_t loose[] = {0640, 0620, 0604, 0602, 0610, 0666};
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; ++i) {
        put(text, sizeof text - 1, loose[i]);
        expect_refusal("it must have mode 0600");
    }
    put(text, sizeof text - 1, 0600);
    is_foreign = true;
    expect_refusal("it belongs to another user than the server's");
    is_foreign = false;
    assert_true(read_right().is_private);
    unlinkat(disk.folder, NAME, 0);
    assert_int_equal(symlinkat("/dev/null", disk.folder, NAME), 0);
    expect_refusal("it is a symbolic link");
    unlinkat(disk.folder, NAME, 0);
    assert_int_equal(mkfifoat(disk.folder, NAME, 0600), 0);
    expect_refusal("it is not a regular file");
}

static void test_password_is_the_sessions_under_its_key(void **state) {
    (void)state;
    iso__session_settings settings = {0}, again = {0};
    const iso__key other = {{1, 2, 4}};
    char longest[ISO_PASSWORD_MAX + 1];
    memset(longest, 'x', ISO_PASSWORD_MAX);
    longest[ISO_PASSWORD_MAX] = '\0';
    // None is right where there is none.
    assert_false(iso__settings_is_password(&settings, &key, ""));
    assert_false(iso__settings_is_password(NULL, &key, "secret"));
    iso__settings_set_password(&settings, &key, "secret");
    assert_true(iso__settings_is_password(&settings, &key, "secret"));
    static const char *const wrong[] = {"", "secre", "secret1", "Secret", "secret\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_false(iso__settings_is_password(&settings, &key, wrong[i]));
    }
    assert_false(iso__settings_is_password(&settings, &other, "secret"));
    assert_true(iso__settings_have_other_key(&settings, &other));
    assert_false(iso__settings_have_other_key(&settings, &key));
    assert_false(iso__settings_have_other_key(&(iso__session_settings){0}, &key));
    // Two of the same do not look the same.
    iso__settings_set_password(&again, &key, "secret");
    assert_memory_not_equal(again.hash, settings.hash, sizeof again.hash);
    iso__settings_set_password(&settings, &key, longest);
    assert_true(iso__settings_is_password(&settings, &key, longest));
    longest[ISO_PASSWORD_MAX - 1] = 'y';
    assert_false(iso__settings_is_password(&settings, &key, longest));
}

static void test_spectators_are_no_more_than_the_servers(void **state) {
    (void)state;
    assert_int_equal(iso__settings_spectators(&(iso__session_settings){0}, 64), 64);
    assert_int_equal(iso__settings_spectators(&(iso__session_settings){.has_spectators = true}, 64), 0);
    assert_int_equal(iso__settings_spectators(&(iso__session_settings){.has_spectators = true, .spectators = 3}, 64),
                     3);
    assert_int_equal(iso__settings_spectators(&(iso__session_settings){.has_spectators = true, .spectators = 65}, 64),
                     64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_was_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_setting_is_one_to_keep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_wrong_line_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file_that_others_reach_is_refused, set_up, tear_down),
        cmocka_unit_test(test_password_is_the_sessions_under_its_key),
        cmocka_unit_test(test_spectators_are_no_more_than_the_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
