/// A real server behind proxies: with --trusted-proxy it knows whose a connection is, and its limits are each client's
/// own; without it nobody's word is taken. And behind nginx, Caddy and HAProxy, as server/README.md says how they are
/// set up.
#include "e2e_web.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static e2e_answer answer;
static char body[1 << 16];

// ---- Headers that this test writes itself ---------------------------------------------------------------

#define BEHIND "--http", "127.0.0.1:0", "--limit-loopback", "--trusted-proxy", "127.0.0.1", E2E_WEB_ADMIN

static e2e_link *open_for(const e2e_server *server, const char *client) {
    char line[128];
    e2e_link *link = e2e_link_open(server->port, 0);
    snprintf(line, sizeof line, "PROXY TCP4 %s 198.51.100.1 40000 7790\r\n", client);
    e2e_link_write(link, line, strlen(line));
    return link;
}

static void say_hello(e2e_link *link) {
    static uint8_t bytes[2048];
    const iso_message hello = e2e_hello();
    e2e_link_write(link, bytes, e2e_encode(&hello, bytes, sizeof bytes));
}

static void expect_refused(e2e_link *link, const char *expected) {
    iso_message message;
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_ADDRESS_LIMIT);
    assert_non_null(strstr(message.as.refusal.expected, expected));
    e2e_link_close(link);
}

static void test_each_client_of_a_proxy_has_its_own_limits(void **state) {
    (void)state;
    e2e_link *links[20];
    e2e_server server;
    iso_message message;
    e2e_server_start(&server, (const char *const[]){BEHIND, "--address-connections", "2", "--address-strikes", "2",
                                                    "--address-ban", "77", NULL});
    // Ten clients with two connections each.
    for (unsigned i = 0; i < 20; ++i) {
        char client[32];
        snprintf(client, sizeof client, "192.0.2.%u", 1 + i / 2);
        links[i] = open_for(&server, client);
        if (i % 2 == 0) {
            say_hello(links[i]);
        }
    }
    for (unsigned i = 0; i < 20; i += 2) {
        assert_true(e2e_link_read_kind(links[i], ISO_MESSAGE_WELCOME, &message, 8000));
    }
    expect_refused(open_for(&server, "192.0.2.1"), "at most 2 connections and held slots of one address");
    // One of them sends rubbish: it is refused, and nobody else.
    for (int i = 0; i < 2; ++i) {
        e2e_link *link = open_for(&server, "203.0.113.9");
        e2e_link_write(link, "\x04\xFF\xFF\xFF\xFF", 5);
        assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REFUSAL, &message, 5000));
        e2e_link_close(link);
    }
    expect_refused(open_for(&server, "203.0.113.9"), "it has sent 2 malformed messages in a minute");
    assert_true(e2e_server_has_logged(&server, "its address is refused for 77 s: "));
    assert_true(e2e_server_has_logged(&server, "from 203.0.113.9:40000]"));
    e2e_link *link = open_for(&server, "203.0.113.10");
    say_hello(link);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_WELCOME, &message, 8000));
    e2e_link_close(link);
    for (unsigned i = 0; i < 20; ++i) {
        e2e_link_close(links[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_proxy_has_to_say_whose_a_connection_is(void **state) {
    (void)state;
    iso_message message;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){BEHIND, NULL});
    e2e_link *link = e2e_link_open(server.port, 0);
    say_hello(link);
    assert_true(e2e_link_wait_end(link, 5000));
    e2e_link_close(link);
    link = e2e_link_open(server.port, 0); // one that says nothing
    assert_true(e2e_link_wait_end(link, 8000));
    e2e_link_close(link);
    E2E_WAIT(e2e_server_count_logged(&server, "refused: a connection of a --trusted-proxy without a PROXY header") == 2,
             e2e_sleep_ms(20));
    // A look whether we are there, and a client behind it, in one write with the header.
    static uint8_t bytes[4096] = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";
    const iso_message list = {.kind = ISO_MESSAGE_LIST};
    link = e2e_link_open(server.port, 0);
    e2e_link_write(link, bytes, 16 + e2e_encode(&list, bytes + 16, sizeof bytes - 16));
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_SESSION_LIST, &message, 5000));
    e2e_link_close(link);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // Whoever is not trusted is not believed: the header is no frame.
    e2e_server_start(&server, (const char *const[]){"--limit-loopback", NULL});
    link = open_for(&server, "192.0.2.1");
    say_hello(link);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_MALFORMED);
    e2e_link_close(link);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void expect_ban(e2e_link *link) {
    iso_message message;
    say_hello(link);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_BANNED);
    e2e_link_close(link);
}

