/// What kinds with a line share.
#ifndef ISO_PLANE_JOINT_KINDS_LINE_H
#define ISO_PLANE_JOINT_KINDS_LINE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

/// Axes 0 along a line of A and 1 across it.
void iso__plane_line_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);
void iso__plane_line_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_line_measure(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure);
/// Where B's anchor is on A's line [m], from A's anchor, between steps.
iso_wide iso__plane_line_position(const iso__plane *plane, const iso__plane_joint *joint);

#endif
