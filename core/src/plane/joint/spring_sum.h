/// Springs that act on the same bodies.
#ifndef ISO_PLANE_JOINT_SPRING_SUM_H
#define ISO_PLANE_JOINT_SPRING_SUM_H

#include "plane/world/plane.h"

/// Takes more of the springs implicitly where together they are too stiff for a substep. Once a tick, when the joints
/// are prepared.
void iso__plane_springs_sum(iso__plane *plane);

#endif
