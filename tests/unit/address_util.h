/// Addresses for tests, from their texts.
#ifndef ISO_TESTS_ADDRESS_UTIL_H
#define ISO_TESTS_ADDRESS_UTIL_H

#include <arpa/inet.h>
#include <string.h>

#include "base/address.h"

/// @param text  "192.0.2.7" or "2001:db8::1"; what is no address becomes none
static inline iso__address read_address(const char *text, uint16_t port) {
    uint8_t bytes[16];
    if (inet_pton(AF_INET, text, bytes) == 1) {
        return iso__address_make_ipv4(bytes, port);
    }
    return inet_pton(AF_INET6, text, bytes) == 1 ? iso__address_make_ipv6(bytes, port) : (iso__address){0};
}

#endif
