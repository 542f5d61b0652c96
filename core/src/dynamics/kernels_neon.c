/// The kernels for NEON, which every 64-bit ARM processor has.
#include "dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#define KERNEL_TABLE iso__kernels_neon
#include "dynamics/kernel_table.h"

#endif
