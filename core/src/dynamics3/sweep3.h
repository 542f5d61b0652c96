/// Where a shape in space that goes along its body's way first meets another: the time of impact.
#ifndef ISO_DYNAMICS3_SWEEP3_H
#define ISO_DYNAMICS3_SWEEP3_H

#include "dynamics3/way3.h"

#define ISO__SWEEP3_DEPTH_MIN 2097152 // [m] Q31.32: 0.5 mm, how deep a shape may enter when the slop is smaller
#define ISO__MEETING3_MISSED  INT64_MAX
#define ISO__HEIGHTS_WORK_MAX 8192u // what sweeps against fields of heights cost in a tick, in prisms

/// Where and how a shape has met another.
typedef struct iso__meeting3 {
    int64_t s;       // fraction of the way, Q.32; ISO__MEETING3_MISSED: not at all
    int32_t axis[3]; // Q2.30, towards the other
    uint32_t shape, other;
    bool is_deep; // it began with so little before the border of the other that it cannot only be put back
} iso__meeting3;

/// Where shape a, on its way, meets shape b first.
iso__meeting3 iso__sweep3_meet(const iso__space *space, uint32_t shape_a, const iso__way3 *way_a, uint32_t shape_b,
                               const iso__way3 *way_b);

/// Which of two meetings comes first. Equal times are decided by the shapes.
bool iso__meeting3_is_before(const iso__meeting3 *a, const iso__meeting3 *b);

#endif
