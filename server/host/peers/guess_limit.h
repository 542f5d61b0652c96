/// How often somebody may be wrong: wrong passwords and tokens, by address.
///
/// Each wrong one costs one of so many, which come back one after the other. All of loopback is one address here, also
/// where addresses are not limited: what is guessed is the same whoever guesses. Of IPv6 a /64 is one, since one
/// machine has all addresses below; and because one customer has many of those, a /56 has four times as many and a /48
/// sixteen times, together.
///
/// The tables have a fixed size, one for IPv4 and one for IPv6, so that neither has the places of the other. A place is
/// one of eight, which a keyed hash chooses; those who find all eight taken share one, which has tries back ten times
/// as fast: somebody with many addresses slows down whom the hash puts there, and keeps nobody out for good.
#ifndef ISO_HOST_GUESS_LIMIT_H
#define ISO_HOST_GUESS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"

#define ISO__GUESS_LIMIT_SETS 256u // of each table
#define ISO__GUESS_LIMIT_WAYS 8u

typedef struct iso__guess_limit_place {
    uint8_t key[16];
    uint64_t empty_ns; // when all would have come back; 0: never used
    uint8_t bits;      // of the key
} iso__guess_limit_place;

typedef struct iso__guess_limit_set {
    iso__guess_limit_place places[ISO__GUESS_LIMIT_WAYS];
    uint64_t shared_empty_ns; // likewise, of those who have none of the places
} iso__guess_limit_set;

typedef struct iso__guess_limit {
    uint32_t burst;       // that may be wrong at once
    uint64_t interval_ns; // after which one comes back
    uint8_t hash_key[16];
    iso__guess_limit_set v4[ISO__GUESS_LIMIT_SETS], v6[ISO__GUESS_LIMIT_SETS];
} iso__guess_limit;

void iso__guess_limit_init(iso__guess_limit *limit, uint32_t burst, uint64_t interval_ns);

/// Whether there is one left.
bool iso__guess_limit_has(const iso__guess_limit *limit, const iso__address *address, uint64_t now);

/// Why there is none left: of which addresses too many wrong ones came; "": there is one.
const char *iso__guess_limit_why(const iso__guess_limit *limit, const iso__address *address, uint64_t now);

/// One was wrong.
void iso__guess_limit_take(iso__guess_limit *limit, const iso__address *address, uint64_t now);

#endif
