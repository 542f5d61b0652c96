/// What can be read of the client. Its functions are those of isostep/client.h, and one for the library itself.
#ifndef ISO_CLIENT_READING_H
#define ISO_CLIENT_READING_H

#include "state.h"

/// Whether the predicted world follows from the confirmed one, and is not behind it.
bool iso__client_reading_is_predicted(const iso_client *client);

#endif
