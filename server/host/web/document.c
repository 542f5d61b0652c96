/// Answers that take long: the session builder prints them.
#include "host/web/document.h"

#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/web/reply.h"

static iso__web_document *document_of(iso__job *job) {
    return (iso__web_document *)(void *)((char *)job - offsetof(iso__web_document, job));
}

static void work(iso__job *job) {
    iso__web_document *document = document_of(job);
    document->begun_ns = iso__clock_now();
    document->built = document->make(document->web);
    document->ready_ns = iso__clock_now();
}

/// Answers all who have waited.
static void done(iso__job *job) {
    iso__web_document *document = document_of(job);
    iso__buffer_release(document->buffer);
    document->buffer = document->built;
    document->built = NULL;
    document->is_asked = false;
    for (iso__stream *head = iso__web_first(&document->web->listener); head != NULL; head = head->next) {
        iso__web_stream *stream = iso__web_of(head);
        if (stream->has_upgraded || stream->user != document) {
            continue;
        }
        stream->user = NULL;
        if (head->state == ISO__STREAM_OPEN) {
            iso__web_document_give(
                &(iso__web_call){.web = document->web, .stream = stream, .sends_body = stream->sends_body}, document);
        }
    }
}

void iso__web_document_give(const iso__web_call *call, const iso__web_document *document) {
    iso__web_share(call, ISO__WEB_JSON, document->buffer);
}

bool iso__web_document_make(const iso__web_call *call, iso__web_document *document,
                            iso__buffer *(*make)(const iso__web *web)) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    ISO_ASSERT(document->web == NULL || document->web == call->web);
    call->stream->user = document;
    iso__web_defer(call->stream, call->sends_body);
    if (document->is_asked) {
        return false;
    }
    document->is_asked = true;
    document->web = call->web;
    document->make = make;
    document->job = (iso__job){.work = work, .done = done};
    iso__job_thread_push(call->web->config.session_builder, &document->job);
    return true;
}

void iso__web_document_term(iso__web_document *document) {
    ISO_ASSERT(!document->is_asked || document->web != NULL);
    iso__buffer_release(document->buffer);
    iso__buffer_release(document->built);
    *document = (iso__web_document){0};
}
