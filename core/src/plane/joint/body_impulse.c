/// What a joint does to each of its bodies, from the force F and torque M that it has on B.
///
///   two bodies     F at B's anchor and M on B; -F and -M on A, at A's own anchor, for the rows of points and lengths
///                  are on the line between the anchors or have an arm each; at B's anchor where A carries the axis.
///                  With a ratio r of the angle M on B is r times what it is on A.
///   pulley         besides, r |F| along the other rope: on D at its anchor, and opposite on C
///   rows of any J  J^T lambda
///
/// An impulse is a force times the substep. Test: tests/unit/plane/joint/test_joint_body_impulse.c.
#include "base/assert.h"
#include "isostep/joint.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/custom.h"
#include "plane/joint/joint.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"

typedef struct body_push {
    iso_vec2_wide force; // [N]
    iso_wide torque;     // [N m] about the centre of mass
} body_push;

/// Adds a force on a body at a point of the world, and a torque.
static void push_add(const iso__plane *plane, body_push *push, uint32_t body, iso_vec2_wide force, iso_vec2_wide at,
                     iso_wide torque) {
    const int64_t *centre = plane->bodies[body].position;
    const iso_wide moment =
        iso_wide_sub(iso_wide_mul(at.x - centre[0], force.y), iso_wide_mul(at.y - centre[1], force.x));
    push->force.x = iso_wide_add(push->force.x, force.x);
    push->force.y = iso_wide_add(push->force.y, force.y);
    push->torque = iso_wide_add(push->torque, iso_wide_add(moment, torque));
}

static iso_vec2_wide push_reverse(iso_vec2_wide force) {
    return (iso_vec2_wide){iso_wide_sub(0, force.x), iso_wide_sub(0, force.y)};
}

/// The second rope of a pulley.
static void push_add_rope(const iso__plane *plane, const iso__plane_joint *joint, uint32_t body, body_push *push) {
    const iso_wide pull = iso_wide_mul(iso__plane_joint_ratio(joint),
                                       iso__plane_joint_force(plane, joint, iso__plane_axis_impulse(joint)));
    const iso_vec2_wide force = {iso__mul_shift(pull, joint->direction_cd[0], ISO__UNIT_FRACTION),
                                 iso__mul_shift(pull, joint->direction_cd[1], ISO__UNIT_FRACTION)};
    if (body == joint->body_c) {
        push_add(plane, push, body, push_reverse(force), iso__plane_joint_anchor(plane, body, joint->anchor_c), 0);
    }
    if (body == joint->body_d) {
        push_add(plane, push, body, force, iso__plane_joint_anchor(plane, body, joint->anchor_d), 0);
    }
}

static body_push push_of(const iso__plane *plane, const iso__plane_joint *joint, uint32_t body) {
    const uint32_t has = iso__plane_joint_has(joint);
    iso__plane_joint_measure measure;
    body_push push = {{0, 0}, 0};
    if ((has & ISO_JOINT_IS_CUSTOM) != 0) {
        iso__plane_custom_measure_on(plane, joint, body, &measure);
        return (body_push){measure.force, measure.torque};
    }
    iso__plane_joint_kind_of(joint->kind)->measure(plane, joint, &measure);
    const iso_vec2_wide at_b = iso__plane_joint_anchor(plane, joint->body_b, joint->anchor_b);
    if (body == joint->body_b) {
        push_add(plane, &push, body, measure.force, at_b, measure.torque);
    }
    if (body == joint->body_a) {
        const bool has_axis = (has & ISO_JOINT_HAS_AXIS) != 0;
        const iso_vec2_wide at_a = has_axis ? at_b : iso__plane_joint_anchor(plane, body, joint->anchor_a);
        const bool has_ratio = (has & (ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_RATIO)) ==
                               (uint32_t)(ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_RATIO);
        const iso_wide torque =
            has_ratio ? iso_wide_div(measure.torque, iso__plane_joint_ratio(joint)) : measure.torque;
        push_add(plane, &push, body, push_reverse(measure.force), at_a, iso_wide_sub(0, torque));
    }
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        push_add_rope(plane, joint, body, &push);
    }
    return push;
}

iso_status iso_joint_get_body_impulse(const iso_world *world, iso_joint_id joint, iso_body_id body,
                                      iso_vec2_wide *impulse, iso_wide *angular_impulse) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__joint_is_alive(world, joint) || !iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_joint *record = &plane->joints[joint.index];
    if (!iso__plane_joint_has_body(record, body.index)) {
        return ISO_ERR_WRONG_TYPE;
    }
    const int64_t rate = (int64_t)world->def.tick_rate_hz * world->def.substep_count;
    const body_push push = push_of(plane, record, body.index);
    *impulse = (iso_vec2_wide){push.force.x / rate, push.force.y / rate};
    *angular_impulse = push.torque / rate;
    return ISO_OK;
}
