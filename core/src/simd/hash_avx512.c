/// The hash for AVX-512.
#include "simd/hash.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#define XXH_VECTOR  3
#define HASH_KERNEL iso__hash_avx512
#include "simd/hash_kernel.h"

ISO__TARGET_END

#endif
