/// The recorder: what it promises, and that every fault of the disk leaves it kept.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder_disk.h"
#include "recording/bytes.h"

#define BUFFER_SIZE (1u << 20)
#define TICKS       50

static void test_session_becomes_a_sealed_recording(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_session(&d, TICKS);
    const iso_recorder_progress progress = disk_progress(&d);
    assert_true(progress.has_started && progress.is_finished && progress.is_sealed && !progress.is_degraded);
    assert_int_equal(progress.written_tick, TICKS);
    assert_int_equal(progress.durable_tick, TICKS);
    assert_int_equal(progress.written_size, d.size);
    assert_string_equal(d.name, "main-a0a1a2a3-3.isr");
    assert_string_equal(progress.name, d.name);
    assert_true(d.is_folder_synced && d.is_closed);
    // 50 ticks are 0.83 s: a sync every 250 ms, and one before the file is closed.
    assert_int_equal(d.syncs, 3 + 1);
    iso_recording recording;
    assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_STRICT, &recording), TICKS);
    assert_int_equal(recording.keyframe_count, 1 + 3);
    assert_int_equal(recording.event_count, 2);
    // Each of the three syncs on the way said so; the last one has nobody to tell.
    assert_int_equal(recording.mark_count, 3);
    assert_in_range(recording.durable_tick, 44, 46);
    assert_false(recording.is_degraded);
    assert_true(recording.root_tick == TICKS && recording.root == sample_root(TICKS));
    disk_end(&d);
}

static void test_short_writes_give_the_same_bytes(void **state) {
    (void)state;
    disk whole, d;
    disk_begin(&whole, BUFFER_SIZE);
    disk_session(&whole, TICKS);
    const size_t parts[] = {1, 2, 7, 100};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        disk_begin(&d, BUFFER_SIZE);
        d.append_max = parts[i];
        disk_session(&d, TICKS);
        assert_true(disk_progress(&d).is_sealed);
        assert_int_equal(d.size, whole.size);
        assert_memory_equal(d.bytes, whole.bytes, whole.size);
        disk_end(&d);
    }
    disk_end(&whole);
}

/// What must hold when all is over, whatever failed.
static void check_end(const disk *d) {
    const iso_recorder_progress progress = disk_progress(d);
    assert_true(progress.is_finished);
    assert_true(!d->is_created || d->is_closed);
    const bool has_final_name = strcmp(d->name, "main-a0a1a2a3-3.isr") == 0;
    iso_recording recording;
    if (has_final_name) {
        assert_int_equal(disk_last_tick(d, d->size, ISO_RECORDING_STRICT, &recording), progress.written_tick);
        assert_int_equal(progress.durable_tick, progress.written_tick);
        assert_true(!recording.is_degraded || progress.is_degraded);
    } else if (d->is_created) {
        assert_string_equal(d->name, "main-a0a1a2a3-3.isr.part");
        assert_true(progress.is_degraded);
        const uint64_t last_tick = disk_last_tick(d, d->size, ISO_RECORDING_TORN, &recording);
        assert_true(last_tick == progress.written_tick || (!progress.has_started && last_tick == UINT64_MAX));
    }
    assert_int_equal(progress.is_sealed, has_final_name);
}

static void check_faults(disk_fault fault, size_t append_max) {
    uint32_t degraded = 0;
    uint32_t at = 1;
    for (;; ++at) {
        disk d;
        disk_begin(&d, BUFFER_SIZE);
        d.fault = fault;
        d.fault_at = at;
        d.append_max = append_max;
        disk_session(&d, TICKS);
        const bool reached = d.action_count >= at;
        const iso_recorder_progress progress = disk_progress(&d);
        assert_int_equal(progress.is_degraded, reached);
        assert_int_equal(progress.status, reached ? ISO_ERR_IO : ISO_OK);
        check_end(&d);
        degraded += progress.is_degraded;
        disk_end(&d);
        if (!reached) {
            break;
        }
    }
    // Every action of the session was made to fail once.
    assert_int_equal(degraded, at - 1);
    assert_true(at > TICKS);
}

