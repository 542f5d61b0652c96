/// Resuming after the connection broke, rewinds.
#ifndef ISO_CLIENT_RESUME_H
#define ISO_CLIENT_RESUME_H

#include "state.h"

/// A time to wait before the next try, longer after more of them.
uint64_t iso__client_resume_delay(iso_client *client, uint32_t tries, iso_status why);
/// The connection is lost: what belongs to it is discarded, and the time for trying runs.
void iso__client_resume_away(iso_client *client, iso_status why);
/// Begins to reconnect, if that is configured and may help. The phase is then AWAY.
/// @param close  whether the stream is still open
/// @return false when the client has to end.
/// @param why    the status of the end if it fails
bool iso__client_resume_try(iso_client *client, bool close, iso_status why);
/// When reconnecting is given up [ns].
uint64_t iso__client_resume_deadline(const iso_client *client);
/// Reconnecting is given up.
void iso__client_resume_give_up(iso_client *client);
/// The client is to go on as this member, without its world.
void iso__client_resume_claim(iso_client *client, const iso_resume *claim);
void iso__client_resume_hello(iso_client *client, iso_message_hello *hello);
/// What is wrong with an answer to the HELLO, or NULL. client->welcome is still the one before.
const char *iso__client_resume_find_fault(const iso_client *client, const iso_message_welcome *welcome);
/// The server's answer has been taken over.
void iso__client_resume_welcome(iso_client *client);
void iso__client_resume_rewind(iso_client *client, const iso_message_rewind *rewind);

#endif
