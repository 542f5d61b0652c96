/// Connections and routes of the server's HTTP.
#include "host/web.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/file.h"
#include "host/log.h"
#include "http/files.h"
#include "http/policy.h"

#define TOKEN_FILE_MAX  4096u // [bytes]
#define DENIED_BODY_MAX 4096u // [bytes] of a request that may not do what it asks for, so that it gets to know that

static bool on_opened(void *user, iso__web_stream *stream) {
    iso__web *web = user;
    if (!iso__web_has_place(web, iso__web_address(stream)))
        return false;
    ++web->connection_count;
    return true;
}

static void on_closed(void *user, iso__web_stream *stream) {
    iso__web *web = user;
    iso__web_forget(web, stream);
    --web->connection_count;
}

static void strike(iso__web *web, const struct sockaddr *name) {
    iso__addresses *addresses = &web->config.peers->addresses;
    uint32_t address = 0;
    if (iso__addresses_enter(addresses, name, iso__clock_now(), &address) != ISO__ADDRESS_TAKEN ||
        address == ISO__ADDRESS_EXEMPT)
        return;
    iso__counters_add(web->config.counters, ISO__COUNTER_ADDRESS_STRIKES, 1);
    iso__addresses_strike(addresses, address, iso__clock_now());
    iso__addresses_leave(addresses, address);
}

static void on_refused(void *user, iso__web_stream *stream, iso__web_refusal why) {
    static const iso__counter counters[] = {
        [ISO__WEB_REFUSED_PLACE] = ISO__COUNTER_WEB_FULL,   [ISO__WEB_REFUSED_FORM] = ISO__COUNTER_WEB_GARBAGE,
        [ISO__WEB_REFUSED_SIZE] = ISO__COUNTER_WEB_GARBAGE, [ISO__WEB_REFUSED_TIME] = ISO__COUNTER_WEB_SLOW,
        [ISO__WEB_REFUSED_RATE] = ISO__COUNTER_WEB_RATE,
    };
    iso__web *web = user;
    iso__counters_add(web->config.counters, counters[why], 1);
    if (why == ISO__WEB_REFUSED_FORM)
        strike(web, iso__web_address(stream));
}

void iso__web_send(const iso__web_call *call, const iso__http_head *head, const iso__web_body *body) {
    iso__web_answer(call->stream, head, body, call->sends_body);
}

static void answer(const iso__web_call *call, const iso__http_head *head, const iso__web_body *body) {
    iso__web_answer(call->stream, head, body, call->sends_body);
}

/// A text of the program's own.
static void say(const iso__web_call *call, iso__http_head head, const char *text) {
    head.type = "text/plain; charset=utf-8";
    head.size = strlen(text);
    answer(call, &head, &(iso__web_body){.memory = (const uint8_t *)text, .size = head.size});
}

void iso__web_say(const iso__web_call *call, unsigned status, const char *text) {
    say(call, (iso__http_head){.status = status}, text);
}

void iso__web_busy(const iso__web_call *call) {
    say(call, (iso__http_head){.status = 503, .lines = "Retry-After: 1\r\n"}, "too much is going on\n");
}

bool iso__web_text_begin(iso__web_text *text) {
    *text = (iso__web_text){0};
    text->out = open_memstream(&text->text, &text->size);
    return text->out != NULL;
}

iso__buffer *iso__web_text_end(iso__web_text *text) {
    if (text->out == NULL)
        return NULL;
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
    iso__web_share(call, type, buffer);
    iso__buffer_release(buffer);
}

void iso__web_share(const iso__web_call *call, const char *type, iso__buffer *buffer) {
    if (buffer == NULL)
        iso__web_say(call, 500, "out of memory\n");
    else
        answer(call, &(iso__http_head){.status = 200, .type = type, .size = buffer->size},
               &(iso__web_body){.buffer = buffer, .size = buffer->size});
}

void iso__web_term(iso__web *web) {
    iso__web_document_term(&web->recordings);
    iso__web_document_term(&web->scenes);
}