static void test_any_failing_action_leaves_a_whole_recording(void **state) {
    (void)state;
    check_faults(FAULT_FAIL, 0);
    check_faults(FAULT_FAIL, 50);
}

static void test_any_append_that_breaks_off_leaves_a_whole_recording(void **state) {
    (void)state;
    check_faults(FAULT_PART, 0);
    check_faults(FAULT_PART, 33);
}

/// A full disk also refuses the file's end, so the file stays without one.
static void test_full_disk_leaves_every_written_tick(void **state) {
    (void)state;
    bool degraded = true;
    uint32_t at = 0;
    while (degraded) {
        disk d;
        disk_begin(&d, BUFFER_SIZE);
        d.fault = FAULT_FULL;
        d.fault_at = ++at;
        disk_session(&d, TICKS);
        const iso_recorder_progress progress = disk_progress(&d);
        degraded = progress.is_degraded;
        assert_int_equal(progress.is_sealed, !degraded);
        check_end(&d);
        if (progress.has_started && degraded) {
            iso_recording recording;
            assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_TORN, &recording), progress.written_tick);
            assert_int_equal(recording.size, d.size); // no torn end either
        }
        disk_end(&d);
    }
    assert_true(at > TICKS);
}

static void test_failed_write_seals_at_the_last_whole_tick(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    d.fault = FAULT_PART;
    d.fault_at = 30;
    disk_session(&d, TICKS);
    const iso_recorder_progress progress = disk_progress(&d);
    assert_true(progress.is_degraded && progress.is_sealed);
    assert_in_range(progress.written_tick, 20, 28);
    iso_recording recording;
    assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_STRICT, &recording), progress.written_tick);
    assert_true(recording.is_degraded);
    assert_int_equal(recording.root_tick, progress.written_tick);
    assert_true(recording.root == sample_root(progress.written_tick));
    disk_end(&d);
}

static void test_failed_sync_is_the_last_one_and_keeps_the_part_name(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    disk_run(&d);
    d.now_ns += ISO_RECORDER_SYNC_INTERVAL_NS;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    d.fault_at = d.action_count + 1;
    d.fault = FAULT_FAIL;
    disk_run(&d);
    assert_true(d.has_sync_failed);
    assert_int_equal(d.syncs, 1);
    // The session goes on and does not notice.
    for (uint64_t tick = 1; tick < 100; ++tick) {
        d.now_ns += ISO_RECORDER_SYNC_INTERVAL_NS;
        assert_int_equal(disk_tick(&d, tick), ISO_OK);
        disk_run(&d);
    }
    disk_seal(&d, 0);
    disk_run(&d);
    assert_int_equal(d.syncs, 1);
    assert_int_equal(d.renames, 0);
    check_end(&d);
    iso_recording recording;
    assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_TORN, &recording), 0);
    assert_true(recording.is_degraded);
    disk_end(&d);
}

static void test_tick_is_durable_only_by_a_sync_that_began_after_it_was_written(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    d.holds_syncs = true;
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    assert_int_equal(disk_progress(&d).written_tick, 0);
    disk_run(&d);
    assert_int_equal(disk_progress(&d).written_tick, 1);
    assert_int_equal(iso_recorder_next_deadline(d.recorder), ISO_RECORDER_SYNC_INTERVAL_NS);
    d.now_ns = ISO_RECORDER_SYNC_INTERVAL_NS - 1;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    disk_run(&d);
    assert_false(d.sync_is_out);
    ++d.now_ns;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    disk_run(&d);
    assert_true(d.sync_is_out);
    // Ticks are written while the sync is out.
    assert_int_equal(disk_tick(&d, 2), ISO_OK);
    disk_run(&d);
    assert_int_equal(disk_progress(&d).written_tick, 2);
    assert_int_equal(disk_progress(&d).durable_tick, 0);
    assert_true(iso_recorder_next_deadline(d.recorder) == UINT64_MAX);
    disk_finish_sync(&d, ISO_OK);
    assert_int_equal(disk_progress(&d).durable_tick, 1);
    disk_seal(&d, 2);
    disk_run(&d);
    assert_true(d.sync_is_out && !d.is_closed);
    disk_finish_sync(&d, ISO_OK);
    disk_run(&d);
    assert_int_equal(disk_progress(&d).durable_tick, 2);
    assert_true(disk_progress(&d).is_sealed);
    disk_end(&d);
}

