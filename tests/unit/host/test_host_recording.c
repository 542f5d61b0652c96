/// A session's recording on a disk that fails, hangs, tears and dies at every one of its operations: what was shown
/// to anybody comes back after a kill, what was said to be durable after a power cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/recordings/recording_hand_in.h"
#include "host/start/recovery_files.h"
#include "host_rig.h"
#include "unit/many.h"

static host_rig *rig;
static uint64_t roll_size;

static int set_up(void **state) {
    (void)state;
    rig = host_rig_make();
    roll_size = UINT64_C(1) << 40;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    host_rig_free(rig);
    return 0;
}

/// A session with a member, 200 ms old.
static void begin(void) {
    assert_true(host_rig_start(rig));
    rig->hosted.recording.config.roll_size = roll_size;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    host_rig_join(rig, 0);
    host_rig_run(rig, 100 * HOST_RIG_MS);
}

/// Another process on the same folder, a while later.
static void restart(void) {
    host_rig *next = calloc(1, sizeof *next);
    host_rig_end(rig);
    memcpy(next->roots, rig->roots, sizeof next->roots);
    memcpy(next->is_known, rig->is_known, sizeof next->is_known);
    next->peers[0] = rig->peers[0];
    next->peers[0].is_here = false;
    host_disk_restart();
    host_rig_now_ns += HOST_RIG_SECOND;
    free(rig);
    rig = next;
    if (!host_rig_start(rig)) {
        fail_msg("the host refuses what the disk has left: %s", host_rig_log);
    }
    rig->hosted.recording.config.roll_size = roll_size;
}

