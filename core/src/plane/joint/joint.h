/// Joints beyond the public interface.
#ifndef ISO_PLANE_JOINT_JOINT_H
#define ISO_PLANE_JOINT_JOINT_H

#include "plane/world/plane.h"
#include "world/joint_setters.h"

/// Checks a joint's definition without a world. @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE.
iso_status iso__plane_joint_def_check(const iso_joint_def *def);

/// Writes everything that comes from a definition, including bodies (by their indices) and owner.
void iso__plane_joint_write_record(iso__plane_joint *record, const iso_joint_def *def);

/// Reads a record as its definition, without the handles of the bodies.
void iso__plane_joint_read_record(const iso__plane_joint *record, iso_joint_def *def);

/// Sets A to D of a definition.
void iso__plane_joint_def_set_bodies(iso_joint_def *def, const iso_body_id bodies[4]);

/// The most that the angle of a joint's motor can change [rad/s]; INT64_MAX for one on a length, without,
/// or between bodies that do not turn.
iso_wide iso__plane_joint_speed_max(const iso__plane *plane, const iso_joint_def *def);

/// Whether the bodies of a joint can follow its motor: asked where a command, a scene or a blueprint makes the joint.
/// Code may ask for more and gets a motor that applies its maximum. @return ISO_OK; ISO_ERR_RANGE.
iso_status iso__plane_joint_motor_check(const iso__plane *plane, const iso_joint_def *def);

/// See iso__kernel.
extern const iso__joint_setters iso__plane_joint_setters;

#endif