/// A ban of a network that the proxy is in is one of its clients there: it may still look whether we are there.
static void test_proxy_is_in_no_ban(void **state) {
    (void)state;
    static uint8_t bytes[4096] = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";
    static const char request[] = "POST /api/bans HTTP/1.1\r\nHost: localhost\r\n" E2E_WEB_RIGHT
                                  "Content-Type: application/json\r\nContent-Length: 25\r\n\r\n"
                                  "{\"address\":\"127.0.0.0/8\"}";
    const iso_message list = {.kind = ISO_MESSAGE_LIST};
    iso_message message;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){BEHIND, NULL});
    e2e_link *probe = e2e_link_open(server.port, 0), *client = open_for(&server, "127.0.0.2");
    e2e_link_write(probe, bytes, 16);
    say_hello(client);
    assert_true(e2e_link_read_kind(client, ISO_MESSAGE_WELCOME, &message, 5000));
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, request);
    assert_true(e2e_web_read(web, &answer, false, 5000));
    assert_int_equal(answer.status, 200);
    e2e_web_close(web);
    // The client goes; the probe that is there goes on, as does the next one, over TCP as over WebSocket.
    assert_true(e2e_link_read_kind(client, ISO_MESSAGE_BYE, &message, 5000));
    assert_int_equal(message.as.bye.code, ISO_ERR_BANNED);
    e2e_link_close(client);
    expect_ban(open_for(&server, "127.0.0.2"));
    for (unsigned i = 0; i < 2; ++i) {
        e2e_link_write(probe, bytes + 16, e2e_encode(&list, bytes + 16, sizeof bytes - 16));
        assert_true(e2e_link_read_kind(probe, ISO_MESSAGE_SESSION_LIST, &message, 5000));
        e2e_link_close(probe);
        probe = e2e_link_open(server.port, 0);
        e2e_link_write(probe, bytes, 16);
    }
    e2e_link_close(probe);
    web = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(web, &list);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SESSION_LIST, &message, 5000));
    e2e_web_close(web);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static unsigned get(const e2e_server *server, const char *lines) {
    return e2e_web_get(server, "/healthz", lines, &answer, body, sizeof body);
}

/// @return a connection that has gone on as WebSocket, for this client
static e2e_web *open_socket_for(const e2e_server *server, const char *client) {
    char line[128];
    e2e_web *web = e2e_web_open(server, 0);
    snprintf(line, sizeof line, "X-Forwarded-For: %s\r\n\r\n", client);
    e2e_web_say(web, e2e_web_upgrade());
    e2e_web_say(web, line);
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 101);
    return web;
}

