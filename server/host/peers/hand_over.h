/// From a peer to its session: a decoded message goes to the worker, or the peer waits until there is room for it.
#ifndef ISO_HOST_HAND_OVER_H
#define ISO_HOST_HAND_OVER_H

#include "host/peers/peers.h"

/// Hands a message to the peer's session. @return false: not now
bool iso__peers_hand_over(iso__peers *peers, iso__peer *peer, iso_status status, const iso_message *message,
                          uint32_t size);

/// The peer's session has no room: it waits until iso__peers_resume. @return false
bool iso__peers_hold_back(iso__peers *peers, iso__peer *peer);

/// How many commands a message has with it.
uint32_t iso__peers_count_commands(const iso_message *message);

#endif
