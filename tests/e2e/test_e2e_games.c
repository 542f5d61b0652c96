/// Games on a real server: two clients play, nobody disagrees, the recording verifies. And the scene of everything,
/// which has joints of all kinds: whoever joins late gets them by a snapshot.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Starts a client of its own in the background. @param output  the file for its summary
static pid_t client_start(const char *address, const char *bot, const char *ticks, const char *output) {
    const pid_t pid = fork();
    if (pid == 0) {
        if (freopen(output, "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
            _exit(126);
        }
        execl(E2E_CLIENT, E2E_CLIENT, address, "--bot", bot, "--ticks", ticks, "--json", (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void play(const char *scene, const char *bot, const char *ticks) {
    char folder[64], path[256], address[32], output[4096];
    e2e_folder_make(folder);
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--scene", scene, "--record", folder, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server.port);
    const pid_t other = client_start(address, bot, ticks, "/dev/null");
    const char *const arguments[] = {address, "--bot", bot, "--predict", "4", "--ticks", ticks, "--json", NULL};
    assert_int_equal(e2e_run_within(E2E_CLIENT, arguments, output, sizeof output, 60000), 0);
    assert_non_null(strstr(output, "\"desyncs\":0"));
    assert_null(strstr(output, "\"hashes_checked\":0,"));
    int status = 0;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output), 0);
    e2e_folder_remove(folder);
}

/// The number behind a key of a summary.
static uint64_t number_of(const char *summary, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(summary, quoted);
    if (at == NULL) {
        fail_msg("no %s in %s", key, summary);
    }
    return at != NULL ? strtoull(at + strlen(quoted), NULL, 10) : 0;
}

/// Who is late checks each root from the snapshot's tick on; the last ones may still be under way when it leaves.
static void expect_late_and_agreed(const char *summary, uint64_t first_min) {
    const uint64_t first = number_of(summary, "first_tick"), last = number_of(summary, "last_tick");
    assert_true(first > first_min);
    assert_true(last >= first + 200);
    assert_true(number_of(summary, "hashes_checked") + 1 >= last - first);
    assert_int_equal(number_of(summary, "desyncs"), 0);
}

/// The first member lets time pass; two others join and build, one of them predicts.
static void test_joints_of_all_kinds_travel_to_late_clients(void **state) {
    (void)state;
    char folder[64], path[256], address[32], output[4096], summary[4096];
    e2e_folder_make(folder);
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--scene", "everything", "--record", folder, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server.port);
    const pid_t first = client_start(address, "wander", "500", "/dev/null");
    e2e_sleep_ms(3000);
    snprintf(path, sizeof path, "%s/late", folder);
    const pid_t late = client_start(address, "builder", "240", path);
    const char *const arguments[] = {address, "--bot", "builder", "--predict", "6", "--ticks", "240", "--json", NULL};
    assert_int_equal(e2e_run_within(E2E_CLIENT, arguments, summary, sizeof summary, 60000), 0);
    expect_late_and_agreed(summary, 60);
    assert_true(number_of(summary, "rollbacks") > 0);
    const pid_t others[] = {late, first};
    for (int i = 0; i < 2; ++i) {
        int status = 0;
        assert_int_equal(waitpid(others[i], &status, 0), others[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    summary[fread(summary, 1, sizeof summary - 1, in)] = 0;
    fclose(in);
    expect_late_and_agreed(summary, 60);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, "--json", NULL}, output, sizeof output),
                     0);
    assert_true(number_of(output, "ticks") >= 300); // from the scene on
    assert_true(number_of(output, "roots") >= number_of(output, "ticks"));
    assert_int_equal(number_of(output, "last_tick"), number_of(output, "ticks"));
    // The builders have spawned compounds, put them elsewhere, and the recording tells so.
    static char dump[1 << 22];
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"dump", path, NULL}, dump, sizeof dump), 0);
    assert_non_null(strstr(dump, " SPAWN_COMPOUND blueprint 0 position "));
    e2e_folder_remove(folder);
}

static void test_walkers_walk_for_twenty_seconds(void **state) {
    (void)state;
    play("walker", "walker", "1200");
}

static void test_hounds_trot_for_ten_seconds(void **state) {
    (void)state;
    play("hound", "hound", "600");
}

static void test_pinball_is_played_for_ten_seconds(void **state) {
    (void)state;
    play("pinball", "pinball", "600");
}

static void test_cloth_is_dragged_about(void **state) {
    (void)state;
    play("cloth", "wander", "300");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_of_all_kinds_travel_to_late_clients),
        cmocka_unit_test(test_walkers_walk_for_twenty_seconds),
        cmocka_unit_test(test_hounds_trot_for_ten_seconds),
        cmocka_unit_test(test_pinball_is_played_for_ten_seconds),
        cmocka_unit_test(test_cloth_is_dragged_about),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
