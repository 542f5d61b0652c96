/// POST /api/sessions: from a request to a place among the sessions that are created while the server runs, and back.
#include "host/web/create.h"

#include <string.h>
#include <strings.h>

#include "base/affinity.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"
#include "host/web/session_reply.h"
#include "host/web/sessions.h"
#include "isostep/proto/text.h"

/// "application/json", with parameters or without.
static bool is_json(const char *type) {
    const size_t size = sizeof ISO__WEB_JSON - 1;
    return type != NULL && strncasecmp(type, ISO__WEB_JSON, size) == 0 && strchr(" \t;", type[size]) != NULL;
}

bool iso__web_lacks_space(const iso__web *web) {
    ISO_ASSERT(web->config.disk == NULL || web->config.disk->folder >= 0);
    uint64_t bytes;
    return web->config.disk != NULL && web->config.options->free_min > 0 &&
           iso__disk_get_free(web->config.disk, &bytes) && bytes < web->config.options->free_min;
}

void iso__web_create_session(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__web *web = call->web;
    char why[160];
    bool has_memory = true;
    if (*web->config.is_ending || *web->config.is_unready) {
        iso__web_reject(call, 503, "", "the server ends");
        return;
    }
    if (iso__web_lacks_space(web)) {
        iso__web_reject(call, 503, "", "the disk of the recordings has less free than --min-free asks for");
        return;
    }
    if (!is_json(iso__http_find(call->request, "content-type"))) {
        iso__web_reject(call, 415, "", "Content-Type has to be " ISO__WEB_JSON);
        return;
    }
    const iso__audit_who who = iso__web_who(call);
    iso__created_session *created = iso__created_session_request(
        web->config.created, call->request->body, call->request->body_size, call->stream, &who, &has_memory);
    if (created == NULL && has_memory) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_SESSIONS, 1);
        snprintf(why, sizeof why, "--http-sessions allows %u session%s created over HTTP",
                 web->config.options->http_sessions, iso_text_plural(web->config.options->http_sessions));
        iso__web_reject(call, 429, "", why);
    } else if (created == NULL) {
        iso__web_reject(call, 503, "", "out of memory");
    } else {
        iso__web_audit(call, 202, "", "begun");
        call->stream->user = created;
        iso__web_defer(call->stream, true);
    }
}

void iso__web_forget(iso__web *web, iso__web_stream *stream) {
    ISO__ASSERT_ON(iso__web_io(web));
    iso__web_forget_end(web, stream);
    if (stream->user != NULL && stream->user != &web->scenes && stream->user != &web->recordings[0].document &&
        stream->user != &web->recordings[1].document) {
        iso__created_session_forget(stream->user);
    }
    stream->user = NULL;
}

static void tell_created(const iso__web_call *call, iso__hosted *hosted) {
    char lines[ISO_SESSION_NAME_MAX + 32];
    // Relative to the path of the request, whatever a proxy has removed from its beginning.
    snprintf(lines, sizeof lines, "Location: sessions/%s\r\n", hosted->name);
    iso__web_give_session(call, 201, lines, hosted, "");
}

/// What became of it, whether somebody waits for that or not.
static void audit_created(iso__web *web, const iso__created_session *created) {
    char result[sizeof created->why + 16] = "done";
    if (created->status != 201) {
        snprintf(result, sizeof result, "failed: %.*s", (int)strcspn(created->why, "\n"), created->why);
    }
    iso__web_audit_who(web, &created->who, "POST /api/sessions", created->request.name, created->status, result);
}

void iso__web_answer_created(iso__web *web, const iso__created_session *created) {
    ISO__ASSERT_ON(iso__web_io(web));
    ISO_ASSERT(created->status != 0);
    iso__web_stream *stream = created->waiter;
    audit_created(web, created);
    if (stream == NULL) {
        return;
    }
    const iso__web_call call = {.web = web, .stream = stream, .sends_body = true};
    stream->user = NULL;
    if (iso__web_base(stream)->state != ISO__STREAM_OPEN) {
        return;
    }
    if (created->status == 201) {
        tell_created(&call, (iso__hosted *)&created->hosted);
    } else {
        char line[sizeof created->why];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(created->why, "\n"), created->why);
        iso__web_refuse(&call, created->status, NULL, line);
    }
}
