/// isostep-client --list: the sessions of a server.
#ifndef ISO_CLI_LIST_H
#define ISO_CLI_LIST_H

#include "options.h"

/// @return the exit code.
int iso__cli_list(const iso__cli_options *options);

#endif
