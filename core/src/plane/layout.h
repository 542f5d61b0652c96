/// The block of a world in the plane: what lies where.
#ifndef ISO_PLANE_LAYOUT_H
#define ISO_PLANE_LAYOUT_H

#include "plane/world/plane.h"

/// See iso__kernel.
uint64_t iso__plane_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory);

#endif
