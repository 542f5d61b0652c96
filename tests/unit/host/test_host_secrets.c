/// Members that come back to the runs of a server after theirs, one or several, and those whom a lost run let in.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_rig.h"

static host_rig *rig;

static int set_up(void **state) {
    (void)state;
    rig = host_rig_make();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    host_rig_free(rig);
    return 0;
}

static void begin(void) {
    assert_true(host_rig_start(rig));
    host_rig_run(rig, 100 * HOST_RIG_MS);
}

/// Another run, a while later.
static void restart(uint32_t epoch) {
    rig = host_rig_next(rig, 100 * HOST_RIG_MS, &rig->options);
    if (!host_rig_start(rig)) {
        fail_msg("the host refuses what the disk has left: %s", host_rig_log);
    }
    assert_int_equal(rig->hosted.recording.config.header.epoch, epoch);
}

static host_rig_peer join(uint32_t peer) {
    host_rig_join(rig, peer);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    assert_true(rig->peers[peer].is_active);
    return rig->peers[peer];
}

static void come_back(uint32_t peer, const host_rig_peer *member) {
    host_rig_resume(rig, peer, &member->welcome, member->tick, member->root);
}

/// It is a member again, and has used the secret that it was given.
static host_rig_peer expect_back(uint32_t peer, const host_rig_peer *member) {
    come_back(peer, member);
    host_rig_run(rig, 1500 * HOST_RIG_MS);
    if (!rig->peers[peer].is_active) {
        fail_msg("the member does not come back: %s", host_rig_log);
    }
    assert_int_equal(rig->peers[peer].welcome.slot, member->welcome.slot);
    return rig->peers[peer];
}

/// The path of the present recording's last file.
static const char *path_of_file(void) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", the_disk.folder, rig->hosted.report.name);
    return path;
}

// ---- A run that left nothing ------------------------------------------------------------------------------

/// All that a run has recorded is lost, so the next one has the same epoch, and gives somebody else the slot.
static void test_a_secret_of_a_lost_run_takes_nobodys_place(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    restart(2);
    const host_rig_peer lost = join(0);
    char path[400];
    snprintf(path, sizeof path, "%s", path_of_file());
    host_rig_end(rig);
    assert_int_equal(unlink(path), 0);
    restart(2);
    const host_rig_peer newcomer = join(1);
    assert_int_equal(newcomer.welcome.slot, lost.welcome.slot);
    assert_int_equal(newcomer.welcome.slot_generation, lost.welcome.slot_generation);
    assert_int_equal(newcomer.welcome.epoch, lost.welcome.epoch);
    come_back(2, &lost);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    assert_int_equal(rig->peers[2].ended, ISO_ERR_NO_RESUME);
    assert_true(rig->peers[1].is_here);
    expect_back(3, &newcomer);
}

// ---- Runs and files ---------------------------------------------------------------------------------------

/// A run whose recording has several files.
static void roll(void) {
    const uint32_t files = rig->hosted.recording.number;
    rig->hosted.recording.config.roll_size = 2000;
    host_rig_run(rig, 2 * HOST_RIG_SECOND);
    assert_true(rig->hosted.recording.number > files);
}

/// What it has used last is good, and what it was given after that, over any number of runs and files.
static void test_a_member_comes_back_over_runs_and_files(void **state) {
    (void)state;
    for (uint32_t takes_the_newest = 0; takes_the_newest <= 1; ++takes_the_newest) {
        uint32_t epoch = 1;
        begin();
        host_rig_peer member = join(0);
        host_rig_run(rig, HOST_RIG_SECOND);
        for (uint32_t i = 0; i < 3; ++i) {
            roll();
            restart(++epoch);
            roll(); // it is not there
            restart(++epoch);
            // Given another secret, and lost again before it was told to be back.
            come_back(1, &member);
            while (!rig->peers[1].is_welcomed) {
                host_rig_run(rig, 1 * HOST_RIG_MS);
            }
            assert_false(rig->peers[1].is_active);
            member.welcome = takes_the_newest == 1 ? rig->peers[1].welcome : member.welcome;
            restart(++epoch);
            member = expect_back(0, &member);
        }
        void *none;
        tear_down(&none);
        set_up(&none);
    }
}

