/// The inputs, one per tick, held while no ticks come.
#ifndef ISO_CLIENT_INPUT_H
#define ISO_CLIENT_INPUT_H

#include "state.h"

/// Starts the clock of the inputs.
/// @param first_target  no target is below it
void iso__client_input_start(iso_client *client, uint64_t first_target);
void iso__client_input_send_if_due(iso_client *client);
void iso__client_input_status(iso_client *client, const iso_message_status *status);
/// Whether an answer that took `rtt_ns` was held up as the ticks are.
bool iso__client_input_is_held_up(const iso_client *client, uint64_t rtt_ns);
/// A tick has come, the next that was expected.
/// @param arrived_tick  the last one that can be here by now, if the server keeps its rate
void iso__client_input_tick(iso_client *client, uint64_t arrived_tick);
/// The answer to a ping has come.
void iso__client_input_pong(iso_client *client, uint32_t ping_id);

#endif
