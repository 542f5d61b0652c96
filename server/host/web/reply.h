/// Answers of every kind: what the routes say.
#ifndef ISO_HOST_WEB_REPLY_H
#define ISO_HOST_WEB_REPLY_H

#include <stdio.h>

#include "host/web/web.h"

/// Whether who asks may know of this session: it is not private, or they have a valid token.
bool iso__web_sees(const iso__web_call *call, const iso__hosted *hosted);

/// An answer without a body but a line of text.
void iso__web_say(const iso__web_call *call, unsigned status, const char *text);

/// 503: to be tried again.
void iso__web_busy(const iso__web_call *call);

#define ISO__WEB_JSON "application/json"

/// A text that grows as it is printed.
typedef struct iso__web_text {
    FILE *out; // NULL: there was no memory
    char *text;
    size_t size; // [bytes]
} iso__web_text;

/// Begins a text, to be printed into `text->out`. @return false: there is no memory, and nothing to print into
bool iso__web_text_begin(iso__web_text *text);

/// To be called once after iso__web_text_begin, whatever that returned. @return NULL: there was no memory for all of it
iso__buffer *iso__web_text_end(iso__web_text *text);

/// An answer from the heap. @param buffer  a reference is taken over; NULL: there was no memory
void iso__web_give(const iso__web_call *call, const char *type, iso__buffer *buffer);
/// The same for an answer that is given more than once: the reference stays the caller's.
void iso__web_share(const iso__web_call *call, const char *type, iso__buffer *buffer);

/// An answer of any kind.
void iso__web_send(const iso__web_call *call, const iso__http_head *head, const iso__web_body *body);

/// `{"error":"…"}`, for what changes something. @param lines  further headers; NULL: none
void iso__web_refuse(const iso__web_call *call, unsigned status, const char *lines, const char *why);
/// A JSON text as the answer. @param lines  as above @param buffer  a reference is taken over; NULL: there was no
/// memory
void iso__web_give_json(const iso__web_call *call, unsigned status, const char *lines, iso__buffer *buffer);

#endif
