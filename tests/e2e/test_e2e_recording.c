/// Recordings of real sessions on a real disk.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void play(const e2e_server *server, uint64_t ms) {
    e2e_player *players[2] = {e2e_player_start(server->port, 0), e2e_player_start(server->port, 0)};
    players[0]->build_every = 15;
    assert_true(e2e_players_run(players, 2, e2e_all_joined, 30000));
    e2e_players_run_for(players, 2, ms);
    for (size_t i = 0; i < 2; ++i) {
        E2E_WAIT(players[i]->ticks > ms * 60 / 1000 / 2, e2e_players_run_for(players, 2, 20));
        assert_int_equal(e2e_player_stats(players[i]).desyncs, 0);
    }
    for (size_t i = 0; i < 2; ++i) {
        e2e_player_destroy(players[i]);
    }
}

static void expect_verified(const char *path) {
    static char output[1 << 16];
    int code = e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output);
    if (code != 0) {
        fail_msg("verify ended with %d: %s", code, output);
    }
}

static void test_sigterm_seals_the_recording(void **state) {
    (void)state;
    char folder[64], path[512];
    e2e_server server;
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    play(&server, 1500);
    assert_true(e2e_folder_find(folder, ".isr.part", path, sizeof path));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_false(e2e_folder_find(folder, ".isr.part", path, sizeof path));
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    expect_verified(path);
    e2e_folder_remove(folder);
}

static void test_a_session_without_members_is_recorded_too(void **state) {
    (void)state;
    char folder[64], path[512];
    e2e_server server;
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--seed", "7", NULL});
    E2E_WAIT(e2e_folder_find(folder, ".isr.part", path, sizeof path) && e2e_recording_has_begun(path, NULL),
             e2e_sleep_ms(20));
    e2e_sleep_ms(300);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    expect_verified(path);
    e2e_folder_remove(folder);
}

static void test_sigkill_loses_nothing_that_was_sent(void **state) {
    (void)state;
    char folder[64], path[512];
    static char output[1 << 16];
    e2e_server server;
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 1000);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_players_run(&player, 1, e2e_all_ended, 2000);
    uint64_t last_tick = iso_client_tick(player->client);
    e2e_player_destroy(player);

    assert_true(e2e_folder_find(folder, ".isr.part", path, sizeof path));
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"verify", "--json", path, NULL}, output, sizeof output),
                     0);
    const char *field = strstr(output, "\"last_tick\":");
    assert_non_null(field);
    assert_true(strtoull(field + strlen("\"last_tick\":"), NULL, 10) >= last_tick);
    e2e_folder_remove(folder);
}

static void test_full_disk_ends_the_recording_not_the_session(void **state) {
    (void)state;
    char folder[64], path[512];
    e2e_server server;
    e2e_folder_make(folder);
    // No file may grow beyond 16 KiB: some 5 s of this session.
    e2e_server_start_within(&server, "ulimit -f 32",
                            (const char *const[]){"--record", folder, "--tick-rate", "120", NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    E2E_WAIT(e2e_server_has_logged(&server, "recording: writing "), e2e_players_run_for(&player, 1, 200));
    uint64_t before = player->ticks;
    E2E_WAIT(player->ticks - before > 90, e2e_players_run_for(&player, 1, 100));
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
    // What was recorded is whole, and the exit code says that there is not all of it.
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1);
    assert_true(e2e_folder_find(folder, "-1.isr", path, sizeof path) ||
                e2e_folder_find(folder, "-1.isr.part", path, sizeof path));
    expect_verified(path);
    // Recording may have begun again in a second file before the end.
    if (e2e_folder_find(folder, "-1.2.isr", path, sizeof path)) {
        expect_verified(path);
    }
    e2e_folder_remove(folder);
}

/// Columns of boxes: enough bodies to share their integration, and of contacts in each colour to share its passes.
static void write_columns(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"format\": 1, \"name\": \"columns\", \"seed\": 1, \"tick_rate_hz\": 60, \"substeps\": 4,\n"
          "\"capacities\": {\"bodies\": 1200, \"shapes\": 1200, \"joints\": 64, \"contacts\": 4096, \"slots\": 4},\n"
          "\"world\": {\"gravity\": [0, -10]}, \"game\": {\"name\": \"sandbox\"},\n"
          "\"bodies\": [{\"name\": \"ground\", \"type\": \"static\", \"position\": [0, -1],\n"
          "\"shapes\": [{\"kind\": \"box\", \"half_width\": 50, \"half_height\": 1}]}",
          file);
    for (int i = 0; i < 600; ++i) {
        fprintf(file, ",\n{\"name\": \"box%d\", \"position\": [%d, %d.5], \"shapes\": [%s]}", i, 2 * (i / 15) - 39,
                i % 15, "{\"kind\": \"box\", \"half_width\": 0.5, \"half_height\": 0.5}");
    }
    fputs("]}\n", file);
    assert_int_equal(fclose(file), 0);
}

static void test_threads_change_no_root(void **state) {
    (void)state;
    char folder[64], path[512], scene[512], log[4096];
    static char output[1 << 16];
    e2e_server server;
    e2e_folder_make(folder);
    snprintf(scene, sizeof scene, "%s/columns.json", folder);
    write_columns(scene);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--scene", scene, "--threads", "2", NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    E2E_WAIT(player->ticks > 20, e2e_players_run_for(&player, 1, 100));
    assert_int_equal(e2e_player_stats(player).desyncs, 0); // it steps on one thread
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 0);
    assert_non_null(strstr(log, "steps are shared by 2 threads"));
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    expect_verified(path);
    static const char *const counts[] = {"2", "3"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const char *const verify[] = {"verify", path, "--threads", counts[i], NULL};
        if (e2e_run(E2E_REPLAY, verify, output, sizeof output) != 0) {
            fail_msg("verify --threads %s: %s", counts[i], output);
        }
    }
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sigterm_seals_the_recording),
        cmocka_unit_test(test_a_session_without_members_is_recorded_too),
        cmocka_unit_test(test_sigkill_loses_nothing_that_was_sent),
        cmocka_unit_test(test_threads_change_no_root),
        cmocka_unit_test(test_full_disk_ends_the_recording_not_the_session),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
