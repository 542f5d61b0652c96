/// Joints, drawn.
#ifndef ISO_PLANE_DRAW_JOINT_H
#define ISO_PLANE_DRAW_JOINT_H

#include "isostep/draw.h"

/// Adds the items of one joint; none for a dead one.
void iso__plane_draw_joint(iso_draw *draw, uint32_t joint);

#endif
