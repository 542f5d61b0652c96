/// What bots draw by chance. Each has a generator of its own, so that it plays the same game again with the same seed.
#ifndef ISO_CLI_BOT_PICK_H
#define ISO_CLI_BOT_PICK_H

#include "bot.h"

/// SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
static inline uint64_t bot_random(iso__cli_bot *bot) {
    bot->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = bot->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// A number in [low, high].
static inline int32_t bot_pick(iso__cli_bot *bot, int32_t low, int32_t high) {
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1u;
    return (int32_t)(low + (int64_t)(bot_random(bot) % span));
}

/// A length in [low, high] hundredths of a unit, as Q15.16.
static inline fix16_t bot_pick_hundredths(iso__cli_bot *bot, int32_t low, int32_t high) {
    return (fix16_t)((int64_t)bot_pick(bot, low, high) * ISO_FIX16_ONE / 100);
}

#endif
