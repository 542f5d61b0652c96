/// Assembling and decoding the first state.
#ifndef ISO_CLIENT_SNAPSHOT_H
#define ISO_CLIENT_SNAPSHOT_H

#include "state.h"

void iso__client_snapshot_begin(iso_client *client, const iso_message_snapshot_begin *begin);
void iso__client_snapshot_chunk(iso_client *client, const iso_message_snapshot_chunk *chunk);
void iso__client_snapshot_decompressed(iso_client *client, iso_status status, const uint8_t *bytes, size_t size);
void iso__client_snapshot_release(iso_client *client);
/// Frees the world, with its images and its prediction.
void iso__client_world_drop(iso_client *client);

#endif
