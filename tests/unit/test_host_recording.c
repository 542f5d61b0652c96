/// A session's recording on a disk that fails, hangs, tears and dies at every one of its operations: what was shown
/// to anybody comes back after a kill, what was said to be durable after a power cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_rig.h"

static host_rig *rig;
static uint64_t roll_size;

static int set_up(void **state)
{
    (void)state;
    host_disk_begin();
    host_rig_now_ns = 1000;
    rig = calloc(1, sizeof *rig);
    roll_size = UINT64_C(1) << 40;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    host_rig_end(rig);
    free(rig);
    host_disk_end();
    return 0;
}

/// A session with a member, 200 ms old.
static void begin(void)
{
    assert_true(host_rig_start(rig));
    rig->hosted.recording.config.roll_size = roll_size;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    host_rig_join(rig, 0);
    host_rig_run(rig, 100 * HOST_RIG_MS);
}

/// Another process on the same folder, a while later.
static void restart(void)
{
    host_rig *next = calloc(1, sizeof *next);
    host_rig_end(rig);
    memcpy(next->roots, rig->roots, sizeof next->roots);
    memcpy(next->known, rig->known, sizeof next->known);
    next->peers[0] = rig->peers[0];
    next->peers[0].here = false;
    host_disk_restart();
    host_rig_now_ns += HOST_RIG_SECOND;
    free(rig);
    rig = next;
    if (!host_rig_start(rig))
        fail_msg("the host refuses what the disk has left: %s", host_rig_log);
    rig->hosted.recording.config.roll_size = roll_size;
}

/// The member of before comes back and is let in, wherever it stood.
static void expect_member_back(const host_rig_peer *before)
{
    host_rig_resume(rig, 1, &before->welcome, before->tick, before->root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    if (!rig->peers[1].active)
        fail_msg("the member does not come back: %s", host_rig_log);
}

/// What a new process finds after the present one has died.
static void expect_nothing_lost(bool power_cut, uint32_t at)
{
    const uint64_t shown = rig->shown_tick, durable = rig->durable_tick;
    const uint64_t promised = power_cut || rig->was_degraded ? durable : shown;
    const host_rig_peer member = rig->peers[0];
    if (rig->is_ending && host_rig_count_files(".part") == 0)
        return; // its last file was sealed: it is over
    restart();
    const uint64_t tick = host_rig_tick(rig);
    if (tick < promised)
        fail_msg("died at operation %u: shown %llu, durable %llu, come back at %llu: %s", at, (unsigned long long)shown,
                 (unsigned long long)durable, (unsigned long long)tick, host_rig_log);
    if (promised > 0) {
        assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
        assert_true(rig->known[tick] && rig->roots[tick] == iso_world_root(rig->hosted.setup.world));
    }
    // What has not come back never happened.
    memset(rig->known + tick + 1, 0, sizeof rig->known - (tick + 1) * sizeof rig->known[0]);
    if (member.active && member.join_tick <= promised)
        expect_member_back(&member);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(host_rig_tick(rig) > tick + 20);
    assert_int_equal(the_disk.syncs_repeated, 0);
    host_rig_shut_down(rig);
    if (host_rig_count_files(".part") > 0)
        fail_msg("died at operation %u: a file is left: %s", at, host_rig_log);
}

/// Lets the process die at every operation of what `run` does, and the power with it unless `loss` is HOST_DISK_LOSSES.
static void sweep(void (*run)(void), host_disk_fault death, host_disk_loss loss)
{
    for (uint32_t at = 1;; at++) {
        the_disk.fault_at = at;
        the_disk.fault = death;
        run();
        if (!the_disk.dead)
            return;
        if (loss != HOST_DISK_LOSSES)
            host_disk_cut_power(loss);
        expect_nothing_lost(loss != HOST_DISK_LOSSES, at);
        void *state;
        tear_down(&state);
        const uint64_t size = roll_size;
        set_up(&state);
        roll_size = size;
    }
}

static void sweep_all(void (*run)(void))
{
    sweep(run, HOST_DISK_DIES, HOST_DISK_LOSSES);
    for (host_disk_loss loss = HOST_DISK_LOSES_ALL; loss < HOST_DISK_LOSSES; loss++) {
        void *state;
        const uint64_t size = roll_size;
        tear_down(&state);
        set_up(&state);
        roll_size = size;
        sweep(run, HOST_DISK_DIES_TORN, loss);
    }
}

static void test_a_session_is_recorded_and_goes_on(void **state)
{
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(rig->peers[0].active);
    assert_in_range(host_rig_tick(rig), 70, 73);
    assert_true(rig->shown_tick + 1 >= host_rig_tick(rig));
    assert_in_range(rig->peers[0].status.durable_tick, 40, 72);
    host_rig_shut_down(rig);
    assert_int_equal(rig->worker.open_count, 0);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

static void run_and_shut_down(void)
{
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_shut_down(rig);
}

static void test_a_session_survives_a_death_at_any_moment(void **state)
{
    (void)state;
    sweep_all(run_and_shut_down);
}

static void test_a_session_survives_a_death_around_a_roll(void **state)
{
    (void)state;
    roll_size = 2000;
    sweep_all(run_and_shut_down);
    assert_true(the_disk.creates >= 2);
}

int main(void)
{
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_session_is_recorded_and_goes_on),
        HOST_TEST(test_a_session_survives_a_death_at_any_moment),
        HOST_TEST(test_a_session_survives_a_death_around_a_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
