#include "host/web/reply.h"

#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/text.h"

bool iso__web_sees(const iso__web_call *call, const iso__hosted *hosted) {
    return !hosted->settings.is_private || call->role >= ISO__HTTP_ROLE_READ;
}

void iso__web_send(const iso__web_call *call, const iso__http_head *head, const iso__web_body *body) {
    iso__web_answer(call->stream, head, body, call->sends_body);
}

void iso__web_say(const iso__web_call *call, unsigned status, const char *text) {
    ISO_ASSERT(status >= 200 && status <= 599);
    const size_t size = strlen(text);
    iso__web_send(call, &(iso__http_head){.status = status, .type = "text/plain; charset=utf-8", .size = size},
                  &(iso__web_body){.memory = (const uint8_t *)text, .size = size});
}

bool iso__web_text_begin(iso__web_text *text) {
    *text = (iso__web_text){0};
    text->out = open_memstream(&text->text, &text->size);
    return text->out != NULL;
}

iso__buffer *iso__web_text_end(iso__web_text *text) {
    ISO_ASSERT(text->out != NULL || text->text == NULL);
    if (text->out == NULL) {
        return NULL;
    }
    bool is_whole = ferror(text->out) == 0;
    is_whole = fclose(text->out) == 0 && is_whole;
    iso__buffer *buffer = is_whole ? iso__buffer_create(text->size) : NULL;
    if (buffer != NULL) {
        memcpy(buffer->bytes, text->text, text->size);
        buffer->size = text->size;
    }
    free(text->text);
    return buffer;
}

void iso__web_give(const iso__web_call *call, const char *type, iso__buffer *buffer) {
    ISO_ASSERT(buffer == NULL || buffer->size <= buffer->capacity);
    iso__web_share(call, type, buffer);
    iso__buffer_release(buffer);
}

void iso__web_share(const iso__web_call *call, const char *type, iso__buffer *buffer) {
    ISO_ASSERT(buffer == NULL || buffer->size <= buffer->capacity);
    if (buffer == NULL) {
        iso__web_say(call, 500, "out of memory\n");
    } else {
        iso__web_send(call, &(iso__http_head){.status = 200, .type = type, .size = buffer->size},
                      &(iso__web_body){.buffer = buffer, .size = buffer->size});
    }
}

void iso__web_give_json(const iso__web_call *call, unsigned status, const char *lines, iso__buffer *buffer) {
    ISO_ASSERT(status >= 200 && status <= 599);
    const uint64_t size = buffer != NULL ? buffer->size : 0;
    iso__web_send(call, &(iso__http_head){.status = status, .type = ISO__WEB_JSON, .size = size, .lines = lines},
                  &(iso__web_body){.buffer = buffer, .size = size});
    iso__buffer_release(buffer);
}

void iso__web_refuse(const iso__web_call *call, unsigned status, const char *lines, const char *why) {
    ISO_ASSERT(status >= 400 && status <= 599);
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"error\":", text.out);
        iso_print_json_string(text.out, why);
        fputs("}\n", text.out);
    }
    iso__web_give_json(call, status, lines, iso__web_text_end(&text));
}

void iso__web_busy(const iso__web_call *call) {
    iso__web_refuse(call, 503, "Retry-After: 1\r\n", "too much is going on: try again");
}
