/// The target joint: pulls an anchor of body B towards a point of the world; dragging with a pointer. One point
/// row whose A is the world, usually soft and with a maximum force.
#include "joint/kind.h"
#include "joint/measure.h"
#include "joint/pair.h"
#include "joint/point.h"
#include "joint/work.h"

static void target_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__joint_prepare_pair(world, joint, work);
    iso__point_prepare(world, joint, work);
}

const iso__joint_kind iso__kind_target = {
    .prepare = target_prepare, .update = iso__point_update, .measure = iso__point_measure};
