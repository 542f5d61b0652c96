/// Races over a slow line: two drivers behind a relay that delays everything, one of them predicts. Nobody disagrees,
/// both drive laps, the recording verifies. And what bots do in sessions in space: one builds, and one that cannot play
/// says so.
///
/// test_e2e_rally [SECONDS]: how long the race lasts, 30 by default.
#include "e2e.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_tool.h"

#define DELAY_MS 100 // each way

static unsigned race_seconds = 30;

// ---- a relay that delays -------------------------------------------------------------------------

#define DIRECTIONS 4 // there and back, of two connections

/// What was read and is not due yet.
typedef struct parcel {
    struct parcel *next;
    uint64_t due_ns;
    size_t size;
    uint8_t bytes[8192];
} parcel;

/// From one socket to another.
typedef struct direction {
    int from, to; // -1: it has ended
    parcel *first, **end;
} direction;

static int loopback_socket(uint16_t port, bool listening) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr *generic = (const struct sockaddr *)&address;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if ((listening ? bind(fd, generic, sizeof address) : connect(fd, generic, sizeof address)) != 0 ||
        (listening && listen(fd, DIRECTIONS) != 0)) {
        _exit(126);
    }
    return fd;
}

static void direction_read(direction *d) {
    parcel *p = malloc(sizeof *p);
    const ssize_t count = p != NULL ? read(d->from, p->bytes, sizeof p->bytes) : -1;
    if (count <= 0) {
        free(p);
        d->from = -1; // one client has left; the other may still be behind
        return;
    }
    p->next = NULL;
    p->due_ns = e2e_now_ns() + DELAY_MS * E2E_MS;
    p->size = (size_t)count;
    *d->end = p;
    d->end = &p->next;
}

static void direction_write(direction *d) {
    while (d->first != NULL && d->first->due_ns <= e2e_now_ns()) {
        parcel *p = d->first;
        for (size_t at = 0; at < p->size && d->to >= 0;) {
            const ssize_t count = send(d->to, p->bytes + at, p->size - at, MSG_NOSIGNAL);
            d->to = count > 0 ? d->to : -1;
            at += count > 0 ? (size_t)count : 0;
        }
        d->first = p->next;
        d->end = d->first == NULL ? &d->first : d->end;
        free(p);
    }
    if (d->from < 0 && d->first == NULL && d->to >= 0) {
        shutdown(d->to, SHUT_WR);
        d->to = -1;
    }
}

/// Carries connections to a port of this machine until all have ended.
static void relay_run(int listener, uint16_t port) {
    direction all[DIRECTIONS];
    int count = 0, ended = 0;
    while (ended < DIRECTIONS) {
        struct pollfd waits[DIRECTIONS + 1] = {{.fd = listener, .events = POLLIN}};
        for (int i = 0; i < count; ++i) {
            waits[i + 1] = (struct pollfd){.fd = all[i].from, .events = POLLIN};
        }
        (void)poll(waits, (nfds_t)count + 1, 2);
        ended = 0;
        for (int i = 0; i < count; ++i) {
            if (waits[i + 1].revents != 0) {
                direction_read(&all[i]);
            }
            direction_write(&all[i]);
            ended += all[i].from < 0 && all[i].to < 0;
        }
        if (waits[0].revents != 0 && count < DIRECTIONS) {
            const int ends[2] = {accept(listener, NULL, NULL), loopback_socket(port, false)}, one = 1;
            setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            for (int k = 0; k < 2; ++k, ++count) {
                all[count] = (direction){.from = ends[k], .to = ends[1 - k], .first = NULL};
                all[count].end = &all[count].first;
            }
        }
    }
}

/// @param address  receives where it listens
static pid_t relay_start(uint16_t port, char address[32]) {
    const int listener = loopback_socket(0, true);
    struct sockaddr_in name;
    socklen_t size = sizeof name;
    assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &size), 0);
    snprintf(address, 32, "127.0.0.1:%u", ntohs(name.sin_port));
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        relay_run(listener, port);
        _exit(0);
    }
    close(listener);
    return pid;
}

// ---- the race ------------------------------------------------------------------------------------

