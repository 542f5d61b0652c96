/// The kernels for AVX-512.
#include "plane/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#include "simd/avx512.h"

#define KERNEL_TABLE iso__plane_kernels_avx512
#include "plane/dynamics/kernel_table.h"

ISO__TARGET_END

#endif
