/// Any bytes as a PROXY header: fed in one piece, byte by byte and in uneven pieces they give the same end. And as the
/// values of X-Forwarded-For and Forwarded.
#include "fuzz.h"

#include "http/forwarded.h"
#include "transport/proxy_header.h"

typedef struct outcome {
    iso__proxy_status status;
    size_t consumed;
    bool has_address;
    iso__address address;
} outcome;

/// Feeds the bytes in pieces of `step`; 0: in pieces of growing size.
static outcome feed(const uint8_t *bytes, size_t size, size_t step) {
    outcome o = {.status = ISO__PROXY_MORE};
    iso__proxy_header header = {.fill = 0};
    for (size_t piece = step == 0 ? 1 : step; o.status == ISO__PROXY_MORE && o.consumed < size; piece += step == 0) {
        size_t consumed = 0;
        const size_t left = size - o.consumed, part = left < piece ? left : piece;
        o.status = iso__proxy_header_feed(&header, bytes + o.consumed, part, &consumed);
        FUZZ_CHECK(consumed <= part && (o.status != ISO__PROXY_MORE || consumed == part));
        o.consumed += consumed;
    }
    o.has_address = header.has_address;
    o.address = header.address;
    FUZZ_CHECK(!o.has_address || o.address.family == ISO__ADDRESS_IPV4 || o.address.family == ISO__ADDRESS_IPV6);
    return o;
}

static void expect_same(const outcome *a, const outcome *b) {
    FUZZ_CHECK(a->status == b->status && a->consumed == b->consumed);
    FUZZ_CHECK(a->status != ISO__PROXY_DONE ||
               (a->has_address == b->has_address &&
                memcmp(a->address.bytes, b->address.bytes, sizeof a->address.bytes) == 0 &&
                a->address.family == b->address.family && a->address.port == b->address.port));
}

static bool is_trusted(const void *user, const iso__address *address) {
    (void)user;
    return address->family == ISO__ADDRESS_IPV4;
}

static void read_header(const uint8_t *bytes, size_t size) {
    static char text[ISO__HTTP_HEAD_MAX];
    size_t length = 0;
    for (size_t i = 0; i < size && length + 1 < sizeof text; ++i) {
        text[length++] = bytes[i] != 0 ? (char)bytes[i] : ' ';
    }
    text[length] = '\0';
    for (unsigned kinds = 1; kinds < 4; ++kinds) {
        iso__address address = {0};
        iso__http_request request = {.header_count = 0};
        if ((kinds & 1) != 0) {
            request.headers[request.header_count++] = (iso__http_header){"x-forwarded-for", text};
        }
        if ((kinds & 2) != 0) {
            request.headers[request.header_count++] = (iso__http_header){"forwarded", text};
        }
        const iso__http_forwarded found = iso__http_forwarded_find(&request, is_trusted, NULL, &address);
        FUZZ_CHECK(found != ISO__HTTP_FORWARDED_NONE);
        FUZZ_CHECK(found != ISO__HTTP_FORWARDED_FOUND || address.family == ISO__ADDRESS_IPV4 ||
                   address.family == ISO__ADDRESS_IPV6);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const outcome whole = feed(bytes, size, size + 1), single = feed(bytes, size, 1), uneven = feed(bytes, size, 0);
    expect_same(&whole, &single);
    expect_same(&whole, &uneven);
    read_header(bytes, size);
    return 0;
}
