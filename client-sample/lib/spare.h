/// Another connection, tried beside one that is silent.
#ifndef ISO_CLIENT_SPARE_H
#define ISO_CLIENT_SPARE_H

#include "state.h"

uint64_t iso__client_spare_deadline(const iso_client *client);
/// Begins a try, or ends one that takes too long. Only for a client that is connected.
/// @param before_ns  the time of the event before this one
void iso__client_spare_if_due(iso_client *client, uint64_t before_ns);
/// An event of the connection that is tried.
/// @return true: it is the client's connection now, and its message is to be handled as one of that
bool iso__client_spare_handle(iso_client *client, const iso_client_event *event);
/// The silent connection speaks, while another one is tried: that one is given up, or takes its place.
void iso__client_spare_hear(iso_client *client, const iso_message *message);
/// The connection that is tried takes the place of the other one, if its HELLO is on the way. The phase is then HELLO.
bool iso__client_spare_take_place(iso_client *client, iso_status why);
/// Whether TAKEN_OVER may come of an own HELLO.
bool iso__client_spare_has_taken_over(const iso_client *client);
/// Whether a refusal may be otherwise in a moment.
bool iso__client_refusal_may_pass(iso_status code);

#endif
