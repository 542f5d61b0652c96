/// The recorder over a disk that may do anything: take a part, fail, answer a sync late, fail it, lose power and keep
/// any of the pages that were not synced, while ticks, keyframes, notes and ends come in any order.
///
/// Held against it: each action fits the state of the file; a killed process loses no tick that was told to be written,
/// a power cut none that was told to be durable; what is left is never taken for corrupt; and what was sealed opens
/// strictly.
///
/// Each step is u8 what (low nibble), u8 argument.
#include "fuzz_input.h"

#include "../unit/proto/recording/recording_sample.h"
#include "recorder.h"

#define SIZE_MAX_FILE (256u << 10)
#define PAGE_SIZE     256u // small ones, so that a short recording has many
#define START_NS      UINT64_C(1000000007)
#define STEPS_MAX     400u

typedef enum step_kind {
    STEP_TICK, // argument: how many, and how much members say
    STEP_KEYFRAME,
    STEP_NOTE,
    STEP_SEAL,
    STEP_GIVE_UP,
    STEP_TIME,       // argument: 5 ms each
    STEP_ACT,        // argument: how many actions are carried out
    STEP_SHORT,      // the next append takes a part only
    STEP_FAIL,       // the next action fails
    STEP_SYNC_DONE,  // argument odd: it failed
    STEP_KILL,       // what is there must open; the recorder goes on
    STEP_POWER_CUT,  // argument: which pages are kept
    STEP_WRONG_DONE, // the answer to something that was not asked
} step_kind;

typedef struct fuzz {
    fuzz_input input;
    uint64_t now_ns;
    iso_recorder *recorder;
    uint64_t tick;  // the last that was handed in
    bool has_ended; // sealed or given up
    uint8_t *file;
    uint64_t file_size, synced_size, syncing_size;
    bool is_created, is_closed, is_renamed, is_syncing, has_sync_failed, takes_part, fails;
    uint64_t allocated;
} fuzz;

static iso_recorder_progress progress_of(const fuzz *f) {
    iso_recorder_progress progress;
    iso_recorder_get_progress(f->recorder, &progress);
    return progress;
}

static iso_status hand_in(fuzz *f, iso_recorder_event event) {
    return iso_recorder_handle(f->recorder, f->now_ns, &event);
}

// ---- what the disk has ----------------------------------------------------------------------------

/// Opens bytes as a server does that starts. @return the last tick; UINT64_MAX: it had not begun
static uint64_t reopen(const uint8_t *bytes, uint64_t size, iso_recording_mode mode) {
    iso_recording recording;
    iso_recording_error error;
    const iso_status status = iso_recording_open(&recording, bytes, size, mode, &error);
    if (status == ISO_OK) {
        return recording.last_tick;
    }
    FUZZ_CHECK(status == ISO_ERR_TRUNCATED && mode == ISO_RECORDING_TORN);
    return UINT64_MAX;
}

static void check_kill(const fuzz *f) {
    const iso_recorder_progress progress = progress_of(f);
    if (!f->is_created || f->is_renamed) {
        return;
    }
    const uint64_t last = reopen(f->file, f->file_size, ISO_RECORDING_TORN);
    FUZZ_CHECK(!progress.has_started || (last != UINT64_MAX && last >= progress.written_tick));
    FUZZ_CHECK(progress.durable_tick <= progress.written_tick);
}

/// Of each page behind the synced end the argument says whether it is as it is now or was never written.
static void check_power_cut(const fuzz *f, uint8_t argument) {
    const iso_recorder_progress progress = progress_of(f);
    if (!f->is_created || f->is_renamed) {
        return;
    }
    uint8_t *image = malloc(f->file_size + 1);
    FUZZ_CHECK(image != NULL);
    memcpy(image, f->file, f->file_size);
    uint32_t state = argument * 2654435761u + 1u;
    for (uint64_t at = f->synced_size; at < f->file_size; at = (at / PAGE_SIZE + 1) * PAGE_SIZE) {
        const uint64_t end =
            (at / PAGE_SIZE + 1) * PAGE_SIZE < f->file_size ? (at / PAGE_SIZE + 1) * PAGE_SIZE : f->file_size;
        state = state * 1664525u + 1013904223u;
        if (state >> 31) {
            memset(image + at, 0, end - at);
        }
    }
    const uint64_t last = reopen(image, f->file_size, ISO_RECORDING_TORN);
    FUZZ_CHECK(!progress.is_settled || (last != UINT64_MAX && last >= progress.durable_tick));
    free(image);
}

