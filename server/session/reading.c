/// What can be read of a session: its state, and what follows from it.
#include "reading.h"

#include <string.h>

#include "isostep/assert.h"

bool iso_session_records(const iso_session *session) {
    ISO_ASSERT(!session->is_recording || !session->is_restarting);
    return session->is_recording || session->is_restarting;
}

bool iso_session_is_degraded(const iso_session *session) {
    ISO_ASSERT(session->config.is_recording || !session->is_recording);
    return session->config.is_recording && (!session->is_recording || session->is_sync_hanging);
}

const iso_world *iso_session_get_world(const iso_session *session) {
    ISO_ASSERT(session->world != NULL);
    return session->world;
}

uint64_t iso__reading_open_tick(const iso_session *session) {
    const uint64_t tick = session->is_recording ? session->written_tick : session->sealed_tick;
    const uint64_t open =
        tick > session->sent_tick ? tick : session->sent_tick; // what was sent unrecorded may still be sent
    ISO_ASSERT(open <= session->sealed_tick);
    return open;
}

iso_session_state iso__reading_get_state(const iso_session *session) {
    ISO_ASSERT(session->run <= ISO__RUN_CLOSED && session->player_count <= session->slot_count);
    if (session->run == ISO__RUN_CLOSED) {
        return ISO_SESSION_CLOSED;
    }
    if (session->run != ISO__RUN_OPEN) {
        return ISO_SESSION_DRAINING;
    }
    if (session->is_paused) {
        return ISO_SESSION_PAUSED;
    }
    return session->player_count > 0 ? ISO_SESSION_RUNNING : ISO_SESSION_WAITING;
}

/// Slots that no other client can take. Before the first event only the world has the members.
static uint32_t reading_count_members(const iso_session *session) {
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso_slot_view view;
        const bool there = iso_world_get_slot(session->world, slot, &view) && view.is_occupied;
        count += session->has_begun ? session->members[slot].state != ISO__MEMBER_FREE : there;
    }
    return count;
}

void iso_session_get_info(const iso_session *session, iso_session_info *info) {
    memset(info, 0, sizeof *info);
    memcpy(info->name, session->config.name, sizeof info->name);
    info->state = (uint8_t)iso__reading_get_state(session);
    info->members = reading_count_members(session);
    ISO_ASSERT(info->members <= session->slot_count);
    const uint32_t player_max = session->config.player_max;
    info->slots = player_max != 0 && player_max < session->slot_count ? player_max : session->slot_count;
    info->spectators = session->spectator_count;
    info->tick = session->sealed_tick;
    info->tick_rate_hz = (uint16_t)session->rate_hz;
    memcpy(info->game, session->fingerprint.game, sizeof info->game);
}
