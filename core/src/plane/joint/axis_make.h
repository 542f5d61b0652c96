/// Axes of a joint's record: made once a tick, and what the record says of them.
#ifndef ISO_PLANE_JOINT_AXIS_MAKE_H
#define ISO_PLANE_JOINT_AXIS_MAKE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

/// Adds an axis on the bodies' angle. @return NULL when neither body turns
iso__plane_axis *iso__plane_axis_add_angle(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work);
/// Adds an axis on a length between the anchors.
iso__plane_axis *iso__plane_axis_add_length(const iso__plane *plane, iso__plane_joint_work *work);
/// Adds a length of all four bodies, whose rate is set by iso__plane_axis_update_terms.
iso__plane_axis *iso__plane_axis_add_terms(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work);
/// Adds an angle of all four bodies, whose rate is set by iso__plane_axis_update_turns. @return NULL when none turns
iso__plane_axis *iso__plane_axis_add_turns(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work);
/// Adds the rows that the record's switches enable, with the record's axis impulses.
void iso__plane_axis_main(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis);
/// Sets the softness of a main axis' spring that is given by stiffness and damping, from the K that its last update
/// set: once a tick. Leaves other axes of the joint alone.
void iso__plane_axis_soften(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis);
/// Gives an axis a hold with the joint's softness, a motor, or limits (a bit per row).
void iso__plane_axis_hold(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis, uint32_t slot,
                          int64_t rest);
void iso__plane_axis_drive(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           uint32_t slot);
void iso__plane_axis_limit(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           uint32_t rows);
/// Adds one limit, with an impulse of its own; holds a velocity (is_velocity) at a speed [m/s] or [rad/s]; and sets the
/// maximum [N] or [N m] of all rows of a custom joint's axis.
void iso__plane_axis_bound(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           iso__axis_row row, uint32_t slot, int64_t bound);
void iso__plane_axis_pace(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis, uint32_t slot,
                          int64_t speed);
void iso__plane_axis_set_most(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                              iso_wide most);
/// The rows of the main axis that the record's parts and switches enable, a bit each; iso__plane_joint_rows returns all
/// of them.
uint32_t iso__plane_axis_rows(const iso__plane_joint *joint);
/// The sum of the impulses on a joint's main axis.
int64_t iso__plane_axis_impulse(const iso__plane_joint *joint);
/// How far the main axis is from what is held, or beyond a limit; a spring has no error.
iso_wide iso__plane_axis_error(const iso__plane_joint *joint, iso_wide x);

#endif
