/// Joints in space, drawn.
#ifndef ISO_SPACE_DRAW_JOINT_H
#define ISO_SPACE_DRAW_JOINT_H

#include "isostep/draw3.h"

/// Adds the items of draw->step of one joint, none for a dead one, and says in draw->has_more whether there is another
/// step.
void iso__space_draw_joint(iso_draw3 *draw, uint32_t joint);

#endif
