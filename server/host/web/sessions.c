/// GET /api/sessions, and the end of one.
#include "host/web/sessions.h"

#include <inttypes.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"
#include "host/web/session_reply.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/text.h"

#define END_PATIENCE_NS UINT64_C(2000000000) // for the disk

void iso__web_sessions(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"sessions\":[", text.out);
        const iso__directory *directory = call->web->config.directory;
        const char *between = "\n";
        for (uint32_t i = 0; i < directory->count; ++i) {
            if (!iso__web_sees(call, directory->sessions[i])) {
                continue;
            }
            fputs(between, text.out);
            iso__web_print_session(text.out, directory->sessions[i], "");
            between = ",\n";
        }
        // The page shows nothing that is answered with a sentence at this address.
        const bool changes = !call->web->config.options->has_admin || call->web->config.is_admin;
        fputs(changes ? "\n]}\n" : "\n],\"changes\":false}\n", text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

// ---- The end of one ---------------------------------------------------------------------------------

static void say_ended(const iso__web_call *call, iso__hosted *hosted, bool is_durable) {
    const char *more = !hosted->is_recorded ? "" : is_durable ? ",\"durable\":true" : ",\"durable\":false";
    iso__web_give_session(call, 202, NULL, hosted, more);
}

bool iso__web_answer_ends(iso__web *web, uint64_t now, const iso__hosted *leaves, bool is_last) {
    ISO__ASSERT_ON(iso__web_io(web));
    bool some_wait = false;
    for (uint32_t i = 0; i < ISO__WEB_ENDS_MAX; ++i) {
        iso__web_end *end = &web->ends[i];
        if (end->waiter == NULL) {
            continue;
        }
        const bool is_durable = end->hosted == leaves || iso__hosted_end_is_durable(end->hosted);
        if (!is_durable && !is_last && now < end->until_ns) {
            some_wait = true;
            continue;
        }
        const iso__web_call call = {.web = web, .stream = end->waiter, .sends_body = true};
        end->waiter = NULL;
        if (iso__web_base(call.stream)->state == ISO__STREAM_OPEN) {
            say_ended(&call, end->hosted, is_durable);
        }
    }
    return some_wait;
}

void iso__web_forget_end(iso__web *web, const iso__web_stream *stream) {
    ISO__ASSERT_ON(iso__web_io(web));
    for (uint32_t i = 0; i < ISO__WEB_ENDS_MAX; ++i) {
        if (web->ends[i].waiter == stream) {
            web->ends[i].waiter = NULL;
        }
    }
}

/// The answer comes when the end is on the disk: whoever has it may kill the server. With too many who wait it comes
/// now.
static void answer_later(const iso__web_call *call, iso__hosted *hosted) {
    iso__web_end *end = NULL;
    for (uint32_t i = 0; i < ISO__WEB_ENDS_MAX && end == NULL; ++i) {
        end = call->web->ends[i].waiter == NULL ? &call->web->ends[i] : NULL;
    }
    if (!hosted->is_recorded || end == NULL) {
        say_ended(call, hosted, false);
        return;
    }
    *end = (iso__web_end){call->stream, hosted, iso__clock_now() + END_PATIENCE_NS};
    iso__web_defer(call->stream, true);
    call->web->config.awaits_end(call->web->config.user);
}

void iso__web_end_session(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__hosted *hosted = iso__directory_find(call->web->config.directory, call->params[0]);
    if (hosted == NULL) {
        iso__web_reject(call, 404, call->params[0], "there is no such session");
        return;
    }
    if (hosted->is_ending || atomic_load(&hosted->closed)) {
        iso__web_reject(call, 409, call->params[0], "the session has ended, or is about to");
        return;
    }
    // Its recording is being sealed as one that goes on.
    if (*call->web->config.is_ending) {
        iso__web_reject(call, 409, call->params[0], "the server ends, and its next start continues the session");
        return;
    }
    hosted->is_ending = true;
    iso__log_session(INFO, hosted->name, "is ended over HTTP by %s", call->token_name);
    iso__web_audit(call, 202, "", "done");
    iso__worker_post(hosted->worker,
                     &(iso__inbound){.hosted = hosted,
                                     .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED}});
    answer_later(call, hosted);
}
