/// Requests by llhttp. Its callbacks give texts in pieces, which are put together in one block of fixed size.
#include "http/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "llhttp_names.h" // before llhttp's own header: its names with our prefix
#include <llhttp.h>

#include "isostep/assert.h"

#define BODY_KEPT 4096u // [bytes] of memory from one request to the next

struct iso__http_parser {
    llhttp_t machine;
    iso__http_request request;
    char text[ISO__HTTP_HEAD_MAX]; // the target and the headers, each ended by a zero
    size_t text_fill;
    uint8_t *body; // from the heap, once there is one
    size_t body_capacity, body_max;
    size_t body_allowed;                                           // of the present request
    size_t (*judge)(void *user, const iso__http_request *request); // NULL: `body_max` is allowed
    void *judge_user;
    size_t body_fill;
    iso__http_bodies *bodies; // NULL: it is counted with no others
    unsigned status;          // to answer with; 0: nothing is wrong
    bool is_inside;
    bool has_head; // the request's headers are complete
    bool is_whole;
};

static iso__http_parser *parser_of(llhttp_t *machine) {
    return machine->data;
}

static int refuse(iso__http_parser *parser, unsigned status) {
    parser->status = status;
    return HPE_USER;
}

static void drop_body(iso__http_parser *parser) {
    if (parser->body != NULL) {
        explicit_bzero(parser->body, parser->body_fill);
    }
    free(parser->body);
    if (parser->bodies != NULL) {
        parser->bodies->held -= parser->body_capacity;
    }
    parser->body = NULL;
    parser->body_capacity = 0;
}

static void begin_request(iso__http_parser *parser) {
    // A large body is not kept for a small one.
    if (parser->body_capacity > BODY_KEPT) {
        drop_body(parser);
    }
    parser->request = (iso__http_request){.target = parser->text};
    parser->text_fill = 0;
    parser->body_fill = 0;
    parser->has_head = parser->is_whole = false;
}

static int on_begin(llhttp_t *machine) {
    parser_of(machine)->is_inside = true;
    return 0;
}

static int add_text(iso__http_parser *parser, const char *bytes, size_t size, unsigned status) {
    // One byte stays for the zero at its end.
    if (size >= sizeof parser->text - parser->text_fill) {
        return refuse(parser, status);
    }
    if (memchr(bytes, 0, size) != NULL) {
        return refuse(parser, 400);
    }
    memcpy(parser->text + parser->text_fill, bytes, size);
    parser->text_fill += size;
    return 0;
}

static int end_text(iso__http_parser *parser) {
    if (parser->text_fill == sizeof parser->text) {
        return refuse(parser, 431);
    }
    parser->text[parser->text_fill++] = '\0';
    return 0;
}

static int on_target(llhttp_t *machine, const char *bytes, size_t size) {
    iso__http_parser *parser = parser_of(machine);
    if (parser->text_fill + size > ISO__HTTP_TARGET_MAX) {
        return refuse(parser, 414);
    }
    return add_text(parser, bytes, size, 414);
}

static int on_target_end(llhttp_t *machine) {
    return end_text(parser_of(machine));
}

static int on_name(llhttp_t *machine, const char *bytes, size_t size) {
    iso__http_parser *parser = parser_of(machine);
    iso__http_request *request = &parser->request;
    // A trailer: a second Origin, or an Authorization, behind the body would be found among the headers that were
    // judged.
    if (parser->has_head) {
        return refuse(parser, 400);
    }
    if (request->header_count == ISO__HTTP_HEADERS_MAX) {
        return refuse(parser, 431);
    }
    iso__http_header *header = &request->headers[request->header_count];
    if (header->name == NULL) {
        header->name = parser->text + parser->text_fill;
    }
    const size_t begin = parser->text_fill;
    int error = add_text(parser, bytes, size, 431);
    for (size_t i = begin; error == 0 && i < parser->text_fill; ++i) {
        if (parser->text[i] >= 'A' && parser->text[i] <= 'Z') {
            parser->text[i] = (char)(parser->text[i] - 'A' + 'a');
        }
    }
    return error;
}

static int on_name_end(llhttp_t *machine) {
    iso__http_parser *parser = parser_of(machine);
    int error = end_text(parser);
    parser->request.headers[parser->request.header_count].value = parser->text + parser->text_fill;
    return error;
}

