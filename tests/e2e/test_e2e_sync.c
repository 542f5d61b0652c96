/// State that no snapshot holds, and states of clients that have desynced. A game with a counter outside of its state
/// verifies in one go; from a restored snapshot it does not.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "e2e_tool.h"

static const char scene[] =
    "{\"format\":1,\"name\":\"leaky\",\"seed\":1,\"tick_rate_hz\":60,\"substeps\":4,"
    "\"capacities\":{\"bodies\":16,\"shapes\":16,\"joints\":0,\"contacts\":64,\"slots\":4},"
    "\"world\":{\"gravity\":[0,-10]},\"game\":{\"name\":\"leaky\"},"
    "\"bodies\":[{\"name\":\"ground\",\"type\":\"static\",\"shapes\":[{\"kind\":\"box\",\"half_width\":50,\"half_"
    "height\":1}]},"
    "{\"name\":\"ball\",\"type\":\"dynamic\",\"position\":[0,5],\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}]}";

/// The program with the game that is wrong.
#define leaky(...) e2e_run(E2E_LEAKY, (const char *const[]){__VA_ARGS__, NULL}, tool_output, sizeof tool_output)

static void write_scene(const char *path) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(scene, 1, sizeof scene - 1, out), sizeof scene - 1);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state) {
    const int result = tool_set_up(state);
    write_scene(path_of("leaky.json"));
    return result;
}

// ---- verify --restore-every ------------------------------------------------------------------------

static void test_restored_worlds_find_a_counter_outside_of_the_state(void **state) {
    (void)state;
    const char *path = path_of("leaky.isr");
    assert_int_equal(leaky("replay", "simulate", path_of("leaky.json"), "--ticks", "200", "--force", "--record", path),
                     0);
    assert_int_equal(leaky("replay", "verify", path), 0); // in one go it counts as it did
    // From tick 0 on both worlds count: the restored one's 25th step is the 50th.
    assert_int_equal(leaky("replay", "verify", "--restore-every", "60", path), 1);
    assert_says("mismatch at tick 25 ");
    assert_says("a world continued from the snapshot of tick 0 differs after tick 25");
    assert_says("game[0].kicks: simulated 0, restored 1");
    assert_int_equal(leaky("replay", "verify", "--json", "--restore-every", "7", path), 1);
    assert_says("\"result\":\"mismatch\"");
    assert_int_equal(number_after("\"first_bad_tick\":"), 25);
    assert_int_equal(number_after("\"restored_tick\":"), 21);
}

/// Advice to start the program that has the game names that program, and not ours.
static void test_a_program_of_ones_own_is_named(void **state) {
    (void)state;
    const char *path = path_of("named.isr");
    assert_int_equal(leaky("replay", "simulate", path_of("leaky.json"), "--ticks", "1", "--force", "--record", path),
                     0);
    assert_int_equal(replay("info", path), 0);
    assert_says("recorded   by leaky 0.");
    assert_int_equal(leaky("replay", "--version"), 0);
    assert_says("leaky 0.");
    assert_int_equal(leaky("client", "--version"), 0);
    assert_says("leaky 0.");
    assert_int_equal(leaky("server", "--version"), 0);
    assert_says("leaky 0.");
    // A session of it, at a server without its game.
    e2e_server server;
    char shell[512], folder[64];
    e2e_folder_make(folder);
    snprintf(shell, sizeof shell, "shift 4; exec %s server --tcp 127.0.0.1:0 --scene %s --record %s", E2E_LEAKY,
             path_of("leaky.json"), folder);
    e2e_server_start_within(&server, shell, NULL);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    const char *const arguments[] = {"--tcp", "127.0.0.1:0", "--record", folder, NULL};
    assert_int_equal(e2e_run(E2E_SERVER, arguments, tool_output, sizeof tool_output), 3);
    assert_says("this server does not have its game 'leaky'; start 'leaky 0.");
    e2e_folder_remove(folder);
}

static void test_a_scene_of_the_program_goes_by_its_name(void **state) {
    (void)state;
    assert_int_equal(leaky("replay", "check", "pit"), 0);
    assert_int_equal(leaky("replay", "simulate", "pit", "--ticks", "2", "--force", "--record", path_of("pit.isr")), 0);
    assert_int_equal(leaky("replay", "render", "pit", "--out", path_of("pit.svg")), 0);
    assert_int_equal(leaky("replay", "check", "stack"), 0);
    assert_int_equal(leaky("replay", "check", "pits"), 3);
    assert_says("pits: No such file or directory (did you mean 'pit'?)\nBuilt-in scenes: pit ");
    assert_int_equal(replay("check", "pit"), 3);
}

static void test_restored_worlds_agree_with_a_game_that_is_right(void **state) {
    (void)state;
    const char *path = path_of("everything.isr");
    assert_int_equal(replay("simulate", "everything", "--ticks", "150", "--force", "--record", path), 0);
    assert_int_equal(replay("verify", "--restore-every", "40", path), 0);
    assert_says("4 worlds continued from snapshots agree");
    assert_int_equal(replay("verify", "--json", "--restore-every", "1", path), 0);
    assert_int_equal(number_after("\"restores\":"), 151);
    assert_int_equal(replay("verify", "--json", "--restore-every", "50", path, path), 0); // of all files
    assert_int_equal(number_after("\"restores\":"), 8);
    assert_int_equal(replay("verify", "--restore-every", "0", path), 2);
    assert_int_equal(replay("verify", "--restore-every", "often", path), 2);
}

