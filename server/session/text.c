/// Text functions without a C library.
#include "text.h"

#include "isostep/assert.h"

void iso__text_append(char *text, size_t capacity, const char *more) {
    size_t end = 0;
    while (end < capacity && text[end] != 0) {
        ++end;
    }
    ISO_ASSERT(end < capacity);
    while (end + 1 < capacity && *more != 0) {
        text[end++] = *more++;
    }
    text[end] = 0;
}

void iso__text_append_number(char *text, size_t capacity, uint64_t value) {
    ISO_ASSERT(capacity > 0);
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value > 0);
    iso__text_append(text, capacity, &digits[at]);
}

void iso__text_append_hex(char *text, size_t capacity, uint64_t value) {
    ISO_ASSERT(capacity > 0);
    char digits[17];
    for (uint32_t i = 0; i < 16; ++i) {
        digits[i] = "0123456789abcdef"[value >> (60u - 4u * i) & 15u];
    }
    digits[16] = 0;
    iso__text_append(text, capacity, digits);
}

void iso__text_copy(char *to, size_t capacity, const char *from) {
    ISO_ASSERT(capacity > 0);
    to[0] = 0;
    iso__text_append(to, capacity, from);
}
