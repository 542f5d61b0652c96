/// See kernels.h.
#include "border/kernels.h"

#include "plane/plane.h"
#include "space/space.h"
#include "state/schema.h"

// A build with ISO_ONLY_PLANE has no worlds in space: the linker then leaves their code out.
#ifdef ISO_ONLY_PLANE
static const iso__kernel *const kernels[] = {&iso__plane_kernel};
#else
static const iso__kernel *const kernels[] = {&iso__plane_kernel, &iso__space_kernel};
#endif

const iso__kernel *iso__kernel_of(const iso_world_def *def) {
    for (uint32_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        if (kernels[i]->dimensions == def->dimensions) {
            return kernels[i];
        }
    }
    return NULL;
}

const iso__kernel *iso__kernel_with_schema(uint64_t schema) {
    for (uint32_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        if (schema == iso__schema_core(kernels[i])) {
            return kernels[i];
        }
    }
    return NULL;
}
