/// The kernels of space for NEON, which every 64-bit ARM processor has.
#include "space/dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#define KERNEL_TABLE iso__space_kernels_neon
#include "space/dynamics/contact_kernel.h"

#endif
