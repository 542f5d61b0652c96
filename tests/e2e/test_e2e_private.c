/// Private sessions: whoever has no right to know of one finds its name and uid in nothing that the server says. Every
/// route of server/API.md and every answer of the lobby is looked through, while it runs, after a restart, after its
/// end, and after another start; who has a token, or knows the name, finds it.
#include "e2e_routes.h"
#include "e2e_web.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME   "zz-hidden-owl"
#define OPEN   "lake"
#define ABSENT "zz-absent-owl" // as long
#define SECRET "correct horse"
#define READER "0123456789abcdef-reader"

static e2e_route routes[E2E_ROUTES_MAX];
static size_t route_count;
static e2e_server server;
static char folder[64], tokens[80], uid[33], body[1 << 17];
static e2e_answer answer;
static bool is_divided; // --admin: changes and metrics are at another address

static uint16_t port_of(bool is_admin) {
    const char *at = strstr(server.ready, is_admin && is_divided ? " admin=" : " http=");
    assert_non_null(at);
    return (uint16_t)atoi(strchr(at + 1, ':') + 1);
}

/// Asks at one address. @param lines  further headers @return the status; head and body are in `answer` and `body`
static unsigned ask_at(bool is_admin, const char *method, const char *path, const char *lines, const char *json) {
    char head[600];
    e2e_server at = server;
    snprintf(at.ready, sizeof at.ready, "ready http=127.0.0.1:%u session=", port_of(is_admin));
    e2e_web *web = e2e_web_open(&at, 0);
    snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n%s%s\r\n", method, path,
             json != NULL ? strlen(json) : 0, json != NULL ? "Content-Type: application/json\r\n" : "", lines);
    e2e_web_say(web, head);
    if (json != NULL) {
        e2e_web_say(web, json);
    }
    assert_true(e2e_web_read(web, &answer, strcmp(method, "HEAD") == 0, 20000));
    assert_true(answer.size < sizeof body);
    memcpy(body, answer.body, answer.size);
    body[answer.size] = '\0';
    e2e_web_close(web);
    return answer.status;
}

static unsigned ask(const char *method, const char *path, const char *json) {
    return ask_at(true, method, path, E2E_WEB_RIGHT, json);
}

static unsigned read_as(const char *path, const char *token) {
    char line[200];
    snprintf(line, sizeof line, "Authorization: Bearer %s\r\n", token);
    return ask_at(true, "GET", path, line, NULL);
}

static void expect_nothing(const char *where, const void *bytes, size_t size) {
    char prefix[9] = "";
    memcpy(prefix, uid, 8);
    const char *const secrets[] = {NAME, prefix, "hidden", "private"};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; ++i) {
        if (memmem(bytes, size, secrets[i], strlen(secrets[i])) != NULL) {
            fail_msg("%s tells '%s': %.*s", where, secrets[i], (int)size, (const char *)bytes);
        }
    }
}

// ---- What a stranger can ask ----------------------------------------------------------------------------

static void say(e2e_link *link, const iso_message *message) {
    uint8_t bytes[1024];
    e2e_link_write(link, bytes, e2e_encode(message, bytes, sizeof bytes));
}

static iso_message hello_for(const char *session, const char *password) {
    iso_message hello = e2e_hello();
    snprintf(hello.as.hello.session, sizeof hello.as.hello.session, "%s", session);
    snprintf(hello.as.hello.password, sizeof hello.as.hello.password, "%s", password);
    return hello;
}

/// What the lobby answers, over TCP.
static iso_message tell(const iso_message *message) {
    iso_message heard;
    e2e_link *link = e2e_link_open(server.port, 0);
    say(link, message);
    assert_true(e2e_link_read(link, &heard, 8000));
    e2e_link_close(link);
    return heard;
}

/// The first message over WebSocket, as it is on the wire.
static void expect_nothing_over_websocket(const iso_message *message) {
    const uint8_t *bytes;
    size_t size;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(web, message);
    assert_true(e2e_web_receive(web, &bytes, &size, 8000) != 0);
    expect_nothing("the lobby", bytes, size);
    e2e_web_close(web);
}

static void look_in_the_lobby(void) {
    const iso_message list = {.kind = ISO_MESSAGE_LIST}, hello = hello_for("nothing", "");
    iso_message heard = tell(&list);
    assert_int_equal(heard.kind, ISO_MESSAGE_SESSION_LIST);
    assert_int_equal(heard.as.session_list.count, 1);
    heard = tell(&hello);
    assert_int_equal(heard.as.refusal.code, ISO_ERR_NO_SESSION);
    assert_string_equal(heard.as.refusal.expected, OPEN);
    expect_nothing_over_websocket(&list);
    expect_nothing_over_websocket(&hello);
}

