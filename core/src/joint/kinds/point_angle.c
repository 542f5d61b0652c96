/// What kinds share that hold two points together and may have an axis on the angle: a point row and x = phiB - phiA.
#include "joint/kinds/point_angle.h"

#include "base/assert.h"
#include "joint/axis_make.h"
#include "joint/axis_update.h"
#include "joint/measure.h"
#include "joint/pair.h"
#include "joint/point.h"
#include "joint/work.h"
#include "solver/scratch.h"
#include "world/joint.h"

void iso__point_angle_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__joint_prepare_pair(world, joint, work);
    iso__point_prepare(world, joint, work);
    if (iso__axis_rows(joint) != 0) {
        iso__joint_axis *axis = iso__axis_add_angle(world, joint, work);
        if (axis) {
            iso__axis_main(world, joint, axis);
        }
    }
    ISO_ASSERT(work->has_point && work->axis_count <= 1);
}

void iso__point_angle_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_point && work->axis_count <= 1);
    iso__point_update(scratch, work);
    if (work->axis_count != 0) {
        iso__axis_update_angle(scratch, work, &work->axes[0]);
    }
}

void iso__point_angle_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    ISO_ASSERT((iso__joint_has(joint) & ISO_JOINT_HAS_POINT) != 0);
    iso__point_measure(world, joint, measure);
    measure->torque = iso__joint_torque(world, joint, iso__axis_impulse(joint));
    measure->turned = iso__axis_error(joint, iso__joint_angle(world, joint));
}
