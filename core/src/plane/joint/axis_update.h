/// Axes at the bodies' poses: what of them is new in each substep.
#ifndef ISO_PLANE_JOINT_AXIS_UPDATE_H
#define ISO_PLANE_JOINT_AXIS_UPDATE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "solver/axis.h"

#define ISO__PLANE_AXIS_GAIN_FRACTION 38 // of a term's gain

/// r times the angle of B minus that of A in this substep.
void iso__plane_axis_update_angle(const iso__plane_step_scratch *scratch, const iso__plane_joint_work *work,
                                  iso__plane_axis *axis);
/// A length along a direction (Q2.30, a unit vector), between anchors with these arms.
void iso__plane_axis_update_length(iso__plane_axis *axis, const int32_t direction[2], int64_t length,
                                   const int64_t arm_a[2], const int64_t arm_b[2]);
/// The part of a term's body in dx/dt.
typedef struct iso__plane_axis_part {
    int64_t direction[2]; // Q31.32
    int64_t arm;          // of w, per radius L, Q31.32
    int64_t turn;         // of omega, Q31.32: only of an angle
} iso__plane_axis_part;

/// A length x whose rate is the sum of parts[i].direction.v + w parts[i].arm over the terms; those of one body are
/// summed.
void iso__plane_axis_update_terms(iso__plane_axis *axis, int64_t x, const iso__plane_axis_part *parts);
/// An angle x whose rate is the sum of omega parts[i].turn = w parts[i].arm.
void iso__plane_axis_update_turns(iso__plane_axis *axis, int64_t x, const iso__plane_axis_part *parts);
/// What is cut of the axis since its last update_terms or update_turns: 1 for a row that has a gradient but so small a
/// K (below 2^-20) that it is not solved, and 1 for each body whose lever is beyond the range.
uint32_t iso__plane_axis_cuts(const iso__plane_axis *axis);
/// An angle clamped to the range of axes, 2^24 rad.
int64_t iso__plane_axis_clamp_angle(int64_t angle);

#endif
