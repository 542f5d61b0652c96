/// What joints in space are doing between steps.
#ifndef ISO_SPACE_JOINT_MEASURE_H
#define ISO_SPACE_JOINT_MEASURE_H

#include "space/joint/work.h"

typedef struct iso__space_joint_measure {
    iso_vec3_wide force;  // [N] on B
    iso_vec3_wide torque; // [N m] on B
    iso_wide separation;  // [m]
    iso_wide angle_error; // [rad]
} iso__space_joint_measure;

/// From the stored impulses and the present poses: the rows are where the last pass of the step had them.
void iso__space_joint_measure_make(const iso__space *space, uint32_t joint, iso__space_joint_measure *measure);

/// An axis and its rate.
void iso__space_joint_measure_axis(const iso__space *space, uint32_t joint, uint32_t n, iso_wide *value,
                                   iso_wide *speed);

#endif
