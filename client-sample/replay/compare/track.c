/// Ways through a recording: roots, keyframes, ticks.
#include "compare/track.h"

void iso__replay_claims_begin(replay_claims *claims, const iso_recording *recording) {
    *claims = (replay_claims){.recording = recording, .cursor = recording->frames_offset};
    iso__replay_claims_next(claims);
}

void iso__replay_claims_next(replay_claims *claims) {
    const iso_recording *recording = claims->recording;
    const uint64_t before = claims->is_found ? claims->tick : UINT64_MAX;
    iso_recording_frame frame;
    claims->is_found = false;
    while (iso_recording_next(recording, &claims->cursor, &frame)) {
        iso_recording_tick tick;
        // The input is not needed here, so the frame is only read as far as its root.
        if (frame.type == ISO_RECORDING_TICK && iso_recording_read_root(&frame, &tick) == ISO_OK && tick.has_root) {
            claims->is_found = true;
            claims->tick = tick.hashed_tick;
            claims->root = tick.root;
            claims->offset = frame.offset;
            return;
        }
    }
    // The FOOTER's root can be the last tick's again.
    if (recording->has_root && recording->is_sealed && !claims->has_footer && recording->root_tick != before) {
        claims->has_footer = true;
        claims->is_found = true;
        claims->tick = recording->root_tick;
        claims->root = recording->root;
        claims->offset = recording->footer_offset;
    }
}

void iso__replay_keyframes_read(replay_keyframes *keyframes, const iso_recording *recording) {
    uint64_t cursor = recording->frames_offset;
    iso_recording_frame frame;
    keyframes->count = 0;
    while (keyframes->count < recording->keyframe_count && iso_recording_next(recording, &cursor, &frame)) {
        if (frame.type == ISO_RECORDING_KEYFRAME &&
            iso_recording_read_keyframe(&frame, &keyframes->list[keyframes->count]) == ISO_OK) {
            ++keyframes->count;
        }
    }
}

const iso_recording_keyframe *iso__replay_keyframes_find(const replay_keyframes *keyframes, uint64_t tick) {
    uint32_t low = 0, high = keyframes->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keyframes->list[middle].tick == tick) {
            return &keyframes->list[middle];
        }
        low = keyframes->list[middle].tick < tick ? middle + 1 : low;
        high = keyframes->list[middle].tick < tick ? high : middle;
    }
    return NULL;
}

bool iso__replay_next_tick(const iso_recording *recording, uint64_t *cursor, iso_recording_tick_buffer *buffer,
                           iso_recording_tick *tick, uint64_t *offset, iso_status *status) {
    iso_recording_frame frame;
    *status = ISO_OK;
    while (iso_recording_next(recording, cursor, &frame)) {
        if (frame.type == ISO_RECORDING_TICK) {
            *offset = frame.offset;
            *status = iso_recording_read_tick(&frame, buffer, tick);
            return *status == ISO_OK;
        }
    }
    return false;
}
