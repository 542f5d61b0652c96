/// Requests that wait until the end of a session is on the disk.
#ifndef ISO_HOST_ENDS_H
#define ISO_HOST_ENDS_H

#include "host/host.h"

/// Answers who waits for the end of a session. @param leaves, is_last  see iso__web_answer_ends
void iso__host_answer_ends(iso__host *host, const iso__hosted *leaves, bool is_last);

/// Somebody waits until a session's end is on the disk.
void iso__host_await_ends(iso__host *host);

#endif
