/// The exit codes of all programs, each reached once at least, with the words that say why: what README.md promises
/// to scripts.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MAX 10

typedef struct exit_case {
    const char *program;
    int code;
    const char *text; // that must be said; NULL: any
    const char *words[WORDS_MAX];
} exit_case;

static char folder[64], address[32], nobody[32];
static e2e_server server;

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int start(void **state) {
    (void)state;
    e2e_folder_make(folder);
    assert_int_equal(chdir(folder), 0);
    write_file("bad.json", "{\"bad");
    write_file("junk.isr", "what is this?");
    write_file("file", "");
    static char output[4096];
    const char *const record[] = {"simulate", "stack", "--ticks", "30", "--record", "good.isr", NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, record, output, sizeof output), 0);
    const char *const longer[] = {"simulate", "stack", "--ticks", "31", "--record", "longer.isr", NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, longer, output, sizeof output), 0);
    const char *const change[] = {"perturb",      "good.isr", "--tick",    "9", "--flip", "bodies[1].velocity[0]:12",
                                  "--keep-roots", "-o",       "wrong.isr", NULL};
    if (e2e_run(E2E_REPLAY, change, output, sizeof output) != 0) {
        fail_msg("%s", output);
    }
    e2e_server_start(&server, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    // A port that nobody listens on.
    e2e_server other;
    e2e_server_start(&other, NULL);
    snprintf(nobody, sizeof nobody, "127.0.0.1:%u", other.port);
    return e2e_server_stop(&other, SIGTERM);
}

static int stop(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return e2e_server_stop(&server, SIGTERM);
}

static void check(const exit_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        static char output[1 << 16];
        const exit_case *c = &cases[i];
        const char *arguments[WORDS_MAX + 1] = {NULL};
        for (size_t k = 0; k < WORDS_MAX && c->words[k] != NULL; ++k) {
            arguments[k] = strcmp(c->words[k], "ADDRESS") == 0  ? address
                           : strcmp(c->words[k], "NOBODY") == 0 ? nobody
                                                                : c->words[k];
        }
        const int code = e2e_run_within(c->program, arguments, output, sizeof output, 20000);
        if (code != c->code || (c->text != NULL && strstr(output, c->text) == NULL)) {
            fail_msg("%s %s %s %s: exit code %d, expected %d and '%s' in: %.2000s", c->program,
                     arguments[0] != NULL ? arguments[0] : "",
                     arguments[0] != NULL && arguments[1] != NULL ? arguments[1] : "",
                     arguments[0] != NULL && arguments[1] != NULL && arguments[2] != NULL ? arguments[2] : "", code,
                     c->code, c->text != NULL ? c->text : "", output);
        }
    }
}

