/// Messages to one connection.
#ifndef ISO_SESSION_SEND_H
#define ISO_SESSION_SEND_H

#include "state.h"

/// The next message for this connection alone. @return false when there is none
bool iso__send_personal(iso_session *session, iso__connection *connection, iso_session_action *action);

#endif
