/// The axes of joints in space: scalar rows on one length or angle. See axis.c.
#ifndef ISO_SPACE_JOINT_AXIS_H
#define ISO_SPACE_JOINT_AXIS_H

#include "space/joint/work.h"

/// Sets which rows axis n of a joint has, and their numbers, from the record.
void iso__space_axis_prepare(const iso__space *space, const iso__space_joint *joint, uint32_t n, iso__space_axis *axis);

/// Sets an axis to a length x [m] Q31.32 along a direction of the world, Q2.30. The arms are the joint's.
void iso__space_axis_set_length(iso__space_joint_work *work, uint32_t n, const int32_t direction[3], int64_t x);

/// The angle [turns] Q31.32 that differs from `turns` by whole turns and is nearest to `near`.
int64_t iso__space_axis_unwrap(int64_t turns, int64_t near);

/// Sets an axis to an angle [turns] Q31.32, of which whole turns do not count, with dx/dt = u . (omega_B - omega_A), u
/// in the world Q31.32, its length from 1 to 32. It is unwrapped to the turn that is nearest to where it was.
void iso__space_axis_set_angle(iso__space_joint_work *work, uint32_t n, const int64_t u[3], int64_t turns);

/// Sets axis 0 of a GEAR: x = turns [turns] Q31.32 with dx/dt = ratio b . omega_B - a . omega_A.
void iso__space_axis_set_gear(iso__space_joint_work *work, const int32_t a[3], const int32_t b[3], int64_t turns);

/// Sets axis 0 of a RACK: x = way - ratio turns, with the rate of the way along `direction` and that of the turns
/// b . (omega_B - omega_A). @param way  [m] Q31.32 @param turns  [turns] Q31.32
void iso__space_axis_set_rack(iso__space_joint_work *work, const int32_t direction[3], const int32_t b[3], int64_t way,
                              int64_t turns);

/// Sets the softness of a spring by its stiffness, once K is known.
void iso__space_axis_soften(const iso__space *space, const iso__space_joint *joint, uint32_t n, iso__space_axis *axis);

/// Sets an axis to an angle that has no direction now: its rows do nothing.
void iso__space_axis_set_still(iso__space_joint_work *work, uint32_t n, int64_t turns);

void iso__space_axis_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work,
                                const iso__space_axis *axis);
void iso__space_axis_solve(iso__space_scratch *scratch, const iso__space_joint_work *work, iso__space_axis *axis,
                           bool is_relax);

/// dx/dt [m/s] or [rad/s] Q31.32 of these motions.
int64_t iso__space_axis_speed(const iso__space_motion *a, const iso__space_motion *b, const iso__space_axis *axis);

/// The rows that axis n has by the record's switches, a bit each.
uint32_t iso__space_axis_rows(const iso__space_joint *joint, uint32_t n);

#endif
