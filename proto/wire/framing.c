/// The parser of a stream of frames. See isostep/proto/framing.h.
///
/// A frame that lies whole in the caller's bytes is given out from there; only one that is cut by
/// the end of a read is gathered in the buffer.
#include "isostep/proto/framing.h"

#include <string.h>

#include "isostep/assert.h"

void iso_framer_init(iso_framer *framer, void *buffer, uint32_t capacity) {
    ISO_ASSERT(capacity > 0);
    *framer = (iso_framer){.buffer = buffer, .capacity = capacity, .frame_max = capacity};
}

void iso_framer_set_max(iso_framer *framer, uint32_t frame_max) {
    ISO_ASSERT(framer->frame_max <= framer->capacity);
    framer->frame_max = frame_max < framer->capacity ? frame_max : framer->capacity;
}

static iso_status feed_fail(iso_framer *framer, iso_status status) {
    framer->error = status;
    return status;
}

/// Takes one byte of the size.
static iso_status feed_header(iso_framer *framer, uint8_t byte) {
    uint32_t i = framer->header_size;
    // The fifth byte is the last one. A zero byte after others would only lengthen the number.
    const int is_fifth = i == ISO_FRAME_HEADER_SIZE_MAX - 1;
    if (byte == 0 || (is_fifth && (byte & 0x80) != 0)) {
        return feed_fail(framer, ISO_ERR_MALFORMED);
    }
    // It holds bits 28 to 34, of which 32 and up are more than any frame has.
    if (is_fifth && byte > 0x0F) {
        return feed_fail(framer, ISO_ERR_FRAME_TOO_LARGE);
    }
    framer->frame_size |= (uint32_t)(byte & 0x7F) << (7 * i);
    framer->header_size = i + 1;
    if ((byte & 0x80) != 0) {
        return ISO_OK;
    }
    framer->has_size = 1;
    if (framer->frame_size > framer->frame_max) {
        return feed_fail(framer, ISO_ERR_FRAME_TOO_LARGE);
    }
    return ISO_OK;
}

/// Ready for the next frame's size.
static void feed_reset(iso_framer *framer) {
    framer->header_size = 0;
    framer->frame_size = 0;
    framer->fill = 0;
    framer->has_size = 0;
}

iso_status iso_framer_feed(iso_framer *framer, const uint8_t *bytes, size_t size, size_t *consumed,
                           const uint8_t **frame, size_t *frame_size) {
    ISO_ASSERT(framer->frame_max <= framer->capacity && framer->header_size <= ISO_FRAME_HEADER_SIZE_MAX);
    *consumed = 0;
    *frame = NULL;
    *frame_size = 0;
    if (framer->error != ISO_OK) {
        return framer->error;
    }
    ISO_ASSERT(!framer->has_size || (framer->frame_size <= framer->capacity && framer->fill < framer->frame_size));
    size_t at = 0;
    while (!framer->has_size && at < size) {
        iso_status status = feed_header(framer, bytes[at++]);
        if (status != ISO_OK) {
            return status;
        }
    }
    if (framer->has_size) {
        size_t missing = framer->frame_size - framer->fill;
        size_t taken = size - at < missing ? size - at : missing;
        if (taken == framer->frame_size) {
            *frame = bytes + at;
        } else {
            if (taken > 0) {
                ISO_ASSERT(framer->buffer != NULL && taken <= framer->capacity - framer->fill);
                memcpy(framer->buffer + framer->fill, bytes + at, taken);
            }
            framer->fill += (uint32_t)taken;
            *frame = taken == missing ? framer->buffer : NULL;
        }
        at += taken;
        if (*frame != NULL) {
            *frame_size = framer->frame_size;
            feed_reset(framer);
        }
    }
    ISO_ASSERT(at <= size);
    *consumed = at;
    return ISO_OK;
}

size_t iso_frame_header_write(uint8_t *header, uint32_t frame_size) {
    size_t count = 0;
    while (frame_size >= 0x80) {
        header[count++] = (uint8_t)(frame_size | 0x80);
        frame_size >>= 7;
    }
    header[count++] = (uint8_t)frame_size;
    ISO_ASSERT(count <= ISO_FRAME_HEADER_SIZE_MAX);
    return count;
}
