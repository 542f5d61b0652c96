/// Resuming: proof of a member's identity, and the state to continue from.
#ifndef ISO_SESSION_RESUME_H
#define ISO_SESSION_RESUME_H

#include "state.h"

/// A new secret for the member of this connection.
void iso__resume_make_secret(iso_session *session, iso__connection *connection);
/// The slot of the claim, when it is proven. @return ISO_SLOT_NONE: it is not, for whatever reason
uint8_t iso__resume_find(iso_session *session, const iso_resume *resume, uint32_t *number);
/// Gives the slot to the client that has shown the secret of this number.
void iso__resume_begin(iso_session *session, iso__connection *connection, const iso_resume *resume, uint8_t slot,
                       uint32_t number);
/// Continues the claim when the recording has the number of the secret that was used last: WELCOME gives the next one
/// away.
void iso__resume_advance(iso_session *session, iso__connection *connection);
void iso__resume_rewind_answer(iso_session *session, iso__connection *connection, bool restored);
/// A message has arrived: the first one after ACTIVATE uses the secret and makes all others void.
void iso__resume_prove(iso_session *session, iso__connection *connection);

#endif
