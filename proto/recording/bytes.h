/// Bytes of the recording format: what writing and reading share. Internal.
///
/// A writer or reader that ran out of room stays failed, so a sequence of calls is checked once, at its end.
#ifndef ISO_PROTO_RECORDING_BYTES_H
#define ISO_PROTO_RECORDING_BYTES_H

#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/crc32c.h"
#include "isostep/proto/recording.h"
#include "wire/utf8.h"

#define ISO__RECORDING_MAGIC         "\x89ISR\r\n\x1a\n" // as PNG's: finds files that were sent as text
#define ISO__RECORDING_TRAILER_MAGIC "ISRE"

/// Ticks and sequences are below 2^53.
#define ISO__RECORDING_NUMBER_MAX ((UINT64_C(1) << 53) - 1)

/// Bits of a TICK's flags.
#define ISO__RECORDING_TICK_ROOT     0x03u // 0: no root; 1: of this tick; 2: of the tick before; 3: the lag follows
#define ISO__RECORDING_TICK_CHANGES  0x04u
#define ISO__RECORDING_TICK_COMMANDS 0x08u
/// Bits of the FOOTER's flags.
#define ISO__RECORDING_FOOTER_DEGRADED 0x01u
#define ISO__RECORDING_FOOTER_ROOT     0x02u
#define ISO__RECORDING_FOOTER_GOES_ON  0x04u

typedef struct iso__recording_writer {
    uint8_t *bytes;
    size_t capacity;
    size_t size;
    bool has_failed;
} iso__recording_writer;

typedef struct iso__recording_reader {
    const uint8_t *bytes;
    size_t size;
    size_t offset;
    bool has_failed;
} iso__recording_reader;

static inline void iso__write_bytes(iso__recording_writer *writer, const void *bytes, size_t size) {
    if (writer->has_failed || size > writer->capacity - writer->size) {
        writer->has_failed = true;
        return;
    }
    if (size > 0) {
        memcpy(writer->bytes + writer->size, bytes, size);
    }
    writer->size += size;
}

/// Little endian, `width` bytes.
static inline void iso__write_uint(iso__recording_writer *writer, uint64_t value, size_t width) {
    uint8_t bytes[8];
    for (size_t i = 0; i < width; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    iso__write_bytes(writer, bytes, width);
}

/// LEB128: seven bits a byte, the lowest first; the top bit says that more follow.
static inline void iso__write_varint(iso__recording_writer *writer, uint64_t value) {
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        bytes[size++] = (uint8_t)(value | 0x80);
    }
    bytes[size++] = (uint8_t)value;
    iso__write_bytes(writer, bytes, size);
}

/// One byte of length, then the characters. Fails for a text that does not end within `size_max` + 1.
static inline void iso__write_text(iso__recording_writer *writer, const char *text, size_t size_max) {
    size_t size = 0;
    while (size <= size_max && text[size] != 0) {
        ++size;
    }
    if (size > size_max) {
        writer->has_failed = true;
        return;
    }
    iso__write_uint(writer, size, 1);
    iso__write_bytes(writer, text, size);
}

/// @return `size` bytes of the input, or NULL
static inline const uint8_t *iso__read_bytes(iso__recording_reader *reader, size_t size) {
    if (reader->has_failed || size > reader->size - reader->offset) {
        reader->has_failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->bytes + reader->offset;
    reader->offset += size;
    return bytes;
}

static inline uint64_t iso__read_uint(iso__recording_reader *reader, size_t width) {
    const uint8_t *bytes = iso__read_bytes(reader, width);
    uint64_t value = 0;
    for (size_t i = 0; bytes != NULL && i < width; ++i) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/// Fails for values above `value_max` and for more bytes than the value needs: one value, one form.
static inline uint64_t iso__read_varint(iso__recording_reader *reader, uint64_t value_max) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = iso__read_bytes(reader, 1);
        if (byte == NULL) {
            return 0;
        }
        const uint64_t bits = *byte & 0x7Fu;
        if (bits << shift >> shift != bits || (*byte == 0 && shift > 0)) {
            break;
        }
        value |= bits << shift;
        if (*byte < 0x80) {
            if (value > value_max) {
                break;
            }
            return value;
        }
    }
    reader->has_failed = true;
    return 0;
}

/// @param text  room for size_max + 1; padded with zeros. What is no text fails: a message could not carry it.
static inline void iso__read_text(iso__recording_reader *reader, char *text, size_t size_max) {
    const size_t size = (size_t)iso__read_uint(reader, 1);
    memset(text, 0, size_max + 1);
    const uint8_t *bytes = iso__read_bytes(reader, size);
    if (bytes == NULL || size > size_max || !iso__utf8_is_text(bytes, size)) {
        reader->has_failed = true;
        return;
    }
    memcpy(text, bytes, size);
}

/// Whether everything was there and nothing is left.
static inline bool iso__reader_is_done(const iso__recording_reader *reader) {
    return !reader->has_failed && reader->offset == reader->size;
}

/// @name What a TICK's payload has of a tick's input
/// @{

static inline void iso__recording_write_changes(iso__recording_writer *writer, const iso_tick_input *input) {
    iso__write_varint(writer, input->change_count);
    for (uint32_t i = 0; i < input->change_count; ++i) {
        const iso_change *change = &input->changes[i];
        iso__write_uint(writer, change->kind, 1);
        iso__write_uint(writer, change->slot, 1);
        iso__write_varint(writer, change->slot_generation);
    }
}

