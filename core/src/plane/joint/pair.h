/// The bodies of a joint and their anchors.
#ifndef ISO_PLANE_JOINT_PAIR_H
#define ISO_PLANE_JOINT_PAIR_H

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"

/// Sets bodies, anchors and start of a pair.
static inline void iso__plane_joint_pair_make(const iso__plane *plane, const iso__plane_joint *joint,
                                              iso__plane_joint_pair *pair) {
    const bool has_a = joint->body_a != ISO__WORLD_BODY;
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, joint->body_a),
                                  *b = &plane->body_derived[joint->body_b];
    pair->body_a = has_a ? joint->body_a : plane->world.def.body_capacity;
    pair->body_b = joint->body_b;
    pair->exponent_a = a->radius_exponent;
    pair->exponent_b = b->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t from = has_a ? plane->bodies[joint->body_a].position[axis] : joint->target[axis];
        pair->local_a[axis] = has_a ? iso__sub32(joint->anchor_a[axis], a->local_centre[axis]) : 0;
        pair->local_b[axis] = iso__sub32(joint->anchor_b[axis], b->local_centre[axis]);
        pair->start[axis] = plane->bodies[joint->body_b].position[axis] - from;
    }
}

/// Sets bodies, anchors and start of a joint between two bodies, or a body and a point of the world.
void iso__plane_joint_prepare_pair(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);

/// The lever r [m] Q31.32 of an anchor of a body in this substep, and the arm u = r / L.
void iso__plane_joint_lever(const iso__plane_step_scratch *scratch, uint32_t body, const int32_t local[2],
                            int8_t exponent, int64_t lever[2], int64_t arm[2]);

/// Sets the other two bodies of a joint of four.
void iso__plane_joint_prepare_rope(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);

/// As iso__plane_joint_lever, inline for the point row.
ISO__ALWAYS_INLINE void iso__plane_turn_anchor(const iso__plane_step_scratch *scratch, uint32_t body,
                                               const int32_t local[2], int8_t exponent, int64_t lever[2],
                                               int64_t arm[2]) {
    const iso_rotation q = scratch->rotations[body];
    lever[0] = iso__round_shift((int64_t)q.c * local[0] - (int64_t)q.s * local[1], 22);
    lever[1] = iso__round_shift((int64_t)q.s * local[0] + (int64_t)q.c * local[1], 22);
    for (int axis = 0; axis < 2; ++axis) {
        arm[axis] = exponent > 0 ? iso__round_shift(lever[axis], (unsigned)exponent)
                                 : iso__shl64(lever[axis], (unsigned)-exponent);
    }
}

#endif
