/// Whether the session's clock runs; and its end.
#ifndef ISO_SESSION_RUN_H
#define ISO_SESSION_RUN_H

#include "state.h"

void iso__run_pause(iso_session *session, iso_status code);
void iso__run_wake(iso_session *session);
/// Begins to end all connections.
void iso__run_drain(iso_session *session, iso_status status);
/// Applies the policy for a session without players; @return when it is next due, UINT64_MAX: never
uint64_t iso__run_empty_deadline(const iso_session *session);
void iso__run_check_empty(iso_session *session);
/// Sends a client the session's state, with the reason.
void iso__run_notify(iso_session *session, iso__connection *connection, iso_status code);

#endif
