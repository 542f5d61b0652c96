/// What others have written must not drive the terminal on which a program speaks: names in recordings, texts of a
/// server and arguments hold control characters, overrides of writing direction and separators of lines.
#include "e2e.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_recording.h"
#include "e2e_tool.h"

/// "[31m" behind a C1 control character, an override and an isolate of direction, a line separator.
#define HOSTILE   \
    "Eve\xC2\x9B" \
    "31m\u202e\u2066\u2028"
// The same without the control character.
#define NAME  "Eve31m\u202e\u2066\u2028"
#define SHOWN "Eve31m???"
#define ARGUMENT           \
    "--no\x1b[31m\xC2\x9B" \
    "31m\u202e"

static void assert_harmless(void) {
    for (const unsigned char *at = (const unsigned char *)tool_output; *at != 0; ++at) {
        const bool two = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
        const bool three = at[0] == 0xE2 && ((at[1] == 0x80 && at[2] >= 0xA8 && at[2] <= 0xAE) ||
                                             (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9)); // U+2028 and so on
        if ((*at < 0x20 && *at != '\n') || *at == 0x7F || two || three) {
            fail_msg("byte %zu is a terminal's: %s", (size_t)(at - (const unsigned char *)tool_output), tool_output);
        }
    }
}

static int run(const char *program, const char *first, const char *second, const char *third) {
    return e2e_run(program, (const char *const[]){first, second, third, NULL}, tool_output, sizeof tool_output);
}

static void test_texts_of_recordings_are_shown_without_control_characters(void **state) {
    (void)state;
    // No message carries a control character, so it is no name either.
    e2e_recording hostile = {.has_events = true, .name = HOSTILE};
    e2e_recording_make(&hostile, path_of("c1.isr"), 130);
    assert_int_equal(replay("info", path_of("c1.isr")), 3);
    assert_harmless();
    e2e_recording w = {.has_events = true, .name = NAME};
    e2e_recording_make(&w, path_of("eve.isr"), 130);
    assert_int_equal(replay("info", path_of("eve.isr")), 0);
    assert_harmless();
    assert_says(SHOWN);
    assert_int_equal(replay("dump", path_of("eve.isr")), 0);
    assert_harmless();
    assert_says("\"" SHOWN "\"");
    assert_int_equal(replay("info", path_of("eve.isr"), "--json"), 0);
    assert_harmless();
    assert_says("\"name\":\"Eve31m\\u202e\\u2066\\u2028\"");
}

static void test_arguments_are_told_of_without_control_characters(void **state) {
    (void)state;
    static const char *const cases[][5] = {
        {E2E_REPLAY, "verify", ARGUMENT, "x.isr", "verify: --no?[31m?31m?:"},
        {E2E_REPLAY, "verify", "x" ARGUMENT, NULL, "x--no?[31m?31m?: No such file"},
        {E2E_REPLAY, "simulate", "x" ARGUMENT, "--ticks=1", "x--no?[31m?31m?: No such file"},
        {E2E_REPLAY, ARGUMENT, NULL, NULL, "isostep-replay: --no?[31m?31m?:"},
        {E2E_CLIENT, ARGUMENT, NULL, NULL, "--no?[31m?31m?"},
        {E2E_CLIENT, "127.0.0.1:7790", "--name", "a\x1b[31m", "a?[31m"},
        {E2E_CLIENT, "127.0.0.1:1" ARGUMENT, NULL, NULL, "127.0.0.1:1--no?[31m?31m?"},
        {E2E_SERVER, ARGUMENT, NULL, NULL, "--no?[31m?31m?"},
        {E2E_SERVER, "--scene", "x" ARGUMENT, "--tcp=127.0.0.1:0", "x--no?[31m?31m?"},
        {E2E_BENCH, ARGUMENT, NULL, NULL, "isostep-bench: --no?[31m?31m?:"},
        {E2E_BENCH, "x" ARGUMENT, NULL, NULL, "x--no?[31m?31m?:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_not_equal(run(cases[i][0], cases[i][1], cases[i][2], cases[i][3]), 0);
        assert_harmless();
        assert_says(cases[i][4]);
    }
}

// ---- a server that sends such texts -----------------------------------------------------------------

typedef struct liar {
    pid_t pid;
    char address[32];
} liar;

/// Answers the first message of one connection with this one.
static liar liar_start(const iso_message *answer) {
    static uint8_t bytes[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER];
    static char heard[4096];
    const size_t size = e2e_encode(answer, bytes, sizeof bytes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &address_size), 0);
    liar l;
    snprintf(l.address, sizeof l.address, "127.0.0.1:%u", ntohs(address.sin_port));
    l.pid = fork();
    assert_true(l.pid >= 0);
    if (l.pid == 0) {
        const int fd = accept(listener, NULL, NULL);
        (void)!read(fd, heard, sizeof heard);
        (void)!send(fd, bytes, size, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (read(fd, heard, sizeof heard) > 0) {
        }
        _exit(0);
    }
    close(listener);
    return l;
}

static void liar_stop(const liar *l) {
    kill(l->pid, SIGKILL);
    waitpid(l->pid, NULL, 0);
}

static void test_texts_of_a_server_are_shown_without_control_characters(void **state) {
    (void)state;
    iso_message bye = {.kind = ISO_MESSAGE_BYE};
    bye.as.bye.code = ISO_ERR_KICKED;
    strcpy(bye.as.bye.text, "go\u202e away\u2066\u2028");
    liar l = liar_start(&bye);
    assert_int_equal(run(E2E_CLIENT, l.address, "--reconnect", "0"), 4);
    assert_harmless();
    assert_says("go? away??");
    liar_stop(&l);
}

static void test_a_list_of_sessions_is_shown_without_control_characters(void **state) {
    (void)state;
    iso_session_info info = {.name = "main", .state = ISO_SESSION_RUNNING, .slots = 2, .tick_rate_hz = 60};
    strcpy(info.game, "x\u202e\"y");
    iso_message list = {.kind = ISO_MESSAGE_SESSION_LIST};
    list.as.session_list.sessions = &info;
    list.as.session_list.count = 1;
    liar l = liar_start(&list);
    assert_int_equal(run(E2E_CLIENT, l.address, "--list", NULL), 0);
    assert_harmless();
    assert_says("x?\"y");
    liar_stop(&l);
    l = liar_start(&list);
    assert_int_equal(run(E2E_CLIENT, l.address, "--list", "--json"), 0);
    assert_harmless();
    assert_says("\"game\":\"x\\u202e\\\"y\"");
    liar_stop(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_of_recordings_are_shown_without_control_characters),
        cmocka_unit_test(test_arguments_are_told_of_without_control_characters),
        cmocka_unit_test(test_texts_of_a_server_are_shown_without_control_characters),
        cmocka_unit_test(test_a_list_of_sessions_is_shown_without_control_characters),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
