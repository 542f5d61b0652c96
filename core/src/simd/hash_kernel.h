/// The hash of an instruction set: xxhash's own code for it. Included by one file per set, within its target;
/// HASH_KERNEL is the function's name. XXH_VECTOR has xxhash's number of the set, which it would else take from macros
/// that clang does not define within a target.
///
/// What xxhash includes is included before: within the target its inline functions would need the set as well.
#ifndef ISO_SIMD_HASH_KERNEL_H
#define ISO_SIMD_HASH_KERNEL_H

#define XXH_DEBUGLEVEL 0
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t HASH_KERNEL(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

#endif
