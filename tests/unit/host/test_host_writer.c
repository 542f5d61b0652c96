/// The writer with its threads: what is handed in is written, synced and sealed, reports come, what waits is bounded,
/// and memory that fails is an answer.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "host/recordings/recording_hand_in.h"
#include "host_rig.h"
#include "unit/proto/recording/recording_sample.h"

#define RECORDINGS 6u
// Longer than a busy machine ever takes.
#define PATIENCE_MS 60000u

static iso__disk disk;
static iso__writer writer;
static iso__gate gate;
static iso__memory memory = {.limit = 1u << 30};
static iso__recording recordings[RECORDINGS];
static iso__recording_report reports[RECORDINGS];
static atomic_uint wakes, published;
static bool malloc_fails;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size) {
    return malloc_fails ? NULL : __real_malloc(size);
}

static void on_wake(void *user) {
    (void)user;
    atomic_fetch_add(&wakes, 1);
}

static void on_published(void *user) {
    (void)user;
    atomic_fetch_add(&published, 1);
}

static iso__recording_config config_of(uint32_t index) {
    iso__recording_config config = {
        .header = sample_header(), .state_size_max = 4096, .roll_size = 1 << 30, .memory = &memory, .wake = on_wake};
    config.header.session[0] = (char)('a' + index);
    return config;
}

static int set_up(void **state) {
    (void)state;
    host_rig_now_ns = 0;           // the real clock
    alarm(2 * PATIENCE_MS / 1000); // a stop that ignores its time ends the test
    host_disk_begin();
    malloc_fails = false;
    atomic_store(&wakes, 0);
    atomic_store(&published, 0);
    memset(reports, 0, sizeof reports);
    assert_int_equal(iso__disk_open(&disk, the_disk.folder), 0);
    assert_true(iso__writer_init(&writer, disk.folder, RECORDINGS + 1)); // one joins
    writer.published = on_published;
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        const iso__recording_config config = config_of(i);
        assert_int_equal(iso__recording_init(&recordings[i], &writer, &config), ISO_OK);
    }
    iso__gate_init(&gate);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    // After a failed assertion as well: while a thread is there nothing may be freed.
    host_disk_release();
    iso__gate_set(&gate, ISO__GATE_GIVEN_UP);
    if (!iso__writer_stop(&writer, PATIENCE_MS)) {
        abort();
    }
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        iso__recording_term(&recordings[i]);
    }
    iso__writer_term(&writer);
    iso__disk_close(&disk);
    host_disk_end();
    return memory.used == 0 ? 0 : -1;
}

static void start(void) {
    assert_int_equal(iso__writer_start(&writer, &gate), 0);
    iso__gate_set(&gate, ISO__GATE_OPEN);
}

static iso_status hand_in_keyframe(uint32_t index, uint64_t tick) {
    static const uint8_t stored[200];
    const iso_recording_keyframe keyframe = {
        .tick = tick, .root = sample_root(tick), .raw_size = 5000, .stored_size = sizeof stored};
    return iso__recording_keyframe(&recordings[index], &keyframe, stored);
}

static iso_status hand_in_tick(uint32_t index, uint64_t tick) {
    const iso_sealed_command command = {.sequence = tick, .command = {.kind = ISO_COMMAND_SET_CONTROL}};
    const iso_change change = {ISO_CHANGE_JOIN, 1, 1};
    const iso_tick_input input = {
        .tick = tick, .commands = &command, .command_count = tick % 2, .changes = &change, .change_count = tick == 1};
    uint8_t sealed[64];
    const size_t size = sample_input_bytes(&input, sealed, sizeof sealed);
    return iso__recording_tick(&recordings[index], tick, sample_root(tick), sealed, size);
}

