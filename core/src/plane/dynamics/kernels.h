/// The tables of plane/world/kernels.h.
#ifndef ISO_PLANE_DYNAMICS_KERNELS_H
#define ISO_PLANE_DYNAMICS_KERNELS_H

#include "isostep/simd.h"
#include "plane/world/kernels.h"

/// @return NULL: the set's code is the scalar one
const iso__plane_kernels *iso__plane_kernels_of(iso_simd set);

extern const iso__plane_kernels iso__plane_kernels_sse41, iso__plane_kernels_avx2, iso__plane_kernels_avx512,
    iso__plane_kernels_neon;

#endif
