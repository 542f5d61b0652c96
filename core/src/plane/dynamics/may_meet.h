/// What a shape on its body's way may meet: the filters, joints and contacts that let it pass.
#ifndef ISO_PLANE_DYNAMICS_MAY_MEET_H
#define ISO_PLANE_DYNAMICS_MAY_MEET_H

#include "plane/world/plane.h"

/// Whether shape a, which is swept, may meet shape b. A segment is not swept.
bool iso__plane_shapes_may_meet(const iso__plane *plane, uint32_t a, uint32_t b);

#endif