static void test_sync_that_fails_while_an_append_is_out_waits_for_it(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    d.holds_syncs = true;
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    disk_run(&d);
    d.now_ns = ISO_RECORDER_SYNC_INTERVAL_NS;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    disk_run(&d);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    iso_recorder_action append, none;
    assert_true(iso_recorder_next_action(d.recorder, &append));
    assert_int_equal(append.kind, ISO_RECORDER_APPEND);
    disk_finish_sync(&d, ISO_ERR_IO);
    assert_false(iso_recorder_next_action(d.recorder, &none));
    // However much time passes, the file is not synced again.
    d.holds_syncs = false;
    d.now_ns += 10 * ISO_RECORDER_SYNC_INTERVAL_NS;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    // The tick that is being written counts when it is.
    disk_append(&d, &append, FAULT_NONE);
    disk_run(&d);
    assert_int_equal(disk_progress(&d).written_tick, 1);
    assert_int_equal(disk_progress(&d).durable_tick, 0);
    assert_int_equal(d.syncs, 1);
    check_end(&d);
    disk_end(&d);
}

static void test_time_that_passes_while_the_end_is_written_brings_no_second_sync(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    d.holds_syncs = true;
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    disk_run(&d);
    d.now_ns = ISO_RECORDER_SYNC_INTERVAL_NS;
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
    disk_run(&d);
    disk_finish_sync(&d, ISO_ERR_IO);
    iso_recorder_action action;
    assert_true(iso_recorder_next_action(d.recorder, &action));
    assert_int_equal(action.kind, ISO_RECORDER_APPEND);
    d.now_ns += 10 * ISO_RECORDER_SYNC_INTERVAL_NS;
    disk_append(&d, &action, FAULT_NONE);
    disk_run(&d);
    assert_int_equal(d.syncs, 1);
    check_end(&d);
    disk_end(&d);
}

static void test_write_that_takes_nothing_is_an_error(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    disk_run(&d);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    iso_recorder_action action;
    assert_true(iso_recorder_next_action(d.recorder, &action));
    disk_hand_in(&d, (iso_recorder_event){.action = ISO_RECORDER_APPEND, .size = 0}, ISO_OK);
    assert_true(disk_progress(&d).is_degraded);
    disk_run(&d);
    check_end(&d);
    disk_end(&d);
}

static void test_last_root_comes_with_the_seal(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    const iso_recording_tick tick = {.input = {.tick = 1}};
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TICK, .tick = &tick}, ISO_OK);
    disk_seal(&d, 1);
    disk_run(&d);
    iso_recording recording;
    assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_STRICT, &recording), 1);
    assert_true(recording.has_root && recording.root_tick == 1 && recording.root == sample_root(1));
    disk_end(&d);
}

static void test_buffer_that_never_empties_does_not_run_out(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, 1u << 16);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_OK);
    disk_run(&d);
    uint64_t tick = 1;
    assert_int_equal(disk_tick(&d, tick), ISO_OK);
    iso_recorder_action append;
    while (tick < 10000) {
        assert_true(iso_recorder_next_action(d.recorder, &append));
        assert_int_equal(append.kind, ISO_RECORDER_APPEND);
        assert_int_equal(disk_tick(&d, ++tick), ISO_OK);
        disk_append(&d, &append, FAULT_NONE);
    }
    disk_seal(&d, tick);
    disk_run(&d);
    assert_false(disk_progress(&d).is_degraded);
    check_end(&d);
    disk_end(&d);
}

