/// File descriptors and the memory that belongs to them: claimed before the loop is created, which would abort without
/// them.
#ifndef ISO_HOST_DESCRIPTORS_H
#define ISO_HOST_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/// Maximum connections at a time, including those in the handshake and those that are ending.
#define ISO__PEER_MAX 8192u

/// Raises the limit of open files as far as allowed, and checks that the descriptors that are not connections are
/// available.
///
/// @param recording_count  recordings that are written
/// @return the maximum number of connections; 0 after a message
uint32_t iso__descriptors_claim(uint32_t recording_count);

/// Lets the loop's table of descriptors grow to its final size.
/// @param poll  stays with the loop until that has run
/// @return false after a message
bool iso__descriptors_fill(uv_loop_t *loop, uv_poll_t *poll, uint32_t recording_count, uint32_t stream_max);

#endif
