/// What kinds share that hold two points together and may have an axis on the angle: a point row and x = phiB - phiA.
#include "plane/joint/kinds/point_angle.h"

#include "base/assert.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"

void iso__plane_point_angle_prepare(const iso__plane *plane, const iso__plane_joint *joint,
                                    iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__plane_point_prepare(plane, joint, work);
    if (iso__plane_axis_rows(joint) != 0) {
        iso__plane_axis *axis = iso__plane_axis_add_angle(plane, joint, work);
        if (axis) {
            iso__plane_axis_main(plane, joint, axis);
        }
    }
    ISO_ASSERT(work->has_point && work->axis_count <= 1);
}

void iso__plane_point_angle_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_point && work->axis_count <= 1);
    iso__plane_point_update(scratch, work);
    if (work->axis_count != 0) {
        iso__plane_axis_update_angle(scratch, work, &work->axes[0]);
    }
}

void iso__plane_point_angle_measure(const iso__plane *plane, const iso__plane_joint *joint,
                                    iso__plane_joint_measure *measure) {
    ISO_ASSERT((iso__plane_joint_has(joint) & ISO_JOINT_HAS_POINT) != 0);
    iso__plane_point_measure(plane, joint, measure);
    measure->torque = iso__plane_joint_torque(plane, joint, iso__plane_axis_impulse(joint));
    measure->turned = iso__plane_axis_error(joint, iso__plane_joint_angle(plane, joint));
}
