#include "host/sessions/record_actions.h"

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/recording_hand_in.h"

static iso_status hand_in_keyframe(iso__hosted *hosted, const iso_session_action *action) {
    iso_recording_keyframe keyframe = {
        .tick = action->tick,
        .root = action->root,
        .raw_size = (uint32_t)action->plain_size,
        .stored_size = (uint32_t)action->byte_count,
    };
    if (!hosted->is_restart_asked) {
        return iso__recording_keyframe(&hosted->recording, &keyframe, action->bytes);
    }
    iso__roster roster = {0};
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        roster.is_there[slot] = iso_session_get_member(hosted->session, slot, &roster.events[slot]);
    }
    hosted->is_restart_asked = false;
    hosted->is_lost = false;
    hosted->recording_lost = ISO_OK;
    iso_status status = iso__recording_restart(&hosted->recording, &keyframe, action->bytes, &roster);
    if (status != ISO_OK) {
        return status;
    }
    hosted->begun_ns = hosted->disk_waited_ns = iso__clock_now();
    hosted->handed_tick = action->tick;
    hosted->behind_ns = hosted->begun_ns;
    hosted->report = (iso__recording_report){.generation = hosted->report.generation + 1};
    return ISO_OK;
}

static iso_status hand_in(iso__hosted *hosted, const iso_session_action *action) {
    iso__recording *recording = &hosted->recording;
    switch (action->kind) {
    case ISO_SESSION_ACTION_RECORD_TICK:
        hosted->handed_tick = action->tick;
        if (hosted->behind_ns == 0) {
            hosted->behind_ns = iso__clock_now();
        }
        if (hosted->disk_waited_ns == 0 && !hosted->is_lost) {
            hosted->disk_waited_ns = iso__clock_now();
        }
        return iso__recording_tick(recording, action->tick, action->root, action->bytes, action->byte_count);
    case ISO_SESSION_ACTION_RECORD_KEYFRAME:
        return hand_in_keyframe(hosted, action);
    case ISO_SESSION_ACTION_RECORD_EVENT:
        return iso__recording_event(recording, action->event);
    default:
        return iso__recording_seal(recording, action->tick, action->root, action->status == ISO_ERR_RESTARTING);
    }
}

void iso__session_recording_do(iso__hosted *hosted, const iso_session_action *action) {
    ISO__ASSERT_ON(&hosted->affinity);
    ISO_ASSERT(hosted->is_recorded);
    // Ticks after a gap could not be replayed; the recording ends at its last complete tick.
    bool begins = action->kind == ISO_SESSION_ACTION_RECORD_KEYFRAME && hosted->is_restart_asked;
    if (action->kind != ISO_SESSION_ACTION_RECORD_SEAL && hosted->recording_lost != ISO_OK && !begins) {
        return;
    }
    iso_status status = hand_in(hosted, action);
    if (status != ISO_OK && hosted->recording_lost == ISO_OK) {
        hosted->recording_lost = status;
    }
}

void iso__session_recording_close(iso__hosted *hosted, iso_status status) {
    ISO__ASSERT_ON(&hosted->affinity);
    if (hosted->is_recorded && status != ISO_ERR_RESTARTING) {
        iso__recording_end_session(&hosted->recording);
    }
}
