/// HTTP and WebSocket on a real server: what is served, and peers that break the rules, each of which gets the answer
/// that names the rule.
#include "e2e_web.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static e2e_server server;
static char body[1 << 16];
static e2e_answer answer;

static int start(void **state) {
    (void)state;
    e2e_server_start(&server,
                     (const char *const[]){"--http", "127.0.0.1:0", "--http-origin", "https://example.com", NULL});
    return 0;
}

static int stop(void **state) {
    (void)state;
    return e2e_server_stop(&server, SIGTERM);
}

static unsigned get(const char *path, const char *lines) {
    return e2e_web_get(&server, path, lines, &answer, body, sizeof body);
}

/// One request on a connection of its own, as it is.
static unsigned ask(const char *text) {
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 5000));
    e2e_web_close(web);
    return answer.status;
}

/// The number behind this text in the metrics; 0: it is not there.
static unsigned long metric(const char *text) {
    assert_int_equal(get("/metrics", ""), 200);
    const char *at = strstr(body, text);
    return at != NULL ? strtoul(at + strlen(text), NULL, 10) : 0;
}

static void test_health_and_api_are_served(void **state) {
    (void)state;
    assert_int_equal(get("/healthz", ""), 200);
    assert_string_equal(body, "ok\n");
    assert_int_equal(get("/readyz", ""), 200);
    assert_int_equal(get("/api/sessions", ""), 200);
    assert_non_null(strstr(answer.head, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(body, "\"name\":\"main\""));
    assert_int_equal(get("/metrics", ""), 200);
    assert_non_null(strstr(body, "\nisostep_session_tick{session=\"main\"} "));
    assert_non_null(strstr(body, "\nisostep_session_ticks_sealed_total{session=\"main\"} 0\n"));
    assert_non_null(strstr(body, "\nisostep_session_ticks_late_total{session=\"main\"} "));
    assert_non_null(strstr(body, "\nisostep_session_slips_total{session=\"main\"} "));
    assert_int_equal(get("/api/recordings", ""), 200);
    assert_int_equal(get("/nothing", ""), 404);
    assert_int_equal(get("/api/recordings/../server.key", ""), 400);
    assert_int_equal(ask("POST /api/recordings HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), 405);
}

static void test_page_is_cached_by_its_tag(void **state) {
    (void)state;
    char lines[256], tag[64];
    assert_int_equal(get("/", ""), 200);
    assert_non_null(strstr(answer.head, "\r\nContent-Security-Policy: "));
    assert_null(strstr(answer.head, "'unsafe-eval'"));
    assert_int_equal(sscanf(strstr(answer.head, "ETag: "), "ETag: %63s", tag), 1);
    snprintf(lines, sizeof lines, "If-None-Match: %s\r\n", tag);
    assert_int_equal(get("/", lines), 304);
    assert_int_equal(answer.size, 0);
    assert_int_equal(get("/", "Accept-Encoding: deflate, gzip;q=0.5\r\n"), 200);
    assert_non_null(strstr(answer.head, "Content-Encoding: gzip\r\n"));
    assert_memory_equal(body, "\x1F\x8B", 2);
}

static void test_pipelined_requests_are_answered_in_order(void **state) {
    (void)state;
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nHEAD /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
                     "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_memory_equal(answer.body, "ok\n", 3);
    assert_true(e2e_web_read(web, &answer, true, 3000));
    assert_int_equal(answer.status, 200);
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 404);
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_memory_equal(answer.body, "ready\n", 6);
    e2e_web_close(web);
}

static void test_connection_stays_for_the_next_request(void **state) {
    (void)state;
    e2e_web *web = e2e_web_open(&server, 0);
    for (int i = 0; i < 3; ++i) {
        e2e_web_say(web, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_true(e2e_web_read(web, &answer, false, 3000));
        e2e_sleep_ms(20); // nothing of the next one is there when the answer is written
    }
    e2e_web_close(web);
}

/// What the parser refuses is answered with its reason, in the API's form.
static void expect_error(const char *request, unsigned status, const char *why) {
    char text[512] = "";
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, request);
    assert_true(e2e_web_read(web, &answer, false, 5000));
    assert_int_equal(answer.status, status);
    memcpy(text, answer.body, answer.size < sizeof text ? answer.size : sizeof text - 1);
    e2e_web_close(web);
    if (strncmp(text, "{\"error\":\"", 10) != 0 || strstr(text, why) == NULL ||
        strstr(answer.head, "Content-Type: application/json") == NULL) {
        fail_msg("%u: '%s' is missing in: %s", status, why, text);
    }
}

static void test_wrong_requests_are_named(void **state) {
    (void)state;
    static char text[16384];
    expect_error("hello\r\n\r\n", 400, "malformed");
    expect_error("GET / HTTP/1.1\r\n\r\n", 400, "malformed");
    expect_error("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505, "HTTP/1.1");
    expect_error("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413,
                 "the body is larger than 0 bytes");
    snprintf(text, sizeof text, "GET /%04000d HTTP/1.1\r\nHost: a\r\n\r\n", 0);
    expect_error(text, 414, "2048 bytes");
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\nCookie: %010000d\r\n\r\n", 0);
    expect_error(text, 431, "64 headers");
    assert_true(metric("what=\"HTTP requests that were malformed or too large\"} ") >= 6);
}

static void test_slow_requests_are_ended(void **state) {
    (void)state;
    const uint64_t begun = e2e_now_ns();
    e2e_web *silent = e2e_web_open(&server, 0), *slow = e2e_web_open(&server, 0);
    e2e_web_say(slow, e2e_web_upgrade());
    assert_true(e2e_web_read(slow, &answer, false, 6000));
    assert_int_equal(answer.status, 408);
    assert_true(answer.size > 0);
    assert_true(e2e_now_ns() - begun > 2 * E2E_S);
    assert_true(e2e_web_wait_end(slow, 3000));
    assert_true(e2e_web_read(silent, &answer, false, 3000));
    assert_int_equal(answer.status, 408);
    e2e_web_close(slow);
    e2e_web_close(silent);
}

static unsigned upgrade_with(const char *line) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s\r\n\r\n", e2e_web_upgrade(), line);
    return ask(text);
}

static void test_foreign_pages_are_refused(void **state) {
    (void)state;
    assert_int_equal(upgrade_with("Origin: http://evil.example"), 403);
    assert_int_equal(upgrade_with("Origin: null"), 403);
    assert_int_equal(upgrade_with("Origin: http://localhost:1"), 403);
    assert_int_equal(upgrade_with("Origin: http://localhost"), 101);
    assert_int_equal(upgrade_with("Origin: https://example.com"), 101);
    // Nor may a page read whose name was made to lead to this machine.
    assert_int_equal(ask("GET /api/sessions HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
    assert_int_equal(ask("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
    assert_int_equal(ask("GET /api/sessions HTTP/1.1\r\nHost: example.com\r\nVia: 1.1 a\r\n\r\n"), 200);
    assert_int_equal(metric("limit=\"WebSocket from a foreign page\",what=\"refused\"} "), 3);
    assert_true(e2e_server_has_logged(&server, "refused: a WebSocket of a page of http://evil.example, "
                                               "which is neither this server's nor an --http-origin [from 127.0.0.1:"));
    assert_int_equal(ask("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n"), 426);
    assert_non_null(strstr(answer.head, "Sec-WebSocket-Version: 13\r\n"));
    assert_int_equal(ask("POST /v1/socket HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"), 405);
}

/// A WebSocket connection that the server has welcomed.
static e2e_web *open_welcomed(int receive_buffer) {
    e2e_web *web = e2e_web_open_socket(&server, receive_buffer);
    iso_message message = e2e_hello();
    e2e_web_send_message(web, &message);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 5000));
    return web;
}

static void test_session_is_joined_over_websocket(void **state) {
    (void)state;
    iso_message message;
    e2e_web *web = open_welcomed(0);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SNAPSHOT_CHUNK, &message, 5000));
    e2e_web_send_message(web, &(iso_message){.kind = ISO_MESSAGE_PING, .as.ping = {.id = 7}});
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_PONG, &message, 5000));
    assert_int_equal(message.as.pong.id, 7);
    e2e_web_send_message(web, &(iso_message){.kind = ISO_MESSAGE_LEAVE});
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 5000));
    assert_int_equal(message.as.bye.code, ISO_OK);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1000);
    e2e_web_send(web, 0x88, "\x03\xE8", 2);
    assert_true(e2e_web_wait_end(web, 3000));
    e2e_web_close(web);
}

