/// Moderation by the server's operator.
#ifndef ISO_SESSION_MODERATE_H
#define ISO_SESSION_MODERATE_H

#include "state.h"

/// KICK and NOTICE.
void iso__moderate_kick(iso_session *session, const iso_session_event *event);
void iso__moderate_tell(iso_session *session, const iso_session_event *event);
/// The next notice for this connection. @return false when there is none
bool iso__moderate_send(iso_session *session, iso__connection *connection, iso_session_action *action);

#endif
