/// Who may do what over HTTP on a real server: every route of server/API.md is tried with every role, and with a server
/// that has no tokens; the file of the tokens is read again when it changes.
#include "e2e_routes.h"
#include "e2e_web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NOBODY, WRONG, READ, MODERATE, ADMIN, CALLERS };

static e2e_route rows[E2E_ROUTES_MAX];
static size_t row_count;
static char tokens[CALLERS][64], file[] = "/tmp/isostep-e2e-tokens-XXXXXX";
static e2e_answer answer;
static char body[1 << 16];

// ---- The tokens ----------------------------------------------------------------------------------------

static void write_file(const char *mode, const char *text) {
    FILE *to = fopen(file, mode);
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

/// Makes a token as an operator does, and appends its line to the file.
static void make_token(unsigned caller, const char *what) {
    char text[512], *line;
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--new-token", what, NULL}, text, sizeof text), 0);
    // The token on standard error, its line on standard output, in either order here.
    line = strstr(text, caller == READ ? "r read " : caller == MODERATE ? "m moderate " : "a admin ");
    assert_non_null(line);
    const char *token = line == text ? strchr(text, '\n') + 1 : text;
    snprintf(tokens[caller], sizeof tokens[caller], "%.*s", (int)strcspn(token, "\n"), token);
    assert_int_equal(strlen(tokens[caller]), 43);
    assert_null(strstr(line, tokens[caller]));
    line[strcspn(line, "\n") + 1] = '\0';
    write_file("a", line);
}

static int set_up(void **state) {
    (void)state;
    const int made = mkstemp(file);
    assert_true(made >= 0);
    close(made);
    row_count = e2e_routes_read(rows);
    make_token(READ, "r:read");
    make_token(MODERATE, "m:moderate:1");
    make_token(ADMIN, "a:admin");
    snprintf(tokens[WRONG], sizeof tokens[WRONG], "%s", tokens[ADMIN]);
    tokens[WRONG][42] = tokens[WRONG][42] == 'A' ? 'B' : 'A';
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return unlink(file);
}

static unsigned ask_at(const e2e_server *server, const char *method, const char *path, unsigned caller) {
    char text[1024], lines[128] = "";
    if (caller != NOBODY) {
        snprintf(lines, sizeof lines, "Authorization: Bearer %s\r\n", tokens[caller]);
    }
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n%s\r\n", method, path,
             lines);
    e2e_web *web = e2e_web_open(server, 0);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 10000));
    assert_true(answer.size < sizeof body);
    memcpy(body, answer.body, answer.size);
    body[answer.size] = '\0';
    e2e_web_close(web);
    return answer.status;
}

static unsigned needed(const e2e_route *of) {
    static const char *const names[] = {
        [NOBODY] = "none", [WRONG] = "", [READ] = "read", [MODERATE] = "moderate", [ADMIN] = "admin"};
    for (unsigned i = 0; i < CALLERS; ++i) {
        if (strcmp(of->role, names[i]) == 0) {
            return i;
        }
    }
    fail_msg("the role %s", of->role);
    return CALLERS;
}

// ---- The tests ------------------------------------------------------------------------------------------

