/// Joints, drawn.
#ifndef ISO_DRAW_JOINT_H
#define ISO_DRAW_JOINT_H

#include "isostep/draw.h"

/// The items of one joint; of a dead one none.
void iso__draw_joint(iso_draw *draw, uint32_t joint);

#endif
