/// The end of the client.
///
/// Functions that can end the client do not return that: they queue the end and set the phase.
#ifndef ISO_CLIENT_END_H
#define ISO_CLIENT_END_H

#include "state.h"

/// Closes the stream, unless it is gone, and ends the client.
void iso__client_end(iso_client *client, iso_status status, const char *text, const char *expected, bool close);
/// The same for what the peer did wrong.
void iso__client_fail(iso_client *client, iso_status status, const char *text);
/// Gives up the connection that is tried beside a silent one, if there is one.
void iso__client_end_spare(iso_client *client);

#endif