static void test_exit_codes_of_the_server(void **state) {
    (void)state;
    static const exit_case cases[] = {
        {E2E_SERVER, 0, "usage: isostep-server", {"--help"}},
        {E2E_SERVER, 0, "ready tcp=", {"--tcp", "127.0.0.1:0", "--for", "1"}},
        {E2E_SERVER, 2, "--nope: there is no such option", {"--nope"}},
        {E2E_SERVER, 2, "'x' is not a whole number from 10 to 128", {"--tick-rate", "x"}},
        {E2E_SERVER, 2, "choose another with --tcp", {"--tcp", "ADDRESS"}},
        {E2E_SERVER, 2, "--record: 'file'", {"--tcp", "127.0.0.1:0", "--record", "file"}},
        {E2E_SERVER, 2, "--threads: '0' is not a whole number from 1 to 64", {"--threads", "0"}},
        {E2E_SERVER, 2, "--threads: '65' is not a whole number from 1 to 64", {"--threads", "65"}},
        {E2E_SERVER, 2, "--threads: 'two' is not a whole number from 1 to 64", {"--threads", "two"}},
        {E2E_SERVER, 2, "--memory", {"--tcp", "127.0.0.1:0", "--memory", "1"}},
        {E2E_SERVER, 3, "there is no scene or file 'nope'", {"--tcp", "127.0.0.1:0", "--scene", "nope"}},
        {E2E_SERVER, 3, "the scene './bad.json': line 1", {"--tcp", "127.0.0.1:0", "--scene", "./bad.json"}},
        {E2E_SERVER, 3, "junk.isr", {"--tcp", "127.0.0.1:0", "--resume", "junk.isr"}},
        {E2E_SERVER, 3, "nope.isr", {"--tcp", "127.0.0.1:0", "--resume", "nope.isr"}},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

/// A recording that cannot be written any further: the session lived, its recording is not whole.
static void test_server_whose_recording_is_not_whole_ends_with_1(void **state) {
    (void)state;
    e2e_server full;
    e2e_server_start_within(&full, "ulimit -f 16",
                            (const char *const[]){"--record", "records", "--keyframes", "1", NULL});
    for (int i = 0; i < 200 && !e2e_server_has_logged(&full, "recording: writing "); ++i) {
        e2e_sleep_ms(50);
    }
    assert_true(e2e_server_has_logged(&full, "recording: writing "));
    assert_int_equal(e2e_server_stop(&full, SIGTERM), 1);
    e2e_folder_remove("records");
}

static void test_exit_codes_of_the_client(void **state) {
    (void)state;
    static const exit_case cases[] = {
        {E2E_CLIENT, 0, "usage: isostep-client", {"--help"}},
        {E2E_CLIENT, 0, "roots checked", {"ADDRESS", "--ticks", "5"}},
        {E2E_CLIENT, 0, "main", {"ADDRESS", "--list"}},
        {E2E_CLIENT, 1, "desync: after tick", {"ADDRESS", "--drill", "flip@1"}},
        {E2E_CLIENT, 2, "there is no option \"--nope\"", {"--nope"}},
        {E2E_CLIENT, 2, "the server's address is missing", {NULL}},
        {E2E_CLIENT, 2, "expected at most 31 bytes", {"ADDRESS", "--name", "a name of more than 31 bytes is too long"}},
        {E2E_CLIENT, 4, "refused: is a server running there?", {"NOBODY", "--reconnect", "0"}},
        {E2E_CLIENT, 4, "NO_SESSION: there is no session \"other\" (--session)", {"ADDRESS", "--session", "other"}},
        {E2E_CLIENT, 4, "is a server running there?", {"NOBODY", "--list"}},
        {E2E_CLIENT, 4, "could not join", {"NOBODY", "--bot", "griefer"}},
        {E2E_MINIMAL, 0, "0 desyncs", {"127.0.0.1", address + sizeof "127.0.0.1", "5"}},
        {E2E_MINIMAL, 2, "usage: isostep-minimal-client HOST PORT TICKS", {"127.0.0.1"}},
        {E2E_MINIMAL, 4, "there is no server at", {"127.0.0.1", nobody + sizeof "127.0.0.1", "5"}},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

static void test_exit_codes_of_the_replay_tool(void **state) {
    (void)state;
    static const exit_case cases[] = {
        {E2E_REPLAY, 0, "Usage: isostep-replay", {"--help"}},
        {E2E_REPLAY, 2, "Usage: isostep-replay", {NULL}},
        {E2E_REPLAY, 2, "nope: there is no such subcommand", {"nope"}},
        {E2E_REPLAY, 2, "isostep-replay verify: --nope: there is no such option", {"verify", "--nope"}},
        {E2E_REPLAY, 2, "isostep-replay verify: -x: there is no such option", {"verify", "-x"}},
        {E2E_REPLAY, 2, "isostep-replay verify: --json=1: it takes no value", {"verify", "--json=1"}},
        {E2E_REPLAY, 2, "isostep-replay info: --tick: expected a value", {"info", "--tick"}},
        {E2E_REPLAY, 2, "isostep-replay trim: -o: expected a value", {"trim", "good.isr", "-o"}},
        {E2E_REPLAY, 0, "ok: 30 ticks", {"verify", "good.isr"}},
        {E2E_REPLAY, 0, "ok: 30 ticks", {"verify", "good.isr", "--threads", "2"}},
        {E2E_REPLAY, 2, "--threads 0: expected a whole number from 1 to 64", {"verify", "good.isr", "--threads", "0"}},
        {E2E_REPLAY, 2, "--threads 65: expected a whole number from 1 to 64", {"verify", "good.isr", "--threads=65"}},
        {E2E_REPLAY, 2, "--threads two: expected a whole number", {"verify", "good.isr", "--threads", "two"}},
        {E2E_REPLAY, 1, NULL, {"verify", "wrong.isr"}},
        {E2E_REPLAY, 2, "FILE is missing", {"verify"}},
        {E2E_REPLAY, 3, "nope.isr: No such file", {"verify", "nope.isr"}},
        {E2E_REPLAY, 3, "junk.isr: this is not a recording", {"verify", "junk.isr"}},
        {E2E_REPLAY, 0, "stack", {"info", "good.isr"}},
        {E2E_REPLAY, 2, "--tick 31: the recording goes from tick 0 to 30", {"info", "good.isr", "--tick", "31"}},
        {E2E_REPLAY, 3, "junk.isr", {"info", "junk.isr"}},
        {E2E_REPLAY, 0, "keyframe 0", {"dump", "good.isr"}},
        {E2E_REPLAY, 2, "--from 9: expected no more than --to", {"dump", "good.isr", "--from", "9", "--to", "3"}},
        {E2E_REPLAY, 2, "the last tick, which is 30", {"dump", "good.isr", "--from", "900"}},
        {E2E_REPLAY, 3, "junk.isr", {"dump", "junk.isr"}},
        {E2E_REPLAY, 0, NULL, {"compare", "good.isr", "good.isr"}},
        {E2E_REPLAY, 1, NULL, {"compare", "good.isr", "wrong.isr"}},
        {E2E_REPLAY, 2, "A is missing", {"compare"}},
        {E2E_REPLAY, 3, "junk.isr", {"compare", "good.isr", "junk.isr"}},
        {E2E_REPLAY, 0, "equal from tick 0 to tick 30", {"bisect", "good.isr", "good.isr"}},
        {E2E_REPLAY, 1, NULL, {"bisect", "good.isr", "wrong.isr"}},
        {E2E_REPLAY, 2, "expected two recordings", {"bisect", "good.isr"}},
        {E2E_REPLAY, 3, "junk.isr", {"bisect", "good.isr", "junk.isr"}},
        {E2E_REPLAY, 0, NULL, {"trim", "good.isr", "--to", "9", "-o", "trimmed.isr"}},
        {E2E_REPLAY, 2, "-o OUT is missing", {"trim", "good.isr"}},
        {E2E_REPLAY, 2, "the recording goes from tick 0 to 30", {"trim", "good.isr", "--to", "31", "-o", "more.isr"}},
        {E2E_REPLAY, 3, "junk.isr", {"trim", "junk.isr", "-o", "more.isr"}},
        {E2E_REPLAY, 2, "--tick T is missing", {"perturb", "good.isr", "-o", "more.isr"}},
        {E2E_REPLAY,
         2,
         "expected one of --flip and --command",
         {"perturb", "good.isr", "--tick", "3", "-o", "more.isr"}},
        {E2E_REPLAY,
         3,
         "junk.isr",
         {"perturb", "junk.isr", "--tick", "3", "--flip", "bodies[1].velocity[0]:12", "-o", "more.isr"}},
        {E2E_REPLAY, 0, "last tick 5", {"simulate", "stack", "--ticks", "5"}},
        {E2E_REPLAY, 2, "SCENE is missing", {"simulate"}},
        {E2E_REPLAY, 2, "--ticks N is missing", {"simulate", "stack"}},
        {E2E_REPLAY, 2, "--ticks x: expected a whole number", {"simulate", "stack", "--ticks", "x"}},
        {E2E_REPLAY, 3, "Built-in scenes:", {"simulate", "nope", "--ticks", "5"}},
        {E2E_REPLAY, 3, "bad.json: line 1", {"simulate", "bad.json", "--ticks", "5"}},
        {E2E_REPLAY, 0, NULL, {"render", "stack", "--out", "picture.svg"}},
        {E2E_REPLAY, 2, "--out is missing", {"render", "stack"}},
        {E2E_REPLAY, 2, "expected a name that ends in .svg or .png", {"render", "stack", "--out", "picture.bmp"}},
        {E2E_REPLAY, 3, "bad.json", {"render", "bad.json", "--out", "picture.svg"}},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

static void test_wrong_options_lead_to_the_help_of_their_subcommand(void **state) {
    (void)state;
    static const char *const subcommands[] = {"verify",  "info",     "dump",   "compare", "bisect", "trim",
                                              "perturb", "simulate", "render", "check",   "state"};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; ++i) {
        static char output[1 << 16];
        char expected[160];
        snprintf(expected, sizeof expected,
                 "isostep-replay %s: --nope: there is no such option, or more than one that begins so\n"
                 "see 'isostep-replay %s --help'\n",
                 subcommands[i], subcommands[i]);
        assert_int_equal(
            e2e_run(E2E_REPLAY, (const char *const[]){subcommands[i], "--nope", NULL}, output, sizeof output), 2);
        assert_string_equal(output, expected);
    }
}

static void test_exit_codes_of_the_benchmark(void **state) {
    (void)state;
    static const exit_case cases[] = {
        {E2E_BENCH, 0, "Usage: isostep-bench", {"--help"}},
        {E2E_BENCH, 0, "stack", {"--scene", "stack", "--steps", "2"}},
        {E2E_BENCH, 2, "isostep-bench: --nope: there is no such option", {"--nope"}},
        {E2E_BENCH, 2, "--steps 0: expected a whole number from 1", {"--steps", "0"}},
        {E2E_BENCH, 2, "more: expected options alone", {"more"}},
        {E2E_BENCH, 3, "nope: neither a file nor a built-in scene; these are", {"--scene", "nope"}},
        {E2E_BENCH, 3, "neither a file nor a built-in scene (did you mean 'stack'?); these are", {"--scene", "stak"}},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

/// Each program once, with what it would do otherwise.
static const exit_case with_simd[] = {
    {E2E_SERVER, 0, "ready tcp=", {"--tcp", "127.0.0.1:0", "--for", "1"}},
    {E2E_CLIENT, 0, "roots checked", {"ADDRESS", "--ticks", "5"}},
    {E2E_REPLAY, 0, "ok: 30 ticks", {"verify", "good.isr"}},
    {E2E_BENCH, 0, "stack", {"--scene", "stack", "--steps", "2", "--no-peers"}},
};

/// Names the variable, its value, what is wrong and what is possible.
static void expect_simd_refused(const char *value, const char *why) {
    char text[200];
    setenv("ISO_SIMD", value, 1);
    snprintf(text, sizeof text, "ISO_SIMD=%s: %s; here it may be portable", value, why);
    for (unsigned set = ISO_SIMD_PORTABLE + 1; set < ISO_SIMD_COUNT; ++set) {
        if (iso_simd_is_supported((iso_simd)set)) {
            strcat(text, ", ");
            strcat(text, iso_simd_name((iso_simd)set));
        }
    }
    strcat(text, "\n");
    for (size_t i = 0; i < sizeof with_simd / sizeof with_simd[0]; ++i) {
        exit_case refused = with_simd[i];
        refused.code = 2;
        refused.text = text;
        check(&refused, 1);
    }
    unsetenv("ISO_SIMD");
}

static void test_unknown_instruction_sets_are_refused_by_all_programs(void **state) {
    (void)state;
    expect_simd_refused("avx3", "there is no such instruction set");
    expect_simd_refused("AVX2", "there is no such instruction set");
}

/// There is no processor with all of them.
static void test_instruction_sets_that_the_processor_lacks_are_refused_by_all_programs(void **state) {
    (void)state;
    unsigned lacking = 0;
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        if (!iso_simd_is_supported((iso_simd)set)) {
            expect_simd_refused(iso_simd_name((iso_simd)set), "this processor or build lacks it");
            ++lacking;
        }
    }
    assert_true(lacking > 0);
}

static void test_instruction_sets_of_the_processor_are_taken_by_all_programs(void **state) {
    (void)state;
    setenv("ISO_SIMD", "portable", 1);
    check(with_simd, sizeof with_simd / sizeof with_simd[0]);
    setenv("ISO_SIMD", "", 1);
    check(with_simd, sizeof with_simd / sizeof with_simd[0]);
    unsetenv("ISO_SIMD");
}

/// What a report of a fault has to say, alike in all programs.
static void test_versions_are_told_alike(void **state) {
    (void)state;
    static const char *const programs[] = {E2E_SERVER, E2E_CLIENT, E2E_REPLAY, E2E_BENCH};
    static char first[4096], output[4096];
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
        assert_int_equal(e2e_run(programs[i], (const char *const[]){"--version", NULL}, output, sizeof output), 0);
        const char *name = strrchr(programs[i], '/') + 1;
        assert_memory_equal(output, name, strlen(name));
        static const char *const lines[] = {
            "\nbuild ",      "\nin space     version ", "\nsimulation   version ",       ", schema ",
            ", arithmetic ", "\nprotocol     3",        "\nrecordings   writes format ", "\ngames        sandbox "};
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; ++k) {
            if (strstr(output, lines[k]) == NULL) {
                fail_msg("there is no '%s' in: %s", lines[k], output);
            }
        }
        if (i == 0) {
            strcpy(first, strchr(output, '\n'));
        }
        assert_string_equal(strchr(output, '\n'), first);
    }
}

/// Who compares a recording with a program looks for the recording's schema in what the program says of its games.
static void test_version_has_the_schema_that_a_recording_names(void **state) {
    (void)state;
    static char version[4096], info[16384];
    const char *const simulate[] = {"simulate", "sandbox", "--ticks", "5", "--record", "schema.isr", NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, simulate, info, sizeof info), 0);
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"info", "schema.isr", NULL}, info, sizeof info), 0);
    assert_int_equal(e2e_run(E2E_REPLAY, (const char *const[]){"--version", NULL}, version, sizeof version), 0);
    const char *schema = strstr(info, ", schema "), *games = strstr(version, "\ngames");
    char expected[64];
    assert_non_null(schema);
    assert_non_null(games);
    snprintf(expected, sizeof expected, " sandbox 2 (schema %.16s),", schema + strlen(", schema "));
    if (strstr(games, expected) == NULL) {
        fail_msg("there is no '%s' in: %s", expected, games);
    }
}

