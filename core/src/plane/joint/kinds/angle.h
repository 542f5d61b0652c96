/// What kinds with an axis on the angle alone share.
#ifndef ISO_PLANE_JOINT_KINDS_ANGLE_H
#define ISO_PLANE_JOINT_KINDS_ANGLE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

void iso__plane_angle_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);
void iso__plane_angle_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_angle_measure(const iso__plane *plane, const iso__plane_joint *joint,
                              iso__plane_joint_measure *measure);

#endif
