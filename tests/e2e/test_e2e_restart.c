/// A server that is restarted on purpose: its members wait and come back, unless the sessions are over.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLAYERS = 3 };

static char folder[64], path[512], output[1 << 16];
static e2e_server server;
static e2e_player *players[PLAYERS];

static void start(uint16_t port, const char *option, const char *value) {
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    e2e_server_start(&server, (const char *const[]){"--tcp", address, "--session", "main", "--session", "second",
                                                    "--record", folder, option, value, NULL});
}

static void play(const char *option, const char *value) {
    static const char *const sessions[PLAYERS] = {"main", "main", "second"};
    e2e_folder_make(folder);
    start(0, option, value);
    for (size_t i = 0; i < PLAYERS; ++i) {
        players[i] = e2e_player_start_in(server.port, sessions[i], 20000);
        players[i]->build_every = 20;
    }
    assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 10000));
    e2e_players_run_for(players, PLAYERS, 300);
}

static void clean(void) {
    for (size_t i = 0; i < PLAYERS; ++i) {
        e2e_player_destroy(players[i]);
    }
    e2e_folder_remove(folder);
}

/// Ends the server while the players hear what it says.
static void stop(int signal) {
    kill(server.pid, signal);
    e2e_players_run_for(players, PLAYERS, 400);
    assert_int_equal(e2e_server_stop(&server, 0), 0);
}

/// Every file is whole and sealed, and verifies.
static void verify_all(void) {
    e2e_image *image = e2e_folder_read(folder);
    for (size_t i = 0; i < image->count; ++i) {
        const char *name = image->files[i].name;
        if (strcmp(name, "server.key") == 0) {
            continue;
        }
        assert_string_equal(name + strlen(name) - 4, ".isr");
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output) != 0) {
            fail_msg("%s does not verify: %s", path, output);
        }
    }
    e2e_image_free(image);
}

static void test_members_wait_for_a_restart_and_go_on(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT};
    play(NULL, NULL);
    uint16_t port = server.port;
    for (unsigned i = 0; i < 2; ++i) {
        stop(signals[i]);
        for (size_t k = 0; k < PLAYERS; ++k) {
            if (players[k]->has_ended) {
                fail_msg("signal %d: player %zu ended: %s", signals[i], k, iso_status_name(players[k]->end_status));
            }
            players[k]->has_joined = false;
        }
        start(port, NULL, NULL);
        assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 10000));
        for (size_t k = 0; k < PLAYERS; ++k) {
            assert_int_equal(players[k]->joins, 1);
            assert_int_equal(players[k]->resumes, i + 1);
            assert_int_equal(players[k]->rewinds, 0);
            assert_int_equal(iso_client_welcome(players[k]->client)->epoch, i + 2);
        }
    }
    e2e_players_run_for(players, PLAYERS, 200);
    for (size_t k = 0; k < PLAYERS; ++k) {
        assert_int_equal(e2e_player_stats(players[k]).desyncs, 0);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    verify_all();
    clean();
}

static void expect_names(e2e_player *player, unsigned epoch) {
    iso_body_id body;
    iso_joint_id joint;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 10000));
    assert_int_equal(iso_client_welcome(player->client)->epoch, epoch);
    assert_int_equal(iso_client_find_body(player->client, "chassis", &body), ISO_OK);
    iso_body_view view;
    assert_int_equal(iso_body_get(iso_client_world(player->client), body, &view), ISO_OK);
    assert_int_equal(view.type, ISO_BODY_DYNAMIC);
    assert_string_equal(iso_client_body_name(player->client, body), "chassis");
    assert_int_equal(iso_client_find_body(player->client, "bump[29]", &body), ISO_OK);
    assert_int_equal(iso_client_find_joint(player->client, "front", &joint), ISO_OK);
    assert_string_equal(iso_client_joint_name(player->client, joint), "front");
    assert_int_equal(iso_client_find_joint(player->client, "chassis", &joint), ISO_ERR_UNKNOWN_NAME);
    assert_int_equal(iso_client_names_left_out(player->client), 0);
}

