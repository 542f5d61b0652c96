/// The command line's parser.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/start/options.h"
#include "session/session.h"

static iso__options options; // large

static bool parse(char *message, size_t capacity, const char *const *words) {
    char *argv[16] = {(char *)(uintptr_t) "isostep-server"};
    int argc = 1;
    for (; *words != NULL; ++words) {
        argv[argc++] = (char *)(uintptr_t)*words;
    }
    return iso__options_parse(&options, argc, argv, message, capacity);
}

#define PARSE(...) parse(message, sizeof message, (const char *const[]){__VA_ARGS__, NULL})

static void test_defaults(void **state) {
    (void)state;
    char message[200];
    assert_true(parse(message, sizeof message, (const char *const[]){NULL}));
    assert_string_equal(options.scene, "sandbox");
    assert_int_equal(options.session_count, 1);
    assert_string_equal(options.sessions[0].name, "main");
    assert_string_equal(options.sessions[0].scene, "sandbox");
    assert_int_equal(options.memory_mib, 64);
    assert_int_equal(options.address_connections, 8);
    assert_int_equal(options.address_accepts, 200);
    assert_int_equal(options.unauthenticated, 256);
    assert_false(options.limit_loopback);
    assert_string_equal(options.tcp_host, "127.0.0.1");
    assert_int_equal(options.tcp_port, 7790);
    assert_null(options.record_dir);
    assert_int_equal(options.tick_rate_hz, 0);
    assert_false(options.has_seed);
    assert_int_equal(options.for_seconds, 0);
    assert_false(options.allow_plaintext);
    assert_int_equal(options.roll_kib, 256 << 10);
    assert_int_equal(options.keyframe_interval, 600);
    assert_int_equal(options.late_policy, ISO_LATE_MOVE);
    assert_int_equal(options.empty_policy, ISO_EMPTY_PAUSE);
    assert_int_equal(options.desync_policy, ISO_DESYNC_HEAL);
    assert_int_equal(options.hold_seconds, 45);
    assert_int_equal(options.spectators, 64);
    assert_int_equal(options.commands_per_tick, 4);
    assert_int_equal(options.input_bytes, 16384);
    assert_int_equal(options.silence_seconds, 30);
    assert_int_equal(options.client_silence_ms, 3000);
}

static void test_policies_are_words(void **state) {
    (void)state;
    char message[200];
    assert_true(PARSE("--late=strict", "--empty", "close", "--desync", "ignore"));
    assert_int_equal(options.late_policy, ISO_LATE_STRICT);
    assert_int_equal(options.empty_policy, ISO_EMPTY_CLOSE);
    assert_int_equal(options.desync_policy, ISO_DESYNC_IGNORE);
    assert_true(PARSE("--late", "drop", "--empty=run", "--desync=kick"));
    assert_int_equal(options.late_policy, ISO_LATE_DROP);
    assert_int_equal(options.empty_policy, ISO_EMPTY_RUN);
    assert_int_equal(options.desync_policy, ISO_DESYNC_KICK);
    assert_true(PARSE("--late", "move", "--empty", "pause", "--desync", "pause"));
    assert_int_equal(options.late_policy, ISO_LATE_MOVE);
    assert_int_equal(options.empty_policy, ISO_EMPTY_PAUSE);
    assert_int_equal(options.desync_policy, ISO_DESYNC_PAUSE);
}

static void test_a_recording_to_go_on_from_is_a_session(void **state) {
    (void)state;
    char message[200];
    assert_true(PARSE("--resume", "old.isr", "--session=main"));
    assert_int_equal(options.session_count, 2);
    assert_string_equal(options.sessions[0].resume, "old.isr");
    assert_null(options.sessions[0].scene);
    assert_null(options.sessions[1].resume);
    // No session of its own is added beside it.
    assert_true(PARSE("--resume=old.isr"));
    assert_int_equal(options.session_count, 1);
}

static void test_all_options_in_both_forms(void **state) {
    (void)state;
    char message[200];
    assert_true(PARSE("--scene", "stack", "--tcp=[::1]:0", "--record", "/tmp", "--tick-rate=128", "--seed",
                      "18446744073709551615", "--for=9", "--allow-plaintext"));
    assert_string_equal(options.scene, "stack");
    assert_string_equal(options.tcp_host, "::1");
    assert_int_equal(options.tcp_port, 0);
    assert_string_equal(options.record_dir, "/tmp");
    assert_int_equal(options.tick_rate_hz, 128);
    assert_true(options.has_seed);
    assert_true(options.seed == UINT64_MAX);
    assert_int_equal(options.for_seconds, 9);
    assert_true(options.allow_plaintext);
}

static void test_sessions_are_named_and_numbered(void **state) {
    (void)state;
    char message[200];
    assert_true(PARSE("--session", "lobby=stack", "--sessions", "2", "--session=arena-2", "--scene", "joint-grid"));
    static const char *const names[] = {"lobby", "s0", "s1", "arena-2"};
    static const char *const scenes[] = {"stack", "joint-grid", "joint-grid", "joint-grid"};
    assert_int_equal(options.session_count, 4);
    for (size_t i = 0; i < 4; ++i) {
        assert_string_equal(options.sessions[i].name, names[i]);
        assert_string_equal(options.sessions[i].scene, scenes[i]);
    }
}

