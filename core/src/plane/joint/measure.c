/// What joints are doing between steps: force, torque, angle, length, speed, error.
#include "plane/joint/measure.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/spin.h"

iso_vec2_wide iso__plane_joint_anchor(const iso__plane *plane, uint32_t body, const int32_t anchor[2]) {
    ISO_ASSERT(body < plane->world.globals->body_count);
    const iso__plane_body_derived *derived = &plane->body_derived[body];
    const iso_vec2_wide offset = iso__rotate_to_wide(derived->rotation, iso__sub32(anchor[0], derived->local_centre[0]),
                                                     iso__sub32(anchor[1], derived->local_centre[1]));
    return (iso_vec2_wide){plane->bodies[body].position[0] + offset.x, plane->bodies[body].position[1] + offset.y};
}

iso_vec2_wide iso__plane_joint_apart(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    const iso_vec2_wide a = joint->body_a == ISO__WORLD_BODY
                                ? (iso_vec2_wide){joint->target[0], joint->target[1]}
                                : iso__plane_joint_anchor(plane, joint->body_a, joint->anchor_a);
    const iso_vec2_wide b = iso__plane_joint_anchor(plane, joint->body_b, joint->anchor_b);
    return (iso_vec2_wide){b.x - a.x, b.y - a.y};
}

/// r times the value of B minus that of A.
static iso_wide measure_difference(const iso__plane_joint *joint, iso_wide of_a, iso_wide of_b) {
    const int64_t ratio = iso__plane_joint_ratio(joint);
    return iso_wide_sub(ratio == ISO_WIDE_ONE ? of_b : iso_wide_mul(ratio, of_b), of_a);
}

iso_wide iso__plane_joint_angle(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    const int64_t of_a = joint->body_a == ISO__WORLD_BODY ? 0 : plane->bodies[joint->body_a].angle;
    return iso_radians_from_turns(measure_difference(joint, of_a, plane->bodies[joint->body_b].angle));
}

iso_wide iso__plane_joint_omega(const iso__plane *plane, uint32_t body) {
    ISO_ASSERT(body == ISO__WORLD_BODY || body < plane->world.globals->body_count);
    return body == ISO__WORLD_BODY ? 0
                                   : iso__plane_angular_velocity_from_spin(plane->bodies[body].spin,
                                                                           plane->body_derived[body].radius_exponent);
}

iso_wide iso__plane_joint_angular_speed(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    return measure_difference(joint, iso__plane_joint_omega(plane, joint->body_a),
                              iso__plane_joint_omega(plane, joint->body_b));
}

/// The velocity of an anchor.
static iso_vec2_wide measure_velocity(const iso__plane *plane, uint32_t index, const int32_t anchor[2]) {
    const iso__plane_body *body = &plane->bodies[index];
    const iso__plane_body_derived *derived = &plane->body_derived[index];
    const iso_vec2_wide lever = iso__rotate_to_wide(derived->rotation, iso__sub32(anchor[0], derived->local_centre[0]),
                                                    iso__sub32(anchor[1], derived->local_centre[1]));
    const iso_wide omega = iso__plane_joint_omega(plane, index);
    return (iso_vec2_wide){iso__shl64(body->velocity[0], 13) - iso_wide_mul(omega, lever.y),
                           iso__shl64(body->velocity[1], 13) + iso_wide_mul(omega, lever.x)};
}

iso_vec2_wide iso__plane_joint_velocity(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT(joint->body_a < plane->world.globals->body_count && joint->body_b < plane->world.globals->body_count);
    const iso_vec2_wide a = measure_velocity(plane, joint->body_a, joint->anchor_a);
    const iso_vec2_wide b = measure_velocity(plane, joint->body_b, joint->anchor_b);
    return (iso_vec2_wide){b.x - a.x, b.y - a.y};
}

// ---- of one joint's bodies -----------------------------------------------------------------------

static int32_t measure_rate(const iso_world *world) {
    return (int32_t)world->def.tick_rate_hz * world->def.substep_count;
}

iso_wide iso__plane_joint_force(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse) {
    // The four rows of an axis. Times the rate, below 2^11, it has 64 bits.
    ISO_ASSERT(impulse >= -4 * ISO__AXIS_IMPULSE_MAX && impulse <= 4 * ISO__AXIS_IMPULSE_MAX);
    return iso_wide_mul(impulse * measure_rate(&plane->world), iso__plane_joint_reduced_mass(plane, joint));
}

iso_wide iso__plane_joint_torque(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse) {
    ISO_ASSERT(joint->kind != 0);
    const int64_t ratio = iso__plane_joint_ratio(joint);
    const iso_wide on_a = iso__plane_joint_torque_of_impulse(impulse, iso__plane_joint_body(plane, joint->body_a),
                                                             iso__plane_joint_body(plane, joint->body_b), ratio,
                                                             measure_rate(&plane->world));
    return ratio == ISO_WIDE_ONE ? on_a : iso_wide_mul(ratio, on_a);
}

iso_wide iso__plane_joint_turn_torque(const iso__plane *plane, const iso__plane_joint *joint, int64_t impulse) {
    ISO_ASSERT(joint->kind != 0);
    return iso__plane_joint_torque_of_turn(plane, joint, impulse * measure_rate(&plane->world));
}

void iso__plane_point_measure(const iso__plane *plane, const iso__plane_joint *joint,
                              iso__plane_joint_measure *measure) {
    ISO_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    const iso_vec2_wide apart = iso__plane_joint_apart(plane, joint);
    *measure = (iso__plane_joint_measure){
        .force = {iso__plane_joint_force(plane, joint, joint->impulse[0]),
                  iso__plane_joint_force(plane, joint, joint->impulse[1])},
        .error = iso_wide_hypot(apart.x, apart.y),
        .speed = iso__plane_joint_angular_speed(plane, joint),
    };
}
