/// See kernels.h.
#include "plane/dynamics/kernels.h"

#include "simd/target.h"

const iso__plane_kernels *iso__plane_kernels_of(iso_simd set) {
    switch (set) {
        ISO__TARGET_CASES(iso__plane_kernels)
    default:
        return NULL;
    }
}
