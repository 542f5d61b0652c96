#include "host/guesses.h"

#include <netinet/in.h>
#include <string.h>

void iso__guesses_init(iso__guesses *guesses, uint32_t burst, uint64_t interval_ns) {
    memset(guesses, 0, sizeof *guesses);
    guesses->burst = burst;
    guesses->interval_ns = interval_ns;
}

/// IPv4 in its mapped form; IPv6 without its host part; another family is one.
static void make_key(const struct sockaddr *address, uint8_t key[16]) {
    memset(key, 0, 16);
    if (address->sa_family == AF_INET) {
        key[10] = key[11] = 0xFF;
        memcpy(key + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *in6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        memcpy(key, in6->s6_addr, IN6_IS_ADDR_V4MAPPED(in6) ? 16 : 8);
    }
}

static const iso__guesses_place *find(const iso__guesses *guesses, const struct sockaddr *address) {
    uint8_t key[16];
    make_key(address, key);
    for (uint32_t i = 0; i < ISO__GUESSES_PLACES; ++i) {
        if (guesses->places[i].is_used && memcmp(guesses->places[i].key, key, sizeof key) == 0)
            return &guesses->places[i];
    }
    return NULL;
}

bool iso__guesses_has(const iso__guesses *guesses, const struct sockaddr *address, uint64_t now) {
    const iso__guesses_place *place = find(guesses, address);
    return place == NULL || place->empty_ns <= now + (guesses->burst - 1) * guesses->interval_ns;
}

void iso__guesses_take(iso__guesses *guesses, const struct sockaddr *address, uint64_t now) {
    const iso__guesses_place *found = find(guesses, address);
    iso__guesses_place *place = found != NULL ? &guesses->places[found - guesses->places] : &guesses->places[0];
    for (uint32_t i = 1; i < ISO__GUESSES_PLACES && found == NULL; ++i) {
        if (place->is_used && (!guesses->places[i].is_used || guesses->places[i].empty_ns < place->empty_ns))
            place = &guesses->places[i];
    }
    if (found == NULL) {
        *place = (iso__guesses_place){.is_used = true};
        make_key(address, place->key);
    }
    place->empty_ns = (place->empty_ns > now ? place->empty_ns : now) + guesses->interval_ns;
}
