/// The friction joint: brakes the sliding of B's anchor against A's, up to a force, and the turning of B against A, up
/// to a torque. Velocity alone, no place:
///
///   point  Cdot = vB + wB x rB - vA - wA x rA = 0,  |lambda| <= force_max h      plane/joint/point.c with a softness
///          that has no bias
///   axis   Cdot = omegaB - omegaA = 0,              |lambda| <= torque_max h     plane/joint/axis.c likewise
///
/// A force or torque of 0 is unlimited, as everywhere.
#include "math/fixed_ops.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/point_angle.h"
#include "plane/joint/work.h"
#include "solver/softness.h"

/// Takes all of the velocity and nothing of the place.
static const iso__softness velocity_only = {.mass_scale = ISO__UNIT_ONE};

static void friction_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_point_angle_prepare(plane, joint, work);
    work->point.is_soft = false;
    work->point.soft = velocity_only;
    if (work->axis_count != 0) {
        work->axes[0].base.is_soft = false;
        work->axes[0].base.soft = velocity_only;
    }
}

/// Where the anchors are and how the bodies are turned is no error.
static void friction_measure(const iso__plane *plane, const iso__plane_joint *joint,
                             iso__plane_joint_measure *measure) {
    iso__plane_point_angle_measure(plane, joint, measure);
    measure->error = measure->turned = 0;
}

const iso__plane_joint_kind iso__plane_kind_friction = {
    .prepare = friction_prepare, .update = iso__plane_point_angle_update, .measure = friction_measure};
