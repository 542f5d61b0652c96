/// The sessions of a server from their start to their end.
#ifndef ISO_HOST_SESSIONS_H
#define ISO_HOST_SESSIONS_H

#include "host/host.h"

/// From recordings and scenes to sessions that wait for their start. @return the exit code
int iso__host_prepare(iso__host *host, const iso__hosted_config *config);

/// What sessions need that are created while the server runs. To be called before iso__created_session_init.
void iso__host_plan_created(iso__host *host, const iso__hosted_config *config);

/// Carries out an item of a worker's queue that is about a session as a whole. @return whether it was one
bool iso__host_hear(iso__host *host, const iso__outbound *item);

/// The sessions' clocks run from here. To be called when they can be joined.
void iso__host_start_sessions(iso__host *host);

/// Ends the sessions.
/// @param status  ISO_ERR_RESTARTING: the sessions continue later, and their members wait; ISO_OK: they are over
void iso__host_shut_down(iso__host *host, iso_status status);

/// Whether every recording is complete and has its final name.
bool iso__host_recordings_are_whole(const iso__host *host);

/// Logs the names of sessions that were closed but that the next start would continue. @return whether there is none
bool iso__host_closed_are_over(iso__host *host);

#endif
