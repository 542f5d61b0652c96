/// For builds without a C library (WebAssembly): xxhash names these two in functions that nobody calls.
#ifndef ISO_FREESTANDING_STDLIB_H
#define ISO_FREESTANDING_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void free(void *memory);

#endif