// ---- the disk -------------------------------------------------------------------------------------

static void answer(fuzz *f, uint8_t action, iso_status status, size_t size) {
    FUZZ_CHECK(hand_in(f, (iso_recorder_event){
                              .kind = ISO_RECORDER_DONE, .action = action, .status = status, .size = size}) == ISO_OK);
}

static void append(fuzz *f, const iso_recorder_action *action, bool fails) {
    FUZZ_CHECK(f->is_created && !f->is_closed && action->offset == f->file_size && action->size > 0);
    size_t size = f->takes_part ? action->size / 2 : action->size;
    if (f->file_size + size > SIZE_MAX_FILE) {
        size = SIZE_MAX_FILE - f->file_size;
        fails = true;
    }
    f->takes_part = false;
    memcpy(f->file + f->file_size, action->bytes, size);
    f->file_size += size;
    answer(f, ISO_RECORDER_APPEND, fails || size == 0 ? ISO_ERR_IO : ISO_OK, size);
}

static void finish_sync(fuzz *f, bool fails) {
    if (!f->is_syncing) {
        return;
    }
    f->is_syncing = false;
    f->has_sync_failed = f->has_sync_failed || fails;
    if (!fails) {
        f->synced_size = f->syncing_size < f->file_size ? f->syncing_size : f->file_size;
    }
    answer(f, ISO_RECORDER_SYNC, fails ? ISO_ERR_IO : ISO_OK, 0);
}

static void seal_check(const fuzz *f) {
    // Only what is whole and on the disk gets the final name.
    FUZZ_CHECK(f->is_closed && f->synced_size == f->file_size && !f->has_sync_failed);
    FUZZ_CHECK(reopen(f->file, f->file_size, ISO_RECORDING_STRICT) == progress_of(f).written_tick);
}

static void act(fuzz *f) {
    iso_recorder_action action;
    if (!iso_recorder_next_action(f->recorder, &action)) {
        return;
    }
    const bool fails = f->fails;
    f->fails = false;
    switch ((iso_recorder_action_kind)action.kind) {
    case ISO_RECORDER_APPEND:
        append(f, &action, fails);
        return;
    case ISO_RECORDER_SYNC:
        FUZZ_CHECK(f->is_created && !f->is_closed && !f->is_syncing && !f->has_sync_failed);
        f->is_syncing = true;
        f->syncing_size = f->file_size;
        return;
    case ISO_RECORDER_CREATE_FILE:
        FUZZ_CHECK(!f->is_created);
        f->is_created = !fails;
        break;
    case ISO_RECORDER_TRUNCATE:
        FUZZ_CHECK(f->is_created && !f->is_closed && !f->is_syncing && action.offset <= f->file_size);
        f->file_size = fails ? f->file_size : action.offset;
        f->synced_size = f->synced_size < f->file_size ? f->synced_size : f->file_size;
        break;
    case ISO_RECORDER_CLOSE:
        FUZZ_CHECK(f->is_created && !f->is_closed && !f->is_syncing);
        f->is_closed = true;
        break;
    case ISO_RECORDER_RENAME:
        seal_check(f);
        f->is_renamed = !fails;
        break;
    case ISO_RECORDER_SYNC_FOLDER:
        break;
    }
    answer(f, action.kind, fails ? ISO_ERR_IO : ISO_OK, 0);
}

// ---- the session ----------------------------------------------------------------------------------

static void keyframe(fuzz *f) {
    uint8_t raw[200], stored[400];
    for (size_t i = 0; i < sizeof raw; ++i) {
        raw[i] = sample_state_byte(f->tick, i);
    }
    const size_t size = iso_compress(raw, sizeof raw, stored, sizeof stored);
    const iso_recording_keyframe frame = {
        .tick = f->tick, .root = sample_root(f->tick), .raw_size = sizeof raw, .stored_size = (uint32_t)size};
    (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME, .keyframe = &frame, .stored = stored});
}

