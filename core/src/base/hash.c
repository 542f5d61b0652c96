/// Includes xxhash, whose code becomes part of this object; simd/hash_*.c do likewise for their instruction sets.
#include "base/hash.h"

#include <string.h>

#include "base/bytes.h"

#define XXH_DEBUGLEVEL 0
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(iso__hasher), "iso__hasher is too small");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(iso__hasher), "iso__hasher is not aligned enough");

uint64_t iso__hash(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

void iso__hasher_init(iso__hasher *hasher) {
    XXH3_64bits_reset((XXH3_state_t *)(void *)hasher->state);
}

void iso__hasher_add(iso__hasher *hasher, const void *bytes, size_t size) {
    XXH3_64bits_update((XXH3_state_t *)(void *)hasher->state, bytes, size);
}

void iso__hasher_add_number(iso__hasher *hasher, uint64_t value, uint32_t width) {
    uint8_t bytes[8];
    iso__write_le(bytes, value, width);
    iso__hasher_add(hasher, bytes, width);
}

void iso__hasher_add_text(iso__hasher *hasher, const char *text) {
    size_t size = 1;
    while (text[size - 1] != 0) {
        ++size;
    }
    iso__hasher_add(hasher, text, size);
}

uint64_t iso__hasher_get(const iso__hasher *hasher) {
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)hasher->state);
}
