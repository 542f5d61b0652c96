/// Sessions that are created over HTTP on a real server: they are joined, recorded, continued, closed and ended as
/// those of its start are, their places can be had again, and what cannot be created leaves nothing behind.
#include "e2e_web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], body[1 << 17];
static e2e_answer answer;

#define SERVED   "--http", "127.0.0.1:0", E2E_WEB_ADMIN
#define RECORDED SERVED, "--record", folder
#define JSON     "Content-Type: application/json\r\n" E2E_WEB_RIGHT

/// Sends a request, and keeps its answer's text in `body`. @return the status
static unsigned ask(const e2e_server *server, const char *method, const char *path, const char *lines,
                    const char *text) {
    char head[600];
    e2e_web *web = e2e_web_open(server, 0);
    snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n%s\r\n", method, path,
             strlen(text), lines);
    e2e_web_say(web, head);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, &answer, false, 20000));
    assert_true(answer.size < sizeof body);
    memcpy(body, answer.body, answer.size);
    body[answer.size] = '\0';
    e2e_web_close(web);
    return answer.status;
}

static unsigned post(const e2e_server *server, const char *text) {
    return ask(server, "POST", "/api/sessions", JSON, text);
}

static unsigned create(const e2e_server *server, const char *name, const char *scene) {
    char text[200];
    snprintf(text, sizeof text, "{\"name\":\"%s\",\"scene\":\"%s\"}", name, scene);
    return post(server, text);
}

static void say_create(e2e_web *web, const char *name, const char *scene) {
    char text[400];
    snprintf(text, sizeof text,
             "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n" JSON
             "Content-Length: %zu\r\n\r\n{\"name\":\"%s\",\"scene\":\"%s\"}",
             strlen(name) + strlen(scene) + 22, name, scene);
    e2e_web_say(web, text);
}

static unsigned end_session(const e2e_server *server, const char *name) {
    char path[100];
    snprintf(path, sizeof path, "/api/sessions/%s", name);
    return ask(server, "DELETE", path, E2E_WEB_RIGHT, "");
}

/// Creates one as soon as there is a place and the name is free.
static void create_in_time(const e2e_server *server, const char *name, const char *scene) {
    unsigned status = 0;
    E2E_WAIT(status == 201, (status = create(server, name, scene), status == 201 ? (void)0 : e2e_sleep_ms(5)));
}

static bool is_listed(const e2e_server *server, const char *name) {
    char text[100];
    snprintf(text, sizeof text, "{\"name\":\"%s\",", name);
    assert_int_equal(ask(server, "GET", "/api/sessions", "", ""), 200);
    return strstr(body, text) != NULL;
}

/// [KiB] @param what  a line of /proc/PID/status
static unsigned long memory_of(const e2e_server *server, const char *what) {
    char path[64], line[200];
    unsigned long size = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)server->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        size = strncmp(line, what, strlen(what)) == 0 ? strtoul(line + strlen(what) + 1, NULL, 10) : size;
    }
    fclose(file);
    return size;
}

static int set_up(void **state) {
    (void)state;
    e2e_folder_make(folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

// ---- One of them --------------------------------------------------------------------------------------

/// Plays in it for some ticks. @return the player, which has joined
static e2e_player *play(const e2e_server *server, const char *name) {
    e2e_player *player = e2e_player_start_in(server->port, name, 0);
    player->build_every = 10;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    e2e_players_run_for(&player, 1, 500);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    assert_true(player->ticks > 10);
    return player;
}

static void verify_recording(const char *name) {
    char path[512], text[4096], end[100];
    snprintf(end, sizeof end, "%s", name);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    assert_non_null(strstr(path, end));
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, "--json", NULL}, text, sizeof text), 0);
}

