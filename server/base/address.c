#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"

/// Whether its family is one that a socket of ours can have.
static bool is_known(const struct sockaddr *address) {
    return address->sa_family == AF_INET || address->sa_family == AF_INET6 || address->sa_family == AF_UNIX;
}

static const struct in6_addr *in6_of(const struct sockaddr *address) {
    return &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

bool iso__address_is_loopback(const struct sockaddr *address) {
    ISO_ASSERT(is_known(address));
    if (address->sa_family == AF_INET) {
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family != AF_INET6) {
        return true;
    }
    const struct in6_addr *in6 = in6_of(address);
    return IN6_IS_ADDR_LOOPBACK(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && in6->s6_addr[12] == 127);
}

static const uint8_t mapped_prefix[12] = {[10] = 0xFF, [11] = 0xFF};

void iso__address_map(const void *ipv4, uint8_t bytes[16]) {
    ISO_ASSERT(ipv4 != (const void *)bytes); // the prefix would overwrite it
    memcpy(bytes, mapped_prefix, sizeof mapped_prefix);
    memcpy(bytes + sizeof mapped_prefix, ipv4, 4);
}

bool iso__address_is_mapped(const uint8_t bytes[16]) {
    return memcmp(bytes, mapped_prefix, sizeof mapped_prefix) == 0;
}

void iso__address_bytes(const struct sockaddr *address, uint8_t bytes[16]) {
    ISO_ASSERT(is_known(address));
    if (address->sa_family == AF_INET) {
        iso__address_map(&((const struct sockaddr_in *)(const void *)address)->sin_addr, bytes);
    } else if (address->sa_family == AF_INET6) {
        memcpy(bytes, in6_of(address)->s6_addr, 16);
    } else {
        memset(bytes, 0, 16);
    }
}

void iso__address_key(const struct sockaddr *address, uint8_t key[16]) {
    ISO_ASSERT(is_known(address));
    iso__address_bytes(address, key);
    if (!iso__address_is_mapped(key)) {
        memset(key + 8, 0, 8);
    }
}

bool iso__address_is_same(const struct sockaddr *a, const struct sockaddr *b) {
    ISO_ASSERT(is_known(a) && is_known(b));
    uint8_t left[16], right[16];
    iso__address_key(a, left);
    iso__address_key(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

bool iso__address_range_has(const iso__address_range *range, const struct sockaddr *address) {
    ISO_ASSERT(range->bits <= 128);
    uint8_t bytes[16];
    iso__address_bytes(address, bytes);
    if (address->sa_family == AF_UNIX) {
        return false;
    }
    // A network of IPv6 such as ::/0 has no IPv4 address in it, though the form in which they are kept here is in it.
    if (iso__address_is_mapped(bytes) != iso__address_is_mapped(range->bytes)) {
        return false;
    }
    const size_t whole = range->bits / 8;
    const uint8_t mask = (uint8_t)(0xFF00 >> range->bits % 8);
    return memcmp(bytes, range->bytes, whole) == 0 &&
           (whole == 16 || ((bytes[whole] ^ range->bytes[whole]) & mask) == 0);
}

bool iso__address_range_parse(const char *text, iso__address_range *range) {
    char host[INET6_ADDRSTRLEN];
    const size_t size = strcspn(text, "/");
    struct in_addr in;
    if (size >= sizeof host) {
        return false;
    }
    memcpy(host, text, size);
    host[size] = '\0';
    memset(range, 0, sizeof *range);
    const bool is_ipv4 = inet_pton(AF_INET, host, &in) == 1;
    if (is_ipv4) {
        iso__address_map(&in, range->bytes);
    } else if (inet_pton(AF_INET6, host, range->bytes) != 1) {
        return false;
    }
    unsigned long bits = is_ipv4 ? 32 : 128;
    if (text[size] == '/') {
        char *end = NULL;
        const char *digits = text + size + 1;
        const unsigned long most = bits;
        bits = strtoul(digits, &end, 10);
        if (*digits < '0' || *digits > '9' || *end != '\0' || bits > most) {
            return false;
        }
    }
    range->bits = (uint8_t)(is_ipv4 ? 96 + bits : bits);
    for (unsigned bit = range->bits; bit < 128; ++bit) {
        if ((range->bytes[bit / 8] & (0x80 >> bit % 8)) != 0) {
            return false;
        }
    }
    return true;
}
