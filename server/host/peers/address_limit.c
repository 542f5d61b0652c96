/// The table of addresses. See address_limit.h.
#include "host/peers/address_limit.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/text.h"

#define NS_PER_S UINT64_C(1000000000)
#define ENTRIES  (ISO__ADDRESS_LIMIT_SETS * ISO__ADDRESS_LIMIT_WAYS)

_Static_assert(crypto_shorthash_KEYBYTES == 16, "the key's size");

bool iso__address_limit_init(iso__address_limit *limit, const iso__address_limit_config *config) {
    ISO_ASSERT(config->trusted_count == 0 || config->trusted != NULL);
    memset(limit, 0, sizeof *limit);
    limit->config = *config;
    if (config->strikes_max == 0) {
        limit->config.strikes_max = ISO__ADDRESS_LIMIT_STRIKES_MAX;
    }
    if (config->out_seconds == 0) {
        limit->config.out_seconds = ISO__ADDRESS_LIMIT_OUT_S;
    }
    if (sodium_init() < 0) {
        return false;
    }
    randombytes_buf(limit->hash_key, sizeof limit->hash_key);
    return true;
}

bool iso__address_limit_is_trusted(const iso__address_limit *limit, const iso__address *address) {
    ISO_ASSERT(limit->config.trusted_count == 0 || limit->config.trusted != NULL);
    for (uint32_t i = 0; i < limit->config.trusted_count; ++i) {
        if (iso__address_range_has(&limit->config.trusted[i], address)) {
            return true;
        }
    }
    return false;
}

/// Until when the entry matters, or mattered. A refused address is kept as long as another entry can be replaced.
static uint64_t entry_age(const iso__address_limit_entry *entry) {
    return entry->seen_ns > entry->out_until_ns ? entry->seen_ns : entry->out_until_ns;
}

static uint64_t hash(const iso__address_limit *limit, const uint8_t *key) {
    uint8_t bytes[crypto_shorthash_BYTES];
    uint64_t origin;
    crypto_shorthash(bytes, key, 16, limit->hash_key);
    memcpy(&origin, bytes, sizeof origin);
    return origin != 0 ? origin : 1;
}

static iso__address_limit_entry *set_of(iso__address_limit *limit, uint64_t origin) {
    return &limit->entries[origin % ISO__ADDRESS_LIMIT_SETS * ISO__ADDRESS_LIMIT_WAYS];
}

/// The address's entry, perhaps a new one. @return NULL when all its places are taken
static iso__address_limit_entry *find(iso__address_limit *limit, const uint8_t *key) {
    const uint64_t origin = hash(limit, key);
    iso__address_limit_entry *set = set_of(limit, origin);
    iso__address_limit_entry *oldest = NULL;
    for (iso__address_limit_entry *entry = set; entry < set + ISO__ADDRESS_LIMIT_WAYS; ++entry) {
        if (entry->origin != 0 && memcmp(entry->key, key, sizeof entry->key) == 0) {
            return entry;
        }
        // A place that was never used counts as the oldest of all.
        if (entry->connections == 0 && entry->held == 0 && (oldest == NULL || entry_age(entry) < entry_age(oldest))) {
            oldest = entry;
        }
    }
    if (oldest != NULL) {
        *oldest = (iso__address_limit_entry){.origin = origin};
        memcpy(oldest->key, key, sizeof oldest->key);
    }
    return oldest;
}

/// A bucket that holds a second's worth of accepts.
static bool take_accept(iso__address_limit_entry *entry, uint32_t per_second, uint64_t now) {
    uint64_t begin = entry->accepts_empty_ns > now ? entry->accepts_empty_ns : now;
    uint64_t end = begin + NS_PER_S / per_second;
    if (end > now + NS_PER_S) {
        return false;
    }
    entry->accepts_empty_ns = end;
    return true;
}

iso__address_limit_answer iso__address_limit_enter(iso__address_limit *limit, const iso__address *address, uint64_t now,
                                                   uint32_t *index) {
    ISO_ASSERT(limit->config.accepts_per_second > 0);
    *index = ISO__ADDRESS_LIMIT_EXEMPT;
    if ((!limit->config.is_loopback && iso__address_is_loopback(address)) ||
        iso__address_limit_is_trusted(limit, address)) {
        return ISO__ADDRESS_LIMIT_TAKEN;
    }
    uint8_t key[16];
    iso__address_key(address, key);
    iso__address_limit_entry *entry = find(limit, key);
    if (entry == NULL) {
        return ISO__ADDRESS_LIMIT_CROWDED;
    }
    entry->seen_ns = now;
    if (entry->out_until_ns > now) {
        return ISO__ADDRESS_LIMIT_OUT;
    }
    if (!take_accept(entry, limit->config.accepts_per_second, now)) {
        return ISO__ADDRESS_LIMIT_ACCEPTS;
    }
    if (entry->connections >= limit->config.connections_max) {
        return ISO__ADDRESS_LIMIT_CONNECTIONS;
    }
    ++entry->connections;
    *index = (uint32_t)(entry - limit->entries);
    return ISO__ADDRESS_LIMIT_TAKEN;
}

