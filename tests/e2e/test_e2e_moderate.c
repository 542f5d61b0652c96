/// Those who run a server and those who play on it: who is here, kicks, bans, notices, draining and what is written
/// down of it, on a real server.
#include "e2e_web.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef-moderate"
#define OTHER "127.0.0.2" // loopback has more addresses than one

static e2e_server server;
static char folder[64], audit[128], body[1 << 16], text[1 << 16];
static e2e_answer answer;

static int set_up(void **state) {
    (void)state;
    e2e_folder_make(folder);
    snprintf(audit, sizeof audit, "%s/audit", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

static void start(void) {
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--http-token", TOKEN, "--record", folder,
                                                    "--audit", audit, NULL});
}

/// @param json  NULL: no body @return the status; the answer's text is in `body`
static unsigned ask(const char *method, const char *path, const char *json) {
    char head[600];
    e2e_web *web = e2e_web_open(&server, 0);
    snprintf(head, sizeof head,
             "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " TOKEN "\r\nContent-Length: %zu\r\n%s\r\n",
             method, path, json != NULL ? strlen(json) : 0, json != NULL ? "Content-Type: application/json\r\n" : "");
    e2e_web_say(web, head);
    if (json != NULL) {
        e2e_web_say(web, json);
    }
    assert_true(e2e_web_read(web, &answer, false, 20000));
    assert_true(answer.size < sizeof body);
    memcpy(body, answer.body, answer.size);
    body[answer.size] = '\0';
    e2e_web_close(web);
    return answer.status;
}

static void expect(unsigned status, unsigned expected, const char *has) {
    if (status != expected || strstr(body, has) == NULL) {
        fail_msg("%u: %s", status, body);
    }
}

static const char *content_of(const char *path) {
    FILE *file = fopen(path, "r");
    const size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/// A connection from another address of this machine.
static e2e_link *open_from(const char *from) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server.port)}, own = {.sin_family = AF_INET};
    e2e_link *link = calloc(1, sizeof *link);
    assert_non_null(link);
    iso_framer_init(&link->framer, link->frame, sizeof link->frame);
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, from, &own.sin_addr);
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    assert_int_equal(bind(link->fd, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(link->fd, (struct sockaddr *)&address, sizeof address), 0);
    fcntl(link->fd, F_SETFL, O_NONBLOCK);
    return link;
}

static void say(e2e_link *link, const iso_message *message) {
    uint8_t bytes[1024];
    e2e_link_write(link, bytes, e2e_encode(message, bytes, sizeof bytes));
}

/// Says Hello. @return the first answer
static iso_message greet(e2e_link *link, iso_message hello) {
    iso_message message;
    hello.as.hello.features = ISO_FEATURE_NOTICES;
    say(link, &hello);
    assert_true(e2e_link_read(link, &message, 8000));
    return message;
}

static iso_status end_of(e2e_link *link) {
    iso_message message;
    for (;;) {
        assert_true(e2e_link_read(link, &message, 8000));
        if (message.kind == ISO_MESSAGE_BYE) {
            return message.as.bye.code;
        }
        if (message.kind == ISO_MESSAGE_REFUSAL) {
            return message.as.refusal.code;
        }
    }
}

// ---- Who is here ------------------------------------------------------------------------------------