static void test_list_is_answered_and_closed(void **state) {
    (void)state;
    iso_message message;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(web, &(iso_message){.kind = ISO_MESSAGE_LIST});
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SESSION_LIST, &message, 3000));
    assert_int_equal(message.as.session_list.count, 1);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1000);
    e2e_web_close(web);
}

static void test_hello_may_follow_the_upgrade_at_once(void **state) {
    (void)state;
    // In one write, as a proxy may put it together.
    static uint8_t bytes[2048];
    iso_message message = {.kind = ISO_MESSAGE_LIST};
    size_t size = (size_t)snprintf((char *)bytes, sizeof bytes, "%s\r\n", e2e_web_upgrade());
    const uint8_t list[] = {0x82, 0x83, 0, 0, 0, 0, 0xEA, 0x01, 0x00};
    memcpy(bytes + size, list, sizeof list);
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_link_write(web->link, bytes, size + sizeof list);
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 101);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SESSION_LIST, &message, 3000));
    e2e_web_close(web);
}

static void test_refusals_have_their_close_code(void **state) {
    (void)state;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    iso_message message = e2e_hello();
    memcpy(message.as.hello.session, "nowhere", 8);
    e2e_web_send_message(web, &message);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_REFUSAL, &message, 3000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_NO_SESSION);
    assert_int_equal(e2e_web_receive_close(web, 3000), 4034);
    assert_true(e2e_web_wait_end(web, 5000));
    e2e_web_close(web);
}

