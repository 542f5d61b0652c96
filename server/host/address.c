/// The table of addresses. See address.h.
#include "host/address.h"

#include <netinet/in.h>
#include <sodium.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

_Static_assert(crypto_shorthash_KEYBYTES == 16, "the key's size");

bool iso__addresses_init(iso__addresses *addresses, const iso__address_config *config) {
    memset(addresses, 0, sizeof *addresses);
    addresses->config = *config;
    if (sodium_init() < 0)
        return false;
    randombytes_buf(addresses->hash_key, sizeof addresses->hash_key);
    return true;
}

static const struct in6_addr *in6_of(const struct sockaddr *address) {
    return &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

bool iso__address_is_loopback(const struct sockaddr *address) {
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    const struct in6_addr *in6 = in6_of(address);
    return IN6_IS_ADDR_LOOPBACK(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && in6->s6_addr[12] == 127);
}

/// IPv4 in its mapped form; IPv6 without its host part.
static void make_key(const struct sockaddr *address, uint8_t *key) {
    memset(key, 0, 16);
    if (address->sa_family == AF_INET) {
        key[10] = key[11] = 0xFF;
        memcpy(key + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    } else {
        const struct in6_addr *in6 = in6_of(address);
        memcpy(key, in6->s6_addr, IN6_IS_ADDR_V4MAPPED(in6) ? 16 : 8);
    }
}

/// Until when the entry matters, or mattered. A refused address is kept as long as another entry can be replaced.
static uint64_t entry_age(const iso__address_entry *entry) {
    return entry->seen_ns > entry->out_until_ns ? entry->seen_ns : entry->out_until_ns;
}

static uint64_t hash(const iso__addresses *addresses, const uint8_t *key) {
    uint8_t bytes[crypto_shorthash_BYTES];
    uint64_t origin;
    crypto_shorthash(bytes, key, 16, addresses->hash_key);
    memcpy(&origin, bytes, sizeof origin);
    return origin != 0 ? origin : 1;
}

static iso__address_entry *set_of(iso__addresses *addresses, uint64_t origin) {
    return &addresses->entries[origin % ISO__ADDRESS_SETS * ISO__ADDRESS_WAYS];
}

/// The address's entry, perhaps a new one. @return NULL when all its places are taken
static iso__address_entry *find(iso__addresses *addresses, const uint8_t *key) {
    const uint64_t origin = hash(addresses, key);
    iso__address_entry *set = set_of(addresses, origin);
    iso__address_entry *oldest = NULL;
    for (iso__address_entry *entry = set; entry < set + ISO__ADDRESS_WAYS; ++entry) {
        if (entry->origin != 0 && memcmp(entry->key, key, sizeof entry->key) == 0)
            return entry;
        // A place that was never used counts as the oldest of all.
        if (entry->connections == 0 && entry->held == 0 && (oldest == NULL || entry_age(entry) < entry_age(oldest)))
            oldest = entry;
    }
    if (oldest != NULL) {
        *oldest = (iso__address_entry){.origin = origin};
        memcpy(oldest->key, key, sizeof oldest->key);
    }
    return oldest;
}

/// A bucket that holds a second's worth of accepts.
static bool take_accept(iso__address_entry *entry, uint32_t per_second, uint64_t now) {
    uint64_t begin = entry->accepts_empty_ns > now ? entry->accepts_empty_ns : now;
    uint64_t end = begin + NS_PER_S / per_second;
    if (end > now + NS_PER_S)
        return false;
    entry->accepts_empty_ns = end;
    return true;
}

iso__address_answer iso__addresses_enter(iso__addresses *addresses, const struct sockaddr *address, uint64_t now,
                                         uint32_t *index) {
    *index = ISO__ADDRESS_EXEMPT;
    if (!addresses->config.is_loopback && iso__address_is_loopback(address))
        return ISO__ADDRESS_TAKEN;
    uint8_t key[16];
    make_key(address, key);
    iso__address_entry *entry = find(addresses, key);
    if (entry == NULL)
        return ISO__ADDRESS_CROWDED;
    entry->seen_ns = now;
    if (entry->out_until_ns > now)
        return ISO__ADDRESS_OUT;
    if (!take_accept(entry, addresses->config.accepts_per_second, now))
        return ISO__ADDRESS_ACCEPTS;
    if (entry->connections >= addresses->config.connections_max)
        return ISO__ADDRESS_CONNECTIONS;
    ++entry->connections;
    *index = (uint32_t)(entry - addresses->entries);
    return ISO__ADDRESS_TAKEN;
}

void iso__addresses_leave(iso__addresses *addresses, uint32_t index) {
    if (index != ISO__ADDRESS_EXEMPT)
        --addresses->entries[index].connections;
}

uint64_t iso__addresses_origin(const iso__addresses *addresses, uint32_t index) {
    return index != ISO__ADDRESS_EXEMPT ? addresses->entries[index].origin : 0;
}

void iso__addresses_hold(iso__addresses *addresses, uint64_t origin, bool held) {
    iso__address_entry *set = set_of(addresses, origin);
    for (iso__address_entry *entry = set; entry < set + ISO__ADDRESS_WAYS; ++entry) {
        if (entry->origin == origin)
            entry->held = held ? entry->held + 1 : entry->held > 0 ? entry->held - 1 : 0;
    }
}

bool iso__addresses_is_over(const iso__addresses *addresses, uint32_t index) {
    if (index == ISO__ADDRESS_EXEMPT)
        return false;
    const iso__address_entry *entry = &addresses->entries[index];
    return entry->connections + entry->held > addresses->config.connections_max;
}

bool iso__addresses_strike(iso__addresses *addresses, uint32_t index, uint64_t now) {
    if (index == ISO__ADDRESS_EXEMPT)
        return false;
    iso__address_entry *entry = &addresses->entries[index];
    if (entry->strikes == 0 || now - entry->strikes_ns > ISO__ADDRESS_STRIKES_NS) {
        entry->strikes = 0;
        entry->strikes_ns = now;
    }
    ++entry->strikes;
    if (entry->strikes < ISO__ADDRESS_STRIKES_MAX)
        return false;
    entry->strikes = 0;
    entry->out_until_ns = now + ISO__ADDRESS_OUT_NS;
    return true;
}
