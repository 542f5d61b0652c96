/// Going on from recordings: named ones, damaged ones, and a key that is not kept.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[512];
static e2e_server server;
static char output[1 << 16];
static uint64_t durable_size;

/// Plays for a moment, and until `is_enough` says so, then ends the server. @return the last tick that the player saw
static uint64_t play_until(bool (*is_enough)(void), const char *const *arguments, int end) {
    e2e_server_start(&server, arguments);
    e2e_player *player = e2e_player_start(server.port, 0);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 700);
    E2E_WAIT(is_enough == NULL || is_enough(), e2e_players_run_for(&player, 1, 50));
    uint64_t tick = iso_client_tick(player->client);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, end), end == SIGTERM ? 0 : -1);
    return tick;
}

static uint64_t play(const char *const *arguments, int end) {
    return play_until(NULL, arguments, end);
}

static bool is_durable(void) {
    return e2e_folder_find(folder, "-1.isr.part", path, sizeof path) && e2e_recording_has_begun(path, &durable_size) &&
           durable_size > 0;
}

static bool has_three_files(void) {
    return e2e_folder_find(folder, "-1.3.isr", path, sizeof path);
}

static void expect_verified(const char *file) {
    if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", file, NULL}, output, sizeof output) != 0) {
        fail_msg("%s does not verify: %s", file, output);
    }
}

static void test_a_sealed_recording_is_hosted_again(void **state) {
    (void)state;
    e2e_folder_make(folder);
    uint64_t tick = play((const char *const[]){"--record", folder, NULL}, SIGTERM);
    assert_true(e2e_folder_find(folder, "-1.isr", path, sizeof path));
    // In the same folder: the second epoch stands beside the first, which is not touched.
    assert_true(play((const char *const[]){"--resume", path, "--record", folder, NULL}, SIGTERM) > tick);
    expect_verified(path);
    assert_true(e2e_folder_find(folder, "-2.isr", path, sizeof path));
    expect_verified(path);
    e2e_folder_remove(folder);
}

/// @return the tick at which the server says that the session has been continued
static unsigned long long continued_at(const char *const *arguments) {
    e2e_server_start(&server, arguments);
    static char log[1 << 16];
    unsigned long long tick = 0;
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 0);
    const char *at = strstr(log, "continued from its recording at tick ");
    if (at == NULL || sscanf(at, "continued from its recording at tick %llu", &tick) != 1) {
        fail_msg("nothing was continued: %s", log);
    }
    return tick;
}

/// A service that is started with the same words each time goes on; going back takes a word of its own.
static void test_resume_goes_on_from_the_newest_that_came_from_the_file(void **state) {
    (void)state;
    char first[512], second[512];
    e2e_folder_make(folder);
    const char *const resumes[] = {"--resume", first, "--record", folder, NULL};
    play((const char *const[]){"--record", folder, NULL}, SIGTERM);
    assert_true(e2e_folder_find(folder, "-1.isr", first, sizeof first));
    const unsigned long long end = continued_at(resumes);
    const uint64_t seen = play(resumes, SIGKILL);
    assert_true(seen > end);
    assert_true(continued_at(resumes) >= seen);
    assert_true(continued_at((const char *const[]){"--rewind", first, "--record", folder, NULL}) == end);
    // The third epoch is another branch than the rewound one, which is the newest now, though nothing has happened in
    // it.
    assert_true(e2e_folder_find(folder, "-3.isr", second, sizeof second));
    assert_int_equal(e2e_run(E2E_SERVER,
                             (const char *const[]){"--tcp", "127.0.0.1:0", "--resume", second, "--record", folder,
                                                   "--for", "1", NULL},
                             output, sizeof output),
                     3);
    if (strstr(output, "-3.isr ends at tick") == NULL || strstr(output, "-5.isr in the folder") == NULL ||
        strstr(output, "--rewind") == NULL) {
        fail_msg("both files are to be named: %s", output);
    }
    assert_true(continued_at(resumes) >= end); // the newest has come from the first, whatever is beside it
    e2e_folder_remove(folder);
}

