/// How often somebody may be wrong: wrong passwords and tokens, by address (IPv6 by its first 64 bits).
///
/// Each wrong one costs one of so many, which come back one after the other. Loopback counts as one address here, also where
/// addresses are not limited: what is guessed is the same whoever guesses. The table has a fixed size; while
/// none of its places is free, those who have none share one.
#ifndef ISO_HOST_GUESSES_H
#define ISO_HOST_GUESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define ISO__GUESSES_PLACES 256u

typedef struct iso__guesses_place {
    uint8_t key[16];
    uint64_t empty_ns; // when all would have come back
    bool is_used;
} iso__guesses_place;

typedef struct iso__guesses {
    uint32_t burst;                                     // that may be wrong at once
    uint64_t interval_ns;                               // after which one comes back
    iso__guesses_place places[ISO__GUESSES_PLACES + 1]; // the last one is shared
} iso__guesses;

void iso__guesses_init(iso__guesses *guesses, uint32_t burst, uint64_t interval_ns);

/// Whether there is one left.
bool iso__guesses_has(const iso__guesses *guesses, const struct sockaddr *address, uint64_t now);

/// One was wrong.
void iso__guesses_take(iso__guesses *guesses, const struct sockaddr *address, uint64_t now);

#endif
