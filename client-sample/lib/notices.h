/// The server's messages about the session and about desyncs, and to the people who play.
#ifndef ISO_CLIENT_NOTICES_H
#define ISO_CLIENT_NOTICES_H

#include "state.h"

void iso__client_notices_desync(iso_client *client, const iso_message_desync_notice *notice);
void iso__client_notices_state(iso_client *client, const iso_message_state_notice *notice);
void iso__client_notices_people(iso_client *client, const iso_message_notice *notice);

#endif
