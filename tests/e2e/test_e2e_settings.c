/// Sessions with a password, with numbers of their own, or without a recording, on a real server: who gets in and who
/// does not, over both transports, and that all of it is the same after the server was killed.
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

#define PASSWORD  "p\xC3\xA4sswort-7310"
#define WRONG     "falsch-7310"
#define FROM_FILE "datei-7310"
#define OTHER     "127.0.0.2" // loopback has more addresses than one
#define GUESSES   10

static e2e_server server;
static char folder[64], audit[80], body[1 << 15], text[1 << 17];
static e2e_answer answer;

#define SERVED "--http", "127.0.0.1:0", E2E_WEB_ADMIN, "--record", folder, "--audit", audit

static int set_up(void **state) {
    (void)state;
    e2e_folder_make(folder);
    snprintf(audit, sizeof audit, "/tmp/isostep-e2e-audit-%d", (int)getpid());
    e2e_player_password = NULL;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(audit);
    e2e_folder_remove(folder);
    return 0;
}

static void start(const char *further, const char *value) {
    e2e_server_start(&server, (const char *const[]){SERVED, further, value, NULL});
}

// ---- HTTP ---------------------------------------------------------------------------------------------

static unsigned ask(const char *method, const char *path, const char *json) {
    char head[400];
    e2e_web *web = e2e_web_open(&server, 0);
    snprintf(head, sizeof head,
             "%s %s HTTP/1.1\r\nHost: localhost\r\n" E2E_WEB_RIGHT
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             method, path, strlen(json));
    e2e_web_say(web, head);
    e2e_web_say(web, json);
    assert_true(e2e_web_read(web, &answer, false, 20000));
    assert_true(answer.size < sizeof body);
    memcpy(body, answer.body, answer.size);
    body[answer.size] = '\0';
    e2e_web_close(web);
    return answer.status;
}

/// @param members  of the request, besides name and scene
static void create(const char *name, const char *members) {
    char json[400];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"scene\":\"stack\",%s}", name, members);
    if (ask("POST", "/api/sessions", json) != 201) {
        fail_msg("%s: %u %s", name, answer.status, body);
    }
}

static bool is_said_to_have_password(const char *name) {
    char start[100];
    snprintf(start, sizeof start, "{\"name\":\"%s\",", name);
    assert_int_equal(ask("GET", "/api/sessions", ""), 200);
    const char *at = strstr(body, start);
    assert_non_null(at);
    const char *said = strstr(at, "\"password\":true");
    return said != NULL && said < strchr(at, '}');
}

static void expect_slots(const char *name, unsigned slots) {
    char start[100], has[40];
    snprintf(start, sizeof start, "{\"name\":\"%s\",", name);
    snprintf(has, sizeof has, "\"slots\":%u,", slots);
    assert_int_equal(ask("GET", "/api/sessions", ""), 200);
    const char *at = strstr(body, start);
    if (at == NULL || strstr(at, has) == NULL || strstr(at, has) > strchr(at, '}')) {
        fail_msg("%s has not %u slots: %s", name, slots, body);
    }
}

// ---- Who gets in --------------------------------------------------------------------------------------

static iso_message hello_to(const char *session, const char *password, uint8_t role) {
    iso_message message = e2e_hello();
    snprintf(message.as.hello.session, sizeof message.as.hello.session, "%s", session);
    snprintf(message.as.hello.password, sizeof message.as.hello.password, "%s", password);
    message.as.hello.role = role;
    return message;
}

/// A connection from an address of this machine.
static e2e_link *open_from(const char *from) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(server.port)}, own = {.sin_family = AF_INET};
    e2e_link *link = calloc(1, sizeof *link);
    assert_non_null(link);
    iso_framer_init(&link->framer, link->frame, sizeof link->frame);
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, from, &own.sin_addr);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(link->fd, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(link->fd, (struct sockaddr *)&to, sizeof to), 0);
    fcntl(link->fd, F_SETFL, O_NONBLOCK);
    return link;
}

