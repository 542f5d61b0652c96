/// The kernels for NEON, which every 64-bit ARM processor has.
#include "plane/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#define KERNEL_TABLE iso__plane_kernels_neon
#include "plane/dynamics/kernel_table.h"

#endif
