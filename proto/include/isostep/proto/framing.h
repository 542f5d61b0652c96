/// Frames on a stream: each message is preceded by its size as a varint, as protobuf libraries write
/// delimited messages.
///
/// The parser is pure: it takes the received bytes and returns whole frames. A size is checked as soon as it is known,
/// before any byte of the frame is stored.
#ifndef ISOSTEP_PROTO_FRAMING_H
#define ISOSTEP_PROTO_FRAMING_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of the longest size in front of a frame.
#define ISO_FRAME_HEADER_SIZE_MAX 5

typedef struct iso_framer {
    uint8_t *buffer;      // the caller's memory
    uint32_t capacity;    // of `buffer`; the largest frame that can ever be allowed
    uint32_t frame_max;   // the largest frame that is allowed now
    uint32_t header_size; // bytes of the size that have been read
    uint32_t frame_size;  // as read so far; complete when `has_size`
    uint32_t fill;        // bytes of the frame in `buffer`
    uint8_t has_size;
    iso_status error; // once it is not ISO_OK, the stream cannot be used any more
} iso_framer;

/// @param buffer     the caller's memory for one frame; it must outlive the framer
/// @param capacity   bytes of `buffer`; the framer allows frames up to this size
void iso_framer_init(iso_framer *framer, void *buffer, uint32_t capacity);

/// Changes the largest size that is allowed [bytes], at most the capacity. It holds for every frame
/// whose size has not been read completely.
void iso_framer_set_max(iso_framer *framer, uint32_t frame_max);

/// Takes bytes until one frame is whole.
///
/// Call it in a loop, advancing by *consumed, until *frame is NULL and everything is consumed.
///
/// @param bytes     the received bytes; may be any part of the stream
/// @param consumed  how many bytes were taken
/// @param frame     the frame, or NULL when more bytes are needed; it points into the framer's buffer
///                  or into `bytes` and is valid until the next call and as long as `bytes` is
/// @return ISO_OK; ISO_ERR_FRAME_TOO_LARGE; ISO_ERR_MALFORMED (a size of more than 5 bytes, above
///         2^32 - 1, not in its shortest form, or 0). After an error each call returns it again.
iso_status iso_framer_feed(iso_framer *framer, const uint8_t *bytes, size_t size, size_t *consumed,
                           const uint8_t **frame, size_t *frame_size);

/// Whether a frame has begun and is not complete, so that the time limit of a frame applies.
static inline int iso_framer_is_inside(const iso_framer *framer) {
    return framer->header_size > 0;
}

/// Writes the size that precedes a frame.
/// @param header  at least ISO_FRAME_HEADER_SIZE_MAX bytes
/// @return the number of bytes, 1 to 5
size_t iso_frame_header_write(uint8_t *header, uint32_t frame_size);

#ifdef __cplusplus
}
#endif

#endif
