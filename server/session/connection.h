/// Peers: how they connect, and which messages they may send.
#ifndef ISO_SESSION_CONNECTION_H
#define ISO_SESSION_CONNECTION_H

#include "state.h"

void iso__connection_open(iso_session *session, const iso_session_event *opened);
void iso__connection_message(iso_session *session, iso__connection *connection, const iso_message *message,
                             uint32_t size);
void iso__connection_bad_frame(iso_session *session, iso__connection *connection, iso_status status);

#endif