/// What nobody could read is no success.
static void test_an_output_that_is_full_is_a_failure(void **state) {
    (void)state;
    static const struct {
        const char *program, *arguments, *says;
        int code;
    } cases[] = {
        {E2E_REPLAY, "info good.isr", "isostep-replay: standard output cannot be written: No space left on device", 3},
        {E2E_REPLAY, "info good.isr --json", "standard output cannot be written", 3},
        {E2E_REPLAY, "verify good.isr", "standard output cannot be written", 3},
        {E2E_REPLAY, "dump good.isr", "standard output cannot be written", 3},
        {E2E_REPLAY, "--help", "standard output cannot be written", 3},
        {E2E_REPLAY, "verify wrong.isr", "standard output cannot be written", 1},
        {E2E_CLIENT, "--version", "isostep-client: standard output cannot be written", 4},
        {E2E_CLIENT, "--help", "isostep-client: standard output cannot be written", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char script[600], output[4096];
        snprintf(script, sizeof script, "exec 3>&1; '%s' %s 2>&3 >/dev/full", cases[i].program, cases[i].arguments);
        const int code = e2e_run("/bin/sh", (const char *const[]){"-c", script, NULL}, output, sizeof output);
        if (code != cases[i].code || strstr(output, cases[i].says) == NULL) {
            fail_msg("%s: %d: %s", cases[i].arguments, code, output);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_output_that_is_full_is_a_failure),
        cmocka_unit_test(test_exit_codes_of_the_server),
        cmocka_unit_test(test_server_whose_recording_is_not_whole_ends_with_1),
        cmocka_unit_test(test_exit_codes_of_the_client),
        cmocka_unit_test(test_exit_codes_of_the_replay_tool),
        cmocka_unit_test(test_wrong_options_lead_to_the_help_of_their_subcommand),
        cmocka_unit_test(test_exit_codes_of_the_benchmark),
        cmocka_unit_test(test_unknown_instruction_sets_are_refused_by_all_programs),
        cmocka_unit_test(test_instruction_sets_that_the_processor_lacks_are_refused_by_all_programs),
        cmocka_unit_test(test_instruction_sets_of_the_processor_are_taken_by_all_programs),
        cmocka_unit_test(test_versions_are_told_alike),
        cmocka_unit_test(test_version_has_the_schema_that_a_recording_names),
    };
    e2e_limit_seconds(100);
    return cmocka_run_group_tests(tests, start, stop);
}
