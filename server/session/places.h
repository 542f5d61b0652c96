/// The storage of connections.
#ifndef ISO_SESSION_PLACES_H
#define ISO_SESSION_PLACES_H

#include "state.h"

iso__connection *iso__connection_find(iso_session *session, uint64_t id);
/// Gives a peer that has connected its place. @return NULL when there is none
iso__connection *iso__connection_place(iso_session *session, const iso_session_event *opened);
/// Removes it from all lists.
void iso__connection_free(iso_session *session, iso__connection *connection);
/// There may be something to send to it.
void iso__connection_touch(iso_session *session, iso__connection *connection);
/// Changes the phase; counts joiners and sets the time limit of the phase.
void iso__connection_enter(iso_session *session, iso__connection *connection, iso__phase phase);
/// When this connection's time limit passes. @return UINT64_MAX: never
uint64_t iso__connection_deadline(const iso_session *session, const iso__connection *connection, iso_status *status);
/// The host was away until now: what peers have sent meanwhile is still to be read, so that no limit passes before a
/// grace.
void iso__connection_forgive_all(iso_session *session, uint64_t now_ns);

#endif
