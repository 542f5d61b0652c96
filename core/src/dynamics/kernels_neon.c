/// The kernels for NEON, which every 64-bit ARM processor has.
#include "dynamics/kernels.h"
#include "simd/target.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#include "dynamics/contact_kernel.h"

const iso__kernels iso__kernels_neon = {
    .contacts_min = 3,
    .contacts_warm_start = kernel_contacts_warm_start,
    .contacts_solve = kernel_contacts_solve,
    .contacts_relax = kernel_contacts_relax,
};

#endif
