/// Shapes in space, drawn.
#ifndef ISO_DRAW3_SHAPE3_H
#define ISO_DRAW3_SHAPE3_H

#include "isostep/draw3.h"

struct iso__hull3;
struct iso__space;

/// Adds the items of draw->step of one shape, none for a dead one, and says in draw->has_more whether there is another step.
void iso__draw3_shape(iso_draw3 *draw, uint32_t shape);

/// The solid of a hull shape: the world's, or one that is made in `room` where that is not there yet.
const struct iso__hull3 *iso__draw3_hull(const struct iso__space *space, uint32_t shape, struct iso__hull3 *room);

#endif