// ---- isostep-client --sync-test and --dump-state ---------------------------------------------------

/// A server with the game that is wrong. @param server  to be stopped
static void leaky_server_start(e2e_server *server, char address[32]) {
    char shell[512];
    snprintf(shell, sizeof shell, "shift 4; exec %s server --tcp 127.0.0.1:0 --scene %s", E2E_LEAKY,
             path_of("leaky.json"));
    e2e_server_start_within(server, shell, NULL);
    snprintf(address, 32, "127.0.0.1:%u", (unsigned)server->port);
}

static void test_sync_test_finds_the_counter_in_a_session(void **state) {
    (void)state;
    e2e_server server;
    char address[32];
    leaky_server_start(&server, address);
    // From the join on, all count alike: nothing is seen.
    assert_int_equal(leaky("client", address, "--ticks", "80", "--json"), 0);
    assert_non_null(strstr(tool_output, "\"desyncs\":0"));
    assert_int_equal(leaky("client", address, "--ticks", "80", "--json", "--sync-test", "20"), 1);
    assert_says("sync test: a world continued from the own snapshot of tick ");
    assert_says("sync test: first in game[0].kicks: own world ");
    const uint64_t found = number_after("\"sync_test_tick\":");
    const uint64_t first = number_after("\"first_tick\":");
    assert_in_range(found, first + 20, first + 30); // both count, so the fiftieth step comes at half the time
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_dumped_state_differs_from_the_recording_in_the_field(void **state) {
    (void)state;
    e2e_server server;
    char address[32], recording[256];
    char folder[64];
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--scene", "stack", "--record", folder, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server.port);
    const char *dumped = path_of("state.isr");
    const char *const drill[] = {address, "--drill",     "flip@30", "--ticks", "90", "--dump-state",
                                 dumped,  "--sync-test", "25",      "--json",  NULL};
    assert_int_equal(e2e_run(E2E_CLIENT, drill, tool_output, sizeof tool_output), 1);
    assert_says("the own state after tick ");
    const uint64_t tick = number_after("the own state after tick ");
    // It never writes over a file.
    assert_int_equal(e2e_run(E2E_CLIENT, drill, tool_output, sizeof tool_output), 2);
    assert_says("a file that does not exist yet");
    // While the server still writes its recording, and with the sealed one.
    for (int sealed = 0; sealed < 2; ++sealed) {
        if (sealed) {
            assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
        }
        assert_true(e2e_folder_find(folder, sealed ? ".isr" : ".part", recording, sizeof recording));
        assert_int_equal(replay("compare", recording, dumped), 1);
        assert_says("the state after tick ");
        assert_null(strstr(tool_output, "headers differ")); // another program of the same version wrote it
        assert_says("the states after that tick differ");
        assert_says("field     bodies[");
        assert_says(".position[0]");
        assert_says("in all    1 field: 1 of bodies");
        assert_int_equal(replay("compare", dumped, recording, "--json"), 1);
        assert_int_equal(number_after("\"first_bad_tick\":"), tick);
        assert_int_equal(number_after("\"difference_count\":"), 1);
        assert_says("\"section\":\"bodies\"");
        assert_says("\"field\":\"position\"");
    }
    // Every tool reads it.
    assert_int_equal(replay("verify", dumped), 0);
    assert_int_equal(replay("info", dumped), 0);
    assert_int_equal(replay("render", dumped, "--out", path_of("state.svg")), 0);
    assert_int_equal(replay("compare", dumped, dumped), 0);
    assert_says("equal: the state after tick ");
    // What the recording tells of the tick is not what its simulation gives: that comes first.
    char from[32];
    const char *wrong = path_of("wrong.isr");
    snprintf(from, sizeof from, "%llu", (unsigned long long)tick - 1);
    assert_int_equal(
        replay("perturb", recording, "--flip", "bodies[1].position[0]:3", "--tick", from, "--keep-roots", "-o", wrong),
        0);
    assert_int_equal(replay("compare", wrong, dumped), 1);
    assert_says("but this build does not compute the root that A has for it: verify ");
    e2e_folder_remove(folder);
}

// ---- games that a program cannot have -----------------------------------------------------------------

static void test_programs_say_what_is_wrong_with_their_games(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"unnamed", "the game : it has the name ''; expected 1 to 31 of a-z, 0-9 and -"},
        {"taken", "the game sandbox: the library has a game of this name; expected another name"},
        {"null", "game 1 of the program's list is NULL; expected a game"},
    };
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(leaky(cases[i][0], "server", "--tcp", "127.0.0.1:0", "--for", "1"), 2);
        assert_says(cases[i][1]);
        assert_int_equal(leaky(cases[i][0], "client", "127.0.0.1:1", "--reconnect", "0"), 2);
        assert_says(cases[i][1]);
        assert_int_equal(leaky(cases[i][0], "replay", "check", "sandbox"), 2);
        assert_says(cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_say_what_is_wrong_with_their_games),
        cmocka_unit_test(test_restored_worlds_find_a_counter_outside_of_the_state),
        cmocka_unit_test(test_restored_worlds_agree_with_a_game_that_is_right),
        cmocka_unit_test(test_a_program_of_ones_own_is_named),
        cmocka_unit_test(test_a_scene_of_the_program_goes_by_its_name),
        cmocka_unit_test(test_sync_test_finds_the_counter_in_a_session),
        cmocka_unit_test(test_dumped_state_differs_from_the_recording_in_the_field),
    };
    return cmocka_run_group_tests(tests, set_up, tool_tear_down);
}
