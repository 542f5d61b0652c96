/// Who a proxy speaks for: X-Forwarded-For and Forwarded (RFC 7239), read from the right end.
///
/// Each proxy adds at the right who has connected to it; what stands to the left of that anybody may have written. So
/// the address is the first one from the right that is not a trusted proxy's.
#ifndef ISO_HTTP_FORWARDED_H
#define ISO_HTTP_FORWARDED_H

#include <stdbool.h>

#include "base/address.h"
#include "http/request.h"

#define ISO__HTTP_HOPS_MAX 16u // trusted proxies in a row

typedef enum iso__http_forwarded {
    ISO__HTTP_FORWARDED_NONE, // neither header is there: the proxy asks for itself
    ISO__HTTP_FORWARDED_FOUND,
    ISO__HTTP_FORWARDED_WRONG, // what a trusted proxy has written is no address
    // Both headers are there and name different addresses: one of them the proxy does not write
    ISO__HTTP_FORWARDED_DISAGREE,
} iso__http_forwarded;

/// To be called for requests that come from a trusted proxy.
/// @param is_trusted  whether an address is a trusted proxy's
/// @param address     receives the address, with ISO__HTTP_FORWARDED_FOUND
iso__http_forwarded iso__http_forwarded_find(const iso__http_request *request,
                                             bool (*is_trusted)(const void *user, const iso__address *address),
                                             const void *user, iso__address *address);

#endif
