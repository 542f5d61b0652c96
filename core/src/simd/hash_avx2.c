/// The hash for AVX2: xxhash's own code for it.
#include "simd/hash.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

ISO__TARGET_BEGIN("avx2")

#define XXH_VECTOR     2 // xxhash's number of AVX2: clang does not define __AVX2__ here
#define XXH_DEBUGLEVEL 0
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t iso__hash_avx2(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

ISO__TARGET_END

#endif
