/// Joints within a step: its stages in this order.
#ifndef ISO_PLANE_JOINT_JOINT_STEP_H
#define ISO_PLANE_JOINT_JOINT_STEP_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

/// Lists the joints that are solved in this step, and their bodies; then sets up their rows in the order of their
/// colours.
void iso__plane_joints_collect(iso__plane *plane);
void iso__plane_joints_prepare(iso__plane *plane);
void iso__plane_joint_warm_start(iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_joint_solve(iso__plane_step_scratch *scratch, iso__plane_joint_work *work, bool is_relax);
void iso__plane_joints_store(iso__plane *plane);
/// Breaks the joints that were overloaded in this step, in ascending order.
void iso__plane_joints_break(iso__plane *plane);
/// Adds the events of the joints that fell asleep or woke in this step: when a body has, after the bodies' own.
void iso__plane_joints_tell_sleep(iso__plane *plane);

#endif
