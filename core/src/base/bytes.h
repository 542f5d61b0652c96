/// Little-endian numbers at any address, on any machine.
#ifndef ISO_BASE_BYTES_H
#define ISO_BASE_BYTES_H

#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ISO__LITTLE_ENDIAN 1
#else
#define ISO__LITTLE_ENDIAN 0
#endif

/// Writes the low `width` bytes of a value. @param width  1, 2, 4 or 8
static inline void iso__write_le(uint8_t *bytes, uint64_t value, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) {
        bytes[i] = (uint8_t)(value >> (8u * i));
    }
}

/// @param width  1, 2, 4 or 8
static inline uint64_t iso__read_le(const uint8_t *bytes, uint32_t width) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) {
        value |= (uint64_t)bytes[i] << (8u * i);
    }
    return value;
}

static inline void iso__write_u32(uint8_t *bytes, uint32_t value) {
    iso__write_le(bytes, value, 4);
}

static inline void iso__write_u64(uint8_t *bytes, uint64_t value) {
    iso__write_le(bytes, value, 8);
}

static inline uint32_t iso__read_u32(const uint8_t *bytes) {
    return (uint32_t)iso__read_le(bytes, 4);
}

static inline uint64_t iso__read_u64(const uint8_t *bytes) {
    return iso__read_le(bytes, 8);
}

#endif