static void test_who_has_left_is_not_named_where_the_next_run_begins(void **state) {
    (void)state;
    begin();
    const uint8_t slot = join(0).welcome.slot;
    rig->options.hold_seconds = 1;
    restart(2);
    assert_true(rig->hosted.recording.config.roster.is_there[slot]);
    host_rig_run(rig, 1500 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).held, 0);
    restart(3);
    assert_false(rig->hosted.recording.config.roster.is_there[slot]);
}

// ---- A member of which nothing is told --------------------------------------------------------------------

/// Cuts the present recording's last file behind its first keyframe.
static void cut_behind_keyframe(void) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path_of_file(), "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    iso_recording recording;
    iso_recording_error error;
    iso_recording_frame frame;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_TORN, &error), ISO_OK);
    assert_true(recording.tick_count > 0);
    uint64_t offset = recording.frames_offset, end = offset;
    while (iso_recording_next(&recording, &offset, &frame) &&
           (frame.type == ISO_RECORDING_KEYFRAME || frame.type == ISO_RECORDING_CHUNK)) {
        end = offset;
    }
    host_rig_end(rig);
    assert_int_equal(truncate(path_of_file(), (off_t)end), 0);
}

/// A member that joins while the disk takes nothing, in a run that dies when it has recorded just the state again.
static host_rig_peer join_in_a_gap(void) {
    the_disk.is_full = true;
    while (host_rig_stats(rig).degraded == 0) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    const host_rig_peer member = join(0);
    the_disk.is_full = false;
    while (host_rig_stats(rig).degraded != 0) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    host_rig_run(rig, 50 * HOST_RIG_MS);
    cut_behind_keyframe();
    return member;
}

static void test_a_member_that_no_event_names_comes_back(void **state) {
    (void)state;
    begin();
    host_rig_peer member = join_in_a_gap();
    restart(2);
    member = expect_back(1, &member);
    restart(3);
    expect_back(1, &member);
}

static void test_a_member_that_no_event_names_comes_back_two_runs_later(void **state) {
    (void)state;
    begin();
    const host_rig_peer member = join_in_a_gap();
    restart(2);
    host_rig_run(rig, 300 * HOST_RIG_MS);
    restart(3);
    roll();
    restart(4);
    expect_back(1, &member);
}

/// The last that a file tells of its slot is of somebody else, whom another run let in.
static void test_a_member_that_no_event_names_comes_back_to_a_slot_that_another_one_had(void **state) {
    (void)state;
    begin();
    const host_rig_peer other = join(0);
    rig->options.hold_seconds = 1;
    restart(2);
    host_rig_run(rig, 700 * HOST_RIG_MS);
    the_disk.is_full = true;
    host_rig_run(rig, 700 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).held, 0);
    rig->options.hold_seconds = 45;
    const host_rig_peer member = join_in_a_gap();
    assert_int_equal(member.welcome.slot, other.welcome.slot);
    assert_int_equal(member.welcome.slot_generation, other.welcome.slot_generation + 1);
    restart(3);
    expect_back(1, &member);
}

/// The header of builds before this one tells no run: their numbers began at the epoch times 65,536.
static void test_a_member_of_an_earlier_build_comes_back(void **state) {
    (void)state;
    for (uint32_t is_named = 0; is_named <= 1; ++is_named) {
        host_rig_random = 65536 - 1; // so that the run is that of the epoch 1
        begin();
        rig->hosted.recording.config.header.run = 0; // of the files that follow
        const host_rig_peer member = is_named == 1 ? join(0) : join_in_a_gap();
        if (is_named == 1) {
            roll();
        }
        host_rig_random = 0;
        restart(2);
        assert_int_equal(rig->hosted.recovery.recording.header.run, 65536);
        expect_back(1, &member);
        void *none;
        tear_down(&none);
        set_up(&none);
    }
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_secret_of_a_lost_run_takes_nobodys_place),
        HOST_TEST(test_a_member_comes_back_over_runs_and_files),
        HOST_TEST(test_who_has_left_is_not_named_where_the_next_run_begins),
        HOST_TEST(test_a_member_that_no_event_names_comes_back),
        HOST_TEST(test_a_member_that_no_event_names_comes_back_two_runs_later),
        HOST_TEST(test_a_member_that_no_event_names_comes_back_to_a_slot_that_another_one_had),
        HOST_TEST(test_a_member_of_an_earlier_build_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
