/// The revolute joint: two anchor points stay together, the bodies turn freely. One point row.
#include "joint/rows.h"

#include "math/fixed_ops.h"

void iso__revolute_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const int32_t *centre_a = world->body_derived[joint->body_a].local_centre;
    const int32_t *centre_b = world->body_derived[joint->body_b].local_centre;
    work->body_a = joint->body_a;
    work->body_b = joint->body_b;
    for (int axis = 0; axis < 2; ++axis) {
        work->local_a[axis] = iso__sub32(joint->anchor_a[axis], centre_a[axis]);
        work->local_b[axis] = iso__sub32(joint->anchor_b[axis], centre_b[axis]);
        work->start[axis] = world->bodies[joint->body_b].position[axis] - world->bodies[joint->body_a].position[axis];
    }
}