static void test_session_is_like_those_of_the_start(void **state) {
    (void)state;
    e2e_server server;
    iso_message message = e2e_hello();
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_int_equal(create(&server, "arena", "sandbox"), 201);
    assert_non_null(strstr(answer.head, "\r\nLocation: sessions/arena\r\n"));
    assert_non_null(strstr(answer.head, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(body, "{\"name\":\"arena\",\"state\":\"waiting\",\"members\":0,"));
    assert_true(is_listed(&server, "arena"));
    assert_int_equal(ask(&server, "GET", "/metrics", "", ""), 200);
    assert_non_null(strstr(body, "\nisostep_session_tick{session=\"arena\"} "));
    // Over TCP and WebSocket, by its name.
    e2e_player *player = play(&server, "arena");
    e2e_web *web = e2e_web_open_socket(&server, 0);
    memcpy(message.as.hello.session, "arena", 6);
    e2e_web_send_message(web, &message);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_WELCOME, &message, 5000));
    e2e_web *lister = e2e_web_open_socket(&server, 0);
    e2e_web_send_message(lister, &(iso_message){.kind = ISO_MESSAGE_LIST});
    assert_true(e2e_web_receive_kind(lister, ISO_MESSAGE_SESSION_LIST, &message, 3000));
    assert_int_equal(message.as.session_list.count, 2);
    assert_string_equal(message.as.session_list.sessions[0].name, "arena");
    e2e_web_close(lister);
    // Its end.
    assert_int_equal(end_session(&server, "arena"), 202);
    assert_ptr_equal(strstr(body, "{\"name\":\"arena\""), body);
    assert_true(e2e_players_run(&player, 1, e2e_all_ended, 5000));
    assert_int_equal(player->end_status, ISO_ERR_SESSION_CLOSED);
    e2e_player_destroy(player);
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_BYE, &message, 5000));
    assert_int_equal(e2e_web_receive_close(web, 3000), 4043);
    e2e_web_close(web);
    E2E_WAIT(!is_listed(&server, "arena"), e2e_sleep_ms(20));
    verify_recording("/arena-");
    assert_int_equal(end_session(&server, "arena"), 404);
    assert_string_equal(body, "{\"error\":\"there is no such session\"}\n");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_document_is_a_scene_as_well(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){SERVED, NULL});
    assert_int_equal(
        post(&server, "{\"name\":\"own\",\"document\":\"// mine\\n{\\\"format\\\":1,\\\"name\\\":\\\"own\\\"}\"}"),
        201);
    assert_int_equal(post(&server, "{\"name\":\"bad\",\"document\":\"{\\\"format\\\":1,\\n \\\"name\\\":7}\"}"), 400);
    assert_non_null(strstr(body, "line 2, column 9: /name: 7, expected "));
    assert_int_equal(post(&server,
                          "{\"name\":\"bad\",\"document\":\"{\\\"format\\\":1,\\\"name\\\":\\\"a\\\",\\\"include\\\":"
                          "[\\\"/etc/passwd\\\"]}\"}"),
                     400);
    assert_non_null(strstr(body, "/include"));
    assert_true(is_listed(&server, "own"));
    assert_false(is_listed(&server, "bad"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// A scene of few bytes can take long to build. One that somebody sends is not built then; a name is not a document.
static void test_document_that_takes_long_is_refused(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){SERVED, "--memory", "512", NULL});
    char text[8192];
    int size = snprintf(text, sizeof text,
                        "{\"name\":\"long\",\"document\":\"{\\\"format\\\":1,\\\"name\\\":\\\"a\\\","
                        "\\\"capacities\\\":{\\\"bodies\\\":2000,\\\"shapes\\\":120000,\\\"joints\\\":0},"
                        "\\\"bodies\\\":[{\\\"generator\\\":\\\"row\\\",\\\"name\\\":\\\"b\\\",\\\"count\\\":1700,"
                        "\\\"step\\\":[1,0],\\\"body\\\":{\\\"shapes\\\":[");
    for (int i = 0; i < 64; ++i) { // each of which is looked at for each other one
        size += snprintf(text + size, sizeof text - (size_t)size,
                         "%s{\\\"kind\\\":\\\"box\\\",\\\"half_width\\\":1,\\\"half_height\\\":1}", i > 0 ? "," : "");
    }
    snprintf(text + size, sizeof text - (size_t)size, "]}}]}\"}");
    assert_int_equal(post(&server, text), 400);
    assert_non_null(strstr(body, ": /bodies/0: "));
    assert_non_null(
        strstr(body, "expected a scene that takes at most 500000 units of work to build: up to here it takes 10"));
    assert_false(is_listed(&server, "long"));
    assert_int_equal(create(&server, "large", "many-pyramids"), 201);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

// ---- What is refused ----------------------------------------------------------------------------------

static void test_wrong_requests_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned status;
        const char *why;
    } cases[] = {
        {"", 400, "line 1, column 1"},
        {"[]", 400, "expected an object"},
        {"{\"name\":\"a\",\"scene\":\"stack\"} x", 400, "line 1, column 30"},
        {"{\"name\":\"a\",\"name\":\"b\",\"scene\":\"stack\"}", 400, "line 1, column"},
        {"{\"scene\":\"stack\"}", 400, "/name: nothing, expected a session's name: 1 to 63 of a to z, 0 to 9 and -"},
        {"{\"name\":\"Arena\",\"scene\":\"stack\"}", 400, "line 1, column 9: /name: \\\"Arena\\\", expected"},
        {"{\"name\":\"../a\",\"scene\":\"stack\"}", 400, "/name"},
        {"{\"name\":\"\",\"scene\":\"stack\"}", 400, "/name"},
        {"{\"name\":\"a\\u0000b\",\"scene\":\"stack\"}", 400, "/name"},
        {"{\"name\":\"a\"}", 400, "/scene: nothing, expected the name of a built-in scene"},
        {"{\"name\":\"a\",\"scene\":\"stack\",\"document\":\"{}\"}", 400, "either scene or document"},
        {"{\"name\":\"a\",\"scene\":\"stack\",\"seed\":1}", 400, "a known key: one of name, scene, document"},
        {"{\"name\":\"a\",\"scene\":\"/etc/passwd\"}", 400, "there is no built-in scene '/etc/passwd'; they are: "},
        {"{\"name\":\"a\",\"scene\":\"stak\"}", 400, "no built-in scene 'stak' (did you mean 'stack'?); they are: "},
        {"{\"name\":\"a\",\"document\":\"{}\"}", 400, "/format"},
        {"{\"name\":\"main\",\"scene\":\"stack\"}", 409, "there is a session 'main' already"},
    };
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const unsigned status = post(&server, cases[i].text);
        if (status != cases[i].status || strstr(body, cases[i].why) == NULL || strstr(body, "{\"error\":\"") != body) {
            fail_msg("%s is answered %u %s", cases[i].text, status, body);
        }
    }
    const char *right = "{\"name\":\"a\",\"scene\":\"stack\"}";
    assert_int_equal(ask(&server, "POST", "/api/sessions", E2E_WEB_RIGHT, right), 415);
    assert_int_equal(ask(&server, "POST", "/api/sessions", "Content-Type: text/plain\r\n" E2E_WEB_RIGHT, right), 415);
    assert_int_equal(
        ask(&server, "POST", "/api/sessions", "Content-Type: application/json; charset=utf-8\r\n" E2E_WEB_RIGHT, "{"),
        400);
    assert_int_equal(ask(&server, "PUT", "/api/sessions", JSON, ""), 405);
    assert_non_null(strstr(answer.head, "Allow: GET, HEAD, POST\r\n"));
    assert_int_equal(ask(&server, "POST", "/api/scenes", JSON, ""), 405);
    assert_int_equal(ask(&server, "POST", "/api/sessions", JSON "Content-Length: 1\r\n", ""), 400);
    // Whoever may not create one gets to know nothing else.
    assert_int_equal(ask(&server, "POST", "/api/sessions", JSON "Origin: http://evil.example\r\n", right), 403);
    assert_non_null(strstr(body, "{\"error\":\"pages of this origin may not do this: "));
    assert_int_equal(ask(&server, "POST", "/api/sessions", "", "{"), 401);
    assert_int_equal(ask(&server, "POST", "/api/sessions", JSON "Origin: http://localhost\r\n", right), 201);
    E2E_WAIT(e2e_folder_has(folder, "a-"), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_bodies_have_their_limits(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    static char text[MIB + 200];
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){SERVED, NULL});
    // All of it is a scene's text, whose error stands at its end.
    const int size = snprintf(text, sizeof text, "{\"name\":\"a\",\"document\":\"");
    memset(text + size, ' ', sizeof text - (size_t)size);
    snprintf(text + MIB - 3, 4, "x\"}");
    assert_int_equal(strlen(text), MIB);
    assert_int_equal(post(&server, text), 400);
    assert_non_null(strstr(body, "the scene 'document': line 1, column 1048550: "));
    assert_int_equal(ask(&server, "POST", "/api/sessions", JSON "Origin: http://evil.example\r\n", "{}"), 403);
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web,
                "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n" E2E_WEB_RIGHT "Content-Length: 1048577\r\n\r\n");
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 413);
    e2e_web_close(web);
    web = e2e_web_open(&server, 0);
    e2e_web_say(web, "POST /api/sessions HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n");
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 413);
    e2e_web_close(web);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_token_is_needed_where_there_is_one(void **state) {
    (void)state;
    e2e_server server;
    const char *right = "{\"name\":\"a\",\"scene\":\"stack\"}";
    e2e_server_start(&server, (const char *const[]){SERVED, NULL});
    assert_int_equal(ask(&server, "POST", "/api/sessions", "Content-Type: application/json\r\n", right), 401);
    assert_non_null(strstr(answer.head, "WWW-Authenticate: Bearer\r\n"));
    assert_non_null(strstr(body, "{\"error\":\"a valid token of --http-tokens or --http-token is needed\"}"));
    assert_int_equal(post(&server, right), 201);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_places_are_limited_and_can_be_switched_off(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){SERVED, "--http-sessions", "2", NULL});
    assert_int_equal(create(&server, "a", "stack"), 201);
    assert_int_equal(create(&server, "a", "stack"), 409);
    assert_int_equal(create(&server, "b", "stack3"), 201);
    assert_non_null(strstr(body, "\"dimensions\":3,"));
    assert_int_equal(create(&server, "c", "stack"), 429);
    assert_non_null(strstr(body, "--http-sessions allows 2 "));
    assert_int_equal(end_session(&server, "b"), 202);
    create_in_time(&server, "c", "stack");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, (const char *const[]){SERVED, "--http-sessions", "0", NULL});
    assert_int_equal(create(&server, "a", "stack"), 429);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// In the list of scenes in `body`.
