/// How the rows of contacts stand side by side, for the vector instructions of any set.
#ifndef ISO_SOLVER_PAIR_LANE_H
#define ISO_SOLVER_PAIR_LANE_H

#include <stdint.h>

#define ISO__LANES 8u // contacts per group: as many as the widest vector kernel takes at once

/// Pairs of coefficients share a 64-bit lane, because a vector multiply takes the lower 32 bits of each 64-bit lane and
/// a logical shift brings the upper ones down.
typedef struct iso__pair_lane {
    int32_t lo, hi;
} iso__pair_lane;

#endif
