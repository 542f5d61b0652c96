/// The block of a world in space: what lies where.
#ifndef ISO_SPACE_LAYOUT_H
#define ISO_SPACE_LAYOUT_H

#include "space/world/space.h"

/// See iso__kernel.
uint64_t iso__space_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory);

#endif
