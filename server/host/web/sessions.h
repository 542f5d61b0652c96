/// Requests that wait for the end of a session, beside the routes for sessions.
#ifndef ISO_HOST_WEB_SESSIONS_H
#define ISO_HOST_WEB_SESSIONS_H

#include "host/web/web.h"

/// Answers who waits for the end of a session that is on the disk, or was waited for long enough.
/// @param leaves  everything of this session is on the disk, and it is about to be freed; NULL: none
/// @param is_last  the server ends: all are answered
/// @return whether somebody still waits
bool iso__web_answer_ends(iso__web *web, uint64_t now, const iso__hosted *leaves, bool is_last);

/// Nobody waits for a session's end over this connection any more.
void iso__web_forget_end(iso__web *web, const iso__web_stream *stream);

#endif
