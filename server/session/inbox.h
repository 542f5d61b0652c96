/// The commands that a message brings.
#ifndef ISO_SESSION_INBOX_H
#define ISO_SESSION_INBOX_H

#include "state.h"

void iso__inbox_input(iso_session *session, iso__connection *connection, const iso_message_input *input);

#endif
