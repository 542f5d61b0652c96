/// Disks that are full, fail or hang: the session lives, and what was recorded is whole.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], fault_path[80];
static e2e_server server;
static e2e_player *player;

static void set_fault(char fault) {
    int file = open(fault_path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, &fault, 1), 1);
    close(file);
}

static void start_on_faulty_disk(void) {
    char shell[400];
    e2e_folder_make(folder);
    snprintf(fault_path, sizeof fault_path, "%s-fault", folder);
    set_fault('.');
    // The sanitizer's library need not be the first.
    snprintf(shell, sizeof shell, "export LD_PRELOAD=%s E2E_DISK=%s ASAN_OPTIONS=verify_asan_link_order=0",
             E2E_FAULTY_DISK, fault_path);
    e2e_server_start_within(&server, shell, (const char *const[]){"--record", folder, NULL});
    player = e2e_player_start(server.port, 0);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 500);
}

static void expect_verified(const char *end) {
    static char output[1 << 16];
    char path[512];
    assert_true(e2e_folder_find(folder, end, path, sizeof path));
    if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output) != 0) {
        fail_msg("%s does not verify: %s", path, output);
    }
}

static void play_on(uint64_t ms) {
    uint64_t before = player->ticks;
    e2e_players_run_for(&player, 1, ms);
    E2E_WAIT(player->ticks - before > ms * 60 / 1000 / 2, e2e_players_run_for(&player, 1, 50));
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    assert_false(player->has_ended);
}

static void end(int code) {
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), code);
}

static void clean(void) {
    e2e_folder_remove(folder);
    unlink(fault_path);
}

static void test_a_hanging_disk_ends_the_recording_until_it_answers(void **state) {
    (void)state;
    start_on_faulty_disk();
    set_fault('h');
    uint64_t begun = e2e_now_ns();
    E2E_WAIT(e2e_server_has_logged(&server, "the recording ended early"), e2e_players_run_for(&player, 1, 100));
    assert_true(e2e_now_ns() - begun >= 1500 * E2E_MS);
    play_on(1000);
    E2E_WAIT(e2e_player_stats(player).is_degraded, e2e_players_run_for(&player, 1, 50));
    // It answers again: the file is sealed at its last whole tick, and another one begins.
    set_fault('.');
    E2E_WAIT(e2e_server_has_logged(&server, "the recording continues in a new file"),
             e2e_players_run_for(&player, 1, 100));
    play_on(500);
    E2E_WAIT(!e2e_player_stats(player).is_degraded, e2e_players_run_for(&player, 1, 50));
    end(1);
    expect_verified("-1.isr");
    expect_verified("-1.2.isr");
    clean();
}

static void test_a_disk_that_hangs_for_ever_does_not_hold_up_the_end(void **state) {
    (void)state;
    start_on_faulty_disk();
    set_fault('h');
    e2e_players_run_for(&player, 1, 3000);
    e2e_player_destroy(player);
    kill(server.pid, SIGTERM);
    e2e_sleep_ms(20);
    kill(server.pid, SIGTERM); // as timeout(1) does it: the same one, not a second one
    e2e_sleep_ms(80);
    assert_false(e2e_server_has_logged(&server, "ended at once"));
    // e2e_server_stop gives it 8 s.
    assert_int_equal(e2e_server_stop(&server, 0), 1);
    expect_verified(".isr.part");
    clean();
}

static void test_a_failing_sync_is_never_repeated(void **state) {
    (void)state;
    start_on_faulty_disk();
    set_fault('s');
    E2E_WAIT(e2e_server_has_logged(&server, "the recording ended early"), e2e_players_run_for(&player, 1, 100));
    play_on(1500);
    assert_true(e2e_server_has_logged(&server, "a sync fails"));
    assert_false(e2e_server_has_logged(&server, "a sync fails again"));
    end(1);
    // It is not known to be on the disk, so it does not get the name of one that is.
    expect_verified("-1.isr.part");
    clean();
}

static void test_a_recording_that_is_removed_is_noticed(void **state) {
    (void)state;
    for (int with_folder = 0; with_folder < 2; ++with_folder) {
        static char log[1 << 16];
        char path[512];
        e2e_folder_make(folder);
        e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
        player = e2e_player_start(server.port, 0);
        player->build_every = 20;
        assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
        assert_true(e2e_folder_find(folder, ".isr.part", path, sizeof path));
        assert_int_equal(unlink(path), 0);
        if (with_folder) {
            e2e_folder_remove(folder);
        }
        E2E_WAIT(e2e_server_has_logged(&server, "is no longer in its folder"), e2e_players_run_for(&player, 1, 100));
        play_on(500);
        e2e_player_destroy(player);
        e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log);
        // What is said of the end is said of a file that is there.
        char line[700];
        snprintf(line, sizeof line, "%s was not sealed", strrchr(path, '/') + 1);
        assert_null(strstr(log, line));
        e2e_folder_remove(folder);
    }
}

