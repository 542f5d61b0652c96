/// Measures joints between steps.
#ifndef ISO_PLANE_JOINT_MEASURE_H
#define ISO_PLANE_JOINT_MEASURE_H

#include "plane/joint/work.h"

/// The force and error of a joint whose impulses 0 and 1 are those of a point row.
void iso__plane_point_measure(const iso__plane *plane, const iso__plane_joint *joint,
                              iso__plane_joint_measure *measure);

/// The place [m] of a body's anchor, between steps.
iso_vec2_wide iso__plane_joint_anchor(const iso__plane *plane, uint32_t body, const int32_t anchor[2]);
/// From the anchor of A (or the world's point) to that of B [m] Q31.32, between steps.
iso_vec2_wide iso__plane_joint_apart(const iso__plane *plane, const iso__plane_joint *joint);
/// The velocity of B's anchor minus that of A's [m/s], between steps.
iso_vec2_wide iso__plane_joint_velocity(const iso__plane *plane, const iso__plane_joint *joint);
/// r times the angle of B minus that of A [rad], and its rate [rad/s], between steps.
iso_wide iso__plane_joint_angle(const iso__plane *plane, const iso__plane_joint *joint);
iso_wide iso__plane_joint_angular_speed(const iso__plane *plane, const iso__plane_joint *joint);
/// The angular velocity [rad/s] of a body, or of the world.
iso_wide iso__plane_joint_omega(const iso__plane *plane, uint32_t body);
/// The force [N] of an impulse of a row between the bodies' anchors, and the torque [N m] on B of one on their angle.
iso_wide iso__plane_joint_force(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse);
iso_wide iso__plane_joint_torque(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse);
/// The torque [N m] of an angular impulse on all different bodies of a joint, per radian of J.
iso_wide iso__plane_joint_turn_torque(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse);

#endif