/// Sends one frame to a welcomed connection. @return the code that it is closed with
static unsigned code_for(uint8_t first, const void *bytes, size_t size, iso_status *bye) {
    iso_message message = {0};
    e2e_web *web = open_welcomed(0);
    e2e_web_send(web, first, bytes, size);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 3000));
    *bye = message.as.bye.code;
    const unsigned code = e2e_web_receive_close(web, 3000);
    assert_true(e2e_web_wait_end(web, 5000));
    e2e_web_close(web);
    return code;
}

static void test_wrong_frames_have_their_close_code(void **state) {
    (void)state;
    static uint8_t bytes[ISO_FRAME_MAX_CLIENT + 1];
    iso_status bye = ISO_OK;
    assert_int_equal(code_for(0x82, bytes, sizeof bytes, &bye), 1009);
    assert_int_equal(bye, ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(code_for(0x81, "hello", 5, &bye), 1003);
    assert_int_equal(bye, ISO_ERR_MALFORMED);
    assert_int_equal(code_for(0x80, "hello", 5, &bye), 1002);
    assert_int_equal(code_for(0xC2, "hello", 5, &bye), 1002);
    // Right frames, but no envelope.
    assert_int_equal(code_for(0x82, "", 0, &bye), 4017);
    assert_int_equal(code_for(0x82, "\xFF\xFF\xFF", 3, &bye), 4017);
    assert_int_equal(bye, ISO_ERR_MALFORMED);
}

static void test_unmasked_frames_are_a_protocol_error(void **state) {
    (void)state;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_link_write(web->link, "\x82\x01x", 3);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1002);
    e2e_web_close(web);
}

static void test_messages_before_the_welcome_are_small(void **state) {
    (void)state;
    static uint8_t bytes[ISO_FRAME_MAX_HELLO + 1];
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send(web, 0x82, bytes, sizeof bytes);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1009);
    e2e_web_close(web);
}

static void test_fragments_are_one_message(void **state) {
    (void)state;
    static uint8_t bytes[2048];
    iso_message message = e2e_hello();
    const size_t size = e2e_encode(&message, bytes, sizeof bytes);
    e2e_web *web = e2e_web_open_socket(&server, 0);
    e2e_web_send(web, 0x02, bytes + 1, 10);
    e2e_web_send(web, 0x89, "between", 7);
    e2e_web_send(web, 0x00, bytes + 11, 1);
    e2e_web_send(web, 0x80, bytes + 12, size - 12);
    const uint8_t *pong = NULL;
    size_t pong_size = 0;
    assert_int_equal(e2e_web_receive(web, &pong, &pong_size, 3000), 0x8A);
    assert_int_equal(pong_size, 7);
    assert_memory_equal(pong, "between", 7);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 3000));
    e2e_web_close(web);
}

