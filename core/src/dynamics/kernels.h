/// The tables of solver/kernels.h.
#ifndef ISO_DYNAMICS_KERNELS_H
#define ISO_DYNAMICS_KERNELS_H

#include "isostep/simd.h"
#include "solver/kernels.h"

/// @return NULL: the set's code is the scalar one
const iso__kernels *iso__kernels_of(iso_simd set);

extern const iso__kernels iso__kernels_sse41, iso__kernels_avx2, iso__kernels_avx512, iso__kernels_neon;

#endif