static void test_headers_of_a_proxy_name_the_client_from_the_right(void **state) {
    (void)state;
    e2e_server server;
    iso_message message;
    e2e_server_start(&server,
                     (const char *const[]){BEHIND, "--address-connections", "1", "--address-strikes", "1", NULL});
    assert_int_equal(get(&server, ""), 200); // the proxy itself
    assert_int_equal(get(&server, "X-Forwarded-For: 192.0.2.1, unknown\r\n"), 400);
    assert_int_equal(get(&server, "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2\r\n"), 400);
    assert_non_null(strstr(body, "disagree"));
    e2e_web *webs[8];
    for (unsigned i = 0; i < 8; ++i) {
        char client[64];
        snprintf(client, sizeof client, "198.51.100.7, 192.0.2.%u", i + 1);
        webs[i] = open_socket_for(&server, client);
    }
    e2e_web *web = open_socket_for(&server, "203.0.113.5, 192.0.2.3, 127.0.0.1");
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_ADDRESS_LIMIT);
    e2e_web_close(web);
    // Rubbish over one of them: its client is refused, also as another one's.
    e2e_web_send(webs[1], 0x82, "\xFF\xFF\xFF\xFF", 4);
    assert_true(e2e_web_receive_kind(webs[1], ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(get(&server, "Forwarded: for=192.0.2.2\r\n"), 503);
    assert_non_null(strstr(body, "nothing from this address for "));
    assert_int_equal(get(&server, "X-Forwarded-For: 192.0.2.2, 192.0.2.1\r\n"), 200);
    for (unsigned i = 0; i < 8; ++i) {
        e2e_web_close(webs[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // From others they are never read.
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--limit-loopback", "--trusted-proxy",
                                                    "192.0.2.0/24", "--address-accepts", "1", NULL});
    assert_int_equal(get(&server, "X-Forwarded-For: 198.51.100.1, unknown\r\n"), 200);
    assert_int_equal(get(&server, "X-Forwarded-For: 198.51.100.2\r\n"), 503);
    assert_string_equal(body, "at most 1 new connection a second from one address (--address-accepts)\n");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

// ---- Programs ----------------------------------------------------------------------------------------------

static char folder[64], config[128], log_path[128];
static pid_t program;
static uint16_t page_port, players_port;

/// The block of this language in server/README.md, with the ports of this test.
static void write_block(const char *language, const e2e_server *server) {
    static const char *const ports[] = {"7780", "7790", "8080", "8090"};
    const uint16_t present[] = {e2e_web_port(server), server->port, page_port, players_port};
    char line[512], fence[32];
    bool is_within = false, is_there = false;
    FILE *from = fopen(E2E_README, "r"), *to = fopen(config, "w");
    assert_true(from != NULL && to != NULL);
    snprintf(fence, sizeof fence, "```%s\n", language);
    while (fgets(line, sizeof line, from) != NULL) {
        if (is_within && strncmp(line, "```", 3) == 0) {
            break;
        }
        for (size_t i = 0; is_within && i < 4; ++i) {
            char *at = strstr(line, ports[i]), number[8];
            if (at == NULL) {
                continue;
            }
            char rest[512];
            snprintf(rest, sizeof rest, "%s", at + 4);
            snprintf(number, sizeof number, "%u", present[i]);
            snprintf(at, sizeof line - (size_t)(at - line), "%s%s", number, rest);
        }
        if (is_within) {
            fputs(line, to);
        }
        is_within = is_within || strcmp(line, fence) == 0;
        is_there = is_there || is_within;
    }
    fclose(from);
    fclose(to);
    assert_true(is_there);
}

/// @return false: it is not installed, which only a complete run takes for a fault
static bool has_program(const char *path) {
    if (access(path, X_OK) == 0) {
        return true;
    }
    if (getenv("ISO_COMPLETE") != NULL) {
        fail_msg("%s is missing", path);
    }
    printf("skipped: %s is missing\n", path);
    return false;
}

static void start_program(const char *const *arguments) {
    program = fork();
    assert_true(program >= 0);
    if (program == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); // also when the test fails
        const int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, 1);
        dup2(log, 2);
        setenv("HOME", folder, 1);
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
}

static void stop_program(void) {
    int status;
    kill(program, SIGTERM);
    waitpid(program, &status, 0);
}

static int make_place(void **state) {
    (void)state;
    e2e_folder_make(folder);
    snprintf(config, sizeof config, "%s/config", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    page_port = e2e_port_reserve();
    players_port = e2e_port_reserve();
    return 0;
}

static int remove_place(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

/// Connects from an address of this machine. @return NULL: nobody listens
static e2e_link *connect_from(const char *client, uint16_t port) {
    e2e_link *link = e2e_link_try(port, 0);
    if (link == NULL) {
        return NULL;
    }
    // In place of its socket one that is bound to the address.
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, client, &from.sin_addr);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int file = socket(AF_INET, SOCK_STREAM, 0), flags = fcntl(link->fd, F_GETFL);
    assert_int_equal(bind(file, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(file, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(file, F_SETFL, flags), 0);
    assert_int_equal(dup2(file, link->fd), link->fd);
    close(file);
    return link;
}

static e2e_web *web_from(const char *client) {
    e2e_web *web = calloc(1, sizeof *web);
    assert_non_null(web);
    web->in = malloc(E2E_WEB_IN_MAX);
    assert_non_null(web->in);
    web->link = connect_from(client, page_port);
    assert_non_null(web->link);
    return web;
}

/// Asks through the proxy. @return the status; 0: no answer
static unsigned ask_from(const char *client, const char *head) {
    char text[1024];
    e2e_web *web = web_from(client);
    snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
             head, page_port);
    e2e_web_say(web, text);
    const bool has_answer = e2e_web_read(web, &answer, false, 5000);
    snprintf(body, sizeof body, "%.*s", has_answer ? (int)answer.size : 0, has_answer ? (const char *)answer.body : "");
    e2e_web_close(web);
    return has_answer ? answer.status : 0;
}

static bool program_is_there(void) {
    e2e_link *link = e2e_link_try(page_port, 0);
    if (link != NULL) {
        e2e_link_close(link);
    }
    return link != NULL;
}

/// Opens a WebSocket through the proxy, as a page that it serves does, and with what a client may have written itself.
static e2e_web *socket_from(const char *client) {
    char text[1024];
    e2e_web *web = web_from(client);
    snprintf(text, sizeof text,
             "%sOrigin: http://127.0.0.1:%u\r\nX-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n\r\n",
             e2e_web_upgrade(), page_port);
    // The Host of the page.
    char *host = strstr(text, "Host: localhost"), whole[1200];
    snprintf(whole, sizeof whole, "%.*sHost: 127.0.0.1:%u%s", (int)(host - text), text, page_port, host + 15);
    e2e_web_say(web, whole);
    assert_true(e2e_web_read(web, &answer, false, 5000));
    assert_int_equal(answer.status, 101);
    return web;
}

static void expect_list(e2e_web *web) {
    iso_message message;
    e2e_web_send_message(web, &(iso_message){.kind = ISO_MESSAGE_LIST});
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SESSION_LIST, &message, 5000));
    e2e_web_close(web);
}

/// What holds behind each: clients are told apart, and one that is refused is alone.
static void expect_clients_apart(const e2e_server *server, bool has_tcp) {
    iso_message message;
    expect_list(socket_from("127.0.0.6"));
    e2e_web *web = socket_from("127.0.0.5");
    e2e_web_send(web, 0x82, "\xFF\xFF\xFF\xFF", 4);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_REFUSAL, &message, 5000));
    e2e_web_close(web);
    E2E_WAIT(e2e_server_has_logged(server, "from 127.0.0.5:"), e2e_sleep_ms(20));
    assert_int_equal(ask_from("127.0.0.5", "GET /healthz"), 503);
    assert_non_null(strstr(body, "nothing from this address for "));
    assert_int_equal(ask_from("127.0.0.6", "GET /healthz"), 200);
    expect_list(socket_from("127.0.0.6"));
    // Nobody is this machine's user because of the proxy.
    assert_int_equal(ask_from("127.0.0.6", "DELETE /api/sessions/main"), 401);
    if (!has_tcp) {
        return;
    }
    e2e_link *link = connect_from("127.0.0.5", players_port);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REFUSAL, &message, 5000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_ADDRESS_LIMIT);
    e2e_link_close(link);
    link = connect_from("127.0.0.6", players_port);
    say_hello(link);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_WELCOME, &message, 8000));
    e2e_link_close(link);
}

