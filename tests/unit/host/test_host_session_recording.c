/// What a recording says and keeps beyond the bytes of its ticks: who is there, what the operator is told, how large
/// its files are, and what becomes of it without memory, with late keyframes, and while the session is paused.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_rig.h"

#define FILES_MAX 64u

static host_rig *rig;
static uint64_t roll_size;
static bool malloc_fails;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size) {
    return malloc_fails ? NULL : __real_malloc(size);
}

static int set_up(void **state) {
    (void)state;
    rig = host_rig_make();
    roll_size = UINT64_C(1) << 40;
    malloc_fails = false;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    host_rig_free(rig);
    return 0;
}

static void begin(void) {
    assert_true(host_rig_start(rig));
    rig->hosted.recording.config.roll_size = roll_size;
    host_rig_run(rig, 100 * HOST_RIG_MS);
}

static void join(uint32_t peer) {
    host_rig_join(rig, peer);
    host_rig_run(rig, 100 * HOST_RIG_MS + rig->compression_takes_ns);
    assert_true(rig->peers[peer].is_active);
}

/// Another process on the same folder, a while later.
static void restart(void) {
    rig = host_rig_next(rig, HOST_RIG_SECOND, NULL);
    if (!host_rig_start(rig)) {
        fail_msg("the host refuses what the disk has left: %s", host_rig_log);
    }
    rig->hosted.recording.config.roll_size = roll_size;
}

static void expect_member_back(uint32_t peer, const host_rig_peer *before) {
    host_rig_resume(rig, peer, &before->welcome, before->tick, before->root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    if (!rig->peers[peer].is_active) {
        fail_msg("member %u does not come back: %s", peer, host_rig_log);
    }
    assert_int_equal(rig->peers[peer].welcome.slot, before->welcome.slot);
}

static void wait_until_recorded(void) {
    for (unsigned i = 0; i < 1000 && host_rig_stats(rig).degraded != 0; ++i) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    assert_int_equal(host_rig_stats(rig).degraded, 0);
}

// ---- What the files hold ----------------------------------------------------------------------------------

typedef struct taken {
    uint32_t number;
    bool is_sealed;
    uint64_t size, first_tick, last_tick, event_count;
} taken;

static taken files[FILES_MAX];
static uint32_t file_count;

static int by_number(const void *a, const void *b) {
    const taken *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/// Opens all recordings of the folder, in their order.
static void open_files(void) {
    static uint8_t bytes[1 << 21];
    DIR *dir = opendir(the_disk.folder);
    file_count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const char *end = strstr(entry->d_name, ".isr");
        if (end == NULL) {
            continue;
        }
        assert_true(file_count < FILES_MAX);
        char path[400];
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(size < sizeof bytes);
        iso_recording recording;
        iso_recording_error error;
        const bool is_part = strcmp(end, ".isr") != 0;
        if (iso_recording_open(&recording, bytes, size, is_part ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT, &error) !=
            ISO_OK) {
            fail_msg("%s: %s", entry->d_name, error.what);
        }
        unsigned number = 1;
        sscanf(entry->d_name, "main-%*8[0-9a-f]-%*u.%u", &number);
        files[file_count++] = (taken){
            number, recording.is_sealed, size, recording.header.first_tick, recording.last_tick, recording.event_count};
    }
    closedir(dir);
    qsort(files, file_count, sizeof files[0], by_number);
}

/// Every tick stands in one of the files, or in two.
static void expect_no_gap(uint64_t last_tick) {
    open_files();
    assert_int_equal(files[0].first_tick, 0);
    for (uint32_t i = 1; i < file_count; ++i) {
        assert_int_equal(files[i].number, files[i - 1].number + 1);
        if (files[i].first_tick > files[i - 1].last_tick) {
            fail_msg("file %u begins at tick %llu, the one before it ends at %llu", files[i].number,
                     (unsigned long long)files[i].first_tick, (unsigned long long)files[i - 1].last_tick);
        }
    }
    assert_int_equal(files[file_count - 1].last_tick, last_tick);
}

static void expect_rolls(uint64_t seconds, uint32_t at_least) {
    begin();
    join(0);
    host_rig_run(rig, seconds * HOST_RIG_SECOND);
    host_rig_shut_down(rig);
    assert_int_equal(rig->worker.open_count, 0);
    expect_no_gap(host_rig_tick(rig));
    assert_in_range(file_count, at_least, FILES_MAX);
    for (uint32_t i = 0; i < file_count; ++i) {
        assert_true(files[i].is_sealed);
        // A file ends when it has reached its size, at the next keyframe.
        assert_true(i + 1 == file_count || files[i].size >= roll_size);
        // Who is there, said once; the first one says that it came, each that it was there.
        assert_true(files[i].event_count >= 1 && files[i].event_count <= 3);
    }
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], 0);
    assert_false(host_rig_has_logged("recording:"));
}

