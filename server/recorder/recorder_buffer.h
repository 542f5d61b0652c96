/// The bytes that wait for the disk.
#ifndef ISO_RECORDER_BUFFER_H
#define ISO_RECORDER_BUFFER_H

#include "recorder_state.h"

/// Where the next frame will be in the file.
uint64_t iso__recorder_next_offset(const iso_recorder *recorder);

/// Where the next frame is written, and how many bytes it may have.
uint8_t *iso__recorder_buffer_end(const iso_recorder *recorder);
size_t iso__recorder_buffer_room(const iso_recorder *recorder);

/// Frames of that size were written to the buffer's end.
void iso__recorder_put_data(iso_recorder *recorder, size_t size);

/// Frees the first `size` bytes. The rest moves to the front as soon as it fits there without overlap.
void iso__recorder_buffer_drop(iso_recorder *recorder, size_t size);

#endif
