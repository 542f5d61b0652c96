/// Any bytes as a stream: fed in one piece, byte by byte and in uneven pieces they give the same frames and the same
/// end. The first byte picks the largest size that is allowed.
#include "fuzz.h"

#include "isostep/proto/framing.h"

#define CAPACITY 512u

typedef struct outcome {
    uint64_t frames;
    uint64_t digest; // of the frames' sizes and bytes
    iso_status status;
    int inside;
} outcome;

static void digest_add(outcome *o, uint64_t value) {
    o->digest = (o->digest ^ value) * UINT64_C(0x100000001b3);
}

/// Feeds the stream in pieces of `step` bytes; 0: in pieces of growing size.
static outcome feed(const uint8_t *bytes, size_t size, uint32_t frame_max, size_t step) {
    static uint8_t buffer[CAPACITY];
    iso_framer framer;
    iso_framer_init(&framer, buffer, CAPACITY);
    iso_framer_set_max(&framer, frame_max);
    outcome o = {.digest = UINT64_C(0xcbf29ce484222325), .status = ISO_OK};
    size_t end = 0;
    for (size_t at = 0, piece = 1; at < size && o.status == ISO_OK; ++piece) {
        const size_t wanted = step == 0 ? piece : step;
        end = size - at < wanted ? size : at + wanted;
        const uint8_t *frame = NULL;
        do {
            size_t consumed = 0;
            size_t frame_size = 0;
            o.status = iso_framer_feed(&framer, bytes + at, end - at, &consumed, &frame, &frame_size);
            FUZZ_CHECK(consumed <= end - at);
            at += consumed;
            if (frame != NULL) {
                FUZZ_CHECK(frame_size >= 1 && frame_size <= frame_max);
                ++o.frames;
                digest_add(&o, frame_size);
                for (size_t i = 0; i < frame_size; ++i) {
                    digest_add(&o, frame[i]);
                }
            }
        } while (o.status == ISO_OK && frame != NULL);
        FUZZ_CHECK(o.status != ISO_OK || at == end);
    }
    o.inside = iso_framer_is_inside(&framer);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    const uint32_t frame_max = 1u + 2u * bytes[0];
    const outcome whole = feed(bytes + 1, size - 1, frame_max, size);
    for (size_t step = 0; step < 4; ++step) {
        const outcome pieces = feed(bytes + 1, size - 1, frame_max, step);
        FUZZ_CHECK(pieces.frames == whole.frames && pieces.digest == whole.digest);
        FUZZ_CHECK(pieces.status == whole.status);
        FUZZ_CHECK(whole.status != ISO_OK || pieces.inside == whole.inside);
    }
    return 0;
}
