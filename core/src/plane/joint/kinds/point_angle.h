/// What kinds with a point and an axis on the angle share.
#ifndef ISO_PLANE_JOINT_KINDS_POINT_ANGLE_H
#define ISO_PLANE_JOINT_KINDS_POINT_ANGLE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

void iso__plane_point_angle_prepare(const iso__plane *plane, const iso__plane_joint *joint,
                                    iso__plane_joint_work *work);
void iso__plane_point_angle_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_point_angle_measure(const iso__plane *plane, const iso__plane_joint *joint,
                                    iso__plane_joint_measure *measure);

#endif
