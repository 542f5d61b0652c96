/// What a connection may make the I/O thread do, in units of work: a unit is about what a byte costs to receive.
///
/// The session bounds what it takes of a member, but on its own thread, and a tick later at the latest. Until then the
/// bytes of a flood would be decoded. The budget follows from the bytes that a member may send in a second
/// (--input-bytes): it suffices for those in the smallest messages that clients send, so a client that keeps to
/// --input-bytes never reaches this limit.
#ifndef ISO_HOST_IO_BUDGET_H
#define ISO_HOST_IO_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define ISO__IO_BUDGET_FRAME   64u // beside its bytes: to hand a message over
#define ISO__IO_BUDGET_COMMAND 64u // beside its bytes: to read and copy it

// Units a second, and at once, for each byte a second that a member may send.
#define ISO__IO_BUDGET_PER_BYTE 16u

typedef struct iso__io_budget {
    uint64_t left; // units
    uint64_t at_ns;
    uint64_t bytes; // of the connection that are charged
} iso__io_budget;

/// A full budget. @param bytes_per_second  that a member may send @param bytes  that the connection has received before
void iso__io_budget_init(iso__io_budget *budget, uint64_t now, uint32_t bytes_per_second, uint64_t bytes);

/// Charges what has come since the last call, and `units`. @param bytes  that the connection has received in all
/// @return false: it is more than is left
bool iso__io_budget_take(iso__io_budget *budget, uint64_t now, uint32_t bytes_per_second, uint64_t bytes,
                         uint32_t units);

#endif
