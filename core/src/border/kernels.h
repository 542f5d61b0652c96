/// Which kernel a world has.
#ifndef ISO_BORDER_KERNELS_H
#define ISO_BORDER_KERNELS_H

#include "isostep/world.h"
#include "world/kernel.h"

/// The kernel of worlds with this definition. @return NULL when this build has none with so many dimensions
const iso__kernel *iso__kernel_of(const iso_world_def *def);

/// The kernel whose snapshots have this schema. @return NULL when no kernel's do
const iso__kernel *iso__kernel_with_schema(uint64_t schema);

#endif
