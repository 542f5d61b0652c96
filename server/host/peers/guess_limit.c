#include "host/peers/guess_limit.h"

#include <sodium.h>
#include <string.h>

#include "isostep/assert.h"

#define LEVELS      3u   // of an IPv6 address
#define WHOLE       128u // bits of an IPv4 address in its mapped form
#define SHARED_RATE 10u  // times as fast as to one address, tries come back to those who share a place

_Static_assert(crypto_shorthash_KEYBYTES == sizeof((iso__guess_limit *)0)->hash_key, "the key's size");

/// What an address is counted as.
typedef struct level {
    uint8_t key[16];
    uint8_t bits;
    uint32_t share; // times as many wrong ones as one address
} level;

void iso__guess_limit_init(iso__guess_limit *limit, uint32_t burst, uint64_t interval_ns) {
    ISO_ASSERT(burst > 0 && interval_ns > 0);
    memset(limit, 0, sizeof *limit);
    limit->burst = burst;
    limit->interval_ns = interval_ns;
    randombytes_buf(limit->hash_key, sizeof limit->hash_key);
}

/// @return how many: 1 for IPv4 and for loopback, whose key is zeros
static uint32_t find_levels(const iso__address *address, level levels[LEVELS]) {
    static const uint8_t bits[LEVELS] = {64, 56, 48};
    static const uint32_t shares[LEVELS] = {1, 4, 16};
    const uint8_t *bytes = address->bytes;
    memset(levels, 0, LEVELS * sizeof *levels);
    const bool is_loopback = iso__address_is_loopback(address);
    if (is_loopback || iso__address_is_mapped(bytes)) {
        levels[0].bits = WHOLE;
        levels[0].share = 1;
        if (!is_loopback) {
            memcpy(levels[0].key, bytes, sizeof levels[0].key);
        }
        return 1;
    }
    for (uint32_t i = 0; i < LEVELS; ++i) {
        levels[i].bits = bits[i];
        levels[i].share = shares[i];
        memcpy(levels[i].key, bytes, bits[i] / 8);
    }
    return LEVELS;
}

static uint32_t set_of(const iso__guess_limit *limit, const level *of) {
    uint8_t bytes[sizeof of->key + 1], hash[crypto_shorthash_BYTES];
    uint32_t number;
    memcpy(bytes, of->key, sizeof of->key);
    bytes[sizeof of->key] = of->bits;
    crypto_shorthash(hash, bytes, sizeof bytes, limit->hash_key);
    memcpy(&number, hash, sizeof number);
    return number % ISO__GUESS_LIMIT_SETS;
}

/// Where it is counted: its own place; else one that nobody needs any more; else none.
/// @return ISO__GUESS_LIMIT_WAYS: none
static uint32_t find(const iso__guess_limit_set *set, const level *of, uint64_t now, bool *is_own) {
    uint32_t free_place = ISO__GUESS_LIMIT_WAYS;
    for (uint32_t i = 0; i < ISO__GUESS_LIMIT_WAYS; ++i) {
        const iso__guess_limit_place *place = &set->places[i];
        *is_own =
            place->empty_ns != 0 && place->bits == of->bits && memcmp(place->key, of->key, sizeof place->key) == 0;
        if (*is_own) {
            return i;
        }
        if (free_place == ISO__GUESS_LIMIT_WAYS && place->empty_ns <= now) {
            free_place = i;
        }
    }
    return free_place;
}

/// Whether a bucket that would be whole again at this time has something in it.
static bool has_some(const iso__guess_limit *limit, uint64_t empty_ns, uint64_t now, uint32_t share) {
    const uint64_t burst = (uint64_t)limit->burst * share;
    return empty_ns <= now + (burst - 1) * (limit->interval_ns / share);
}

static uint64_t take_one(const iso__guess_limit *limit, uint64_t empty_ns, uint64_t now, uint32_t share) {
    return (empty_ns > now ? empty_ns : now) + limit->interval_ns / share;
}

const char *iso__guess_limit_why(const iso__guess_limit *limit, const iso__address *address, uint64_t now) {
    ISO_ASSERT(limit->burst > 0 && limit->interval_ns > 0);
    static const char *const near[] = {"this address", "the network of this address", "the network of this address"};
    level levels[LEVELS];
    const uint32_t count = find_levels(address, levels);
    const char *why = "";
    bool is_own;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__guess_limit_set *set = &(levels[i].bits == WHOLE ? limit->v4 : limit->v6)[set_of(limit, &levels[i])];
        const uint32_t at = find(set, &levels[i], now, &is_own);
        // A place is taken by the first that is wrong.
        if (at == ISO__GUESS_LIMIT_WAYS && !has_some(limit, set->shared_empty_ns, now, SHARED_RATE)) {
            why = "many addresses";
        } else if (is_own && !has_some(limit, set->places[at].empty_ns, now, levels[i].share)) {
            why = near[i];
        }
    }
    return why;
}

bool iso__guess_limit_has(const iso__guess_limit *limit, const iso__address *address, uint64_t now) {
    ISO_ASSERT(limit->burst > 0);
    return iso__guess_limit_why(limit, address, now)[0] == '\0';
}

void iso__guess_limit_take(iso__guess_limit *limit, const iso__address *address, uint64_t now) {
    ISO_ASSERT(limit->burst > 0 && limit->interval_ns > 0);
    level levels[LEVELS];
    const uint32_t count = find_levels(address, levels);
    bool is_own;
    for (uint32_t i = 0; i < count; ++i) {
        iso__guess_limit_set *set = &(levels[i].bits == WHOLE ? limit->v4 : limit->v6)[set_of(limit, &levels[i])];
        const uint32_t at = find(set, &levels[i], now, &is_own);
        if (at == ISO__GUESS_LIMIT_WAYS) {
            set->shared_empty_ns = take_one(limit, set->shared_empty_ns, now, SHARED_RATE);
            continue;
        }
        iso__guess_limit_place *place = &set->places[at];
        if (!is_own) {
            *place = (iso__guess_limit_place){.bits = levels[i].bits};
            memcpy(place->key, levels[i].key, sizeof place->key);
        }
        place->empty_ns = take_one(limit, place->empty_ns, now, levels[i].share);
    }
}
