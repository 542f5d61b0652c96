/// The lines at the end of a server: what all sessions have done together, and what is there of their recordings.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/host.h"
#include "host/summary.h"
#include "host_rig.h"

#define SESSIONS 2u

static iso__host *host;
static iso__hosted *sessions;
static iso_session_stats stats[SESSIONS + 1]; // the last one is of no session
static int usage_error;

void __wrap_iso_session_get_stats(const iso_session *session, iso_session_stats *out);
int __wrap_getrusage(__rusage_who_t who, struct rusage *usage);

/// A session is here the place of its numbers.
void __wrap_iso_session_get_stats(const iso_session *session, iso_session_stats *out) {
    *out = *(const iso_session_stats *)(const void *)session;
}

int __wrap_getrusage(__rusage_who_t who, struct rusage *usage) {
    assert_int_equal(who, RUSAGE_SELF);
    *usage = (struct rusage){.ru_maxrss = 9001};
    return usage_error;
}

static int set_up(void **state) {
    (void)state;
    host_disk_begin();
    host_rig_clear_log();
    usage_error = 0;
    memset(stats, 0, sizeof stats);
    host = calloc(1, sizeof *host);
    sessions = calloc(SESSIONS + 1, sizeof *sessions);
    host->sessions = sessions;
    host->session_count = SESSIONS;
    host->worker_count = 3;
    host->options.memory_mib = 64;
    host->options.record_dir = "the/folder";
    host->disk.folder = open(the_disk.folder, O_RDONLY | O_DIRECTORY);
    for (uint32_t i = 0; i <= SESSIONS; ++i) {
        sessions[i].session = (iso_session *)(void *)&stats[i];
    }
    stats[SESSIONS].ticks_sealed = 1000000;
    sessions[SESSIONS].is_recorded = true;
    atomic_store(&sessions[SESSIONS].memory.used, 1u << 30);
    host->started_ns = HOST_RIG_SECOND;
    host_rig_now_ns = HOST_RIG_SECOND + 12034567890;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    close(host->disk.folder);
    free(sessions);
    free(host);
    host_rig_now_ns = 0;
    host_disk_end();
    return 0;
}

static void summarize(void) {
    host_rig_clear_log();
    iso__host_summarize(host);
}

static void expect_log(const char *text) {
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
}

static void test_what_the_sessions_have_done_is_summed_up(void **state) {
    (void)state;
    for (uint64_t i = 0; i < SESSIONS; ++i) {
        const uint64_t factor = i == 0 ? 1 : 1000;
        stats[i] = (iso_session_stats){.ticks_sealed = 2 * factor,
                                       .ticks_late = 3 * factor,
                                       .slips = 4 * factor,
                                       .slipped_ns = 5 * HOST_RIG_MS * factor,
                                       .commands_sealed = 6 * factor,
                                       .commands_moved = 7 * factor,
                                       .commands_rejected = 8 * factor,
                                       .joins = 9 * factor,
                                       .leaves = 11 * factor,
                                       .confirms = 12 * factor,
                                       .desyncs = 13 * factor};
    }
    summarize();
    expect_log("ran 12.034 s: 2002 ticks, 3003 sealed late by more than one interval, 4004 slips (5005 ms); 2 "
               "sessions, 3 workers\n");
    expect_log("commands: 6006 sealed, 7007 of them moved, 8008 rejected; roots: 12012 confirmed, 13013 desyncs\n");
    expect_log("members: 9009 joined, 11011 left; connections: 0 accepted, 0 welcomed\n");
    expect_log("limits reached (limit, answer, count):\n  none\n");
    assert_false(host_rig_has_logged("lateness"));   // there is none without a tick
    assert_false(host_rig_has_logged("recording:")); // nor a recording
    assert_false(host_rig_has_logged("bytes per client"));
}

static void test_lateness_is_told_by_shares_of_all_ticks(void **state) {
    (void)state;
    iso__timing *first = &sessions[0].timing, *second = &sessions[1].timing;
    *first = (iso__timing){.ticks = 5000, .late_max_ns = 7000000, .work_total_ns = 30000000, .work_max_ns = 900000};
    *second = (iso__timing){.ticks = 5000, .late_max_ns = 600000, .work_total_ns = 50000000, .work_max_ns = 1100000};
    first->late_buckets[0] = 3000;
    second->late_buckets[0] = 2000; // 5,000 of 10,000 are half
    second->late_buckets[3] = 3000;
    first->late_buckets[5] = 1900; // 9,900 are 99 %
    first->late_buckets[9] = 99;   // 9,999 are 99.99 %
    first->late_buckets[31] = 1;
    summarize();
    expect_log("lateness: half below 1 us, 99 % below 32 us, 99.99 % below 512 us, at most 7000 us; a tick took 8 us "
               "on average, at most 1100 us\n");
    expect_log("ticks by lateness, below so many us: 1: 5000, 8: 3000, 32: 1900, 512: 99, 2147483648: 1\n");
    // One tick less in each, and the shares need the next bucket.
    --second->late_buckets[0], ++second->late_buckets[3];
    --first->late_buckets[5], ++first->late_buckets[9];
    first->late_buckets[9] -= 2, first->late_buckets[31] += 2;
    second->late_max_ns = 8000000;
    first->work_max_ns = 1200000;
    summarize();
    expect_log("lateness: half below 8 us, 99 % below 512 us, 99.99 % below 2147483648 us, at most 8000 us; a tick "
               "took 8 us on average, at most 1200 us\n");
    // The first tick that there is has the first bucket that is not empty.
    *second = (iso__timing){0};
    *first = (iso__timing){.ticks = 1, .late_buckets[4] = 1};
    summarize();
    expect_log("lateness: half below 16 us, 99 % below 16 us, 99.99 % below 16 us, at most 0 us;");
    expect_log("ticks by lateness, below so many us: 16: 1\n");
}

