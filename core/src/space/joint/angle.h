/// The angles of joints in space: what their kinds hold, and what their axes measure. Each is the file's that derives
/// it.
#ifndef ISO_SPACE_JOINT_ANGLE_H
#define ISO_SPACE_JOINT_ANGLE_H

#include "space/joint/work.h"

/// Holds a_B along a_A, by two rows.
void iso__space_angle_align(iso__space_joint_work *work);
/// Holds B's axes along A's, by three rows.
void iso__space_angle_lock(iso__space_joint_work *work);
/// Holds the angle between a_A and a_B at axes_angle, by one row.
void iso__space_angle_cross(iso__space_joint_work *work);

/// How far [turns] Q31.32 a body's frame has turned about its x axis since `began`, to a rotation that is within half a
/// turn of the one of the last call. Notes it.
int64_t iso__space_angle_count(iso__space_joint_body *of, const int32_t now[4]);
/// Such a count begins.
void iso__space_angle_begin(iso__space_joint_body *of, const int32_t rotation[4]);

/// Axis n is the angle about a_A, while a_B is along it.
void iso__space_angle_turn(iso__space_joint_work *work, uint32_t n);
/// Axis n is the angle between a_A and a_B; the twist about both.
void iso__space_angle_swing(iso__space_joint_work *work, uint32_t n);
void iso__space_angle_twist(iso__space_joint_work *work, uint32_t n);
/// Axis n is the angle about a_A of a_B, and about a_B of a_A; these are at an angle.
void iso__space_angle_about_a(iso__space_joint_work *work, uint32_t n);
void iso__space_angle_about_b(iso__space_joint_work *work, uint32_t n);

#endif
