/// Connections and routes of the server's HTTP.
#include "host/web/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/watch/log.h"
#include "host/web/create.h"
#include "host/web/document.h"
#include "host/web/places.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"
#include "http/files.h"
#include "http/forwarded.h"
#include "http/policy.h"

#define DENIED_BODY_MAX 4096u // [bytes] of a request that may not do what it asks for, so that it gets to know that

static bool on_opened(void *user, iso__web_stream *stream) {
    iso__web *web = user;
    stream->own = iso__web_base(stream)->address;
    stream->is_of_proxy = iso__address_limit_is_trusted(&web->config.peers->address_limit, iso__web_address(stream));
    if (!iso__web_has_place(web, iso__web_address(stream))) {
        stream->why = web->why;
        return false;
    }
    ++web->connection_count;
    return true;
}

static void on_closed(void *user, iso__web_stream *stream) {
    iso__web *web = user;
    iso__web_forget(web, stream);
    iso__web_moderation_forget(&web->moderation, stream);
    --web->connection_count;
}

static void strike(iso__web *web, const iso__address *name) {
    iso__address_limit *limit = &web->config.peers->address_limit;
    uint32_t address = 0;
    if (iso__address_limit_enter(limit, name, iso__clock_now(), &address) != ISO__ADDRESS_LIMIT_TAKEN ||
        address == ISO__ADDRESS_LIMIT_EXEMPT) {
        return;
    }
    iso__counters_add(web->config.counters, ISO__COUNTER_ADDRESS_STRIKES, 1);
    iso__address_limit_strike(limit, address, iso__clock_now());
    iso__address_limit_leave(limit, address);
}

static void on_refused(void *user, iso__web_stream *stream, iso__web_refusal why) {
    static const iso__counter counters[] = {
        [ISO__WEB_REFUSED_PLACE] = ISO__COUNTER_WEB_FULL,   [ISO__WEB_REFUSED_FORM] = ISO__COUNTER_WEB_GARBAGE,
        [ISO__WEB_REFUSED_SIZE] = ISO__COUNTER_WEB_GARBAGE, [ISO__WEB_REFUSED_TIME] = ISO__COUNTER_WEB_SLOW,
        [ISO__WEB_REFUSED_RATE] = ISO__COUNTER_WEB_RATE,    [ISO__WEB_REFUSED_BODIES] = ISO__COUNTER_WEB_BODIES,
    };
    iso__web *web = user;
    iso__counters_add(web->config.counters, counters[why], 1);
    // Which of a proxy's clients has sent it is not known.
    if (why == ISO__WEB_REFUSED_FORM && !stream->is_of_proxy) {
        strike(web, iso__web_address(stream));
    }
}

/// A text of the program's own.
static void say(const iso__web_call *call, iso__http_head head, const char *text) {
    head.type = "text/plain; charset=utf-8";
    head.size = strlen(text);
    iso__web_send(call, &head, &(iso__web_body){.memory = (const uint8_t *)text, .size = head.size});
}

void iso__web_term(iso__web *web) {
    ISO__ASSERT_ON(iso__web_io(web));
    for (size_t i = 0; i < sizeof web->recordings / sizeof web->recordings[0]; ++i) {
        iso__web_document_term(&web->recordings[i].document);
    }
    iso__web_document_term(&web->scenes);
}

void iso__web_page(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
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
        iso__web_send(call, &head, NULL);
        return;
    }
    iso__web_send(call, &head, &(iso__web_body){.memory = file->bytes, .size = file->size});
}

void iso__web_socket(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const iso__web *web = call->web;
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    const unsigned status = iso__http_upgrade_status(call->request, &origins);
    if (*web->config.is_ending) {
        say(call, (iso__http_head){.status = 503, .lines = "Retry-After: 5\r\n"}, "the server ends\n");
    } else if (status == 101) {
        iso__web_upgrade(call->stream, call->request);
    } else if (status == 403) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_ORIGIN, 1);
        iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .address = iso__web_address(call->stream)},
                 "refused: a WebSocket of a page of %.200s, which is neither this server's nor an --http-origin",
                 iso__http_find(call->request, "origin"));
        say(call, (iso__http_head){.status = 403, .ends = true}, "pages of this origin may not connect\n");
    } else if (status == 405) {
        say(call, (iso__http_head){.status = 405, .lines = "Allow: GET\r\n"}, "GET only\n");
    } else {
        say(call,
            (iso__http_head){.status = status,
                             .lines = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
                             .ends = true},
            "WebSocket, version 13, with the subprotocol isostep.v1\n");
    }
}