/// More ticks than a server makes in a thousand years.
static void test_every_bucket_of_lateness_can_be_told(void **state) {
    (void)state;
    sessions[0].timing.ticks = 1;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; ++i) {
        sessions[0].timing.late_buckets[i] = UINT64_C(1000000000000) + i;
    }
    summarize();
    expect_log(" 1073741824: 1000000000030, 2147483648: 1000000000031\n");
}

static void test_traffic_is_told_per_client_and_second(void **state) {
    (void)state;
    host->peers.totals.accepted = 40;
    host->peers.totals.welcomed = 30;
    host->peers.totals.client_bytes_out = 100000;
    host->peers.totals.client_bytes_in = 7000;
    host->peers.totals.client_ns = 2008 * HOST_RIG_MS + 1;
    summarize();
    expect_log("connections: 40 accepted, 30 welcomed\n");
    expect_log("bytes per client and second: 49800 sent, 3486 received (2.008 client seconds, snapshots included)\n");
    host->peers.totals.client_ns = HOST_RIG_MS;
    summarize();
    expect_log(
        "bytes per client and second: 100000000 sent, 7000000 received (0.001 client seconds, snapshots included)\n");
    host->peers.totals.client_ns = HOST_RIG_MS - 1;
    summarize();
    assert_false(host_rig_has_logged("bytes per client"));
}

static void test_recordings_are_named_with_what_is_there_of_them(void **state) {
    (void)state;
    iso__recording_report *report = &sessions[1].recording.report;
    sessions[1].is_recorded = true;
    *report = (iso__recording_report){.is_sealed = true,
                                      .has_started = true,
                                      .name = "a.isr",
                                      .written_size = 1234,
                                      .written_tick = 77,
                                      .file_count = 1};
    summarize();
    expect_log("recording: the/folder/a.isr, 1234 bytes, up to tick 77\n");
    report->file_count = 2;
    report->is_degraded = true;
    summarize();
    expect_log("recording: the/folder/a.isr, 1234 bytes in 2 files, up to tick 77, ended early\n");
    report->is_sealed = false;
    summarize();
    expect_log("recording: the/folder/a.isr is not there: No such file or directory\n");
    assert_int_equal(symlinkat("nowhere", host->disk.folder, "a.isr"), 0); // whatever has its name
    summarize();
    expect_log("recording: the/folder/a.isr was not sealed: it is good up to tick 77\n");
    report->has_started = false;
    summarize();
    expect_log("recording: the/folder/a.isr was not sealed, and holds nothing that can be replayed\n");
    // Each session's is told.
    sessions[0].is_recorded = true;
    sessions[0].recording.report = (iso__recording_report){.is_sealed = true, .name = "b.isr", .written_tick = 3};
    summarize();
    expect_log("recording: the/folder/b.isr, 0 bytes, up to tick 3\n");
    expect_log("recording: the/folder/a.isr was not sealed");
}

static void test_memory_is_told_per_session(void **state) {
    (void)state;
    atomic_store(&sessions[0].memory.used, 5000u << 10);
    atomic_store(&sessions[1].memory.used, 3001u << 10);
    summarize();
    expect_log("memory per session: 4000 KiB reserved on average, 5000 KiB at most, of 64 MiB allowed; 4500 KiB "
               "resident (the process: 9001 KiB at most)\n");
    atomic_store(&sessions[1].memory.used, 6000u << 10);
    summarize();
    expect_log("memory per session: 5500 KiB reserved on average, 6000 KiB at most");
    usage_error = -1;
    summarize();
    assert_false(host_rig_has_logged("memory per session"));
}

int main(void) {
#define SUMMARY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SUMMARY_TEST(test_what_the_sessions_have_done_is_summed_up),
        SUMMARY_TEST(test_lateness_is_told_by_shares_of_all_ticks),
        SUMMARY_TEST(test_every_bucket_of_lateness_can_be_told),
        SUMMARY_TEST(test_traffic_is_told_per_client_and_second),
        SUMMARY_TEST(test_recordings_are_named_with_what_is_there_of_them),
        SUMMARY_TEST(test_memory_is_told_per_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
