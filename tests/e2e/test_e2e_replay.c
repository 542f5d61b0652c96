/// isostep-replay on recordings that are right, that lie, and that are damaged.
#include "e2e.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e_recording.h"
#include "e2e_tool.h"

// ---- Tests ----------------------------------------------------------------------------------------

static void test_verify_agrees_with_a_right_recording(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("right.isr"), 700);
    assert_int_equal(replay("verify", path_of("right.isr"), "--json"), 0);
    assert_non_null(strstr(tool_output, "\"result\":\"ok\""));
    assert_int_equal(number_after("\"ticks\":"), 700);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    assert_int_equal(number_after("\"roots\":"), 700);
    assert_int_equal(number_after("\"keyframes\":"), 3);
    assert_null(strstr(tool_output, "first_bad_tick"));
}

/// Of one there is no plural.
static void test_verify_counts_one(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--record", path_of("one.isr")), 0);
    assert_says("stack: 1 tick in ");
    assert_int_equal(replay("verify", path_of("one.isr"), "--restore-every", "9"), 0);
    assert_says("ok: 1 tick, 1 root and ");
    assert_says("1 world continued from snapshots agrees\n");
}

/// Neither the one nor the other is a recording of another version.
static void test_another_kind_of_file_is_told_as_such(void **state) {
    (void)state;
    static const char *const texts[] = {"what?", "{\"format\": 1, \"name\": \"a scene that is longer than a head\"}"};
    for (size_t i = 0; i < 2; ++i) {
        char expected[200];
        FILE *out = fopen(path_of("text"), "wb");
        assert_non_null(out);
        fputs(texts[i], out);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(replay("verify", path_of("text")), 3);
        snprintf(expected, sizeof expected, "isostep-replay: %s: this is not a recording\n", path_of("text"));
        assert_string_equal(tool_output, expected);
    }
}

static void test_verify_follows_roots_that_trail_and_are_rare(void **state) {
    (void)state;
    for (uint32_t lag = 1; lag <= 40; lag += 39) {
        e2e_recording w = {.root_lag = lag, .root_every = 3};
        e2e_recording_make(&w, path_of("trail.isr"), 330);
        assert_int_equal(replay("verify", path_of("trail.isr"), "--json"), 0);
        // All multiples of 3 beyond the lag, and the footer's.
        assert_int_equal(number_after("\"roots\":"), 330 / 3 - lag / 3 + 1);
        e2e_recording lie = {.root_lag = lag, .root_every = 3, .lie_root_at = 300 - lag};
        e2e_recording_make(&lie, path_of("trail.isr"), 330);
        assert_int_equal(replay("verify", path_of("trail.isr"), "--json"), 1);
        assert_int_equal(number_after("\"first_bad_tick\":"), 300 - lag);
    }
}

static void test_verify_finds_a_changed_command_where_it_stands(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("right.isr"), 700);
    static const char *const ticks[] = {"1", "300", "437", "698"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; ++i) {
        const char *const arguments[] = {"perturb", path_of("right.isr"), "--tick", ticks[i],           "--command",
                                         "change",  "--keep-roots",       "-o",     path_of("lie.isr"), "--force",
                                         NULL};
        assert_int_equal(e2e_run(E2E_REPLAY, arguments, tool_output, sizeof tool_output), 0);
        const uint64_t changed = number_after("tick ");
        assert_in_range(changed, strtoull(ticks[i], NULL, 10), strtoull(ticks[i], NULL, 10) + 4);
        assert_int_equal(replay("verify", path_of("lie.isr"), "--json"), 1);
        assert_non_null(strstr(tool_output, "\"result\":\"mismatch\""));
        assert_int_equal(number_after("\"first_bad_tick\":"), changed);
        // The file itself is sound.
        assert_int_equal(replay("info", path_of("lie.isr")), 0);
    }
}