static void test_every_route_is_tried_with_every_role(void **state) {
    (void)state;
    char option[64], path[256];
    e2e_server server;
    snprintf(option, sizeof option, "@%s", file);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-tokens", option, NULL});
    for (size_t i = 0; i < row_count; ++i) {
        const unsigned least = needed(&rows[i]);
        e2e_route_fill_in(&rows[i], "nothing", path, sizeof path);
        for (unsigned caller = 0; caller < CALLERS; ++caller) {
            const unsigned status = ask_at(&server, rows[i].method, path, caller);
            const unsigned denied = caller <= WRONG ? 401 : 403;
            const bool may = least == NOBODY || (caller > WRONG && caller >= least);
            if (may ? status == 401 || status == 403 || status == 405 : status != denied) {
                fail_msg("%s %s by caller %u: %u", rows[i].method, path, caller, status);
            }
        }
    }
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/main", MODERATE), 403);
    assert_string_equal(body, "{\"error\":\"the token m has the role moderate; this needs admin\"}\n");
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/main", ADMIN), 202);
    E2E_WAIT(e2e_server_has_logged(&server, "session main: is ended over HTTP by a"), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_server_without_tokens_changes_nothing(void **state) {
    (void)state;
    char path[256];
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", NULL});
    for (size_t i = 0; i < row_count; ++i) {
        if (needed(&rows[i]) == NOBODY) {
            continue;
        }
        e2e_route_fill_in(&rows[i], "nothing", path, sizeof path);
        for (unsigned caller = 0; caller < CALLERS; ++caller) {
            if (ask_at(&server, rows[i].method, path, caller) != 403) {
                fail_msg("%s %s by caller %u: %u", rows[i].method, path, caller, answer.status);
            }
            assert_string_equal(body,
                                "{\"error\":\"nothing is changed over HTTP without a token: start the server with "
                                "--http-tokens @FILE\"}\n");
        }
    }
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/main", NOBODY), 403);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_file_is_read_again_when_it_changes(void **state) {
    (void)state;
    char option[64], whole[1024] = "";
    e2e_server server;
    FILE *from = fopen(file, "r");
    assert_non_null(from);
    assert_true(fread(whole, 1, sizeof whole - 1, from) > 0);
    fclose(from);
    snprintf(option, sizeof option, "@%s", file);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-tokens", option, NULL});
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN), 404);
    // One is taken out, while the server runs.
    char *admin = strstr(whole, "a admin ");
    assert_non_null(admin);
    *admin = '#';
    write_file("w", whole);
    E2E_WAIT(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN) == 401, e2e_sleep_ms(50));
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/nothing", READ), 403);
    // While it is wrong, or not there, none is valid.
    write_file("a", "what is this\n");
    E2E_WAIT(ask_at(&server, "DELETE", "/api/sessions/nothing", READ) == 401, e2e_sleep_ms(50));
    assert_true(e2e_server_has_logged(&server, "': line 4: expected NAME ROLE HASH EXPIRY"));
    *admin = 'a';
    write_file("w", whole);
    E2E_WAIT(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN) == 404, e2e_sleep_ms(50));
    // Others may write to it, which no time of its content tells.
    assert_int_equal(chmod(file, 0666), 0);
    E2E_WAIT(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN) == 401, e2e_sleep_ms(50));
    unlink(file);
    E2E_WAIT((assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN), 401),
              e2e_server_has_logged(&server, "No such file or directory")),
             e2e_sleep_ms(200));
    write_file("w", whole);
    E2E_WAIT(ask_at(&server, "DELETE", "/api/sessions/nothing", ADMIN) == 404, e2e_sleep_ms(50));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// What changes something, and what only operators read, is at one address alone.
