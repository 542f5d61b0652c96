/// See hash.h.
#include "simd/hash.h"

#include "base/hash.h"
#include "simd/target.h"

// The baselines of x86-64 and of 64-bit ARM have SSE2 and NEON, which iso__hash uses already.
iso__hash_fn *iso__hash_of(iso_simd set) {
#if ISO__HAS_X86
    if (set == ISO_SIMD_AVX2) {
        return iso__hash_avx2;
    }
    if (set == ISO_SIMD_AVX512) {
        return iso__hash_avx512;
    }
#endif
    (void)set;
    return iso__hash;
}
