/// What a request about a member does with the bans. Their routes are in bans.c as well.
#ifndef ISO_HOST_WEB_BANS_H
#define ISO_HOST_WEB_BANS_H

#include "host/web/web.h"

/// Bans whom the session has found: by address, unless that is one which many share, and by seat.
/// @return 200; 409: neither is known; 503 after a message: it is not kept
unsigned iso__web_ban_found(iso__web *web, const iso__web_pending *pending);

#endif