static void try_block(const char *language, const char *const *arguments, bool has_tcp) {
    e2e_server server;
    if (!has_program(arguments[0])) {
        return;
    }
    e2e_server_start(&server, (const char *const[]){BEHIND, "--address-strikes", "1", NULL});
    write_block(language, &server);
    start_program(arguments);
    E2E_WAIT(program_is_there(), e2e_sleep_ms(20));
    expect_clients_apart(&server, has_tcp);
    stop_program();
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static const char *const nginx[] = {
    "/usr/sbin/nginx", "-p", folder, "-c", config, "-e", log_path, "-g", "daemon off; pid nginx.pid;", NULL};

static void test_nginx_as_documented(void **state) {
    (void)state;
    try_block("nginx", nginx, true);
}

static void test_caddy_as_documented(void **state) {
    (void)state;
    try_block("caddy",
              (const char *const[]){"/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", config, NULL},
              false);
}

static void test_haproxy_as_documented(void **state) {
    (void)state;
    try_block("haproxy", (const char *const[]){"/usr/sbin/haproxy", "-db", "-f", config, NULL}, true);
}

/// nginx as it is set up at first: Host is 127.0.0.1 then, and no header says that there is a proxy.
static void test_stranger_behind_a_plain_proxy_changes_nothing(void **state) {
    (void)state;
    e2e_server server;
    if (!has_program(nginx[0])) {
        return;
    }
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", NULL});
    FILE *to = fopen(config, "w");
    assert_non_null(to);
    fprintf(to,
            "events {}\nhttp { server { listen 127.0.0.1:%u;\n    location / { proxy_pass http://127.0.0.1:%u; } } }\n",
            page_port, e2e_web_port(&server));
    fclose(to);
    start_program(nginx);
    E2E_WAIT(program_is_there(), e2e_sleep_ms(20));
    assert_int_equal(ask_from("127.0.0.7", "GET /api/sessions"), 200);
    assert_int_equal(ask_from("127.0.0.7", "POST /api/sessions"), 403);
    assert_int_equal(ask_from("127.0.0.7", "DELETE /api/sessions/main"), 403);
    assert_non_null(strstr(body, "nothing is changed over HTTP without a token"));
    stop_program();
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_client_of_a_proxy_has_its_own_limits),
        cmocka_unit_test(test_proxy_has_to_say_whose_a_connection_is),
        cmocka_unit_test(test_proxy_is_in_no_ban),
        cmocka_unit_test(test_headers_of_a_proxy_name_the_client_from_the_right),
        cmocka_unit_test_setup_teardown(test_stranger_behind_a_plain_proxy_changes_nothing, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_nginx_as_documented, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_caddy_as_documented, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_haproxy_as_documented, make_place, remove_place),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
