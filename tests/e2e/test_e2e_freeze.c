/// Processes that are stopped for five seconds, as a debugger, a paused virtual machine or a suspended laptop do it:
/// two seconds later the inputs arrive as before, and none is refused any more. How exactly, test_client_stalls holds,
/// in virtual time.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/// isostep-client on its own.
typedef struct client_process {
    pid_t pid;
    char output[64];
} client_process;

static client_process client_spawn(uint16_t port) {
    client_process client = {.output = "/tmp/isostep-e2e-XXXXXX"};
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    const int file = mkstemp(client.output);
    assert_true(file >= 0);
    client.pid = fork();
    if (client.pid == 0) {
        dup2(file, STDOUT_FILENO);
        alarm(60);
        execl(E2E_CLIENT, "isostep-client", address, "--bot", "wander", "--json", (char *)NULL);
        _exit(127);
    }
    close(file);
    return client;
}

/// Ends it. @param json  what it wrote to standard output
static void client_end(client_process *client, char *json, size_t capacity) {
    int status;
    kill(client->pid, SIGTERM);
    assert_int_equal(waitpid(client->pid, &status, 0), client->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    FILE *file = fopen(client->output, "r");
    json[fread(json, 1, capacity - 1, file)] = '\0';
    fclose(file);
    unlink(client->output);
}

static double number_of(const char *json, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(json, key);
    if (at == NULL) {
        fail_msg("there is no %s in %s", key, json);
    }
    return strtod(at + strlen(key), NULL);
}

/// What a player's inputs were like for a time.
typedef struct inputs {
    double low, high; // margins [ticks]
    uint64_t sent, refused;
} inputs;

/// Lets players give a command in every tick's time.
static void play_for(e2e_player **players, size_t count, uint64_t ms, inputs *seen) {
    const uint64_t end_ns = e2e_now_ns() + ms * E2E_MS;
    for (size_t i = 0; i < count; ++i) {
        const iso_client_stats stats = e2e_player_stats(players[i]);
        seen[i] = (inputs){1000, -1000, stats.commands_sent, stats.commands_refused};
    }
    while (e2e_now_ns() < end_ns) {
        iso_command command = {.kind = ISO_COMMAND_SET_GRAVITY};
        command.as.set_gravity.gravity.y = -9 * ISO_FIX16_ONE;
        for (size_t i = 0; i < count; ++i) {
            (void)iso_client_command(players[i]->client, &command, NULL);
        }
        e2e_players_run_for(players, count, 17);
        for (size_t i = 0; i < count; ++i) {
            assert_false(players[i]->has_ended);
            const double margin = e2e_player_stats(players[i]).margin_q8 / 256.0;
            seen[i].low = margin < seen[i].low ? margin : seen[i].low;
            seen[i].high = margin > seen[i].high ? margin : seen[i].high;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        const iso_client_stats stats = e2e_player_stats(players[i]);
        seen[i].sent = stats.commands_sent - seen[i].sent;
        seen[i].refused = stats.commands_refused - seen[i].refused;
        assert_int_equal(stats.desyncs, 0);
    }
}

/// The machine may be busy, which is seen at those beside it who were never stopped. A clock that has overshot is off
/// by a hundred ticks and has a third of the commands refused.
static bool is_as_usual(const inputs *frozen, const inputs *usual) {
    return frozen->low > usual->low - 20 && frozen->high < usual->high + 20 &&
           frozen->refused <= usual->refused + frozen->sent / 20;
}

static void test_members_go_on_after_a_freeze(void **state) {
    (void)state;
    e2e_server frozen, running;
    e2e_server_start(&frozen, NULL);
    e2e_server_start(&running, NULL);
    e2e_player *players[2] = {e2e_player_start(frozen.port, 0), e2e_player_start(running.port, 0)};
    inputs seen[2];
    assert_true(e2e_players_run(players, 2, e2e_all_joined, 20000));
    client_process stopped = client_spawn(running.port), usual = client_spawn(running.port);
    play_for(players, 2, 1500, seen);

    kill(frozen.pid, SIGSTOP);
    kill(stopped.pid, SIGSTOP);
    play_for(players, 2, 3500, seen);
    kill(stopped.pid, SIGCONT); // the server gives up who acknowledges nothing for 300 ticks
    play_for(players, 2, 1500, seen);
    kill(frozen.pid, SIGCONT);
    play_for(players, 2, 2000, seen);
    play_for(players, 2, 3000, seen);

    char json[4096], usual_json[4096];
    client_end(&stopped, json, sizeof json);
    client_end(&usual, usual_json, sizeof usual_json);
    const double margin = number_of(json, "margin_ticks"), usual_margin = number_of(usual_json, "margin_ticks");
    const inputs of_stopped = {margin, margin, (uint64_t)number_of(json, "commands_sent"),
                               (uint64_t)number_of(json, "commands_refused")};
    const inputs of_usual = {usual_margin, usual_margin, 0, (uint64_t)number_of(usual_json, "commands_refused")};
    print_message("2 s after the server was stopped: margins %.1f to %.1f, refused %u of %u (beside it: %.1f to %.1f, "
                  "%u); client stopped: margin "
                  "%.1f, refused %u of %u (beside it: %.1f, %u)\n",
                  seen[0].low, seen[0].high, (unsigned)seen[0].refused, (unsigned)seen[0].sent, seen[1].low,
                  seen[1].high, (unsigned)seen[1].refused, margin, (unsigned)of_stopped.refused,
                  (unsigned)of_stopped.sent, usual_margin, (unsigned)of_usual.refused);
    assert_true(seen[0].sent > 20);
    assert_true(is_as_usual(&seen[0], &seen[1]));
    assert_true(is_as_usual(&of_stopped, &of_usual));
    assert_true(number_of(json, "desyncs") == 0 && number_of(json, "resumes") == 0);
    for (size_t i = 0; i < 2; ++i) {
        e2e_player_destroy(players[i]);
    }
    assert_int_equal(e2e_server_stop(&frozen, SIGTERM), 0);
    assert_int_equal(e2e_server_stop(&running, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_go_on_after_a_freeze),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