/// The member of before comes back and is let in, wherever it stood.
static void expect_member_back(const host_rig_peer *before) {
    host_rig_resume(rig, 1, &before->welcome, before->tick, before->root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    if (!rig->peers[1].is_active) {
        fail_msg("the member does not come back: %s", host_rig_log);
    }
}

/// What a new process finds after the present one has died.
static void expect_nothing_lost(bool power_cut, uint32_t at) {
    const uint64_t shown = rig->shown_tick, durable = rig->durable_tick;
    const uint64_t promised = power_cut || rig->is_degraded ? durable : shown;
    const host_rig_peer member = rig->peers[0];
    if (rig->is_ending && host_rig_count_files(".part") == 0) {
        return; // its last file was sealed: it is over
    }
    restart();
    const uint64_t tick = host_rig_tick(rig);
    if (tick < promised) {
        fail_msg("died at operation %u: shown %llu, durable %llu, come back at %llu: %s", at, (unsigned long long)shown,
                 (unsigned long long)durable, (unsigned long long)tick, host_rig_log);
    }
    if (promised > 0) {
        assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
        assert_true(rig->is_known[tick] && rig->roots[tick] == iso_world_root(rig->hosted.setup.world));
    }
    // What has not come back never happened.
    memset(rig->is_known + tick + 1, 0, sizeof rig->is_known - (tick + 1) * sizeof rig->is_known[0]);
    if (member.is_active && member.join_tick <= promised) {
        expect_member_back(&member);
    }
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(host_rig_tick(rig) > tick + 20);
    assert_int_equal(the_disk.syncs_repeated, 0);
    host_rig_shut_down(rig);
    if (host_rig_count_files(".part") + host_rig_count_files(".damaged") > 0) {
        fail_msg("died at operation %u: a file is left: %s", at, host_rig_log);
    }
}

/// Lets the process die at every third operation of what `run` does, and the power with it unless `loss` is
/// HOST_DISK_LOSSES. Which ones these are differs from loss to loss, so that all together are every operation.
static void sweep(void (*run)(void), host_disk_fault death, host_disk_loss loss) {
    for (uint32_t at = 1 + (uint32_t)loss % 3;; at += ISO_TEST_STEP > 1 ? ISO_TEST_STEP : 3) {
        the_disk.fault_at = at;
        the_disk.fault = death;
        run();
        if (!the_disk.is_dead) {
            return;
        }
        if (loss != HOST_DISK_LOSSES) {
            host_disk_cut_power(loss);
        }
        expect_nothing_lost(loss != HOST_DISK_LOSSES, at);
        void *state;
        tear_down(&state);
        const uint64_t size = roll_size;
        set_up(&state);
        roll_size = size;
    }
}

static void sweep_all(void (*run)(void)) {
    sweep(run, HOST_DISK_DIES, HOST_DISK_LOSSES);
    for (host_disk_loss loss = HOST_DISK_LOSES_ALL; loss < HOST_DISK_LOSSES; ++loss) {
        void *state;
        const uint64_t size = roll_size;
        tear_down(&state);
        set_up(&state);
        roll_size = size;
        sweep(run, HOST_DISK_DIES_TORN, loss);
    }
}

static void test_a_session_is_recorded_and_goes_on(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(rig->peers[0].is_active);
    assert_in_range(host_rig_tick(rig), 70, 73);
    assert_true(rig->shown_tick + 1 >= host_rig_tick(rig));
    assert_in_range(rig->peers[0].status.durable_tick, 40, 72);
    host_rig_shut_down(rig);
    assert_int_equal(rig->worker.open_count, 0);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

static void run_and_shut_down(void) {
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_shut_down(rig);
}

/// Lets time pass until the recording is begun again. @return how long that took [ms]
static uint64_t wait_until_recorded(void) {
    const uint64_t begin = host_rig_now_ns;
    while (host_rig_stats(rig).degraded != 0 && host_rig_now_ns < begin + 100 * HOST_RIG_SECOND) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    assert_int_equal(host_rig_stats(rig).degraded, 0);
    return (host_rig_now_ns - begin) / HOST_RIG_MS;
}

static void test_a_disk_that_was_full_is_recorded_to_again(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    the_disk.is_full = true;
    host_rig_run(rig, 3 * HOST_RIG_SECOND);
    const iso_message_status lost = rig->peers[0].status;
    assert_true(lost.is_degraded);
    assert_in_range(lost.durable_tick, 50, 73); // it does not rise with what is on no disk
    assert_true(lost.server_tick > lost.durable_tick + 150);
    assert_true(host_rig_has_logged("nothing is recorded"));
    // The first file, which has no room for its end; what could not begin does not stay.
    assert_int_equal(host_rig_count_files(".part"), 1);
    assert_true(the_disk.removes >= 2);
    the_disk.is_full = false;
    assert_true(wait_until_recorded() < 5000);
    host_rig_run(rig, HOST_RIG_SECOND);
    const iso_message_status status = rig->peers[0].status;
    assert_false(status.is_degraded);
    assert_true(status.durable_tick + 40 > status.server_tick);
    assert_true(rig->peers[0].tick + 3 > host_rig_tick(rig));
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_RESTARTED], 1);
    host_rig_shut_down(rig);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 1);
}

static void test_attempts_become_rarer_and_a_recording_that_lasts_forgets_that(void **state) {
    (void)state;
    begin();
    the_disk.is_full = true;
    host_rig_run(rig, HOST_RIG_SECOND);
    uint64_t losses = rig->counters.counts[ISO__COUNTER_RECORDING_LOST];
    host_rig_run(rig, 62 * HOST_RIG_SECOND);
    // After 0.5, 1, 2, 4, 8, 16, 32 s.
    assert_in_range(rig->counters.counts[ISO__COUNTER_RECORDING_LOST] - losses, 5, 6);
    the_disk.is_full = false;
    assert_in_range(wait_until_recorded(), 0, 33000);
    host_rig_run(rig, 40 * HOST_RIG_SECOND);
    the_disk.is_full = true;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).degraded, 1);
    the_disk.is_full = false;
    assert_in_range(wait_until_recorded(), 300, 700);
}

static void test_a_stall_ends_a_recording_for_as_long_as_it_lasts(void **state) {
    (void)state;
    begin();
    the_disk.fault = HOST_DISK_HANGS;
    the_disk.hang_ns = 5 * HOST_RIG_SECOND;
    the_disk.fault_at = the_disk.op_count + 20;
    host_rig_run(rig, 3 * HOST_RIG_SECOND);
    assert_true(rig->was_degraded);
    // The clock has waited for 2 s, then no longer.
    assert_true(host_rig_stats(rig).tick > 200);
    wait_until_recorded();
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(rig->peers[0].status.durable_tick + 40 > host_rig_tick(rig));
    assert_true(host_rig_has_logged("the disk has not accepted a tick"));
}