static void sleep_ms(unsigned ms) {
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

static bool wait_for(uint32_t index, bool (*is_so)(const iso__recording_report *report)) {
    for (unsigned i = 0; i < PATIENCE_MS; ++i) {
        iso__recording_get_report(&recordings[index], &reports[index]);
        if (is_so(&reports[index])) {
            return true;
        }
        sleep_ms(1);
    }
    return false;
}

static bool has_ten(const iso__recording_report *report) {
    return report->written_tick >= 10;
}

static bool has_finished(const iso__recording_report *report) {
    return report->is_finished;
}

static bool is_durable(const iso__recording_report *report) {
    return report->durable_tick >= 10;
}

static void expect_file(uint32_t index, uint64_t last_tick) {
    char path[400];
    static uint8_t bytes[1 << 16];
    snprintf(path, sizeof path, "%s/%s", the_disk.folder, reports[index].name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(recording.last_tick, last_tick);
    assert_true(recording.has_root && recording.root == sample_root(last_tick));
    assert_int_equal(recording.command_count, last_tick / 2 + last_tick % 2);
    assert_int_equal(recording.event_count, 1);
}

static void test_recordings_of_many_sessions_are_written_and_sealed(void **state) {
    (void)state;
    start();
    assert_int_equal(writer.syncer_count, ISO__SYNCERS_MAX);
    const iso_recording_event event = {
        .kind = ISO_RECORDING_EVENT_MEMBER, .slot = 3, .slot_generation = 1, .name = "ada"};
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_int_equal(hand_in_keyframe(i, 0), ISO_OK);
        assert_int_equal(iso__recording_event(&recordings[i], &event), ISO_OK);
        for (uint64_t tick = 1; tick <= 10; ++tick) {
            assert_int_equal(hand_in_tick(i, tick), ISO_OK);
        }
    }
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_true(wait_for(i, has_ten));
        assert_true(reports[i].has_started && !reports[i].is_degraded && !reports[i].is_finished &&
                    !reports[i].is_idle);
        assert_int_equal(recordings[i].waiting, 0);
    }
    assert_true(wait_for(0, is_durable));
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_int_equal(iso__recording_seal(&recordings[i], 10, sample_root(10), false), ISO_OK);
    }
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_true(wait_for(i, has_finished));
        assert_true(reports[i].is_sealed && !reports[i].is_degraded);
        expect_file(i, 10);
    }
    assert_true(atomic_load(&wakes) > 0 && atomic_load(&published) > 0);
    assert_true(iso__writer_stop(&writer, PATIENCE_MS));
    assert_true(iso__writer_stop(&writer, PATIENCE_MS)); // is not there any more
    assert_int_equal(host_rig_count_files(".isr"), RECORDINGS);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

static void on_left(void *user) {
    atomic_fetch_add((atomic_uint *)user, 1);
}

static void test_a_recording_joins_and_leaves_a_writer_that_runs(void **state) {
    (void)state;
    atomic_uint left = 0;
    iso__recording other;
    for (unsigned round = 0; round < 3; ++round) {
        iso__recording_config config = config_of(RECORDINGS + round);
        config.joins = true;
        config.left = on_left;
        config.wake_user = &left;
        if (round == 0) {
            start();
        }
        assert_int_equal(iso__recording_init(&other, &writer, &config), ISO_OK);
        iso__recording_join(&other);
        static const uint8_t stored[200];
        const iso_recording_keyframe keyframe = {
            .root = sample_root(0), .raw_size = 5000, .stored_size = sizeof stored};
        assert_int_equal(iso__recording_keyframe(&other, &keyframe, stored), ISO_OK);
        // It does not leave while the disk is not done with it.
        host_disk_hold(HOST_DISK_SYNC);
        assert_int_equal(iso__recording_seal(&other, 0, sample_root(0), false), ISO_OK);
        iso__recording_end_session(&other);
        iso__recording_leave(&other);
        sleep_ms(10);
        assert_int_equal(atomic_load(&left), round);
        host_disk_release();
        for (unsigned i = 0; i < PATIENCE_MS && atomic_load(&left) == round; ++i) {
            sleep_ms(1);
        }
        assert_int_equal(atomic_load(&left), round + 1);
        assert_true(other.report.is_sealed);
        assert_false(iso__recording_comes_back(&other));
        iso__recording_term(&other);
        assert_int_equal(host_rig_count_files(".isr"), round + 1);
    }
    assert_true(iso__writer_stop(&writer, PATIENCE_MS));
    assert_int_equal(writer.recording_count, RECORDINGS);
}

/// Hands in keyframes, and ticks up to `last` of every recording.
static void hand_in_ticks(uint64_t first, uint64_t last) {
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        if (first == 1) {
            assert_int_equal(hand_in_keyframe(i, 0), ISO_OK);
        }
        for (uint64_t tick = first; tick <= last; ++tick) {
            assert_int_equal(hand_in_tick(i, tick), ISO_OK);
        }
    }
}

static void wait_for_held(uint32_t count) {
    for (unsigned i = 0; i < PATIENCE_MS && host_disk_held() < count; ++i) {
        sleep_ms(1);
    }
    assert_int_equal(host_disk_held(), count);
}

/// It gives up when its time is over, and not before.
static void expect_stop_to_give_up(void) {
    const uint64_t begun = iso__clock_now();
    assert_false(iso__writer_stop(&writer, 30));
    assert_true(iso__clock_now() - begun >= 30u * ISO__NS_PER_MS);
}

static void test_syncs_that_hang_hold_up_no_write(void **state) {
    (void)state;
    host_disk_hold(HOST_DISK_SYNC);
    start();
    hand_in_ticks(1, 5);
    // No thread for syncs is left; two recordings have none.
    wait_for_held(ISO__SYNCERS_MAX);
    hand_in_ticks(6, 10);
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_true(wait_for(i, has_ten));
        assert_int_equal(reports[i].durable_tick, 0);
        assert_false(reports[i].is_degraded);
    }
    host_disk_release();
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        assert_true(wait_for(i, is_durable));
    }
}

