/// The names that members and spectators have in the session.
#ifndef ISO_SESSION_NAME_H
#define ISO_SESSION_NAME_H

#include "state.h"

/// Makes the name that a connection has asked for its own: another's, and a blank one, get a number.
/// @param slot  that it resumes; ISO_SLOT_NONE: it comes anew
void iso__name_give(const iso_session *session, iso__connection *connection, uint8_t slot);

#endif
