/// The server as a process: its command line, its one line of output, its signals.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_error(const char *const *arguments, int expected, const char *text) {
    char output[4096];
    int code = e2e_run(E2E_SERVER, arguments, output, sizeof output);
    if (code != expected || strstr(output, text) == NULL) {
        fail_msg("exit code %d, expected %d and '%s' in: %s", code, expected, text, output);
    }
}

static void expect_usage_error(const char *const *arguments, const char *text) {
    expect_error(arguments, 2, text);
}

static void test_wrong_options_are_named(void **state) {
    (void)state;
    expect_usage_error((const char *const[]){"--udp", "127.0.0.1:1", NULL}, "--udp");
    expect_usage_error((const char *const[]){"--tcp", NULL}, "--tcp");
    expect_usage_error((const char *const[]){"--tcp", "127.0.0.1", NULL}, "--tcp");
    expect_usage_error((const char *const[]){"--tcp", "127.0.0.1:65536", NULL}, "--tcp");
    expect_usage_error((const char *const[]){"--tick-rate", "0", NULL}, "--tick-rate");
    expect_usage_error((const char *const[]){"--tick-rate", "60x", NULL}, "--tick-rate");
    expect_usage_error((const char *const[]){"--seed", "-1", NULL}, "--seed");
    expect_usage_error((const char *const[]){"--for", "0", NULL}, "--for");
    expect_usage_error((const char *const[]){"--allow-plaintext=yes", NULL}, "--allow-plaintext");
    expect_usage_error((const char *const[]){"sandbox", NULL}, "sandbox");
    expect_error((const char *const[]){"--scene", "no-such-scene", NULL}, 3, "sandbox");
    expect_usage_error((const char *const[]){"--record", "/dev/null/no", NULL}, "--record");
}

static void test_public_address_needs_allow_plaintext(void **state) {
    (void)state;
    expect_usage_error((const char *const[]){"--tcp", "0.0.0.0:0", NULL}, "--allow-plaintext");
}

static void test_taken_port_names_the_option(void **state) {
    (void)state;
    e2e_server server;
    char address[64];
    e2e_server_start(&server, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    expect_usage_error((const char *const[]){"--tcp", address, NULL}, "choose another with --tcp");
    expect_usage_error((const char *const[]){"--tcp", address, NULL}, address);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_wrong_scene_file_gets_its_json_path(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-XXXXXX";
    int file = mkstemp(path);
    const char text[] = "{\"format\": 1, \"name\": \"x\", \"bodies\": [{\"type\": \"squishy\"}]}";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    expect_error((const char *const[]){"--scene", path, NULL}, 3, "/bodies/0/type");
    unlink(path);
}

/// A FIFO might never end, and opening it waits for somebody who writes.
static void test_a_fifo_is_not_waited_for(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-XXXXXX", output[4096];
    close(mkstemp(path));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_error((const char *const[]){"--scene", path, NULL}, 3, "it is not a regular file");
    assert_int_equal(e2e_run_within(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--resume", path, NULL},
                                    output, sizeof output, 5000),
                     3);
    assert_non_null(strstr(output, "it is not a regular file"));
    unlink(path);
}

/// A slow session is one of more substeps, not one that cannot be.
static void test_slow_tick_rates_take_more_substeps(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--tick-rate", "10", NULL});
    assert_true(e2e_server_has_logged(&server, "10 Hz take 6 substeps a tick instead of the scene's 4"));
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    e2e_players_run_for(&player, 1, 500);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, (const char *const[]){"--tick-rate", "14", NULL});
    assert_true(e2e_server_has_logged(&server, "14 Hz take 5 substeps"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_signals_end_the_server_with_0(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, NULL);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, NULL);
    assert_int_equal(e2e_server_stop(&server, SIGINT), 0);
}

static void test_second_signal_forces(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, NULL);
    // Both are pending when it goes on, so that the first has no time to be obeyed.
    kill(server.pid, SIGSTOP);
    kill(server.pid, SIGTERM);
    kill(server.pid, SIGINT);
    assert_int_equal(e2e_server_stop(&server, SIGCONT), 1);
}

static void test_stdout_carries_the_ready_line_only(void **state) {
    (void)state;
    char output[4096], line[64];
    const char *const arguments[] = {"-c", "exec \"$0\" --tcp 127.0.0.1:0 --for 1 2>/dev/null", E2E_SERVER, NULL};
    uint64_t begun = e2e_now_ns();
    assert_int_equal(e2e_run("/bin/sh", arguments, output, sizeof output), 0);
    uint64_t took_ms = (e2e_now_ns() - begun) / E2E_MS;
    unsigned port = 0;
    assert_int_equal(sscanf(output, "ready tcp=127.0.0.1:%u session=main\n", &port), 1);
    snprintf(line, sizeof line, "ready tcp=127.0.0.1:%u session=main\n", port);
    assert_string_equal(output, line);
    assert_in_range(took_ms, 950, 4000);
}

/// By the server's own clock, so that a machine that is slow to start or to end it does not matter; what it had to
/// leave out because it got no processor time for long is counted as slips.
static void test_tick_rate_is_kept(void **state) {
    (void)state;
    char output[8192];
    const char *const arguments[] = {"--tcp", "127.0.0.1:0", "--for", "3", "--tick-rate", "100", NULL};
    assert_int_equal(e2e_run(E2E_SERVER, arguments, output, sizeof output), 0);
    const char *ran = strstr(output, ": ran ");
    assert_non_null(ran);
    unsigned long s, ms, ticks, slipped_ms;
    assert_int_equal(sscanf(ran,
                            ": ran %lu.%lu s: %lu ticks, %*u sealed late by more than one interval, %*u slips (%lu ms)",
                            &s, &ms, &ticks, &slipped_ms),
                     4);
    ms += 1000 * s;
    assert_in_range(ms, 2990, 8000); // libuv's timers count whole milliseconds, from where its loop last looked
    unsigned long accounted_ms = ticks * 10 + slipped_ms;
    // Between the last tick and this account the server stops; it is never ahead of its clock.
    if (accounted_ms > ms + 20 || accounted_ms < ms * 85 / 100) {
        fail_msg("%lu ticks of 10 ms and slips of %lu ms are not the %lu ms that it ran", ticks, slipped_ms, ms);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_options_are_named),
        cmocka_unit_test(test_public_address_needs_allow_plaintext),
        cmocka_unit_test(test_taken_port_names_the_option),
        cmocka_unit_test(test_wrong_scene_file_gets_its_json_path),
        cmocka_unit_test(test_a_fifo_is_not_waited_for),
        cmocka_unit_test(test_slow_tick_rates_take_more_substeps),
        cmocka_unit_test(test_signals_end_the_server_with_0),
        cmocka_unit_test(test_second_signal_forces),
        cmocka_unit_test(test_stdout_carries_the_ready_line_only),
        cmocka_unit_test(test_tick_rate_is_kept),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
