/// See random.h.
#include "base/random.h"

#define RANDOM_MULTIPLIER UINT64_C(6364136223846793005)

/// Spreads the bits of a seed: two rounds of multiplying and folding.
static uint64_t random_mix(uint64_t x) {
    x = (x ^ (x >> 32)) * RANDOM_MULTIPLIER;
    x = (x ^ (x >> 29)) * RANDOM_MULTIPLIER;
    return x ^ (x >> 32);
}

void iso__random_seed(uint64_t random[2], uint64_t seed) {
    random[1] = random_mix(seed) | 1u;
    random[0] = random_mix(seed + UINT64_C(0x9E3779B97F4A7C15)); // 2^64 / golden ratio: another point of the mix
    (void)iso__random_next(random);
}

uint32_t iso__random_next(uint64_t random[2]) {
    const uint64_t x = random[0];
    random[0] = x * RANDOM_MULTIPLIER + random[1];
    const uint32_t folded = (uint32_t)((x ^ (x >> 18)) >> 27);
    const uint32_t turn = (uint32_t)(x >> 59);
    return (folded >> turn) | (folded << ((32u - turn) & 31u));
}
