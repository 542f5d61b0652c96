/// Who takes part, by name: as clients say it to people, in the log, in the recording, and after a server was killed.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_tool.h"

#define ZOE "Zo\xC3\xAB"

static char address[32];

/// A client that stays until it is told to go. What it says goes to a file of its name.
static pid_t client_start(const char *name, bool spectates) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(fd, 1);
        dup2(fd, 2);
        execl(E2E_CLIENT, "isostep-client", address, "--name", name, "--role", spectates ? "spectator" : "player",
              "--reconnect", "30", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void client_stop(pid_t pid) {
    int status;
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/// Waits until a client has said this.
static void client_expect(const char *name, const char *text) {
    static char said[1u << 16];
    for (int i = 0; i < 500; ++i) {
        FILE *file = fopen(path_of(name), "rb");
        const size_t size = file != NULL ? fread(said, 1, sizeof said - 1, file) : 0;
        said[size] = 0;
        if (file != NULL) {
            fclose(file);
        }
        if (strstr(said, text) != NULL) {
            return;
        }
        e2e_sleep_ms(20);
    }
    fail_msg("%s did not say '%s', but: %s", name, text, said);
}

static void server_start(e2e_server *server, const char *listen) {
    const char *const arguments[] = {"--record", tool_folder, "--session", "main", listen != NULL ? "--tcp" : NULL,
                                     listen,     NULL};
    e2e_server_start(server, arguments);
    snprintf(address, sizeof address, "127.0.0.1:%u", server->port);
}

static void test_names_reach_clients_log_and_recording(void **state) {
    (void)state;
    e2e_server server;
    server_start(&server, NULL);
    const pid_t ada = client_start("ada", false);
    for (int i = 0; i < 200 && !e2e_server_has_logged(&server, "joined"); ++i) {
        e2e_sleep_ms(20);
    }
    const pid_t zoe = client_start(ZOE, false);
    client_expect(ZOE, "members: ada (slot 0) is here");
    client_expect("ada", "members: " ZOE " (slot 1) is here");
    const pid_t eve = client_start("eve", true);
    client_expect("eve", "members: ada (slot 0) is here, " ZOE " (slot 1) is here");
    client_expect("ada", "members: eve is watching");
    client_stop(eve);
    client_expect(ZOE, "members: eve has stopped watching");
    kill(zoe, SIGKILL);
    waitpid(zoe, NULL, 0);
    client_expect("ada", "members: " ZOE " (slot 1) lost the connection and is held");
    assert_true(e2e_server_has_logged(&server, ZOE));

    // Names come back with the recording: of who is still away, and of who returns.
    e2e_sleep_ms(400); // durable
    kill(server.pid, SIGKILL);
    waitpid(server.pid, NULL, 0);
    char listen[32];
    snprintf(listen, sizeof listen, "%s", address);
    server_start(&server, listen);
    client_expect("ada", "resumed as the same member");
    const pid_t bob = client_start("bob", false);
    client_expect("bob", "ada (slot 0)");
    client_expect("bob", ZOE " (slot 1) lost the connection and is held");
    client_expect("ada", "members: bob (slot 2) is here");
    client_stop(bob);
    client_expect("ada", "members: bob (slot 2) has left");
    client_stop(ada);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);

    char path[256];
    assert_true(e2e_folder_find(tool_folder, "-1.isr", path, sizeof path));
    assert_int_equal(replay("info", path), 0);
    assert_says("slot 0  ada");
    assert_says("slot 1  " ZOE);
    assert_int_equal(replay("dump", path), 0);
    assert_says("JOIN slot 0 generation 1 \"ada\"");
    assert_says("DROP slot 1 generation 1 \"" ZOE "\"");
    assert_true(e2e_folder_find(tool_folder, "-2.isr", path, sizeof path));
    assert_int_equal(replay("info", path, "--json"), 0);
    assert_says("\"name\":\"bob\"");
    assert_says("\"name\":\"" ZOE "\"");
    assert_int_equal(replay("dump", path), 0);
    assert_says("LEAVE slot 2 generation 1 \"bob\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_reach_clients_log_and_recording),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
