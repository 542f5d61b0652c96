/// A real server behind proxies: with --trusted-proxy it knows whose a connection is, and its limits are each client's own;
/// without it nobody's word is taken. And behind nginx, Caddy and HAProxy, as server/README.md says how they are set up.
#include "e2e_web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
        if (i % 2 == 0)
            say_hello(links[i]);
    }
    for (unsigned i = 0; i < 20; i += 2)
        assert_true(e2e_link_read_kind(links[i], ISO_MESSAGE_WELCOME, &message, 8000));
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
    for (unsigned i = 0; i < 20; ++i)
        e2e_link_close(links[i]);
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
    for (unsigned i = 0; i < 8; ++i)
        e2e_web_close(webs[i]);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    // From others they are never read.
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--limit-loopback", "--trusted-proxy",
                                                    "192.0.2.0/24", "--address-accepts", "1", NULL});
    assert_int_equal(get(&server, "X-Forwarded-For: 198.51.100.1, unknown\r\n"), 200);
    assert_int_equal(get(&server, "X-Forwarded-For: 198.51.100.2\r\n"), 503);
    assert_string_equal(body, "at most 1 new connections a second from one address (--address-accepts)\n");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_client_of_a_proxy_has_its_own_limits),
        cmocka_unit_test(test_proxy_has_to_say_whose_a_connection_is),
        cmocka_unit_test(test_headers_of_a_proxy_name_the_client_from_the_right),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