void iso__address_limit_leave(iso__address_limit *limit, uint32_t index) {
    ISO_ASSERT(index == ISO__ADDRESS_LIMIT_EXEMPT || (index < ENTRIES && limit->entries[index].connections > 0));
    if (index != ISO__ADDRESS_LIMIT_EXEMPT) {
        --limit->entries[index].connections;
    }
}

uint64_t iso__address_limit_origin(const iso__address_limit *limit, uint32_t index) {
    ISO_ASSERT(index == ISO__ADDRESS_LIMIT_EXEMPT || index < ENTRIES);
    return index != ISO__ADDRESS_LIMIT_EXEMPT ? limit->entries[index].origin : 0;
}

void iso__address_limit_hold(iso__address_limit *limit, uint64_t origin, bool held) {
    ISO_ASSERT(origin != 0); // of the entries that were never used
    iso__address_limit_entry *set = set_of(limit, origin);
    for (iso__address_limit_entry *entry = set; entry < set + ISO__ADDRESS_LIMIT_WAYS; ++entry) {
        if (entry->origin == origin) {
            entry->held = held ? entry->held + 1 : entry->held > 0 ? entry->held - 1 : 0;
        }
    }
}

bool iso__address_limit_is_over(const iso__address_limit *limit, uint32_t index) {
    ISO_ASSERT(index == ISO__ADDRESS_LIMIT_EXEMPT || index < ENTRIES);
    if (index == ISO__ADDRESS_LIMIT_EXEMPT) {
        return false;
    }
    const iso__address_limit_entry *entry = &limit->entries[index];
    return entry->connections + entry->held > limit->config.connections_max;
}

bool iso__address_limit_strike(iso__address_limit *limit, uint32_t index, uint64_t now) {
    ISO_ASSERT(index == ISO__ADDRESS_LIMIT_EXEMPT || index < ENTRIES);
    if (index == ISO__ADDRESS_LIMIT_EXEMPT) {
        return false;
    }
    iso__address_limit_entry *entry = &limit->entries[index];
    if (entry->strikes == 0 || now - entry->strikes_ns > ISO__ADDRESS_LIMIT_STRIKES_NS) {
        entry->strikes = 0;
        entry->strikes_ns = now;
    }
    ++entry->strikes;
    if (entry->strikes < limit->config.strikes_max) {
        return false;
    }
    entry->strikes = 0;
    entry->out_until_ns = now + limit->config.out_seconds * NS_PER_S;
    return true;
}

/// [ns] for how long an address is still refused.
static uint64_t out_for(const iso__address_limit *limit, const iso__address *address, uint64_t now) {
    uint8_t key[16];
    iso__address_key(address, key);
    const uint64_t origin = hash(limit, key);
    const iso__address_limit_entry *set = &limit->entries[origin % ISO__ADDRESS_LIMIT_SETS * ISO__ADDRESS_LIMIT_WAYS];
    for (const iso__address_limit_entry *entry = set; entry < set + ISO__ADDRESS_LIMIT_WAYS; ++entry) {
        if (entry->origin == origin && entry->out_until_ns > now) {
            return entry->out_until_ns - now;
        }
    }
    return 0;
}

void iso__address_limit_explain(const iso__address_limit *limit, iso__address_limit_answer answer,
                                const iso__address *address, uint64_t now, char *text) {
    ISO_ASSERT(answer <= ISO__ADDRESS_LIMIT_CROWDED);
    const iso__address_limit_config *config = &limit->config;
    text[0] = '\0';
    if (answer == ISO__ADDRESS_LIMIT_OUT) {
        snprintf(text, ISO__ADDRESS_LIMIT_TEXT_MAX,
                 "nothing from this address for %" PRIu64 " s: it has sent %u malformed messages in a minute "
                 "(--address-strikes, --address-ban)",
                 (out_for(limit, address, now) + NS_PER_S - 1) / NS_PER_S, config->strikes_max);
    } else if (answer == ISO__ADDRESS_LIMIT_CONNECTIONS) {
        snprintf(text, ISO__ADDRESS_LIMIT_TEXT_MAX,
                 "at most %u connection%s and held slots of one address (--address-connections)",
                 config->connections_max, iso_text_plural(config->connections_max));
    } else if (answer == ISO__ADDRESS_LIMIT_ACCEPTS) {
        snprintf(text, ISO__ADDRESS_LIMIT_TEXT_MAX,
                 "at most %u new connection%s a second from one address (--address-accepts)",
                 config->accepts_per_second, iso_text_plural(config->accepts_per_second));
    } else if (answer == ISO__ADDRESS_LIMIT_CROWDED) {
        snprintf(text, ISO__ADDRESS_LIMIT_TEXT_MAX, "too many addresses are connected");
    }
}
