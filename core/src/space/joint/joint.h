/// Joints in space: records and definitions.
#ifndef ISO_SPACE_JOINT_JOINT_H
#define ISO_SPACE_JOINT_JOINT_H

#include "isostep/joint3.h"
#include "space/world/space.h"
#include "world/joint_setters.h"

/// Reads all that a definition has, but for the bodies, of a record.
void iso__space_joint_read_record(const iso__space_joint *record, iso_joint3_def *def);

/// The most that axis n of a joint can change [rad/s]; INT64_MAX for lengths and between bodies that do not turn.
iso_wide iso__space_joint_speed_max(const iso_world *world, const iso_joint3_def *def, uint32_t n);

/// Whether the bodies of a joint can follow its motors: asked where a command makes or changes the joint. Code may
/// ask for more and gets motors that apply their maxima. @return ISO_OK; ISO_ERR_RANGE.
iso_status iso__space_joint_motor_check(const iso_world *world, const iso_joint3_def *def);

/// See iso__kernel.
extern const iso__joint_setters iso__space_joint_setters;

#endif
