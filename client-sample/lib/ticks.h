/// Stepping, comparing roots, confirming, activation.
#ifndef ISO_CLIENT_TICKS_H
#define ISO_CLIENT_TICKS_H

#include "state.h"

void iso__client_ticks_begin(iso_client *client, uint64_t tick, uint64_t root);
void iso__client_ticks_tick(iso_client *client, const iso_message_tick *message);
void iso__client_ticks_activate(iso_client *client, const iso_message_activate *activate);
/// The own world is wrong.
void iso__client_ticks_desync(iso_client *client, uint64_t tick, uint64_t ours, uint64_t theirs);
/// A healing is over: the state after `tick` is that of the server.
void iso__client_ticks_heal(iso_client *client, uint64_t tick, uint64_t root);
/// Sets first_tick and last_tick of an action that takes back what was told of ticks: those after `tick`, and those
/// from the first wrong one on. last_tick is below first_tick when there are none.
void iso__client_ticks_take_back(iso_client *client, uint64_t tick, iso_client_action *action);
/// Sends CAUGHT_UP when it is time.
/// @param server_tick  the last tick that the server can have sent so that it is here by now
void iso__client_ticks_catch_up(iso_client *client, uint64_t server_tick);

#endif