static e2e_server server;

/// Its recording is in a folder of the scene's name.
static void server_start(const char *scene, const char *events) {
    const char *const arguments[] = {"--scene", scene, "--record", path_of(scene), events != NULL ? "--events" : NULL,
                                     events,    NULL};
    e2e_server_start(&server, arguments);
}

/// A client in the background, whose summary goes to a file of its name.
static pid_t driver_start(const char *address, const char *name, const char *predict, const char *ticks) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (freopen(path_of(name), "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
            _exit(126);
        }
        execl(E2E_CLIENT, E2E_CLIENT, address, "--name", name, "--bot", "rally", "--predict", predict, "--ticks", ticks,
              "--json", (char *)NULL);
        _exit(127);
    }
    return pid;
}

/// Waits for a driver, and takes its summary for the output of a tool.
static void driver_finish(pid_t pid, const char *name) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    FILE *in = fopen(path_of(name), "rb");
    assert_non_null(in);
    tool_output[fread(tool_output, 1, sizeof tool_output - 1, in)] = 0;
    fclose(in);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("%s ended with %x: %s", name, (unsigned)status, tool_output);
    }
}

/// How many lines of the file of events are of this kind and slot.
static unsigned count_events(const char *path, const char *event, unsigned slot) {
    char line[512], kind[64], whose[32];
    unsigned count = 0;
    snprintf(kind, sizeof kind, "\"event\":\"%s\"", event);
    snprintf(whose, sizeof whose, "\"slot\":%u,", slot);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        count += strstr(line, kind) != NULL && strstr(line, whose) != NULL;
    }
    fclose(in);
    return count;
}

/// The number behind a key of a summary, with its fraction.
static double fraction_after(const char *key) {
    const char *at = strstr(tool_output, key);
    if (at == NULL) {
        fail_msg("no %s in %s", key, tool_output);
    }
    return strtod(at + strlen(key), NULL);
}

static void expect_agreed(uint64_t ticks) {
    assert_int_equal(number_after("\"desyncs\":"), 0);
    assert_int_equal(number_after("\"heals\":"), 0);
    assert_int_equal(number_after("\"resumes\":"), 0);
    assert_true(number_after("\"hashes_checked\":") >= ticks);
    const double rtt_ms = fraction_after("\"rtt_ms\":");
    if (rtt_ms < 2 * DELAY_MS) {
        fail_msg("a round trip of %.1f ms: the relay does not delay", rtt_ms);
    }
}

static void test_drivers_agree_over_a_slow_line(void **state) {
    (void)state;
    char address[32], ticks[16], recording[256], events[256];
    const uint64_t tick_count = 60 * race_seconds;
    snprintf(ticks, sizeof ticks, "%llu", (unsigned long long)tick_count);
    snprintf(events, sizeof events, "%s", path_of("events.jsonl"));
    server_start("rally", events);
    const pid_t relay = relay_start(server.port, address);
    const pid_t ada = driver_start(address, "ada", "16", ticks), bob = driver_start(address, "bob", "0", ticks);
    driver_finish(ada, "ada");
    expect_agreed(tick_count);
    // What ada predicts of bob, who steers where he likes, is wrong now and then.
    print_message("%.0f rollbacks, at most %.0f ticks\n", fraction_after("\"rollbacks\":"),
                  fraction_after("\"max_rollback\":"));
    assert_true(number_after("\"rollbacks\":") > 20);
    driver_finish(bob, "bob");
    expect_agreed(tick_count);
    (void)waitpid(relay, NULL, 0); // it ended with the connections
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    for (unsigned slot = 0; slot < 2; ++slot) {
        const unsigned checks = count_events(events, "check_point", slot), laps = count_events(events, "lap", slot);
        print_message("slot %u: %u check points, %u laps\n", slot, checks, laps);
        // A lap is 12 check points, and takes some 24 s.
        assert_true(checks >= 8 * (race_seconds / 30));
        assert_true(laps >= race_seconds / 40);
    }
    assert_true(e2e_folder_find(path_of("rally"), ".isr", recording, sizeof recording));
    assert_int_equal(replay("verify", recording, "--json"), 0);
    assert_true(number_after("\"ticks\":") >= tick_count);
#ifdef E2E_SECOND_REPLAY
    const char *const verify[] = {"verify", recording, "--json", NULL};
    assert_int_equal(e2e_run(E2E_SECOND_REPLAY, verify, tool_output, sizeof tool_output), 0);
    assert_true(number_after("\"ticks\":") >= tick_count);
#endif
    e2e_folder_remove(path_of("rally"));
}

