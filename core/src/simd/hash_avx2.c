/// The hash for AVX2.
#include "simd/hash.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

ISO__TARGET_BEGIN("avx2")

#define XXH_VECTOR  2
#define HASH_KERNEL iso__hash_avx2
#include "simd/hash_kernel.h"

ISO__TARGET_END

#endif