static void expect_scene(const char *name, const char *text, const char *end) {
    char scene[600], head[64];
    snprintf(head, sizeof head, "{\"name\":\"%s\",", name);
    const char *at = strstr(body, head);
    assert_non_null(at);
    snprintf(scene, sizeof scene, "%.*s", (int)(strchr(at, '}') + 1 - at), at);
    assert_non_null(strstr(scene, text));
    assert_string_equal(scene + strlen(scene) - strlen(end), end);
}

// ---- What is missing ----------------------------------------------------------------------------------

static void test_session_without_memory_leaves_nothing(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, "--memory", "24", NULL});
    assert_int_equal(create(&server, "large", "large-pyramid"), 503);
    assert_non_null(strstr(body, "--memory allows 24 MiB"));
    assert_false(is_listed(&server, "large"));
    E2E_WAIT(!e2e_folder_has(folder, "large"), e2e_sleep_ms(10));
    // A document that says that it is large is not built to find that out: its bodies alone are 100 MiB.
    const unsigned long before = memory_of(&server, "VmHWM");
    assert_int_equal(post(&server,
                          "{\"name\":\"large\",\"document\":\"{\\\"format\\\":1,\\\"name\\\":\\\"a\\\","
                          "\\\"capacities\\\":{\\\"bodies\\\":1048576,\\\"shapes\\\":1048576},\\\"bodies\\\":[{"
                          "\\\"generator\\\":\\\"grid\\\",\\\"name\\\":\\\"b\\\",\\\"columns\\\":1000,"
                          "\\\"rows\\\":1000,\\\"step\\\":[1,1],\\\"body\\\":{\\\"shapes\\\":[{\\\"kind\\\":"
                          "\\\"circle\\\",\\\"radius\\\":0.5}]}}]}\"}"),
                     503);
    assert_non_null(strstr(body, "--memory allows 24 MiB"));
    assert_non_null(strstr(body, "the world of the scene 'document' alone needs "));
    assert_true(memory_of(&server, "VmHWM") < before + (20u << 10));
    assert_int_equal(create(&server, "large", "stack"), 201);
    assert_non_null(strstr(body, "\"dimensions\":2,"));
    assert_int_equal(ask(&server, "GET", "/api/scenes", "", ""), 200);
    assert_non_null(strstr(body, "{\"name\":\"sandbox\",\"title\":\"A playground between two walls"));
    expect_scene("large-pyramid", "\"bodies\":5051,", "\"kind\":\"large\",\"game\":\"\",\"fits\":false}");
    expect_scene("stack", "\"bodies\":11,", "\"kind\":\"scene\",\"game\":\"\"}");
    expect_scene("stack", "\"dimensions\":2,", "\"kind\":\"scene\",\"game\":\"\"}");
    expect_scene("sandbox3", "\"dimensions\":3,", "\"kind\":\"game\",\"game\":\"sandbox3\",\"fits\":false}");
    expect_scene("walker", "\"title\":\"A field with crates. Every member drives ",
                 "\"kind\":\"game\",\"game\":\"walker\",\"fits\":false}");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void set_disk(const char *path, const char *fault) {
    const int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(write(file, fault, 1), 1);
    close(file);
}

