/// Servers that are started again: after a signal, with many files, with a file that is named, and far behind clients;
/// and what their options make of a session.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/exit.h"
#include "host_rig.h"

static host_rig *rig;
static iso__options options; // of the next start

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
    options = rig->options;
    host_rig_run(rig, 100 * HOST_RIG_MS);
}

static void join(uint32_t peer) {
    host_rig_join(rig, peer);
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_true(rig->peers[peer].is_active);
}

static bool try_restart(void) {
    rig = host_rig_next(rig, HOST_RIG_SECOND, &options);
    return host_rig_start(rig);
}

static void restart(void) {
    if (!try_restart()) {
        fail_msg("the host refuses what the disk has left: %s", host_rig_log);
    }
}

static uint32_t epoch(void) {
    return rig->hosted.recording.config.header.epoch;
}

/// The session is not over: a later server goes on from it.
static void shut_down_for_restart(void) {
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_RESTARTING});
    for (unsigned i = 0; i < 200 && rig->worker.open_count > 0; ++i) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    assert_int_equal(rig->worker.open_count, 0);
}

// ---- Signals ----------------------------------------------------------------------------------------------

static void test_a_session_that_a_signal_has_ended_goes_on_where_it_ended(void **state) {
    (void)state;
    begin();
    join(0);
    host_rig_run(rig, HOST_RIG_SECOND);
    shut_down_for_restart();
    assert_int_equal(rig->peers[0].ended, ISO_ERR_RESTARTING);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    const host_rig_peer member = rig->peers[0];
    const uint64_t tick = host_rig_tick(rig);
    restart();
    assert_int_equal(epoch(), 2);
    assert_int_equal(host_rig_tick(rig), tick);
    host_rig_resume(rig, 0, &member.welcome, member.tick, member.root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[0].is_active);
    assert_int_equal(rig->peers[0].welcome.slot, member.welcome.slot);
    // The same once more: the last epoch is the one.
    shut_down_for_restart();
    restart();
    assert_int_equal(epoch(), 3);
    // In order: it is over, whatever stands before it.
    host_rig_run(rig, 100 * HOST_RIG_MS);
    host_rig_shut_down(rig);
    restart();
    assert_int_equal(epoch(), 1);
    assert_int_equal(host_rig_tick(rig), 0);
}

static void test_what_a_signal_has_ended_is_left_alone_by_choice(void **state) {
    (void)state;
    begin();
    join(0);
    shut_down_for_restart();
    options.begins_new = 1;
    restart();
    assert_int_equal(epoch(), 1);
    assert_int_equal(host_rig_tick(rig), 0);
    assert_int_equal(host_rig_count_files(".isr.ignored"), 1);
    options.begins_new = 0;
    host_rig_run(rig, 500 * HOST_RIG_MS);
    const uint64_t shown = rig->shown_tick;
    // A kill is no end that anybody chose: that session goes on in any case.
    options.begins_new = 1;
    restart();
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= shown);
}

// ---- Many files -------------------------------------------------------------------------------------------

static void make_file(const char *stem, const char *end) {
    char path[460];
    snprintf(path, sizeof path, "%s%s", stem, end);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    close(file);
}

static void test_a_folder_may_hold_many_files_of_a_session(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    char stem[400], end[40];
    snprintf(stem, sizeof stem, "%s", host_rig_path_of("-1.isr.part"));
    stem[strlen(stem) - strlen("1.isr.part")] = '\0';
    for (unsigned i = 1; i <= 40; ++i) {
        snprintf(end, sizeof end, "%u.isr.torn", i);
        make_file(stem, end);
    }
    for (unsigned i = 2; i <= 20; ++i) {
        snprintf(end, sizeof end, "1.%u.isr.part", i);
        make_file(stem, end);
    }
    restart();
    assert_int_equal(epoch(), 41);
    assert_true(host_rig_tick(rig) >= shown);
    // Those that had not begun are gone, and nothing else is.
    assert_int_equal(host_rig_count_files(".torn"), 40);
    assert_int_equal(host_rig_count_files(".isr.part"), 1);
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_int_equal(host_rig_count_files(".isr.part"), 2);
}

/// The server dies in the first moments of its second epoch: who was there in the first one still has a place.
static void test_a_second_death_at_any_moment_of_the_start_takes_no_place(void **state) {
    for (uint32_t at = 1; at < 60; ++at) {
        begin();
        join(0);
        host_rig_run(rig, 300 * HOST_RIG_MS);
        const host_rig_peer member = rig->peers[0];
        rig = host_rig_next(rig, HOST_RIG_SECOND, NULL);
        the_disk.fault = HOST_DISK_DIES;
        the_disk.fault_at = at;
        assert_true(host_rig_start(rig));
        host_rig_run(rig, 300 * HOST_RIG_MS);
        const bool died = the_disk.is_dead;
        restart();
        host_rig_resume(rig, 0, &member.welcome, member.tick, member.root);
        host_rig_run(rig, 500 * HOST_RIG_MS);
        if (!rig->peers[0].is_active || rig->peers[0].welcome.slot != member.welcome.slot) {
            fail_msg("died at operation %u: the member does not come back: %s", at, host_rig_log);
        }
        tear_down(state);
        set_up(state);
        if (!died) {
            return;
        }
    }
    fail();
}