static void test_fragment_that_never_ends_is_a_timeout(void **state) {
    (void)state;
    iso_message message;
    e2e_web *web = open_welcomed(0);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SNAPSHOT_CHUNK, &message, 5000));
    e2e_web_send_message(web, &(iso_message){.kind = ISO_MESSAGE_SNAPSHOT_ACK, .as.snapshot_ack = {.index = 0}});
    e2e_web_send(web, 0x02, "a", 1);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 8000));
    assert_int_equal(message.as.bye.code, ISO_ERR_TIMEOUT);
    assert_int_equal(e2e_web_receive_close(web, 3000), 4037);
    e2e_web_close(web);
}

static void test_pings_without_end_are_a_flood(void **state) {
    (void)state;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    for (int i = 0; i < 40; ++i) {
        e2e_web_send(web, 0x89, "x", 1);
    }
    assert_int_equal(e2e_web_receive_close(web, 3000), 4019);
    e2e_web_close(web);
}

static void test_peer_may_close(void **state) {
    (void)state;
    e2e_web *web = open_welcomed(0);
    e2e_web_send(web, 0x88, "\x03\xE9", 2);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1001);
    assert_true(e2e_web_wait_end(web, 3000));
    e2e_web_close(web);
    web = e2e_web_open_socket(&server, 0);
    e2e_web_send(web, 0x88, "", 0);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1005);
    e2e_web_close(web);
}

static void test_silence_after_the_upgrade_is_a_timeout(void **state) {
    (void)state;
    iso_message message;
    e2e_web *web = e2e_web_open_socket(&server, 0);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_REFUSAL, &message, 8000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_TIMEOUT);
    assert_int_equal(e2e_web_receive_close(web, 3000), 4037);
    e2e_web_close(web);
}

static void test_idle_connections_give_way_to_new_ones(void **state) {
    (void)state;
    enum { FLOOD = 300 };
    static e2e_web *webs[FLOOD];
    for (size_t i = 0; i < FLOOD; ++i) {
        webs[i] = e2e_web_open(&server, 0);
    }
    assert_true(e2e_web_wait_end(webs[0], 10000));
    e2e_web_say(webs[FLOOD - 1], "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_true(e2e_web_read(webs[FLOOD - 1], &answer, false, 3000));
    assert_int_equal(answer.status, 200);
    for (size_t i = 0; i < FLOOD; ++i) {
        e2e_web_close(webs[i]);
    }
    assert_true(metric("what=\"oldest idle HTTP connections closed for new ones\"} ") >= FLOOD - 256);
}

/// A member that reads nothing: it loses its connection, and whoever reads keeps its pace.
static void test_reader_that_never_reads_is_ended(void **state) {
    (void)state;
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    e2e_web *web = open_welcomed(4096);
    const unsigned long before = metric("code=\"SLOW_CONSUMER\",answer=\"ended\"} ");
    unsigned long ended = before;
    const uint64_t end = e2e_now_ns() + 25 * E2E_S;
    while (ended == before && e2e_now_ns() < end) {
        e2e_players_run_for(&player, 1, 500);
        ended = metric("code=\"SLOW_CONSUMER\",answer=\"ended\"} ") + metric("code=\"TOO_SLOW\",answer=\"ended\"} ") +
                metric("code=\"JOIN_TIMEOUT\",answer=\"ended\"} ");
    }
    assert_true(ended > before);
    assert_false(player->has_ended);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
    e2e_web_close(web);
}

static void test_addresses_are_checked(void **state) {
    (void)state;
    char text[512], taken[32];
    snprintf(taken, sizeof taken, "127.0.0.1:%u", e2e_web_port(&server));
    assert_int_equal(
        e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--http", taken, NULL}, text, sizeof text),
        2);
    assert_non_null(strstr(text, "--http: 127.0.0.1:"));
    assert_non_null(strstr(text, "choose another with --http HOST:PORT"));
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--tcp", "127.0.0.1:0", "--http", "0.0.0.0:0", NULL},
                             text, sizeof text),
                     2);
    assert_non_null(strstr(text, "--http: '0.0.0.0' is not a loopback address"));
    assert_int_equal(
        e2e_run(E2E_SERVER, (const char *const[]){"--http-origin", "example.com", NULL}, text, sizeof text), 2);
    assert_non_null(strstr(text, "--http-origin: 'example.com' is not an origin"));
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--http-prefix", "a/", NULL}, text, sizeof text), 2);
}

