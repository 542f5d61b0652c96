/// The comparison of roots: those that clients have computed with the session's.
#include "confirm.h"

#include "isostep/assert.h"

#include "bucket.h"
#include "end.h"
#include "heal.h"
#include "invariants.h"
#include "ring.h"
#include "round_trip.h"

/// The root of a tick that this peer can know. @return false when it cannot know it, or it is no longer kept
static bool confirm_find_root(const iso_session *session, const iso__connection *connection, uint64_t tick,
                              uint64_t *root) {
    const bool receiving = connection->phase == ISO__PHASE_CATCH_UP || connection->phase == ISO__PHASE_ACTIVE;
    return receiving && tick >= connection->snapshot_tick && tick <= connection->sent_tick &&
           iso__ring_root(&session->ring, tick, root);
}

void iso__confirm(iso_session *session, iso__connection *connection, const iso_message_confirm *confirm) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->phase != ISO__PHASE_ENDING);
    if (connection->is_healing) {
        return; // about the world that is being replaced
    }
    uint64_t root;
    if (!confirm_find_root(session, connection, confirm->tick, &root)) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    if (root != confirm->root && !connection->is_not_compared) {
        iso__heal_desync(session, connection, confirm->tick, root, confirm->root);
        return;
    }
    session->stats.confirms += root == confirm->root ? 1u : 0u;
    connection->progress_ns = session->now_ns;
    if (confirm->tick > connection->acked_tick) {
        connection->acked_tick = confirm->tick;
        iso__round_trip_acked(session, connection);
    }
}

void iso__confirm_report(iso_session *session, iso__connection *connection, const iso_message_desync_report *report) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->phase != ISO__PHASE_ENDING);
    // Some may be under way when the world is replaced, or after the comparison has ended.
    if (connection->is_healing || connection->is_not_compared) {
        if (!iso__bucket_take(&connection->reports, session->now_ns, 1, ISO__REPORTS_BURST, 1)) {
            iso__connection_end(session, connection, ISO_ERR_RATE);
        }
        return;
    }
    uint64_t root;
    if (!confirm_find_root(session, connection, report->tick, &root)) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    if (report->root == root) {
        iso__heal_doubt(session, connection, report->tick, root);
        return;
    }
    iso__heal_desync(session, connection, report->tick, root, report->root);
}
