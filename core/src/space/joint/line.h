/// The position of B's anchor on the line of a_A.
#ifndef ISO_SPACE_JOINT_LINE_H
#define ISO_SPACE_JOINT_LINE_H

#include "space/joint/work.h"

/// Axis n is x = a_A . e, where A's arm reaches to B's anchor: dx/dt = a_A . (vB + omega_B x rB - vA - omega_A x (rA +
/// e)).
void iso__space_line_position(iso__space_joint_work *work, uint32_t n);

#endif