static void test_prefix_is_in_front_of_all_paths(void **state) {
    (void)state;
    e2e_server other;
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--http-prefix", "/play/isostep", NULL});
    assert_int_equal(e2e_web_get(&other, "/play/isostep/healthz", "", &answer, body, sizeof body), 200);
    assert_int_equal(e2e_web_get(&other, "/play/isostep/", "", &answer, body, sizeof body), 200);
    assert_int_equal(e2e_web_get(&other, "/healthz", "", &answer, body, sizeof body), 404);
    assert_int_equal(e2e_web_get(&other, "/play/isostep/v1/socket", "", &answer, body, sizeof body), 426);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
}

static unsigned ask_other(const e2e_server *other, const char *text) {
    e2e_web *web = e2e_web_open(other, 0);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 5000));
    e2e_web_close(web);
    return answer.status;
}

#define END(name, lines)    DELETE(name, E2E_WEB_RIGHT lines)
#define DELETE(name, lines) "DELETE /api/sessions/" name " HTTP/1.1\r\nHost: localhost\r\n" lines "\r\n"

static void test_session_is_ended_over_http(void **state) {
    (void)state;
    char folder[64], path[512];
    iso_message message = e2e_hello();
    e2e_server other;
    e2e_folder_make(folder);
    e2e_server_start(&other,
                     (const char *const[]){"--http", "127.0.0.1:0", E2E_WEB_ADMIN, "--record", folder, "--session",
                                           "main", "--session", "second", "--exit-when-empty", NULL});
    e2e_web *web = e2e_web_open_socket(&other, 0);
    e2e_web_send_message(web, &message);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 5000));
    assert_int_equal(ask_other(&other, END("main", "Origin: http://evil.example\r\n")), 403);
    assert_int_equal(ask_other(&other, DELETE("main", "")), 401);
    assert_int_equal(ask_other(&other, END("nothing", "")), 404);
    assert_int_equal(ask_other(&other, END("main", "")), 202);
    assert_int_equal(ask_other(&other, END("main", "")), 409);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 5000));
    assert_int_equal(message.as.bye.code, ISO_ERR_SESSION_CLOSED);
    assert_int_equal(e2e_web_receive_close(web, 3000), 4043);
    e2e_web_close(web);
    // Its recording is sealed and over; the other session goes on.
    E2E_WAIT(e2e_folder_find(folder, ".isr", path, sizeof path), e2e_sleep_ms(20));
    assert_non_null(strstr(path, "/main-"));
    E2E_WAIT(e2e_web_get(&other, "/api/sessions", "", &answer, body, sizeof body) == 200 &&
                 strstr(body, "\"name\":\"main\",\"state\":\"closed\"") != NULL,
             e2e_sleep_ms(20));
    assert_null(strstr(body, "\"name\":\"second\",\"state\":\"closed\""));
    // With the last session the server ends, as it was told to.
    assert_int_equal(ask_other(&other, END("second", "")), 202);
    assert_int_equal(e2e_server_stop(&other, 0), 0);
    e2e_folder_remove(folder);
}

static void test_token_is_needed_where_there_is_one(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-token-XXXXXX", option[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "0123456789abcdef\n", 17), 17);
    close(file);
    snprintf(option, sizeof option, "@%s", path);
    e2e_server other;
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--http-token", option, NULL});
    assert_int_equal(ask_other(&other, DELETE("main", "")), 401);
    assert_non_null(strstr(answer.head, "WWW-Authenticate: Bearer\r\n"));
    assert_int_equal(ask_other(&other, DELETE("nothing", "Authorization: Bearer 0123456789abcdeX\r\n")), 401);
    assert_int_equal(ask_other(&other, DELETE("main", "Authorization: Bearer 0123456789abcdef\r\n")), 202);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
    unlink(path);
    char text[512];
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--http-token", "short", NULL}, text, sizeof text), 2);
    assert_int_equal(e2e_run(E2E_SERVER, (const char *const[]){"--http-token", option, NULL}, text, sizeof text), 2);
    assert_non_null(strstr(text, "--http-token: '/tmp/"));
}