static void test_admin_address_has_the_changes(void **state) {
    (void)state;
    char option[64], path[256], where[128], socket_path[100], audit[64], log[1 << 15] = "";
    e2e_server server, admin;
    snprintf(audit, sizeof audit, "%s.audit", file);
    snprintf(option, sizeof option, "@%s", file);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-tokens", option, "--admin",
                                                    "127.0.0.1:0", "--audit", audit, NULL});
    admin = server;
    assert_int_equal(sscanf(strstr(server.ready, " admin="), " admin=%127s", where), 1);
    snprintf(admin.ready, sizeof admin.ready, "ready http=%s session=main", where);
    for (size_t i = 0; i < row_count; ++i) {
        const unsigned least = needed(&rows[i]);
        e2e_route_fill_in(&rows[i], "nothing", path, sizeof path);
        for (unsigned caller = 0; caller < CALLERS; ++caller) {
            const unsigned there = ask_at(&admin, rows[i].method, path, caller);
            const unsigned here = ask_at(&server, rows[i].method, path, caller);
            const bool may = least == NOBODY || (caller > WRONG && caller >= least);
            if (may == (there == 401 || there == 403) || (strcmp(rows[i].where, "admin") == 0) != (here == 403)) {
                fail_msg("%s %s by caller %u: %u, %u at the admin's", rows[i].method, path, caller, here, there);
            }
        }
    }
    assert_int_equal(ask_at(&server, "GET", "/metrics", ADMIN), 403);
    assert_string_equal(body, "{\"error\":\"this is at the address of --admin only\"}\n");
    assert_int_equal(ask_at(&admin, "GET", "/metrics", NOBODY), 200);
    assert_int_equal(ask_at(&admin, "GET", "/", NOBODY), 200);
    // A session that is made there is answered there, and joined at the players'.
    e2e_web *web = e2e_web_open(&admin, 0);
    char text[512];
    snprintf(
        text, sizeof text,
        "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 32\r\n"
        "Authorization: Bearer %s\r\n\r\n{\"name\":\"arena\",\"scene\":\"stack\"} ",
        tokens[ADMIN]);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 10000));
    assert_int_equal(answer.status, 201);
    e2e_web_close(web);
    assert_int_equal(ask_at(&server, "GET", "/api/sessions", NOBODY), 200);
    assert_non_null(strstr(body, "\"name\":\"arena\""));
    assert_non_null(strstr(body, "\n],\"changes\":false}\n"));
    assert_int_equal(ask_at(&admin, "GET", "/api/sessions", NOBODY), 200);
    assert_null(strstr(body, "changes"));
    // Who tries it at the players' address is written down, and only so often.
    for (unsigned i = 0; i < 70 && ask_at(&server, "GET", "/api/bans", MODERATE) != 429; ++i) {
        assert_true(i < 60 && answer.status == 403);
    }
    assert_int_equal(answer.status, 429);
    assert_int_equal(ask_at(&server, "GET", "/api/sessions", NOBODY), 200);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    FILE *written = fopen(audit, "r");
    assert_non_null(written);
    assert_true(fread(log, 1, sizeof log - 1, written) > 0);
    fclose(written);
    assert_int_equal(unlink(audit), 0);
    assert_non_null(
        strstr(log, "\"by\":\"m\",\"role\":\"moderate\",\"what\":\"GET /api/bans\",\"about\":\"\",\"status\":403,"
                    "\"result\":\"denied\"}\n"));
    // In the file system: for its user, and where a server was killed another one begins.
    snprintf(socket_path, sizeof socket_path, "%s.sock", file);
    snprintf(where, sizeof where, "unix:%s", socket_path);
    for (int i = 0; i < 2; ++i) {
        struct stat about;
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--admin", where, NULL});
        assert_non_null(strstr(server.ready, where));
        assert_int_equal(stat(socket_path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0600);
        snprintf(name.sun_path, sizeof name.sun_path, "%s", socket_path);
        const int client = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(connect(client, (struct sockaddr *)&name, sizeof name), 0);
        static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        assert_int_equal(write(client, request, sizeof request - 1), sizeof request - 1);
        assert_true(read(client, body, 17) > 0);
        assert_memory_equal(body, "HTTP/1.1 200 OK\r\n", 17);
        close(client);
        assert_int_equal(e2e_server_stop(&server, i == 0 ? SIGKILL : SIGTERM), i == 0 ? -1 : 0);
        assert_int_equal(access(socket_path, F_OK), i == 0 ? 0 : -1);
    }
    // One that is not its own any more stays.
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--admin", where, NULL});
    assert_int_equal(unlink(socket_path), 0);
    const int other = open(socket_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(other >= 0);
    close(other);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_int_equal(unlink(socket_path), 0);
}

static void test_no_token_stays_in_memory(void **state) {
    (void)state;
    char option[64];
    e2e_server server;
    e2e_skip_without_memory();
    snprintf(option, sizeof option, "@%s", file);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-tokens", option, NULL});
    assert_true(e2e_server_count_in_memory(&server, "Bearer") < 100);
    // On a connection that stays open, one that has ended, of a request that waits, and with a body.
    char text[400];
    e2e_web *web = e2e_web_open(&server, 0);
    snprintf(text, sizeof text, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
             tokens[ADMIN]);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 10000));
    assert_int_equal(answer.status, 200);
    assert_int_equal(ask_at(&server, "GET", "/api/sessions/main/members", ADMIN), 200);
    assert_int_equal(ask_at(&server, "DELETE", "/api/sessions/main", ADMIN), 202);
    assert_int_equal(e2e_server_count_in_memory(&server, tokens[ADMIN]), 0);
    e2e_web_close(web);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// Everybody on a machine sees the arguments of a process, in memory and in its file.
