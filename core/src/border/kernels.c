/// See kernels.h.
#include "border/kernels.h"

#include "plane/plane.h"
#include "space/space.h"
#include "state/schema.h"

const iso__kernel *iso__kernel_of(const iso_world_def *def) {
    return def->dimensions == 3 ? &iso__space_kernel : &iso__plane;
}

const iso__kernel *iso__kernel_with_schema(uint64_t schema) {
    const iso__kernel *const kernels[] = {&iso__plane, &iso__space_kernel};
    for (uint32_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        if (schema == iso__schema_core(kernels[i])) {
            return kernels[i];
        }
    }
    return NULL;
}
