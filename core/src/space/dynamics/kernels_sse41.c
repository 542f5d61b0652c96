/// The kernels of space for SSE4.1.
#include "space/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("sse4.1")

#include "simd/sse41.h"

#define KERNEL_TABLE iso__space_kernels_sse41
#include "space/dynamics/contact_kernel.h"

ISO__TARGET_END

#endif