static int on_value(llhttp_t *machine, const char *bytes, size_t size) {
    return add_text(parser_of(machine), bytes, size, 431);
}

static int on_value_end(llhttp_t *machine) {
    iso__http_parser *parser = parser_of(machine);
    ++parser->request.header_count;
    return end_text(parser);
}

/// What proxies add about whom they speak for.
static bool is_of_proxy(const char *name) {
    return strcmp(name, "forwarded") == 0 || strncmp(name, "x-forwarded-", 12) == 0 || strcmp(name, "x-real-ip") == 0 ||
           strcmp(name, "via") == 0;
}

static iso__http_method method_of(const llhttp_t *machine) {
    switch (machine->method) {
    case HTTP_GET:
        return ISO__HTTP_GET;
    case HTTP_HEAD:
        return ISO__HTTP_HEAD;
    case HTTP_POST:
        return ISO__HTTP_POST;
    case HTTP_DELETE:
        return ISO__HTTP_DELETE;
    default:
        return ISO__HTTP_OTHER;
    }
}

/// Headers that decide who may do what: a second one might mean another thing to a proxy than to us.
static bool is_ambiguous(const iso__http_request *request) {
    static const char *const single[] = {"host",  "origin",        "content-length",    "transfer-encoding",
                                         "range", "authorization", "sec-websocket-key", "sec-websocket-version"};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; ++i) {
        unsigned count = 0;
        for (uint32_t k = 0; k < request->header_count; ++k) {
            count += strcmp(request->headers[k].name, single[i]) == 0;
        }
        if (count > 1) {
            return true;
        }
    }
    return false;
}

static int on_headers(llhttp_t *machine) {
    iso__http_parser *parser = parser_of(machine);
    iso__http_request *request = &parser->request;
    if (machine->http_major != 1 || machine->http_minor > 1) {
        return refuse(parser, 505);
    }
    parser->has_head = true;
    request->is_version_1_1 = machine->http_minor == 1;
    request->method = method_of(machine);
    request->is_upgrade = machine->upgrade != 0;
    request->stays_open = llhttp_should_keep_alive(machine) != 0;
    for (uint32_t i = 0; i < request->header_count; ++i) {
        request->has_proxy = request->has_proxy || is_of_proxy(request->headers[i].name);
    }
    if (is_ambiguous(request) || (request->is_version_1_1 && iso__http_find(request, "host") == NULL)) {
        return refuse(parser, 400);
    }
    const size_t allowed = parser->judge != NULL ? parser->judge(parser->judge_user, request) : parser->body_max;
    parser->body_allowed = allowed < parser->body_max ? allowed : parser->body_max;
    if ((machine->flags & F_CONTENT_LENGTH) != 0 && machine->content_length > parser->body_allowed) {
        return refuse(parser, 413);
    }
    // An upgrade is an offer that we may refuse, and a request like any other until then.
    machine->upgrade = 0;
    return 0;
}

static int on_body(llhttp_t *machine, const char *bytes, size_t size) {
    iso__http_parser *parser = parser_of(machine);
    if (size > parser->body_allowed - parser->body_fill) {
        return refuse(parser, 413);
    }
    if (parser->body_fill + size > parser->body_capacity) {
        size_t capacity = parser->body_capacity == 0 ? BODY_KEPT : parser->body_capacity;
        while (capacity < parser->body_fill + size) {
            capacity *= 2;
        }
        // What was announced does not count, only what has come: an announcement costs nothing.
        const size_t more = capacity - parser->body_capacity;
        if (parser->bodies != NULL && more > parser->bodies->max - parser->bodies->held) {
            return refuse(parser, ISO__HTTP_BODIES_STATUS);
        }
        uint8_t *larger = realloc(parser->body, capacity);
        if (larger == NULL) {
            return refuse(parser, 500);
        }
        if (parser->bodies != NULL) {
            parser->bodies->held += more;
        }
        parser->body = larger;
        parser->body_capacity = capacity;
    }
    memcpy(parser->body + parser->body_fill, bytes, size);
    parser->body_fill += size;
    return 0;
}