static void test_a_failed_sync_is_not_repeated_and_another_file_begins(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    the_disk.syncs_fail = true;
    host_rig_run(rig, 300 * HOST_RIG_MS);
    assert_true(rig->peers[0].status.is_degraded);
    const uint64_t durable = rig->peers[0].status.durable_tick;
    the_disk.syncs_fail = false;
    wait_until_recorded();
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(rig->peers[0].status.durable_tick > durable + 60);
    assert_int_equal(the_disk.syncs_repeated, 0);
    host_rig_shut_down(rig);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 1);
}

static void test_a_session_is_recorded_again_after_any_operation_failed(void **state) {
    roll_size = 2000;
    for (uint32_t at = 1; at < 200; ++at) {
        the_disk.fault = HOST_DISK_FAILS;
        the_disk.fault_at = at;
        begin();
        host_rig_run(rig, HOST_RIG_SECOND);
        if (the_disk.op_count < at) {
            return;
        }
        if (host_rig_stats(rig).degraded != 0) {
            wait_until_recorded();
        }
        host_rig_run(rig, 700 * HOST_RIG_MS);
        const iso_session_stats stats = host_rig_stats(rig);
        assert_int_equal(stats.degraded, 0);
        assert_int_equal(the_disk.syncs_repeated, 0);
        assert_true(rig->peers[0].is_active && rig->peers[0].tick + 3 > stats.tick &&
                    stats.durable_tick + 40 > stats.tick);
        host_rig_shut_down(rig);
        assert_int_equal(rig->worker.open_count, 0);
        tear_down(state);
        set_up(state);
        roll_size = 2000;
    }
    fail();
}

static void run_through_an_outage(void) {
    begin();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    the_disk.is_full = true;
    host_rig_run(rig, 1300 * HOST_RIG_MS); // one attempt fails
    the_disk.is_full = false;
    host_rig_run(rig, 2 * HOST_RIG_SECOND);
}

static void run_through_failing_syncs(void) {
    begin();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    the_disk.syncs_fail = true;
    host_rig_run(rig, 1300 * HOST_RIG_MS);
    the_disk.syncs_fail = false;
    host_rig_run(rig, 2 * HOST_RIG_SECOND);
}

/// There is a file to go on in, so nothing is lost.
static void test_a_roll_whose_file_cannot_be_made_goes_on_in_the_old_file(void **state) {
    (void)state;
    roll_size = 2000;
    begin();
    the_disk.creates_fail = true;
    while (!host_rig_has_logged("the next file cannot be made")) {
        host_rig_run(rig, 50 * HOST_RIG_MS);
    }
    host_rig_run(rig, 3000 * HOST_RIG_MS); // and a second time
    assert_false(rig->hosted.report.is_degraded);
    assert_int_equal(rig->hosted.report.generation, 0);
    assert_int_equal(rig->hosted.report.file_count, 1);
    the_disk.creates_fail = false;
    while (rig->hosted.report.file_count < 2) {
        host_rig_run(rig, 50 * HOST_RIG_MS);
    }
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_false(rig->hosted.report.is_degraded);
    restart();
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_true(host_rig_tick(rig) >= rig->shown_tick);
}

static void run_through_a_failed_roll(void) {
    begin();
    while (the_disk.creates < 2 && !the_disk.is_dead) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    the_disk.is_full = true;
    host_rig_run(rig, 300 * HOST_RIG_MS);
    the_disk.is_full = false;
    host_rig_run(rig, 1500 * HOST_RIG_MS);
}

static void test_a_session_survives_a_death_around_an_outage(void **state) {
    (void)state;
    sweep_all(run_through_an_outage);
}

static void test_a_session_survives_a_death_around_failing_syncs(void **state) {
    (void)state;
    sweep_all(run_through_failing_syncs);
}

static void test_a_session_survives_a_death_around_a_roll_that_fails(void **state) {
    (void)state;
    roll_size = 2000;
    sweep_all(run_through_a_failed_roll);
}

