/// See kernels.h.
#include "space/dynamics/kernels.h"

#include "simd/target.h"

const iso__space_kernels *iso__space_kernels_of(iso_simd set) {
    switch (set) {
#if ISO__HAS_X86
    case ISO_SIMD_SSE41:
        return &iso__space_kernels_sse41;
    case ISO_SIMD_AVX2:
        return &iso__space_kernels_avx2;
    case ISO_SIMD_AVX512:
        return &iso__space_kernels_avx512;
#endif
#if ISO__HAS_NEON
    case ISO_SIMD_NEON:
        return &iso__space_kernels_neon;
#endif
    default:
        return NULL;
    }
}