/// Starts a server on a disk whose faults `path` sets. @param path  a template for mkstemp
static void start_on_faulty_disk(e2e_server *server, char *path) {
    char shell[600];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    set_disk(path, ".");
    // The sanitizer's library need not be the first.
    snprintf(shell, sizeof shell, "export LD_PRELOAD=%s E2E_DISK=%s ASAN_OPTIONS=verify_asan_link_order=0",
             E2E_FAULTY_DISK, path);
    e2e_server_start_within(server, shell, (const char *const[]){RECORDED, NULL});
}

static void test_session_that_cannot_be_recorded_leaves_nothing(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-fault-XXXXXX";
    e2e_server server;
    start_on_faulty_disk(&server, path);
    set_disk(path, "f");
    assert_int_equal(create(&server, "arena", "stack"), 503);
    assert_non_null(strstr(body, "nothing can be recorded: "));
    assert_false(is_listed(&server, "arena"));
    E2E_WAIT(!e2e_folder_has(folder, "arena"), e2e_sleep_ms(10));
    set_disk(path, "h");
    assert_int_equal(create(&server, "arena", "stack"), 503);
    assert_false(is_listed(&server, "arena"));
    set_disk(path, ".");
    E2E_WAIT(!e2e_folder_has(folder, "arena"), e2e_sleep_ms(10));
    create_in_time(&server, "arena", "stack");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1); // the recording of main has a gap
    assert_true(e2e_folder_has(folder, "arena"));
    unlink(path);
}

