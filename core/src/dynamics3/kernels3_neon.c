/// The kernels of space for NEON, which every 64-bit ARM processor has.
#include "dynamics3/kernels3.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#define KERNEL_TABLE iso__kernels3_neon
#include "dynamics3/contact_kernel3.h"

#endif
