/// A small world with a little of everything, for the fuzz programs that need one.
#ifndef ISO_TESTS_FUZZ_WORLD_H
#define ISO_TESTS_FUZZ_WORLD_H

#include "fuzz.h"
#include "isostep/isostep.h"

#define FUZZ_WORLD_SLOTS 2u  // that are taken

/// The world's definition; its game is the sandbox.
const iso_world_def *fuzz_world_def(void);
/// An empty world by that definition, from the heap; free() ends it.
iso_world *fuzz_world_empty(void);
/// The world with its scene, two members and 40 ticks behind it.
iso_world *fuzz_world_make(void);

#endif
