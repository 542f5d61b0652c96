/// The target joint: pulls an anchor of body B towards a point of the world; dragging with a pointer. One point
/// row whose A is the world, usually soft and with a maximum force.
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"

static void target_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__plane_point_prepare(plane, joint, work);
}

const iso__plane_joint_kind iso__plane_kind_target = {
    .prepare = target_prepare, .update = iso__plane_point_update, .measure = iso__plane_point_measure};
