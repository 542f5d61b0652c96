#include "text.h"

#include "isostep/assert.h"

bool iso__client_text_copy(char *to, size_t capacity, const char *from) {
    ISO_ASSERT(to != 0 && capacity > 0);
    size_t length = 0;
    while (from != 0 && from[length] != 0 && length + 1 < capacity) {
        to[length] = from[length];
        length += 1;
    }
    const bool fitted = from == 0 || from[length] == 0;
    while (length < capacity) {
        to[length] = 0;
        length += 1;
    }
    return fitted;
}

bool iso__client_text_append(char *to, size_t capacity, const char *from) {
    ISO_ASSERT(to != 0 && capacity > 0);
    size_t length = 0;
    while (length + 1 < capacity && to[length] != 0) {
        length += 1;
    }
    return iso__client_text_copy(to + length, capacity - length, from);
}

bool iso__client_text_equal(const char *a, const char *b) {
    ISO_ASSERT(a != 0 && b != 0);
    while (*a != 0 && *a == *b) {
        a += 1;
        b += 1;
    }
    return *a == *b;
}