static void test_an_option_that_would_do_nothing_names_what_it_needs(void **state) {
    (void)state;
    static const struct {
        const char *words[4], *needs;
    } cases[] = {
        {{"--admin", "127.0.0.1:0"}, "--http"},
        {{"--audit", "file"}, "--http"},
        {{"--min-free", "2GiB", "--record=/tmp"}, "--http"},
        {{"--min-free", "2GiB", "--http=127.0.0.1:0"}, "--record"},
        {{"--keep", "30d"}, "--record"},
        {{"--keep-all", "20GiB"}, "--record"},
        {{"--contacts"}, "--events"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char message[200], expected[80];
        snprintf(expected, sizeof expected, "%s: needs %s as well", cases[i].words[0], cases[i].needs);
        assert_false(parse(message, sizeof message, cases[i].words));
        assert_string_equal(message, expected);
    }
    char message[200];
    assert_true(PARSE("--keep=30d", "--keep-all=9n", "--record=/tmp", "--contacts", "--events=-"));
}

static void test_every_refusal_names_its_option(void **state) {
    (void)state;
    static const struct {
        const char *words[3];
        const char *text;
    } cases[] = {
        {{"--udp", "2"}, "--udp"},
        {{"--workers", "0"}, "--workers: '0' is not a whole number from 1 to 64"},
        {{"--threads", "65"}, "--threads: '65' is not a whole number from 1 to 64"},
        {{"--session", "Main"}, "--session: 'Main'"},
        {{"--session", "a="}, "--session"},
        {{"--session="}, "--session"},
        {{"--session=a", "--session=a=stack"}, "two sessions named 'a'"},
        {{"--session=s1", "--sessions=2"}, "--sessions: there are two sessions named 's1'"},
        {{"--sessions", "1025"}, "--sessions: '1025' is not a whole number from 1 to 1024"},
        {{"--memory", "0"}, "--memory"},
        {{"--roll", "0"}, "--roll"},
        {{"--scen"}, "--scen:"},
        {{"--scene"}, "--scene: NAME|FILE is missing"},
        {{"--scene="}, "--scene"},
        {{"--tcp", "7790"}, "--tcp"},
        {{"--tcp", ":7790"}, "--tcp"},
        {{"--tcp", "::1:7790"}, "brackets"},
        {{"--tcp", "127.0.0.1:70000"}, "--tcp"},
        {{"--tick-rate", "9"}, "--tick-rate"},
        {{"--tick-rate", "129"}, "--tick-rate"},
        {{"--tick-rate", ""}, "--tick-rate"},
        {{"--seed", "18446744073709551616"}, "--seed"},
        {{"--seed", "0x10"}, "--seed"},
        {{"--for", "0"}, "--for"},
        {{"--for", "1.5"}, "--for"},
        {{"--help=1"}, "--help"},
        {{"-h"}, "-h"},
        {{"--resume="}, "--resume"},
        {{"--events="}, "--events: a file is missing"},
        {{"--hold", "3601"}, "--hold: '3601' is not a whole number from 1 to 3600"},
        {{"--keyframes", "0"}, "--keyframes"},
        {{"--late", "movedrop"}, "--late: 'movedrop' is not one of move|drop|strict"},
        {{"--empty", "paus"}, "--empty: 'paus' is not one of run|pause|close"},
        {{"--desync", ""}, "--desync: '' is not one of heal|kick|pause|ignore"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char message[200] = "";
        assert_false(parse(message, sizeof message, cases[i].words));
        if (strstr(message, cases[i].text) == NULL) {
            fail_msg("'%s' does not say '%s'", message, cases[i].text);
        }
    }
}

static void test_help_names_every_option(void **state) {
    (void)state;
    static const char *const names[] = {"--scene",
                                        "--tcp",
                                        "--record",
                                        "--tick-rate",
                                        "--seed",
                                        "--for",
                                        "--allow-plaintext",
                                        "--help",
                                        "--version",
                                        "--session",
                                        "--sessions",
                                        "--workers",
                                        "--threads",
                                        "--memory",
                                        "--roll",
                                        "--spectators",
                                        "--commands-per-tick",
                                        "--input-bytes",
                                        "--silence",
                                        "--client-silence",
                                        "--unauthenticated",
                                        "--address-connections",
                                        "--address-accepts",
                                        "--limit-loopback",
                                        "--resume",
                                        "--keyframes",
                                        "--late",
                                        "--empty",
                                        "--desync",
                                        "--hold",
                                        "--events"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        assert_non_null(strstr(iso__options_help(), names[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_all_options_in_both_forms),
        cmocka_unit_test(test_policies_are_words),
        cmocka_unit_test(test_a_recording_to_go_on_from_is_a_session),
        cmocka_unit_test(test_sessions_are_named_and_numbered),
        cmocka_unit_test(test_an_option_that_would_do_nothing_names_what_it_needs),
        cmocka_unit_test(test_every_refusal_names_its_option),
        cmocka_unit_test(test_help_names_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
