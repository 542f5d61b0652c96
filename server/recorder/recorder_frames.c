#include "recorder_frames.h"

#include "isostep/assert.h"
#include "recorder_buffer.h"
#include "recorder_end.h"

iso_status iso__recorder_take_open(iso_recorder *recorder, const iso_recording_header *header) {
    if (recorder->state != ISO__RECORDER_STATE_IDLE) {
        return ISO_ERR_STATE;
    }
    ISO_ASSERT(recorder->buffer_used == 0 && recorder->file_size == 0);
    const size_t size = iso_recording_encode_head(header, &recorder->chain, recorder->buffer, recorder->buffer_size);
    if (size == 0) {
        return ISO_ERR_RANGE;
    }
    iso__recorder_put_data(recorder, size);
    recorder->salt = header->salt;
    recorder->first_tick = header->first_tick;
    recorder->sealed_tick = header->first_tick;
    recorder->written_tick = header->first_tick;
    recorder->durable_tick = header->first_tick;
    recorder->next_sync_ns = recorder->now_ns + recorder->sync_interval_ns;
    iso_recorder_make_name(header, recorder->number, true, recorder->part_name);
    iso_recorder_make_name(header, recorder->number, false, recorder->final_name);
    recorder->state = ISO__RECORDER_STATE_CREATING;
    return ISO_OK;
}

/// Adds a keyframe to the index; when that is full, every second entry goes.
static void index_add(iso_recorder *recorder, uint64_t tick, uint64_t offset) {
    const uint64_t number = recorder->keyframe_count++;
    if (recorder->index_count == ISO_RECORDING_INDEX_MAX) {
        recorder->index_stride *= 2;
        recorder->index_count /= 2;
        for (uint32_t i = 0; i < recorder->index_count; ++i) {
            recorder->index[i] = recorder->index[2 * i];
        }
    }
    if (number % recorder->index_stride == 0) {
        recorder->index[recorder->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = offset};
    }
}

bool iso__recorder_takes_frames(const iso_recorder *recorder) {
    return (recorder->state == ISO__RECORDER_STATE_CREATING || recorder->state == ISO__RECORDER_STATE_OPEN) &&
           !recorder->has_put_end;
}

iso_status iso__recorder_take_keyframe(iso_recorder *recorder, const iso_recorder_event *event) {
    ISO_ASSERT(iso__recorder_takes_frames(recorder));
    iso_recording_keyframe keyframe = *event->keyframe;
    const bool first = !recorder->has_keyframe;
    if (first ? keyframe.tick != recorder->first_tick
              : keyframe.tick <= recorder->last_keyframe || keyframe.tick > recorder->sealed_tick) {
        return ISO_ERR_STATE;
    }
    if (recorder->sealed_tick - keyframe.tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
        ++recorder->skipped_keyframes;
        return ISO_ERR_BUFFER;
    }
    const uint64_t offset = iso__recorder_next_offset(recorder);
    keyframe.ticks_offset = first ? offset : iso__recorder_tick_at(recorder, keyframe.tick)->end;
    const size_t size =
        iso_recording_encode_keyframe(&keyframe, event->stored, &recorder->chain, iso__recorder_buffer_end(recorder),
                                      iso__recorder_buffer_room(recorder));
    if (size == 0 && first) {
        iso__recorder_degrade(recorder, ISO_ERR_BUFFER);
        return ISO_OK;
    }
    if (size == 0) {
        ++recorder->skipped_keyframes;
        return ISO_ERR_BUFFER;
    }
    iso__recorder_put_data(recorder, size);
    recorder->last_keyframe = keyframe.tick;
    if (first) {
        recorder->has_keyframe = true;
        recorder->keyframe_end = iso__recorder_next_offset(recorder);
        recorder->keyframe_checksum = recorder->chain.checksum;
    }
    index_add(recorder, keyframe.tick, offset);
    return ISO_OK;
}

