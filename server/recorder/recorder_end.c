#include "recorder_end.h"

#include "isostep/assert.h"
#include "recorder_buffer.h"

/// The last root that the file's complete ticks contain.
static void footer_set_root(iso_recorder *recorder, iso_recording_footer *footer) {
    if (recorder->has_final_root && recorder->final_root_tick <= footer->last_tick) {
        footer->has_root = true;
        footer->root_tick = recorder->final_root_tick;
        footer->root = recorder->final_root;
    } else if (footer->last_tick > recorder->first_tick &&
               iso__recorder_tick_at(recorder, footer->last_tick)->has_root) {
        const iso__recorder_tick *entry = iso__recorder_tick_at(recorder, footer->last_tick);
        footer->has_root = true;
        footer->root_tick = entry->hashed_tick;
        footer->root = entry->root;
    }
}

bool iso__recorder_put_end(iso_recorder *recorder, uint64_t last_tick) {
    ISO_ASSERT(last_tick >= recorder->first_tick && last_tick <= recorder->sealed_tick);
    iso_recording_footer footer = {
        .last_tick = last_tick,
        .is_degraded = recorder->is_degraded,
        .goes_on = recorder->goes_on,
        .entries = recorder->index,
        .entry_count = recorder->index_count,
    };
    footer_set_root(recorder, &footer);
    const size_t size =
        iso_recording_encode_end(&footer, iso__recorder_next_offset(recorder), &recorder->chain,
                                 iso__recorder_buffer_end(recorder), iso__recorder_buffer_room(recorder));
    iso__recorder_put_data(recorder, size);
    return size > 0;
}

void iso__recorder_note_error(iso_recorder *recorder, iso_status status) {
    ISO_ASSERT(status != ISO_OK);
    recorder->status = recorder->is_degraded ? recorder->status : status;
    recorder->is_degraded = true;
}

void iso__recorder_degrade(iso_recorder *recorder, iso_status status) {
    ISO_ASSERT(recorder->state == ISO__RECORDER_STATE_CREATING || recorder->state == ISO__RECORDER_STATE_OPEN);
    iso__recorder_note_error(recorder, status);
    recorder->has_put_end = false;
    recorder->state =
        recorder->state == ISO__RECORDER_STATE_CREATING ? ISO__RECORDER_STATE_FINISHED : ISO__RECORDER_STATE_CUTTING;
}

uint64_t iso__recorder_commit_end(iso_recorder *recorder) {
    ISO_ASSERT(recorder->has_keyframe);
    if (recorder->written_tick > recorder->first_tick) {
        return iso__recorder_tick_at(recorder, recorder->written_tick)->end;
    }
    return recorder->keyframe_end;
}

bool iso__recorder_is_started(const iso_recorder *recorder) {
    return recorder->has_keyframe && recorder->file_size >= recorder->keyframe_end;
}

void iso__recorder_seal_cut_file(iso_recorder *recorder) {
    ISO_ASSERT(recorder->state == ISO__RECORDER_STATE_CUTTING && recorder->has_keyframe);
    while (recorder->index_count > 0 && recorder->index[recorder->index_count - 1].offset >= recorder->file_size) {
        --recorder->index_count;
    }
    iso__recorder_buffer_drop(recorder, recorder->buffer_used);
    recorder->sealed_tick = recorder->written_tick;
    recorder->chain.checksum = recorder->written_tick > recorder->first_tick
                                   ? iso__recorder_tick_at(recorder, recorder->written_tick)->checksum
                                   : recorder->keyframe_checksum;
    recorder->has_put_end = !recorder->has_end_failed && iso__recorder_put_end(recorder, recorder->written_tick);
    recorder->has_end_failed = !recorder->has_put_end;
    recorder->state = recorder->has_put_end ? ISO__RECORDER_STATE_OPEN : ISO__RECORDER_STATE_CLOSING;
}
