/// Any bytes as HTTP requests: fed in one piece, byte by byte and in uneven pieces they give the same requests and the
/// same end. Each request's texts then go through what reads them.
#include "fuzz.h"

#include "http/policy.h"
#include "http/request.h"

#define BODY_MAX 64u

typedef struct outcome {
    uint64_t requests;
    uint64_t digest;
    unsigned status;
    bool inside;
} outcome;

static void digest_add(outcome *o, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        o->digest = (o->digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    o->digest = (o->digest ^ size) * UINT64_C(0x100000001b3);
}

static void read_policies(const iso__http_request *request) {
    static const char *const allowed[] = {"https://example.com"};
    char path[ISO__HTTP_TARGET_MAX + 1];
    uint64_t first = 0, last = 0;
    const unsigned found = iso__http_path(request->target, "/base", path);
    FUZZ_CHECK(found != 200 || (path[0] == '/' && strlen(path) < strlen(request->target)));
    FUZZ_CHECK(found != 200 || (strstr(path, "/../") == NULL && strchr(path, '\\') == NULL));
    if (found == 200) {
        iso__http_is_recording_name(path + 1);
    }
    const iso__http_range_kind kind = iso__http_range(iso__http_find(request, "range"), 1000, &first, &last);
    FUZZ_CHECK(kind != ISO__HTTP_RANGE_PART || (first <= last && last < 1000));
    iso__http_has_tag(iso__http_find(request, "if-none-match"), "\"tag\"");
    iso__http_upgrade_status(request, &(iso__http_origins){allowed, 1, true});
    iso__http_read_status(request, &(iso__http_origins){allowed, 1, true}, 7780);
}

static void take(outcome *o, const iso__http_request *request) {
    const uint8_t facts[] = {(uint8_t)request->method, request->has_proxy, request->is_upgrade, request->stays_open,
                             request->is_version_1_1};
    ++o->requests;
    digest_add(o, facts, sizeof facts);
    digest_add(o, request->target, strlen(request->target));
    FUZZ_CHECK(strlen(request->target) <= ISO__HTTP_TARGET_MAX && request->header_count <= ISO__HTTP_HEADERS_MAX);
    for (uint32_t i = 0; i < request->header_count; ++i) {
        digest_add(o, request->headers[i].name, strlen(request->headers[i].name));
        digest_add(o, request->headers[i].value, strlen(request->headers[i].value));
    }
    FUZZ_CHECK(request->body_size <= BODY_MAX);
    if (request->body_size > 0) {
        digest_add(o, request->body, request->body_size);
    }
    read_policies(request);
}

/// Feeds the bytes in pieces of `step`; 0: in pieces of growing size.
static outcome feed(const uint8_t *bytes, size_t size, size_t step) {
    outcome o = {.digest = UINT64_C(0xcbf29ce484222325)};
    iso__http_parser *parser = iso__http_parser_create(BODY_MAX);
    FUZZ_CHECK(parser != NULL);
    size_t at = 0, end = 0;
    for (size_t piece = 1; at < size && o.status == 0; ++piece) {
        const size_t wanted = step == 0 ? piece : step;
        end = size - at < wanted ? size : at + wanted;
        while (at < end && o.status == 0) {
            size_t consumed = 0;
            const iso__http_event event = iso__http_parser_feed(parser, bytes + at, end - at, &consumed);
            FUZZ_CHECK(consumed <= end - at);
            at += consumed;
            if (event == ISO__HTTP_REQUEST) {
                take(&o, iso__http_parser_request(parser));
            }
            if (event == ISO__HTTP_MORE) {
                FUZZ_CHECK(at == end);
            }
            if (event == ISO__HTTP_FAILED) {
                o.status = iso__http_parser_status(parser);
            }
            FUZZ_CHECK(event != ISO__HTTP_FAILED || o.status >= 400);
        }
    }
    o.inside = iso__http_parser_is_inside(parser);
    iso__http_parser_destroy(parser);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const outcome whole = feed(bytes, size, size + 1);
    for (size_t step = 0; step < 3; ++step) {
        const outcome pieces = feed(bytes, size, step);
        FUZZ_CHECK(pieces.requests == whole.requests && pieces.digest == whole.digest);
        FUZZ_CHECK((pieces.status != 0) == (whole.status != 0) && pieces.inside == whole.inside);
    }
    return 0;
}