/// @param link  receives the connection when it is welcome, and is to be closed; NULL: it is closed here
/// @return ISO_OK: it is welcome; else what it is refused with, which is in `message`
static iso_status greet(const iso_message *hello, const char *from, e2e_link **link, iso_message *message) {
    uint8_t bytes[1024];
    e2e_link *one = open_from(from);
    e2e_link_write(one, bytes, e2e_encode(hello, bytes, sizeof bytes));
    assert_true(e2e_link_read(one, message, 8000));
    const bool is_welcome = message->kind == ISO_MESSAGE_WELCOME;
    assert_true(is_welcome || message->kind == ISO_MESSAGE_REFUSAL);
    if (is_welcome && link != NULL) {
        *link = one;
    } else {
        e2e_link_close(one);
    }
    return is_welcome ? ISO_OK : message->as.refusal.code;
}

static iso_status try_tcp(const char *session, const char *password) {
    iso_message hello = hello_to(session, password, ISO_ROLE_PLAYER), message;
    return greet(&hello, "127.0.0.1", NULL, &message);
}

static iso_status try_web(const char *session, const char *password) {
    iso_message hello = hello_to(session, password, ISO_ROLE_PLAYER), message;
    const uint8_t *bytes;
    size_t size;
    iso_decode_limits limits = iso_decode_limits_from_server();
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(web, &hello);
    assert_int_equal(e2e_web_receive(web, &bytes, &size, 8000), 0x82);
    assert_int_equal(iso_message_decode(bytes, size, &limits, memory, sizeof memory, &message), ISO_OK);
    e2e_web_close(web);
    return message.kind == ISO_MESSAGE_WELCOME ? ISO_OK : message.as.refusal.code;
}

/// What holds of the session `arena`, before the server was killed and after.
static void expect_arena(void) {
    iso_message hello = hello_to("arena", PASSWORD, ISO_ROLE_PLAYER), message;
    e2e_link *links[3];
    expect_slots("arena", 2);
    assert_int_equal(try_tcp("arena", ""), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_web("arena", ""), ISO_ERR_PASSWORD);
    assert_int_equal(try_web("arena", WRONG), ISO_ERR_PASSWORD);
    // As many members and spectators as it was created with, who need the password as well.
    assert_int_equal(greet(&hello, OTHER, &links[0], &message), ISO_OK);
    assert_int_equal(greet(&hello, OTHER, &links[1], &message), ISO_OK);
    assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_SESSION_FULL);
    hello = hello_to("arena", WRONG, ISO_ROLE_SPECTATOR);
    assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_PASSWORD);
    // A member's secret takes a password's place, a spectator has none.
    hello.as.hello.has_resume = true;
    assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_PASSWORD);
    hello = hello_to("arena", PASSWORD, ISO_ROLE_SPECTATOR);
    assert_int_equal(greet(&hello, OTHER, &links[2], &message), ISO_OK);
    assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_SPECTATORS_FULL);
    for (int i = 0; i < 3; ++i) {
        e2e_link_close(links[i]);
    }
    E2E_WAIT(try_web("arena", PASSWORD) == ISO_OK, e2e_sleep_ms(10));
}

static mode_t mode_of(const char *end) {
    char path[512];
    struct stat about;
    if (!e2e_folder_find(folder, end, path, sizeof path) || stat(path, &about) != 0) {
        fail_msg("there is not exactly one file *%s", end);
    }
    return about.st_mode & 07777;
}

