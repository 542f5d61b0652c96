/// The kernels of space for SSE4.1.
#include "dynamics3/kernels3.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("sse4.1")

#include "simd/sse41.h"

#define KERNEL_TABLE iso__kernels3_sse41
#include "dynamics3/contact_kernel3.h"

ISO__TARGET_END

#endif