/// The server dies while nothing is recorded: it comes back at the end of what was, and the member is sent back.
static void test_a_member_that_is_ahead_of_a_degraded_recording_is_sent_back(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    the_disk.is_full = true;
    host_rig_run(rig, HOST_RIG_SECOND);
    const host_rig_peer member = rig->peers[0];
    const uint64_t durable = rig->durable_tick;
    assert_true(member.status.is_degraded && member.tick > durable + 50);
    restart();
    const uint64_t tick = host_rig_tick(rig);
    assert_true(tick >= durable && tick < member.tick);
    memset(rig->is_known + tick + 1, 0, sizeof rig->is_known - (tick + 1) * sizeof rig->is_known[0]);
    expect_member_back(&member);
    assert_true(rig->peers[1].is_rewind);
    assert_int_equal(rig->peers[1].rewind_tick, tick);
    assert_int_equal(rig->peers[1].welcome.slot, member.welcome.slot);
}

/// The degraded recording could be sealed: its name is that of a whole one.
static void test_a_sealed_degraded_recording_is_gone_on_from(void **state) {
    (void)state;
    begin();
    the_disk.fault = HOST_DISK_HANGS;
    the_disk.hang_ns = 2200 * HOST_RIG_MS; // less than until it is tried again
    the_disk.fault_at = the_disk.op_count + 30;
    while (the_disk.op_count < the_disk.fault_at) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    assert_int_equal(host_rig_stats(rig).degraded, 1);
    host_rig_run(rig, 20 * HOST_RIG_MS);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 0);
    const host_rig_peer member = rig->peers[0];
    const uint64_t durable = rig->durable_tick;
    restart();
    const uint64_t tick = host_rig_tick(rig);
    assert_true(tick >= durable);
    memset(rig->is_known + tick + 1, 0, sizeof rig->is_known - (tick + 1) * sizeof rig->is_known[0]);
    expect_member_back(&member);
    // That epoch ends in order: now the session is over.
    host_rig_shut_down(rig);
    assert_int_equal(host_rig_count_files(".isr"), 2);
    restart();
    assert_int_equal(rig->hosted.recording.config.header.epoch, 1);
    assert_int_equal(host_rig_tick(rig), 0);
}

/// Full from now on, and known to be.
static void fill_disk(void) {
    the_disk.is_full = true;
    for (unsigned i = 0; i < 100 && host_rig_stats(rig).degraded == 0; ++i) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    assert_int_equal(host_rig_stats(rig).degraded, 1);
}

static void expect_new_session(bool is_new) {
    restart();
    assert_int_equal(rig->hosted.recording.config.header.epoch, is_new ? 1 : 2);
    assert_int_equal(host_rig_tick(rig) == 0, is_new);
}

/// Its last file cannot say so.
static void test_a_session_that_is_closed_while_nothing_is_recorded_does_not_come_back(void **state) {
    (void)state;
    begin();
    fill_disk();
    host_rig_shut_down(rig);
    assert_false(iso__recording_comes_back(&rig->hosted.recording));
    assert_int_equal(host_rig_count_files(".ignored"), 1);
    expect_new_session(true);
}

/// A server with other sessions goes on, and so do the attempts.
static void test_the_end_of_a_session_is_recorded_when_the_disk_works_again(void **state) {
    (void)state;
    begin();
    fill_disk();
    the_disk.creates_fail = true;
    host_rig_shut_down(rig);
    host_rig_run(rig, 10 * HOST_RIG_SECOND);
    assert_true(iso__recording_comes_back(&rig->hosted.recording));
    the_disk.creates_fail = false;
    host_rig_run(rig, 20 * HOST_RIG_SECOND);
    assert_false(iso__recording_comes_back(&rig->hosted.recording));
    expect_new_session(true);
}

static void test_the_end_of_a_session_that_no_disk_took_is_known(void **state) {
    (void)state;
    begin();
    fill_disk();
    the_disk.creates_fail = true;
    host_rig_shut_down(rig);
    iso__recording_finish(&rig->hosted.recording); // as when the writer stops
    assert_true(iso__recording_comes_back(&rig->hosted.recording));
    expect_new_session(false);
}

