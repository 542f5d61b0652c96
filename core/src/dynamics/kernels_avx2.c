/// The kernels for AVX2.
#include "dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx2")

#include "simd/avx2.h"

#include "dynamics/contact_kernel.h"
#include "joint/plain_kernel.h"

const iso__kernels iso__kernels_avx2 = {
    .contacts_min = 3,
    .contacts_warm_start = kernel_contacts_warm_start,
    .contacts_solve = kernel_contacts_solve,
    .contacts_relax = kernel_contacts_relax,
    .plain_arrive = kernel_plain_arrive,
    .plain_warm_start = kernel_plain_warm_start,
    .plain_solve = kernel_plain_solve,
    .plain_relax = kernel_plain_relax,
};

ISO__TARGET_END

#endif
