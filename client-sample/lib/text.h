/// Texts in arrays.
#ifndef ISO_CLIENT_TEXT_H
#define ISO_CLIENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/// Copies text into an array of `capacity` bytes, cut where it does not fit. @return whether it fitted.
bool iso__client_text_copy(char *to, size_t capacity, const char *from);
/// The same behind what the array has.
bool iso__client_text_append(char *to, size_t capacity, const char *from);
bool iso__client_text_equal(const char *a, const char *b);

#endif
