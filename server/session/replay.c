/// Continuing from a recording: its ticks are stepped again before the first event.
#include "replay.h"

#include <string.h>

#include "isostep/assert.h"

#include "clock.h"
#include "image.h"
#include "member.h"
#include "ring.h"

iso_status iso_session_replay(iso_session *session, const iso_tick_input *input, const uint64_t *root) {
    ISO_ASSERT(!session->has_begun);
    const iso_status status = iso_world_step(session->world, input);
    if (status != ISO_OK) {
        return status;
    }
    const uint64_t ours = iso_world_root(session->world);
    if (root != NULL && *root != ours) {
        return ISO_ERR_DESYNC;
    }
    iso__ring_append(&session->ring, input, NULL, ours);
    session->sealed_tick = input->tick;
    session->is_replayed = true;
    return ISO_OK;
}

void iso_session_replay_event(iso_session *session, const iso_recording_event *event) {
    ISO_ASSERT(!session->has_begun);
    const bool about_member = event->kind == ISO_RECORDING_EVENT_MEMBER || event->kind == ISO_RECORDING_EVENT_DROPPED ||
                              event->kind == ISO_RECORDING_EVENT_RESUMED;
    if (!about_member || event->slot >= session->slot_count || event->root > UINT32_MAX / 2u) {
        return;
    }
    iso__member *member = &session->members[event->slot];
    member->secret_newest = member->secret_used = (uint32_t)event->root;
    // A recording has room for more than a name has.
    uint32_t size = ISO_MEMBER_NAME_MAX;
    while (size > 0 && ((uint8_t)event->name[size] & 0xC0u) == 0x80u) {
        --size;
    }
    memset(member->name, 0, sizeof member->name);
    memcpy(member->name, event->name, size);
}

void iso__replay_begin(iso_session *session) {
    ISO_ASSERT(session->ring.end == session->sealed_tick + 1u);
    if (session->has_begun) {
        return;
    }
    session->has_begun = true;
    session->epoch_tick = session->sealed_tick;
    session->sent_tick = session->written_tick = session->sealed_tick;
    session->recorded_tick = session->keyframe_tick = session->sealed_tick;
    session->empty_since_ns = session->now_ns;
    if (session->is_replayed) {
        iso__clock_start(session, session->now_ns); // the time of the replay is not a slip
    }
    iso__member_read_slots(session);
    iso__image_take_keyframe(session);
}