/// Every route by every method, with names that are none and with those that a stranger might try.
static void look_at_the_routes(void) {
    char path[256], file[100], guess[3][100] = {"nothing", NAME};
    snprintf(file, sizeof file, NAME "-%.8s-1.isr", uid);
    snprintf(guess[2], sizeof guess[2], "%s", file);
    for (size_t i = 0; i < route_count; ++i) {
        for (unsigned k = 0; k < 3; ++k) {
            const bool is_told_twice = k > 0 && strchr(routes[i].path, '{') == NULL;
            for (unsigned is_admin = 0; !is_told_twice && is_admin <= is_divided; ++is_admin) {
                e2e_route_fill_in(&routes[i], guess[k], path, sizeof path);
                ask_at(is_admin, routes[i].method, path, "", NULL);
                expect_nothing(path, answer.head, strlen(answer.head));
                expect_nothing(path, body, answer.size);
                // There is nothing of this name, as of any other.
                if (strcmp(routes[i].path, "/api/recordings/{file}") == 0) {
                    assert_int_equal(answer.status, 404);
                }
            }
        }
    }
    // HEAD tells no size.
    snprintf(path, sizeof path, "/api/recordings/%s", file);
    assert_int_equal(ask_at(false, "HEAD", path, "", NULL), 404);
    assert_int_equal(ask_at(false, "GET", path, "If-None-Match: *\r\n", NULL), 404);
    assert_int_equal(ask_at(false, "GET", "/api/sessions", "Authorization: Bearer 0123456789abcdef-wrong\r\n", NULL),
                     200);
    expect_nothing("a wrong token", body, answer.size);
}

static void look_as_a_stranger(void) {
    expect_nothing("the ready line", server.ready, strlen(server.ready));
    look_in_the_lobby();
    look_at_the_routes();
}

// ---- The tests ------------------------------------------------------------------------------------------

static void start(void) {
    char option[100];
    snprintf(option, sizeof option, "@%s", tokens);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", E2E_WEB_ADMIN, "--http-tokens", option,
                                                    "--record", folder, "--session", OPEN,
                                                    is_divided ? "--admin" : NULL, "127.0.0.1:0", NULL});
}

static int set_up(void **state) {
    (void)state;
    e2e_folder_make(folder);
    route_count = e2e_routes_read(routes);
    // printf %s 0123456789abcdef-reader | sha256sum
    snprintf(tokens, sizeof tokens, "%s.tokens", folder);
    FILE *file = fopen(tokens, "w");
    assert_non_null(file);
    fputs("reader read 05006e85a6d9a648ea83a19ca3eb4ab3b744f16073317ca1c35844ae2f63631d never\n", file);
    return fclose(file);
}

static int tear_down(void **state) {
    (void)state;
    unlink(tokens);
    e2e_folder_remove(folder);
    return 0;
}

/// Who has a token of any role knows of it, and of its recording, if it has one that is sealed.
static void expect_all(bool is_there, bool is_recorded) {
    char path[160], file[100];
    snprintf(file, sizeof file, NAME "-%.8s-1.isr", uid);
    const char *const by[] = {READER, E2E_WEB_TOKEN};
    for (unsigned i = 0; i < 2; ++i) {
        assert_int_equal(read_as("/api/sessions", by[i]), 200);
        assert_true((strstr(body, "\"name\":\"" NAME "\"") != NULL) == is_there);
        assert_true((strstr(body, ",\"private\":true}") != NULL) == is_there);
        assert_int_equal(read_as("/metrics", by[i]), 200);
        assert_true((strstr(body, "isostep_session_members{session=\"" NAME "\"}") != NULL) == is_there);
        assert_true((strstr(body, "isostep_session_sync_hangs{session=\"" NAME "\"}") != NULL) == is_there);
        assert_int_equal(read_as("/api/recordings", by[i]), 200);
        assert_true((strstr(body, file) != NULL) == is_recorded);
        snprintf(path, sizeof path, "/api/recordings/%s", file);
        assert_int_equal(read_as(path, by[i]), is_recorded ? 200 : 404);
    }
}

