/// What a step in space does in lanes: a table for each instruction set that has any.
#ifndef ISO_SPACE_DYNAMICS_KERNELS_H
#define ISO_SPACE_DYNAMICS_KERNELS_H

#include "isostep/simd.h"
#include "space/dynamics/contact_stage.h"
#include "space/world/scratch.h"

/// Each does what the scalar code of contact_solve.c does, bit for bit, of the groups from begin to end, of which no
/// two share a body that moves.
typedef struct iso__space_kernels {
    uint32_t contacts_min; // groups of fewer contacts are faster one by one
    void (*warm_start)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    void (*solve)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    void (*relax)(iso__space_scratch *scratch, uint32_t begin, uint32_t end);
    /// The arms and gains of a group's rows (contact_stage_kernel.h).
    void (*stage)(iso__space_stage *stage, iso__space_contact_group *group);
} iso__space_kernels;

/// `stage` in plain C.
void iso__space_stage_portable(iso__space_stage *stage, iso__space_contact_group *group);

/// @return NULL: the set's code is the scalar one
const iso__space_kernels *iso__space_kernels_of(iso_simd set);

extern const iso__space_kernels iso__space_kernels_sse41, iso__space_kernels_avx2, iso__space_kernels_avx512,
    iso__space_kernels_neon;

#endif