/// Moved away by an archiver that makes a new one: what follows belongs into that.
static void test_a_recording_goes_on_in_a_folder_that_is_made_again(void **state) {
    (void)state;
    char path[512], away[80], log[4096];
    e2e_folder_make(folder);
    snprintf(away, sizeof away, "%s-away", folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    player = e2e_player_start(server.port, 0);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    assert_int_equal(rename(folder, away), 0);
    play_on(600); // it goes on in the folder, wherever that is
    assert_false(e2e_server_has_logged(&server, "is no longer in the folder"));
    assert_int_equal(mkdir(folder, 0700), 0);
    E2E_WAIT(e2e_server_has_logged(&server, "is no longer in the folder"), e2e_players_run_for(&player, 1, 100));
    E2E_WAIT(e2e_folder_find(folder, ".isr.part", path, sizeof path) && e2e_recording_has_begun(path, NULL),
             e2e_players_run_for(&player, 1, 100));
    play_on(600);
    const uint64_t seen = iso_client_tick(player->client);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    // A start knows nothing of the other folder: ticks and members are in this one.
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    assert_true(e2e_server_has_logged(&server, "continued from its recording"));
    e2e_player *other = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&other, 1, e2e_all_joined, 30000));
    assert_true(iso_client_tick(other->client) >= seen);
    e2e_player_destroy(other);
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 0);
    e2e_folder_remove(folder);
    e2e_folder_remove(away);
}

/// The recording cannot say any more that its session is over, and no file beside it can.
static void test_a_session_whose_end_no_disk_took_is_named(void **state) {
    (void)state;
    static char log[1 << 16];
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--on-restart", "new", NULL});
    // A file that is made while the folder is emptied would keep it.
    char path[512];
    E2E_WAIT(e2e_folder_find(folder, ".isr.part", path, sizeof path), e2e_sleep_ms(10));
    e2e_folder_remove(folder);
    assert_int_equal(access(folder, F_OK), -1);
    for (int i = 0; i < 600 && !e2e_server_has_logged(&server, "is no longer in its folder"); ++i) {
        e2e_sleep_ms(50);
    }
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 1);
    if (strstr(log, "error: session main: it was closed, but the disk did not accept that") == NULL) {
        fail_msg("its end is not told: %s", log);
    }
}

static void test_a_full_file_system_ends_the_recording_not_the_session(void **state) {
    (void)state;
    e2e_folder_make(folder);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
        rmdir(folder);
        print_message("skipped: a small tmpfs cannot be mounted here; that takes root\n");
        skip();
    }
    e2e_server_start(&server,
                     (const char *const[]){"--record", folder, "--tick-rate", "120", "--keyframes", "60", NULL});
    player = e2e_player_start(server.port, 0);
    player->build_every = 5;
    bool joined = e2e_players_run(&player, 1, e2e_all_joined, 30000);
    for (int i = 0; joined && i < 100 && !e2e_server_has_logged(&server, "the recording ended early"); ++i) {
        e2e_players_run_for(&player, 1, 200);
    }
    bool ended_early = e2e_server_has_logged(&server, "the recording ended early");
    if (ended_early) {
        play_on(1000);
        end(1);
        char path[512];
        expect_verified(e2e_folder_find(folder, ".isr", path, sizeof path) ? ".isr" : ".isr.part");
    }
    umount2(folder, MNT_DETACH);
    rmdir(folder);
    assert_true(joined);
    assert_true(ended_early);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hanging_disk_ends_the_recording_until_it_answers),
        cmocka_unit_test(test_a_disk_that_hangs_for_ever_does_not_hold_up_the_end),
        cmocka_unit_test(test_a_failing_sync_is_never_repeated),
        cmocka_unit_test(test_a_recording_that_is_removed_is_noticed),
        cmocka_unit_test(test_a_recording_goes_on_in_a_folder_that_is_made_again),
        cmocka_unit_test(test_a_session_whose_end_no_disk_took_is_named),
        cmocka_unit_test(test_a_full_file_system_ends_the_recording_not_the_session),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
