/// The kernels for SSE4.1.
#include "plane/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("sse4.1")

#include "simd/sse41.h"

#define KERNEL_TABLE iso__plane_kernels_sse41
#include "plane/dynamics/kernel_table.h"

ISO__TARGET_END

#endif
