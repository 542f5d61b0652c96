#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "isostep/assert.h"

static const uint8_t mapped_prefix[12] = {[10] = 0xFF, [11] = 0xFF};

void iso__address_map(const void *ipv4, uint8_t bytes[16]) {
    ISO_ASSERT(ipv4 != (const void *)bytes); // the prefix would overwrite it
    memcpy(bytes, mapped_prefix, sizeof mapped_prefix);
    memcpy(bytes + sizeof mapped_prefix, ipv4, 4);
}

bool iso__address_is_mapped(const uint8_t bytes[16]) {
    return memcmp(bytes, mapped_prefix, sizeof mapped_prefix) == 0;
}

/// Whether the bytes are of the family.
static bool is_sound(const iso__address *address) {
    static const uint8_t zeros[16];
    switch (address->family) {
    case ISO__ADDRESS_IPV4:
        return iso__address_is_mapped(address->bytes);
    case ISO__ADDRESS_IPV6:
        return !iso__address_is_mapped(address->bytes) && !address->binds_mapped;
    case ISO__ADDRESS_LOCAL:
        return memcmp(address->bytes, zeros, sizeof zeros) == 0 && !address->binds_mapped;
    case ISO__ADDRESS_NONE:
        break;
    }
    return false;
}

iso__address iso__address_make_ipv4(const void *ipv4, uint16_t port) {
    iso__address address = {.family = ISO__ADDRESS_IPV4, .port = port};
    iso__address_map(ipv4, address.bytes);
    ISO_ASSERT(is_sound(&address));
    return address;
}

iso__address iso__address_make_ipv6(const void *ipv6, uint16_t port) {
    iso__address address = {.port = port};
    memcpy(address.bytes, ipv6, sizeof address.bytes);
    address.family = iso__address_is_mapped(address.bytes) ? ISO__ADDRESS_IPV4 : ISO__ADDRESS_IPV6;
    ISO_ASSERT(is_sound(&address));
    return address;
}

iso__address iso__address_from_kernel(const struct sockaddr *from) {
    ISO_ASSERT(from->sa_family == AF_INET || from->sa_family == AF_INET6 || from->sa_family == AF_UNIX);
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)from;
        return iso__address_make_ipv4(&in->sin_addr, ntohs(in->sin_port));
    }
    if (from->sa_family == AF_UNIX) {
        return (iso__address){.family = ISO__ADDRESS_LOCAL};
    }
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)from;
    iso__address address = iso__address_make_ipv6(&in6->sin6_addr, ntohs(in6->sin6_port));
    address.scope = address.family == ISO__ADDRESS_IPV6 ? in6->sin6_scope_id : 0;
    return address;
}

socklen_t iso__address_to_kernel(const iso__address *address, struct sockaddr_storage *to) {
    ISO_ASSERT(is_sound(address));
    memset(to, 0, sizeof *to);
    if (address->family == ISO__ADDRESS_IPV4 && !address->binds_mapped) {
        struct sockaddr_in *in = (struct sockaddr_in *)to;
        in->sin_family = AF_INET;
        in->sin_port = htons(address->port);
        memcpy(&in->sin_addr, address->bytes + sizeof mapped_prefix, sizeof in->sin_addr);
        return sizeof *in;
    }
    if (address->family != ISO__ADDRESS_LOCAL) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(address->port);
        in6->sin6_scope_id = address->scope;
        memcpy(&in6->sin6_addr, address->bytes, sizeof in6->sin6_addr);
        return sizeof *in6;
    }
    struct sockaddr_un *local = (struct sockaddr_un *)to;
    ISO_ASSERT(address->path != NULL && strlen(address->path) < sizeof local->sun_path);
    local->sun_family = AF_UNIX;
    memcpy(local->sun_path, address->path, strlen(address->path));
    return sizeof *local;
}

bool iso__address_is_loopback(const iso__address *address) {
    static const uint8_t ipv6[16] = {[15] = 1};
    ISO_ASSERT(is_sound(address));
    return address->family == ISO__ADDRESS_LOCAL || memcmp(address->bytes, ipv6, sizeof ipv6) == 0 ||
           (iso__address_is_mapped(address->bytes) && address->bytes[12] == 127);
}

void iso__address_key(const iso__address *address, uint8_t key[16]) {
    ISO_ASSERT(is_sound(address));
    memcpy(key, address->bytes, sizeof address->bytes);
    if (!iso__address_is_mapped(key)) {
        memset(key + 8, 0, 8);
    }
}

bool iso__address_is_same(const iso__address *a, const iso__address *b) {
    ISO_ASSERT(is_sound(a) && is_sound(b));
    uint8_t left[16], right[16];
    iso__address_key(a, left);
    iso__address_key(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

bool iso__address_range_has(const iso__address_range *range, const iso__address *address) {
    ISO_ASSERT(range->bits <= 128 && is_sound(address));
    if (address->family == ISO__ADDRESS_LOCAL) {
        return false;
    }
    // A network of IPv6 such as ::/0 has no IPv4 address in it, though the form in which they are kept here is in it.
    if (iso__address_is_mapped(address->bytes) != iso__address_is_mapped(range->bytes)) {
        return false;
    }
    const size_t whole = range->bits / 8;
    const uint8_t mask = (uint8_t)(0xFF00 >> range->bits % 8);
    return memcmp(address->bytes, range->bytes, whole) == 0 &&
           (whole == 16 || ((address->bytes[whole] ^ range->bytes[whole]) & mask) == 0);
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
