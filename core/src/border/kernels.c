/// See kernels.h.
#include "border/kernels.h"

#include "plane/plane.h"
#include "state/schema.h"

const iso__kernel *iso__kernel_of(const iso_world_def *def) {
    (void)def;
    return &iso__plane;
}

const iso__kernel *iso__kernel_with_schema(uint64_t schema) {
    return schema == iso__schema_core(&iso__plane) ? &iso__plane : NULL;
}
