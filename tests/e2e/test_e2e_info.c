/// What isostep-replay shows to people: the summary of a recording, and the progress of long work on a terminal.
#include "e2e.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_recording.h"
#include "e2e_tool.h"

static void test_info_counts_members_commands_and_bytes(void **state) {
    (void)state;
    e2e_recording w = {.has_events = true};
    e2e_recording_make(&w, path_of("a.isr"), 330);
    assert_int_equal(replay("info", path_of("a.isr"), "--json"), 0);
    assert_says("\"members\":[{\"slot\":0,\"generation\":1,\"name\":\"Zo\xC3\xAB\",\"first_tick\":1,\"last_tick\":330,"
                "\"commands\":93,\"present\":false}]");
    assert_says("\"commands_by_kind\":{\"SET_CONTROL\":82,\"SPAWN_BODY\":11}");
    assert_int_equal(number_after("\"desyncs\":"), 1);
    assert_int_equal(number_after("\"heals\":"), 1);
    assert_int_equal(number_after("\"commands\":"), 93);
    const uint64_t ticks = number_after("\"frame_bytes\":{\"ticks\":");
    assert_in_range(ticks, 330 * 20, 330 * 40);
    const char *at = strstr(tool_output, "\"frame_bytes\"");
    const uint64_t keyframes = strtoull(strstr(at, "\"keyframes\":") + 12, NULL, 10);
    const uint64_t events = strtoull(strstr(at, "\"events\":") + 9, NULL, 10);
    assert_true(keyframes > 1000 && events > 90);
    assert_true(ticks + keyframes + events < number_after("\"bytes\":"));
}

static void test_info_draws_who_was_there(void **state) {
    (void)state;
    e2e_recording w = {.has_events = true};
    e2e_recording_make(&w, path_of("a.isr"), 330);
    assert_int_equal(replay("info", path_of("a.isr")), 0);
    assert_says("members    1");
    assert_says("slot 0  Zo\xC3\xAB");
    assert_says("connection lost 1 time, ended by TIMEOUT");
    assert_says("SET_CONTROL 82, SPAWN_BODY 11");
    assert_says("tick 100 slot 0: the session's root 000000000000abcd, the member's 0000000000001234");
    assert_says("as this build's");
    assert_says("up to ");
    assert_says("desyncs    1, 1 healed");
    assert_says("\u25C6"); // a keyframe
    assert_says("\u2717"); // the desync
    // A part of it knows the member's name, too.
    assert_int_equal(replay("trim", path_of("a.isr"), "--from", "50", "--to", "60", "-o", path_of("part.isr")), 0);
    assert_int_equal(replay("info", path_of("part.isr"), "--json"), 0);
    assert_says("\"name\":\"Zo\xC3\xAB\",\"first_tick\":50,\"last_tick\":60,\"commands\":2,\"present\":true");
    assert_int_equal(number_after("\"desyncs\":"), 0);
    // Held when the part begins, and until it ends.
    assert_int_equal(
        replay("trim", path_of("a.isr"), "--from", "123", "--to", "124", "-o", path_of("part.isr"), "--force"), 0);
    assert_int_equal(replay("info", path_of("part.isr")), 0);
    assert_says("Zo\xC3\xAB");
    assert_says(", held");
    assert_int_equal(
        replay("trim", path_of("a.isr"), "--from", "126", "--to", "130", "-o", path_of("part.isr"), "--force"), 0);
    assert_int_equal(replay("info", path_of("part.isr")), 0);
    assert_says(", there at the end");
    assert_int_equal(
        replay("trim", path_of("a.isr"), "--from", "330", "--to", "330", "-o", path_of("part.isr"), "--force"), 0);
    assert_int_equal(replay("info", path_of("part.isr")), 0);
    assert_says("members    0");
}

/// Names take as many columns as they have characters, however many bytes those are.
static void test_info_aligns_names_by_characters(void **state) {
    (void)state;
    const char *const names[] = {"Zoe", "Zo\u00EB", "\u20AC\u20AC\u20AC", "\U0001F600\U0001F600\U0001F600"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        e2e_recording w = {.has_events = true, .name = names[i]};
        e2e_recording_make(&w, path_of("name.isr"), 60);
        assert_int_equal(replay("info", path_of("name.isr")), 0);
        char line[120];
        snprintf(line, sizeof line, "slot 0  %s              0:00.0 to 0:01.0", names[i]);
        assert_says(line);
        snprintf(line, sizeof line, "\n0 %s         ", names[i]);
        assert_says(line);
    }
}