static void test_verify_finds_a_wrong_root_and_a_wrong_keyframe(void **state) {
    (void)state;
    e2e_recording root = {.lie_root_at = 123};
    e2e_recording_make(&root, path_of("lie.isr"), 310);
    assert_int_equal(replay("verify", path_of("lie.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 123);
    e2e_recording keyframe = {.lie_keyframe_at = 300};
    e2e_recording_make(&keyframe, path_of("lie.isr"), 310);
    assert_int_equal(replay("verify", path_of("lie.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 300);
    assert_int_equal(number_after("\"offset\":"), keyframe.index[1].offset);
    assert_non_null(strstr(tool_output, "bodies["));
}

static void test_damaged_recordings_are_unreadable_with_offset_and_tick(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("right.isr"), 320);
    const uint64_t size = e2e_file_copy(path_of("right.isr"), path_of("bad.isr"), 0, 12000);
    assert_int_equal(replay("verify", path_of("bad.isr"), "--json"), 3);
    assert_non_null(strstr(tool_output, "\"status\":\"CORRUPT\""));
    const uint64_t offset = number_after("\"offset\":");
    assert_in_range(offset, 11900, 12000);
    assert_int_equal(replay("info", path_of("bad.isr")), 3);
    assert_int_equal(replay("dump", path_of("bad.isr")), 3);
    // A torn end is accepted under the name of a file that is being written only.
    e2e_file_copy(path_of("right.isr"), path_of("torn.isr"), size - 200, -1);
    assert_int_equal(replay("verify", path_of("torn.isr"), "--json"), 3);
    assert_non_null(strstr(tool_output, "\"status\":\"TRUNCATED\""));
    e2e_file_copy(path_of("right.isr"), path_of("torn.isr.part"), size - 200, -1);
    assert_int_equal(replay("verify", path_of("torn.isr.part"), "--json"), 0);
    assert_in_range(number_after("\"last_tick\":"), 305, 319);
    assert_int_equal(replay("verify", path_of("no-such.isr")), 3);
    assert_int_equal(replay("verify", tool_folder), 3);
    e2e_file_copy("/dev/null", path_of("empty.isr"), 0, -1);
    assert_int_equal(replay("verify", path_of("empty.isr")), 3);
}

static void test_info_names_a_root_that_the_file_does_not_hold(void **state) {
    (void)state;
    e2e_recording all = {0};
    e2e_recording_make(&all, path_of("all.isr"), 320);
    e2e_recording rare = {.root_every = 50};
    e2e_recording_make(&rare, path_of("rare.isr"), 320);
    static const char *const ticks[] = {"0", "1", "149", "150", "300", "301", "320"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; ++i) {
        char expected[32];
        assert_int_equal(replay("info", path_of("all.isr"), "--tick", ticks[i], "--json"), 0);
        assert_non_null(strstr(tool_output, "\"source\":\"recorded\""));
        snprintf(expected, sizeof expected, "%.24s", strstr(tool_output, "\"hash\":"));
        assert_int_equal(replay("info", path_of("rare.isr"), "--tick", ticks[i], "--json"), 0);
        assert_non_null(strstr(tool_output, expected));
        const uint64_t tick = strtoull(ticks[i], NULL, 10);
        const bool recorded = tick % 50 == 0 || tick == 320;
        assert_non_null(strstr(tool_output, recorded ? "\"source\":\"recorded\"" : "\"source\":\"simulated\""));
    }
    assert_int_equal(replay("info", path_of("all.isr"), "--tick", "321"), 2);
}

static void test_dump_writes_commands_of_the_ticks_asked_for(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("right.isr"), 320);
    const char *const arguments[] = {"dump", path_of("right.isr"), "--from", "1", "--to", "7", NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, tool_output, sizeof tool_output), 0);
    assert_non_null(strstr(tool_output, "JOIN slot 0 generation 1"));
    assert_non_null(strstr(tool_output, "slot 0 sequence 4 SET_CONTROL 0040000001000000"));
    assert_non_null(strstr(tool_output, "slot 0 sequence 15 SPAWN_BODY DYNAMIC position 7 8 angle 0 velocity "));
    assert_non_null(strstr(tool_output, "tick 7 root"));
    assert_null(strstr(tool_output, "tick 8 root"));
    // With its events, changes are told of by name; also in a part that begins behind the join.
    e2e_recording named = {.has_events = true};
    e2e_recording_make(&named, path_of("named.isr"), 320);
    assert_int_equal(replay("dump", path_of("named.isr"), "--to", "2"), 0);
    assert_says("  JOIN slot 0 generation 1 \"Zo\xC3\xAB\"\n");
    assert_int_equal(replay("dump", path_of("named.isr"), "--from", "122"), 0);
    assert_says("  DROP slot 0 generation 1 \"Zo\xC3\xAB\"\n");
    assert_says("  LEAVE slot 0 generation 1");
}

/// A joint of a program, in the plane and in space. Neither is made: it is not the member's to make one in these
/// scenes.
static void test_dump_writes_parameters_of_constraints(void **state) {
    (void)state;
    iso_command commands[2];
    memset(commands, 0, sizeof commands);
    commands[0].kind = ISO_COMMAND_CREATE_JOINT;
    iso_joint_def *flat = &commands[0].as.create_joint.joint;
    *flat = iso_joint_def_default();
    flat->kind = ISO_JOINT_SYMBOLIC;
    flat->body_a = (iso_body_id){0, 1}, flat->body_b = (iso_body_id){1, 1};
    flat->params.vectors[0][1] = ISO_WIDE_ONE;
    flat->params.scalars[0] = ISO_WIDE_ONE / 2;
    commands[1].kind = ISO_COMMAND_CREATE_JOINT3;
    iso_joint3_def *deep = &commands[1].as.create_joint3.joint;
    *deep = iso_joint3_def_default(ISO_JOINT3_SYMBOLIC);
    deep->body_a = (iso_body_id){0, 1}, deep->body_b = (iso_body_id){1, 1};
    deep->params.vectors3[1][2] = -2 * ISO_WIDE_ONE;
    static const char *const scenes[] = {"everything", "symbolic3"};
    static const char *const says[2][3] = {{"CREATE_JOINT SYMBOLIC a 0/1 at ",
                                            " constraint=0 vector[0].x 0 vector[0].y 1 vector[1].x 0 ",
                                            " vector[7].y 0 scalar[0] 0.5 scalar[1] 0 "},
                                           {"CREATE_JOINT3 SYMBOLIC a 0/1 at ",
                                            " constraint=0 vector[0].x 0 vector[0].y 0 vector[0].z 0 vector[1].x 0 "
                                            "vector[1].y 0 vector[1].z -2 vector[2].x 0 ",
                                            " vector[7].z 0 scalar[0] 0 scalar[1] 0 "}};
    for (int i = 0; i < 2; ++i) {
        e2e_recording with = {.scene = scenes[i], .command = &commands[i]};
        e2e_recording_make(&with, path_of("custom.isr"), 60);
        assert_int_equal(replay("dump", path_of("custom.isr"), "--from", "51", "--to", "51"), 0);
        for (int k = 0; k < 3; ++k) {
            assert_says(says[i][k]);
        }
        assert_int_equal(replay("verify", path_of("custom.isr")), 0);
    }
}

static void test_simulate_is_repeatable_and_records_what_it_did(void **state) {
    (void)state;
    const char *const arguments[] = {"simulate",       "stack",         "--ticks", "700",      "--trace",
                                     path_of("a.csv"), "--trace-every", "350",     "--record", path_of("a.isr"),
                                     "--force",        "--json",        NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, tool_output, sizeof tool_output), 0);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    char hash[40];
    snprintf(hash, sizeof hash, "%.30s", strstr(tool_output, "\"last_hash\":"));
    assert_int_equal(replay("verify", path_of("a.isr"), "--json"), 0);
    assert_non_null(strstr(tool_output, hash));
    assert_int_equal(number_after("\"roots\":"), 700);
    assert_int_equal(replay("simulate", "stack", "--ticks", "700", "--json"), 0);
    assert_non_null(strstr(tool_output, hash));
    FILE *trace = fopen(path_of("a.csv"), "r");
    assert_non_null(trace);
    char line[256];
    uint32_t rows = 0;
    assert_non_null(fgets(line, sizeof line, trace));
    assert_string_equal(line, "tick,body,name,x,y,angle,vx,vy,w\n");
    while (fgets(line, sizeof line, trace) != NULL) {
        ++rows;
    }
    fclose(trace);
    assert_int_equal(rows, 3 * 11); // ticks 0, 350, 700; ground and ten boxes
}

/// Whether two files hold the same bytes.
static bool is_same(const char *a, const char *b) {
    const char *const arguments[] = {"-s", path_of(a), path_of(b), NULL};
    return e2e_run("/usr/bin/cmp", arguments, tool_output, sizeof tool_output) == 0;
}

/// Positions and velocities of three components, and the rotation as a unit quaternion.
static void test_simulate_traces_worlds_in_space(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "gyro", "--ticks", "60", "--force", "--trace", path_of("a.csv"),
                            "--trace-every", "60", "--record", path_of("a.isr")),
                     0);
    FILE *trace = fopen(path_of("a.csv"), "r");
    assert_non_null(trace);
    char line[256];
    assert_non_null(fgets(line, sizeof line, trace));
    assert_string_equal(line, "tick,body,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n");
    assert_non_null(fgets(line, sizeof line, trace));
    assert_string_equal(line, "0,0,handle,-10,0,0,0,0,0,1,0,0,0,0.1000061035,30,0.1000061035\n");
    uint32_t rows = 1;
    while (fgets(line, sizeof line, trace) != NULL) {
        double q[4];
        assert_int_equal(sscanf(line, "%*u,%*u,%*[^,],%*f,%*f,%*f,%lf,%lf,%lf,%lf,", &q[0], &q[1], &q[2], &q[3]), 4);
        const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        assert_true(square > 1 - 1e-7 && square < 1 + 1e-7);
        ++rows;
    }
    fclose(trace);
    assert_int_equal(rows, 2 * 6);
    assert_int_equal(replay("verify", path_of("a.isr"), "--force", "--trace", path_of("b.csv"), "--trace-every", "60"),
                     0);
    assert_true(is_same("a.csv", "b.csv"));
}

