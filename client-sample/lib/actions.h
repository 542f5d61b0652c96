/// The queue of actions: what the client tells its program to do.
#ifndef ISO_CLIENT_ACTIONS_H
#define ISO_CLIENT_ACTIONS_H

#include "state.h"

iso_client_action *iso__client_action_push(iso_client *client, uint8_t kind);
/// A SEND; the caller fills the message of the given kind.
iso_message *iso__client_action_push_message(iso_client *client, uint8_t kind);

#endif
