/// The kernels for NEON, which every 64-bit ARM processor has.
#include "dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#include "dynamics/contact_kernel.h"
#include "joint/plain_kernel.h"

const iso__kernels iso__kernels_neon = {
    .contacts_min = 3,
    .contacts_warm_start = kernel_contacts_warm_start,
    .contacts_solve = kernel_contacts_solve,
    .contacts_relax = kernel_contacts_relax,
    .plain_arrive = kernel_plain_arrive,
    .plain_warm_start = kernel_plain_warm_start,
    .plain_solve = kernel_plain_solve,
    .plain_relax = kernel_plain_relax,
};

#endif
