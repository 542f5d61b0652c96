/// What the digests of queries in the plane and in space share.
#ifndef ISO_GOLDEN_MIX_H
#define ISO_GOLDEN_MIX_H

#include "isostep/isostep.h"

#define GOLDEN_QUESTIONS    16u
#define GOLDEN_HITS         32u
#define GOLDEN_DIGEST_EMPTY UINT64_C(0xcbf29ce484222325)

/// FNV-1a over whole words.
static inline uint64_t golden_mix(uint64_t digest, int64_t value) {
    return (digest ^ (uint64_t)value) * UINT64_C(0x100000001b3);
}

/// A number of so many bits, at most 38.
static inline int64_t golden_random(uint64_t *state, unsigned bits) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)(*state >> (64 - bits));
}

#endif
