/// Copies a part of a recording: ticks and events in their order, each keyframe after its tick.
#include "rewrite.h"

#include <stdlib.h>
#include <string.h>

/// The members in the slots, from the events.
typedef struct roster {
    iso_recording_event members[ISO_SLOT_COUNT_MAX];
    bool is_present[ISO_SLOT_COUNT_MAX];
} roster;

static bool unreadable(const char *what, uint64_t offset, iso_status status) {
    iso_print(stderr, "isostep-replay: the %s at offset %llu: %s\n", what, (unsigned long long)offset,
              iso_status_text(status));
    return false;
}

bool iso__replay_rewrite_copy(replay_rewrite *rewrite, const iso_recording_keyframe *keyframe) {
    uint8_t *stored = malloc(keyframe->stored_size);
    if (stored == NULL) {
        return unreadable("keyframe", keyframe->offset, ISO_ERR_MEMORY);
    }
    const iso_status status = iso_recording_read_stored(rewrite->recording, keyframe, stored);
    const bool ok = status == ISO_OK ? iso__replay_writer_keyframe(rewrite->writer, keyframe, stored)
                                     : unreadable("keyframe", keyframe->offset, status);
    free(stored);
    return ok;
}

/// Keeps the last event of each member that is present.
static void note_member(roster *members, const iso_recording_event *event) {
    if (event->slot >= ISO_SLOT_COUNT_MAX) {
        return;
    }
    switch (event->kind) {
    case ISO_RECORDING_EVENT_MEMBER:
    case ISO_RECORDING_EVENT_DROPPED:
    case ISO_RECORDING_EVENT_RESUMED:
        members->members[event->slot] = *event;
        members->is_present[event->slot] = true;
        break;
    case ISO_RECORDING_EVENT_LEFT:
        members->is_present[event->slot] = false;
        break;
    default:
        break;
    }
}

/// The events of members that are present at `from`, so that a reader knows their names.
static bool write_members(replay_rewrite *rewrite) {
    roster members;
    memset(&members, 0, sizeof members);
    uint64_t cursor = rewrite->recording->frames_offset;
    uint64_t next_tick = rewrite->recording->header.first_tick + 1;
    iso_recording_frame frame;
    while (next_tick <= rewrite->from && iso_recording_next(rewrite->recording, &cursor, &frame)) {
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_EVENT && iso_recording_read_event(&frame, &event) == ISO_OK) {
            note_member(&members, &event);
        }
        next_tick += frame.type == ISO_RECORDING_TICK;
    }
    bool ok = true;
    for (uint32_t slot = 0; ok && slot < ISO_SLOT_COUNT_MAX; ++slot) {
        ok = !members.is_present[slot] || iso__replay_writer_event(rewrite->writer, &members.members[slot]);
    }
    return ok;
}

static bool write_tick(replay_rewrite *rewrite, const iso_recording_frame *frame, iso_recording_tick_buffer *buffer) {
    iso_recording_tick tick;
    const iso_status status = iso_recording_read_tick(frame, buffer, &tick);
    if (status != ISO_OK) {
        return unreadable("tick", frame->offset, status);
    }
    tick.has_root = tick.has_root && tick.hashed_tick >= rewrite->from;
    if ((rewrite->tick != NULL && !rewrite->tick(rewrite->user, &tick, buffer)) ||
        !iso__replay_writer_tick(rewrite->writer, &tick)) {
        return false;
    }
    const iso_recording_keyframe *keyframe = iso__replay_keyframes_find(&rewrite->keyframes, tick.input.tick);
    if (rewrite->keyframe != NULL) {
        return rewrite->keyframe(rewrite->user, tick.input.tick, keyframe);
    }
    return keyframe == NULL || iso__replay_rewrite_copy(rewrite, keyframe);
}

static bool write_event(replay_rewrite *rewrite, const iso_recording_frame *frame) {
    iso_recording_event event;
    const iso_status status = iso_recording_read_event(frame, &event);
    return status == ISO_OK ? iso__replay_writer_event(rewrite->writer, &event)
                            : unreadable("event", frame->offset, status);
}

/// The root of the last tick, or of the latest before it, where only later ticks carry it.
static void find_last_root(replay_rewrite *rewrite) {
    const iso_recording *recording = rewrite->recording;
    replay_claims claims;
    for (iso__replay_claims_begin(&claims, recording); claims.is_found && claims.tick <= rewrite->to;
         iso__replay_claims_next(&claims)) {
        if (claims.tick >= rewrite->from && (!rewrite->writer->has_root || claims.tick > rewrite->writer->root_tick)) {
            iso__replay_writer_root(rewrite->writer, claims.tick, claims.root);
        }
    }
}

bool iso__replay_rewrite_run(replay_rewrite *rewrite, const char *label, bool quiet) {
    const iso_recording *recording = rewrite->recording;
    iso_recording_keyframe start;
    iso_recording_find_keyframe(recording, rewrite->from, &start);
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL || iso__replay_keyframes_make(&rewrite->keyframes, recording) != ISO_OK) {
        free(buffer);
        return unreadable("recording", 0, ISO_ERR_MEMORY);
    }
    replay_progress progress;
    iso__replay_progress_begin(&progress, label, rewrite->to - rewrite->from, recording->header.def.tick_rate_hz,
                               quiet);
    uint64_t cursor = start.ticks_offset;
    uint64_t next_tick = start.tick + 1; // events belong to the tick that commits them
    iso_recording_frame frame;
    bool ok = write_members(rewrite);
    // Events behind the last tick are the end of the session, and belong to a copy that goes that far.
    while (ok && (next_tick <= rewrite->to || rewrite->to == recording->last_tick) &&
           iso_recording_next(recording, &cursor, &frame)) {
        const bool wanted = next_tick > rewrite->from;
        if (frame.type == ISO_RECORDING_TICK) {
            ok = !wanted || write_tick(rewrite, &frame, buffer);
            iso__replay_progress_update(&progress, wanted ? next_tick - rewrite->from : 0);
            ++next_tick;
        } else if (frame.type == ISO_RECORDING_EVENT && wanted) {
            ok = write_event(rewrite, &frame);
        }
    }
    if (ok) {
        find_last_root(rewrite);
        rewrite->writer->is_degraded = recording->is_degraded && rewrite->to == recording->last_tick;
    }
    iso__replay_progress_end(&progress);
    iso__replay_keyframes_free(&rewrite->keyframes);
    free(buffer);
    return ok;
}