static void test_verify_traces_as_simulate_does(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "320", "--force", "--trace", path_of("a.csv"),
                            "--trace-every", "7", "--record", path_of("a.isr")),
                     0);
    assert_int_equal(replay("verify", path_of("a.isr"), "--force", "--trace", path_of("b.csv"), "--trace-every", "7"),
                     0);
    assert_says("ok: 320 ticks");
    assert_true(is_same("a.csv", "b.csv"));
    // Of two files that meet in a tick that tick is traced once.
    assert_int_equal(replay("trim", path_of("a.isr"), "--to", "140", "-o", path_of("a1.isr"), "--force"), 0);
    assert_int_equal(replay("trim", path_of("a.isr"), "--from", "140", "-o", path_of("a2.isr"), "--force"), 0);
    const int code = replay("verify", path_of("a1.isr"), path_of("a2.isr"), "--force", "--trace", path_of("b.csv"),
                            "--trace-every", "7");
    assert_int_equal(code, 0);
    assert_true(is_same("a.csv", "b.csv"));
    assert_int_equal(replay("verify", path_of("a.isr"), "--force", "--trace", path_of("no/b.csv")), 3);
    assert_int_equal(symlink("/dev/full", path_of("full2.csv")), 0);
    assert_int_equal(replay("verify", path_of("a.isr"), "--force", "--trace", path_of("full2.csv")), 3);
    assert_says("full2.csv: it could not be written: ");
}

