/// The block of a world in space: what lies where.
#ifndef ISO_SPACE_LAYOUT3_H
#define ISO_SPACE_LAYOUT3_H

#include "world3/world3.h"

/// See iso__kernel.
uint64_t iso__space_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory);

#endif
