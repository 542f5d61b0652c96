/// What kinds with a point and an axis on the angle share.
#ifndef ISO_JOINT_KINDS_POINT_ANGLE_H
#define ISO_JOINT_KINDS_POINT_ANGLE_H

#include "joint/work.h"
#include "solver/scratch.h"

void iso__point_angle_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__point_angle_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_angle_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);

#endif
