/// isostep-client as a process against a real server: predicting, coming back through cut connections, being healed, in
/// a swarm, and as a griefer.
#include "e2e.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- a relay that cuts ------------------------------------------------------------------------------

typedef struct relay {
    pid_t pid;
    char address[32];
} relay;

static int loopback_socket(uint16_t port, bool listening) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr *generic = (const struct sockaddr *)&address;
    const int result = listening ? bind(fd, generic, sizeof address) : connect(fd, generic, sizeof address);
    if (result != 0 || (listening && listen(fd, 4) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/// Carries one connection until the client has said so much, then cuts it on both sides in the middle of whatever is
/// under way. Times would be up before a client on a busy machine has become a member.
static void relay_carry(int client, uint16_t port, uint64_t bytes_max) {
    static uint8_t bytes[65536];
    const int server = loopback_socket(port, false);
    uint64_t said = 0;
    struct pollfd waits[2] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    bool open = server >= 0;
    while (open && said < bytes_max) {
        (void)poll(waits, 2, -1);
        for (int i = 0; i < 2; ++i) {
            const ssize_t count = waits[i].revents != 0 ? read(waits[i].fd, bytes, sizeof bytes) : -1;
            open = open && (waits[i].revents == 0 || count > 0);
            said += i == 0 && count > 0 ? (uint64_t)count : 0;
            if (count > 0) {
                (void)!send(waits[1 - i].fd, bytes, (size_t)count, MSG_NOSIGNAL);
            }
        }
    }
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(client);
    if (server >= 0) {
        close(server);
    }
}

/// What a client says in about a second of its membership, several times what it says before.
#define SECOND_BYTES 1500

/// @param bytes  what the client may say in each connection, ended by 0: that one lives for ever; or by UINT64_MAX: the
///               relay is gone after the connection before
static relay relay_start(uint16_t port, const uint64_t *bytes) {
    relay r;
    const int listener = loopback_socket(0, true);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    assert_true(listener >= 0 && getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    snprintf(r.address, sizeof r.address, "127.0.0.1:%u", ntohs(address.sin_port));
    r.pid = fork();
    assert_true(r.pid >= 0);
    if (r.pid == 0) {
        for (; *bytes != UINT64_MAX; bytes += *bytes != 0) {
            relay_carry(accept(listener, NULL, NULL), port, *bytes != 0 ? *bytes : UINT64_MAX);
        }
        _exit(0);
    }
    close(listener);
    return r;
}

static void relay_stop(const relay *r) {
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
}

// ---- what the client says ---------------------------------------------------------------------------

static char output[65536];

static int run_client(const char *const *arguments) {
    return e2e_run_within(E2E_CLIENT, arguments, output, sizeof output, 90000);
}

/// The number of this name in the JSON summary.
static double value_of(const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(output, key);
    if (at == NULL) {
        fail_msg("there is no %s in: %s", name, output);
    }
    return strtod(at + strlen(key), NULL);
}

static size_t count_of(const char *text) {
    size_t count = 0;
    for (const char *at = strstr(output, text); at != NULL; at = strstr(at + 1, text)) {
        count += 1;
    }
    return count;
}

static e2e_server server;
static char server_address[32];

static int start(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--scene", "sandbox", NULL});
    snprintf(server_address, sizeof server_address, "127.0.0.1:%u", server.port);
    return 0;
}

static int stop(void **state) {
    (void)state;
    return e2e_server_stop(&server, SIGTERM);
}

static void test_prediction_is_put_right_among_others(void **state) {
    (void)state;
    const int code = run_client((const char *const[]){server_address, "--swarm", "4", "--bot", "wander", "--predict",
                                                      "8", "--ticks", "240", "--json", NULL});
    assert_int_equal(code, 0);
    assert_true(value_of("desyncs") == 0 && value_of("hashes_checked") >= 230);
    assert_in_range((int)value_of("rollbacks"), 10, 250);
    assert_in_range((int)value_of("max_rollback"), 1, 8);
    assert_true(value_of("resteps") >= value_of("rollbacks") / 2);
}

static void test_client_comes_back_when_it_is_cut_off(void **state) {
    (void)state;
    const uint64_t bytes[] = {SECOND_BYTES, SECOND_BYTES, 0};
    const relay r = relay_start(server.port, bytes);
    const int code = run_client(
        (const char *const[]){r.address, "--bot", "wander", "--predict", "4", "--ticks", "400", "--json", NULL});
    relay_stop(&r);
    if (code != 0) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_int_equal((int)value_of("resumes"), 2);
    assert_int_equal((int)value_of("desyncs"), 0);
    // Nothing was missed on the way: every root since the first tick has been compared.
    assert_true(value_of("hashes_checked") >= value_of("last_tick") - value_of("first_tick") + 1);
    assert_true(value_of("last_tick") - value_of("first_tick") >= 399);
    assert_non_null(strstr(output, "resumed as the same member"));
}

static void test_client_that_cannot_come_back_says_so(void **state) {
    (void)state;
    const uint64_t bytes[] = {SECOND_BYTES, UINT64_MAX};
    const relay r = relay_start(server.port, bytes);
    const uint64_t begin_ns = e2e_now_ns();
    const int code = run_client((const char *const[]){r.address, "--reconnect", "2", "--json", NULL});
    const uint64_t took_ms = (e2e_now_ns() - begin_ns) / E2E_MS;
    relay_stop(&r);
    if (code != 4) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_true(took_ms >= 2000);
    // A busy machine makes it later and the tries fewer. Waits of at least 0.1, 0.2, 0.4, 0.8 and 1.6 s have no room in
    // 2 s.
    assert_in_range(count_of("the next try"), 1, 5);
    assert_non_null(strstr(output, "CONNECTION"));
}

static void test_client_that_may_not_come_back_ends(void **state) {
    (void)state;
    const uint64_t bytes[] = {SECOND_BYTES, 0};
    const relay r = relay_start(server.port, bytes);
    const int code = run_client((const char *const[]){r.address, "--reconnect", "0", "--json", NULL});
    relay_stop(&r);
    assert_int_equal(code, 4);
    assert_int_equal((int)value_of("resumes"), 0);
}

static void test_client_waits_for_a_server_that_is_not_up_yet(void **state) {
    (void)state;
    const unsigned port = e2e_port_reserve();
    char said[] = "/tmp/isostep-e2e-XXXXXX";
    char script[1024];
    close(mkstemp(said));
    snprintf(script, sizeof script,
             "%s 127.0.0.1:%u --ticks 30 --reconnect 60 --json >%s 2>&1 & client=$!; "
             "until grep -q refused %s; do kill -0 $client || break; sleep 0.05; done; "
             "%s --tcp 127.0.0.1:%u --for 80 >/dev/null 2>&1 & server=$!; "
             "wait $client; code=$?; kill $server; wait $server; cat %s; exit $code",
             E2E_CLIENT, port, said, said, E2E_SERVER, port, said);
    const int code = e2e_run_within("/bin/sh", (const char *const[]){"-c", script, NULL}, output, sizeof output, 90000);
    unlink(said);
    if (code != 0) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_non_null(strstr(output, "refused: is a server running there?"));
    assert_true(count_of("the next try") >= 1);
    assert_true(value_of("last_tick") >= value_of("first_tick") + 29);
}

static void test_client_without_a_server_gives_up_in_time(void **state) {
    (void)state;
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", e2e_port_reserve());
    const uint64_t begin_ns = e2e_now_ns();
    assert_int_equal(run_client((const char *const[]){address, "--reconnect", "1", NULL}), 4);
    assert_true((e2e_now_ns() - begin_ns) / E2E_MS >= 900);
    // Waits of at least 0.1, 0.2, 0.4 and 0.8 s have no room in one second.
    assert_in_range(count_of("the next try"), 1, 4);
    assert_int_equal(run_client((const char *const[]){address, "--reconnect", "0", NULL}), 4);
    assert_int_equal(count_of("the next try"), 0);
}

/// Each of these verifies; what all of them meet is said once for each try.
static void test_swarm_without_a_server_says_so_once_a_try(void **state) {
    (void)state;
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", e2e_port_reserve());
    assert_int_equal(
        run_client((const char *const[]){address, "--swarm", "40", "--sessions", "40", "--reconnect", "1", NULL}), 4);
    assert_in_range(count_of("the next try"), 1, 10);
    assert_int_equal(count_of("and the same for 39 more"), 1);
}

static void test_swarm_that_is_larger_than_its_session_says_what_helps(void **state) {
    (void)state;
    // Whether the last two get slots of those who leave in time does not matter.
    (void)run_client((const char *const[]){server_address, "--swarm", "34", "--ticks", "20", "--reconnect", "1", NULL});
    assert_int_equal(count_of("not all of the 34 members of --swarm find a free slot"), 1);
}

static bool has_ended(pid_t pid, int *status) {
    return waitpid(pid, status, WNOHANG) == pid;
}

/// timeout(1) signals a process and then its group, so one request to leave comes twice.
static void test_client_that_is_asked_twice_at_once_still_says_goodbye(void **state) {
    (void)state;
    e2e_server slow;
    char address[32];
    int status = 0;
    e2e_server_start(&slow, (const char *const[]){"--scene", "sandbox", NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", slow.port);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(E2E_CLIENT, "isostep-client", address, "--json", (char *)NULL);
        _exit(127);
    }
    E2E_WAIT(e2e_server_has_logged(&slow, "joined"), e2e_sleep_ms(20));
    e2e_sleep_ms(100);
    kill(slow.pid, SIGSTOP); // its goodbye takes long
    e2e_sleep_ms(50);
    const uint64_t first_ns = e2e_now_ns();
    kill(pid, SIGINT);
    e2e_sleep_ms(20);
    kill(pid, SIGINT);
    const bool came_at_once = e2e_now_ns() - first_ns < 80 * E2E_MS; // 100 ms apart they are two requests
    e2e_sleep_ms(200);
    bool ended = has_ended(pid, &status);
    if (came_at_once) {
        assert_false(ended);
    }
    // This process or that one may not have been let run in between: then it is one request still.
    E2E_WAIT(ended = ended || has_ended(pid, &status), (kill(pid, SIGINT), e2e_sleep_ms(200)));
    kill(slow.pid, SIGCONT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_int_equal(e2e_server_stop(&slow, SIGTERM), 0);
}

/// As after a restart: many more at once than may wait in the lobby. None is turned away whose HELLO is there, so none
/// has to try again. The server stands while they connect: otherwise a busy machine could keep a client from sending
/// its HELLO in time, and the server were right to turn it away.
static void test_many_connect_at_once(void **state) {
    (void)state;
    enum { MANY = 120, SESSIONS = 5 };
    static e2e_link *links[MANY];
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    e2e_server many;
    char address[32];
    e2e_server_start(&many, (const char *const[]){"--sessions", "5", "--unauthenticated", "8", NULL});
    kill(many.pid, SIGSTOP);
    for (int i = 0; i < MANY; ++i) {
        iso_message hello = e2e_hello();
        snprintf(hello.as.hello.session, sizeof hello.as.hello.session, "s%d", i % SESSIONS);
        links[i] = e2e_link_open(many.port, 0);
        e2e_link_write(links[i], bytes, e2e_encode(&hello, bytes, sizeof bytes));
    }
    kill(many.pid, SIGCONT);
    for (int i = 0; i < MANY; ++i) {
        iso_message message;
        if (!e2e_link_read(links[i], &message, 30000) || message.kind != ISO_MESSAGE_WELCOME) {
            fail_msg("connection %d got no Welcome but a message of kind %u", i, message.kind);
        }
    }
    for (int i = 0; i < MANY; ++i) {
        e2e_link_close(links[i]);
    }
    snprintf(address, sizeof address, "127.0.0.1:%u", many.port);
    // The client's swarm, which comes again where this machine has made it too slow.
    const int code = run_client((const char *const[]){address, "--swarm", "40", "--sessions", "5", "--ticks", "20",
                                                      "--reconnect", "60", "--json", NULL});
    if (code != 0) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_int_equal((int)value_of("members"), 40);
    assert_int_equal(e2e_server_stop(&many, SIGTERM), 0);
}

static void test_drill_is_found_and_healed(void **state) {
    (void)state;
    const int code = run_client(
        (const char *const[]){server_address, "--drill", "flip@1", "--predict", "8", "--ticks", "150", "--json", NULL});
    assert_int_equal(code, 1);
    assert_int_equal((int)value_of("desyncs"), 1);
    assert_int_equal((int)value_of("heals"), 1);
    assert_true(value_of("hashes_checked") >= 140);
    // Without a number of ticks a drill ends by itself.
    assert_int_equal(run_client((const char *const[]){server_address, "--drill", "flip@1", "--json", NULL}), 1);
    assert_non_null(strstr(output, "drill: tick 1 is over, so the bit is flipped in the first own tick"));
    assert_int_equal((int)value_of("heals"), 1);
}

/// A drill ends also where nobody heals.
static void test_drill_ends_whatever_the_server_does_about_it(void **state) {
    (void)state;
    static const struct {
        const char *policy, *ticks, *text;
    } cases[] = {
        {"ignore", NULL, "the server ignores it"},
        {"ignore", "60", "the server ignores it"},
        {"pause", "60", "paused the session because of it"},
        {"kick", NULL, "ended: KICKED"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        e2e_server other;
        char address[32];
        e2e_server_start(&other, (const char *const[]){"--desync", cases[i].policy, NULL});
        snprintf(address, sizeof address, "127.0.0.1:%u", other.port);
        const char *const ticks = cases[i].ticks;
        const int code =
            e2e_run_within(E2E_CLIENT,
                           (const char *const[]){address, "--drill", "flip@1", ticks != NULL ? "--ticks" : "--json",
                                                 ticks, "--json", NULL},
                           output, sizeof output, 60000);
        if (code != 1 || strstr(output, cases[i].text) == NULL) {
            fail_msg("%s: exit code %d, expected 1 and '%s' in: %s", cases[i].policy, code, cases[i].text, output);
        }
        assert_int_equal((int)value_of("desyncs"), 1);
        assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
    }
}

/// For longer than the server waits for an acknowledgement.
static void test_spectator_stays_where_desyncs_are_ignored(void **state) {
    (void)state;
    e2e_server other;
    char address[32];
    e2e_server_start(&other,
                     (const char *const[]){"--scene", "sandbox", "--desync", "ignore", "--tick-rate", "128", NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", other.port);
    const int code = run_client((const char *const[]){address, "--role", "spectator", "--drill", "flip@1", "--ticks",
                                                      "400", "--reconnect", "0", "--json", NULL});
    if (code != 1 || strstr(output, "SLOW_CONSUMER") != NULL) {
        fail_msg("exit code %d: %s", code, output);
    }
    assert_int_equal((int)value_of("desyncs"), 1);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
}

static void test_swarm_plays_in_one_process(void **state) {
    (void)state;
    const int code = run_client(
        (const char *const[]){server_address, "--swarm", "12", "--bot", "builder", "--ticks", "180", "--json", NULL});
    assert_int_equal(code, 0);
    assert_int_equal((int)value_of("members"), 12);
    assert_int_equal((int)value_of("desyncs"), 0);
    assert_true(value_of("bytes_out_per_member_second") > 100 && value_of("bytes_in_per_member_second") > 500);
    assert_true(value_of("margin_p50") <= value_of("margin_p99") && value_of("margin_p99") <= value_of("margin_max"));
    assert_true(value_of("margin_min") <= value_of("margin_p50"));
    assert_true(value_of("late") >= 0);
}

static void test_sessions_are_listed_and_shared_by_a_swarm(void **state) {
    (void)state;
    e2e_server several;
    char address[32];
    e2e_server_start(&several, (const char *const[]){"--sessions", "3", NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", several.port);
    assert_int_equal(run_client((const char *const[]){address, "--list", NULL}), 0);
    assert_true(strstr(output, "s0 ") != NULL && strstr(output, "s1 ") != NULL && strstr(output, "s2 ") != NULL);
    const int code = run_client((const char *const[]){address, "--sessions", "3", "--swarm", "9", "--bot", "wander",
                                                      "--ticks", "120", "--json", NULL});
    assert_int_equal(code, 0);
    assert_int_equal((int)value_of("sessions"), 3);
    assert_int_equal((int)value_of("members"), 9);
    // One in each session has compared the roots of all its ticks.
    assert_true(value_of("hashes_checked") >= 3 * 120);
    const int few = run_client((const char *const[]){address, "--sessions", "3", "--swarm", "6", "--verify", "1",
                                                     "--bot", "wander", "--ticks", "60", "--json", NULL});
    assert_int_equal(few, 0);
    assert_int_equal((int)value_of("members"), 6);
    assert_in_range((int)value_of("hashes_checked"), 60, 2 * 60 + 59); // less than two connections would check
    assert_int_equal(run_client((const char *const[]){address, "--session", "s2", "--ticks", "30", "--json", NULL}), 0);
    assert_non_null(strstr(output, "\"session\":\"s2\""));
    assert_int_equal(run_client((const char *const[]){address, "--session", "s3", "--json", NULL}), 4);
    assert_non_null(strstr(output, "NO_SESSION"));
    assert_int_equal(e2e_server_stop(&several, SIGTERM), 0);
}

/// Attacks a server of this scene. @return the exit code
static int run_griefer(const char *scene) {
    e2e_server victim;
    char address[32];
    e2e_server_start(&victim, scene != NULL ? (const char *const[]){"--scene", scene, NULL} : NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", victim.port);
    const int code = run_client((const char *const[]){address, "--bot", "griefer", "--json", NULL});
    assert_int_equal(e2e_server_stop(&victim, SIGTERM), 0);
    return code;
}

static void expect_right_answers(const char *scene) {
    const int code = run_griefer(scene);
    for (const char *end = strstr(output, " WRONG\n"); end != NULL; end = strstr(end + 1, " WRONG\n")) {
        const char *line = end;
        while (line > output && line[-1] != '\n') {
            --line;
        }
        print_error("%.*s\n", (int)(end - line), line);
    }
    assert_int_equal(code, 0);
    assert_int_equal((int)value_of("wrong"), 0);
    assert_true(value_of("attacks") >= 40);
}

static void test_griefer_gets_the_named_answers(void **state) {
    (void)state;
    // The floor has room for few joints: their bomb is over before it is a matter of computing time.
    expect_right_answers(NULL);
}

/// The same commands in their forms for space.
static void test_griefer_gets_them_in_space_too(void **state) {
    (void)state;
    expect_right_answers("sandbox3");
}

/// A scene of the sandbox in a file of its own, which the caller unlinks.
static void write_scene(char *path, const char *capacities) {
    char text[256];
    const int size = snprintf(text, sizeof text,
                              "{\"format\": 1, \"name\": \"narrow\", \"game\": {\"name\": \"sandbox\"}, "
                              "\"capacities\": {%s}}",
                              capacities);
    const int file = mkstemp(path);
    assert_int_equal(write(file, text, (size_t)size), size);
    close(file);
}

/// Room for fewer bodies than a member may have, and for few members.
static void test_griefer_gets_them_in_a_small_session_too(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-XXXXXX";
    write_scene(path, "\"bodies\": 32, \"slots\": 8");
    expect_right_answers(path);
    unlink(path);
    assert_non_null(
        strstr(output, "body bomb                                      QUOTA or CAPACITY          CAPACITY"));
}

/// A session whose members may give no commands but a game's own, as any without rules.
static void test_griefer_takes_a_games_own_refusals_for_right(void **state) {
    (void)state;
    expect_right_answers("stack");
    assert_non_null(strstr(output, "velocity of a static body                      WRONG_TYPE                 REFUSED  "
                                   "              the game's own refusal"));
    assert_non_null(strstr(output, "body bomb                                      QUOTA or CAPACITY          REFUSED  "
                                   "              the game's own refusal"));
    assert_non_null(strstr(output, "body beyond the border                         RANGE                      RANGE"));
}

static void test_griefer_says_when_a_session_has_no_room_for_it(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-XXXXXX";
    write_scene(path, "\"slots\": 1");
    const int code = run_griefer(path);
    unlink(path);
    assert_int_equal(code, 4);
    assert_non_null(strstr(output, "it needs a slot beside its witness's, and of 1 none is left"));
    assert_null(strstr(output, "attacks"));
}

static void test_wrong_options_are_named(void **state) {
    (void)state;
    static const struct {
        const char *words[5];
        const char *text;
    } cases[] = {
        {{"--predict", "17"}, "--predict \"17\": expected a number of ticks, 0 to 16"},
        {{"--swarm", "0"}, "--swarm \"0\": expected"},
        {{"--swarm", "1001"}, "--swarm \"1001\": expected"},
        {{"--verify", "0"}, "--verify \"0\": expected"},
        {{"--swarm", "2", "--verify", "2"}, "expected --verify of at most the number of sessions"},
        {{"--reconnect", "-1"}, "--reconnect \"-1\": expected"},
        {{"--ticks", "0"}, "--ticks \"0\": expected"},
        {{"--sessions", "0"}, "--sessions \"0\": expected"},
        {{"--sessions", "3"}, "more sessions than connections"},
        {{"--session", "Main"}, "--session \"Main\": expected"},
        {{"--session", "a", "--sessions", "2"}, "--session and --sessions"},
        {{"--name", "abcdefghijklmnopqrstuvwxyz-12345"},
         "--name \"abcdefghijklmnopqrstuvwxyz-12345\": expected at most 31 bytes"},
        {{"--name", "abcdefghijklmnopqrstuvwxyz-1", "--swarm", "2"}, "--name is too long for a swarm"},
        {{"--name", "two\nlines"}, "expected at most 31 bytes of UTF-8 without control characters"},
        {{"--name", "\xFF\xFE"}, "expected at most 31 bytes of UTF-8 without control characters"},
        {{"--role", "referee"}, "--role \"referee\": expected"},
        {{"--role", "spectator", "--predict", "2"}, "--predict needs --role player"},
        {{"--role", "spectator", "--bot", "wander"}, "--bot needs --role player"},
        {{"--bot", "griever"}, "--bot \"griever\": expected"},
        {{"--bot", "griefer", "--swarm", "2"}, "without --swarm"},
        {{"--drill", "flop@3"}, "--drill \"flop@3\": expected"},
        {{"--drill", "flip@0"}, "--drill \"flip@0\": expected"},
        {{"--ticks"}, "--ticks needs a value"},
        {{"--tick", "3"}, "no option \"--tick\""},
        {{"127.0.0.1:2"}, "\"127.0.0.1:2\" is a second address"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *const *words = cases[i].words;
        const int code = run_client((const char *const[]){"127.0.0.1:1", words[0], words[1], words[2], words[3], NULL});
        if (code != 2 || strstr(output, cases[i].text) == NULL) {
            fail_msg("exit code %d, expected 2 and '%s' in: %s", code, cases[i].text, output);
        }
    }
    static const char *const addresses[] = {"127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536",
                                            "::1:7790",  ":7790",       "[]:7790"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; ++i) {
        assert_int_equal(run_client((const char *const[]){addresses[i], NULL}), 2);
        assert_non_null(strstr(output, "is not an address: expected HOST:PORT"));
    }
    assert_int_equal(run_client((const char *const[]){NULL}), 2);
    assert_non_null(strstr(output, "the server's address is missing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_options_are_named),
        cmocka_unit_test(test_prediction_is_put_right_among_others),
        cmocka_unit_test(test_client_comes_back_when_it_is_cut_off),
        cmocka_unit_test(test_client_that_cannot_come_back_says_so),
        cmocka_unit_test(test_client_that_may_not_come_back_ends),
        cmocka_unit_test(test_client_waits_for_a_server_that_is_not_up_yet),
        cmocka_unit_test(test_swarm_without_a_server_says_so_once_a_try),
        cmocka_unit_test(test_swarm_that_is_larger_than_its_session_says_what_helps),
        cmocka_unit_test(test_client_without_a_server_gives_up_in_time),
        cmocka_unit_test(test_client_that_is_asked_twice_at_once_still_says_goodbye),
        cmocka_unit_test(test_many_connect_at_once),
        cmocka_unit_test(test_drill_is_found_and_healed),
        cmocka_unit_test(test_drill_ends_whatever_the_server_does_about_it),
        cmocka_unit_test(test_spectator_stays_where_desyncs_are_ignored),
        cmocka_unit_test(test_swarm_plays_in_one_process),
        cmocka_unit_test(test_sessions_are_listed_and_shared_by_a_swarm),
        cmocka_unit_test(test_griefer_gets_the_named_answers),
        cmocka_unit_test(test_griefer_gets_them_in_space_too),
        cmocka_unit_test(test_griefer_gets_them_in_a_small_session_too),
        cmocka_unit_test(test_griefer_takes_a_games_own_refusals_for_right),
        cmocka_unit_test(test_griefer_says_when_a_session_has_no_room_for_it),
    };
    e2e_limit_seconds(230);
    return cmocka_run_group_tests(tests, start, stop);
}
