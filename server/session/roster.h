/// The list of members and spectators that connections are sent.
#ifndef ISO_SESSION_ROSTER_H
#define ISO_SESSION_ROSTER_H

#include "state.h"

void iso__roster_init(iso_session *session);
/// The slot's member has joined, left, is held, has resumed, or has another name.
void iso__roster_change(iso_session *session, uint8_t slot);
/// A spectator was activated, and is listed if there is a seat.
void iso__roster_sit(iso_session *session, iso__connection *connection);
/// It leaves. Does nothing for one without a seat.
void iso__roster_rise(iso_session *session, iso__connection *connection);
/// MEMBERS for all that have WELCOME: what has changed. @return false when there is nothing to send
bool iso__roster_send(iso_session *session, iso_session_action *action);
/// MEMBERS for one that has just got WELCOME: the whole list.
void iso__roster_send_all(iso_session *session, iso__connection *connection, iso_session_action *action);

#endif
