/// From a peer's frame to its session: only what the peer may send in its state is decoded, and only as far as its I/O
/// budget reaches.
#ifndef ISO_HOST_FRAMES_H
#define ISO_HOST_FRAMES_H

#include "host/peers/peers.h"

/// A frame that has come. @return false: not now
bool iso__peers_take_frame(iso__peers *peers, iso__peer *peer, const uint8_t *bytes, size_t size);

/// Goes on with those that have had their share of the last turn.
void iso__peers_resume_due(iso__peers *peers);

#endif
