/// The world's random numbers: PCG-XSH-RR, 64 bits of state, 32 of output.
///
///   x' = a x + c  (mod 2^64)     output = rotr32((x ^ x >> 18) >> 27, x >> 59)
///
/// with a = 6364136223846793005 (Knuth's MMIX) and an odd c per stream. Source: M. E. O'Neill, PCG: A Family of
/// Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014.
#ifndef ISO_BASE_RANDOM_H
#define ISO_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/// @param random  [0] the state x, [1] the increment c, odd
void iso__random_seed(uint64_t random[2], uint64_t seed);
uint32_t iso__random_next(uint64_t random[2]);

/// Whether these two numbers are a state that the generator can be in.
static inline bool iso__random_is_valid(const uint64_t random[2]) {
    return (random[1] & 1u) != 0;
}

#endif
