/// How peers end: refused, ended with a reason, gone. Also their limits.
#ifndef ISO_SESSION_END_H
#define ISO_SESSION_END_H

#include "state.h"

/// The peer is sent the reason, then closed; a member's slot is held or released.
void iso__connection_end(iso_session *session, iso__connection *connection, iso_status status);
/// The connection has ended; a member's slot is held or released.
void iso__connection_forget(iso_session *session, iso__connection *connection, iso_status status);
/// Refuses a command, or the whole message with sequence 0. Ends a peer that causes too many refusals.
void iso__connection_reject(iso_session *session, iso__connection *connection, uint64_t sequence, iso_status code);
/// Ends it if its time limit has passed or it reads too slowly.
void iso__connection_check(iso_session *session, iso__connection *connection);
/// Checks all whose time limit may have passed.
void iso__connection_check_all(iso_session *session);

#endif
