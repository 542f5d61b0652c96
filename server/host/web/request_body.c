#include "host/web/request_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "base/affinity.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"

#define JSON_DEPTH_MAX 8

/// Says which members there are: a misspelt one reads as if who plays was meant.
static void reject_name(const iso__web_call *call, const char *name, const char *const *names) {
    char why[300];
    size_t fill = (size_t)snprintf(why, sizeof why, "/%.60s: unknown key, expected one of: ", name);
    for (size_t i = 0; names[i] != NULL; ++i) {
        fill += (size_t)snprintf(why + fill, sizeof why - fill, "%s%s", i > 0 ? " " : "", names[i]);
    }
    iso__web_reject(call, 400, "", why);
}

json_object *iso__web_read_body(const iso__web_call *call, const char *const *names) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const iso__http_request *request = call->request;
    const char *type = iso__http_find(request, "content-type");
    if (type == NULL || strncmp(type, ISO__WEB_JSON, sizeof ISO__WEB_JSON - 1) != 0) {
        iso__web_reject(call, 415, "", "Content-Type has to be " ISO__WEB_JSON);
        return NULL;
    }
    json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
    json_object *object = NULL;
    if (tokener != NULL) {
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
        object = json_tokener_parse_ex(tokener, (const char *)request->body, (int)request->body_size);
        if (json_tokener_get_error(tokener) != json_tokener_success ||
            json_tokener_get_parse_end(tokener) != request->body_size) {
            json_object_put(object);
            object = NULL;
        }
        json_tokener_free(tokener);
    }
    if (object == NULL || !json_object_is_type(object, json_type_object)) {
        json_object_put(object);
        iso__web_reject(call, 400, "", "the body is no JSON object");
        return NULL;
    }
    json_object_object_foreach(object, name, value) {
        size_t i = 0;
        (void)value;
        while (names[i] != NULL && strcmp(names[i], name) != 0) {
            ++i;
        }
        if (names[i] != NULL) {
            continue;
        }
        reject_name(call, name, names);
        json_object_put(object);
        return NULL;
    }
    return object;
}

bool iso__web_read_number(const iso__web_call *call, json_object *object, const char *name, int64_t min, int64_t max,
                          int64_t *number, bool *is_there) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    json_object *value = NULL;
    char why[120];
    *is_there = json_object_object_get_ex(object, name, &value);
    if (!*is_there) {
        return true;
    }
    if (json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= min &&
        json_object_get_int64(value) <= max) {
        *number = json_object_get_int64(value);
        return true;
    }
    snprintf(why, sizeof why, "/%s: expected a whole number from %" PRId64 " to %" PRId64, name, min, max);
    iso__web_reject(call, 400, "", why);
    return false;
}

/// Whether a message can carry it: UTF-8 without control characters, of which those of two bytes are U+0080 to U+009F.
static bool is_text(const char *text, size_t size) {
    if (u8_check((const uint8_t *)text, size) != NULL) {
        return false;
    }
    for (size_t i = 0; i < size; ++i) {
        const unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        if (c < 0x20 || c == 0x7F || (c == 0xC2 && next < 0xA0)) {
            return false;
        }
    }
    return true;
}

bool iso__web_read_text(const iso__web_call *call, json_object *object, const char *name, char *text, size_t size) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    ISO_ASSERT(size > 0);
    json_object *value = NULL;
    char why[120];
    text[0] = '\0';
    if (!json_object_object_get_ex(object, name, &value)) {
        return true;
    }
    const size_t length =
        json_object_is_type(value, json_type_string) ? (size_t)json_object_get_string_len(value) : size;
    if (length < size && is_text(json_object_get_string(value), length)) {
        memcpy(text, json_object_get_string(value), length + 1);
        return true;
    }
    snprintf(why, sizeof why, "/%s: expected a text of at most %zu bytes without control characters", name, size - 1);
    iso__web_reject(call, 400, "", why);
    return false;
}