/// The frame of a tick at the buffer's end. @return its size; 0: it does not fit, or is out of bounds
static size_t put_tick(iso_recorder *recorder, const iso_recorder_event *event) {
    const size_t room = iso__recorder_buffer_room(recorder);
    return event->sealed != NULL
               ? iso_recording_encode_sealed_tick(event->tick, event->sealed, event->sealed_size, &recorder->chain,
                                                  iso__recorder_buffer_end(recorder), room)
               : iso_recording_encode_tick(event->tick, &recorder->chain, iso__recorder_buffer_end(recorder), room);
}

iso_status iso__recorder_take_tick(iso_recorder *recorder, const iso_recorder_event *event) {
    ISO_ASSERT(iso__recorder_takes_frames(recorder));
    const iso_recording_tick *tick = event->tick;
    if (!recorder->has_keyframe || tick->input.tick != recorder->sealed_tick + 1 ||
        (tick->has_root && tick->hashed_tick < recorder->first_tick)) {
        return ISO_ERR_STATE;
    }
    const size_t room = iso__recorder_buffer_room(recorder);
    // A tick that is not written yet must keep its place in the ring.
    const bool ring_full = recorder->sealed_tick - recorder->written_tick >= ISO__RECORDER_TICKS - 1;
    const size_t size = ring_full ? 0 : put_tick(recorder, event);
    if (size == 0) {
        if (!ring_full && room >= ISO_RECORDING_TICK_FRAME_MAX) {
            return ISO_ERR_RANGE;
        }
        iso__recorder_degrade(recorder, ISO_ERR_BUFFER);
        return ISO_OK;
    }
    iso__recorder_put_data(recorder, size);
    ++recorder->sealed_tick;
    *iso__recorder_tick_at(recorder, recorder->sealed_tick) = (iso__recorder_tick){
        .end = iso__recorder_next_offset(recorder),
        .checksum = recorder->chain.checksum,
        .has_root = tick->has_root,
        .hashed_tick = tick->hashed_tick,
        .root = tick->root,
    };
    return ISO_OK;
}

iso_status iso__recorder_take_note(iso_recorder *recorder, const iso_recording_event *note) {
    ISO_ASSERT(iso__recorder_takes_frames(recorder));
    if (!recorder->has_keyframe) {
        return ISO_ERR_STATE;
    }
    const size_t room = iso__recorder_buffer_room(recorder);
    const size_t size = iso_recording_encode_event(note, &recorder->chain, iso__recorder_buffer_end(recorder), room);
    iso__recorder_put_data(recorder, size);
    return size > 0 ? ISO_OK : room < ISO_RECORDING_EVENT_FRAME_MAX ? ISO_ERR_BUFFER : ISO_ERR_RANGE;
}

iso_status iso__recorder_take_seal(iso_recorder *recorder, const iso_recorder_event *event) {
    ISO_ASSERT(iso__recorder_takes_frames(recorder));
    if (event->has_root && (event->root_tick > recorder->sealed_tick || event->root_tick < recorder->first_tick)) {
        return ISO_ERR_STATE;
    }
    if (!recorder->has_keyframe) {
        iso__recorder_degrade(recorder, ISO_ERR_STATE);
        return ISO_OK;
    }
    recorder->has_final_root = event->has_root;
    recorder->goes_on = event->goes_on;
    recorder->final_root_tick = event->root_tick;
    recorder->final_root = event->root;
    recorder->has_put_end = iso__recorder_put_end(recorder, recorder->sealed_tick);
    if (!recorder->has_put_end) {
        iso__recorder_degrade(recorder, ISO_ERR_BUFFER);
    }
    return ISO_OK;
}

void iso__recorder_give_up(iso_recorder *recorder, iso_status status) {
    ISO_ASSERT(status != ISO_OK);
    if ((recorder->state == ISO__RECORDER_STATE_CREATING || recorder->state == ISO__RECORDER_STATE_OPEN) &&
        !recorder->is_degraded) {
        iso__recorder_degrade(recorder, status);
    }
}