// ---- Clients that are behind ------------------------------------------------------------------------------

static void test_clients_a_little_behind_get_ticks_and_others_a_state(void **state) {
    (void)state;
    static const struct {
        uint64_t behind;
        uint8_t resumed;
    } cases[] = {{550, ISO_RESUMED_TICKS}, {1100, ISO_RESUMED_SNAPSHOT}};
    for (size_t i = 0; i < 2; ++i) {
        begin();
        join(0);
        host_rig_run(rig, 25 * HOST_RIG_SECOND);
        const host_rig_peer member = rig->peers[0];
        const uint64_t at = rig->shown_tick - cases[i].behind;
        const uint64_t root = rig->roots[at];
        assert_true(rig->is_known[at] && rig->shown_tick > 1400);
        restart();
        host_rig_resume(rig, 0, &member.welcome, at, root);
        host_rig_run(rig, 5 * HOST_RIG_SECOND);
        assert_true(rig->peers[0].is_active);
        assert_int_equal(rig->peers[0].welcome.resumed, cases[i].resumed);
        tear_down(state);
        set_up(state);
    }
}

// ---- A file that is named ---------------------------------------------------------------------------------

static char named[460];

/// A recording that stands in the folder under a name of its own, and a session of the same name that was killed.
static void make_named_and_killed(void) {
    begin();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    host_rig_shut_down(rig);
    snprintf(named, sizeof named, "%s/chosen.isr", the_disk.folder);
    assert_int_equal(rename(host_rig_path_of("-1.isr"), named), 0);
    restart();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_int_equal(epoch(), 1);
}

static void test_a_named_file_does_not_go_on_beside_another_session_of_its_name(void **state) {
    (void)state;
    make_named_and_killed();
    options.sessions[0].resume = named;
    assert_false(try_restart());
    assert_true(host_rig_has_logged("is of another session of this name, which can be continued"));
    assert_int_equal(host_rig_count_files(".ignored"), 0);
    assert_int_equal(host_rig_count_files(".part"), 1);
    options.recover_policy = ISO__RECOVER_ANEW;
    restart();
    assert_int_equal(epoch(), 2);
    assert_in_range(host_rig_tick(rig), 30, 40);
    assert_int_equal(host_rig_count_files("-1.isr.part.ignored"), 1);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    const uint64_t shown = rig->shown_tick;
    // At the next start the one that was named is the only one.
    options.sessions[0].resume = NULL;
    options.recover_policy = ISO__RECOVER_REFUSE;
    restart();
    assert_int_equal(epoch(), 3);
    assert_true(host_rig_tick(rig) >= shown);
}

static void test_a_named_file_gets_an_epoch_that_the_folder_has_not_seen(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    host_rig_shut_down(rig);
    char stem[400];
    snprintf(stem, sizeof stem, "%s", host_rig_path_of("-1.isr"));
    stem[strlen(stem) - strlen("1.isr")] = '\0';
    make_file(stem, "9.isr.torn");
    snprintf(named, sizeof named, "%s1.isr", stem);
    options.sessions[0].resume = named;
    restart();
    assert_int_equal(epoch(), 10);
}

// ---- Options ----------------------------------------------------------------------------------------------

static void test_options_reach_the_session(void **state) {
    (void)state;
    begin();
    options.hold_seconds = 3;
    options.late_policy = ISO_LATE_STRICT;
    options.keyframe_interval = 200;
    restart();
    assert_true(rig->hosted.is_strict);
    join(0);
    host_rig_cut(rig, 0);
    host_rig_run(rig, 2900 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).held, 1);
    host_rig_run(rig, 300 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).held, 0);
    options.late_policy = ISO_LATE_MOVE;
    options.silence_seconds = 5;
    restart();
    assert_false(rig->hosted.is_strict);
}

static void test_a_session_that_needs_more_memory_than_it_may_have_is_refused(void **state) {
    (void)state;
    begin();
    host_rig_shut_down(rig);
    options.memory_mib = 1;
    assert_false(try_restart());
    assert_true(host_rig_has_logged("--memory allows 1 MiB"));
    // Nor does it go on from a recording with too little, which stays as it is.
    options.memory_mib = 64;
    restart();
    host_rig_run(rig, 500 * HOST_RIG_MS);
    const uint64_t shown = rig->shown_tick;
    options.memory_mib = 1;
    assert_false(try_restart());
    assert_true(host_rig_has_logged("--memory allows 1 MiB") && host_rig_has_logged("not started, and main-"));
    options.memory_mib = 64;
    restart();
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= shown);
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_session_that_a_signal_has_ended_goes_on_where_it_ended),
        HOST_TEST(test_what_a_signal_has_ended_is_left_alone_by_choice),
        HOST_TEST(test_a_folder_may_hold_many_files_of_a_session),
        HOST_TEST(test_a_second_death_at_any_moment_of_the_start_takes_no_place),
        HOST_TEST(test_clients_a_little_behind_get_ticks_and_others_a_state),
        HOST_TEST(test_a_named_file_does_not_go_on_beside_another_session_of_its_name),
        HOST_TEST(test_a_named_file_gets_an_epoch_that_the_folder_has_not_seen),
        HOST_TEST(test_options_reach_the_session),
        HOST_TEST(test_a_session_that_needs_more_memory_than_it_may_have_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