static void test_nothing_is_synced_that_was_not_written(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 300), ISO_OK);
    disk_run(&d);
    for (int i = 0; i < 10; ++i) {
        d.now_ns += ISO_RECORDER_SYNC_INTERVAL_NS;
        disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_TIME}, ISO_OK);
        disk_run(&d);
    }
    assert_int_equal(d.syncs, 1);
    disk_end(&d);
}

static void test_events_out_of_order_change_nothing(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    assert_int_equal(disk_tick(&d, 1), ISO_ERR_STATE);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_ERR_STATE);
    disk_open(&d);
    const iso_recording_header header = sample_header();
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &header}, ISO_ERR_STATE);
    assert_int_equal(disk_tick(&d, 1), ISO_ERR_STATE);
    assert_int_equal(disk_keyframe(&d, 1, 10), ISO_ERR_STATE);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_OK);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_ERR_STATE);
    assert_int_equal(disk_tick(&d, 2), ISO_ERR_STATE);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    assert_int_equal(disk_tick(&d, 1), ISO_ERR_STATE);
    for (uint8_t action = 0; action < 10; ++action) {
        disk_hand_in(&d, (iso_recorder_event){.action = action}, ISO_ERR_STATE);
    }
    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_SEAL, .has_root = true, .root_tick = 2}, ISO_ERR_STATE);
    // Only what is out can be done, and no more of it than was asked for.
    iso_recorder_action out;
    assert_true(iso_recorder_next_action(d.recorder, &out));
    assert_int_equal(out.kind, ISO_RECORDER_CREATE_FILE);
    disk_hand_in(&d, (iso_recorder_event){.action = ISO_RECORDER_APPEND, .size = 1}, ISO_ERR_STATE);
    disk_apply(&d, &out, true);
    disk_hand_in(&d, (iso_recorder_event){.action = ISO_RECORDER_CREATE_FILE}, ISO_OK);
    assert_true(iso_recorder_next_action(d.recorder, &out));
    assert_int_equal(out.kind, ISO_RECORDER_APPEND);
    for (uint8_t action = 0; action < 10; ++action) {
        const size_t size = action == ISO_RECORDER_APPEND ? out.size + 1 : out.size;
        disk_hand_in(&d, (iso_recorder_event){.action = action, .size = size}, ISO_ERR_STATE);
    }
    disk_append(&d, &out, FAULT_NONE);
    disk_run(&d);
    disk_seal(&d, 1);
    assert_int_equal(disk_tick(&d, 2), ISO_ERR_STATE);
    disk_run(&d);
    check_end(&d);
    assert_true(disk_progress(&d).is_sealed);
    disk_end(&d);
}

static void test_keyframe_that_comes_too_late_is_left_out(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_OK);
    for (uint64_t tick = 1; tick <= 1 + ISO_RECORDING_KEYFRAME_LAG_MAX; ++tick) {
        assert_int_equal(disk_tick(&d, tick), ISO_OK);
        disk_run(&d);
    }
    assert_int_equal(disk_keyframe(&d, 1, 10), ISO_OK);
    assert_int_equal(disk_tick(&d, 2 + ISO_RECORDING_KEYFRAME_LAG_MAX), ISO_OK);
    assert_int_equal(disk_tick(&d, 3 + ISO_RECORDING_KEYFRAME_LAG_MAX), ISO_OK);
    assert_int_equal(disk_keyframe(&d, 2, 10), ISO_ERR_BUFFER);
    assert_int_equal(disk_progress(&d).skipped_keyframes, 1);
    disk_seal(&d, 3 + ISO_RECORDING_KEYFRAME_LAG_MAX);
    disk_run(&d);
    check_end(&d);
    assert_false(disk_progress(&d).is_degraded);
    disk_end(&d);
}