/// A restart is no end, whatever the disk is like.
static void test_a_session_that_goes_on_later_comes_back_though_nothing_is_recorded(void **state) {
    (void)state;
    begin();
    fill_disk();
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_RESTARTING});
    host_rig_shut_down(rig);
    assert_int_equal(host_rig_count_files(".ignored"), 0);
    expect_new_session(false);
}

/// It has its end, but the sync of it has failed.
static void test_an_end_that_may_not_survive_is_synced(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    the_disk.syncs_fail = true;
    host_rig_run(rig, 400 * HOST_RIG_MS);
    host_rig_end(rig);
    assert_int_equal(host_rig_count_files(".part"), 1);
    host_disk_restart();
    memset(rig, 0, sizeof *rig);
    the_disk.syncs_fail = true;
    assert_true(host_rig_start(rig));
    assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
    assert_true(host_rig_has_logged("cannot be sealed"));
}

static bool is_hosted(const void *user, const char *session) {
    return strcmp(session, user) == 0;
}

/// A name that was misspelt: the session that is meant is not hosted, and nothing else would say so.
static void test_a_recording_whose_session_is_not_hosted_is_named(void **state) {
    (void)state;
    begin();
    iso__recovery_warn_of_unhosted(&rig->disk, is_hosted, "main");
    assert_false(host_rig_has_logged("is not hosted"));
    iso__recovery_warn_of_unhosted(&rig->disk, is_hosted, "mian");
    assert_true(host_rig_has_logged("session main: it is not hosted by this start, and its recording main-"));
    assert_true(host_rig_has_logged("-1.isr.part could be continued"));
    // What is over is nobody's loss.
    host_rig_shut_down(rig);
    expect_new_session(true);
    host_rig_shut_down(rig);
    iso__recovery_warn_of_unhosted(&rig->disk, is_hosted, "mian");
    assert_false(host_rig_has_logged("is not hosted"));
}

static void test_a_session_survives_a_death_at_any_moment(void **state) {
    (void)state;
    sweep_all(run_and_shut_down);
}

static void test_a_session_survives_a_death_around_a_roll(void **state) {
    (void)state;
    roll_size = 2000;
    sweep_all(run_and_shut_down);
    assert_true(the_disk.creates >= 2);
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_session_is_recorded_and_goes_on),
        HOST_TEST(test_a_disk_that_was_full_is_recorded_to_again),
        HOST_TEST(test_attempts_become_rarer_and_a_recording_that_lasts_forgets_that),
        HOST_TEST(test_a_stall_ends_a_recording_for_as_long_as_it_lasts),
        HOST_TEST(test_a_failed_sync_is_not_repeated_and_another_file_begins),
        HOST_TEST(test_a_session_is_recorded_again_after_any_operation_failed),
        HOST_TEST(test_a_session_survives_a_death_at_any_moment),
        HOST_TEST(test_a_session_survives_a_death_around_a_roll),
        HOST_TEST(test_a_roll_whose_file_cannot_be_made_goes_on_in_the_old_file),
        HOST_TEST(test_a_session_survives_a_death_around_an_outage),
        HOST_TEST(test_a_session_survives_a_death_around_failing_syncs),
        HOST_TEST(test_a_session_survives_a_death_around_a_roll_that_fails),
        HOST_TEST(test_a_member_that_is_ahead_of_a_degraded_recording_is_sent_back),
        HOST_TEST(test_a_sealed_degraded_recording_is_gone_on_from),
        HOST_TEST(test_a_session_that_is_closed_while_nothing_is_recorded_does_not_come_back),
        HOST_TEST(test_the_end_of_a_session_is_recorded_when_the_disk_works_again),
        HOST_TEST(test_the_end_of_a_session_that_no_disk_took_is_known),
        HOST_TEST(test_a_session_that_goes_on_later_comes_back_though_nothing_is_recorded),
        HOST_TEST(test_an_end_that_may_not_survive_is_synced),
        HOST_TEST(test_a_recording_whose_session_is_not_hosted_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
