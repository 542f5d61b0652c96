/// UTF-8, character by character. What travels or is stored as text is checked with it. Inline, for the client's
/// library that is linked without this one.
#ifndef ISO_PROTO_WIRE_UTF8_H
#define ISO_PROTO_WIRE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/assert.h"

/// Reads the character at `at`. @return its size in bytes; 0: there stands none in its shortest form
static inline size_t iso__utf8_read(const uint8_t *at, const uint8_t *end, uint32_t *character) {
    const uint32_t first = *at;
    if (first < 0x80) {
        *character = first;
        return 1;
    }
    const uint32_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    const uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
    if (first < 0xC2 || first > 0xF4 || more > (size_t)(end - at - 1)) {
        return 0;
    }
    uint32_t point = first & (0x3Fu >> more);
    for (uint32_t i = 1; i <= more; ++i) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
        point = point << 6 | (at[i] & 0x3F);
    }
    if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        return 0;
    }
    *character = point;
    return more + 1;
}

/// Whether it is UTF-8 in its shortest form without control characters, zeros among them.
static inline bool iso__utf8_is_text(const uint8_t *bytes, size_t size) {
    ISO_ASSERT(bytes != NULL || size == 0);
    const uint8_t *const end = bytes + size;
    while (bytes < end) {
        uint32_t character;
        const size_t read = iso__utf8_read(bytes, end, &character);
        if (read == 0 || character < 0x20 || (character >= 0x7F && character < 0xA0)) {
            return false;
        }
        bytes += read;
    }
    return true;
}

#endif
