/// The kernels of space for AVX2.
#include "space/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx2")

#include "simd/avx2.h"

#define KERNEL_TABLE iso__space_kernels_avx2
#include "space/dynamics/contact_kernel.h"

ISO__TARGET_END

#endif
