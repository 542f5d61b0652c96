/// The games beside the sandbox on a real server: two clients play, nobody disagrees, the recording verifies.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Starts a client of its own in the background.
static pid_t client_start(const char *address, const char *bot, const char *ticks)
{
    const pid_t pid = fork();
    if (pid == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(126);
        execl(E2E_CLIENT, E2E_CLIENT, address, "--bot", bot, "--ticks", ticks, (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void play(const char *scene, const char *bot, const char *ticks)
{
    char folder[64], path[256], address[32], output[4096];
    e2e_folder_make(folder);
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--scene", scene, "--record", folder, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server.port);
    const pid_t other = client_start(address, bot, ticks);
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

static void test_walkers_walk_for_twenty_seconds(void **state)
{
    (void)state;
    play("walker", "walker", "1200");
}

static void test_cloth_is_dragged_about(void **state)
{
    (void)state;
    play("cloth", "wander", "300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walkers_walk_for_twenty_seconds),
        cmocka_unit_test(test_cloth_is_dragged_about),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