static void test_address_has_its_limits_whatever_it_speaks(void **state) {
    (void)state;
    e2e_server other;
    iso_message message;
    e2e_server_start(
        &other, (const char *const[]){"--http", "127.0.0.1:0", "--limit-loopback", "--address-connections", "2", NULL});
    e2e_web *webs[2];
    for (size_t i = 0; i < 2; ++i) {
        message = e2e_hello();
        webs[i] = e2e_web_open_socket(&other, 0);
        e2e_web_send_message(webs[i], &message);
        assert_true(e2e_web_receive_kind(webs[i], ISO_MESSAGE_WELCOME, &message, 5000));
    }
    // A third stream is told, over either transport; requests are served.
    e2e_web *third = e2e_web_open_socket(&other, 0);
    assert_true(e2e_web_receive_kind(third, ISO_MESSAGE_REFUSAL, &message, 3000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_ADDRESS_LIMIT);
    assert_int_equal(e2e_web_receive_close(third, 3000), 4050);
    e2e_web_close(third);
    e2e_link *link = e2e_link_open(other.port, 0);
    assert_true(e2e_link_read(link, &message, 3000));
    assert_int_equal(message.as.refusal.code, ISO_ERR_ADDRESS_LIMIT);
    e2e_link_close(link);
    assert_int_equal(ask_other(&other, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), 200);
    // Connections without a stream have a limit of their own.
    // While the server has not seen the end of one from before, it is that limit's, and one of these is refused.
    unsigned status = 0;
    for (int tries = 0; tries < 100 && status != 503; ++tries) {
        e2e_web *idle[4];
        for (size_t i = 0; i < 4; ++i) {
            idle[i] = e2e_web_open(&other, 0);
        }
        status = ask_other(&other, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        for (size_t i = 0; i < 4; ++i) {
            e2e_web_close(idle[i]);
        }
        e2e_sleep_ms(status == 503 ? 0 : 50);
    }
    assert_int_equal(status, 503);
    // A place that is given back can be had again.
    e2e_web_send_message(webs[0], &(iso_message){.kind = ISO_MESSAGE_LEAVE});
    assert_true(e2e_web_wait_end(webs[0], 5000));
    e2e_web_close(webs[0]);
    bool is_welcomed = false;
    for (int tries = 0; tries < 100 && !is_welcomed; ++tries) {
        message = e2e_hello();
        third = e2e_web_open_socket(&other, 0);
        e2e_web_send_message(third, &message);
        is_welcomed = e2e_web_receive_kind(third, ISO_MESSAGE_WELCOME, &message, 1000);
        e2e_web_close(third);
        e2e_sleep_ms(is_welcomed ? 0 : 50);
    }
    assert_true(is_welcomed);
    e2e_web_close(webs[1]);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
}

/// Whoever visits a foreign page can be made to send this, and must not lose the server by it.
static void test_what_a_page_can_send_is_no_strike(void **state) {
    (void)state;
    static const char tls[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03 and many more bytes of a client's hello";
    static const char get[] =
        "GET / HTTP/1.1\r\nHost: localhost:7790\r\nConnection: keep-alive\r\nUser-Agent: Mozilla/5.0\r\n"
        "Accept: */*\r\n\r\n";
    e2e_server other;
    iso_message message;
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--limit-loopback", NULL});
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(ask_other(&other, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"), 413);
        e2e_web *web = e2e_web_open(&other, 0);
        e2e_link_write(web->link, tls, sizeof tls);
        assert_true(e2e_web_read(web, &answer, false, 3000));
        assert_int_equal(answer.status, 400);
        e2e_web_close(web);
        for (int k = 0; k < 2; ++k) {
            e2e_link *link = e2e_link_open(other.port, 0);
            e2e_link_write(link, k == 0 ? tls : get, k == 0 ? sizeof tls : sizeof get - 1);
            assert_true(e2e_link_read(link, &message, 3000));
            assert_int_equal(message.as.refusal.code, ISO_ERR_MALFORMED);
            e2e_link_close(link);
        }
    }
    // No page makes a browser send this.
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(ask_other(&other, "hello\r\n\r\n"), 400);
    }
    assert_int_equal(ask_other(&other, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 503);
    assert_int_equal(e2e_server_stop(&other, SIGTERM), 0);
}

static void test_restart_is_told(void **state) {
    (void)state;
    char folder[64];
    iso_message message;
    e2e_server other;
    e2e_folder_make(folder);
    e2e_server_start(&other, (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, NULL});
    e2e_web *web = e2e_web_open_socket(&other, 0);
    message = e2e_hello();
    e2e_web_send_message(web, &message);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 5000));
    kill(other.pid, SIGTERM);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 5000));
    assert_int_equal(message.as.bye.code, ISO_ERR_RESTARTING);
    assert_int_equal(e2e_web_receive_close(web, 3000), 1012);
    e2e_web_close(web);
    assert_int_equal(e2e_server_stop(&other, 0), 0);
    e2e_folder_remove(folder);
}

