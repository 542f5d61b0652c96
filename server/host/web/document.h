/// Answers that take long.
#ifndef ISO_HOST_WEB_DOCUMENT_H
#define ISO_HOST_WEB_DOCUMENT_H

#include "host/web/web.h"

/// Answers with the document as it is. To be called when it is ready and may be used again.
void iso__web_document_give(const iso__web_call *call, const iso__web_document *document);
/// Has the document made, unless the session builder is at it, and answers then.
/// @param make  see iso__web_document
/// @return whether the session builder is asked by this call
bool iso__web_document_make(const iso__web_call *call, iso__web_document *document,
                            iso__buffer *(*make)(const iso__web *web));
void iso__web_document_term(iso__web_document *document);

#endif
