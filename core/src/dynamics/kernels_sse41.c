/// The kernels for SSE4.1.
#include "dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("sse4.1")

#include "simd/sse41.h"

#define KERNEL_TABLE iso__kernels_sse41
#include "dynamics/kernel_table.h"

ISO__TARGET_END

#endif
