/// The kernels of space for AVX-512.
#include "dynamics3/kernels3.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#include "simd/avx512.h"

#define KERNEL_TABLE iso__kernels3_avx512
#include "dynamics3/contact_kernel3.h"

ISO__TARGET_END

#endif