/// Asks for the metrics. @return the value of one, with its labels
static double metric_of(const e2e_server *server, const char *name) {
    char start[120];
    assert_int_equal(ask(server, "GET", "/metrics", "", ""), 200);
    snprintf(start, sizeof start, "\n%s ", name);
    const char *at = strstr(body, start);
    if (at == NULL) {
        fail_msg("no metric %s", name);
    }
    return strtod(at + strlen(start), NULL);
}

static bool is_ready_with(const e2e_server *server, const char *text) {
    assert_int_equal(ask(server, "GET", "/readyz", "", ""), 200);
    return strcmp(body, text) == 0;
}

#define OF_MAIN "{session=\"main\"}"

static void test_disk_that_does_not_sync_is_told(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-fault-XXXXXX";
    e2e_server server;
    start_on_faulty_disk(&server, path);
    e2e_player *player = play(&server, "main");
    assert_true(metric_of(&server, "isostep_session_durable_age_seconds" OF_MAIN) < 3);
    assert_true(metric_of(&server, "isostep_session_sync_hangs" OF_MAIN) == 0);
    assert_true(metric_of(&server, "isostep_session_not_recorded" OF_MAIN) == 0);
    assert_true(metric_of(&server, "isostep_recordings_free_bytes") > 0);
    assert_true(metric_of(&server, "isostep_recordings_bytes") > 0);
    assert_true(is_ready_with(&server, "ready\n"));
    set_disk(path, "y");
    E2E_WAIT(e2e_player_stats(player).is_degraded, e2e_players_run_for(&player, 1, 50));
    assert_true(e2e_server_has_logged(&server, "session main: the disk has not synced for "));
    assert_true(metric_of(&server, "isostep_session_durable_age_seconds" OF_MAIN) >= 3);
    assert_true(metric_of(&server, "isostep_session_sync_hangs" OF_MAIN) == 1);
    assert_true(is_ready_with(&server, "ready\ndegraded: 1 session's recording is not synced\n"));
    set_disk(path, ".");
    E2E_WAIT(!e2e_player_stats(player).is_degraded, e2e_players_run_for(&player, 1, 50));
    assert_true(e2e_server_has_logged(&server, "session main: the disk syncs again"));
    assert_true(metric_of(&server, "isostep_session_durable_age_seconds" OF_MAIN) < 3);
    assert_true(is_ready_with(&server, "ready\n"));
    set_disk(path, "f");
    E2E_WAIT(e2e_player_stats(player).is_degraded, e2e_players_run_for(&player, 1, 50));
    assert_true(metric_of(&server, "isostep_session_not_recorded" OF_MAIN) == 1);
    assert_true(is_ready_with(&server, "ready\ndegraded: 1 session is not recorded\n"));
    set_disk(path, ".");
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 1); // the recording has a gap
    unlink(path);
}

