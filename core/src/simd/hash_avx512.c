/// The hash for AVX-512: xxhash's own code for it.
#include "simd/hash.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#define XXH_VECTOR     3 // xxhash's number of AVX-512: clang does not define __AVX512F__ here
#define XXH_DEBUGLEVEL 0
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t iso__hash_avx512(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

ISO__TARGET_END

#endif