static void test_files_are_as_large_as_they_may_be_and_continue_each_other(void **state) {
    (void)state;
    roll_size = 9000;
    expect_rolls(24, 5);
}

/// The ticks that come while a keyframe is made stand in both files.
static void test_a_keyframe_that_comes_late_begins_a_file_all_the_same(void **state) {
    (void)state;
    roll_size = 2000;
    rig->compression_takes_ns = 120 * HOST_RIG_MS;
    expect_rolls(12, 10);
    bool overlaps = false;
    for (uint32_t i = 1; i < file_count; ++i) {
        overlaps = overlaps || files[i - 1].last_tick >= files[i].first_tick + 5;
    }
    assert_true(overlaps);
}

static void test_a_death_while_a_late_keyframe_is_made_loses_nothing(void **state) {
    for (uint64_t ms = 800; ms < 1800; ms += 40) {
        roll_size = 2000;
        rig->compression_takes_ns = 200 * HOST_RIG_MS;
        begin();
        join(0);
        host_rig_run(rig, ms * HOST_RIG_MS);
        const host_rig_peer member = rig->peers[0];
        const uint64_t shown = rig->shown_tick;
        restart();
        assert_true(host_rig_tick(rig) >= shown);
        expect_member_back(0, &member);
        tear_down(state);
        set_up(state);
    }
}

// ---- Who is there -----------------------------------------------------------------------------------------

static void test_a_member_has_its_place_after_two_kills_without_it(void **state) {
    (void)state;
    begin();
    join(0);
    join(1);
    const host_rig_peer first = rig->peers[0], second = rig->peers[1];
    host_rig_run(rig, HOST_RIG_SECOND);
    for (unsigned kill = 0; kill < 2; ++kill) {
        restart();
        host_rig_run(rig, HOST_RIG_SECOND);
        assert_int_equal(host_rig_stats(rig).held, 2);
    }
    expect_member_back(0, &first);
    expect_member_back(1, &second);
}

static void test_all_members_have_their_places_in_a_recording_that_began_again(void **state) {
    (void)state;
    begin();
    join(0);
    join(1);
    join(2);
    the_disk.is_full = true;
    host_rig_run(rig, 100 * HOST_RIG_MS);
    the_disk.is_full = false;
    wait_until_recorded();
    host_rig_run(rig, HOST_RIG_SECOND);
    const host_rig_peer members[3] = {rig->peers[0], rig->peers[1], rig->peers[2]};
    restart();
    for (uint32_t i = 0; i < 3; ++i) {
        expect_member_back(i, &members[i]);
    }
}

// ---- What the operator is told ----------------------------------------------------------------------------

static void test_an_outage_is_told_once(void **state) {
    (void)state;
    begin();
    join(0);
    the_disk.is_full = true;
    host_rig_run(rig, 300 * HOST_RIG_MS);
    assert_true(host_rig_has_logged("session main: nothing is recorded; the next attempt is in 500 ms"));
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], 1);
    the_disk.is_full = false;
    wait_until_recorded();
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], 1);
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_RESTARTED], 1);
    host_rig_run(rig, 3 * HOST_RIG_SECOND);
    assert_false(host_rig_has_logged("has not accepted a tick")); // it has refused one
    assert_false(host_rig_has_logged("cannot begin again"));
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_RESTARTED], 1);
}

/// One stall after the other, each longer than a session waits for its disk.
static void test_every_stall_ends_a_recording_and_none_is_begun_while_it_lasts(void **state) {
    (void)state;
    begin();
    join(0);
    for (uint32_t stall = 1; stall <= 2; ++stall) {
        host_rig_run(rig, HOST_RIG_SECOND);
        the_disk.fault = HOST_DISK_HANGS;
        the_disk.hang_ns = 6 * HOST_RIG_SECOND;
        the_disk.fault_at = the_disk.op_count + 20;
        while (the_disk.op_count < the_disk.fault_at) {
            host_rig_run(rig, 10 * HOST_RIG_MS);
        }
        assert_true(host_rig_has_logged("the disk has not accepted a tick for 2000 ms"));
        assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], stall);
        assert_int_equal(rig->hosted.recording.generation, stall - 1);
        wait_until_recorded();
        assert_int_equal(rig->hosted.recording.generation, stall);
        assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_RESTARTED], stall);
        host_rig_clear_log();
    }
    host_rig_shut_down(rig);
    // Each was ended in order as soon as the disk took it.
    assert_int_equal(host_rig_count_files(".isr"), 3);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

