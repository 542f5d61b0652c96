/// From HELLO to membership.
#ifndef ISO_SESSION_JOIN_H
#define ISO_SESSION_JOIN_H

#include "state.h"

void iso__join_hello(iso_session *session, iso__connection *connection, const iso_message_hello *hello);
void iso__join_ack(iso_session *session, iso__connection *connection, uint32_t index);
void iso__join_caught_up(iso_session *session, iso__connection *connection, const iso_message_caught_up *caught_up);
/// Advances a joiner when it can: from waiting to its chunks, from the last tick to membership.
void iso__join_advance(iso_session *session, iso__connection *connection);

#endif
