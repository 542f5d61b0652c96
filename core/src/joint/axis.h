/// Axes and their rows.
#ifndef ISO_JOINT_AXIS_H
#define ISO_JOINT_AXIS_H

#include "joint/work.h"
#include "solver/scratch.h"

/// Adds an axis on the bodies' angle. @return NULL when neither body turns
iso__joint_axis *iso__axis_add_angle(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Adds an axis on a length between the anchors.
iso__joint_axis *iso__axis_add_length(const iso_world *world, iso__joint_work *work);
/// Adds a length of all four bodies, whose rate is set by iso__axis_update_terms.
iso__joint_axis *iso__axis_add_terms(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Adds an angle of all four bodies, whose rate is set by iso__axis_update_turns. @return NULL when none turns
iso__joint_axis *iso__axis_add_turns(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Adds the rows that the record's switches enable, with the record's axis impulses.
void iso__axis_main(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis);
/// Sets the softness of a main axis' spring that is given by stiffness and damping, from the K that its last update set:
/// once a tick. Leaves other axes of the joint alone.
void iso__axis_soften(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis);
/// Gives an axis a hold with the joint's softness, a motor, or limits (a bit per row).
void iso__axis_hold(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot,
                    int64_t rest);
void iso__axis_drive(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot);
/// Adds one limit, with an impulse of its own; holds a velocity (is_velocity) at a speed [m/s] or [rad/s]; and sets the
/// maximum [N] or [N m] of all rows of a custom joint's axis.
void iso__axis_bound(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso__axis_row row,
                     uint32_t slot, int64_t bound);
void iso__axis_pace(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot,
                    int64_t speed);
void iso__axis_set_most(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso_wide most);
void iso__axis_limit(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t rows);
/// r times the angle of B minus that of A in this substep.
void iso__axis_update_angle(const iso__step_scratch *scratch, const iso__joint_work *work, iso__joint_axis *axis);
/// A length along a direction (Q2.30, a unit vector), between anchors with these arms.
void iso__axis_update_length(iso__joint_axis *axis, const int32_t direction[2], int64_t length, const int64_t arm_a[2],
                             const int64_t arm_b[2]);
/// The part of a term's body in dx/dt.
typedef struct iso__axis_part {
    int64_t direction[2]; // Q31.32
    int64_t arm;          // of w, per radius L, Q31.32
    int64_t turn;         // of omega, Q31.32: only of an angle
} iso__axis_part;

/// A length x whose rate is the sum of parts[i].direction.v + w parts[i].arm over the terms; those of one body are summed.
void iso__axis_update_terms(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts);
/// An angle x whose rate is the sum of omega parts[i].turn = w parts[i].arm.
void iso__axis_update_turns(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts);
/// What is cut of the axis since its last update_terms or update_turns: 1 for a row that has a gradient but so small a K
/// (below 2^-20) that it is not solved, and 1 for each body whose lever is beyond the range.
uint32_t iso__axis_cuts(const iso__joint_axis *axis);
/// An arc [m] of a radius 2^k as an angle [rad].
int64_t iso__axis_angle_of(int64_t turned, int8_t exponent);
void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis);
void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax);
/// Stores the impulses that the joint's record has; a custom joint's own has the others (iso__custom_store).
void iso__axis_store(const iso__joint_axis *axis, iso__joint *joint);
/// The rows of the main axis that the record's parts and switches enable, a bit each; iso__joint_rows returns all of
/// them.
uint32_t iso__axis_rows(const iso__joint *joint);
/// The sum of the impulses on a joint's main axis.
int64_t iso__axis_impulse(const iso__joint *joint);

/// How far the main axis is from what is held, or beyond a limit; a spring has no error.
iso_wide iso__axis_error(const iso__joint *joint, iso_wide x);
/// An angle clamped to the range of axes, 2^24 rad.
int64_t iso__axis_clamp_angle(int64_t angle);

#endif
