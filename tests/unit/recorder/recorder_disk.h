/// A disk for the recorder's tests: files in memory that fail on purpose, and the rules that must hold at every action.
#ifndef ISO_TESTS_RECORDER_DISK_H
#define ISO_TESTS_RECORDER_DISK_H

#include "recorder.h"
#include "recorder_name.h"
#include "unit/proto/recording/recording_sample.h"

#include "isostep/heap.h"

typedef enum disk_fault {
    FAULT_NONE,
    FAULT_FAIL, // the action fails, nothing is done
    FAULT_PART, // an append writes a part and fails, as on a full disk; other actions fail
    FAULT_FULL, // from then on every append writes a part and fails
} disk_fault;

typedef struct disk {
    iso_recorder *recorder;
    uint64_t now_ns;

    uint8_t *bytes;
    uint64_t size;
    uint64_t synced_size;
    bool is_created, is_closed, is_folder_synced, has_sync_failed;
    char name[ISO_RECORDER_NAME_SIZE];
    uint32_t creates, appends, syncs, truncates, closes, renames, folder_syncs;

    uint32_t action_count;
    uint32_t fault_at; // this action, counted from 1, fails
    disk_fault fault;
    bool is_full;
    size_t append_max; // an append takes at most so many bytes; 0: all
    bool holds_syncs;  // a SYNC stays out until disk_finish_sync
    bool sync_is_out;
    uint64_t sync_out_size;
} disk;

static inline iso_recorder_progress disk_progress(const disk *d) {
    iso_recorder_progress progress;
    iso_recorder_get_progress(d->recorder, &progress);
    return progress;
}

/// What a recording of these bytes holds: its last tick, or UINT64_MAX when it does not open.
static inline uint64_t disk_last_tick(const disk *d, uint64_t size, iso_recording_mode mode, iso_recording *recording) {
    iso_recording_error error;
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, d->bytes, size);
    const iso_status status = iso_recording_open(recording, copy, size, mode, &error);
    free(copy);
    return status == ISO_OK ? recording->last_tick : UINT64_MAX;
}

/// A killed process loses no written tick, a power cut no durable one.
static inline void disk_check_promises(const disk *d) {
    const iso_recorder_progress progress = disk_progress(d);
    iso_recording recording;
    if (progress.has_started) {
        const uint64_t written = disk_last_tick(d, d->size, ISO_RECORDING_TORN, &recording);
        assert_true(written != UINT64_MAX && written >= progress.written_tick);
    }
    if (progress.durable_tick > 0) {
        const uint64_t durable = disk_last_tick(d, d->synced_size, ISO_RECORDING_TORN, &recording);
        assert_true(durable != UINT64_MAX && durable >= progress.durable_tick);
    }
    assert_true(progress.durable_tick <= progress.written_tick);
}

static inline void disk_hand_in(disk *d, iso_recorder_event event, iso_status expected) {
    event.kind = event.kind != 0 ? event.kind : ISO_RECORDER_DONE;
    assert_int_equal(iso_recorder_handle(d->recorder, d->now_ns, &event), expected);
}

static inline disk_fault disk_next_fault(disk *d, uint8_t kind) {
    ++d->action_count;
    if (d->fault == FAULT_FULL && d->action_count >= d->fault_at) {
        d->is_full = true;
    }
    if (d->is_full) {
        return kind == ISO_RECORDER_APPEND || kind == ISO_RECORDER_CREATE_FILE ? FAULT_PART : FAULT_NONE;
    }
    return d->action_count == d->fault_at ? d->fault : FAULT_NONE;
}

static inline void disk_finish_sync(disk *d, iso_status status) {
    assert_true(d->sync_is_out);
    d->sync_is_out = false;
    if (status == ISO_OK) {
        d->synced_size = d->sync_out_size;
    } else {
        d->has_sync_failed = true;
    }
    disk_hand_in(d, (iso_recorder_event){.action = ISO_RECORDER_SYNC, .status = status}, ISO_OK);
}

static inline void disk_append(disk *d, const iso_recorder_action *action, disk_fault fault) {
    assert_true(d->is_created && !d->is_closed);
    assert_true(action->offset == d->size && action->size > 0);
    size_t size = d->append_max != 0 && action->size > d->append_max ? d->append_max : action->size;
    size = fault == FAULT_PART ? size / 2 : fault == FAULT_FAIL ? 0 : size;
    memcpy(d->bytes + d->size, action->bytes, size);
    d->size += size;
    ++d->appends;
    const iso_status status = fault != FAULT_NONE ? ISO_ERR_IO : ISO_OK;
    disk_hand_in(d, (iso_recorder_event){.action = ISO_RECORDER_APPEND, .status = status, .size = size}, ISO_OK);
}

