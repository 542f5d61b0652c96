/// What joints in space are doing between steps.
#ifndef ISO_JOINT3_MEASURE3_H
#define ISO_JOINT3_MEASURE3_H

#include "joint3/work3.h"

typedef struct iso__joint3_measure {
    iso_vec3_wide force;  // [N] on B
    iso_vec3_wide torque; // [N m] on B
    iso_wide separation;  // [m]
    iso_wide angle_error; // [rad]
} iso__joint3_measure;

/// From the stored impulses and the present poses: the rows are where the last pass of the step had them.
void iso__joint3_measure_make(const iso__space *space, uint32_t joint, iso__joint3_measure *measure);

/// An axis and its rate.
void iso__joint3_measure_axis(const iso__space *space, uint32_t joint, uint32_t n, iso_wide *value, iso_wide *speed);

#endif
