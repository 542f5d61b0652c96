/// What a session was created with is not lost with its recordings: what a start does that finds settings and nothing
/// beside them, or that begins anew under a name that was private.
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/exit.h"
#include "server_rig.h"

#define FIRST   "isostep session settings 1\n"
#define PRIVATE FIRST "private\nend\n"

static char away[160], file_path[400];
static iso__session_settings seen; // of the first session, while it was served

static int set_up(void **state) {
    const int code = server_rig_set_up(state);
    snprintf(away, sizeof away, "%s.away", the_disk.folder);
    return code;
}

static int tear_down(void **state) {
    char path[700];
    DIR *stream = opendir(away);
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", away, entry->d_name);
        unlink(path);
    }
    if (stream != NULL) {
        closedir(stream);
    }
    rmdir(away);
    return server_rig_tear_down(state);
}

static const char *path_of(const char *name) {
    snprintf(file_path, sizeof file_path, "%s/%s", the_disk.folder, name);
    return file_path;
}

/// @param age_s  how long ago it was changed
static void put(const char *name, const char *text, unsigned age_s) {
    const int file = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    const struct timespec times[2] = {{.tv_sec = 1000000 - (time_t)age_s}, {.tv_sec = 1000000 - (time_t)age_s}};
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static bool is_there(const char *name) {
    struct stat about;
    return lstat(path_of(name), &about) == 0;
}

/// Moves the files whose names end so, and back. @return how many
static unsigned move(const char *from, const char *to, const char *end) {
    char old_path[700], new_path[700];
    unsigned count = 0;
    mkdir(to, 0700);
    DIR *stream = opendir(from);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const size_t size = strlen(entry->d_name);
        if (size <= strlen(end) || strcmp(entry->d_name + size - strlen(end), end) != 0) {
            continue;
        }
        snprintf(old_path, sizeof old_path, "%s/%s", from, entry->d_name);
        snprintf(new_path, sizeof new_path, "%s/%s", to, entry->d_name);
        assert_int_equal(rename(old_path, new_path), 0);
        ++count;
    }
    closedir(stream);
    return count;
}

static void look(uv_loop_t *loop) {
    seen = the_server.sessions[0]->settings;
    server_rig_send_term(loop);
}

/// What the next run's first session has.
#define RUN(...)                                                                \
    do {                                                                        \
        server_rig_forget();                                                    \
        the_server.when_served = look;                                          \
        seen = (iso__session_settings){0};                                      \
        assert_int_equal(server_rig_run_recorded(__VA_ARGS__), ISO__EXIT_DONE); \
    } while (0)

static void expect_refusal(const char *what) {
    server_rig_forget();
    assert_int_equal(server_rig_run_recorded("--session", "main", "--for", "1"), ISO__EXIT_RECORDING);
    server_rig_expect_log(what);
    server_rig_expect_log("Nothing was changed");
}

// ---- Recordings that are gone -----------------------------------------------------------------------------

static void test_session_whose_recordings_were_moved_away_stays_private(void **state) {
    (void)state;
    RUN("--session", "main", "--private", "main");
    assert_true(seen.is_private);
    assert_int_equal(move(the_disk.folder, away, ".isr"), 1);
    // Neither by a start that hosts another one, nor by one that hosts it.
    RUN("--session", "other");
    assert_false(seen.is_private);
    assert_int_equal(host_rig_count_files(".settings"), 1);
    RUN("--session", "main");
    assert_true(seen.is_private);
    server_rig_expect_log("session main: it begins anew, with the settings in main-");
    assert_int_equal(host_rig_count_files(".settings"), 2);
    // What comes back is not of a session without settings.
    assert_int_equal(move(the_disk.folder, away, ".isr"), 2);
    RUN("--session", "other");
    assert_int_equal(host_rig_count_files(".settings"), 2);
}

/// A kill between the change of the damaged file's name and the new session's first file.
static void test_session_that_was_killed_while_it_began_anew_stays_private(void **state) {
    (void)state;
    static const char *const aside[] = {"main-07000000-1.isr.part.damaged", "main-07000000-1.isr.torn",
                                        "main-07000000-1.isr.ignored"};
    for (size_t i = 0; i < sizeof aside / sizeof aside[0]; ++i) {
        put(aside[i], "x", 9);
        put("main-07000000.settings", PRIVATE, 9);
        if (i == 0) {
            put("main-08000000.settings", FIRST "private\nslots 1\nend\n", 8);
        }
        RUN("--session", "main");
        assert_true(seen.is_private);
        assert_int_equal(seen.slots, i == 0 ? 1 : 0);
        move(the_disk.folder, away, ".isr");
        move(the_disk.folder, away, ".settings");
        unlink(path_of(aside[i]));
    }
}