/// Does one action that is no APPEND, if it does not fail.
static inline void disk_apply(disk *d, const iso_recorder_action *action, bool ok) {
    switch (action->kind) {
    case ISO_RECORDER_CREATE_FILE:
        assert_false(d->is_created);
        ++d->creates;
        d->is_created = ok;
        strcpy(d->name, ok ? action->name : "");
        break;
    case ISO_RECORDER_TRUNCATE:
        assert_true(d->is_created && !d->is_closed && !d->sync_is_out && action->offset <= d->size);
        ++d->truncates;
        d->size = ok ? action->offset : d->size;
        d->synced_size = d->synced_size < d->size ? d->synced_size : d->size;
        break;
    case ISO_RECORDER_CLOSE:
        assert_true(d->is_created && !d->is_closed && !d->sync_is_out);
        ++d->closes;
        d->is_closed = true;
        break;
    case ISO_RECORDER_RENAME:
        // Only what is whole and on the disk gets the final name.
        assert_true(d->is_closed && d->synced_size == d->size && !d->has_sync_failed);
        assert_string_equal(action->name, d->name);
        ++d->renames;
        if (ok) {
            strcpy(d->name, action->new_name);
        }
        break;
    default:
        assert_int_equal(action->kind, ISO_RECORDER_SYNC_FOLDER);
        assert_int_equal(d->renames, 1);
        ++d->folder_syncs;
        d->is_folder_synced = ok;
        break;
    }
}

/// Carries out all actions that wait.
static inline void disk_run(disk *d) {
    iso_recorder_action action;
    while (iso_recorder_next_action(d->recorder, &action)) {
        const disk_fault fault = disk_next_fault(d, action.kind);
        const iso_status status = fault == FAULT_NONE ? ISO_OK : ISO_ERR_IO;
        if (action.kind == ISO_RECORDER_APPEND) {
            disk_append(d, &action, fault);
        } else if (action.kind == ISO_RECORDER_SYNC) {
            assert_true(d->is_created && !d->is_closed && !d->sync_is_out);
            assert_false(d->has_sync_failed); // never a second fsync
            ++d->syncs;
            d->sync_is_out = true;
            d->sync_out_size = d->size;
            if (!d->holds_syncs) {
                disk_finish_sync(d, status);
            }
        } else {
            disk_apply(d, &action, fault == FAULT_NONE);
            disk_hand_in(d, (iso_recorder_event){.action = action.kind, .status = status}, ISO_OK);
        }
        disk_check_promises(d);
    }
}

static inline void disk_begin(disk *d, size_t buffer_size) {
    memset(d, 0, sizeof *d);
    d->bytes = malloc(SAMPLE_CAPACITY);
    const iso_recorder_config config = {.allocator = iso_heap_allocator(), .buffer_size = buffer_size};
    assert_int_equal(iso_recorder_create(&config, &d->recorder), ISO_OK);
}

static inline void disk_end(disk *d) {
    iso_recorder_destroy(d->recorder);
    free(d->bytes);
}

// ---- What a session does --------------------------------------------------------------------------

static inline void disk_open(disk *d) {
    const iso_recording_header header = sample_header();
    disk_hand_in(d, (iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &header}, ISO_OK);
}

static inline iso_status disk_keyframe(disk *d, uint64_t tick, size_t stored_size) {
    uint8_t *stored = malloc(stored_size);
    for (size_t i = 0; i < stored_size; ++i) {
        stored[i] = sample_state_byte(tick, i);
    }
    const iso_recording_keyframe keyframe = {
        .tick = tick, .root = sample_root(tick), .raw_size = 5000, .stored_size = (uint32_t)stored_size};
    const iso_recorder_event event = {.kind = ISO_RECORDER_KEYFRAME, .keyframe = &keyframe, .stored = stored};
    const iso_status status = iso_recorder_handle(d->recorder, d->now_ns, &event);
    free(stored);
    return status;
}

static inline iso_status disk_tick(disk *d, uint64_t number) {
    static iso_sealed_command command;
    memset(&command, 0, sizeof command);
    command.sequence = number;
    command.command.kind = ISO_COMMAND_SET_CONTROL;
    command.command.as.set_control.size = (uint8_t)(number % 8);
    const iso_recording_tick tick = {
        .input = {.tick = number, .commands = &command, .command_count = number % 3 == 0},
        .has_root = true,
        .hashed_tick = number,
        .root = sample_root(number),
    };
    return iso_recorder_handle(d->recorder, d->now_ns, &(iso_recorder_event){.kind = ISO_RECORDER_TICK, .tick = &tick});
}

static inline void disk_note(disk *d, uint64_t tick) {
    const iso_recording_event note = sample_event_value(tick);
    disk_hand_in(d, (iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = &note}, ISO_OK);
}

static inline void disk_seal(disk *d, uint64_t last_tick) {
    disk_hand_in(
        d,
        (iso_recorder_event){
            .kind = ISO_RECORDER_SEAL, .has_root = true, .root_tick = last_tick, .root = sample_root(last_tick)},
        ISO_OK);
}

/// A session of so many ticks at 60 Hz, with keyframes, one of them late, and notes, sealed at its end.
static inline void disk_session(disk *d, uint64_t ticks) {
    disk_open(d);
    disk_run(d);
    assert_int_equal(disk_keyframe(d, 0, 300), ISO_OK);
    disk_run(d);
    for (uint64_t tick = 1; tick <= ticks; ++tick) {
        d->now_ns = tick * 1000000000 / 60;
        if (tick % 17 == 0) {
            disk_note(d, tick - 1);
        }
        assert_int_equal(disk_tick(d, tick), ISO_OK);
        if (tick % 20 == 4) {
            assert_int_equal(disk_keyframe(d, tick - tick % 4, 400), ISO_OK);
        }
        disk_run(d);
    }
    disk_seal(d, ticks);
    disk_run(d);
}

#endif
