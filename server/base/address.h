/// Addresses: the one form in which the server passes them around, keeps and compares them. The kernel's forms stay
/// where it is called.
#ifndef ISO_BASE_ADDRESS_H
#define ISO_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

typedef enum iso__address_family {
    ISO__ADDRESS_NONE, // not set
    ISO__ADDRESS_IPV4,
    ISO__ADDRESS_IPV6,
    ISO__ADDRESS_LOCAL, // of a socket in the file system
} iso__address_family;

/// An address with its port, by value. All zero: none. Its bytes are mapped if, and only if, it is one of IPv4.
typedef struct iso__address {
    uint8_t bytes[16]; // IPv4 in its mapped form, so that all are compared alike; zeros of a local socket
    iso__address_family family;
    uint32_t scope; // network interface of a link-local address of IPv6; else 0
    uint16_t port;
    bool binds_mapped; // to listen on, of IPv4: bound in IPv6's form, as it was written
    const char *path;  // to listen on, of a local socket; it outlives the address. NULL: of a peer
} iso__address;

/// The addresses that begin with some bits.
typedef struct iso__address_range {
    uint8_t bytes[16]; // IPv4 in its mapped form
    uint8_t bits;      // of these that count
} iso__address_range;

/// @name From the network's bytes, and from and to what the kernel takes
/// @{
void iso__address_map(const void *ipv4, uint8_t bytes[16]);
/// Whether it is one of IPv4, however it came.
bool iso__address_is_mapped(const uint8_t bytes[16]);

iso__address iso__address_make_ipv4(const void *ipv4, uint16_t port);
/// An IPv4 address in IPv6's form becomes the IPv4 one.
iso__address iso__address_make_ipv6(const void *ipv6, uint16_t port);

/// The same of the kernel's form. Of a local socket: one without a path.
iso__address iso__address_from_kernel(const struct sockaddr *from);
/// @return [bytes] of it that count
socklen_t iso__address_to_kernel(const iso__address *address, struct sockaddr_storage *to);
/// @}

/// A socket of the file system is of this machine as well.
bool iso__address_is_loopback(const iso__address *address);

/// Without the host part of IPv6: what the limits count as one.
void iso__address_key(const iso__address *address, uint8_t key[16]);
/// Whether both have one key.
bool iso__address_is_same(const iso__address *a, const iso__address *b);

/// Reads "192.0.2.0/24", "2001:db8::/32", or an address alone. @return false: it is none, or has bits behind its prefix
bool iso__address_range_parse(const char *text, iso__address_range *range);
/// Whether an address is in the range. Of a socket of the file system: never.
bool iso__address_range_has(const iso__address_range *range, const iso__address *address);

#endif
