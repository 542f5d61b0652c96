/// The PROXY protocol: what a proxy says, in front of a connection's own bytes, about who it connects for.
///
/// Versions 1 (a line of text) and 2 (binary), as https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt has them.
/// The parser is pure and takes the bytes in any pieces; what does not begin such a header is noticed at its first
/// wrong byte.
#ifndef ISO_TRANSPORT_PROXY_HEADER_H
#define ISO_TRANSPORT_PROXY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"

#define ISO__PROXY_LINE_MAX  107u  // [bytes] of version 1, with its end
#define ISO__PROXY_EXTRA_MAX 4096u // [bytes] behind the head of version 2, of which the addresses are kept

typedef enum iso__proxy_status {
    ISO__PROXY_MORE,
    ISO__PROXY_DONE,
    ISO__PROXY_FAILED, // it is no such header; nothing more is to be fed
} iso__proxy_status;

typedef struct iso__proxy_header {
    uint8_t bytes[ISO__PROXY_LINE_MAX];
    size_t fill;
    size_t kept;          // [bytes] of version 2 that are kept; 0: not known yet
    size_t skip;          // [bytes] that still follow and say nothing about addresses
    bool has_address;     // false: the proxy itself has connected, as to see whether we are there
    iso__address address; // of who it speaks for
} iso__proxy_header;

/// @param header    all zero at the beginning
/// @param consumed  how many bytes were taken
iso__proxy_status iso__proxy_header_feed(iso__proxy_header *header, const uint8_t *bytes, size_t size,
                                         size_t *consumed);

#endif
