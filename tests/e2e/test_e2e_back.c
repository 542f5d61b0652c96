/// Members that come back: from a network that says nothing, over their own crash, with a clock that runs wrong, and to
/// a server that was stopped.
#include "e2e.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[65536];
static e2e_server server;

static double value_of(const char *text, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(text, key);
    if (at == NULL) {
        fail_msg("there is no %s in: %s", name, text);
    }
    return strtod(at + strlen(key), NULL);
}

// ---- a relay that lets the network vanish --------------------------------------------------------

static int loopback_socket(uint16_t port, bool listening) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr *generic = (const struct sockaddr *)&address;
    const int result = listening ? bind(fd, generic, sizeof address) : connect(fd, generic, sizeof address);
    assert_true(result == 0 && (!listening || listen(fd, 4) == 0));
    return fd;
}

/// Carries one connection. When its time is over, counted from the first that the server says, the server sees it end,
/// as it does behind a proxy that dies; the client sees nothing, for ever.
static void relay_carry(int client, uint16_t port, uint64_t ms) {
    static uint8_t bytes[65536];
    const int to_server = loopback_socket(port, false);
    uint64_t end_ns = UINT64_MAX;
    struct pollfd waits[2] = {{.fd = client, .events = POLLIN}, {.fd = to_server, .events = POLLIN}};
    while (e2e_now_ns() < end_ns) {
        (void)poll(waits, 2, 5);
        for (int i = 0; i < 2; ++i) {
            const ssize_t count = waits[i].revents != 0 ? read(waits[i].fd, bytes, sizeof bytes) : -1;
            if (waits[i].revents != 0 && count <= 0) {
                _exit(0);
            }
            if (count > 0) {
                (void)!send(waits[1 - i].fd, bytes, (size_t)count, MSG_NOSIGNAL);
                end_ns = i == 1 && end_ns == UINT64_MAX ? e2e_now_ns() + ms * E2E_MS : end_ns;
            }
        }
    }
    close(to_server);
}

static pid_t relay_start(uint16_t port, char address[32]) {
    const int listener = loopback_socket(0, true);
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    assert_int_equal(getsockname(listener, (struct sockaddr *)&bound, &size), 0);
    snprintf(address, 32, "127.0.0.1:%u", ntohs(bound.sin_port));
    const pid_t pid = fork();
    if (pid == 0) {
        relay_carry(accept(listener, NULL, NULL), port, 1500);
        relay_carry(accept(listener, NULL, NULL), port, 60000);
        _exit(0);
    }
    close(listener);
    return pid;
}

/// The slot is held for 10 s from the moment on at which the server has seen the end: who waits for 30 s has lost it.
static void test_silence_does_not_cost_the_seat(void **state) {
    (void)state;
    char address[32];
    e2e_server_start(&server, (const char *const[]){"--hold", "10", "--client-silence", "400", NULL});
    const pid_t relay = relay_start(server.port, address);
    const int code =
        e2e_run_within(E2E_CLIENT, (const char *const[]){address, "--bot", "wander", "--ticks", "300", "--json", NULL},
                       output, sizeof output, 60000);
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    e2e_server_stop(&server, SIGTERM);
    if (code != 0) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_non_null(strstr(output, "another connection is tried"));
    assert_non_null(strstr(output, "resumed as the same member"));
    assert_int_equal((int)value_of(output, "resumes"), 1);
    assert_int_equal((int)value_of(output, "desyncs"), 0);
}

// ---- a seat that outlives its client -------------------------------------------------------------

