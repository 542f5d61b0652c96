/// The hash of the whole product: XXH3, 64 bits, seed 0. The same on every machine.
#ifndef ISO_BASE_HASH_H
#define ISO_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Hashes a block at once. About 0.05 ns per byte.
uint64_t iso__hash(const void *bytes, size_t size);

/// Hashes a block that comes in parts; the result is that of the parts put together.
typedef struct iso__hasher {
    _Alignas(64) unsigned char state[576];
} iso__hasher;

void iso__hasher_init(iso__hasher *hasher);
void iso__hasher_add(iso__hasher *hasher, const void *bytes, size_t size);
/// Adds a number as `width` little-endian bytes.
void iso__hasher_add_number(iso__hasher *hasher, uint64_t value, uint32_t width);
/// Adds the characters of a text and the zero at its end, so that "ab", "c" and "a", "bc" differ.
void iso__hasher_add_text(iso__hasher *hasher, const char *text);
/// The hash of all that was added. More can be added afterwards.
uint64_t iso__hasher_get(const iso__hasher *hasher);

#endif
