/// The names of the scene's bodies and joints.
#ifndef ISO_CLIENT_NAMES_H
#define ISO_CLIENT_NAMES_H

#include "state.h"

void iso__client_names_take(iso_client *client, const iso_message_names *message);
void iso__client_names_release(iso_client *client);

#endif
