/// Which joints in space keep their islands from falling asleep.
#ifndef ISO_JOINT3_DRIVE3_H
#define ISO_JOINT3_DRIVE3_H

#include "solver/scratch3.h"

/// Marks the moving bodies that joints pull (pulled_bits) and the islands that motors drive (woken_sets).
void iso__joints3_mark_drives(const iso__space *space);

#endif
