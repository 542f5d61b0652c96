#include "host/guesses.h"

#include <string.h>

#include "host/address.h"

void iso__guesses_init(iso__guesses *guesses, uint32_t burst, uint64_t interval_ns) {
    memset(guesses, 0, sizeof *guesses);
    guesses->burst = burst;
    guesses->interval_ns = interval_ns;
}

/// Where the address is counted: its own place; else one that nobody needs any more; else the last one, which all share for
/// whom there is none. @param is_own  receives whether it is that of this address, or the one that is shared
static uint32_t find(const iso__guesses *guesses, const uint8_t key[16], uint64_t now, bool *is_own) {
    uint32_t free_place = ISO__GUESSES_PLACES;
    *is_own = true;
    for (uint32_t i = 0; i < ISO__GUESSES_PLACES; ++i) {
        const iso__guesses_place *place = &guesses->places[i];
        if (place->is_used && memcmp(place->key, key, sizeof place->key) == 0)
            return i;
        if (free_place == ISO__GUESSES_PLACES && (!place->is_used || place->empty_ns <= now))
            free_place = i;
    }
    *is_own = free_place == ISO__GUESSES_PLACES;
    return free_place;
}

bool iso__guesses_has(const iso__guesses *guesses, const struct sockaddr *address, uint64_t now) {
    uint8_t key[16];
    bool is_own;
    iso__address_key(address, key);
    const uint32_t at = find(guesses, key, now, &is_own);
    return !is_own || guesses->places[at].empty_ns <= now + (guesses->burst - 1) * guesses->interval_ns;
}

void iso__guesses_take(iso__guesses *guesses, const struct sockaddr *address, uint64_t now) {
    uint8_t key[16];
    bool is_own;
    iso__address_key(address, key);
    iso__guesses_place *place = &guesses->places[find(guesses, key, now, &is_own)];
    if (!is_own) {
        *place = (iso__guesses_place){.is_used = true};
        memcpy(place->key, key, sizeof key);
    }
    place->empty_ns = (place->empty_ns > now ? place->empty_ns : now) + guesses->interval_ns;
}