static void test_token_of_the_arguments_is_overwritten(void **state) {
    (void)state;
    char path[64], arguments[1024] = "";
    e2e_server server;
    e2e_skip_without_memory();
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-token", tokens[ADMIN],
                                                    "--tick-rate", "50", NULL});
    assert_int_equal(ask_at(&server, "GET", "/api/sessions/main/members", ADMIN), 200);
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)server.pid);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t size = fread(arguments, 1, sizeof arguments - 1, in);
    fclose(in);
    assert_null(memmem(arguments, size, tokens[ADMIN], strlen(tokens[ADMIN])));
    assert_non_null(memmem(arguments, size, "--http-token\0xxxxxxxxxxxxxxxx", 29));
    assert_non_null(memmem(arguments, size, "--tick-rate\00050\0", 15));
    assert_int_equal(e2e_server_count_in_memory(&server, tokens[ADMIN]), 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_wrong_options_are_named(void **state) {
    (void)state;
    static const struct {
        const char *option, *value, *why;
    } cases[] = {
        {"--http-tokens", "tokens", "--http-tokens: 'tokens' is not @FILE"},
        {"--http-tokens", "@/nonexistent/tokens", "--http-tokens: '/nonexistent/tokens': No such file"},
        {"--new-token", "anna", "--new-token: 'anna' is not NAME:read, NAME:moderate or NAME:admin"},
        {"--new-token", "anna:root", "--new-token: 'anna:root' is not"},
        {"--new-token", "Anna:admin", "--new-token: 'Anna:admin' is not"},
        {"--new-token", "anna:admin:0", "--new-token: 'anna:admin:0' is not"},
        {"--new-token", "anna:admin:x", "--new-token: 'anna:admin:x' is not"},
    };
    char text[1024], option[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *const arguments[] = {"--tcp",         "127.0.0.1:0",  "--http", "127.0.0.1:0",
                                         cases[i].option, cases[i].value, NULL};
        assert_int_equal(e2e_run(E2E_SERVER, arguments, text, sizeof text), 2);
        if (strstr(text, cases[i].why) == NULL) {
            fail_msg("%s", text);
        }
    }
    // Others could give themselves a token.
    snprintf(option, sizeof option, "@%s", file);
    assert_int_equal(chmod(file, 0620), 0);
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--http-tokens", option, NULL},
                             text, sizeof text),
                     2);
    assert_non_null(strstr(text, "others than its user may write to it: chmod go-w"));
    assert_int_equal(chmod(file, 0600), 0);
    // Nor is one believed that somebody else has put there.
    if (geteuid() != 0) {
        return;
    }
    const char *const files[][2] = {{"--http-tokens", option}, {"--http-token", option}, {"--bans", file}};
    assert_int_equal(chown(file, 65534, 65534), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        const char *const arguments[] = {"--tcp", "127.0.0.1:0", files[i][0], files[i][1], NULL};
        assert_int_equal(e2e_run(E2E_SERVER, arguments, text, sizeof text), 2);
        assert_non_null(strstr(text, "it belongs to another user: chown it to root"));
    }
    assert_int_equal(chown(file, 0, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_route_is_tried_with_every_role),
        cmocka_unit_test(test_server_without_tokens_changes_nothing),
        cmocka_unit_test(test_file_is_read_again_when_it_changes),
        cmocka_unit_test(test_admin_address_has_the_changes),
        cmocka_unit_test(test_no_token_stays_in_memory),
        cmocka_unit_test(test_token_of_the_arguments_is_overwritten),
        cmocka_unit_test(test_wrong_options_are_named),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
