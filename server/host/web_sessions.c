/// GET /api/sessions, and the end of one.
#include "host/web.h"

#include <inttypes.h>

#include "host/log.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/text.h"

void iso__web_print_session(FILE *out, iso__hosted *hosted) {
    iso_session_info info;
    iso__hosted_get_info(hosted, &info);
    fprintf(out,
            "{\"name\":\"%s\",\"state\":\"%s\",\"members\":%" PRIu32 ",\"slots\":%" PRIu32 ",\"spectators\":%" PRIu32
            ",\"tick\":%" PRIu64 ",\"tick_rate_hz\":%u,\"dimensions\":%u,\"game\":",
            info.name, iso_session_state_name(info.state), info.members, info.slots, info.spectators, info.tick,
            info.tick_rate_hz, hosted->dimensions);
    iso_print_json_string(out, info.game);
    fputc('}', out);
}

void iso__web_sessions(const iso__web_call *call) {
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"sessions\":[", text.out);
        const iso__directory *directory = call->web->config.directory;
        for (uint32_t i = 0; i < directory->count; ++i) {
            fputs(i > 0 ? ",\n" : "\n", text.out);
            iso__web_print_session(text.out, directory->sessions[i]);
        }
        fputs("\n]}\n", text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

void iso__web_end_session(const iso__web_call *call) {
    iso__hosted *hosted = iso__directory_find(call->web->config.directory, call->params[0]);
    if (hosted == NULL) {
        iso__web_refuse(call, 404, NULL, "there is no such session");
        return;
    }
    if (hosted->is_ending || atomic_load(&hosted->closed)) {
        iso__web_refuse(call, 409, NULL, "the session has ended, or is about to");
        return;
    }
    hosted->is_ending = true;
    iso__log_session(INFO, hosted->name, "is ended over HTTP by %s", call->token_name);
    iso__web_audit(call, 202, "", "done");
    iso__worker_post(hosted->worker,
                     &(iso__inbound){.hosted = hosted,
                                     .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED}});
    iso__web_give_session(call, 202, NULL, hosted);
}
