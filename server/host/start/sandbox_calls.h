/// Confinement to the system calls of a server that serves (sandbox.h).
#ifndef ISO_HOST_SANDBOX_CALLS_H
#define ISO_HOST_SANDBOX_CALLS_H

#include "host/start/sandbox.h"

/// @return false after a message
bool iso__sandbox_confine_calls(iso__sandbox *sandbox);

#endif
