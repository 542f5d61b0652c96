/// The comparison of roots that clients have computed.
#ifndef ISO_SESSION_CONFIRM_H
#define ISO_SESSION_CONFIRM_H

#include "state.h"

void iso__confirm(iso_session *session, iso__connection *connection, const iso_message_confirm *confirm);
void iso__confirm_report(iso_session *session, iso__connection *connection, const iso_message_desync_report *report);

#endif