static void test_a_torn_recording_is_hosted_without_being_changed(void **state) {
    (void)state;
    e2e_folder_make(folder);
    uint64_t tick = play((const char *const[]){"--record", folder, NULL}, SIGKILL);
    assert_true(e2e_folder_find(folder, "-1.isr.part", path, sizeof path));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_true(play((const char *const[]){"--resume", path, NULL}, SIGTERM) > tick);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    e2e_folder_remove(folder);
}

static void corrupt(off_t offset) {
    int file = open(path, O_RDWR);
    uint8_t byte = 0;
    assert_int_equal(pread(file, &byte, 1, offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

static void test_a_damaged_recording_is_put_aside_and_the_session_starts_anew(void **state) {
    (void)state;
    e2e_folder_make(folder);
    play_until(is_durable, (const char *const[]){"--record", folder, NULL}, SIGKILL);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    corrupt((off_t)durable_size / 2); // below what a mark says is durable

    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    assert_true(e2e_server_has_logged(&server, "CORRUPT at offset"));
    assert_true(e2e_server_has_logged(&server, "is renamed to"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    char aside[512], fresh[512];
    assert_true(e2e_folder_find(folder, ".isr.part.damaged", aside, sizeof aside));
    assert_int_equal(stat(aside, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    // Another session: its first epoch, under another uid.
    assert_true(e2e_folder_find(folder, "-1.isr", fresh, sizeof fresh));
    assert_int_not_equal(strncmp(fresh, aside, strlen(fresh) - strlen("-1.isr")), 0);
    expect_verified(fresh);
    e2e_folder_remove(folder);
}

static void test_a_corrupt_recording_cannot_be_resumed_by_name(void **state) {
    (void)state;
    e2e_folder_make(folder);
    play((const char *const[]){"--record", folder, NULL}, SIGTERM);
    assert_true(e2e_folder_find(folder, "-1.isr", path, sizeof path));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    corrupt(info.st_size / 2);
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--resume", path, NULL}, output,
                             sizeof output),
                     3);
    assert_non_null(strstr(output, "--resume"));
    assert_non_null(strstr(output, "CORRUPT at offset"));
    assert_int_equal(e2e_run(E2E_SERVER,
                             (const char *const[]){"--tcp", "127.0.0.1:0", "--resume", "/no/such.isr", NULL}, output,
                             sizeof output),
                     3);
    assert_non_null(strstr(output, "/no/such.isr"));
    e2e_folder_remove(folder);
}

static void test_a_key_that_others_can_read_is_refused(void **state) {
    (void)state;
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    snprintf(path, sizeof path, "%s/server.key", folder);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_size, 32);
    chmod(path, 0644);
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--record", folder, NULL},
                             output, sizeof output),
                     2);
    assert_non_null(strstr(output, "server.key"));
    assert_non_null(strstr(output, "0600"));
    e2e_folder_remove(folder);
}

/// Small files: each verifies, and the session is in one or the other at every tick.
static void test_a_long_recording_goes_on_in_further_files(void **state) {
    (void)state;
    e2e_folder_make(folder);
    play_until(has_three_files, (const char *const[]){"--record", folder, "--roll", "1", "--keyframes", "8", NULL},
               SIGTERM);
    assert_true(e2e_folder_find(folder, "-1.isr", path, sizeof path));
    expect_verified(path);
    assert_true(e2e_folder_find(folder, "-1.2.isr", path, sizeof path));
    expect_verified(path);
    assert_true(e2e_folder_find(folder, "-1.3.isr", path, sizeof path));
    expect_verified(path);
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sealed_recording_is_hosted_again),
        cmocka_unit_test(test_a_torn_recording_is_hosted_without_being_changed),
        cmocka_unit_test(test_a_damaged_recording_is_put_aside_and_the_session_starts_anew),
        cmocka_unit_test(test_a_corrupt_recording_cannot_be_resumed_by_name),
        cmocka_unit_test(test_resume_goes_on_from_the_newest_that_came_from_the_file),
        cmocka_unit_test(test_a_key_that_others_can_read_is_refused),
        cmocka_unit_test(test_a_long_recording_goes_on_in_further_files),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
