/// For the digests as WebAssembly: what the core has of <string.h>, and strlen.
#ifndef DIGEST_WASM_STRING_H
#define DIGEST_WASM_STRING_H

#include "base/freestanding/string.h"

static inline size_t strlen(const char *text) {
    size_t size = 0;
    while (text[size] != 0) {
        ++size;
    }
    return size;
}

#endif