/// The recording has them, too: also who joins after the restart is told.
static void test_members_are_told_the_names_of_the_scene(void **state) {
    (void)state;
    e2e_folder_make(folder);
    for (unsigned epoch = 1; epoch < 3; ++epoch) {
        start(0, "--scene", "suspension-car");
        e2e_player *player = e2e_player_start(server.port, 0);
        expect_names(player, epoch);
        e2e_player_leave(player);
        assert_true(e2e_players_run(&player, 1, e2e_all_ended, 5000));
        e2e_player_destroy(player);
        assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    }
    e2e_folder_remove(folder);
}

static void test_new_ends_the_sessions_for_good(void **state) {
    (void)state;
    play("--on-restart", "new");
    stop(SIGTERM);
    for (size_t k = 0; k < PLAYERS; ++k) {
        assert_true(players[k]->has_ended);
        assert_int_equal(players[k]->end_status, ISO_ERR_SHUTDOWN);
    }
    start(0, NULL, NULL);
    assert_false(e2e_server_has_logged(&server, "continued from its recording"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    clean();
}

static void test_new_at_the_start_leaves_what_could_go_on(void **state) {
    (void)state;
    play(NULL, NULL);
    stop(SIGTERM);
    start(0, "--on-restart", "new");
    e2e_sleep_ms(300);
    assert_false(e2e_server_has_logged(&server, "continued from its recording"));
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    // Which of the two goes on is clear: the one that was left says that it was.
    start(0, NULL, NULL);
    assert_int_equal(e2e_server_count_logged(&server, "continued from its recording"), 2);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    clean();
}

static void test_the_end_of_for_is_the_end(void **state) {
    (void)state;
    e2e_folder_make(folder);
    for (unsigned i = 0; i < 2; ++i) {
        const char *const arguments[] = {"--tcp", "127.0.0.1:0", "--scene", E2E_SCENE, "--record",
                                         folder,  "--for",       "1",       NULL};
        assert_int_equal(e2e_run(E2E_SERVER, arguments, output, sizeof output), 0);
        assert_null(strstr(output, "continued from its recording"));
    }
    e2e_folder_remove(folder);
}

/// A server that is killed before its first file has anything in it has not used up what it goes on from.
static void test_a_restart_that_is_killed_at_once_is_repeated(void **state) {
    (void)state;
    char begun[560];
    play(NULL, NULL);
    uint16_t port = server.port;
    stop(SIGTERM);
    e2e_image *image = e2e_folder_read(folder);
    for (size_t i = 0; i < image->count; ++i) {
        char *end = strstr(image->files[i].name, "-1.isr");
        if (end == NULL) {
            continue;
        }
        snprintf(begun, sizeof begun, "%s/%.*s-2.isr.part", folder, (int)(end - image->files[i].name),
                 image->files[i].name);
        close(open(begun, O_WRONLY | O_CREAT, 0600));
    }
    e2e_image_free(image);
    for (size_t k = 0; k < PLAYERS; ++k) {
        players[k]->has_joined = false;
    }
    start(port, NULL, NULL);
    assert_int_equal(e2e_server_count_logged(&server, "continued from its recording"), 2);
    assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 10000));
    for (size_t k = 0; k < PLAYERS; ++k) {
        assert_int_equal(players[k]->resumes, 1);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_wait_for_a_restart_and_go_on),
        cmocka_unit_test(test_members_are_told_the_names_of_the_scene),
        cmocka_unit_test(test_new_ends_the_sessions_for_good),
        cmocka_unit_test(test_new_at_the_start_leaves_what_could_go_on),
        cmocka_unit_test(test_the_end_of_for_is_the_end),
        cmocka_unit_test(test_a_restart_that_is_killed_at_once_is_repeated),
    };
    e2e_limit_seconds(90);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
