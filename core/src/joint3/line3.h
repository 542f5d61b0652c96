/// The position of B's anchor on the line of a_A.
#ifndef ISO_JOINT3_LINE3_H
#define ISO_JOINT3_LINE3_H

#include "joint3/work3.h"

/// Axis n is x = a_A . e, where A's arm reaches to B's anchor: dx/dt = a_A . (vB + omega_B x rB - vA - omega_A x (rA + e)).
void iso__line3_position(iso__joint3_work *work, uint32_t n);

#endif
