/// Confinement to the files that the options name (sandbox.h).
#ifndef ISO_HOST_SANDBOX_FILES_H
#define ISO_HOST_SANDBOX_FILES_H

#include "host/start/options.h"
#include "host/start/sandbox.h"

/// @return false after a message
bool iso__sandbox_confine_files(iso__sandbox *sandbox, const iso__options *options);

#endif
