#include "recorder_results.h"

#include "isostep/assert.h"
#include "recorder_buffer.h"
#include "recorder_end.h"
#include "recorder_frames.h"

static void done_append(iso_recorder *recorder, iso_status status, size_t size) {
    ISO_ASSERT(size <= recorder->append_size && recorder->append_size <= recorder->buffer_used);
    recorder->file_size += size;
    iso__recorder_buffer_drop(recorder, size);
    while (recorder->written_tick < recorder->sealed_tick &&
           iso__recorder_tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size) {
        ++recorder->written_tick;
    }
    // A write that neither fails nor writes would be repeated for ever.
    const iso_status result = status == ISO_OK && size == 0 ? ISO_ERR_IO : status;
    if (result != ISO_OK && recorder->state == ISO__RECORDER_STATE_OPEN) {
        recorder->has_end_failed = recorder->is_degraded;
        iso__recorder_degrade(recorder, result);
    }
}

/// Writes a MARK into the file when more has become durable than the last one states. A MARK that does not fit is left
/// out; the next one states at least as much.
static void put_mark(iso_recorder *recorder) {
    if (recorder->salt == 0 || recorder->is_degraded || !iso__recorder_takes_frames(recorder) ||
        recorder->syncing_end <= recorder->marked_end) {
        return;
    }
    const iso_recording_mark mark = {.salt = recorder->salt,
                                     .offset = iso__recorder_next_offset(recorder),
                                     .durable_offset = recorder->syncing_end,
                                     .durable_tick = recorder->syncing_tick};
    const size_t size = iso_recording_encode_mark(&mark, &recorder->chain, iso__recorder_buffer_end(recorder),
                                                  iso__recorder_buffer_room(recorder));
    recorder->buffer_used += size;
    recorder->marked_end = size > 0 ? mark.durable_offset : recorder->marked_end;
}

static void done_sync(iso_recorder *recorder, iso_status status) {
    recorder->is_sync_out = false;
    if (status == ISO_OK) {
        recorder->synced_size = recorder->syncing_size;
        recorder->durable_tick = recorder->syncing_tick;
        put_mark(recorder);
    } else {
        recorder->has_sync_failed = true;
        if (recorder->state == ISO__RECORDER_STATE_OPEN && !recorder->is_degraded) {
            iso__recorder_degrade(recorder, status);
        }
        iso__recorder_note_error(recorder, status);
    }
    if (recorder->state == ISO__RECORDER_STATE_SYNCING) {
        recorder->state = ISO__RECORDER_STATE_CLOSING;
    }
}

static void done_truncate(iso_recorder *recorder, iso_status status) {
    if (status == ISO_OK) {
        recorder->file_size = iso__recorder_commit_end(recorder);
        iso__recorder_seal_cut_file(recorder);
    } else {
        recorder->has_end_failed = true;
        recorder->state = ISO__RECORDER_STATE_CLOSING;
    }
}

iso_status iso__recorder_take_result(iso_recorder *recorder, const iso_recorder_event *event) {
    ISO_ASSERT(event->kind == ISO_RECORDER_DONE);
    if (event->action == ISO_RECORDER_SYNC) {
        if (!recorder->is_sync_out) {
            return ISO_ERR_STATE;
        }
        done_sync(recorder, event->status);
        return ISO_OK;
    }
    if (!recorder->is_file_out || event->action != recorder->action_out ||
        (event->action == ISO_RECORDER_APPEND && event->size > recorder->append_size)) {
        return ISO_ERR_STATE;
    }
    recorder->is_file_out = false;
    const bool ok = event->status == ISO_OK;
    switch (event->action) {
    case ISO_RECORDER_CREATE_FILE:
        if (ok && recorder->state == ISO__RECORDER_STATE_CREATING) {
            recorder->state = ISO__RECORDER_STATE_OPEN;
        } else if (ok) {
            recorder->state = ISO__RECORDER_STATE_CLOSING; // degraded in the meantime
        } else {
            iso__recorder_note_error(recorder, event->status);
            recorder->state = ISO__RECORDER_STATE_FINISHED;
        }
        break;
    case ISO_RECORDER_APPEND:
        done_append(recorder, event->status, event->size);
        break;
    case ISO_RECORDER_TRUNCATE:
        done_truncate(recorder, event->status);
        break;
    case ISO_RECORDER_CLOSE:
        if (!ok) {
            iso__recorder_note_error(recorder, event->status);
        }
        recorder->state = ok && recorder->has_put_end && !recorder->has_sync_failed ? ISO__RECORDER_STATE_RENAMING
                                                                                    : ISO__RECORDER_STATE_FINISHED;
        break;
    case ISO_RECORDER_RENAME:
        recorder->is_sealed = ok;
        recorder->state = ok ? ISO__RECORDER_STATE_SYNCING_FOLDER : ISO__RECORDER_STATE_FINISHED;
        break;
    default:
        recorder->state = ISO__RECORDER_STATE_FINISHED;
        break;
    }
    if (!ok && event->action >= ISO_RECORDER_RENAME) {
        iso__recorder_note_error(recorder, event->status);
    }
    return ISO_OK;
}
