/// The kernels of space for AVX2.
#include "dynamics3/kernels3.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx2")

#include "simd/avx2.h"

#define KERNEL_TABLE iso__kernels3_avx2
#include "dynamics3/contact_kernel3.h"

ISO__TARGET_END

#endif
