/// Processes that are stopped for five seconds, as a debugger, a paused virtual machine or a suspended laptop do it:
/// two seconds later the inputs arrive as before, and none is refused any more.
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

static client_process client_spawn(uint16_t port)
{
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
static void client_end(client_process *client, char *json, size_t capacity)
{
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

static double number_of(const char *json, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(json, key);
    if (at == NULL)
        fail_msg("there is no %s in %s", key, json);
    return strtod(at + strlen(key), NULL);
}

/// Lets a player give a command in every tick's time. @param margin_low, margin_high  the range of its margins [ticks]
static void play_for(e2e_player *player, uint64_t ms, double *margin_low, double *margin_high)
{
    const uint64_t end_ns = e2e_now_ns() + ms * E2E_MS;
    while (e2e_now_ns() < end_ns) {
        iso_command command = {.kind = ISO_COMMAND_SET_GRAVITY};
        command.as.set_gravity.gravity.y = -9 * ISO_FIX16_ONE;
        (void)iso_client_command(player->client, &command, NULL);
        e2e_players_run_for(&player, 1, 17);
        assert_false(player->ended);
        const double margin = e2e_player_stats(player).margin_q8 / 256.0;
        *margin_low = margin < *margin_low ? margin : *margin_low;
        *margin_high = margin > *margin_high ? margin : *margin_high;
    }
}

static void test_members_go_on_after_a_freeze(void **state)
{
    (void)state;
    e2e_server frozen, running;
    e2e_server_start(&frozen, NULL);
    e2e_server_start(&running, NULL);
    e2e_player *player = e2e_player_start(frozen.port, 0);
    client_process client = client_spawn(running.port);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 5000));
    double low = 0, high = 0;
    play_for(player, 1500, &low, &high);
    assert_int_equal(e2e_player_stats(player).commands_refused, 0);

    kill(frozen.pid, SIGSTOP);
    kill(client.pid, SIGSTOP);
    play_for(player, 4500, &low, &high);
    kill(client.pid, SIGCONT); // the server gives up who acknowledges nothing for 300 ticks
    play_for(player, 500, &low, &high);
    kill(frozen.pid, SIGCONT);
    play_for(player, 2000, &low, &high);

    const iso_client_stats settled = e2e_player_stats(player);
    low = 1000, high = -1000;
    play_for(player, 3000, &low, &high);
    const iso_client_stats after = e2e_player_stats(player);
    char json[4096];
    client_end(&client, json, sizeof json);
    print_message("server stopped: margins %.1f to %.1f, refused %u until 2 s after it, %u since; client stopped: margin %.1f, refused %.0f\n",
                  low, high, (unsigned)settled.commands_refused, (unsigned)(after.commands_refused - settled.commands_refused),
                  number_of(json, "margin_ticks"), number_of(json, "commands_refused"));
    assert_int_equal(after.commands_refused, settled.commands_refused);
    assert_true(after.commands_sent > settled.commands_sent + 100);
    assert_true(low >= -1 && high <= 6);
    assert_int_equal(after.desyncs, 0);
    assert_true(number_of(json, "commands_refused") == 0 && number_of(json, "desyncs") == 0);
    assert_true(number_of(json, "margin_ticks") >= -1 && number_of(json, "margin_ticks") <= 6);
    assert_true(number_of(json, "resumes") == 0);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&frozen, SIGTERM), 0);
    assert_int_equal(e2e_server_stop(&running, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_go_on_after_a_freeze),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
