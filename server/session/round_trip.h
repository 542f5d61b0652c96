/// How long a tick and its acknowledgement take.
#ifndef ISO_SESSION_ROUND_TRIP_H
#define ISO_SESSION_ROUND_TRIP_H

#include "state.h"

/// A tick was sent to one that is up to date, and what it has acknowledged has changed: for the time of a round trip.
void iso__round_trip_sent(const iso_session *session, iso__connection *connection, uint64_t tick);
void iso__round_trip_acked(const iso_session *session, iso__connection *connection);

#endif
