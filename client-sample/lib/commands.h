/// The member's commands, from when they are given until they are sealed.
#ifndef ISO_CLIENT_COMMANDS_H
#define ISO_CLIENT_COMMANDS_H

#include "state.h"

/// The i-th of the ring, the oldest first.
iso__client_command *iso__client_commands_at(iso__client_input *input, uint32_t index);
void iso__client_commands_push(iso__client_input *input, const iso_command *command);
/// Removes commands that were sealed, and reports those that can no longer be.
void iso__client_commands_sealed(iso_client *client, const iso_message_tick *message);
/// A PING leaves; and its PONG is there.
void iso__client_commands_pinged(iso__client_input *input);
void iso__client_commands_heard(iso__client_input *input);
void iso__client_commands_refused(iso_client *client, uint64_t sequence);

#endif
