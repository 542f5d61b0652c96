/// What a recording is handed by its session's worker, which never waits, and what others may know of it.
#include "host/recordings/recording_hand_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "host/recordings/recording_items.h"
#include "host/recordings/writer_queue.h"

/// What the recording's session hands in comes from one thread, so that the items have its order.
static bool owner_is_here(const iso__recording *recording) {
    return recording->config.owner == NULL || iso__affinity_is_here(recording->config.owner);
}

static iso_status hand_in(iso__recording *recording, const iso_recorder_event *event, void *block) {
    ISO_ASSERT(owner_is_here(recording));
    bool is_data = event->kind != ISO_RECORDER_SEAL && event->kind != ISO_RECORDER_GIVE_UP;
    if (is_data && atomic_load(&recording->waiting) >= ISO__RECORDING_WAITING_MAX) {
        free(block);
        return ISO_ERR_BUFFER;
    }
    atomic_fetch_add(&recording->waiting, is_data);
    iso__writer_push(recording->writer,
                     &(iso__recording_item){.recording = recording, .event = *event, .block = block});
    return ISO_OK;
}

iso_status iso__recording_tick(iso__recording *recording, uint64_t tick, uint64_t root, const uint8_t *sealed,
                               size_t size) {
    ISO_ASSERT(owner_is_here(recording));
    iso__kept_tick *block = malloc(sizeof *block + size);
    if (block == NULL) {
        return ISO_ERR_MEMORY;
    }
    block->tick = (iso_recording_tick){.input.tick = tick, .has_root = true, .hashed_tick = tick, .root = root};
    block->size = size;
    memcpy(block->sealed, sealed, size);
    const iso_recorder_event event = iso__kept_tick_event(block);
    return hand_in(recording, &event, block);
}

iso_status iso__recording_keyframe(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                   const uint8_t *stored) {
    ISO_ASSERT(owner_is_here(recording));
    typedef struct keyframe_block {
        iso_recording_keyframe keyframe;
        uint8_t stored[];
    } keyframe_block;
    keyframe_block *block = malloc(sizeof *block + keyframe->stored_size);
    if (block == NULL) {
        return ISO_ERR_MEMORY;
    }
    block->keyframe = *keyframe;
    memcpy(block->stored, stored, keyframe->stored_size);
    return hand_in(
        recording,
        &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME, .keyframe = &block->keyframe, .stored = block->stored},
        block);
}

iso_status iso__recording_event(iso__recording *recording, const iso_recording_event *event) {
    ISO_ASSERT(owner_is_here(recording));
    iso_recording_event *block = malloc(sizeof *block);
    if (block == NULL) {
        return ISO_ERR_MEMORY;
    }
    *block = *event;
    return hand_in(recording, &(iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = block}, block);
}

iso_status iso__recording_seal(iso__recording *recording, uint64_t root_tick, uint64_t root, bool goes_on) {
    return hand_in(
        recording,
        &(iso_recorder_event){
            .kind = ISO_RECORDER_SEAL, .has_root = true, .root_tick = root_tick, .root = root, .goes_on = goes_on},
        NULL);
}

void iso__recording_give_up(iso__recording *recording, iso_status status) {
    ISO_ASSERT(owner_is_here(recording) && status != ISO_OK);
    if (recording->is_given_up) {
        return;
    }
    recording->is_given_up = true;
    hand_in(recording, &(iso_recorder_event){.kind = ISO_RECORDER_GIVE_UP, .status = status}, NULL);
}

iso_status iso__recording_restart(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                  const uint8_t *stored, const iso__roster *roster) {
    ISO_ASSERT(owner_is_here(recording));
    iso__begin_block *block = malloc(sizeof *block + keyframe->stored_size);
    if (block == NULL) {
        return ISO_ERR_MEMORY;
    }
    block->keyframe = *keyframe;
    block->roster = *roster;
    memcpy(block->stored, stored, keyframe->stored_size);
    recording->is_given_up = false;
    return hand_in(recording, &(iso_recorder_event){.kind = ISO_RECORDER_OPEN}, block);
}

void iso__recording_end_session(iso__recording *recording) {
    ISO_ASSERT(owner_is_here(recording));
    atomic_store(&recording->over_due, true);
    iso__writer_push(recording->writer, &(iso__recording_item){.recording = recording});
}

void iso__recording_join(iso__recording *recording) {
    iso__writer_push(recording->writer, &(iso__recording_item){.recording = recording, .order = ISO__RECORDING_JOIN});
}

void iso__recording_leave(iso__recording *recording) {
    ISO_ASSERT(owner_is_here(recording));
    iso__writer_push(recording->writer, &(iso__recording_item){.recording = recording, .order = ISO__RECORDING_LEAVE});
}

bool iso__recording_comes_back(iso__recording *recording) {
    return atomic_load(&recording->over_due);
}

bool iso__recording_is_over(iso__recording *recording) {
    ISO_ASSERT(recording->buffer_size > 0);
    pthread_mutex_lock(&recording->mutex);
    const iso__recording_report *report = &recording->report;
    const bool is_sealed = report->is_finished && report->is_sealed && !report->is_degraded;
    pthread_mutex_unlock(&recording->mutex);
    return is_sealed || !iso__recording_comes_back(recording);
}

void iso__recording_get_report(iso__recording *recording, iso__recording_report *report) {
    ISO_ASSERT(owner_is_here(recording));
    // Flag first: whatever is published after this wakes the worker again.
    atomic_store(&recording->report_is_new, false);
    pthread_mutex_lock(&recording->mutex);
    *report = recording->report;
    pthread_mutex_unlock(&recording->mutex);
}
