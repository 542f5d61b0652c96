/// The target joint: pulls an anchor of body B towards a point of the world; dragging with a pointer. One point
/// row whose A is the world, usually soft and with a maximum force.
#include "joint/rows.h"

#include "math/fixed_ops.h"

void iso__target_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const int32_t *centre_b = world->body_derived[joint->body_b].local_centre;
    work->body_a = world->def.body_capacity;
    work->body_b = joint->body_b;
    for (int axis = 0; axis < 2; ++axis) {
        work->local_a[axis] = 0;
        work->local_b[axis] = iso__sub32(joint->anchor_b[axis], centre_b[axis]);
        work->start[axis] = world->bodies[joint->body_b].position[axis] - joint->target[axis];
    }
}