void iso__web_health(const iso__web_call *call) {
    iso__web_say(call, 200, "ok\n");
}

/// A server without a session is ready: one can be created. Sessions go on without their recordings, so it is ready
/// then as well, and says so. Anybody may ask: no names, and no word of a session that only some may know of but in
/// what is counted.
void iso__web_readiness(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const iso__directory *directory = call->web->config.directory;
    uint32_t open = 0, lost = 0, hanging = 0;
    char text[300], *at = text, *const end = text + sizeof text;
    for (uint32_t i = 0; i < directory->count; ++i) {
        const iso__hosted *hosted = directory->sessions[i];
        if (atomic_load(&hosted->closed)) {
            continue;
        }
        open += iso__web_sees(call, hosted);
        lost += atomic_load(&hosted->is_lost);
        hanging += atomic_load(&hosted->is_sync_hanging);
    }
    at += snprintf(at, (size_t)(end - at), open > 0 ? "ready\n" : "ready, without a session\n");
    if (lost > 0) {
        at += snprintf(at, (size_t)(end - at), "degraded: %" PRIu32 " session%s not recorded\n", lost,
                       lost == 1 ? " is" : "s are");
    }
    if (hanging > 0) {
        at += snprintf(at, (size_t)(end - at), "degraded: %" PRIu32 " session%s not synced\n", hanging,
                       hanging == 1 ? "'s recording is" : "s' recordings are");
    }
    if (iso__web_lacks_space(call->web)) {
        snprintf(at, (size_t)(end - at), "degraded: the disk has less free than --min-free asks for\n");
    }
    if (*call->web->config.is_ending || *call->web->config.is_unready) {
        iso__web_say(call, 503, "ending\n");
    } else {
        iso__web_say(call, 200, text);
    }
}

/// Whether the request may have what the route needs a role for. @param by  receives its token; NULL: none
static unsigned judge(const iso__web *web, const iso__http_request *request, const iso__http_route *route,
                      const iso__http_token **by) {
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    iso__tokens *tokens = web->config.tokens;
    return iso__http_change_status(request, &origins,
                                   iso__tokens_are_asked_for(tokens) ? iso__tokens_now(tokens) : NULL, route->role,
                                   (int64_t)time(NULL), by);
}

static void refuse_method(const iso__web_call *call, const iso__http_match *match) {
    char line[96], text[96];
    snprintf(line, sizeof line, "Allow: %s\r\n", match->allow);
    snprintf(text, sizeof text, "the methods of this path: %s\n", match->allow);
    iso__buffer *buffer = iso__buffer_create(strlen(text));
    if (buffer != NULL) {
        buffer->size = strlen(text);
        memcpy(buffer->bytes, text, buffer->size);
    }
    iso__web_send(call,
                  &(iso__http_head){.status = 405,
                                    .type = "text/plain; charset=utf-8",
                                    .size = buffer != NULL ? buffer->size : 0,
                                    .lines = line},
                  &(iso__web_body){.buffer = buffer, .size = buffer != NULL ? buffer->size : 0});
    iso__buffer_release(buffer);
}

/// Whether the request may read what only this server knows; if not, it is answered.
static bool may_read(const iso__web_call *call) {
    iso__web *web = call->web;
    const iso__options *options = web->config.options;
    const iso__http_origins origins = {options->http_origins, options->http_origin_count, web->is_loopback};
    const char *port = strrchr(iso__web_listener_base(&web->listener)->address, ':') + 1;
    const unsigned status = iso__http_read_status(call->request, &origins, (unsigned)strtoul(port, NULL, 10));
    if (status != 200) {
        iso__web_say(call, status, "this address is localhost; other names need --http-origin\n");
    }
    return status == 200;
}

/// What only this server knows: a page whose name was made to lead here must not read it.
static bool is_of_server(const char *path) {
    return strcmp(path, "/metrics") == 0 || strncmp(path, "/api/", 5) == 0;
}