static void test_full_buffer_leaves_out_keyframes_but_ends_at_ticks(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, 1u << 16);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_OK);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    assert_int_equal(disk_keyframe(&d, 1, 1u << 16), ISO_ERR_BUFFER);
    assert_false(disk_progress(&d).is_degraded);
    disk_run(&d);
    // The disk does not answer any more.
    iso_recorder_action append;
    uint64_t tick = 2;
    assert_int_equal(disk_tick(&d, tick), ISO_OK);
    assert_true(iso_recorder_next_action(d.recorder, &append));
    while (!disk_progress(&d).is_degraded) {
        assert_int_equal(disk_tick(&d, ++tick), ISO_OK);
        assert_true(tick < 1000);
    }
    assert_int_equal(disk_progress(&d).status, ISO_ERR_BUFFER);
    disk_append(&d, &append, FAULT_NONE);
    disk_run(&d);
    check_end(&d);
    assert_int_equal(disk_progress(&d).written_tick, 2);
    assert_true(disk_progress(&d).is_sealed);
    disk_end(&d);
}

static void test_seal_before_the_first_keyframe_leaves_no_recording(void **state) {
    (void)state;
    for (int created = 0; created < 2; ++created) {
        disk d;
        disk_begin(&d, BUFFER_SIZE);
        disk_open(&d);
        if (created) {
            disk_run(&d);
        }
        disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_SEAL}, ISO_OK);
        disk_run(&d);
        check_end(&d);
        assert_int_equal(d.renames, 0);
        disk_end(&d);
    }
}

static void test_index_of_a_long_recording_stays_bounded(void **state) {
    (void)state;
    enum { LONG = 2 * ISO_RECORDING_INDEX_MAX + 100 };
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 10), ISO_OK);
    iso_recorder_action action;
    for (uint64_t tick = 1; tick <= LONG; ++tick) {
        assert_int_equal(disk_tick(&d, tick), ISO_OK);
        assert_int_equal(disk_keyframe(&d, tick, 10), ISO_OK);
        while (iso_recorder_next_action(d.recorder, &action)) {
            if (action.kind == ISO_RECORDER_APPEND) {
                disk_append(&d, &action, FAULT_NONE);
            } else {
                disk_apply(&d, &action, true);
                disk_hand_in(&d, (iso_recorder_event){.action = action.kind}, ISO_OK);
            }
        }
    }
    disk_seal(&d, LONG);
    disk_run(&d);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, d.bytes, d.size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(recording.keyframe_count, LONG + 1);
    for (uint64_t tick = 0; tick <= LONG; tick += 997) {
        iso_recording_keyframe keyframe;
        iso_recording_find_keyframe(&recording, tick, &keyframe);
        assert_int_equal(keyframe.tick, tick);
    }
    // It has been thinned out twice, evenly.
    uint64_t offset = recording.footer_offset;
    iso_recording_frame frame;
    iso_recording_footer footer;
    iso__recording_reader entries;
    const iso_recording head = {
        .bytes = d.bytes, .version = ISO_RECORDING_VERSION, .size = d.size, .frames_end = d.size};
    assert_true(iso_recording_next(&head, &offset, &frame));
    assert_true(iso__recording_read_footer(&frame, &footer, &entries));
    assert_int_equal(footer.entry_count, LONG / 4 + 1);
    iso_recording_index_entry entry = {0};
    for (uint32_t i = 0; i < footer.entry_count; ++i) {
        iso__recording_read_entry(&entries, &entry);
        assert_int_equal(entry.tick, 4 * i);
    }
    disk_end(&d);
}

