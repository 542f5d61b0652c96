/// The addresses that the server listens on.
#ifndef ISO_HOST_LISTEN_H
#define ISO_HOST_LISTEN_H

#include "host/host.h"

typedef struct iso__host_addresses {
    iso__address players, http, admin;
} iso__host_addresses;

/// Reads the addresses from the options. @return false after a message, like all three
bool iso__host_resolve(iso__host *host, iso__host_addresses *addresses);

/// Binds them; connecting is not possible yet.
bool iso__host_bind(iso__host *host, const iso__host_addresses *addresses, uint32_t stream_max);

/// Opens the listeners.
bool iso__host_listen(iso__host *host);

#endif
