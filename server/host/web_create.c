/// POST /api/sessions: from a request to a place among the sessions that are created while the server runs, and back.
#include "host/web.h"

#include <string.h>
#include <strings.h>

#include "isostep/proto/text.h"

/// `{"error":"…"}`. @param lines  further headers; NULL: none
static void refuse(const iso__web_call *call, unsigned status, const char *lines, const char *why) {
    iso__web_text text;
    const size_t size = strcspn(why, "\n");
    if (iso__web_text_begin(&text)) {
        char line[1500];
        snprintf(line, sizeof line, "%.*s", (int)size, why);
        fputs("{\"error\":", text.out);
        iso_print_json_string(text.out, line);
        fputs("}\n", text.out);
    }
    iso__buffer *buffer = iso__web_text_end(&text);
    const uint64_t answer_size = buffer != NULL ? buffer->size : 0;
    iso__web_send(call, &(iso__http_head){.status = status, .type = ISO__WEB_JSON, .size = answer_size, .lines = lines},
                  &(iso__web_body){.buffer = buffer, .size = answer_size});
    iso__buffer_release(buffer);
}

/// "application/json", with parameters or without.
static bool is_json(const char *type) {
    const size_t size = sizeof ISO__WEB_JSON - 1;
    return type != NULL && strncasecmp(type, ISO__WEB_JSON, size) == 0 && strchr(" \t;", type[size]) != NULL;
}

void iso__web_create_session(const iso__web_call *call) {
    iso__web *web = call->web;
    char why[160];
    bool has_memory = true;
    const unsigned status = iso__web_change_status(web, call->request);
    if (status != 200) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_DENIED, 1);
        refuse(call, status, status == 401 ? ISO__WEB_ASK_TOKEN : NULL, iso__web_denial(status));
        return;
    }
    if (*web->config.is_ending) {
        refuse(call, 503, NULL, "the server ends");
        return;
    }
    if (!is_json(iso__http_find(call->request, "content-type"))) {
        refuse(call, 415, NULL, "Content-Type has to be " ISO__WEB_JSON);
        return;
    }
    iso__made *made =
        iso__made_request(web->config.made, call->request->body, call->request->body_size, call->stream, &has_memory);
    if (made == NULL && has_memory) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_SESSIONS, 1);
        snprintf(why, sizeof why, "--http-sessions allows %u sessions that were created over HTTP",
                 web->config.options->http_sessions);
        refuse(call, 429, NULL, why);
    } else if (made == NULL) {
        refuse(call, 503, NULL, "out of memory");
    } else {
        call->stream->user = made;
        iso__web_defer(call->stream);
    }
}

void iso__web_forget(iso__web *web, iso__web_stream *stream) {
    if (stream->user != NULL && stream->user != &web->scenes)
        iso__made_forget(stream->user);
    stream->user = NULL;
}

static void tell_created(const iso__web_call *call, iso__hosted *hosted) {
    iso__web_text text;
    char lines[ISO_SESSION_NAME_MAX + 32];
    if (iso__web_text_begin(&text)) {
        iso__web_print_session(text.out, hosted);
        fputc('\n', text.out);
    }
    iso__buffer *buffer = iso__web_text_end(&text);
    const uint64_t size = buffer != NULL ? buffer->size : 0;
    // Relative to the path of the request, whatever a proxy has removed from its beginning.
    snprintf(lines, sizeof lines, "Location: sessions/%s\r\n", hosted->name);
    iso__web_send(call, &(iso__http_head){.status = 201, .type = ISO__WEB_JSON, .size = size, .lines = lines},
                  &(iso__web_body){.buffer = buffer, .size = size});
    iso__buffer_release(buffer);
}

void iso__web_answer_made(iso__web *web, const iso__made *made) {
    iso__web_stream *stream = made->waiter;
    const iso__web_call call = {.web = web, .stream = stream, .sends_body = true};
    stream->user = NULL;
    if (stream->tcp.base.state != ISO__STREAM_OPEN)
        return;
    if (made->status == 201)
        tell_created(&call, (iso__hosted *)&made->hosted);
    else
        refuse(&call, made->status, NULL, made->why);
}