/// Two ports stand in the line `ready`, and the wrong one is easily taken.
static void test_native_client_says_that_this_is_http(void **state) {
    (void)state;
    char address[32], output[4096];
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)e2e_web_port(&server));
    const char *const calls[][4] = {{address, "--reconnect", "0", NULL}, {address, "--list", NULL}};
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(e2e_run(E2E_CLIENT, calls[i], output, sizeof output), 4);
        if (strstr(output, " answers in HTTP: ") == NULL || strstr(output, "tcp=") == NULL) {
            fail_msg("%s", output);
        }
    }
}

static void test_server_still_serves(void **state) {
    (void)state;
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_players_run_for(&player, 1, 500);
    const unsigned long sealed = metric("\nisostep_session_ticks_sealed_total{session=\"main\"} ");
    const unsigned long tick = metric("\nisostep_session_tick{session=\"main\"} ");
    assert_in_range(sealed, 60, tick); // of the players before, and of this one
    assert_in_range(metric("\nisostep_session_ticks_late_total{session=\"main\"} "), 0, sealed);
    e2e_player_destroy(player);
    assert_int_equal(get("/healthz", ""), 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_health_and_api_are_served),
        cmocka_unit_test(test_page_is_cached_by_its_tag),
        cmocka_unit_test(test_pipelined_requests_are_answered_in_order),
        cmocka_unit_test(test_connection_stays_for_the_next_request),
        cmocka_unit_test(test_wrong_requests_are_named),
        cmocka_unit_test(test_slow_requests_are_ended),
        cmocka_unit_test(test_foreign_pages_are_refused),
        cmocka_unit_test(test_session_is_joined_over_websocket),
        cmocka_unit_test(test_list_is_answered_and_closed),
        cmocka_unit_test(test_hello_may_follow_the_upgrade_at_once),
        cmocka_unit_test(test_refusals_have_their_close_code),
        cmocka_unit_test(test_wrong_frames_have_their_close_code),
        cmocka_unit_test(test_unmasked_frames_are_a_protocol_error),
        cmocka_unit_test(test_messages_before_the_welcome_are_small),
        cmocka_unit_test(test_fragments_are_one_message),
        cmocka_unit_test(test_fragment_that_never_ends_is_a_timeout),
        cmocka_unit_test(test_pings_without_end_are_a_flood),
        cmocka_unit_test(test_peer_may_close),
        cmocka_unit_test(test_silence_after_the_upgrade_is_a_timeout),
        cmocka_unit_test(test_idle_connections_give_way_to_new_ones),
        cmocka_unit_test(test_reader_that_never_reads_is_ended),
        cmocka_unit_test(test_addresses_are_checked),
        cmocka_unit_test(test_prefix_is_in_front_of_all_paths),
        cmocka_unit_test(test_session_is_ended_over_http),
        cmocka_unit_test(test_token_is_needed_where_there_is_one),
        cmocka_unit_test(test_address_has_its_limits_whatever_it_speaks),
        cmocka_unit_test(test_what_a_page_can_send_is_no_strike),
        cmocka_unit_test(test_restart_is_told),
        cmocka_unit_test(test_native_client_says_that_this_is_http),
        cmocka_unit_test(test_server_still_serves),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, start, stop);
}
