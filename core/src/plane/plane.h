/// The kernel of worlds in the plane.
#ifndef ISO_PLANE_PLANE_H
#define ISO_PLANE_PLANE_H

#include "world/kernel.h"

extern const iso__kernel iso__plane_kernel;

#endif
