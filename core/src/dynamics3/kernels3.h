/// What a step in space does in lanes: a table for each instruction set that has any.
#ifndef ISO_DYNAMICS3_KERNELS3_H
#define ISO_DYNAMICS3_KERNELS3_H

#include "dynamics3/contact_stage3.h"
#include "isostep/simd.h"
#include "solver/scratch3.h"

/// Each does what the scalar code of contact_solve3.c does, bit for bit, of the groups from begin to end, of which no two
/// share a body that moves.
typedef struct iso__kernels3 {
    uint32_t contacts_min; // groups of fewer contacts are faster one by one
    void (*warm_start)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    void (*solve)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    void (*relax)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    /// The arms and gains of a group's rows (contact_stage_kernel3.h).
    void (*stage)(iso__stage3 *stage, iso__contact3_group *group);
} iso__kernels3;

/// `stage` in plain C.
void iso__stage3_portable(iso__stage3 *stage, iso__contact3_group *group);

/// @return NULL: the set's code is the scalar one
const iso__kernels3 *iso__kernels3_of(iso_simd set);

extern const iso__kernels3 iso__kernels3_sse41, iso__kernels3_avx2, iso__kernels3_avx512, iso__kernels3_neon;

#endif
