/// Addresses of peers: what they are compared, masked and kept by. Only this knows their families.
#ifndef ISO_BASE_ADDRESS_H
#define ISO_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/// The addresses that begin with some bits.
typedef struct iso__address_range {
    uint8_t bytes[16]; // IPv4 in its mapped form
    uint8_t bits;      // of these that count
} iso__address_range;

/// A socket of the file system is of this machine as well.
bool iso__address_is_loopback(const struct sockaddr *address);

/// @name An address as 16 bytes, the only form in which addresses are kept and compared: IPv4 is mapped into IPv6
/// @{
void iso__address_map(const void *ipv4, uint8_t bytes[16]);
/// Whether it is one of IPv4, however it came.
bool iso__address_is_mapped(const uint8_t bytes[16]);
/// Zeros of a socket of the file system, which has none.
void iso__address_bytes(const struct sockaddr *address, uint8_t bytes[16]);
/// Without the host part of IPv6: what the limits count as one.
void iso__address_key(const struct sockaddr *address, uint8_t key[16]);
/// @}

/// Whether both have one key.
bool iso__address_is_same(const struct sockaddr *a, const struct sockaddr *b);

/// Reads "192.0.2.0/24", "2001:db8::/32", or an address alone. @return false: it is none, or has bits behind its prefix
bool iso__address_range_parse(const char *text, iso__address_range *range);
/// Whether an address is in the range. Of a socket of the file system: never.
bool iso__address_range_has(const iso__address_range *range, const struct sockaddr *address);

#endif
