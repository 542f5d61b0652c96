/// Axes in the passes of a substep.
#ifndef ISO_PLANE_JOINT_AXIS_H
#define ISO_PLANE_JOINT_AXIS_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

void iso__plane_axis_warm_start(iso__plane_step_scratch *scratch, const iso__plane_axis *axis);
void iso__plane_axis_solve(iso__plane_step_scratch *scratch, iso__plane_axis *axis, bool is_relax);
/// Stores the impulses that the joint's record has; a custom joint's own has the others (iso__plane_custom_store).
void iso__plane_axis_store(const iso__plane_axis *axis, iso__plane_joint *joint);

#endif
