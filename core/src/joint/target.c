/// The target joint: pulls an anchor of body B towards a point of the world; dragging with a pointer. One point
/// row whose A is the world, usually soft and with a maximum force.
#include "joint/rows.h"

#include "math/fixed_ops.h"

static void target_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *b = &world->body_derived[joint->body_b];
    work->body_a = world->def.body_capacity;
    work->body_b = joint->body_b;
    work->exponent_a = 0;
    work->exponent_b = b->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        work->local_a[axis] = 0;
        work->local_b[axis] = iso__sub32(joint->anchor_b[axis], b->local_centre[axis]);
        work->direction[axis] = 0;
        work->start[axis] = world->bodies[joint->body_b].position[axis] - joint->target[axis];
    }
    iso__point_prepare(world, joint, work);
}

const iso__joint_kind iso__kind_target = {target_prepare, iso__point_update, iso__point_measure};