static void tick(fuzz *f, uint8_t argument) {
    const uint32_t count = argument & 15;
    for (uint32_t i = 0; i < count; ++i) {
        iso_sealed_command command = {.slot = 1, .sequence = f->tick + 1};
        command.command.kind = ISO_COMMAND_SET_CONTROL;
        command.command.as.set_control.size = 32;
        memset(command.command.as.set_control.bytes, argument, 32);
        const iso_recording_tick one = {
            .input = {.tick = f->tick + 1, .commands = &command, .command_count = argument & 16 ? 1 : 0},
            .has_root = true,
            .hashed_tick = f->tick + 1,
            .root = sample_root(f->tick + 1),
        };
        if (hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_TICK, .tick = &one}) == ISO_OK) {
            f->tick += 1;
        }
    }
}

static void note(fuzz *f, uint8_t argument) {
    iso_recording_event event = sample_event_value(f->tick);
    // Text, as the session hands in: not the end of a character behind it.
    memset(event.name, 0, sizeof event.name);
    memset(event.name, 'n', argument % 32u);
    (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = &event});
}

static void step(fuzz *f) {
    const step_kind kind = (step_kind)(fuzz_take(&f->input) & 15);
    const uint8_t argument = fuzz_take(&f->input);
    switch (kind) {
    case STEP_TICK:
        tick(f, argument);
        break;
    case STEP_KEYFRAME:
        keyframe(f);
        break;
    case STEP_NOTE:
        note(f, argument);
        break;
    case STEP_SEAL:
        (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_SEAL,
                                              .has_root = true,
                                              .root_tick = f->tick,
                                              .root = sample_root(f->tick),
                                              .goes_on = argument & 1});
        break;
    case STEP_GIVE_UP:
        (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_GIVE_UP, .status = ISO_ERR_TIMEOUT});
        break;
    case STEP_TIME:
        f->now_ns += argument * UINT64_C(5000000);
        (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_TIME});
        break;
    case STEP_ACT:
        for (uint32_t i = 0; i < argument % 16u; ++i) {
            act(f);
        }
        break;
    case STEP_SHORT:
        f->takes_part = true;
        break;
    case STEP_FAIL:
        f->fails = true;
        break;
    case STEP_SYNC_DONE:
        finish_sync(f, argument & 1);
        break;
    case STEP_KILL:
        check_kill(f);
        break;
    case STEP_POWER_CUT:
        check_power_cut(f, argument);
        break;
    case STEP_WRONG_DONE:
        if (argument % 8u != ISO_RECORDER_SYNC) {
            FUZZ_CHECK(hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_DONE, .action = argument % 8u}) ==
                       ISO_ERR_STATE);
        }
        break;
    }
}

/// Whatever has happened: with a disk that answers, it comes to an end.
static void end(fuzz *f) {
    (void)hand_in(f,
                  (iso_recorder_event){
                      .kind = ISO_RECORDER_SEAL, .has_root = true, .root_tick = f->tick, .root = sample_root(f->tick)});
    f->fails = f->takes_part = false;
    for (uint32_t i = 0; i < 1000 && !progress_of(f).is_finished; ++i) {
        check_kill(f);
        check_power_cut(f, (uint8_t)i);
        act(f);
        finish_sync(f, false);
        f->now_ns += ISO_RECORDER_SYNC_INTERVAL_NS;
        (void)hand_in(f, (iso_recorder_event){.kind = ISO_RECORDER_TIME});
    }
    const iso_recorder_progress progress = progress_of(f);
    FUZZ_CHECK(progress.is_finished && !f->is_syncing && (f->is_closed || !f->is_created));
    FUZZ_CHECK(progress.is_sealed == f->is_renamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static uint8_t file[SIZE_MAX_FILE];
    static fuzz f;
    f = (fuzz){.input = {bytes, size}, .now_ns = START_NS, .file = file};
    const iso_recording_header header = sample_header();
    const iso_recorder_config config = {.allocator = {fuzz_allocate, fuzz_release, &f.allocated},
                                        .buffer_size = iso_recorder_buffer_size(header.scene_size, 400)};
    FUZZ_CHECK(iso_recorder_create(&config, &f.recorder) == ISO_OK);
    FUZZ_CHECK(hand_in(&f, (iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &header}) == ISO_OK);
    f.tick = header.first_tick;
    for (uint32_t i = 0; i < STEPS_MAX && f.input.size > 0; ++i) {
        step(&f);
    }
    end(&f);
    iso_recorder_destroy(f.recorder);
    FUZZ_CHECK(f.allocated == 0);
    return 0;
}
