/// Requests for new sessions, beside their routes.
#ifndef ISO_HOST_WEB_CREATE_H
#define ISO_HOST_WEB_CREATE_H

#include "host/web/web.h"

/// Writes down what became of a request for a session, and answers who waits for it.
void iso__web_answer_created(iso__web *web, const iso__created_session *created);

/// A connection ends: what it waits for is not for it any more.
void iso__web_forget(iso__web *web, iso__web_stream *stream);
/// Whether the disk has too little room for another recording.
bool iso__web_lacks_space(const iso__web *web);

#endif