static void put_file(const char *path, const char *content, mode_t mode) {
    unlink(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

/// Reads a file into `text`. @return whether it is there
static bool read_text(const char *path) {
    const int file = open(path, O_RDONLY);
    const ssize_t size = read(file, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    close(file);
    return size >= 0;
}

static void test_settings_are_the_same_after_a_kill(void **state) {
    (void)state;
    char path[512], events[80];
    snprintf(events, sizeof events, "%s.events", folder);
    start("--events", events);
    create("off", "\"record\":false,\"password\":\"" PASSWORD "\",\"private\":true");
    create("arena", "\"password\":\"" PASSWORD "\",\"slots\":2,\"spectators\":1");
    create("plain", "\"record\":true");
    // Of one that is not recorded no event is written either: its line would stand before that of arena.
    E2E_WAIT(read_text(events) && strstr(text, "\"arena\"") != NULL, e2e_sleep_ms(10));
    assert_null(strstr(text, "\"off\""));
    unlink(events);
    assert_int_equal(mode_of(".settings"), 0600);
    assert_true(e2e_folder_find(folder, ".settings", path, sizeof path));
    assert_non_null(strstr(path, "/arena-"));
    expect_arena();
    assert_int_equal(try_tcp("off", WRONG), ISO_ERR_NO_SESSION);
    assert_int_equal(try_tcp("off", PASSWORD), ISO_OK);
    assert_int_equal(try_tcp("plain", WRONG), ISO_OK);
    assert_true(is_said_to_have_password("arena"));
    assert_false(is_said_to_have_password("plain"));
    // A session without a recording is as sound as the others.
    assert_int_equal(ask("GET", "/readyz", ""), 200);
    assert_null(strstr(body, "degraded"));
    assert_int_equal(ask("GET", "/metrics", ""), 200);
    assert_null(strstr(body, "isostep_session_not_recorded{session=\"off\"}"));
    assert_non_null(strstr(body, "isostep_session_not_recorded{session=\"arena\"} 0"));
    e2e_server_stop(&server, SIGKILL);
    // One that a kill has left without a recording means nothing, when it keeps nobody out.
    snprintf(path, sizeof path, "%s/ghost-0123abcd.settings", folder);
    put_file(path, "isostep session settings 1\nslots 1\nend\n", 0600);
    start(NULL, NULL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mode_of(".settings"), 0600);
    assert_non_null(strstr(server.ready, "session=main,arena,plain"));
    expect_arena();
    assert_int_equal(try_tcp("off", PASSWORD), ISO_ERR_NO_SESSION);
    assert_false(e2e_folder_find(folder, "off.http", path, sizeof path));
    // It says so to those who play in it.
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // Hosted by its name, without HTTP.
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--session", "arena", NULL});
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("arena", PASSWORD), ISO_OK);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_member_comes_back_without_the_password(void **state) {
    (void)state;
    start("--hold", "60");
    create("arena", "\"password\":\"" PASSWORD "\"");
    create("secret", "\"password\":\"" PASSWORD "\",\"private\":true");
    for (int i = 0; i < 2; ++i) {
        const char *session = i == 0 ? "arena" : "secret";
        iso_message hello = hello_to(session, "", ISO_ROLE_PLAYER), message;
        iso_resume *resume = &hello.as.hello.resume;
        e2e_link *link = NULL;
        e2e_player_password = PASSWORD;
        e2e_player *player = e2e_player_start_in(server.port, session, 0);
        assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
        const iso_message_welcome *welcome = iso_client_welcome(player->client);
        hello.as.hello.has_resume = true;
        *resume = (iso_resume){.slot = welcome->slot, .slot_generation = welcome->slot_generation};
        memcpy(resume->uid, welcome->uid, sizeof resume->uid);
        memcpy(resume->secret, welcome->secret, sizeof resume->secret);
        e2e_player_destroy(player);
        // Not with another's secret.
        resume->secret[0] ^= 1;
        assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_NO_RESUME);
        resume->secret[0] ^= 1;
        // Of a private session nobody is told who does not know its uid.
        resume->uid[15] ^= 1;
        assert_int_equal(greet(&hello, OTHER, NULL, &message), i == 0 ? ISO_ERR_NO_RESUME : ISO_ERR_NO_SESSION);
        resume->uid[15] ^= 1;
        // Also when its address may not guess any more.
        for (int guess = 0; guess < GUESSES && i == 1; ++guess) {
            try_tcp("arena", WRONG);
        }
        assert_int_equal(greet(&hello, "127.0.0.1", &link, &message), ISO_OK);
        e2e_link_close(link);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_guesses_are_limited(void **state) {
    (void)state;
    iso_message hello = hello_to("arena", PASSWORD, ISO_ROLE_PLAYER), message;
    start("--log", "text");
    create("arena", "\"password\":\"" PASSWORD "\"");
    for (int i = 0; i < 3; ++i) { // none is no guess
        assert_int_equal(try_tcp("arena", ""), ISO_ERR_PASSWORD);
    }
    for (int i = 0; i + 1 < GUESSES; ++i) {
        assert_int_equal((i % 2 == 0 ? try_tcp : try_web)("arena", WRONG), ISO_ERR_PASSWORD);
    }
    assert_int_equal(try_tcp("arena", PASSWORD), ISO_OK); // one is left
    // Of a session that is not there it is a guess as well, or guesses would tell which ones are.
    assert_int_equal(try_tcp("nothing", WRONG), ISO_ERR_NO_SESSION);
    assert_int_equal(try_tcp("arena", PASSWORD), ISO_ERR_PASSWORD);
    assert_int_equal(try_web("arena", PASSWORD), ISO_ERR_PASSWORD);
    assert_int_equal(greet(&hello, "127.0.0.1", NULL, &message), ISO_ERR_PASSWORD);
    assert_non_null(strstr(message.as.refusal.expected, "too many wrong ones came from this address"));
    assert_int_equal(greet(&hello, OTHER, NULL, &message), ISO_ERR_PASSWORD); // all of loopback is one
    assert_int_equal(ask("GET", "/metrics", ""), 200);
    assert_non_null(strstr(body, "guessing passwords"));
    // Nothing that the server has written down has one, right or wrong.
    assert_int_equal(ask("POST", "/api/sessions", "{\"name\":\"b\",\"scene\":\"stack\",\"passwort\":\"" WRONG "\"}"),
                     400);
    assert_int_equal(ask("POST", "/api/sessions", "{\"name\":\"b\",\"scene\":\"stack\",\"password\":\"" WRONG "\\n\"}"),
                     400);
    assert_null(strstr(body, WRONG));
    e2e_image *image = e2e_folder_read(folder);
    for (size_t i = 0; i < image->count; ++i) {
        assert_null(memmem(image->files[i].bytes, image->files[i].size, PASSWORD, strlen(PASSWORD)));
    }
    e2e_image_free(image);
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, text, sizeof text), 0);
    assert_non_null(strstr(text, "PASSWORD"));
    assert_null(strstr(text, "7310"));
    const int file = open(audit, O_RDONLY);
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    assert_true(size > 0);
    text[size] = '\0';
    assert_non_null(strstr(text, "/api/sessions"));
    assert_null(strstr(text, "7310"));
}

/// The answer to who has not the password of a private session is that of a session that is not there.
static void test_wrong_password_of_a_private_session_tells_nothing(void **state) {
    (void)state;
    start(NULL, NULL);
    create("secret", "\"password\":\"" PASSWORD "\",\"private\":true");
    static const char *const passwords[] = {"", WRONG};
    for (size_t i = 0; i < sizeof passwords / sizeof passwords[0]; ++i) {
        iso_message hello = hello_to("secret", passwords[i], ISO_ROLE_PLAYER), there, absent;
        assert_int_equal(greet(&hello, OTHER, NULL, &there), ISO_ERR_NO_SESSION);
        hello = hello_to("secreu", passwords[i], ISO_ROLE_PLAYER);
        assert_int_equal(greet(&hello, OTHER, NULL, &absent), ISO_ERR_NO_SESSION);
        assert_string_equal(there.as.refusal.text, absent.as.refusal.text);
        assert_string_equal(there.as.refusal.expected, absent.as.refusal.expected);
    }
    assert_int_equal(try_web("secret", PASSWORD), ISO_OK);
    // Not after its end, either.
    assert_int_equal(ask("DELETE", "/api/sessions/secret", ""), 202);
    assert_int_equal(try_tcp("secret", WRONG), ISO_ERR_NO_SESSION);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_no_password_stays_in_memory(void **state) {
    (void)state;
    uint8_t bytes[1024];
    char path[100];
    iso_message hello = hello_to("arena", PASSWORD, ISO_ROLE_PLAYER), message;
    e2e_skip_without_memory();
    snprintf(path, sizeof path, "%s.password", folder);
    put_file(path, FROM_FILE, 0600);
    start("--password-file", path);
    unlink(path);
    create("arena", "\"password\":\"" PASSWORD "\",\"slots\":1");
    // On connections that stay open: in one piece, byte by byte, with more behind it, as WebSocket, right and wrong.
    e2e_link *links[3];
    for (int i = 0; i < 3; ++i) {
        links[i] = e2e_link_open(server.port, 0);
        const size_t size = e2e_encode(&hello, bytes, sizeof bytes);
        for (size_t at = 0; i == 1 && at < size; ++at) {
            e2e_link_write(links[i], bytes + at, 1);
            e2e_sleep_ms(1);
        }
        if (i != 1) {
            e2e_link_write(links[i], bytes, size);
        }
        assert_true(e2e_link_read(links[i], &message, 8000));
        assert_int_equal(message.kind, i == 0 ? ISO_MESSAGE_WELCOME : ISO_MESSAGE_REFUSAL);
    }
    e2e_web *web = e2e_web_open_socket(&server, 0);
    hello.as.hello.role = ISO_ROLE_SPECTATOR;
    e2e_web_send_message(web, &hello);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 8000));
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_web("nothing", WRONG), ISO_ERR_NO_SESSION);
    assert_int_equal(ask("POST", "/api/sessions", "{\"name\":\"b\",\"scene\":\"none\",\"password\":\"" WRONG "\"}"),
                     400);
    // What is not right, and what is cut.
    static const char *const bodies[] = {"\"passwort\":\"" WRONG "\"", "\"password\":{\"password\":\"" WRONG "\"}",
                                         "\"password\":[\"" WRONG "\"]", "\"slots\":4 \"password\":\"" WRONG "\""};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
        snprintf(text, 400, "{\"name\":\"b\",\"scene\":\"stack\",%s}", bodies[i]);
        assert_int_equal(ask("POST", "/api/sessions", text), 400);
    }
    iso_message wrong = hello_to("arena", WRONG, ISO_ROLE_SPECTATOR);
    uint8_t other[1024];
    e2e_link *link = e2e_link_open(server.port, 0);
    e2e_encode(&wrong, other, sizeof other);
    wrong.as.hello.role = ISO_ROLE_PLAYER;
    const size_t wrong_size = e2e_encode(&wrong, bytes, sizeof bytes);
    size_t role_at = 0;
    while (bytes[role_at] == other[role_at]) {
        ++role_at;
    }
    bytes[role_at] = 9; // there is no such role
    e2e_link_write(link, bytes, wrong_size);
    assert_true(e2e_link_read(link, &message, 8000));
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    e2e_link *cut = e2e_link_open(server.port, 0);
    e2e_link_write(cut, bytes, wrong_size - 1);
    e2e_link_close(cut);
    E2E_WAIT(e2e_server_count_in_memory(&server, WRONG) == 0, e2e_sleep_ms(20));
    e2e_link_close(link);
    assert_int_equal(e2e_server_count_in_memory(&server, PASSWORD), 0);
    assert_int_equal(e2e_server_count_in_memory(&server, FROM_FILE), 0);
    for (int i = 0; i < 3; ++i) {
        e2e_link_close(links[i]);
    }
    e2e_web_close(web);
    e2e_server_stop(&server, SIGKILL);
}

