/// What a step does in lanes: a table of functions for each instruction set that has any.
#ifndef ISO_DYNAMICS_KERNELS_H
#define ISO_DYNAMICS_KERNELS_H

#include "isostep/simd.h"
#include "solver/scratch.h"

/// Each does what the scalar code of the same name does, bit for bit.
typedef struct iso__kernels {
    uint32_t contacts_min; // groups of fewer contacts are faster one by one
    /// @name Contact rows (contact_kernel.h), of the groups from begin to end, no two of which share a body that moves
    /// @{
    void (*contacts_warm_start)(iso__step_scratch *scratch, uint32_t begin, uint32_t end);
    void (*contacts_solve)(iso__step_scratch *scratch, uint32_t begin, uint32_t end);
    void (*contacts_relax)(iso__step_scratch *scratch, uint32_t begin, uint32_t end);
    /// @}
} iso__kernels;

/// @return NULL: the set's code is the scalar one
const iso__kernels *iso__kernels_of(iso_simd set);

extern const iso__kernels iso__kernels_sse41, iso__kernels_avx2, iso__kernels_avx512, iso__kernels_neon;

#endif
