/// The kernels for AVX2.
#include "plane/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx2")

#include "simd/avx2.h"

#define KERNEL_TABLE iso__plane_kernels_avx2
#include "plane/dynamics/kernel_table.h"

ISO__TARGET_END

#endif
