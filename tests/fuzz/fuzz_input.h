/// What fuzzers of state machines share: the input, taken byte by byte, and memory that is counted.
#ifndef ISO_TESTS_FUZZ_INPUT_H
#define ISO_TESTS_FUZZ_INPUT_H

#include "fuzz.h"

typedef struct fuzz_input {
    const uint8_t *bytes;
    size_t size;
} fuzz_input;

/// The next byte of the input, 0 behind its end.
static inline uint8_t fuzz_take(fuzz_input *input) {
    if (input->size == 0) {
        return 0;
    }
    input->size -= 1;
    return *input->bytes++;
}

/// The next bytes of the input, fewer when it ends.
static inline const uint8_t *fuzz_take_bytes(fuzz_input *input, size_t *size) {
    const uint8_t *bytes = input->bytes;
    *size = *size < input->size ? *size : input->size;
    input->bytes += *size;
    input->size -= *size;
    return bytes;
}

/// Of an iso_allocator whose `user` is a uint64_t: how many blocks are out.
static inline void *fuzz_allocate(void *user, size_t size, size_t alignment) {
    *(uint64_t *)user += 1;
    return aligned_alloc(alignment < 16 ? 16 : alignment, (size + 63u) / 64u * 64u);
}

static inline void fuzz_release(void *user, void *memory, size_t size) {
    (void)size;
    *(uint64_t *)user -= memory != NULL;
    free(memory);
}

#endif
