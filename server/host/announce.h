/// What is said of the server when all is ready.
#ifndef ISO_HOST_ANNOUNCE_H
#define ISO_HOST_ANNOUNCE_H

#include "host/host.h"

/// Logs the build, the sessions and their scenes, when all is ready.
void iso__host_announce(const iso__host *host);

#endif
