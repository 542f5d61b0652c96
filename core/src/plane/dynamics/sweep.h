/// Where a shape that goes along its body's way first meets another: the time of impact.
#ifndef ISO_PLANE_DYNAMICS_SWEEP_H
#define ISO_PLANE_DYNAMICS_SWEEP_H

#include "plane/dynamics/way.h"

#define ISO__PLANE_SWEEP_DEPTH_MIN 2097152 // [m] Q31.32: 0.5 mm, how deep a shape may enter when the slop is smaller
#define ISO__PLANE_MEETING_MISSED  INT64_MAX

/// Where and how a shape has met another.
typedef struct iso__plane_meeting {
    int64_t s;       // fraction of the way, Q.32; ISO__PLANE_MEETING_MISSED: not at all
    int32_t axis[2]; // Q2.30, towards the other
    uint32_t shape, other;
    bool is_deep; // it began with so little before the border of the other that it cannot only be put back
} iso__plane_meeting;

/// Where shape a, on its way, meets shape b first.
iso__plane_meeting iso__plane_sweep_meet(const iso__plane *plane, uint32_t shape_a, const iso__plane_way *way_a,
                                         uint32_t shape_b, const iso__plane_way *way_b);

/// Which of two meetings comes first. Equal times are decided by the shapes.
bool iso__plane_meeting_is_before(const iso__plane_meeting *a, const iso__plane_meeting *b);

#endif
