/// The prismatic joint: B slides along a line that A carries and does not turn against A.
///
///   along, across   plane/joint/kinds/line.c
///   angle           x = phiB - phiA, held at the reference      plane/joint/axis.c
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/line.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

static void prismatic_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_line_prepare(plane, joint, work);
    iso__plane_axis *angle = iso__plane_axis_add_angle(plane, joint, work);
    if (angle) {
        iso__plane_axis_hold(plane, joint, angle, ISO__PLANE_JOINT_ANGLE_IMPULSE,
                             iso_wide_from_fix16(joint->reference));
    }
}

static void prismatic_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    iso__plane_line_update(scratch, work);
    if (work->axis_count > 2) {
        iso__plane_axis_update_angle(scratch, work, &work->axes[2]);
    }
}

static void prismatic_measure(const iso__plane *plane, const iso__plane_joint *joint,
                              iso__plane_joint_measure *measure) {
    iso__plane_line_measure(plane, joint, measure);
    const iso_wide turned = iso_wide_sub(iso__plane_joint_angle(plane, joint), iso_wide_from_fix16(joint->reference));
    measure->torque = iso__plane_joint_torque(plane, joint, joint->impulse[ISO__PLANE_JOINT_ANGLE_IMPULSE]);
    measure->turned = turned < 0 ? iso_wide_sub(0, turned) : turned;
}

const iso__plane_joint_kind iso__plane_kind_prismatic = {
    .prepare = prismatic_prepare, .update = prismatic_update, .measure = prismatic_measure};