static void play(void) {
    e2e_player *player = e2e_player_start_in(server.port, NAME, 20000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    const iso_message_welcome *welcome = iso_client_welcome(player->client);
    for (size_t i = 0; i < 16; ++i) {
        snprintf(uid + 2 * i, 3, "%02x", welcome->uid[i]);
    }
    e2e_players_run_for(&player, 1, 300);
    e2e_player_destroy(player);
}

static void test_strangers_find_nothing_of_a_private_session(void **state) {
    is_divided = *state != NULL;
    start();
    strcpy(uid, "no uid yet");
    assert_int_equal(ask("POST", "/api/sessions", "{\"name\":\"" NAME "\",\"scene\":\"stack\",\"private\":true}"), 201);
    assert_non_null(strstr(body, ",\"private\":true}"));
    play();
    look_as_a_stranger();
    expect_all(true, false);
    // It goes on, private, in another epoch; its recording is sealed.
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    start();
    play();
    look_as_a_stranger();
    expect_all(true, true);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    start();
    look_as_a_stranger();
    // It ends. What it has left stays private.
    assert_int_equal(ask("DELETE", "/api/sessions/" NAME, NULL), 202);
    E2E_WAIT((ask("GET", "/api/sessions", NULL), strstr(body, NAME) == NULL), e2e_sleep_ms(10));
    look_as_a_stranger();
    expect_all(false, true);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    start();
    look_as_a_stranger();
    expect_all(false, true);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_private_session_alone_is_no_session_to_strangers(void **state) {
    (void)state;
    is_divided = false;
    start();
    strcpy(uid, "no uid yet");
    assert_int_equal(ask("POST", "/api/sessions",
                         "{\"name\":\"" NAME "\",\"scene\":\"stack\",\"private\":true,\"password\":\"" SECRET "\"}"),
                     201);
    // A password that is wrong, or none: as where there is nothing.
    static const char *const passwords[] = {"", "wrong"};
    for (unsigned i = 0; i < 2; ++i) {
        const iso_message wrong = hello_for(NAME, passwords[i]), absent = hello_for(ABSENT, passwords[i]);
        const iso_message a = tell(&wrong), b = tell(&absent);
        assert_int_equal(a.kind, ISO_MESSAGE_REFUSAL);
        assert_memory_equal(&a.as.refusal, &b.as.refusal, sizeof a.as.refusal);
        assert_int_equal(a.as.refusal.code, ISO_ERR_NO_SESSION);
    }
    const iso_message right = hello_for(NAME, SECRET);
    assert_int_equal(tell(&right).kind, ISO_MESSAGE_WELCOME);
    assert_int_equal(ask("DELETE", "/api/sessions/" OPEN, NULL), 202);
    E2E_WAIT((ask_at(false, "GET", "/readyz", "", NULL), strcmp(body, "ready, without a session\n") == 0),
             e2e_sleep_ms(10));
    assert_int_equal(read_as("/readyz", READER), 200);
    assert_string_equal(body, "ready\n");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void start_hidden(const char *option) {
    e2e_server_start(&server,
                     (const char *const[]){"--http", "127.0.0.1:0", E2E_WEB_ADMIN, "--record", folder, "--session",
                                           NAME, "--session", OPEN, option, option != NULL ? NAME : NULL, NULL});
}

/// One of the command line, a new one and one that was public; it stays private without the option.
static void test_command_line_makes_a_session_private(void **state) {
    (void)state;
    char text[2000];
    is_divided = false;
    const char *const wrong[] = {"--tcp", "127.0.0.1:0", "--record", folder, "--private", "nothing", NULL};
    assert_int_equal(e2e_run(E2E_SERVER, wrong, text, sizeof text), 2);
    assert_non_null(strstr(text, "--private: there is no --session 'nothing'"));
    start_hidden(NULL);
    assert_non_null(strstr(server.ready, "session=" NAME "," OPEN));
    play();
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    static const char *const options[] = {"--private", NULL, "--private"};
    for (unsigned i = 0; i < 3; ++i) {
        start_hidden(options[i]);
        play();
        look_as_a_stranger();
        assert_int_equal(read_as("/api/sessions", E2E_WEB_TOKEN), 200);
        assert_non_null(strstr(body, ",\"private\":true}"));
        assert_int_equal(e2e_server_stop(&server, i == 0 ? SIGKILL : SIGTERM), i == 0 ? -1 : 0);
    }
    // A server without recordings has no file that would keep it.
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--session", NAME, "--session", OPEN,
                                                    "--private", NAME, NULL});
    look_as_a_stranger();
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_strangers_find_nothing_of_a_private_session, set_up, tear_down),
        cmocka_unit_test_prestate_setup_teardown(test_strangers_find_nothing_of_a_private_session, set_up, tear_down,
                                                 &is_divided),
        cmocka_unit_test_setup_teardown(test_command_line_makes_a_session_private, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_private_session_alone_is_no_session_to_strangers, set_up, tear_down),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