static void test_a_stop_gives_up_on_syncs_that_hang_and_may_be_tried_again(void **state) {
    (void)state;
    host_disk_hold(HOST_DISK_SYNC);
    start();
    hand_in_ticks(1, 10);
    wait_for_held(ISO__SYNCERS_MAX);
    expect_stop_to_give_up();
    expect_stop_to_give_up();
    assert_int_equal(host_disk_held(), ISO__SYNCERS_MAX);
    host_disk_release();
    assert_true(iso__writer_stop(&writer, PATIENCE_MS));
    for (uint32_t i = 0; i < RECORDINGS; ++i) {
        iso__recording_get_report(&recordings[i], &reports[i]);
        assert_int_equal(reports[i].written_tick, 10);
    }
}

static void test_a_write_that_hangs_holds_up_nobody_who_hands_in(void **state) {
    (void)state;
    host_disk_hold(HOST_DISK_WRITE);
    start();
    hand_in_ticks(1, 5);
    wait_for_held(1);
    uint64_t tick = 6;
    while (hand_in_tick(0, tick) == ISO_OK) {
        ++tick;
    }
    assert_in_range(tick - 6, ISO__RECORDING_WAITING_MAX - 6, ISO__RECORDING_WAITING_MAX);
    assert_int_equal(hand_in_tick(0, tick), ISO_ERR_BUFFER);
    assert_int_equal(iso__recording_seal(&recordings[1], 5, sample_root(5), false), ISO_OK);
    expect_stop_to_give_up();
    iso__recording_get_report(&recordings[1], &reports[1]);
    assert_int_equal(reports[1].written_tick, 0);
    host_disk_release();
    assert_true(iso__writer_stop(&writer, PATIENCE_MS));
    iso__recording_get_report(&recordings[0], &reports[0]);
    assert_int_equal(reports[0].written_tick, tick - 1);
    iso__recording_get_report(&recordings[1], &reports[1]);
    assert_int_equal(reports[1].written_tick, 5);
}

static void test_a_report_wakes_once_until_it_is_read(void **state) {
    (void)state;
    iso__writer_begin(&writer);
    iso__recording_report report;
    for (uint64_t tick = 0; tick <= 5; ++tick) {
        assert_int_equal(tick == 0 ? hand_in_keyframe(0, 0) : hand_in_tick(0, tick), ISO_OK);
        iso__writer_turn(&writer, false);
        iso__writer_turn(&writer, false);
    }
    assert_int_equal(atomic_load(&wakes), 1);
    iso__recording_get_report(&recordings[0], &report);
    assert_int_equal(report.written_tick, 5);
    iso__writer_turn(&writer, false);
    assert_int_equal(atomic_load(&wakes), 1); // nothing is new
    assert_int_equal(hand_in_tick(0, 6), ISO_OK);
    iso__writer_turn(&writer, false);
    iso__writer_turn(&writer, false);
    assert_int_equal(atomic_load(&wakes), 2);
}

static void test_what_waits_for_the_writer_is_bounded(void **state) {
    (void)state;
    uint64_t tick = 1;
    while (hand_in_tick(0, tick) == ISO_OK) {
        ++tick;
    }
    assert_int_equal(tick - 1, ISO__RECORDING_WAITING_MAX);
    assert_int_equal(hand_in_keyframe(0, tick - 1), ISO_ERR_BUFFER);
    assert_int_equal(hand_in_tick(1, 1), ISO_OK); // another one's places
    // The end has its own places.
    iso__recording_give_up(&recordings[0], ISO_ERR_TIMEOUT);
    iso__recording_give_up(&recordings[0], ISO_ERR_TIMEOUT);
    assert_int_equal(writer.queue.count, ISO__RECORDING_WAITING_MAX + 2);
}

static void test_a_start_that_is_given_up_writes_nothing(void **state) {
    (void)state;
    assert_int_equal(iso__writer_start(&writer, &gate), 0);
    iso__gate_set(&gate, ISO__GATE_GIVEN_UP);
    assert_true(iso__writer_stop(&writer, PATIENCE_MS));
    assert_int_equal(the_disk.creates, 0);
}

