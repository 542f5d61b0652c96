/// Ways through a recording: root claims, keyframes, a world that is stepped.
#include "walk.h"

#include <stdlib.h>
#include <string.h>

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

iso_status iso__replay_keyframes_make(replay_keyframes *keyframes, const iso_recording *recording) {
    keyframes->count = 0;
    keyframes->list = calloc((size_t)recording->keyframe_count + 1, sizeof *keyframes->list);
    if (keyframes->list == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for a list of %llu keyframes\n",
                  (unsigned long long)recording->keyframe_count);
        return ISO_ERR_MEMORY;
    }
    uint64_t cursor = recording->frames_offset;
    iso_recording_frame frame;
    while (keyframes->count < recording->keyframe_count && iso_recording_next(recording, &cursor, &frame)) {
        if (frame.type == ISO_RECORDING_KEYFRAME &&
            iso_recording_read_keyframe(&frame, &keyframes->list[keyframes->count]) == ISO_OK) {
            ++keyframes->count;
        }
    }
    return ISO_OK;
}

void iso__replay_keyframes_free(replay_keyframes *keyframes) {
    free(keyframes->list);
    *keyframes = (replay_keyframes){0};
}

static int compare_tick(const void *key, const void *element) {
    const uint64_t tick = *(const uint64_t *)key;
    const uint64_t other = ((const iso_recording_keyframe *)element)->tick;
    return (tick > other) - (tick < other);
}

const iso_recording_keyframe *iso__replay_keyframes_find(const replay_keyframes *keyframes, uint64_t tick) {
    return bsearch(&tick, keyframes->list, keyframes->count, sizeof *keyframes->list, compare_tick);
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

iso_status iso__replay_walk_make(replay_walk *walk, const iso_recording *recording) {
    memset(walk, 0, sizeof *walk);
    walk->recording = recording;
    const iso_status status = iso__replay_world_make(&walk->world, recording);
    if (status != ISO_OK) {
        return status;
    }
    walk->buffer = malloc(sizeof *walk->buffer);
    if (walk->buffer == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for a tick's commands\n");
        return ISO_ERR_MEMORY;
    }
    return ISO_OK;
}

void iso__replay_walk_free(replay_walk *walk) {
    iso__replay_world_free(&walk->world);
    free(walk->buffer);
    memset(walk, 0, sizeof *walk);
}

iso_status iso__replay_walk_load(replay_walk *walk, const iso_recording_keyframe *keyframe) {
    const iso_status status = iso__replay_world_load(&walk->world, walk->recording, keyframe);
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: the keyframe of tick %llu at offset %llu: %s\n",
                  (unsigned long long)keyframe->tick, (unsigned long long)keyframe->offset, iso_status_text(status));
    }
    walk->cursor = keyframe->ticks_offset;
    return status;
}

iso_status iso__replay_walk_step(replay_walk *walk) {
    iso_status status;
    if (!iso__replay_next_tick(walk->recording, &walk->cursor, walk->buffer, &walk->tick, &walk->offset, &status) &&
        status == ISO_OK) {
        return ISO_ERR_TRUNCATED;
    }
    if (status == ISO_OK) {
        status = iso_world_step(walk->world.world, &walk->tick.input);
    }
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: tick %llu at offset %llu: %s\n", (unsigned long long)walk->tick.input.tick,
                  (unsigned long long)walk->offset, iso_status_text(status));
        return status == ISO_ERR_TRUNCATED ? ISO_ERR_CORRUPT : status;
    }
    return ISO_OK;
}

iso_status iso__replay_walk_seek(replay_walk *walk, uint64_t tick) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(walk->recording, tick, &keyframe);
    iso_status status = iso__replay_walk_load(walk, &keyframe);
    while (status == ISO_OK && replay_walk_tick(walk) < tick) {
        status = iso__replay_walk_step(walk);
    }
    return status;
}
