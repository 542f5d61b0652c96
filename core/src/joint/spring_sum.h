/// Springs that act on the same bodies.
#ifndef ISO_JOINT_SPRING_SUM_H
#define ISO_JOINT_SPRING_SUM_H

#include "world/plane.h"

/// Takes more of the springs implicitly where together they are too stiff for a substep. Once a tick, when the joints
/// are prepared.
void iso__springs_sum(iso_world *world);

#endif
