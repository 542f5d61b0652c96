/// Joints in space within a step.
#ifndef ISO_SPACE_JOINT_JOINT_STEP_H
#define ISO_SPACE_JOINT_JOINT_STEP_H

#include "space/joint/work.h"

/// Lists the joints with rows, in ascending order; sets the motions of their bodies that do not move in this step to
/// rest, at their poses. After the motions were gathered.
void iso__space_joints_collect(iso__space *space);
/// Sets up their rows.
void iso__space_joints_prepare(iso__space *space);

/// Applies the impulses of the last substep.
void iso__space_joints_warm_start(iso__space *space);
/// One pass over all joints, one after the other.
void iso__space_joints_solve(iso__space *space, bool is_relax);
/// Turns the rows with the bodies, which have moved.
void iso__space_joints_turn(iso__space *space);

/// Writes impulses and angles into the records.
void iso__space_joints_store(iso__space *space);
/// Disables or destroys the joints that have exceeded a threshold, with an event for each. After the motions were
/// stored.
void iso__space_joints_break(iso__space *space);

/// Tells which joints fell asleep or woke with their bodies in this step. Linear in the number of joints.
void iso__space_joints_tell_sleep(iso__space *space);

#endif
