/// Shapes in space, drawn.
#ifndef ISO_SPACE_DRAW_SHAPE_H
#define ISO_SPACE_DRAW_SHAPE_H

#include "isostep/draw3.h"

/// Adds the items of draw->step of one shape, none for a dead one, and says in draw->has_more whether there is another
/// step.
void iso__space_draw_shape(iso_draw3 *draw, uint32_t shape);

#endif