static void test_a_recording_is_simulated_on_from_its_first_state(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "400", "--force", "--record", path_of("a.isr"), "--json"),
                     0);
    char hash[40];
    snprintf(hash, sizeof hash, "%.30s", strstr(tool_output, "\"last_hash\":"));
    assert_int_equal(
        replay("simulate", path_of("a.isr"), "--ticks", "400", "--force", "--record", path_of("again.isr"), "--json"),
        0);
    assert_says(hash);
    assert_true(is_same("a.isr", "again.isr"));
    // From the middle, as far as the end.
    assert_int_equal(replay("trim", path_of("a.isr"), "--from", "301", "-o", path_of("c.isr"), "--force"), 0);
    assert_int_equal(replay("info", path_of("c.isr"), "--json"), 0);
    const uint64_t first = number_after("\"first_tick\":");
    assert_true(first > 0);
    char ticks[24];
    snprintf(ticks, sizeof ticks, "%u", (unsigned)(400 - first));
    assert_int_equal(
        replay("simulate", path_of("c.isr"), "--ticks", ticks, "--force", "--record", path_of("d.isr"), "--json"), 0);
    assert_says(hash);
    assert_int_equal(number_after("\"last_tick\":"), 400);
    assert_int_equal(replay("verify", path_of("d.isr")), 0);
    assert_says("last tick 400");
    // What is no recording but has the name of one is told as such.
    FILE *wrong = fopen(path_of("wrong.isr"), "w");
    fputs("{}", wrong);
    fclose(wrong);
    assert_int_equal(replay("simulate", path_of("wrong.isr"), "--ticks", "1"), 3);
    assert_says("wrong.isr: ");
}