static void test_disk_with_too_little_free_takes_no_session(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, "--min-free", "1000000GiB", NULL});
    assert_int_equal(create(&server, "arena", "stack"), 503);
    assert_non_null(strstr(body, "less free than --min-free asks for"));
    assert_false(is_listed(&server, "arena"));
    assert_true(is_ready_with(&server, "ready\ndegraded: the disk has less free than --min-free asks for\n"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, (const char *const[]){RECORDED, "--min-free", "1MiB", NULL});
    assert_int_equal(create(&server, "arena", "stack"), 201);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_end_is_told_when_it_is_on_the_disk(void **state) {
    (void)state;
    char path[] = "/tmp/isostep-e2e-fault-XXXXXX";
    e2e_server server;
    start_on_faulty_disk(&server, path);
    // Whoever knows of the end may kill the server at once.
    assert_int_equal(create(&server, "arena", "stack"), 201);
    assert_int_equal(end_session(&server, "arena"), 202);
    assert_non_null(strstr(body, ",\"durable\":true}\n"));
    verify_recording("-1.isr");
    // What hangs is told after a while, and goes on.
    static const char hangs[] = {'h', 'y'};
    for (size_t i = 0; i < sizeof hangs; ++i) {
        create_in_time(&server, "arena", "stack");
        set_disk(path, (const char[]){hangs[i], '\0'});
        const uint64_t begun = e2e_now_ns();
        assert_int_equal(end_session(&server, "arena"), 202);
        assert_non_null(strstr(body, ",\"durable\":false}\n"));
        assert_true(e2e_now_ns() - begun >= 1900 * E2E_MS);
        set_disk(path, ".");
        E2E_WAIT(!is_listed(&server, "arena"), e2e_sleep_ms(20));
    }
    // Of what is not recorded nothing is on a disk.
    e2e_server_stop(&server, SIGTERM);
    e2e_server_start(&server, (const char *const[]){SERVED, NULL});
    assert_int_equal(end_session(&server, "main"), 202);
    assert_null(strstr(body, "durable"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    unlink(path);
}

// ---- The end of the server ----------------------------------------------------------------------------

static void test_killed_server_continues_them(void **state) {
    (void)state;
    e2e_server server;
    char text[4096];
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_int_equal(create(&server, "arena", "sandbox"), 201);
    e2e_player *player = play(&server, "arena");
    const uint64_t ticks = player->ticks;
    e2e_player_destroy(player);
    assert_int_equal(create(&server, "young", "stack"), 201);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    // They have their names, count, and are there to be joined.
    e2e_server_start(&server, (const char *const[]){RECORDED, "--http-sessions", "2", NULL});
    assert_non_null(strstr(server.ready, " session=main,arena,young"));
    assert_int_equal(create(&server, "more", "stack"), 429);
    player = play(&server, "arena");
    assert_true(player->join_tick > ticks);
    e2e_player_destroy(player);
    assert_int_equal(end_session(&server, "young"), 202);
    E2E_WAIT(!is_listed(&server, "young"), e2e_sleep_ms(20));
    // A signal is no end either; a limit that is too small is told.
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_int_equal(
        e2e_run(E2E_SERVER,
                (const char *const[]){"--tcp", "127.0.0.1:0", RECORDED, "--http-sessions", "0", "--for", "1", NULL},
                text, sizeof text),
        0);
    assert_non_null(strstr(text, "session arena: it is not hosted by this start"));
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_non_null(strstr(server.ready, "arena"));
    assert_null(strstr(server.ready, "young"));
    assert_int_equal(end_session(&server, "arena"), 202);
    E2E_WAIT(!is_listed(&server, "arena"), e2e_sleep_ms(20));
    E2E_WAIT(!e2e_folder_has(folder, "arena.http"), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_null(strstr(server.ready, "arena"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_left_recording_keeps_its_name(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, "--session", "arena", NULL});
    E2E_WAIT(e2e_folder_has(folder, "arena-"), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_server_start(&server, (const char *const[]){RECORDED, "--session", "main", NULL});
    assert_int_equal(create(&server, "arena", "stack"), 409);
    assert_non_null(strstr(body, "a session 'arena' can be continued from the recording arena-"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void create_and_go(e2e_server *server, const char *name) {
    e2e_web *web = e2e_web_open(server, 0);
    say_create(web, name, "stack");
    e2e_web_close(web);
    e2e_sleep_ms(100);
}

static void test_places_can_be_had_again_and_again(void **state) {
    (void)state;
    enum { TIMES = 50 };
    unsigned long first = 0, last = 0;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, "--http-sessions", "1", NULL});
    for (unsigned i = 0; i < TIMES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "again-%u", i % 3);
        create_in_time(&server, name, "stack");
        assert_int_equal(end_session(&server, name), 202);
        last = memory_of(&server, "VmRSS");
        first = i == TIMES / 2 ? last : first;
    }
    E2E_WAIT(!is_listed(&server, "again-1"), e2e_sleep_ms(20)); // the last of them
#ifndef __SANITIZE_ADDRESS__                                    // which keeps what was freed, and finds leaks by itself
    // [KiB] Half of them have passed by then.
    assert_true(last < first + 2048);
#endif
    // Whose creator has gone meanwhile, it is created all the same.
    // The place of the last one is free a moment after it has left the list: until then the answer, which nobody
    // reads, is 429.
    E2E_WAIT(is_listed(&server, "left"), create_and_go(&server, "left"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_server_goes_on_without_a_session(void **state) {
    (void)state;
    iso_message message;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_int_equal(end_session(&server, "main"), 202);
    E2E_WAIT(is_listed(&server, "main") && strstr(body, "\"main\",\"state\":\"closed\"") != NULL, e2e_sleep_ms(20));
    assert_int_equal(ask(&server, "GET", "/readyz", "", ""), 200);
    assert_string_equal(body, "ready, without a session\n");
    e2e_link *link = e2e_link_open(server.port, 0);
    static uint8_t bytes[256];
    e2e_link_write(link, bytes, e2e_encode(&(iso_message){.kind = ISO_MESSAGE_LIST}, bytes, sizeof bytes));
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_SESSION_LIST, &message, 3000));
    assert_int_equal(message.as.session_list.count, 1);
    assert_int_equal(message.as.session_list.sessions[0].state, ISO_SESSION_CLOSED);
    e2e_link_close(link);
    assert_int_equal(create(&server, "arena", "sandbox"), 201);
    assert_int_equal(ask(&server, "GET", "/readyz", "", ""), 200);
    assert_string_equal(body, "ready\n");
    e2e_player_destroy(play(&server, "arena"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_server_ends_with_the_last_session_if_told_so(void **state) {
    (void)state;
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){RECORDED, "--exit-when-empty", NULL});
    assert_int_equal(create(&server, "arena", "stack"), 201);
    assert_int_equal(end_session(&server, "main"), 202);
    E2E_WAIT(is_listed(&server, "main") && strstr(body, "\"main\",\"state\":\"closed\"") != NULL, e2e_sleep_ms(20));
    assert_int_equal(create(&server, "second", "stack"), 201);
    assert_int_equal(end_session(&server, "arena"), 202);
    E2E_WAIT(!is_listed(&server, "arena"), e2e_sleep_ms(20));
    assert_int_equal(end_session(&server, "second"), 202);
    assert_int_equal(e2e_server_stop(&server, 0), 0);
    assert_false(e2e_folder_has(folder, "second.http"));
    e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
    assert_string_equal(strstr(server.ready, " session="), " session=main");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_signal_while_one_is_created_ends_in_order(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; ++i) {
        e2e_server server;
        e2e_server_start(&server, (const char *const[]){RECORDED, NULL});
        e2e_web *web = e2e_web_open(&server, 0);
        say_create(web, "large", "large-pyramid");
        e2e_sleep_ms(5 * i * i);
        kill(server.pid, SIGTERM);
        const bool is_created = e2e_web_read(web, &answer, false, 5000) && answer.status == 201;
        e2e_web_close(web);
        assert_int_equal(e2e_server_stop(&server, 0), 0);
        assert_true(e2e_folder_has(folder, "large.http") == is_created);
        if (is_created) {
            break;
        }
    }
}

// ---- --empty close: it takes ten seconds, during which the other tests run -------------------------------

static e2e_server lonely;

static int start_lonely(void **state) {
    (void)state;
    e2e_server_start(&lonely, (const char *const[]){SERVED, "--empty", "close", NULL});
    assert_int_equal(create(&lonely, "arena", "sandbox"), 201);
    e2e_player *player = play(&lonely, "arena");
    e2e_player_leave(player);
    e2e_players_run(&player, 1, e2e_all_ended, 5000);
    e2e_player_destroy(player);
    return 0;
}

static void test_empty_session_closes_and_leaves(void **state) {
    (void)state;
    // With it and with main, which nobody has joined, all have closed.
    char log[1 << 14];
    assert_int_equal(e2e_server_stop_and_read(&lonely, 0, log, sizeof log), 0);
    assert_non_null(strstr(log, "session arena: "));
    assert_non_null(strstr(log, "2 sessions, "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_session_is_like_those_of_the_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_document_is_a_scene_as_well, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_document_that_takes_long_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_requests_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bodies_have_their_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_token_is_needed_where_there_is_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places_are_limited_and_can_be_switched_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_without_memory_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_that_cannot_be_recorded_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disk_that_does_not_sync_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disk_with_too_little_free_takes_no_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_is_told_when_it_is_on_the_disk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed_server_continues_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_left_recording_keeps_its_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places_can_be_had_again_and_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server_goes_on_without_a_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server_ends_with_the_last_session_if_told_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signal_while_one_is_created_ends_in_order, set_up, tear_down),
        cmocka_unit_test(test_empty_session_closes_and_leaves),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, start_lonely, NULL);
}