static void expect_forgotten(const uint8_t secret[ISO_SECRET_SIZE]) {
    assert_int_equal(e2e_server_count_bytes(&server, secret, ISO_SECRET_SIZE), 0);
}

/// Neither of members that are here nor of those that have left; who came anew and who came back, over both transports.
static void test_no_secret_stays_in_memory(void **state) {
    (void)state;
    uint8_t wrong[ISO_SECRET_SIZE], bytes[1024];
    iso_message hello = hello_to("main", "", ISO_ROLE_PLAYER), message;
    iso_resume *resume = &hello.as.hello.resume;
    e2e_skip_without_memory();
    start(NULL, NULL);
    e2e_player *player = e2e_player_start_in(server.port, "main", 20000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    const iso_message_welcome *welcome = iso_client_welcome(player->client);
    hello.as.hello.has_resume = true;
    memcpy(resume->uid, welcome->uid, sizeof resume->uid);
    memcpy(resume->secret, welcome->secret, sizeof resume->secret);
    resume->slot = welcome->slot;
    resume->slot_generation = welcome->slot_generation;
    expect_forgotten(resume->secret);
    // Another connection takes it over, and another that one.
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(web, &hello);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 8000));
    expect_forgotten(resume->secret);
    expect_forgotten(message.as.welcome.secret);
    e2e_link *link = e2e_link_open(server.port, 0);
    e2e_link_write(link, bytes, e2e_encode(&hello, bytes, sizeof bytes));
    assert_true(e2e_link_read(link, &message, 8000));
    assert_int_equal(message.kind, ISO_MESSAGE_WELCOME);
    expect_forgotten(resume->secret);
    expect_forgotten(message.as.welcome.secret);
    // What is guessed may be a secret of somebody else.
    memcpy(wrong, "no secret of any", sizeof wrong);
    memcpy(resume->secret, wrong, sizeof wrong);
    assert_int_equal(greet(&hello, "127.0.0.1", NULL, &message), ISO_ERR_NO_RESUME);
    expect_forgotten(wrong);
    e2e_link_close(link);
    e2e_web_close(web);
    e2e_player_destroy(player);
    e2e_server_stop(&server, SIGKILL);
}

