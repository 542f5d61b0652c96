/// memcpy, memmove, memset, memcmp and memchr for WebAssembly, where no C library brings them. Empty elsewhere.
///
/// Compile the core for WebAssembly with -I core/src/base/freestanding before all other folders.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __wasm__

#ifdef __wasm_bulk_memory__

// With bulk memory these become single instructions, not calls to themselves.
void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size) {
    return __builtin_memmove(to, from, size);
}

void *memset(void *to, int value, size_t size) {
    return __builtin_memset(to, value, size);
}

#else

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = 0; i < size; ++i) {
        target[i] = source[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    uint8_t *target = to;
    const uint8_t *source = from;
    const int is_up = (uintptr_t)target <= (uintptr_t)source; // what is not read yet is not written over
    for (size_t i = 0; i < size; ++i) {
        const size_t at = is_up ? i : size - 1 - i;
        target[at] = source[at];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    uint8_t *target = to;
    for (size_t i = 0; i < size; ++i) {
        target[i] = (uint8_t)value;
    }
    return to;
}

#endif

int memcmp(const void *a, const void *b, size_t size) {
    const uint8_t *left = a;
    const uint8_t *right = b;
    for (size_t i = 0; i < size; ++i) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

void *memchr(const void *bytes, int value, size_t size) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; ++i) {
        if (at[i] == (uint8_t)value) {
            return (void *)(uintptr_t)(at + i);
        }
    }
    return NULL;
}

#endif
