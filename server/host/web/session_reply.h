/// A session as GET /api/sessions and what changes it show it.
#ifndef ISO_HOST_WEB_SESSION_REPLY_H
#define ISO_HOST_WEB_SESSION_REPLY_H

#include <stdio.h>

#include "host/web/web.h"

/// One session of GET /api/sessions. @param more  further members of the object, each with a comma before it
void iso__web_print_session(FILE *out, iso__hosted *hosted, const char *more);
/// A session as the answer. @param lines  as of iso__web_refuse @param more  likewise
void iso__web_give_session(const iso__web_call *call, unsigned status, const char *lines, iso__hosted *hosted,
                           const char *more);

#endif
