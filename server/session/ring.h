/// The last sealed ticks, for joiners, and their roots, for the comparison with clients.
#ifndef ISO_SESSION_RING_H
#define ISO_SESSION_RING_H

#include "state.h"

void iso__ring_init(iso__ring *ring, uint64_t first_tick);
/// @param canonical  the bytes of its commands; NULL: they are made here
void iso__ring_append(iso__ring *ring, const iso_tick_input *input, const iso__canonical *canonical, uint64_t root);
/// @return false when the tick is no longer kept, or not yet
bool iso__ring_read(const iso__ring *ring, uint64_t tick, iso_change *changes, iso_sealed_command *commands,
                    iso_tick_input *input);
/// The bytes of a tick that is kept: iso_recording_encode_sealed_tick takes them.
const uint8_t *iso__ring_bytes(const iso__ring *ring, uint64_t tick, size_t *size);
bool iso__ring_root(const iso__ring *ring, uint64_t tick, uint64_t *root);
/// Whether any next tick can be appended without dropping this one, which is kept now.
bool iso__ring_spares(const iso__ring *ring, uint64_t tick);

#endif
