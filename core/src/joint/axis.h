/// Axes in the passes of a substep.
#ifndef ISO_JOINT_AXIS_H
#define ISO_JOINT_AXIS_H

#include "joint/work.h"
#include "solver/scratch.h"

void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis);
void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax);
/// Stores the impulses that the joint's record has; a custom joint's own has the others (iso__custom_store).
void iso__axis_store(const iso__joint_axis *axis, iso__joint *joint);

#endif
