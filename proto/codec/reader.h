/// Protobuf's wire format, one value after the other: for what looks at bytes before protobuf-c does.
#ifndef ISO_CODEC_READER_H
#define ISO_CODEC_READER_H

#include <stdbool.h>
#include <stdint.h>

#define ISO__WIRE_VARINT  0u
#define ISO__WIRE_FIXED64 1u
#define ISO__WIRE_BYTES   2u
#define ISO__WIRE_FIXED32 5u

/// What is left of the message at hand.
typedef struct iso__reader {
    const uint8_t *at;
    const uint8_t *end;
} iso__reader;

static inline bool iso__read_varint(iso__reader *r, uint32_t size_max, uint64_t *value) {
    uint64_t result = 0;
    for (uint32_t i = 0; i < size_max && r->at < r->end; ++i) {
        uint64_t byte = *r->at++;
        if (i == 9 && byte > 1) {
            return false;
        }
        result |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *value = result;
            return true;
        }
    }
    return false;
}

static inline bool iso__read_bytes(iso__reader *r, uint64_t size, iso__reader *part) {
    if (size > (uint64_t)(r->end - r->at)) {
        return false;
    }
    part->at = r->at;
    part->end = r->at + size;
    r->at += size;
    return true;
}

static inline bool iso__skip_value(iso__reader *r, uint32_t wire_type) {
    uint64_t number;
    iso__reader part;
    switch (wire_type) {
    case ISO__WIRE_VARINT:
        return iso__read_varint(r, 10, &number);
    case ISO__WIRE_FIXED64:
        return iso__read_bytes(r, 8, &part);
    case ISO__WIRE_BYTES:
        return iso__read_varint(r, 5, &number) && iso__read_bytes(r, number, &part);
    case ISO__WIRE_FIXED32:
        return iso__read_bytes(r, 4, &part);
    default:
        return false; // groups do not exist in proto3
    }
}

#endif