static int on_whole(llhttp_t *machine) {
    iso__http_parser *parser = parser_of(machine);
    parser->is_whole = true;
    parser->is_inside = false;
    parser->request.body = parser->body;
    parser->request.body_size = parser->body_fill;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_begin,
    .on_url = on_target,
    .on_url_complete = on_target_end,
    .on_header_field = on_name,
    .on_header_field_complete = on_name_end,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_end,
    .on_headers_complete = on_headers,
    .on_body = on_body,
    .on_message_complete = on_whole,
};

iso__http_parser *iso__http_parser_create(size_t body_max) {
    iso__http_parser *parser = calloc(1, sizeof *parser);
    if (parser == NULL) {
        return NULL;
    }
    parser->body_max = body_max < ISO__HTTP_BODY_MAX ? body_max : ISO__HTTP_BODY_MAX;
    llhttp_init(&parser->machine, HTTP_REQUEST, &settings);
    parser->machine.data = parser;
    begin_request(parser);
    return parser;
}

void iso__http_parser_share(iso__http_parser *parser, iso__http_bodies *bodies) {
    ISO_ASSERT(bodies->held <= bodies->max);
    parser->bodies = bodies;
}

void iso__http_parser_judge(iso__http_parser *parser, size_t (*body_max)(void *user, const iso__http_request *request),
                            void *user) {
    ISO_ASSERT(body_max != NULL && !parser->is_inside); // a request in progress is judged by one alone
    parser->judge = body_max;
    parser->judge_user = user;
}

void iso__http_parser_destroy(iso__http_parser *parser) {
    ISO_ASSERT(parser == NULL || parser->body_fill <= parser->body_capacity);
    if (parser == NULL) {
        return;
    }
    iso__http_parser_wipe(parser);
    drop_body(parser);
    free(parser);
}

void iso__http_parser_wipe(iso__http_parser *parser) {
    ISO_ASSERT(parser->text_fill <= sizeof parser->text && parser->body_fill <= parser->body_capacity);
    explicit_bzero(parser->text, parser->text_fill);
    if (parser->body != NULL) {
        explicit_bzero(parser->body, parser->body_fill);
    }
}

iso__http_event iso__http_parser_feed(iso__http_parser *parser, const uint8_t *bytes, size_t size, size_t *consumed) {
    ISO_ASSERT(parser->text_fill <= sizeof parser->text && parser->body_fill <= parser->body_capacity);
    *consumed = 0;
    if (parser->status != 0) {
        return ISO__HTTP_FAILED;
    }
    if (parser->is_whole) {
        begin_request(parser);
        llhttp_resume(&parser->machine);
    }
    if (size == 0) {
        return ISO__HTTP_MORE;
    }
    llhttp_errno_t error = llhttp_execute(&parser->machine, (const char *)bytes, size);
    if (parser->is_whole && error == HPE_PAUSED) {
        *consumed = (size_t)(llhttp_get_error_pos(&parser->machine) - (const char *)bytes);
        return ISO__HTTP_REQUEST;
    }
    *consumed = size;
    if (error == HPE_OK) {
        return ISO__HTTP_MORE;
    }
    if (parser->status == 0) {
        parser->status = error == HPE_INVALID_VERSION ? 505 : 400;
    }
    return ISO__HTTP_FAILED;
}

const iso__http_request *iso__http_parser_request(const iso__http_parser *parser) {
    ISO_ASSERT(parser->is_whole);
    return &parser->request;
}

unsigned iso__http_parser_status(const iso__http_parser *parser) {
    return parser->status;
}

size_t iso__http_parser_body_allowed(const iso__http_parser *parser) {
    return parser->body_allowed;
}

bool iso__http_parser_is_inside(const iso__http_parser *parser) {
    return parser->is_inside;
}

const char *iso__http_find(const iso__http_request *request, const char *name) {
    ISO_ASSERT(request->header_count <= ISO__HTTP_HEADERS_MAX);
    const char *found = NULL;
    for (uint32_t i = 0; i < request->header_count; ++i) {
        if (strcmp(request->headers[i].name, name) != 0) {
            continue;
        }
        if (found != NULL) {
            return NULL;
        }
        found = request->headers[i].value;
    }
    return found;
}

bool iso__http_has_word(const char *list, const char *word) {
    const size_t size = strlen(word);
    while (list != NULL && *list != '\0') {
        list += strspn(list, " \t,");
        const size_t end = strcspn(list, " \t,");
        if (end == size && strncasecmp(list, word, size) == 0) {
            return true;
        }
        list += end;
    }
    return false;
}
