#include "recorder.h"

#include <string.h>

#include "isostep/assert.h"
#include "recorder_buffer.h"
#include "recorder_end.h"
#include "recorder_frames.h"
#include "recorder_results.h"
#include "recorder_state.h"

#define BUFFER_SIZE_MIN 65536u

/// Ticks: durable <= written <= handed in, and all that are not written have their places in the ring; the waiting
/// bytes are within the buffer.
static bool is_ordered(const iso_recorder *recorder) {
    return recorder->state <= ISO__RECORDER_STATE_FINISHED && recorder->durable_tick <= recorder->written_tick &&
           recorder->written_tick <= recorder->sealed_tick &&
           recorder->sealed_tick - recorder->written_tick < ISO__RECORDER_TICKS &&
           recorder->syncing_tick <= recorder->written_tick && recorder->buffer_start <= recorder->buffer_size &&
           recorder->buffer_used <= recorder->buffer_size - recorder->buffer_start &&
           recorder->index_count <= ISO_RECORDING_INDEX_MAX;
}

size_t iso_recorder_buffer_size(size_t scene_size, size_t stored_keyframe_size_max) {
    return iso_recording_head_bound(scene_size) + 2 * iso_recording_keyframe_bound(stored_keyframe_size_max) +
           8 * ISO_RECORDING_TICK_FRAME_MAX + iso_recording_end_bound(ISO_RECORDING_INDEX_MAX);
}

size_t iso_recorder_memory(size_t buffer_size) {
    return sizeof(iso_recorder) + buffer_size;
}

iso_status iso_recorder_create(const iso_recorder_config *config, iso_recorder **recorder) {
    ISO_ASSERT(recorder != NULL && config->allocator.allocate != NULL && config->allocator.release != NULL);
    const iso_allocator *allocator = &config->allocator;
    if (config->buffer_size < BUFFER_SIZE_MIN) {
        return ISO_ERR_RANGE;
    }
    iso_recorder *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL) {
        return ISO_ERR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->buffer = allocator->allocate(allocator->user, config->buffer_size, 64);
    if (made->buffer == NULL) {
        allocator->release(allocator->user, made, sizeof *made);
        return ISO_ERR_MEMORY;
    }
    made->allocator = *allocator;
    made->buffer_size = config->buffer_size;
    made->sync_interval_ns = config->sync_interval_ns != 0 ? config->sync_interval_ns : ISO_RECORDER_SYNC_INTERVAL_NS;
    made->number = config->number;
    made->index_stride = 1;
    *recorder = made;
    return ISO_OK;
}

void iso_recorder_destroy(iso_recorder *recorder) {
    ISO_ASSERT(is_ordered(recorder));
    const iso_allocator allocator = recorder->allocator;
    allocator.release(allocator.user, recorder->buffer, recorder->buffer_size);
    allocator.release(allocator.user, recorder, sizeof *recorder);
}

iso_status iso_recorder_handle(iso_recorder *recorder, uint64_t now_ns, const iso_recorder_event *event) {
    ISO_ASSERT(is_ordered(recorder));
    recorder->now_ns = now_ns > recorder->now_ns ? now_ns : recorder->now_ns;
    switch (event->kind) {
    case ISO_RECORDER_TIME:
        return ISO_OK;
    case ISO_RECORDER_DONE:
        return iso__recorder_take_result(recorder, event);
    case ISO_RECORDER_OPEN:
        return iso__recorder_take_open(recorder, event->header);
    case ISO_RECORDER_GIVE_UP:
        iso__recorder_give_up(recorder, event->status);
        return ISO_OK;
    default:
        break;
    }
    if (recorder->is_degraded) {
        return ISO_OK;
    }
    if (!iso__recorder_takes_frames(recorder)) {
        return ISO_ERR_STATE;
    }
    switch (event->kind) {
    case ISO_RECORDER_KEYFRAME:
        return iso__recorder_take_keyframe(recorder, event);
    case ISO_RECORDER_TICK:
        return iso__recorder_take_tick(recorder, event);
    case ISO_RECORDER_NOTE:
        return iso__recorder_take_note(recorder, event->note);
    case ISO_RECORDER_SEAL:
        return iso__recorder_take_seal(recorder, event);
    default:
        return ISO_ERR_STATE;
    }
}

// ---- Actions --------------------------------------------------------------------------------------

static bool wants_sync(const iso_recorder *recorder) {
    return recorder->state == ISO__RECORDER_STATE_OPEN && !recorder->is_degraded && !recorder->is_sync_out &&
           iso__recorder_is_started(recorder) && recorder->file_size > recorder->synced_size &&
           recorder->data_end > recorder->synced_size;
}