/// @param canonical  the `size` bytes of iso_command_encode
static inline void iso__recording_write_command(iso__recording_writer *writer, const iso_sealed_command *command,
                                                const uint8_t *canonical, size_t size) {
    iso__write_uint(writer, command->slot, 1);
    iso__write_varint(writer, command->sequence);
    iso__write_uint(writer, command->moved, 1);
    iso__write_varint(writer, size);
    iso__write_bytes(writer, canonical, size);
}

/// The bits of a TICK's flags that say what of it is there.
static inline uint8_t iso__recording_input_flags(const iso_tick_input *input) {
    return (uint8_t)((input->change_count > 0 ? ISO__RECORDING_TICK_CHANGES : 0) |
                     (input->command_count > 0 ? ISO__RECORDING_TICK_COMMANDS : 0));
}
/// @}

/// @name Frames
/// @{

/// Begins a frame; its size and checksum follow with iso__frame_end. @return where it begins.
static inline size_t iso__frame_begin(iso__recording_writer *writer, uint8_t type, uint8_t flags) {
    const size_t start = writer->size;
    iso__write_uint(writer, type, 1);
    iso__write_uint(writer, flags, 1);
    iso__write_uint(writer, 0, 4);
    return start;
}

/// The checksum of a frame without its last four bytes: over the checksum of the frame before, but in format 1, and it.
static inline uint32_t iso__frame_checksum(const iso_recording_chain *chain, const uint8_t *bytes, size_t size) {
    uint8_t before[4];
    for (size_t i = 0; i < sizeof before; ++i) {
        before[i] = (uint8_t)(chain->checksum >> (8 * i));
    }
    return iso_crc32c(chain->version > 1 ? iso_crc32c(0, before, sizeof before) : 0, bytes, size);
}

static inline void iso__frame_end(iso__recording_writer *writer, size_t start, size_t payload_max,
                                  iso_recording_chain *chain) {
    if (writer->has_failed) {
        return;
    }
    const size_t payload = writer->size - start - ISO_RECORDING_FRAME_HEAD_SIZE;
    if (payload > payload_max) {
        writer->has_failed = true;
        return;
    }
    iso__recording_writer head = {.bytes = writer->bytes + start + 2, .capacity = 4};
    iso__write_uint(&head, payload, 4);
    const uint32_t checksum = iso__frame_checksum(chain, writer->bytes + start, writer->size - start);
    iso__write_uint(writer, checksum, 4);
    chain->checksum = checksum;
}

/// Reads the head of what may be a frame. @return false when it is out of bounds or not wholly there. torn.c
bool iso__recording_read_frame_head(const uint8_t *bytes, uint64_t size, uint64_t offset, uint32_t version,
                                    iso_recording_frame *frame);
/// The same, and moves the chain when the frame has a right checksum. @return whether it has
bool iso__recording_read_frame(const uint8_t *bytes, uint64_t size, uint64_t offset, iso_recording_chain *chain,
                               iso_recording_frame *frame);

static inline uint64_t iso__recording_frame_end(const iso_recording_frame *frame) {
    return frame->offset + ISO_RECORDING_FRAME_EXTRA_SIZE + frame->size;
}

/// For assertions: what iso__recording_read_frame_head lets through.
static inline bool iso__recording_frame_is_bounded(const iso_recording_frame *frame) {
    return frame->type >= ISO_RECORDING_HEADER && frame->type <= ISO_RECORDING_MARK && frame->payload != NULL &&
           frame->size <= ISO_RECORDING_HEADER_SIZE_MAX;
}

/// For assertions: it was made by iso_recording_encode_head, or comes from a file that could be read.
static inline bool iso__recording_chain_is_known(const iso_recording_chain *chain) {
    return chain->version >= ISO_RECORDING_VERSION_MIN && chain->version <= ISO_RECORDING_VERSION_MAX;
}

/// Whether the last bytes are a trailer, and its content. torn.c
bool iso__recording_trailer_is_good(const uint8_t *bytes, uint64_t size, uint64_t *footer_offset);

/// Whether the file's head looks like one whose page was never written, or only in part. torn.c
bool iso__recording_head_is_torn(const uint8_t *bytes, uint64_t size);

/// Whether there is a torn end at `offset`: nothing proves that it was ever whole.
/// @param salt  of the marks that are believed; NULL: the HEADER cannot be read, so any
/// @param error  durable_offset and durable_tick are set when a mark proves it. torn.c
bool iso__recording_is_torn(const iso_recording *recording, uint64_t offset, const uint64_t *salt,
                            iso_recording_mode mode, iso_recording_error *error);

/// The payload of HEADER. header.c
void iso__recording_write_header(iso__recording_writer *writer, const iso_recording_header *header);
bool iso__recording_read_header(const iso_recording_frame *frame, uint32_t version, iso_recording_header *header);

/// What a FOOTER says besides its index, and a reader that stands before the index's entries.
bool iso__recording_read_footer(const iso_recording_frame *frame, iso_recording_footer *footer,
                                iso__recording_reader *entries);
/// The next entry; `entry` holds the one before, at first zeros.
void iso__recording_read_entry(iso__recording_reader *entries, iso_recording_index_entry *entry);

/// Checks a TICK's form without room for its arrays. @param command_count  set on success
bool iso__recording_check_tick(const iso_recording_frame *frame, iso_recording_tick *tick);

/// The next frame's part of a keyframe's stored bytes. @param loaded  how many bytes of it were before this part
bool iso__recording_next_part(const iso_recording *recording, uint64_t *offset, uint32_t loaded, const uint8_t **part,
                              uint32_t *part_size);

/// The compressed bytes that stand in the KEYFRAME frame itself.
bool iso__recording_read_keyframe_part(const iso_recording_frame *frame, iso_recording_keyframe *keyframe,
                                       const uint8_t **part, uint32_t *part_size);
/// @}

#endif
