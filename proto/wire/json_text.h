/// Strings of JSON, character by character, for texts of others: iso_print_json_string and the lines of events.
#ifndef ISO_PROTO_WIRE_JSON_TEXT_H
#define ISO_PROTO_WIRE_JSON_TEXT_H

#include <stdio.h>
#include <string.h>

#include "isostep/proto/text.h"
#include "wire/utf8.h"

#define ISO__JSON_CHARACTER_SIZE 13u // of the longest, two \uXXXX, with the terminating zero

/// Writes the character at `at` as it stands within a string: one that is not printable as \uXXXX, a byte that is not
/// UTF-8 as U+FFFD. @return how many bytes of the text were read
static inline size_t iso__json_character(const uint8_t *at, const uint8_t *end, char text[ISO__JSON_CHARACTER_SIZE]) {
    uint32_t character = 0xFFFD;
    const size_t read = iso__utf8_read(at, end, &character);
    if (read > 0 && iso_text_is_printable(character)) {
        const size_t escape = character == '"' || character == '\\';
        text[0] = '\\';
        memcpy(text + escape, at, read);
        text[escape + read] = 0;
        return read;
    }
    if (character > 0xFFFF) {
        const uint32_t rest = character - 0x10000;
        // UTF-8 ends at U+10FFFF; without the mask gcc warns that more digits might come.
        const unsigned high = 0xD800u | (rest >> 10 & 0x3FF);
        const unsigned low = 0xDC00u | (rest & 0x3FF);
        snprintf(text, ISO__JSON_CHARACTER_SIZE, "\\u%04x\\u%04x", high, low);
    } else {
        snprintf(text, ISO__JSON_CHARACTER_SIZE, "\\u%04x", (unsigned)(character & 0xFFFF));
    }
    return read > 0 ? read : 1;
}

#endif
