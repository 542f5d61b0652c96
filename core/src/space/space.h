/// The kernel of worlds in space.
#ifndef ISO_SPACE_SPACE_H
#define ISO_SPACE_SPACE_H

#include "world/kernel.h"

extern const iso__kernel iso__space_kernel;

#endif
