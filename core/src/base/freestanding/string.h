/// For builds without a C library (WebAssembly): the functions that the core and the reader of recordings use of
/// <string.h>.
/// base/memory_wasm.c defines them.
#ifndef ISO_FREESTANDING_STRING_H
#define ISO_FREESTANDING_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
void *memchr(const void *bytes, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
