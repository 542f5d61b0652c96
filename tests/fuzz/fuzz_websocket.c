/// Any bytes as WebSocket frames of a client: fed in one piece, byte by byte and in uneven pieces they give the same
/// messages and the same end. The first byte picks the largest message that is allowed.
#include "fuzz.h"

#include "http/websocket.h"

#define CAPACITY 512u

typedef struct outcome {
    uint64_t events;
    uint64_t digest;
    iso__websocket_event end;
    uint16_t code;
    bool inside;
} outcome;

static void digest_add(outcome *o, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        o->digest = (o->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    o->digest = (o->digest ^ size) * UINT64_C(0x100000001b3);
}

static void take(outcome *o, const iso__websocket *socket, iso__websocket_event event, uint32_t message_max) {
    size_t size = 0;
    const uint8_t *bytes = iso__websocket_bytes(socket, &size);
    ++o->events;
    o->digest = (o->digest ^ (uint64_t)event) * UINT64_C(0x100000001b3);
    if (event == ISO__WEBSOCKET_MESSAGE) {
        FUZZ_CHECK(size >= 1 && size <= message_max);
    } else {
        FUZZ_CHECK(size <= ISO__WEBSOCKET_CONTROL_MAX);
    }
    if (event == ISO__WEBSOCKET_FAILED) {
        FUZZ_CHECK(size == 0 && iso__websocket_status(socket) != ISO_OK);
    }
    digest_add(o, bytes, size);
    if (event == ISO__WEBSOCKET_FAILED || event == ISO__WEBSOCKET_GOT_CLOSE) {
        o->end = event;
        o->code = iso__websocket_code(socket);
    }
}

static outcome feed(const uint8_t *bytes, size_t size, uint32_t message_max, size_t step) {
    static uint8_t message[CAPACITY];
    iso__websocket *socket = iso__websocket_create(message, CAPACITY);
    outcome o = {.digest = UINT64_C(0xcbf29ce484222325), .end = ISO__WEBSOCKET_MORE};
    FUZZ_CHECK(socket != NULL);
    iso__websocket_set_max(socket, message_max);
    size_t at = 0;
    for (size_t piece = 1; at < size; ++piece) {
        const size_t wanted = step == 0 ? piece : step;
        const size_t end = size - at < wanted ? size : at + wanted;
        iso__websocket_event event;
        do {
            size_t consumed = 0;
            event = iso__websocket_feed(socket, bytes + at, end - at, &consumed);
            FUZZ_CHECK(consumed <= end - at);
            at += consumed;
            if (event != ISO__WEBSOCKET_MORE) {
                take(&o, socket, event, message_max);
            }
        } while (event != ISO__WEBSOCKET_MORE);
        FUZZ_CHECK(at == end);
    }
    o.inside = iso__websocket_is_inside(socket);
    iso__websocket_destroy(socket);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    const uint32_t message_max = 1u + 2u * bytes[0];
    const outcome whole = feed(bytes + 1, size - 1, message_max, size);
    for (size_t step = 0; step < 4; ++step) {
        const outcome pieces = feed(bytes + 1, size - 1, message_max, step);
        FUZZ_CHECK(pieces.events == whole.events && pieces.digest == whole.digest);
        FUZZ_CHECK(pieces.end == whole.end && pieces.code == whole.code);
        FUZZ_CHECK(whole.end != ISO__WEBSOCKET_MORE || pieces.inside == whole.inside);
    }
    return 0;
}