/// The answer to HEAD has no body, or the connection's next answer would begin with it.
static void expect_head_alone(const char *path) {
    e2e_web *web = e2e_web_open(&server, 0);
    char head[300];
    snprintf(head, sizeof head, "HEAD %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " TOKEN "\r\n\r\n", path);
    e2e_web_say(web, head);
    assert_true(e2e_web_read(web, &answer, true, 20000));
    assert_int_equal(answer.status, 200);
    e2e_web_say(web, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(e2e_web_read(web, &answer, false, 20000));
    assert_int_equal(answer.status, 200);
    assert_memory_equal(answer.body, "ok\n", 3);
    e2e_web_close(web);
}

static void test_members_are_listed_and_kicked(void **state) {
    (void)state;
    start();
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    E2E_WAIT((expect(ask("GET", "/api/sessions/main/members", NULL), 200, "\"members\""),
              strstr(body, "\"state\":\"active\"") != NULL && strstr(body, "\"round_trip_ms\":null") == NULL),
             e2e_players_run_for(&player, 1, 50));
    expect(200, 200, "\"role\":\"player\",\"slot\":0,\"generation\":1,");
    expect(200, 200, "\"address\":\"127.0.0.1:");
    expect(200, 200, "\"since\":\"20");
    expect(200, 200, "\"desyncs\":0");
    expect_head_alone("/api/sessions/main/members");
    expect(ask("GET", "/api/sessions/nothing/members", NULL), 404, "no such session");
    expect(ask("POST", "/api/sessions/main/kick", "{\"slot\":0,\"generation\":2}"), 404, "nobody");
    expect(ask("POST", "/api/sessions/main/kick", "{\"slot\":0,\"slott\":1}"), 400,
           "/slott: unknown key, expected one of: slot connection generation reason\"");
    expect(ask("POST", "/api/sessions/main/kick", "{}"), 400, "either slot or connection is needed");
    expect(ask("POST", "/api/sessions/main/kick", "{\"slot\":32}"), 400, "/slot: expected a whole number from 0 to 31");
    expect(ask("POST", "/api/sessions/main/kick", "[1]"), 400, "no JSON object");
    expect(ask("POST", "/api/sessions/a-session-with-a-long-name/kick", "{\"slot\":0}"), 404, "no such session");
    expect(ask("DELETE", "/api/sessions/nothing", NULL), 404, "no such session");
    expect(ask("POST", "/api/sessions/main/kick", "{\"slot\":0,\"generation\":1,\"reason\":\"rude\"}"), 200,
           "\"slot\":0,\"generation\":1,");
    assert_true(e2e_players_run(&player, 1, e2e_all_ended, 8000));
    assert_int_equal(player->end_status, ISO_ERR_KICKED);
    E2E_WAIT((ask("GET", "/api/sessions/main/members", NULL), strstr(body, "\"slot\"") == NULL), e2e_sleep_ms(10));
    e2e_player_destroy(player);
    expect(ask("POST", "/api/sessions", "{\"name\":\"new\",\"scene\":\"stack\"}"), 201, "\"new\"");
    expect(ask("POST", "/api/sessions", "{\"name\":\"new\",\"scene\":\"stack\"}"), 409, "already");
    assert_true(
        e2e_server_has_logged(&server, "session new: is created over HTTP by http-token, with the scene 'stack'"));
    assert_true(
        e2e_server_has_logged(&server, "session new: a session is not created over HTTP by http-token: there is"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    const char *log = content_of(audit);
    assert_non_null(strstr(log, ",\"by\":\"http-token\",\"role\":\"admin\",\"what\":\"POST /api/sessions/main/kick\","
                                "\"about\":\"session main, slot 0, generation 1\",\"status\":200,\"result\":\"done\","
                                "\"reason\":\"rude\"}\n"));
    assert_non_null(
        strstr(log, "\"what\":\"POST /api/sessions\",\"about\":\"\",\"status\":202,\"result\":\"begun\"}\n"));
    assert_non_null(
        strstr(log, "\"what\":\"POST /api/sessions\",\"about\":\"new\",\"status\":201,\"result\":\"done\"}\n"));
    assert_non_null(strstr(log, "\"by\":\"http-token\",\"role\":\"admin\",\"what\":\"POST /api/sessions\",\"about\":"
                                "\"new\",\"status\":409,\"result\":\"failed: there is a session 'new' already\"}\n"));
    assert_non_null(strstr(log, "\"status\":404,\"result\":\"nobody\"}\n"));
    // What was tried with the right and refused is there, too; what only asked is not.
    assert_non_null(strstr(log, "\"what\":\"POST /api/sessions/main/kick\",\"about\":\"\",\"status\":400,\"result\":"
                                "\"refused: either slot or connection is needed\"}\n"));
    assert_non_null(strstr(
        log, "\"result\":\"refused: /slott: unknown key, expected one of: slot connection generation reason\"}\n"));
    assert_non_null(strstr(log, "\"result\":\"refused: the body is no JSON object\"}\n"));
    assert_non_null(strstr(log,
                           "\"what\":\"POST /api/sessions/a-session-with-a-long-name/kick\",\"about\":\"a-session-with-"
                           "a-long-name\",\"status\":404,\"result\":\"refused: there is no such session\"}\n"));
    assert_non_null(strstr(log, "\"what\":\"DELETE /api/sessions/nothing\",\"about\":\"nothing\",\"status\":404,"));
    assert_null(strstr(log, "\"what\":\"GET"));
    struct stat about;
    assert_int_equal(stat(audit, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

// ---- Bans -------------------------------------------------------------------------------------------

static void test_a_banned_address_is_refused_over_restarts(void **state) {
    (void)state;
    start();
    e2e_link *link = open_from(OTHER);
    assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
    expect(ask("POST", "/api/bans", "{\"address\":\"127.0.0.2\",\"seconds\":3600,\"reason\":\"flood\\\"s\"}"), 200,
           "\"what\":\"127.0.0.2/32\",\"until\":\"20");
    assert_int_equal(end_of(link), ISO_ERR_BANNED); // who is here goes
    e2e_link_close(link);
    for (unsigned run = 0; run < 2; ++run) {
        link = open_from(OTHER);
        assert_int_equal(end_of(link), ISO_ERR_BANNED);
        e2e_link_close(link);
        link = open_from("127.0.0.3");
        assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
        e2e_link_close(link);
        expect(ask("GET", "/api/bans", NULL), 200, "\"reason\":\"flood\\\"s\"");
        expect(ask("GET", "/metrics", NULL), 200, "bans");
        if (run == 0) {
            assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
            start();
        }
    }
    char path[64] = "/api/bans/";
    ask("GET", "/api/bans", NULL);
    snprintf(path + 10, 17, "%s", strstr(body, "\"id\":\"") + 6);
    expect(ask("DELETE", path, NULL), 200, "{\"bans\":[\n]}");
    assert_true(e2e_server_has_logged(&server, "http-token removes the ban "));
    expect(ask("DELETE", path, NULL), 404, "no such ban");
    link = open_from(OTHER);
    assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
    e2e_link_close(link);
    expect(ask("POST", "/api/bans", "{\"address\":\"0.0.0.0/0\"}"), 400, "/address: expected");
    expect(ask("POST", "/api/bans", "{}"), 400, "either address, or session");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    const char *log = content_of(audit);
    assert_non_null(strstr(log, "\"about\":\"127.0.0.2/32\",\"status\":200,\"result\":\"done\","
                                "\"reason\":\"flood\\\"s\"}\n"));
    assert_non_null(strstr(log, "\"status\":400,\"result\":\"refused: /address: expected"));
}

/// Its address is one that many may have, as behind a proxy, so its seat is what is known.
static void test_a_banned_seat_is_refused(void **state) {
    (void)state;
    start();
    e2e_player *player = e2e_player_start_in(server.port, "main", 20000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    const iso_message_welcome welcome = *iso_client_welcome(player->client);
    expect(ask("POST", "/api/bans", "{\"session\":\"main\",\"slot\":0}"), 200, "\"slot\":0");
    assert_true(e2e_players_run(&player, 1, e2e_all_ended, 8000));
    assert_int_equal(player->end_status, ISO_ERR_BANNED);
    e2e_player_destroy(player);
    iso_message hello = e2e_hello();
    iso_resume *resume = &hello.as.hello.resume;
    hello.as.hello.has_resume = true;
    memcpy(resume->uid, welcome.uid, sizeof resume->uid);
    memcpy(resume->secret, welcome.secret, sizeof resume->secret);
    resume->slot = welcome.slot;
    resume->slot_generation = welcome.slot_generation;
    e2e_link *link = e2e_link_open(server.port, 0);
    assert_int_equal(greet(link, hello).as.refusal.code, ISO_ERR_BANNED);
    e2e_link_close(link);
    expect(ask("GET", "/api/bans", NULL), 200, "\"what\":\"seat:");
    assert_null(strstr(body, "127.0.0.1"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// An operator edits the file; a line that is wrong changes nothing.
static void test_bans_are_read_again(void **state) {
    (void)state;
    char path[128];
    start();
    snprintf(path, sizeof path, "%s/server.bans", folder);
    expect(ask("POST", "/api/bans", "{\"address\":\"192.0.2.7\"}"), 200, "192.0.2.7/32");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    FILE *file = fopen(path, "a");
    fputs("127.0.0.2/32 never me by hand\n", file);
    fclose(file);
    e2e_link *link = open_from(OTHER);
    assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
    kill(server.pid, SIGHUP);
    assert_int_equal(end_of(link), ISO_ERR_BANNED);
    e2e_link_close(link);
    file = fopen(path, "a");
    fputs("127.0.0.2 sometimes me\n", file);
    fclose(file);
    kill(server.pid, SIGHUP);
    char line[256];
    snprintf(line, sizeof line, "the bans in '%s', line 5: expected never, or a time", path);
    E2E_WAIT(e2e_server_has_logged(&server, line), e2e_sleep_ms(10));
    link = open_from(OTHER);
    assert_int_equal(end_of(link), ISO_ERR_BANNED);
    e2e_link_close(link);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// Whoever is put into the file by seat goes as well; another generation of the slot was somebody else.
static void test_a_seat_in_the_file_is_removed(void **state) {
    (void)state;
    char path[128], uid[33];
    start();
    snprintf(path, sizeof path, "%s/server.bans", folder);
    e2e_player *player = e2e_player_start_in(server.port, "main", 20000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    const iso_message_welcome welcome = *iso_client_welcome(player->client);
    for (size_t i = 0; i < sizeof welcome.uid; ++i) {
        snprintf(uid + 2 * i, 3, "%02x", welcome.uid[i]);
    }
    FILE *file = fopen(path, "a");
    fprintf(file, "seat:%s:%u:%u never me by hand\n", uid, welcome.slot, welcome.slot_generation + 1);
    fclose(file);
    kill(server.pid, SIGHUP);
    E2E_WAIT(e2e_server_has_logged(&server, "SIGHUP: reloaded"), e2e_sleep_ms(10));
    expect(ask("GET", "/api/sessions/main/members", NULL), 200, "\"state\":\"active\"");
    file = fopen(path, "a");
    fprintf(file, "seat:%s:%u:%u never me by hand\n", uid, welcome.slot, welcome.slot_generation);
    fclose(file);
    kill(server.pid, SIGHUP);
    assert_true(e2e_players_run(&player, 1, e2e_all_ended, 8000));
    assert_int_equal(player->end_status, ISO_ERR_BANNED);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// Here loopback is not limited, so no address may be banned, and a spectator has no seat: that is said.
static void test_a_ban_that_knows_nobody_again_says_so(void **state) {
    (void)state;
    iso_message watcher = e2e_hello();
    start();
    watcher.as.hello.role = ISO_ROLE_SPECTATOR;
    e2e_link *link = e2e_link_open(server.port, 0);
    assert_int_equal(greet(link, watcher).kind, ISO_MESSAGE_WELCOME);
    expect(ask("GET", "/api/sessions/main/members", NULL), 200, "\"connection\":");
    char json[80];
    snprintf(json, sizeof json, "{\"session\":\"main\",\"connection\":%lu}",
             strtoul(strstr(body, "\"connection\":") + 13, NULL, 10));
    expect(ask("POST", "/api/bans", json), 409, "is removed, but not banned");
    assert_int_equal(end_of(link), ISO_ERR_BANNED);
    e2e_link_close(link);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_non_null(strstr(content_of(audit), "\"status\":409,\"result\":\"removed, but not banned\""));
}

// ---- Notices and draining ---------------------------------------------------------------------------

static void test_notices_are_told_and_draining_says_when(void **state) {
    (void)state;
    iso_message message;
    start();
    e2e_link *link = e2e_link_open(server.port, 0);
    assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
    expect(ask("POST", "/api/notice", "{\"text\":\"hello \\u00eb\"}"), 200, "told");
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "hello \xC3\xAB");
    assert_int_equal(message.as.notice.deadline_ms, 0);
    assert_true(e2e_server_has_logged(&server, "info: http-token tells everybody: \"hello \xC3\xAB\""));
    expect(ask("POST", "/api/notice", "{\"msg\":\"hello\"}"), 400,
           "/msg: unknown key, expected one of: text session connection seconds\"");
    expect(ask("POST", "/api/notice", "{\"text\":\"\"}"), 400, "/text");
    // What the protocol's texts cannot carry.
    expect(ask("POST", "/api/notice", "{\"text\":\"a\\u0085\"}"), 400, "without control characters");
    expect(ask("POST", "/api/notice", "{\"text\":\"a\\u007f\"}"), 400, "without control characters");
    expect(ask("POST", "/api/drain", "{\"text\":\"\\u009f\"}"), 400, "without control characters");
    expect(ask("POST", "/api/notice", "{\"text\":\"\\udc00\\ud800\"}"), 200, "told");
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    expect(ask("POST", "/api/notice", "{\"text\":\"x\",\"session\":\"nothing\"}"), 404, "no such session");
    expect(ask("POST", "/api/drain", "{\"seconds\":600,\"text\":\"later\"}"), 202, "draining");
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "later");
    assert_in_range(message.as.notice.deadline_ms, 590000, 600001);
    expect(ask("GET", "/readyz", NULL), 503, "ending");
    expect(ask("POST", "/api/sessions", "{\"name\":\"new\",\"scene\":\"stack\"}"), 503, "ends");
    e2e_link *late = e2e_link_open(server.port, 0);
    assert_int_equal(greet(late, e2e_hello()).as.refusal.code, ISO_ERR_SHUTDOWN);
    e2e_link_close(late);
    // A spectator has no seat to come back to, whatever it claims.
    iso_message watcher = e2e_hello();
    watcher.as.hello.role = ISO_ROLE_SPECTATOR;
    watcher.as.hello.has_resume = true;
    late = e2e_link_open(server.port, 0);
    message = greet(late, watcher);
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    assert_int_equal(message.as.refusal.code, ISO_ERR_SHUTDOWN);
    e2e_link_close(late);
    expect(ask("POST", "/api/drain", "{\"seconds\":1}"), 202, "draining");
    assert_int_equal(end_of(link), ISO_ERR_RESTARTING);
    e2e_link_close(link);
    assert_int_equal(e2e_server_stop(&server, 0), 0);
    const char *log = content_of(audit);
    assert_non_null(strstr(log, "\"what\":\"POST /api/drain\",\"about\":\"later\",\"status\":202"));
    assert_non_null(strstr(log, "\"what\":\"POST /api/notice\",\"about\":\"nothing\",\"status\":404"));
    assert_non_null(
        strstr(log, "\"what\":\"POST /api/sessions\",\"about\":\"\",\"status\":503,\"result\":\"refused: the"));
}

/// What draining has told is not told again when a signal moves the end by nothing, and draining comes too late then.
static void test_an_end_is_told_once(void **state) {
    (void)state;
    iso_message message;
    e2e_server_start(&server,
                     (const char *const[]){"--http", "127.0.0.1:0", "--http-token", TOKEN, "--grace", "60", NULL});
    e2e_link *link = e2e_link_open(server.port, 0);
    assert_int_equal(greet(link, e2e_hello()).kind, ISO_MESSAGE_WELCOME);
    expect(ask("POST", "/api/drain", "{\"seconds\":1,\"text\":\"later\"}"), 202, "draining");
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "later");
    assert_in_range(message.as.notice.deadline_ms, 50000, 60001);
    kill(server.pid, SIGTERM);
    E2E_WAIT(e2e_server_has_logged(&server, "SIGTERM: ending"), e2e_sleep_ms(5));
    expect(ask("POST", "/api/drain", "{\"seconds\":600}"), 409, "the server ends already");
    expect(ask("POST", "/api/notice", "{\"text\":\"next\"}"), 200, "told");
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "next");
    e2e_link_close(link);
    e2e_sleep_ms(150); // a second signal so soon would be taken for the first
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1);
}

/// Begins to create a session, and ends the server before it is open.
/// @return false: the signal was heard before the request, which was refused
static bool create_and_end(void) {
    static const char json[] = "{\"name\":\"late\",\"scene\":\"sandbox\"}";
    char request[300];
    e2e_server_start(&server,
                     (const char *const[]){"--http", "127.0.0.1:0", "--http-token", TOKEN, "--grace", "60", NULL});
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); // the connection is accepted
    assert_true(e2e_web_read(web, &answer, false, 20000));
    snprintf(request, sizeof request,
             "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " TOKEN "\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(json), json);
    // Both are there when it goes on, the request first.
    kill(server.pid, SIGSTOP);
    e2e_web_say(web, request);
    kill(server.pid, SIGTERM);
    kill(server.pid, SIGCONT);
    assert_true(e2e_web_read(web, &answer, false, 20000));
    e2e_web_close(web);
    E2E_WAIT(e2e_server_has_logged(&server, "not ready; the sessions end in 60 s"), e2e_sleep_ms(5));
    assert_true(answer.status == 201 || answer.status == 503);
    return answer.status == 201;
}

/// A session that opens after the signal tells its members of the end like those that were there.
static void test_a_session_that_opens_late_tells_the_end(void **state) {
    (void)state;
    iso_message message, hello = e2e_hello();
    unsigned tries = 1;
    for (; !create_and_end(); ++tries) {
        e2e_server_stop(&server, SIGKILL);
        assert_true(tries < 100);
    }
    print_message("created in try %u\n", tries);
    e2e_link *link = e2e_link_open(server.port, 0);
    snprintf(hello.as.hello.session, sizeof hello.as.hello.session, "late");
    assert_int_equal(greet(link, hello).kind, ISO_MESSAGE_WELCOME);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "the server ends");
    assert_in_range(message.as.notice.deadline_ms, 1, 60001);
    e2e_link_close(link);
    e2e_sleep_ms(150); // a second signal so soon would be taken for the first
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1);
}

/// Ends the session `main` when the server has begun to end. @return the status
static unsigned end_late(void) {
    start();
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); // the connection is accepted
    assert_true(e2e_web_read(web, &answer, false, 20000));
    kill(server.pid, SIGSTOP);
    kill(server.pid, SIGTERM);
    e2e_web_say(web, "DELETE /api/sessions/main HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer " TOKEN "\r\n\r\n");
    kill(server.pid, SIGCONT);
    const bool is_answered = e2e_web_read(web, &answer, false, 20000);
    e2e_web_close(web);
    e2e_server_stop(&server, SIGCONT);
    return is_answered ? answer.status : 0;
}

/// A session that is sealed to go on is not said to be over.
static void test_what_is_ended_while_the_server_ends_is_told_truly(void **state) {
    (void)state;
    unsigned late = 0;
    for (unsigned tries = 0; tries < 100 && late == 0; ++tries) {
        const unsigned status = end_late();
        late = status == 409;
        start();
        E2E_WAIT(e2e_server_has_logged(&server, "recorded in"), e2e_sleep_ms(5));
        assert_int_equal(e2e_server_has_logged(&server, "continued from its recording"), status != 202);
        assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
        e2e_folder_remove(folder);
        e2e_folder_make(folder);
        snprintf(audit, sizeof audit, "%s/audit", folder);
    }
    assert_int_equal(late, 1);
}

/// Who has no right is told so, written down, and after some time only counted.
static void test_requests_without_the_right_are_limited(void **state) {
    (void)state;
    start();
    e2e_web *web = e2e_web_open(&server, 0);
    unsigned statuses[2] = {0, 0};
    for (unsigned i = 0; i < 90; ++i) {
        e2e_web_say(
            web, "GET /api/bans HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef-wrong\r\n\r\n");
        assert_true(e2e_web_read(web, &answer, false, 8000));
        assert_true(answer.status == 401 || answer.status == 429);
        ++statuses[answer.status == 429];
    }
    e2e_web_close(web);
    assert_true(statuses[0] >= 60 && statuses[1] > 0);
    expect(ask("GET", "/api/bans", NULL), 200, "bans"); // a right one is none of them
    expect(ask("GET", "/metrics", NULL), 200, "guessing tokens");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_non_null(strstr(content_of(audit), "\"by\":\"\",\"role\":\"none\",\"what\":\"GET /api/bans\",\"about\":\"\","
                                              "\"status\":401,\"result\":\"denied\"}\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_members_are_listed_and_kicked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_banned_address_is_refused_over_restarts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_banned_seat_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bans_are_read_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_seat_in_the_file_is_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_ban_that_knows_nobody_again_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_notices_are_told_and_draining_says_when, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_end_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_session_that_opens_late_tells_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_ended_while_the_server_ends_is_told_truly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_requests_without_the_right_are_limited, set_up, tear_down),
    };
    e2e_limit_seconds(100);
    // SIGHUP is for reloading: the servers shall have no terminal.
    if (getpgrp() != getpid()) {
        setsid();
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
