/// Where a shape in space that goes along its body's way first meets another: the time of impact.
#ifndef ISO_SPACE_DYNAMICS_SWEEP_H
#define ISO_SPACE_DYNAMICS_SWEEP_H

#include "space/dynamics/way.h"

#define ISO__SPACE_SWEEP_DEPTH_MIN  2097152 // [m] Q31.32: 0.5 mm, how deep a shape may enter when the slop is smaller
#define ISO__SPACE_MEETING_MISSED   INT64_MAX
#define ISO__SPACE_HEIGHTS_WORK_MAX 8192u // what sweeps against fields of heights cost in a tick, in prisms

/// Where and how a shape has met another.
typedef struct iso__space_meeting {
    int64_t s;       // fraction of the way, Q.32; ISO__SPACE_MEETING_MISSED: not at all
    int32_t axis[3]; // Q2.30, towards the other
    uint32_t shape, other;
    bool is_deep; // it began with so little before the border of the other that it cannot only be put back
} iso__space_meeting;

/// Where shape a, on its way, meets shape b first.
iso__space_meeting iso__space_sweep_meet(const iso__space *space, uint32_t shape_a, const iso__space_way *way_a,
                                         uint32_t shape_b, const iso__space_way *way_b);

/// Which of two meetings comes first. Equal times are decided by the shapes.
bool iso__space_meeting_is_before(const iso__space_meeting *a, const iso__space_meeting *b);

#endif