static void test_memory_that_fails_is_an_answer(void **state) {
    (void)state;
    const iso_recording_event event = {.kind = ISO_RECORDING_EVENT_NOTE};
    const iso_recording_keyframe keyframe = {.tick = 5, .raw_size = 1, .stored_size = 1};
    const iso__roster roster = {0};
    malloc_fails = true;
    assert_int_equal(hand_in_tick(0, 1), ISO_ERR_MEMORY);
    assert_int_equal(hand_in_keyframe(0, 1), ISO_ERR_MEMORY);
    assert_int_equal(iso__recording_event(&recordings[0], &event), ISO_ERR_MEMORY);
    assert_int_equal(iso__recording_restart(&recordings[0], &keyframe, (const uint8_t *)"", &roster), ISO_ERR_MEMORY);
    malloc_fails = false;
    assert_int_equal(recordings[0].waiting, 0);
    assert_int_equal(writer.queue.count, 0);
}

static void test_a_recording_that_cannot_be_made_is_not_the_writers(void **state) {
    (void)state;
    iso__recording other;
    iso__recording_config config = config_of(0);
    config.header.scene_size = ISO_RECORDING_SCENE_SIZE_MAX + 1; // more than the format has
    assert_int_equal(iso__recording_init(&other, &writer, &config), ISO_ERR_RANGE);
    iso__recording_term(&other);
    iso__memory small = {.limit = 1000};
    config = config_of(0);
    config.memory = &small;
    assert_int_equal(iso__recording_init(&other, &writer, &config), ISO_ERR_MEMORY);
    iso__recording_term(&other);
    assert_int_equal(writer.recording_count, RECORDINGS);
}

/// The recorder has no memory for another file: it is told, and tried again.
static void test_a_recording_that_cannot_be_begun_again_says_so(void **state) {
    (void)state;
    static const uint8_t stored[200];
    const iso_recording_keyframe keyframe = {.tick = 50, .root = 1, .raw_size = 5000, .stored_size = sizeof stored};
    iso__roster roster = {0};
    roster.is_there[3] = true;
    roster.events[3] =
        (iso_recording_event){.kind = ISO_RECORDING_EVENT_MEMBER, .slot = 3, .slot_generation = 1, .name = "ada"};
    iso__recording_report report;
    iso__writer_begin(&writer);
    hand_in_keyframe(0, 0);
    iso__recording_give_up(&recordings[0], ISO_ERR_IO);
    for (unsigned i = 0; i < 10; ++i) {
        iso__writer_turn(&writer, false);
        iso__writer_sync(&writer, false);
    }
    iso__recording_get_report(&recordings[0], &report);
    assert_true(report.is_degraded && report.is_idle);
    assert_int_equal(report.generation, 0);
    const size_t limit = memory.limit;
    memory.limit = 1;
    assert_int_equal(iso__recording_restart(&recordings[0], &keyframe, stored, &roster), ISO_OK);
    for (unsigned i = 0; i < 3; ++i) {
        iso__writer_turn(&writer, false);
    }
    memory.limit = limit;
    iso__recording_get_report(&recordings[0], &report);
    assert_true(report.is_degraded && report.is_idle && report.is_finished && !report.has_started);
    assert_int_equal(report.generation, 1);
    assert_int_equal(report.status, ISO_ERR_MEMORY);
    assert_int_equal(hand_in_tick(0, 51), ISO_OK); // to nobody
    iso__recording_give_up(&recordings[0], ISO_ERR_MEMORY);
    iso__writer_turn(&writer, false);
    assert_int_equal(iso__recording_restart(&recordings[0], &keyframe, stored, &roster), ISO_OK);
    for (uint64_t tick = 51; tick <= 60; ++tick) {
        assert_int_equal(hand_in_tick(0, tick), ISO_OK);
    }
    for (unsigned i = 0; i < 3; ++i) {
        iso__writer_turn(&writer, false);
    }
    iso__recording_get_report(&recordings[0], &report);
    assert_true(report.has_started && !report.is_degraded && !report.is_idle);
    assert_int_equal(report.generation, 2);
    assert_int_equal(report.written_tick, 60);
    assert_int_equal(report.file_count, 3);
    assert_non_null(strstr(report.name, "-3.3.isr.part"));
}

int main(void) {
#define WRITER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WRITER_TEST(test_recordings_of_many_sessions_are_written_and_sealed),
        WRITER_TEST(test_a_recording_joins_and_leaves_a_writer_that_runs),
        WRITER_TEST(test_syncs_that_hang_hold_up_no_write),
        WRITER_TEST(test_a_stop_gives_up_on_syncs_that_hang_and_may_be_tried_again),
        WRITER_TEST(test_a_write_that_hangs_holds_up_nobody_who_hands_in),
        WRITER_TEST(test_a_report_wakes_once_until_it_is_read),
        WRITER_TEST(test_what_waits_for_the_writer_is_bounded),
        WRITER_TEST(test_a_start_that_is_given_up_writes_nothing),
        WRITER_TEST(test_memory_that_fails_is_an_answer),
        WRITER_TEST(test_a_recording_that_cannot_be_made_is_not_the_writers),
        WRITER_TEST(test_a_recording_that_cannot_be_begun_again_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
