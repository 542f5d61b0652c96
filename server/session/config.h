/// The range of a configuration.
#ifndef ISO_SESSION_CONFIG_H
#define ISO_SESSION_CONFIG_H

#include "session.h"

bool iso__config_is_good(const iso_session_config *config);

#endif
