/// What joints are doing: force, torque, angle, length, speed, error; and the change of units between them and the
/// impulses in velocity units, j = sigma lambda.
///
///   force   F = j / (sigma h),  sigma = 1/mA + 1/mB, so 1/sigma is the reduced mass
///   torque  M = j / (sigma h),  sigma = 1/IA + 1/IB,  1/I = G / (m L^2)
///
/// Ranges: m up to 2^17 kg [2^49], G from 1 to 500 [2^22 to 2^31], L = 2^k, k from -8 to 6, forces up to 2^31 [2^63].
/// M G 2^(10 - 2k) is below 2^120; j rate below 2^61, and that times m below 2^110. Results saturate.
#include "dynamics/body.h"
#include "joint/rows.h"
#include "math/fixed_ops.h"

const iso__body_derived *iso__joint_body(const iso_world *world, uint32_t body) {
    static const iso__body_derived fixed = {0};
    return body < world->def.body_capacity ? &world->body_derived[body] : &fixed;
}

int32_t iso__joint_share(iso_wide own, iso_wide other) {
    // (1/own) / (1/own + 1/other) = other / (own + other)
    return own == 0 ? 0 : other == 0 ? ISO__UNIT_ONE : (int32_t)iso__div_shift(other, ISO__UNIT_FRACTION, own + other);
}

// ---- units ---------------------------------------------------------------------------------------

/// j of an acceleration in a substep, rounded up.
static int64_t measure_impulse(iso_wide acceleration, int64_t h) {
    return iso_wide_add(iso__mul_shift(acceleration, h, ISO__STEP_FRACTION), 1);
}

int64_t iso__joint_impulse_of_force(iso_wide force, const iso__body_derived *a, const iso__body_derived *b, int64_t h) {
    if (force == 0) {
        return INT64_MAX;
    }
    const iso_wide of_a = a->mass > 0 ? iso_wide_div(force, a->mass) : 0;
    const iso_wide of_b = b->mass > 0 ? iso_wide_div(force, b->mass) : 0;
    return measure_impulse(iso_wide_add(of_a, of_b), h);
}

iso_wide iso__joint_force_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int32_t rate) {
    return iso_wide_mul(impulse * rate, iso__reduced_mass(a->mass, b->mass));
}

/// M / I [rad/s^2] of one body.
static iso_wide measure_turn(iso_wide torque, const iso__body_derived *body) {
    if (body->gyration == 0) {
        return 0;
    }
    // Q31.32 * Q9.22 / Q31.32, brought to Q31.32 and divided by L^2.
    const int up = 10 - 2 * body->radius_exponent;
    const iso__int128 product = iso__int128_mul(torque, body->gyration);
    const iso__uint128 raised = iso__uint128_shl(iso__int128_abs(product), up > 0 ? (unsigned)up : 0);
    const iso__int128 scaled = {(int64_t)raised.hi, raised.lo};
    return iso__int128_div64(iso__int128_round_shift(scaled, up < 0 ? (unsigned)-up : 0), body->mass);
}

int64_t iso__joint_impulse_of_torque(iso_wide torque, const iso__body_derived *a, const iso__body_derived *b, int64_t h) {
    return torque == 0 ? INT64_MAX : measure_impulse(iso_wide_add(measure_turn(torque, a), measure_turn(torque, b)), h);
}

/// j rate m L^2 / G: the torque that would give one body this angular impulse.
static iso_wide measure_torque(int64_t acceleration, const iso__body_derived *body) {
    const int up = 2 * body->radius_exponent - 10;
    iso__int128 product = iso__int128_mul(acceleration, body->mass);
    if (up < 0) {
        product = iso__int128_round_shift(product, (unsigned)-up);
    } else {
        product = iso__int128_add(iso__int128_add(product, product), iso__int128_add(product, product)); // up is 2
    }
    return iso__int128_div64(product, body->gyration);
}

iso_wide iso__joint_torque_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int32_t rate) {
    const int64_t acceleration = impulse * rate;
    if (a->gyration == 0 || b->gyration == 0) {
        const iso__body_derived *turning = a->gyration != 0 ? a : b;
        return turning->gyration == 0 ? 0 : measure_torque(acceleration, turning);
    }
    // 1 / (1/MA + 1/MB) = MA MB / (MA + MB) for the torques that each alone would take.
    const iso_wide of_a = measure_torque(acceleration, a), of_b = measure_torque(acceleration, b);
    const iso_wide half_sum = of_a / 2 + of_b / 2;
    return half_sum == 0 ? (of_a + of_b) / 4 : iso__mul_div(of_a, of_b, half_sum) / 2;
}