static void give_file(const iso__web_call *call) {
    const iso__http_file *file = iso__http_file_find(iso__http_files, iso__http_file_count, call->path,
                                                     iso__http_find(call->request, "accept-encoding"));
    char lines[1024];
    if (file == NULL) {
        iso__web_say(call, 404, "there is nothing here\n");
        return;
    }
    snprintf(lines, sizeof lines, "ETag: %s\r\nVary: Accept-Encoding\r\n%s%s%sContent-Security-Policy: %s\r\n",
             file->tag, file->encoding != NULL ? "Content-Encoding: " : "",
             file->encoding != NULL ? file->encoding : "", file->encoding != NULL ? "\r\n" : "",
             ISO__HTTP_CONTENT_POLICY);
    iso__http_head head = {.status = 200, .type = file->type, .size = file->size, .cache = file->cache, .lines = lines};
    if (iso__http_has_tag(iso__http_find(call->request, "if-none-match"), file->tag)) {
        head.status = 304;
        head.type = NULL;
        answer(call, &head, NULL);
        return;
    }
    answer(call, &head, &(iso__web_body){.memory = file->bytes, .size = file->size});
}

static void connect_socket(const iso__web_call *call) {
    const iso__web *web = call->web;
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    const unsigned status = iso__http_upgrade_status(call->request, &origins);
    if (*web->config.is_ending)
        say(call, (iso__http_head){.status = 503, .lines = "Retry-After: 5\r\n"}, "the server ends\n");
    else if (status == 101)
        iso__web_upgrade(call->stream, call->request);
    else if (status == 403) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_ORIGIN, 1);
        iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .address = iso__web_address(call->stream)},
                 "refused: a WebSocket of a page of %.200s, which is neither this server's nor an --http-origin",
                 iso__http_find(call->request, "origin"));
        say(call, (iso__http_head){.status = 403, .ends = true}, "pages of this origin may not connect\n");
    } else if (status == 405)
        say(call, (iso__http_head){.status = 405, .lines = "Allow: GET\r\n"}, "GET only\n");
    else
        say(call,
            (iso__http_head){.status = status,
                             .lines = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
                             .ends = true},
            "WebSocket, version 13, with the subprotocol isostep.v1\n");
}

unsigned iso__web_change_status(const iso__web *web, const iso__http_request *request) {
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    return iso__http_change_status(request, &origins, web->token[0] != '\0' ? web->token : NULL);
}

/// Requests that change something. The path is judged after the right, so that nobody learns what there is.
static void change(const iso__web_call *call, const char *name) {
    const unsigned status = iso__web_change_status(call->web, call->request);
    if (status == 200)
        iso__web_end_session(call, name);
    else
        iso__web_deny(call, status);
}

static bool is_sessions(const char *path) {
    return strcmp(path, "/api/sessions") == 0;
}

static void refuse_method(const iso__web_call *call) {
    const bool takes_post = is_sessions(call->path);
    say(call,
        (iso__http_head){.status = 405, .lines = takes_post ? "Allow: GET, HEAD, POST\r\n" : "Allow: GET, HEAD\r\n"},
        takes_post ? "GET, HEAD and POST only\n" : "GET and HEAD only\n");
}

/// Whether the request may read what only this server knows; if not, it is answered.
static bool may_read(const iso__web_call *call) {
    const iso__web *web = call->web;
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    const char *port = strrchr(web->listener.tcp.base.address, ':') + 1;
    const unsigned status = iso__http_read_status(call->request, &origins, (unsigned)strtoul(port, NULL, 10));
    if (status != 200)
        iso__web_say(call, status, "this address is localhost; other names need --http-origin\n");
    return status == 200;
}

