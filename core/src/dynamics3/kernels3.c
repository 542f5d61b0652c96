/// See kernels3.h.
#include "dynamics3/kernels3.h"

#include "simd/target.h"

const iso__kernels3 *iso__kernels3_of(iso_simd set) {
    switch (set) {
#if ISO__HAS_X86
    case ISO_SIMD_SSE41:
        return &iso__kernels3_sse41;
    case ISO_SIMD_AVX2:
        return &iso__kernels3_avx2;
    case ISO_SIMD_AVX512:
        return &iso__kernels3_avx512;
#endif
#if ISO__HAS_NEON
    case ISO_SIMD_NEON:
        return &iso__kernels3_neon;
#endif
    default:
        return NULL;
    }
}
