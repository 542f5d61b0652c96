/// isostep-bench: what moves a scene from outside, tick by tick.
#ifndef ISO_BENCH_DRIVE_H
#define ISO_BENCH_DRIVE_H

#include "isostep/isostep.h"

/// Moves what is moved in the tick that follows step number `step` from 0. @return false when the world refuses it
typedef bool bench_drive(iso_world *world, unsigned step);

/// NULL: nothing is moved, as in most scenes.
bench_drive *bench_drive_find(const char *scene);

#endif
