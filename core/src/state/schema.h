/// The schema: what fields a state consists of.
#ifndef ISO_STATE_SCHEMA_H
#define ISO_STATE_SCHEMA_H

#include "isostep/game.h"
#include "world/kernel.h"

/// Hash of the names, types and counts of the fields of a kernel's worlds, and of a game's (0 without a game).
uint64_t iso__schema_core(const iso__kernel *kernel);
uint64_t iso__schema_game(const iso_game *game);

#endif
