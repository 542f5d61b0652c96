/// Text functions without a C library.
#ifndef ISO_SESSION_TEXT_H
#define ISO_SESSION_TEXT_H

#include <stddef.h>
#include <stdint.h>

/// Appends to text with a terminating zero; cuts what does not fit.
void iso__text_append(char *text, size_t capacity, const char *more);
void iso__text_append_number(char *text, size_t capacity, uint64_t value);
void iso__text_append_hex(char *text, size_t capacity, uint64_t value);
void iso__text_copy(char *to, size_t capacity, const char *from);

#endif
