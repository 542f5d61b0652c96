/// A small world with a little of everything, for the fuzz programs that need one: in the plane, or with FUZZ_SPACE in
/// space.
#ifndef ISO_TESTS_FUZZ_WORLD_H
#define ISO_TESTS_FUZZ_WORLD_H

#include "fuzz.h"
#include "isostep/isostep.h"
#include "isostep/proto/messages.h"

#define FUZZ_WORLD_SLOTS 2u // that are taken

/// The sandbox of the plane or of space.
const iso_game *fuzz_world_game(void);
/// The world's definition.
const iso_world_def *fuzz_world_def(void);
/// An empty world by that definition, from the heap; free() ends it.
iso_world *fuzz_world_empty(void);
/// The world with its scene, two members and 40 ticks behind it.
iso_world *fuzz_world_make(void);
/// A world with little to simulate, at tick 0 with nobody in it, for what is about sessions, with the same game.
iso_world *fuzz_world_light(void);
const iso_world_def *fuzz_world_light_def(void);

/// A session's source of secrets. Stands for a keyed hash: different for different bytes.
void fuzz_world_secret(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]);

#endif
