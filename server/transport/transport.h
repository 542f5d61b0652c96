/// The transports that players' streams come over. Who adds one adds it here: the host knows listeners and streams
/// alone (stream.h).
#ifndef ISO_TRANSPORT_TRANSPORT_H
#define ISO_TRANSPORT_TRANSPORT_H

#include "transport/tcp.h"

typedef struct iso__transport {
    iso__tcp_listener tcp;
} iso__transport;

/// Initialises the listener that the server's main address is bound to. It is not open.
///
/// @param transport  the caller's memory, until the loop has ended after iso__listener_close
static inline iso__listener *iso__transport_init(iso__transport *transport) {
    return iso__tcp_listener_init(&transport->tcp);
}

#endif
