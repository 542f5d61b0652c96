/// Several recordings of one session: each must go on from the one before.
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../recording_repair.h"
#include "e2e_recording.h"
#include "e2e_tool.h"

/// Writes the header anew with another epoch and another first byte of the uid; nothing else moves.
/// @param version  of the simulation; 0: as it is
static void set_header(const char *path, uint32_t epoch, uint8_t uid, uint32_t version) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    uint8_t *bytes = malloc(8 << 20);
    const size_t size = fread(bytes, 1, 8 << 20, file);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_STRICT, &error), ISO_OK);
    iso_recording_header header = recording.header;
    header.epoch = epoch;
    header.uid[0] = uid;
    header.fingerprint.simulation_version = version != 0 ? version : header.fingerprint.simulation_version;
    uint8_t *head = malloc(iso_recording_head_bound(header.scene_size));
    iso_recording_chain chain;
    const size_t head_size =
        iso_recording_encode_head(&header, &chain, head, iso_recording_head_bound(header.scene_size));
    assert_int_equal(head_size, recording.frames_offset);
    memcpy(bytes, head, head_size);
    recording_repair(bytes, size);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(head);
    free(bytes);
}

static void set_identity(const char *path, uint32_t epoch, uint8_t uid) {
    set_header(path, epoch, uid, 0);
}

static void cut(const char *from, const char *to, const char *name, uint32_t epoch) {
    assert_int_equal(replay("trim", path_of("whole.isr"), "--from", from, "--to", to, "-o", path_of(name), "--force"),
                     0);
    set_identity(path_of(name), epoch, 7);
}

/// Three files: two of the first epoch, one of the second, whose server had lost ten ticks.
static void make_chain(void) {
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("whole.isr"), 700);
    cut("0", "300", "main-07000000-1.isr", 1);
    cut("300", "500", "main-07000000-1.2.isr", 1);
    cut("490", "700", "main-07000000-2.isr", 2);
}

static int verify_three(const char *option) {
    return replay("verify", path_of("main-07000000-1.isr"), path_of("main-07000000-1.2.isr"),
                  path_of("main-07000000-2.isr"), option);
}

static void test_verify_follows_a_session_over_its_files(void **state) {
    (void)state;
    make_chain();
    assert_int_equal(verify_three("--json"), 0);
    assert_int_equal(number_after("\"files\":"), 3);
    assert_int_equal(number_after("\"ticks\":"), 300 + 200 + 210);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    // The first one names the others.
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.isr"), "--json"), 0);
    assert_int_equal(number_after("\"files\":"), 3);
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.2.isr"), "--json"), 0);
    assert_int_equal(number_after("\"files\":"), 2);
    assert_int_equal(replay("verify", "--chain", path_of("whole.isr"), "--json"), 0);
    assert_int_equal(number_after("\"files\":"), 1);
    assert_int_equal(replay("verify", path_of("main-07000000-1.isr"), "--json"), 0);
    assert_int_equal(number_after("\"files\":"), 1);
    assert_int_equal(verify_three(NULL), 0);
    assert_says("3 files, each continues a previous one, some from an earlier tick");
}

/// A shell sorts the tenth epoch before the second, and a server that died while it began its second file leaves two of
/// one epoch of which the first got further.
static void test_verify_takes_files_in_the_order_of_their_headers(void **state) {
    (void)state;
    make_chain();
    cut("700", "700", "main-07000000-10.isr", 10);
    cut("300", "303", "z.isr", 1);
    cut("490", "700", "y.isr", 2);
    assert_int_equal(replay("verify", path_of("main-07000000-1.2.isr"), path_of("main-07000000-1.isr"),
                            path_of("main-07000000-10.isr"), path_of("main-07000000-2.isr"), "--json"),
                     0);
    assert_int_equal(number_after("\"files\":"), 4);
    assert_int_equal(number_after("\"epochs_missing\":"), 7);
    assert_says("of epochs 3 to 9 there is no file");
    // What follows the last epoch, not the last argument.
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.2.isr"), path_of("main-07000000-10.isr"),
                            path_of("main-07000000-2.isr"), "--json"),
                     0);
    assert_int_equal(number_after("\"files\":"), 3);
    assert_int_equal(replay("verify", path_of("y.isr"), path_of("z.isr"), path_of("main-07000000-1.2.isr"), "--json"),
                     0);
    assert_int_equal(number_after("\"files\":"), 3);
    assert_int_equal(number_after("\"epochs_missing\":"), 0);
    assert_int_equal(replay("info", path_of("main-07000000-2.isr"), path_of("main-07000000-1.2.isr"), "--json"), 0);
    assert_says("\"continuous\":true");
    // An epoch without a file, whose ticks are missing.
    assert_int_equal(replay("verify", path_of("main-07000000-10.isr"), path_of("main-07000000-1.isr"), "--json"), 1);
    assert_says("there are ticks between them");
    assert_says("of epochs 2 to 9 there is no file");
    assert_int_equal(unlink(path_of("main-07000000-10.isr")), 0);
}