/// A session's recording whose name was mistaken for another must not be lost.
static void test_what_is_there_is_replaced_only_when_that_is_said(void **state) {
    (void)state;
    const char *kept = path_of("kept.isr");
    assert_int_equal(replay("simulate", "stack", "--ticks", "20", "--record", kept), 0);
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--record", kept), 2);
    assert_says("kept.isr: it exists; name another file, or use --force to replace it");
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--trace", kept), 2);
    assert_int_equal(replay("simulate", kept, "--ticks", "3", "--force", "--record", kept), 2);
    assert_says("it is the input");
    assert_int_equal(replay("verify", kept, "--trace", kept, "--force"), 2);
    assert_int_equal(replay("verify", kept, "--json"), 0);
    assert_int_equal(number_after("\"ticks\":"), 20);
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--trace", "/dev/null"), 0);
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--record", kept, "--force"), 0);
    assert_int_equal(replay("verify", kept, "--json"), 0);
    assert_int_equal(number_after("\"ticks\":"), 3);
}

/// One of two outputs of one name would be lost, and nobody told.
static void test_trace_and_recording_are_two_files(void **state) {
    (void)state;
    char folder[128], own[160];
    snprintf(folder, sizeof folder, "%s", path_of("outputs"));
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(own, sizeof own, "%s/x", folder);
    const char *const same[] = {"outputs/x", "outputs/./x", "outputs/../outputs//x"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
        assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--trace", path_of(same[i]), "--record", own), 2);
        assert_says(": it is the file that is written by --record; expected two different files");
    }
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--trace", path_of("outputs/x.part"), "--record", own),
                     2);
    assert_says("x.part: it is the file that is written, until it is whole, by --record");
    assert_int_equal(access(own, F_OK), -1);
    // The same file by two names.
    assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--record", own), 0);
    assert_int_equal(link(own, path_of("outputs/y")), 0);
    assert_int_equal(
        replay("simulate", "stack", "--ticks", "4", "--trace", path_of("outputs/y"), "--record", own, "--force"), 2);
    assert_says("expected two different files");
    assert_int_equal(replay("verify", path_of("outputs/y"), "--json"), 0);
    assert_int_equal(number_after("\"ticks\":"), 3);
}

static void test_scene_that_is_wrong_leaves_no_recording(void **state) {
    (void)state;
    FILE *scene = fopen(path_of("bad.json"), "w");
    fputs("{\"format\": 1, \"name\": \"bad\", \"bodies\": 7}", scene);
    fclose(scene);
    const char *const arguments[] = {"simulate", path_of("bad.json"), "--ticks", "5",
                                     "--record", path_of("b.isr"),    NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, tool_output, sizeof tool_output), 3);
    assert_non_null(strstr(tool_output, "/bodies"));
    assert_int_equal(access(path_of("b.isr"), F_OK), -1);
    assert_int_equal(access(path_of("b.isr.part"), F_OK), -1);
}

/// Nobody writes to it: what waits for that waits for ever.
/// What could not be done, with which file, and why.
static void test_a_file_that_cannot_be_written_is_told_with_the_reason(void **state) {
    (void)state;
    assert_int_equal(symlink("/dev/full", path_of("full.csv")), 0);
    char says[300];
    snprintf(says, sizeof says, "%s: it could not be written: %s", path_of("full.csv"), strerror(ENOSPC));
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--force", "--trace", path_of("full.csv")), 3);
    assert_says(says);
    assert_int_equal(replay("simulate", "stack", "--ticks", "300", "--force", "--trace", path_of("full.csv")), 3);
    assert_says(says);
    snprintf(says, sizeof says, "%s: it could not be made: %s", path_of("no/trace.csv"), strerror(ENOENT));
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--force", "--trace", path_of("no/trace.csv")), 3);
    assert_says(says);
    snprintf(says, sizeof says, "%s.part: it could not be made: %s", path_of("no/a.isr"), strerror(ENOENT));
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--force", "--record", path_of("no/a.isr")), 3);
    assert_says(says);
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--force", "--record", path_of("folder")), 2);
    assert_says("folder: it is a folder");
}

