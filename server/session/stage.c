/// The stages of a joiner and of one that comes back or is healed: WELCOME, a snapshot, the ticks since.
#include "stage.h"

#include "isostep/assert.h"

#include "invariants.h"
#include "places.h"

bool iso__stage_has_state(const iso_resume *resume) {
    ISO_ASSERT(resume != NULL);
    return resume->tick != 0 || resume->root != 0;
}

void iso__stage_welcome(iso__connection *connection) {
    ISO_ASSERT(connection->phase > ISO__PHASE_CLAIM && connection->phase < ISO__PHASE_ACTIVE && !connection->has_hello);
    connection->has_hello = true;
    connection->is_welcome_due = connection->is_members_due = true;
    // Who comes back has them, unless it has lost all.
    connection->is_names_due = connection->resumed == ISO_RESUMED_NEW || !iso__stage_has_state(&connection->claim);
}

void iso__stage_image(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->image == UINT8_MAX);
    connection->image = UINT8_MAX;
    connection->progress_ns = session->now_ns;
    iso__connection_enter(session, connection, ISO__PHASE_IMAGE);
}

/// A client that steps 1.5 ticks per tick of the session makes up for `lag` ticks within 2 * lag ticks. The rest is for
/// the proof.
void iso__stage_catch_up(iso_session *session, iso__connection *connection, uint64_t tick) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && tick <= session->sealed_tick);
    const uint64_t lag = session->sealed_tick - tick;
    if (connection->image != UINT8_MAX) {
        ISO_ASSERT(connection->image < ISO__IMAGES && session->images[connection->image].users > 0);
        session->images[connection->image].users -= 1;
        connection->image = UINT8_MAX;
    }
    connection->is_healing = false;
    connection->snapshot_tick = tick;
    connection->sent_tick = tick;
    connection->acked_tick = tick;
    // A client that is being healed may have stepped later ticks, and reports them until it has decoded the snapshot.
    connection->top_tick = connection->top_tick > tick ? connection->top_tick : tick;
    connection->replay_budget = ISO__REPLAY_BURST;
    connection->progress_ns = session->now_ns;
    connection->too_slow_tick = session->sealed_tick + 2u * lag + ISO__CATCH_UP_GRACE_S * session->rate_hz;
    iso__connection_enter(session, connection, ISO__PHASE_CATCH_UP);
}
