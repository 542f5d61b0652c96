/// The kernels of space for AVX-512.
#include "space/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#include "simd/avx512.h"

#define KERNEL_TABLE iso__space_kernels_avx512
#include "space/dynamics/contact_kernel.h"

ISO__TARGET_END

#endif
