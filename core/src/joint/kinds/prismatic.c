/// The prismatic joint: B slides along a line that A carries and does not turn against A.
///
///   along, across   joint/kinds/line.c
///   angle           x = phiB - phiA, held at the reference      joint/axis.c
#include "joint/axis_make.h"
#include "joint/axis_update.h"
#include "joint/kind.h"
#include "joint/kinds/line.h"
#include "joint/measure.h"
#include "joint/work.h"
#include "solver/scratch.h"

static void prismatic_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__line_prepare(world, joint, work);
    iso__joint_axis *angle = iso__axis_add_angle(world, joint, work);
    if (angle) {
        iso__axis_hold(world, joint, angle, ISO__JOINT_ANGLE_IMPULSE, iso_wide_from_fix16(joint->reference));
    }
}

static void prismatic_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    iso__line_update(scratch, work);
    if (work->axis_count > 2) {
        iso__axis_update_angle(scratch, work, &work->axes[2]);
    }
}

static void prismatic_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    iso__line_measure(world, joint, measure);
    const iso_wide turned = iso_wide_sub(iso__joint_angle(world, joint), iso_wide_from_fix16(joint->reference));
    measure->torque = iso__joint_torque(world, joint, joint->impulse[ISO__JOINT_ANGLE_IMPULSE]);
    measure->turned = turned < 0 ? iso_wide_sub(0, turned) : turned;
}

const iso__joint_kind iso__kind_prismatic = {
    .prepare = prismatic_prepare, .update = prismatic_update, .measure = prismatic_measure};