static void test_session_that_was_ended_for_good_stays_private_under_its_name(void **state) {
    (void)state;
    RUN("--session", "main", "--private", "main", "--on-restart", "new");
    RUN("--session", "main");
    assert_true(seen.is_private);
    server_rig_expect_log("the newest of this name: private");
    // Of a name that only begins like it nothing is.
    RUN("--session", "mai");
    assert_false(seen.is_private);
}

static void test_newest_settings_of_a_name_count(void **state) {
    (void)state;
    put("main-07000000.settings", FIRST "slots 1\nend\n", 5);
    put("main-08000000.settings", PRIVATE, 6);
    RUN("--session", "main");
    assert_false(seen.is_private);
    assert_int_equal(seen.slots, 1);
    assert_true(is_there("main-08000000.settings")); // it keeps somebody out
    move(the_disk.folder, away, ".isr");
    move(the_disk.folder, away, ".settings");
    // In doubt none.
    put("main-07000000.settings", FIRST "slots 1\nend\n", 6);
    put("main-08000000.settings", PRIVATE, 6);
    expect_refusal("are different settings of this name and equally old");
    put("main-07000000.settings", PRIVATE, 6);
    put("main-09000000.settings", FIRST "private\n", 90);
    expect_refusal("its settings cannot be read from main-09000000.settings: line 3");
    unlink(path_of("main-09000000.settings"));
    assert_int_equal(symlink("/dev/null", path_of("main-09000000.settings")), 0);
    expect_refusal("its settings cannot be read from main-09000000.settings: it is a symbolic link");
    unlink(path_of("main-09000000.settings"));
    RUN("--session", "main");
    assert_true(seen.is_private);
}

static void test_only_what_keeps_nobody_out_goes(void **state) {
    (void)state;
    static const char *const goes[] = {"a-01234567.settings.part", "a-b-01234567.settings.part", "c-01234567.settings",
                                       "d-01234567.settings"};
    static const char *const stays[] = {
        "a.settings.part",          "-01234567.settings.part", "a-0123456.settings.part",   "a-01234567.settings.par",
        "A-01234567.settings.part", "e-01234567.settings",     "f-01234567.settings.part.x"};
    for (size_t i = 0; i < sizeof goes / sizeof goes[0]; ++i) {
        put(goes[i], i == 2 ? FIRST "slots 1\nend\n" : FIRST "end\n", 1);
    }
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; ++i) {
        put(stays[i], "what is this", 1);
    }
    RUN("--session", "main");
    for (size_t i = 0; i < sizeof goes / sizeof goes[0]; ++i) {
        if (is_there(goes[i])) {
            fail_msg("%s is left", goes[i]);
        }
    }
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; ++i) {
        if (!is_there(stays[i])) {
            fail_msg("%s is gone", stays[i]);
        }
        unlink(path_of(stays[i]));
    }
}

// ---- --resume ---------------------------------------------------------------------------------------------

static void test_recording_that_a_link_names_has_its_settings(void **state) {
    (void)state;
    char link[160], target[400];
    RUN("--session", "main", "--private", "main");
    snprintf(target, sizeof target, "%s", host_rig_path_of(".isr"));
    snprintf(link, sizeof link, "%s.link", the_disk.folder);
    assert_int_equal(symlink(target, link), 0);
    server_rig_forget();
    the_server.when_served = look;
    seen = (iso__session_settings){0};
    const int code = server_rig_run("--tcp", "127.0.0.1:0", "--resume", link, NULL);
    unlink(link);
    assert_int_equal(code, ISO__EXIT_DONE);
    assert_true(seen.is_private);
}

int main(void) {
#define LEFT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LEFT_TEST(test_session_whose_recordings_were_moved_away_stays_private),
        LEFT_TEST(test_session_that_was_killed_while_it_began_anew_stays_private),
        LEFT_TEST(test_session_that_was_ended_for_good_stays_private_under_its_name),
        LEFT_TEST(test_newest_settings_of_a_name_count),
        LEFT_TEST(test_only_what_keeps_nobody_out_goes),
        LEFT_TEST(test_recording_that_a_link_names_has_its_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
