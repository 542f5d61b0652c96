/// Limits of guessing: how many wrong passwords and tokens an address may send.
///
/// An address has a number of tries. Each wrong one uses one, and they come back one after the other. All of loopback
/// is one address here, even where addresses are not limited, since the secret that is guessed is the same. A /64 of
/// IPv6 is one address, since one machine has all addresses in it. One customer has many of those, so a /56 has four
/// times and a /48 sixteen times as many tries in all.
///
/// The tables have a fixed size, one for IPv4 and one for IPv6, so that neither fills the other. A keyed hash gives an
/// address eight places to choose from. Addresses that find all eight taken share one place, whose tries come back ten
/// times as fast: somebody with many addresses slows down those with the same places, but keeps nobody out for good.
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
