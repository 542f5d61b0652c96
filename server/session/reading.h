/// What can be read of a session: its state, and what follows from it. More of it is in session.h.
#ifndef ISO_SESSION_READING_H
#define ISO_SESSION_READING_H

#include "state.h"

iso_session_state iso__reading_get_state(const iso_session *session);
/// The last tick that may be sent: later ones wait for the recorder's report.
uint64_t iso__reading_open_tick(const iso_session *session);

#endif