static void route(const iso__web_call *call) {
    const char *path = call->path;
    if (strcmp(path, "/v1/socket") == 0) {
        connect_socket(call);
    } else if (call->request->method == ISO__HTTP_DELETE && strncmp(path, "/api/sessions/", 14) == 0) {
        change(call, path + 14);
    } else if (call->request->method == ISO__HTTP_POST && is_sessions(path)) {
        iso__web_create_session(call);
    } else if (call->request->method != ISO__HTTP_GET && call->request->method != ISO__HTTP_HEAD) {
        refuse_method(call);
    } else if (strcmp(path, "/healthz") == 0) {
        iso__web_say(call, 200, "ok\n");
    } else if (strcmp(path, "/readyz") == 0) {
        const bool is_ending = *call->web->config.is_ending || *call->web->config.is_unready;
        iso__web_say(call, is_ending ? 503 : 200, is_ending ? "ending\n" : "ready\n");
    } else if ((strcmp(path, "/metrics") == 0 || strncmp(path, "/api/", 5) == 0) && !may_read(call)) {
        return;
    } else if (strcmp(path, "/metrics") == 0) {
        iso__web_metrics(call);
    } else if (is_sessions(path)) {
        iso__web_sessions(call);
    } else if (strcmp(path, "/api/scenes") == 0) {
        iso__web_scenes(call);
    } else if (strcmp(path, "/api/recordings") == 0) {
        iso__web_recordings(call);
    } else if (strncmp(path, "/api/recordings/", 16) == 0) {
        iso__web_recording(call, path + 16);
    } else {
        give_file(call);
    }
}

static void on_request(void *user, iso__web_stream *stream, const iso__http_request *request) {
    iso__web *web = user;
    char path[ISO__HTTP_TARGET_MAX + 1];
    const iso__web_call call = {web, stream, request, path, request->method != ISO__HTTP_HEAD};
    const unsigned status = iso__http_path(request->target, web->config.options->http_prefix, path);
    if (status == 200)
        route(&call);
    else
        iso__web_say(&call, status, status == 404 ? "there is nothing here\n" : "the path is malformed\n");
}

/// Only a request for a session has a body, and only who may create one can have a large one held here.
static size_t body_max(void *user, const iso__http_request *request) {
    const iso__web *web = user;
    char path[ISO__HTTP_TARGET_MAX + 1];
    if (request->method != ISO__HTTP_POST ||
        iso__http_path(request->target, web->config.options->http_prefix, path) != 200 || !is_sessions(path))
        return 0;
    return iso__web_change_status(web, request) == 200 ? ISO__HTTP_BODY_MAX : DENIED_BODY_MAX;
}

bool iso__web_read_token(iso__web *web, const iso__options *options) {
    const char *token = options->http_token;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const char *what = NULL;
    if (token == NULL)
        return true;
    if (token[0] == '@') {
        if (iso__file_read(AT_FDCWD, token + 1, TOKEN_FILE_MAX, &bytes, &size, &what) != ISO_OK) {
            iso__log_error("--http-token: '%s' cannot be read: %s", token + 1, what);
            return false;
        }
        // One line, with or without its end.
        const size_t line = strcspn((const char *)bytes, "\r\n");
        bytes[line < size ? line : size] = '\0';
        token = (const char *)bytes;
    }
    const bool is_right = iso__http_is_token(token);
    if (is_right)
        snprintf(web->token, sizeof web->token, "%s", token);
    else
        iso__log_error("--http-token: the file has no token of 16 to 128 letters, digits and - . _ ~ + / =");
    free(bytes);
    return is_right;
}

int iso__web_open(iso__web *web, uv_loop_t *loop, const struct sockaddr *address, const iso__web_config *config) {
    const iso__web_handler handler = {on_opened, body_max, on_request, on_refused, on_closed, web};
    web->config = *config;
    web->opened_ns = iso__clock_now();
    web->is_loopback = iso__address_is_loopback(address);
    web->is_open = true;
    return iso__peers_open_second(config->peers, loop,
                                  iso__web_listener_init(&web->listener, &handler, ISO__HTTP_BODY_MAX), address);
}
