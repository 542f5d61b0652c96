/// Joints beyond the public interface.
#ifndef ISO_JOINT_JOINT_H
#define ISO_JOINT_JOINT_H

#include "world/world.h"

/// Checks a joint's definition without a world. @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE.
iso_status iso__joint_def_check(const iso_joint_def *def);

/// Reads a record as its definition, without the handles of the bodies.
void iso__joint_read_record(const iso__joint *record, iso_joint_def *def);

#endif