static void test_verify_finds_where_a_chain_is_broken(void **state) {
    (void)state;
    make_chain();
    assert_int_equal(replay("verify", path_of("main-07000000-1.isr"), path_of("main-07000000-2.isr"), "--json"), 1);
    assert_says("there are ticks between them");
    assert_says("\"result\":\"gap\"");
    assert_int_equal(number_after("\"first_bad_tick\":"), 490);
    assert_int_equal(replay("verify", path_of("main-07000000-1.isr"), path_of("main-07000000-2.isr")), 1);
    assert_says("gap: no file has the ticks 301 to 489, before ");
    set_identity(path_of("main-07000000-1.2.isr"), 1, 8);
    assert_int_equal(verify_three("--json"), 1);
    assert_says("it is of another session");
    assert_says("1.2.isr\"");
    // The state that the second epoch begins with is not one of the first epoch.
    make_chain();
    assert_int_equal(replay("perturb", path_of("main-07000000-2.isr"), "--tick", "490", "--flip",
                            "bodies[3].position[1]:12", "-o", path_of("main-07000000-3.isr"), "--force"),
                     0);
    set_identity(path_of("main-07000000-3.isr"), 3, 7);
    assert_int_equal(replay("verify", path_of("main-07000000-3.isr")), 0);
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.isr"), "--json"), 1);
    assert_says("its first state is another one");
    assert_int_equal(number_after("\"first_bad_tick\":"), 490);
    assert_int_equal(number_after("\"files\":"), 4);
    assert_int_equal(unlink(path_of("main-07000000-3.isr")), 0);
}

/// The state of another version cannot be computed: that is no mismatch.
static void test_verify_tells_another_version(void **state) {
    (void)state;
    make_chain();
    set_header(path_of("main-07000000-2.isr"), 2, 7, 1);
    assert_int_equal(verify_three("--json"), 3);
    assert_says("\"result\":\"version\"");
    assert_says("(simulation version 1, of the game ");
    assert_int_equal(number_after("\"ticks\":"), 300 + 200);
    assert_int_equal(verify_three(NULL), 3);
    assert_says("another version: ");
}

/// The third epoch goes back behind the second: to a state of the first.
static void test_verify_tells_what_was_left_behind(void **state) {
    (void)state;
    make_chain();
    assert_int_equal(verify_three("--json"), 0);
    assert_int_equal(number_after("\"ticks_left_behind\":"), 10);
    assert_says("goes back to tick 490");
    cut("400", "450", "main-07000000-3.isr", 3);
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.isr"), "--json"), 0);
    assert_int_equal(number_after("\"ticks_left_behind\":"), 10 + 100);
    assert_says("main-07000000-3.isr (epoch 3) goes back to tick 400 of ");
    assert_null(strstr(tool_output, "there is no file")); // epoch 2 has one, though the third does not continue it
    assert_int_equal(number_after("\"epochs_missing\":"), 0);
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-1.isr")), 0);
    assert_says("4 files, each continues a previous one");
    assert_int_equal(unlink(path_of("main-07000000-3.isr")), 0);
}

static void test_a_fault_within_a_chain_is_named_with_its_file(void **state) {
    (void)state;
    make_chain();
    assert_int_equal(replay("perturb", path_of("main-07000000-1.2.isr"), "--tick", "437", "--flip",
                            "bodies[3].position[1]:12", "-o", path_of("bad.isr"), "--force"),
                     0);
    assert_int_equal(rename(path_of("bad.isr"), path_of("main-07000000-1.2.isr")), 0);
    assert_int_equal(verify_three("--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 437);
    assert_says("main-07000000-1.2.isr\"");
    assert_says("the file was changed on purpose: its note of tick 437 says 'perturbed: bodies[3].position[1]");
    assert_null(strstr(tool_output, "probably the rules"));
    e2e_file_copy(path_of("main-07000000-1.isr"), path_of("main-07000000-1.2.isr"), 9000, -1);
    assert_int_equal(verify_three("--json"), 3);
    assert_says("\"status\":\"TRUNCATED\"");
    assert_int_equal(replay("verify", "--chain", path_of("main-07000000-9.isr")), 3);
}

static void test_info_tells_of_several_files(void **state) {
    (void)state;
    make_chain();
    assert_int_equal(replay("info", "--chain", path_of("main-07000000-1.isr")), 0);
    assert_says("1.2.isr: continues the previous file");
    assert_says("2.isr: goes back and continues the previous file");
    assert_int_equal(replay("info", "--chain", path_of("main-07000000-1.isr"), "--json"), 0);
    assert_says("\"continuous\":true");
    assert_int_equal(replay("info", path_of("main-07000000-1.isr"), path_of("main-07000000-2.isr"), "--json"), 0);
    assert_says("\"continuous\":false");
    assert_int_equal(replay("info", path_of("main-07000000-1.isr"), path_of("none.isr"), "--json"), 3);
    assert_int_equal(replay("info", path_of("main-07000000-1.isr"), path_of("main-07000000-2.isr"), "--tick", "1"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_follows_a_session_over_its_files),
        cmocka_unit_test(test_verify_takes_files_in_the_order_of_their_headers),
        cmocka_unit_test(test_verify_finds_where_a_chain_is_broken),
        cmocka_unit_test(test_verify_tells_another_version),
        cmocka_unit_test(test_verify_tells_what_was_left_behind),
        cmocka_unit_test(test_a_fault_within_a_chain_is_named_with_its_file),
        cmocka_unit_test(test_info_tells_of_several_files),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
