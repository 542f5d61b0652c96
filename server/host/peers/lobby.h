/// The lobby: connections that have not yet joined a session, and those that are refused.
#ifndef ISO_HOST_LOBBY_H
#define ISO_HOST_LOBBY_H

#include "host/peers/peers.h"

#define ISO__LOBBY_INTERVAL_MS 250u

/// A frame from a connection that has not joined a session. @return false: not now
/// @param status  result of decoding it
bool iso__lobby_take(iso__peers *peers, iso__peer *peer, iso_status status, const iso_message *message, uint32_t size);

/// Sends a connection without a session the reason why it ends.
void iso__lobby_refuse(iso__peers *peers, iso__peer *peer, iso_status status, const char *expected);

/// The same for a connection that gets no place. @param stream  is not closed
void iso__lobby_turn_away(iso__peers *peers, iso__stream *stream, iso_status status, const char *expected);

/// Ends the connections that have waited for too long. To be called at this interval.
void iso__lobby_check(iso__peers *peers);

/// Adds a strike to the peer's address.
void iso__peers_strike(iso__peers *peers, const iso__peer *peer, iso_status status);

#endif