// ---- places --------------------------------------------------------------------------------------

static iso_vec2_wide measure_anchor(const iso_world *world, uint32_t body, const int32_t anchor[2]) {
    const iso__body_derived *derived = &world->body_derived[body];
    const iso_vec2_wide offset = iso__rotate_to_wide(derived->rotation, iso__sub32(anchor[0], derived->local_centre[0]),
                                                     iso__sub32(anchor[1], derived->local_centre[1]));
    return (iso_vec2_wide){world->bodies[body].position[0] + offset.x, world->bodies[body].position[1] + offset.y};
}

iso_vec2_wide iso__joint_apart(const iso_world *world, const iso__joint *joint) {
    const iso_vec2_wide a = joint->body_a == ISO__WORLD_BODY ? (iso_vec2_wide){joint->target[0], joint->target[1]}
                                                             : measure_anchor(world, joint->body_a, joint->anchor_a);
    const iso_vec2_wide b = measure_anchor(world, joint->body_b, joint->anchor_b);
    return (iso_vec2_wide){b.x - a.x, b.y - a.y};
}

iso_wide iso__joint_angle(const iso_world *world, const iso__joint *joint) {
    const int64_t of_a = joint->body_a == ISO__WORLD_BODY ? 0 : world->bodies[joint->body_a].angle;
    return iso_radians_from_turns(iso__sub64(world->bodies[joint->body_b].angle, of_a));
}

static iso_wide measure_omega(const iso_world *world, uint32_t body) {
    return body == ISO__WORLD_BODY ? 0
                                   : iso__angular_velocity_from_spin(world->bodies[body].spin,
                                                                     world->body_derived[body].radius_exponent);
}

iso_wide iso__joint_angular_speed(const iso_world *world, const iso__joint *joint) {
    return measure_omega(world, joint->body_b) - measure_omega(world, joint->body_a);
}

void iso__point_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    const int32_t rate = (int32_t)world->def.tick_rate_hz * world->def.substep_count;
    const iso__body_derived *a = iso__joint_body(world, joint->body_a), *b = iso__joint_body(world, joint->body_b);
    const iso_vec2_wide apart = iso__joint_apart(world, joint);
    *measure = (iso__joint_measure){
        .force = {iso__joint_force_of_impulse(joint->impulse[0], a, b, rate),
                  iso__joint_force_of_impulse(joint->impulse[1], a, b, rate)},
        .error = iso_wide_hypot(apart.x, apart.y),
        .speed = iso__joint_angular_speed(world, joint),
    };
}

// ---- the public getters --------------------------------------------------------------------------

static iso_status measure_joint(const iso_world *world, iso_joint_id joint, iso__joint_measure *measure) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__joint *record = &world->joints[joint.index];
    iso__joint_kind_of(record->kind)->measure(world, record, measure);
    return ISO_OK;
}

iso_status iso_joint_get_force(const iso_world *world, iso_joint_id joint, iso_vec2_wide *force) {
    iso__joint_measure measure;
    const iso_status status = measure_joint(world, joint, &measure);
    if (status == ISO_OK) {
        *force = measure.force;
    }
    return status;
}

iso_status iso_joint_get_torque(const iso_world *world, iso_joint_id joint, iso_wide *torque) {
    iso__joint_measure measure;
    const iso_status status = measure_joint(world, joint, &measure);
    if (status == ISO_OK) {
        *torque = measure.torque;
    }
    return status;
}

iso_status iso_joint_get_speed(const iso_world *world, iso_joint_id joint, iso_wide *speed) {
    iso__joint_measure measure;
    const iso_status status = measure_joint(world, joint, &measure);
    if (status == ISO_OK) {
        *speed = measure.speed;
    }
    return status;
}

iso_status iso_joint_get_separation(const iso_world *world, iso_joint_id joint, iso_wide *separation) {
    iso__joint_measure measure;
    const iso_status status = measure_joint(world, joint, &measure);
    if (status == ISO_OK) {
        *separation = measure.error;
    }
    return status;
}

iso_status iso_joint_get_angle(const iso_world *world, iso_joint_id joint, iso_wide *angle) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    *angle = iso__joint_angle(world, &world->joints[joint.index]);
    return ISO_OK;
}

iso_status iso_joint_get_length(const iso_world *world, iso_joint_id joint, iso_wide *length) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso_vec2_wide apart = iso__joint_apart(world, &world->joints[joint.index]);
    *length = iso_wide_hypot(apart.x, apart.y);
    return ISO_OK;
}