/// A disk that does not answer: the ticks that it has not taken are given up, and what it has is sealed when it
/// answers after all.
static void test_a_hanging_disk_can_be_given_up(void **state) {
    (void)state;
    disk d;
    disk_begin(&d, BUFFER_SIZE);
    disk_open(&d);
    assert_int_equal(disk_keyframe(&d, 0, 200), ISO_OK);
    disk_run(&d);
    assert_int_equal(disk_tick(&d, 1), ISO_OK);
    iso_recorder_action hanging;
    assert_true(iso_recorder_next_action(d.recorder, &hanging));
    assert_int_equal(hanging.kind, ISO_RECORDER_APPEND);
    assert_int_equal(disk_tick(&d, 2), ISO_OK);

    disk_hand_in(&d, (iso_recorder_event){.kind = ISO_RECORDER_GIVE_UP, .status = ISO_ERR_TIMEOUT}, ISO_OK);
    assert_true(disk_progress(&d).is_degraded && !disk_progress(&d).is_finished);
    assert_int_equal(disk_progress(&d).status, ISO_ERR_TIMEOUT);
    assert_int_equal(disk_tick(&d, 3), ISO_OK);
    iso_recorder_action action;
    assert_false(iso_recorder_next_action(d.recorder, &action));

    disk_append(&d, &hanging, FAULT_NONE);
    disk_run(&d);
    assert_true(disk_progress(&d).is_sealed);
    iso_recording recording;
    assert_int_equal(disk_last_tick(&d, d.size, ISO_RECORDING_STRICT, &recording), 1);
    assert_true(recording.is_degraded);
    disk_end(&d);
}

static void test_file_name_holds_session_uid_and_epoch(void **state) {
    (void)state;
    iso_recording_header header = sample_header();
    char name[ISO_RECORDER_NAME_SIZE];
    memset(header.session, 'x', ISO_RECORDING_TEXT_MAX);
    header.uid[0] = 0x0F;
    header.epoch = UINT32_MAX;
    iso_recorder_make_name(&header, 0, true, name);
    assert_int_equal(strlen(name), ISO_RECORDING_TEXT_MAX + strlen("-0fa1a2a3-4294967295.isr.part"));
    assert_string_equal(name + ISO_RECORDING_TEXT_MAX, "-0fa1a2a3-4294967295.isr.part");
    header.epoch = 0;
    iso_recorder_make_name(&header, 1, false, name);
    assert_string_equal(name + ISO_RECORDING_TEXT_MAX, "-0fa1a2a3-0.isr");
    iso_recorder_make_name(&header, 2, false, name);
    assert_string_equal(name + ISO_RECORDING_TEXT_MAX, "-0fa1a2a3-0.2.isr");
    header.epoch = UINT32_MAX;
    iso_recorder_make_name(&header, UINT32_MAX, true, name);
    assert_string_equal(name + ISO_RECORDING_TEXT_MAX, "-0fa1a2a3-4294967295.4294967295.isr.part");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_becomes_a_sealed_recording),
        cmocka_unit_test(test_short_writes_give_the_same_bytes),
        cmocka_unit_test(test_any_failing_action_leaves_a_whole_recording),
        cmocka_unit_test(test_any_append_that_breaks_off_leaves_a_whole_recording),
        cmocka_unit_test(test_full_disk_leaves_every_written_tick),
        cmocka_unit_test(test_failed_write_seals_at_the_last_whole_tick),
        cmocka_unit_test(test_failed_sync_is_the_last_one_and_keeps_the_part_name),
        cmocka_unit_test(test_tick_is_durable_only_by_a_sync_that_began_after_it_was_written),
        cmocka_unit_test(test_sync_that_fails_while_an_append_is_out_waits_for_it),
        cmocka_unit_test(test_time_that_passes_while_the_end_is_written_brings_no_second_sync),
        cmocka_unit_test(test_write_that_takes_nothing_is_an_error),
        cmocka_unit_test(test_last_root_comes_with_the_seal),
        cmocka_unit_test(test_buffer_that_never_empties_does_not_run_out),
        cmocka_unit_test(test_nothing_is_synced_that_was_not_written),
        cmocka_unit_test(test_events_out_of_order_change_nothing),
        cmocka_unit_test(test_keyframe_that_comes_too_late_is_left_out),
        cmocka_unit_test(test_full_buffer_leaves_out_keyframes_but_ends_at_ticks),
        cmocka_unit_test(test_seal_before_the_first_keyframe_leaves_no_recording),
        cmocka_unit_test(test_index_of_a_long_recording_stays_bounded),
        cmocka_unit_test(test_a_hanging_disk_can_be_given_up),
        cmocka_unit_test(test_file_name_holds_session_uid_and_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
