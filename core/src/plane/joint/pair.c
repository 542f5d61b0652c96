/// See pair.h.
#include "plane/joint/pair.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

void iso__plane_joint_prepare_pair(const iso__plane *plane, const iso__plane_joint *joint,
                                   iso__plane_joint_work *work) {
    iso__plane_joint_pair pair;
    iso__plane_joint_pair_make(plane, joint, &pair);
    work->body_a = pair.body_a;
    work->body_b = pair.body_b;
    work->exponent_a = pair.exponent_a;
    work->exponent_b = pair.exponent_b;
    for (int axis = 0; axis < 2; ++axis) {
        work->local_a[axis] = pair.local_a[axis];
        work->local_b[axis] = pair.local_b[axis];
        work->direction[axis] = joint->direction[axis];
        work->start[axis] = pair.start[axis];
    }
    ISO_ASSERT(work->body_a <= plane->world.def.body_capacity && work->body_b < plane->world.def.body_capacity);
}

void iso__plane_joint_prepare_rope(const iso__plane *plane, const iso__plane_joint *joint,
                                   iso__plane_joint_work *work) {
    ISO_ASSERT(joint->body_c < plane->world.def.body_capacity && joint->body_d < plane->world.def.body_capacity);
    const iso__plane_body_derived *c = &plane->body_derived[joint->body_c], *d = &plane->body_derived[joint->body_d];
    iso__plane_joint_rope *rope = &work->rope;
    work->body_c = joint->body_c;
    work->body_d = joint->body_d;
    rope->exponent_c = c->radius_exponent;
    rope->exponent_d = d->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        rope->local_c[axis] = iso__sub32(joint->anchor_c[axis], c->local_centre[axis]);
        rope->local_d[axis] = iso__sub32(joint->anchor_d[axis], d->local_centre[axis]);
        rope->direction[axis] = joint->direction_cd[axis];
        rope->start[axis] = plane->bodies[joint->body_d].position[axis] - plane->bodies[joint->body_c].position[axis];
    }
}

void iso__plane_joint_lever(const iso__plane_step_scratch *scratch, uint32_t body, const int32_t local[2],
                            int8_t exponent, int64_t lever[2], int64_t arm[2]) {
    ISO_VALIDATE_ASSERT(exponent >= -8 && exponent <= 6);
    iso__plane_turn_anchor(scratch, body, local, exponent, lever, arm);
}
