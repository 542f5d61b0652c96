/// A session in space, from begin to end: a client that predicts, one that joins late and whose world goes wrong, a
/// server that is killed, and the recordings of it all.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_tool.h"

static e2e_server server;
static char address[32], first[256], second[256];

static void server_start(const char *listen) {
    const char *const arguments[] = {"--scene", "gyro", "--record", tool_folder, listen != NULL ? "--tcp" : NULL,
                                     listen,    NULL};
    e2e_server_start(&server, arguments);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
}

/// A client that predicts, in the background. What it says goes to a file of its name.
static pid_t ada_start(void) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int fd = open(path_of("ada"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(fd, 1);
        dup2(fd, 2);
        execl(E2E_CLIENT, "isostep-client", address, "--name", "ada", "--predict", "8", "--ticks", "300", "--json",
              (char *)NULL);
        _exit(127);
    }
    return pid;
}

/// Waits until it is done, and takes what it has said for the output of a tool.
static void ada_finish(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    FILE *file = fopen(path_of("ada"), "rb");
    assert_non_null(file);
    tool_output[fread(tool_output, 1, sizeof tool_output - 1, file)] = 0;
    fclose(file);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("ada ended with %x: %s", (unsigned)status, tool_output);
    }
}

/// The flip is found, named down to the field by what the client kept of its state, and healed.
static void expect_drill_found(void) {
    const char *const bob[] = {address,        "--name",         "bob",    "--drill", "flip@1", "--ticks", "60",
                               "--dump-state", path_of("wrong"), "--json", NULL};
    assert_int_equal(e2e_run(E2E_CLIENT, bob, tool_output, sizeof tool_output), 1);
    assert_true(number_after("\"first_tick\":") > 30);
    assert_int_equal(number_after("\"desyncs\":"), 1);
    assert_int_equal(number_after("\"heals\":"), 1);
    assert_true(number_after("\"hashes_checked\":") >= 55);
}

static void expect_verified(const char *recording) {
    if (replay("verify", recording) != 0) {
        fail_msg("%s does not verify: %s", recording, tool_output);
    }
}

/// Ada was a member all the time: her last root is the second recording's.
static void expect_ada_agrees_with_recording(void) {
    assert_says("resumed as the same member");
    assert_int_equal(number_after("\"desyncs\":"), 0);
    assert_int_equal(number_after("\"resumes\":"), 1);
    assert_true(number_after("\"hashes_checked\":") >= 290);
    const char *const key = "\"last_hash\":\"", *const hash = strstr(tool_output, key);
    assert_non_null(hash);
    char root[32], tick[32];
    snprintf(root, sizeof root, "root %.16s", hash + strlen(key));
    snprintf(tick, sizeof tick, "%llu", (unsigned long long)number_after("\"last_tick\":"));
    assert_int_equal(replay("info", second, "--tick", tick), 0);
    assert_says(root);
}

static void test_session_in_space_survives_a_flip_and_a_kill(void **state) {
    (void)state;
    server_start(NULL);
    const pid_t ada = ada_start();
    E2E_WAIT(e2e_server_has_logged(&server, "\"ada\""), e2e_sleep_ms(20));
    e2e_sleep_ms(700);
    expect_drill_found();
    e2e_sleep_ms(400); // until what was sent is durable
    char listen[32];
    snprintf(listen, sizeof listen, "%s", address);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    server_start(listen);
    ada_finish(ada);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // The killed run's file was sealed when the session went on: a second epoch.
    assert_true(e2e_folder_find(tool_folder, "-1.isr", first, sizeof first));
    assert_true(e2e_folder_find(tool_folder, "-2.isr", second, sizeof second));
    expect_ada_agrees_with_recording();
    expect_verified(first);
    expect_verified(second);
    assert_int_equal(replay("info", second), 0);
    assert_says("epoch 2");
    assert_int_equal(replay("info", first), 0);
    assert_says("desyncs    1, 1 healed");
    assert_int_equal(replay("compare", first, path_of("wrong")), 1);
    assert_says("bodies[0].position[0], the body handle");
    assert_says("in all    1 field");
}

static void test_compare_names_the_field_that_differs(void **state) {
    (void)state;
    static const struct {
        const char *flip, *says;
    } cases[] = {
        {"bodies[3].rotation[2]:0", "bodies[3].rotation[2], the body rod"},
        {"bodies[1].momentum[1]:40", "bodies[1].momentum[1], the body box"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(
            replay("perturb", first, "--tick", "20", "--flip", cases[i].flip, "-o", path_of("copy.isr"), "--force"), 0);
        assert_int_equal(replay("compare", first, path_of("copy.isr")), 1);
        assert_says("different from tick 20 on; 19 ticks before it are equal");
        assert_says(cases[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_in_space_survives_a_flip_and_a_kill),
        cmocka_unit_test(test_compare_names_the_field_that_differs),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