static bool give_sync(iso_recorder *recorder, iso_recorder_action *action) {
    recorder->is_sync_out = true;
    recorder->syncing_size = recorder->file_size;
    recorder->syncing_tick = recorder->written_tick;
    recorder->syncing_end = iso__recorder_commit_end(recorder);
    recorder->next_sync_ns = recorder->now_ns + recorder->sync_interval_ns;
    *action = (iso_recorder_action){.kind = ISO_RECORDER_SYNC, .name = recorder->part_name};
    return true;
}

static bool give_file_action(iso_recorder *recorder, iso_recorder_action *action, iso_recorder_action_kind kind) {
    recorder->is_file_out = true;
    recorder->action_out = (uint8_t)kind;
    action->kind = (uint8_t)kind;
    action->name = recorder->part_name;
    return true;
}

/// Passes through the states that need no action of their own.
static void settle(iso_recorder *recorder) {
    if (recorder->is_file_out || recorder->is_sync_out) {
        return;
    }
    if (recorder->state == ISO__RECORDER_STATE_CUTTING && !iso__recorder_is_started(recorder)) {
        recorder->has_end_failed = true; // nothing that could be replayed
        recorder->state = ISO__RECORDER_STATE_CLOSING;
    } else if (recorder->state == ISO__RECORDER_STATE_CUTTING &&
               recorder->file_size == iso__recorder_commit_end(recorder)) {
        iso__recorder_seal_cut_file(recorder);
    }
    if (recorder->state == ISO__RECORDER_STATE_OPEN && recorder->has_put_end && recorder->buffer_used == 0) {
        recorder->state = recorder->has_sync_failed ? ISO__RECORDER_STATE_CLOSING : ISO__RECORDER_STATE_SYNCING;
    }
}

bool iso_recorder_next_action(iso_recorder *recorder, iso_recorder_action *action) {
    ISO_ASSERT(is_ordered(recorder));
    memset(action, 0, sizeof *action);
    settle(recorder);
    if (wants_sync(recorder) && recorder->now_ns >= recorder->next_sync_ns) {
        return give_sync(recorder, action);
    }
    if (recorder->is_file_out) {
        return false;
    }
    if (recorder->state == ISO__RECORDER_STATE_CREATING) {
        return give_file_action(recorder, action, ISO_RECORDER_CREATE_FILE);
    }
    if (recorder->state == ISO__RECORDER_STATE_OPEN && recorder->buffer_used > 0) {
        recorder->append_size = recorder->buffer_used;
        action->bytes = recorder->buffer + recorder->buffer_start;
        action->size = recorder->append_size;
        action->offset = recorder->file_size;
        return give_file_action(recorder, action, ISO_RECORDER_APPEND);
    }
    // The following actions must not run during a SYNC.
    if (recorder->is_sync_out) {
        return false;
    }
    switch (recorder->state) {
    case ISO__RECORDER_STATE_CUTTING:
        action->offset = iso__recorder_commit_end(recorder);
        return give_file_action(recorder, action, ISO_RECORDER_TRUNCATE);
    case ISO__RECORDER_STATE_SYNCING:
        return give_sync(recorder, action);
    case ISO__RECORDER_STATE_CLOSING:
        return give_file_action(recorder, action, ISO_RECORDER_CLOSE);
    case ISO__RECORDER_STATE_RENAMING:
        action->new_name = recorder->final_name;
        return give_file_action(recorder, action, ISO_RECORDER_RENAME);
    case ISO__RECORDER_STATE_SYNCING_FOLDER:
        return give_file_action(recorder, action, ISO_RECORDER_SYNC_FOLDER);
    default:
        return false;
    }
}

uint64_t iso_recorder_next_deadline(const iso_recorder *recorder) {
    ISO_ASSERT(is_ordered(recorder));
    return wants_sync(recorder) ? recorder->next_sync_ns : UINT64_MAX;
}

void iso_recorder_get_progress(const iso_recorder *recorder, iso_recorder_progress *progress) {
    ISO_ASSERT(is_ordered(recorder));
    *progress = (iso_recorder_progress){
        .has_started = iso__recorder_is_started(recorder),
        .is_settled = iso__recorder_is_started(recorder) && recorder->synced_size >= recorder->keyframe_end,
        .is_degraded = recorder->is_degraded,
        .is_finished =
            recorder->state == ISO__RECORDER_STATE_FINISHED && !recorder->is_file_out && !recorder->is_sync_out,
        .is_sealed = recorder->state == ISO__RECORDER_STATE_FINISHED && recorder->is_sealed,
        .status = recorder->status,
        .written_tick = recorder->written_tick,
        .durable_tick = recorder->durable_tick,
        .written_size = recorder->file_size,
        .synced_size = recorder->synced_size,
        .waiting_size = recorder->buffer_used,
        .skipped_keyframes = recorder->skipped_keyframes,
        .name = recorder->is_sealed ? recorder->final_name : recorder->part_name,
    };
}
