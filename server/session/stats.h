/// Counters, and why connections ended.
#ifndef ISO_SESSION_STATS_H
#define ISO_SESSION_STATS_H

#include "state.h"

void iso__stats_end(iso_session *session, const iso__connection *connection, iso_status status);
void iso__stats_reject(iso_session *session, iso_status code);

#endif
