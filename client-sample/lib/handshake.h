/// Hello, welcome, pings.
#ifndef ISO_CLIENT_HANDSHAKE_H
#define ISO_CLIENT_HANDSHAKE_H

#include "state.h"

void iso__client_handshake_hello(iso_client *client);
/// The message alone; it goes over the connection that is tried, too.
void iso__client_handshake_hello_fill(iso_client *client, iso_message_hello *hello);
void iso__client_handshake_welcome(iso_client *client, const iso_message_welcome *welcome);
void iso__client_handshake_pong(iso_client *client, const iso_message_pong *pong);
void iso__client_handshake_ping_if_due(iso_client *client);

#endif