// ---- What is left of one --------------------------------------------------------------------------------

/// A start that is refused changes nothing.
static void expect_refused_start(const char *what, const char *further, const char *value) {
    e2e_image *before = e2e_folder_read(folder);
    const int code =
        e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", SERVED, "--for", "20", further, value, NULL},
                text, sizeof text);
    if (code != 3 || strstr(text, what) == NULL) {
        fail_msg("%d: %s", code, text);
    }
    e2e_folder_expect(folder, before);
}

static void test_settings_that_are_not_right_end_the_start(void **state) {
    (void)state;
    char path[512];
    start(NULL, NULL);
    create("arena", "\"password\":\"" PASSWORD "\"");
    e2e_server_stop(&server, SIGKILL);
    assert_true(e2e_folder_find(folder, ".settings", path, sizeof path));
    assert_int_equal(chmod(path, 0640), 0);
    expect_refused_start("it must have mode 0600", NULL, NULL);
    assert_int_equal(chmod(path, 0600), 0);
    const int file = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(file, "teams 2\n", 8), 8);
    close(file);
    expect_refused_start("line 4: expected nothing after the line \"end\"", NULL, NULL);
    expect_refused_start("line 4: ", "--session", "arena");
    expect_refused_start("line 4: ", "--recover", "anew");
}