static void test_a_fifo_is_not_waited_for(void **state) {
    (void)state;
    assert_int_equal(mkfifo(path_of("fifo.isr"), 0600), 0);
    static const char *const commands[][6] = {{"verify", "fifo.isr"},
                                              {"info", "fifo.isr"},
                                              {"dump", "fifo.isr"},
                                              {"simulate", "fifo.isr", "--ticks", "1"},
                                              {"render", "fifo.isr", "--out", "/dev/null/a.svg"}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        const char *words[7] = {NULL};
        memcpy(words, commands[i], sizeof commands[i]);
        words[1] = path_of("fifo.isr");
        assert_int_equal(e2e_run_within(E2E_REPLAY, words, tool_output, sizeof tool_output, 5000), 3);
        assert_says("fifo.isr");
    }
}

/// What was read is verified; a mapping would end the tool by a signal.
static void test_a_file_that_shrinks_meanwhile_is_verified_as_it_was(void **state) {
    (void)state;
    assert_int_equal(
        replay("simulate", "large-pyramid", "--ticks", "60", "--force", "--record", path_of("shrinks.isr")), 0);
    const char *const arguments[] = {"-c", "\"$0\" verify \"$1\" & sleep 0.15; : > \"$1\"; wait $!", E2E_REPLAY,
                                     path_of("shrinks.isr"), NULL};
    assert_int_equal(e2e_run("/bin/sh", arguments, tool_output, sizeof tool_output), 0);
    assert_says("ok: 60 ticks");
}

static void test_wrong_usage_is_told(void **state) {
    (void)state;
    assert_int_equal(replay(NULL), 2);
    assert_int_equal(replay("nothing"), 2);
    assert_int_equal(replay("verify"), 2);
    assert_int_equal(replay("verify", "a", "b"), 3);
    assert_int_equal(replay("verify", "--nothing", "a"), 2);
    assert_int_equal(replay("info", "a", "--tick", "x"), 2);
    assert_int_equal(replay("info", "a", "--tick", "-1"), 2);
    assert_int_equal(replay("simulate", "stack"), 2);
    assert_int_equal(replay("simulate", "stack", "--ticks", "1.5"), 2);
    assert_int_equal(replay("simulate", "no-such-scene", "--ticks", "1"), 3);
    static const char *const subcommands[] = {"verify", "info", "dump", "simulate", "--help"};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; ++i) {
        assert_int_equal(replay(subcommands[i], "--help"), 0);
        assert_non_null(strstr(tool_output, "Usage: isostep-replay"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_agrees_with_a_right_recording),
        cmocka_unit_test(test_verify_counts_one),
        cmocka_unit_test(test_another_kind_of_file_is_told_as_such),
        cmocka_unit_test(test_verify_follows_roots_that_trail_and_are_rare),
        cmocka_unit_test(test_verify_finds_a_changed_command_where_it_stands),
        cmocka_unit_test(test_verify_finds_a_wrong_root_and_a_wrong_keyframe),
        cmocka_unit_test(test_damaged_recordings_are_unreadable_with_offset_and_tick),
        cmocka_unit_test(test_info_names_a_root_that_the_file_does_not_hold),
        cmocka_unit_test(test_dump_writes_commands_of_the_ticks_asked_for),
        cmocka_unit_test(test_dump_writes_parameters_of_constraints),
        cmocka_unit_test(test_simulate_is_repeatable_and_records_what_it_did),
        cmocka_unit_test(test_simulate_traces_worlds_in_space),
        cmocka_unit_test(test_verify_traces_as_simulate_does),
        cmocka_unit_test(test_a_recording_is_simulated_on_from_its_first_state),
        cmocka_unit_test(test_what_is_there_is_replaced_only_when_that_is_said),
        cmocka_unit_test(test_trace_and_recording_are_two_files),
        cmocka_unit_test(test_scene_that_is_wrong_leaves_no_recording),
        cmocka_unit_test(test_a_file_that_cannot_be_written_is_told_with_the_reason),
        cmocka_unit_test(test_a_fifo_is_not_waited_for),
        cmocka_unit_test(test_a_file_that_shrinks_meanwhile_is_verified_as_it_was),
        cmocka_unit_test(test_wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