static pid_t client_start(const char *const *arguments) {
    const pid_t pid = fork();
    if (pid == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execv(E2E_CLIENT, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    return pid;
}

static void client_kill(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_seat_outlives_a_crash_in_a_full_session(void **state) {
    (void)state;
    char scene[] = "/tmp/isostep-e2e-XXXXXX", address[32], folder[64], seat[128];
    const char *text =
        "{\"format\": 1, \"name\": \"narrow\", \"game\": {\"name\": \"sandbox\"}, \"capacities\": {\"slots\": 1}}";
    const int file = mkstemp(scene);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    e2e_folder_make(folder);
    snprintf(seat, sizeof seat, "%s/seat", folder);
    e2e_server_start(&server, (const char *const[]){"--scene", scene, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    const char *const with_seat[] = {"isostep-client", address, "--seat", seat, NULL};
    pid_t pid = client_start(with_seat);
    struct stat info;
    E2E_WAIT(e2e_server_has_logged(&server, "joined") && stat(seat, &info) == 0, e2e_sleep_ms(20));
    assert_int_equal(info.st_mode & 07777, 0600);
    client_kill(pid);
    // Others are told that it is full, and wait; the one with the seat is back at once.
    const int full = e2e_run(E2E_CLIENT, (const char *const[]){address, "--ticks", "5", "--reconnect", "0", NULL},
                             output, sizeof output);
    assert_int_equal(full, 4);
    assert_non_null(strstr(output, "SESSION_FULL"));
    int code = e2e_run(
        E2E_CLIENT, (const char *const[]){address, "--seat", seat, "--ticks", "30", "--reconnect", "0", "--json", NULL},
        output, sizeof output);
    if (code != 0) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_non_null(strstr(output, "resumed as the same member"));
    assert_int_not_equal(access(seat, F_OK), 0); // it has left
    // Who waits gets the slot when it is free.
    pid = client_start(with_seat);
    E2E_WAIT(e2e_server_count_logged(&server, "joined") >= 2, e2e_sleep_ms(20));
    const pid_t waiting = client_start((const char *const[]){"isostep-client", address, "--reconnect", "30", NULL});
    E2E_WAIT(e2e_server_count_logged(&server, "SESSION_FULL") >= 2, e2e_sleep_ms(20));
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    E2E_WAIT(e2e_server_count_logged(&server, "joined") >= 3, e2e_sleep_ms(20));
    client_kill(waiting);
    e2e_server_stop(&server, SIGTERM);
    unlink(scene);
    e2e_folder_remove(folder);
}

static void test_seat_that_is_none_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        mode_t mode;
        const char *says;
    } cases[] = {
        {"isostep-seat 1 main 0 1 00112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff\n", 0644, "0600"},
        {"isostep-seat 1 other 0 1 00112233445566778899aabbccddeeff 00112233445566778899aabbccddeeff\n", 0600, "other"},
        {"isostep-seat 1 main 0 1 00112233445566778899aabbccddeeff 0011\n", 0600, "no seat"},
        {"a letter\n", 0600, "no seat"},
        {"", 0600, "no seat"},
    };
    char folder[64], seat[128], after[256];
    e2e_folder_make(folder);
    snprintf(seat, sizeof seat, "%s/seat", folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int file = open(seat, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_int_equal(write(file, cases[i].text, strlen(cases[i].text)), strlen(cases[i].text));
        assert_int_equal(fchmod(file, cases[i].mode), 0);
        close(file);
        const int code =
            e2e_run(E2E_CLIENT, (const char *const[]){"127.0.0.1:1", "--seat", seat, NULL}, output, sizeof output);
        assert_int_equal(code, 2);
        if (strstr(output, cases[i].says) == NULL) {
            fail_msg("case %zu: %s", i, output);
        }
        file = open(seat, O_RDONLY);
        assert_int_equal(read(file, after, sizeof after), strlen(cases[i].text)); // it is left as it is
        close(file);
    }
    e2e_folder_remove(folder);
}

// ---- a clock that runs wrong ----------------------------------------------------------------------

/// libfaketime speeds the client's monotonic clock up or slows it down by 2 %; the server's stays right.
static void test_margin_is_kept_by_a_clock_that_runs_wrong(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); // its library has to be the first that is loaded, and so has libfaketime's
#endif
    static const char *const speeds[] = {"+0 x1.02", "+0 x0.98"};
    char address[32], script[2048];
    e2e_server_start(&server, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    // Both at the same time.
    snprintf(script, sizeof script,
             "for s in '%s' '%s'; do DONT_FAKE_MONOTONIC=0 faketime -f \"$s\" '%s' %s --bot wander --ticks 600 --json "
             "2>/dev/null | tail -n 1 & done; wait",
             speeds[0], speeds[1], E2E_CLIENT, address);
    const int code = e2e_run_within("/bin/sh", (const char *const[]){"-c", script, NULL}, output, sizeof output, 90000);
    e2e_server_stop(&server, SIGTERM);
    assert_int_equal(code, 0);
    const char *second = strchr(output, '\n');
    assert_non_null(second);
    for (int i = 0; i < 2; ++i) {
        const char *line = i == 0 ? output : second + 1;
        assert_true(value_of(line, "commands_sent") >= 100);
        // Before the drift is learnt some are late, a third on a busy machine; afterwards none, where all were.
        if (value_of(line, "late") > value_of(line, "commands_sent") / 2) {
            fail_msg("too many commands were late: %s", output);
        }
    }
}

// ---- a server that was stopped --------------------------------------------------------------------

static void test_server_that_was_stopped_hears_its_members_first(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--silence", "1", "--client-silence", "30000", NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    for (int round = 0; round < 2; ++round) {
        kill(server.pid, SIGSTOP);
        e2e_players_run_for(&player, 1, 1600);
        kill(server.pid, SIGCONT);
        e2e_players_run_for(&player, 1, 1200);
        assert_false(player->has_ended);
    }
    assert_false(e2e_server_has_logged(&server, "TIMEOUT"));
    e2e_player_destroy(player);
    e2e_server_stop(&server, SIGTERM);
}

int main(void) {
    e2e_limit_seconds(200);
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence_does_not_cost_the_seat),
        cmocka_unit_test(test_seat_outlives_a_crash_in_a_full_session),
        cmocka_unit_test(test_seat_that_is_none_is_refused),
        cmocka_unit_test(test_margin_is_kept_by_a_clock_that_runs_wrong),
        cmocka_unit_test(test_server_that_was_stopped_hears_its_members_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