/// A session that begins in the place of one with a password has that password.
static void test_session_that_begins_anew_keeps_the_password(void **state) {
    (void)state;
    char path[512], away[64], resumed[600], command[1400];
    start(NULL, NULL);
    create("arena", "\"password\":\"" PASSWORD "\",\"slots\":3");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // Another folder gets it together with what it goes on from.
    e2e_folder_make(away);
    assert_true(e2e_folder_find(folder, ".settings", path, sizeof path));
    snprintf(command, sizeof command, "cp -p %s/arena-*.isr %s/server.key %s", folder, folder, away);
    assert_int_equal(system(command), 0);
    snprintf(resumed, sizeof resumed, "%s", path);
    snprintf(command, sizeof command, "cp -p %s %s", path, away);
    assert_int_equal(system(command), 0);
    const char *const anew[] = {"--on-restart", "new", "--session", "arena=stack"};
    e2e_server_start(&server, (const char *const[]){SERVED, anew[0], anew[1], anew[2], anew[3], NULL});
    expect_slots("arena", 3);
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("arena", PASSWORD), ISO_OK);
    e2e_server_stop(&server, SIGKILL);
    // From its own file from then on.
    start("--session", "arena");
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
    // Into a folder without it.
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(command, sizeof command, "cp -p %s/server.key %s", away, folder);
    assert_int_equal(system(command), 0);
    assert_true(e2e_folder_find(away, ".isr", resumed, sizeof resumed));
    for (int i = 0; i < 2; ++i) {
        start("--resume", resumed);
        assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
        assert_int_equal(try_tcp("arena", PASSWORD), ISO_OK);
        e2e_server_stop(&server, SIGKILL);
        assert_int_equal(mode_of(".settings"), 0600);
    }
    e2e_folder_remove(away);
}

/// Whether a start could go on from a recording of arena in the folder.
static bool has_recording_of_arena(void) {
    char path[600] = "";
    e2e_image *image = e2e_folder_read(folder);
    for (size_t i = 0; i < image->count; ++i) {
        if (strncmp(image->files[i].name, "arena-", 6) == 0 && strstr(image->files[i].name, ".isr.part") != NULL) {
            snprintf(path, sizeof path, "%s/%s", folder, image->files[i].name);
        }
    }
    e2e_image_free(image);
    return path[0] != '\0' && e2e_recording_has_begun(path, NULL);
}