// ---- bots ----------------------------------------------------------------------------------------

static void test_builders_build_in_space(void **state) {
    (void)state;
    char address[32], recording[256];
    server_start("sandbox3", NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    const char *const swarm[] = {address, "--bot", "builder", "--swarm", "3", "--ticks", "400", "--json", NULL};
    assert_int_equal(e2e_run(E2E_CLIENT, swarm, tool_output, sizeof tool_output), 0);
    assert_int_equal(number_after("\"desyncs\":"), 0);
    assert_int_equal(number_after("\"commands_refused\":"), 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(path_of("sandbox3"), ".isr", recording, sizeof recording));
    static char dump[1 << 22];
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"dump", recording, NULL}, dump, sizeof dump), 0);
    static const char *const said[] = {" SPAWN_BODY3 ",    " CREATE_SHAPE3 ", " CREATE_JOINT3 BALL ",
                                       " APPLY_IMPULSE3 ", " SET_VELOCITY3 ", " DESTROY_BODY "};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i) {
        if (strstr(dump, said[i]) == NULL) {
            fail_msg("nobody has said%s", said[i]);
        }
    }
    e2e_folder_remove(path_of("sandbox3"));
}

/// Members of a swarm that step no world say what is of space, also where no game tells them so: what they spawn is
/// against the rules of such a session, but is no command of another dimension.
static void test_builders_know_space_without_a_game(void **state) {
    (void)state;
    char address[32], recording[256];
    server_start("stack3", NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    const char *const swarm[] = {address, "--bot", "builder", "--swarm", "3", "--ticks", "120", "--json", NULL};
    assert_int_equal(e2e_run(E2E_CLIENT, swarm, tool_output, sizeof tool_output), 0);
    assert_null(strstr(tool_output, "DIMENSION"));
    assert_int_equal(number_after("\"desyncs\":"), 0);
    assert_true(number_after("\"commands_sent\":") > 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(path_of("stack3"), ".isr", recording, sizeof recording));
    static char dump[1 << 22];
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"dump", recording, NULL}, dump, sizeof dump), 0);
    assert_non_null(strstr(dump, "SPAWN_BODY3"));
    e2e_folder_remove(path_of("stack3"));
}

static void test_bots_say_where_they_cannot_play(void **state) {
    (void)state;
    static const struct {
        const char *scene, *bot, *text;
    } cases[] = {
        {"sandbox3", "rally",
         "--bot rally cannot play the session main, which has the game sandbox3; expected a session of the game rally"},
        {"stack3", "rally",
         "--bot rally cannot play the session main, which has no game; expected a session of the game rally"},
        {"rally", "pinball",
         "--bot pinball cannot play the session main, which has the game rally; expected a session of the game "
         "pinball"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char address[32];
        e2e_server_start(&server, (const char *const[]){"--scene", cases[i].scene, NULL});
        snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
        const char *const arguments[] = {address, "--bot", cases[i].bot, "--ticks", "600", NULL};
        assert_int_equal(e2e_run(E2E_CLIENT, arguments, tool_output, sizeof tool_output), 2);
        assert_says(cases[i].text);
        assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    }
}

static int set_up(void **state) {
    const int result = tool_set_up(state);
    e2e_limit_seconds(90 + race_seconds);
    return result;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drivers_agree_over_a_slow_line),
        cmocka_unit_test(test_builders_build_in_space),
        cmocka_unit_test(test_builders_know_space_without_a_game),
        cmocka_unit_test(test_bots_say_where_they_cannot_play),
    };
    race_seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : race_seconds;
    return cmocka_run_group_tests(tests, set_up, tool_tear_down);
}
