/// See kernels.h.
#include "space/dynamics/kernels.h"

#include "simd/target.h"

const iso__space_kernels *iso__space_kernels_of(iso_simd set) {
    switch (set) {
        ISO__TARGET_CASES(iso__space_kernels)
    default:
        return NULL;
    }
}