/// A folder that is made again in the place of one that was moved away gets what a later start needs.
static void test_settings_follow_the_recordings(void **state) {
    (void)state;
    char path[512], away[80];
    snprintf(away, sizeof away, "%s.away", folder);
    start(NULL, NULL);
    create("arena", "\"password\":\"" PASSWORD "\"");
    assert_int_equal(rename(folder, away), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    E2E_WAIT(e2e_folder_find(folder, ".settings", path, sizeof path), e2e_sleep_ms(10));
    assert_non_null(strstr(path, "/arena-"));
    E2E_WAIT(has_recording_of_arena(), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1); // of the first recording the end is lost
    start(NULL, NULL);
    assert_int_equal(try_tcp("arena", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("arena", PASSWORD), ISO_OK);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(away);
}

static void test_programs_say_the_password(void **state) {
    (void)state;
    char address[32];
    start(NULL, NULL);
    create("arena", "\"password\":\"" PASSWORD "\"");
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
#define CLIENT address, "--session", "arena", "--ticks", "5", "--reconnect", "0"
    assert_int_equal(e2e_run(E2E_CLIENT, (const char *const[]){CLIENT, NULL}, text, sizeof text), 4);
    assert_non_null(strstr(text, "PASSWORD: the session needs a password, or another one"));
    assert_int_equal(e2e_run(E2E_CLIENT, (const char *const[]){CLIENT, "--password", WRONG, NULL}, text, sizeof text),
                     4);
    assert_int_equal(
        e2e_run(E2E_CLIENT, (const char *const[]){CLIENT, "--password", PASSWORD, NULL}, text, sizeof text), 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_sessions_of_the_start_have_the_one_of_a_file(void **state) {
    (void)state;
    char path[100], key[100];
    snprintf(path, sizeof path, "%s.password", folder);
    snprintf(key, sizeof key, "%s/server.key", folder);
    static const struct {
        const char *line;
        mode_t mode;
        const char *what;
    } rows[] = {
        {PASSWORD "\n", 0640, "others than its user can read or write it: chmod go="},
        {PASSWORD "\n", 0602, "others than its user can read or write it: chmod go="},
        {"", 0600, "its first line is no password of 1 to 63 bytes"},
        {"\n" PASSWORD "\n", 0600, "its first line is no password of 1 to 63 bytes"},
        {"a\tb\n", 0600, "its first line is no password of 1 to 63 bytes"},
        {"\xEF\xBB\xBF" PASSWORD "\n", 0600, "it begins with a byte order mark"},
        {"0123456789012345678901234567890123456789012345678901234567890123", 0600, "its first line is no password"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        put_file(path, rows[i].line, rows[i].mode);
        const char *const arguments[] = {"--tcp", "127.0.0.1:0", "--for", "20", "--password-file", path, NULL};
        assert_int_equal(e2e_run(E2E_SERVER, arguments, text, sizeof text), 2);
        if (strstr(text, rows[i].what) == NULL) {
            fail_msg("%s", text);
        }
    }
    put_file(path, PASSWORD "\r\nmore\n", 0600);
    // Without recordings, and with.
    e2e_server_start(&server, (const char *const[]){"--password-file", path, NULL});
    assert_int_equal(try_tcp("main", ""), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("main", WRONG), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("main", PASSWORD), ISO_OK);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    start("--password-file", path);
    create("open", "\"slots\":1"); // those of others are theirs
    assert_int_equal(try_tcp("open", ""), ISO_OK);
    assert_int_equal(try_tcp("main", PASSWORD), ISO_OK);
    e2e_server_stop(&server, SIGKILL);
    // It stays until there is another.
    start(NULL, NULL);
    assert_int_equal(try_tcp("main", ""), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("main", PASSWORD), ISO_OK);
    e2e_server_stop(&server, SIGKILL);
    put_file(path, "another", 0600);
    start("--password-file", path);
    assert_int_equal(try_tcp("main", PASSWORD), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("main", "another"), ISO_OK);
    assert_false(e2e_server_has_logged(&server, "another server.key"));
    e2e_server_stop(&server, SIGKILL);
    // Under another key nobody knows it, which is said.
    assert_int_equal(unlink(key), 0);
    start(NULL, NULL);
    assert_true(e2e_server_has_logged(&server, "its password was kept under another server.key"));
    assert_int_equal(try_tcp("main", "another"), ISO_ERR_PASSWORD);
    assert_int_equal(try_tcp("main", ""), ISO_ERR_PASSWORD);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_settings_are_the_same_after_a_kill, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_member_comes_back_without_the_password, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_guesses_are_limited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_password_of_a_private_session_tells_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_password_stays_in_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_secret_stays_in_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings_that_are_not_right_end_the_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_that_begins_anew_keeps_the_password, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sessions_of_the_start_have_the_one_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings_follow_the_recordings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_programs_say_the_password, set_up, tear_down),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