/// A name that is too long for the picture is cut behind a character, never within one: what is printed stays UTF-8.
static void test_info_cuts_a_name_between_characters(void **state) {
    (void)state;
    const char *const names[] = {"\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB",
                                 "aaaaaaaaaa\u20AC\u20AC", "aaaaaaaaaaa\U0001F600", "aaaaaaaaaaa"};
    const char *const drawn[] = {"0 \u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB\u00EB ",
                                 "0 aaaaaaaaaa\u20AC ", "0 aaaaaaaaaaa ", "0 aaaaaaaaaaa "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        e2e_recording w = {.has_events = true, .name = names[i]};
        e2e_recording_make(&w, path_of("name.isr"), 60);
        assert_int_equal(replay("info", path_of("name.isr")), 0);
        char line[80];
        snprintf(line, sizeof line, "\n%s", drawn[i]);
        assert_says(line);
    }
}

static void test_info_of_recordings_that_hold_little(void **state) {
    (void)state;
    e2e_recording empty = {0};
    e2e_recording_make(&empty, path_of("empty.isr"), 0);
    assert_int_equal(replay("info", path_of("empty.isr")), 0);
    assert_says("ticks 0 to 0");
    assert_says("commands   0");
    assert_int_equal(replay("verify", path_of("empty.isr"), "--json"), 0);
    assert_int_equal(number_after("\"ticks\":"), 0);
    e2e_recording one = {.has_events = true};
    e2e_recording_make(&one, path_of("one.isr"), 1);
    assert_int_equal(replay("info", path_of("one.isr")), 0);
    e2e_recording other = {.lies_about_schema = true};
    e2e_recording_make(&other, path_of("other.isr"), 20);
    assert_int_equal(replay("info", path_of("other.isr")), 0);
    assert_says("another version, this build cannot simulate it");
    const uint64_t size = e2e_file_copy(path_of("one.isr"), path_of("torn.isr.part"), 0, -1);
    e2e_file_copy(path_of("one.isr"), path_of("torn.isr.part"), size - 20, -1);
    assert_int_equal(replay("info", path_of("torn.isr.part")), 0);
    assert_says("torn end");
    assert_says("not sealed");
}

/// Runs the replay tool with standard error on a terminal. @return what it wrote there
static const char *run_on_terminal(const char *const *arguments) {
    static char text[1 << 16];
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(slave, STDERR_FILENO);
        alarm(60);
        execv(E2E_REPLAY, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(slave);
    size_t size = 0;
    ssize_t got;
    while (size + 1 < sizeof text && (got = read(terminal, text + size, sizeof text - 1 - size)) > 0) {
        size += (size_t)got;
    }
    text[size] = 0;
    int status = 0;
    waitpid(pid, &status, 0);
    close(terminal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return text;
}

static void test_long_work_shows_its_progress_on_a_terminal_only(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("a.isr"), 700);
    const char *const works[][8] = {
        {"isostep-replay", "verify", path_of("a.isr"), NULL},
        {"isostep-replay", "compare", path_of("a.isr"), NULL},
        {"isostep-replay", "trim", path_of("a.isr"), "-o", path_of("t.isr"), "--force", NULL},
        {"isostep-replay", "simulate", "stack", "--ticks", "50", NULL},
        {"isostep-replay", "render", path_of("a.isr"), "--tick", "299", "--out", path_of("a.svg"), NULL},
    };
    for (size_t i = 0; i < sizeof works / sizeof works[0]; ++i) {
        const char *shown = run_on_terminal(works[i]);
        char label[32];
        snprintf(label, sizeof label, "\r%s ", works[i][1]);
        if (strstr(shown, label) == NULL || strstr(shown, " left") == NULL || strstr(shown, "real time") == NULL) {
            fail_msg("no bar for %s: %s", works[i][1], shown);
        }
        // What stays is an empty line.
        const char *erased = "\r\x1b[K";
        assert_string_equal(shown + strlen(shown) - strlen(erased), erased);
        e2e_run(E2E_REPLAY, works[i] + 1, tool_output, sizeof tool_output);
        assert_null(strstr(tool_output, "\x1b"));
        assert_null(strstr(tool_output, " left"));
    }
    const char *const for_programs[] = {"isostep-replay", "verify", path_of("a.isr"), "--json", NULL};
    assert_string_equal(run_on_terminal(for_programs), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info_counts_members_commands_and_bytes),
        cmocka_unit_test(test_info_draws_who_was_there),
        cmocka_unit_test(test_info_aligns_names_by_characters),
        cmocka_unit_test(test_info_cuts_a_name_between_characters),
        cmocka_unit_test(test_info_of_recordings_that_hold_little),
        cmocka_unit_test(test_long_work_shows_its_progress_on_a_terminal_only),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
