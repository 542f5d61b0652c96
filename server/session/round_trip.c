/// How long a tick and its acknowledgement take.
#include "round_trip.h"

#include "isostep/assert.h"

#include "invariants.h"

void iso__round_trip_sent(const iso_session *session, iso__connection *connection, uint64_t tick) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->probe_tick == 0) {
        connection->probe_tick = tick;
        connection->probe_ns = session->now_ns;
    }
}

/// One tick at a time is timed: the mean moves by an eighth of the difference, as TCP's does.
void iso__round_trip_acked(const iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->probe_tick == 0 || connection->acked_tick < connection->probe_tick) {
        return;
    }
    const uint64_t sample = session->now_ns - connection->probe_ns, mean = connection->round_trip_ns;
    connection->round_trip_ns = mean == 0 ? sample : mean - mean / 8u + sample / 8u;
    connection->probe_tick = 0;
}