// ---- Memory -----------------------------------------------------------------------------------------------

static void test_a_tick_that_finds_no_memory_ends_the_recording_before_it(void **state) {
    (void)state;
    begin();
    host_rig_run(rig, HOST_RIG_SECOND);
    malloc_fails = true;
    host_rig_run(rig, 20 * HOST_RIG_MS);
    malloc_fails = false;
    assert_int_equal(host_rig_stats(rig).degraded, 1);
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], 1);
    const uint64_t durable = rig->durable_tick;
    wait_until_recorded();
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(host_rig_stats(rig).durable_tick > durable + 60);
    const uint64_t shown = rig->shown_tick;
    restart();
    assert_true(host_rig_tick(rig) >= shown);
}

static void test_a_recording_whose_first_keyframe_cannot_be_made_begins_later(void **state) {
    (void)state;
    rig->compression_fails = true;
    begin();
    host_rig_run(rig, 2 * HOST_RIG_SECOND);
    assert_int_equal(host_rig_stats(rig).degraded, 1);
    assert_true(rig->counters.counts[ISO__COUNTER_RECORDING_LOST] == 1);
    assert_true(host_rig_has_logged("nothing is recorded"));
    rig->compression_fails = false;
    wait_until_recorded();
    join(0);
    host_rig_run(rig, HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    const host_rig_peer member = rig->peers[0];
    restart();
    assert_true(host_rig_tick(rig) >= shown);
    expect_member_back(0, &member);
}

// ---- Pauses and the end -----------------------------------------------------------------------------------

static void test_a_session_that_is_paused_keeps_its_recording_and_all_of_it_is_durable(void **state) {
    (void)state;
    begin();
    rig->options.empty_policy = ISO_EMPTY_PAUSE;
    rig = host_rig_next(rig, HOST_RIG_SECOND, &rig->options);
    assert_true(host_rig_start(rig));
    join(0);
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_cut(rig, 0);
    host_rig_run(rig, 90 * HOST_RIG_SECOND);
    const iso_session_stats stats = host_rig_stats(rig);
    const uint64_t tick = host_rig_tick(rig);
    assert_true(stats.pauses == 1 && stats.degraded == 0);
    assert_int_equal(stats.durable_tick, tick);
    assert_int_equal(rig->counters.counts[ISO__COUNTER_RECORDING_LOST], 0);
    // It goes on, and so does its recording.
    join(1);
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(host_rig_stats(rig).durable_tick > tick + 30);
    const uint64_t shown = rig->shown_tick;
    restart();
    assert_true(host_rig_tick(rig) >= shown);
}

static void test_the_end_waits_for_the_disk_and_no_longer(void **state) {
    (void)state;
    begin();
    join(0);
    const uint64_t before = host_rig_now_ns;
    host_rig_shut_down(rig);
    assert_int_equal(rig->worker.open_count, 0);
    assert_int_equal(host_rig_count_files(".isr"), 1);
    assert_in_range((host_rig_now_ns - before) / HOST_RIG_MS, 1, 100);
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_files_are_as_large_as_they_may_be_and_continue_each_other),
        HOST_TEST(test_a_keyframe_that_comes_late_begins_a_file_all_the_same),
        HOST_TEST(test_a_death_while_a_late_keyframe_is_made_loses_nothing),
        HOST_TEST(test_a_member_has_its_place_after_two_kills_without_it),
        HOST_TEST(test_all_members_have_their_places_in_a_recording_that_began_again),
        HOST_TEST(test_an_outage_is_told_once),
        HOST_TEST(test_every_stall_ends_a_recording_and_none_is_begun_while_it_lasts),
        HOST_TEST(test_a_tick_that_finds_no_memory_ends_the_recording_before_it),
        HOST_TEST(test_a_recording_whose_first_keyframe_cannot_be_made_begins_later),
        HOST_TEST(test_a_session_that_is_paused_keeps_its_recording_and_all_of_it_is_durable),
        HOST_TEST(test_the_end_waits_for_the_disk_and_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