/// The right is judged before anything of the path is, so that nobody learns what there is.
static void route(iso__web_call *call) {
    static void (*const handlers[ISO__HTTP_ROUTE_COUNT])(const iso__web_call *call) = {
#define HANDLER(handler, method, path, role, listener, body) [ISO__HTTP_ROUTE_##handler] = iso__web_##handler,
        ISO__HTTP_ROUTE_LIST(HANDLER)
#undef HANDLER
    };
    iso__http_match match;
    const iso__http_token *by = NULL;
    const unsigned found = iso__http_route_find(call->request->method, call->path, &match);
    if (found != 200) {
        if (found == 405) {
            refuse_method(call, &match);
        } else {
            iso__web_say(call, found, "there is nothing here\n");
        }
        return;
    }
    const unsigned status = judge(call->web, call->request, match.route, &by);
    call->params = match.params;
    if (by != NULL) {
        call->role = (iso__http_role)by->role;
        memcpy(call->token_name, by->name, sizeof call->token_name);
    }
    if (match.route->listener == ISO__HTTP_LISTENER_ADMIN && call->web->config.options->has_admin &&
        !call->web->config.is_admin) {
        iso__web_deny_here(call);
    } else if (status != 200) {
        iso__web_deny(call, status, match.route->role);
    } else if (match.route->method != ISO__HTTP_GET || !is_of_server(call->path) || may_read(call)) {
        handlers[match.route - iso__http_routes](call);
    }
}

static bool is_trusted(const void *user, const iso__address *address) {
    return iso__address_limit_is_trusted(user, address);
}

/// Of a connection of a trusted proxy: finds whose this request is. @return false: it is answered
static bool find_client(const iso__web_call *call) {
    iso__web *web = call->web;
    iso__address *address = &iso__web_base(call->stream)->address;
    switch (iso__http_forwarded_find(call->request, is_trusted, &web->config.peers->address_limit, address)) {
    case ISO__HTTP_FORWARDED_NONE:
        // The proxy asks for itself, as to see whether we are there.
        *address = call->stream->own;
        return true;
    case ISO__HTTP_FORWARDED_FOUND:
        break;
    case ISO__HTTP_FORWARDED_WRONG:
        iso__web_say(call, 400, "X-Forwarded-For or Forwarded of the proxy ends with what is no address\n");
        return false;
    case ISO__HTTP_FORWARDED_DISAGREE:
        iso__web_say(
            call, 400,
            "X-Forwarded-For and Forwarded disagree: the proxy has to remove the one that it does not write\n");
        return false;
    }
    if (iso__web_address_may_ask(web, iso__web_address(call->stream))) {
        return true;
    }
    iso__web_say(call, 503, web->why);
    return false;
}

static void on_request(void *user, iso__web_stream *stream, const iso__http_request *request) {
    iso__web *web = user;
    char path[ISO__HTTP_TARGET_MAX + 1];
    iso__web_call call = {.web = web,
                          .stream = stream,
                          .request = request,
                          .path = path,
                          .sends_body = request->method != ISO__HTTP_HEAD};
    const unsigned status = iso__http_path(request->target, web->config.options->http_prefix, path);
    if (stream->is_of_proxy && !find_client(&call)) {
        return;
    }
    if (status == 200) {
        route(&call);
    } else {
        iso__web_say(&call, status, status == 404 ? "there is nothing here\n" : "the path is malformed\n");
    }
}

/// Only some requests have a body, and only who may ask for them can have a large one held here.
static size_t body_max(void *user, const iso__http_request *request) {
    const iso__web *web = user;
    char path[ISO__HTTP_TARGET_MAX + 1];
    iso__http_match match;
    const iso__http_token *by = NULL;
    if (iso__http_path(request->target, web->config.options->http_prefix, path) != 200 ||
        iso__http_route_find(request->method, path, &match) != 200 || match.route->body_max == 0) {
        return 0;
    }
    if (web->config.options->has_admin && !web->config.is_admin) {
        return DENIED_BODY_MAX;
    }
    if (judge(web, request, match.route, &by) == 200 || match.route->body_max < DENIED_BODY_MAX) {
        return match.route->body_max;
    }
    return DENIED_BODY_MAX;
}

int iso__web_open(iso__web *web, uv_loop_t *loop, const iso__address *address, const iso__web_config *config) {
    ISO_ASSERT(!web->is_open);
    const iso__web_handler handler = {on_opened, body_max, on_request, on_refused, on_closed, web};
    web->config = *config;
    iso__web_moderation_init(&web->moderation, config->bans, config->audit);
    web->opened_ns = iso__clock_now();
    // No page of a browser leads to a socket of the file system.
    web->is_loopback = address->family != ISO__ADDRESS_LOCAL && iso__address_is_loopback(address);
    web->is_open = true;
    return iso__peers_open_other(config->peers, loop,
                                 iso__web_listener_init(&web->listener, &handler, ISO__HTTP_BODY_MAX), address);
}
