/// The list of members.
#ifndef ISO_CLIENT_MEMBERS_H
#define ISO_CLIENT_MEMBERS_H

#include "state.h"

void iso__client_members_take(iso_client *client, const iso_message_members *message);

#endif
