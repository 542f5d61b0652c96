/// The discs around shapes that go straight in a step: which of them come near each other, before anything is swept.
#ifndef ISO_PLANE_DYNAMICS_WAY_DISC_H
#define ISO_PLANE_DYNAMICS_WAY_DISC_H

#include <stdbool.h>
#include <stdint.h>

#include "plane/collide/box.h"

/// A disc that has all of a shape in it, whichever way its body turns.
typedef struct iso__plane_way_disc {
    int64_t begin[2]; // [m] Q31.32, of the centre, within ±2^15 m
    int64_t moved[2]; // [m] in the whole step, within ±2^7 m
    int64_t limit;    // the fraction of the step at which it stops, Q.32
    int64_t reach;    // [m] its radius, below 2^11 m
} iso__plane_way_disc;

/// The box of all that it passes until its limit. [m] Q15.16, rounded outwards
iso__plane_box iso__plane_way_disc_box(const iso__plane_way_disc *disc);

/// Whether A and B may touch until A has come to its limit: false only when they do not. Their boxes overlap.
bool iso__plane_way_discs_may_meet(const iso__plane_way_disc *a, const iso__plane_way_disc *b);

#endif
