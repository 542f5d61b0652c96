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

const iso__body_derived iso__joint_of_world = {0};

int32_t iso__joint_share(iso_wide own, iso_wide other) {
    // (1/own) / (1/own + 1/other) = other / (own + other)
    if (own == other && own != 0) {
        return ISO__UNIT_ONE / 2;
    }
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

/// A joint's different bodies, but for the world. @return how many
static uint32_t measure_bodies(const iso__joint *joint, uint32_t bodies[4]) {
    const uint32_t all[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        bool is_new = all[i] != ISO__WORLD_BODY;
        for (uint32_t k = 0; k < count; ++k) {
            is_new = is_new && bodies[k] != all[i];
        }
        if (is_new) {
            bodies[count++] = all[i];
        }
    }
    return count;
}

static iso_wide measure_custom_mass(const iso_world *world, const iso__joint *joint) {
    uint32_t bodies[4];
    iso_wide reduced = 0;
    const uint32_t count = measure_bodies(joint, bodies);
    for (uint32_t i = 0; i < count; ++i) {
        reduced = iso__reduced_mass(reduced, world->body_derived[bodies[i]].mass);
    }
    return reduced;
}

iso_wide iso__joint_reduced_mass(const iso_world *world, const iso__joint *joint) {
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_IS_CUSTOM) != 0) {
        return measure_custom_mass(world, joint);
    }
    const iso_wide ab = iso__reduced_mass(iso__joint_body(world, joint->body_a)->mass, iso__joint_body(world, joint->body_b)->mass);
    if (joint->body_c == ISO__WORLD_BODY) {
        return ab;
    }
    const iso_wide cd = iso__reduced_mass(iso__joint_body(world, joint->body_c)->mass, iso__joint_body(world, joint->body_d)->mass);
    const int64_t ratio = iso__joint_ratio(joint);
    return iso__reduced_mass(ab, iso_wide_div(iso_wide_div(cd, ratio), ratio));
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

int64_t iso__joint_ratio(const iso__joint *joint) {
    return (iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_RATIO) != 0 ? iso_wide_from_fix16(joint->ratio) : ISO_WIDE_ONE;
}

int64_t iso__joint_impulse_of_torque(iso_wide torque, const iso__body_derived *a, const iso__body_derived *b, int64_t ratio,
                                     int64_t h) {
    if (torque == 0) {
        return INT64_MAX;
    }
    const iso_wide of_b = iso_wide_mul(iso_wide_mul(measure_turn(torque, b), ratio), ratio);
    return measure_impulse(iso_wide_add(measure_turn(torque, a), of_b), h);
}

/// j rate m L^2 / G: the torque that would give one body this angular impulse.
static iso_wide measure_torque(int64_t acceleration, const iso__body_derived *body) {
    const int up = 2 * body->radius_exponent - 10; // from -26 to 2
    const iso__int128 product = iso__int128_mul(acceleration, body->mass);
    if (up > 0) {
        return iso__int128_div(product, (unsigned)up, (iso__int128){0, (uint64_t)body->gyration});
    }
    return iso__int128_div64(iso__int128_round_shift(product, (unsigned)-up), body->gyration);
}

/// 1 / (1/Ma + 1/Mb) for the torques that two alone would take; 0 is none.
static iso_wide measure_parallel(iso_wide a, iso_wide b) {
    const iso_wide half_sum = a / 2 + b / 2;
    return a == 0 || b == 0 ? a + b : half_sum == 0 ? (a + b) / 4 : iso__mul_div(a, b, half_sum) / 2;
}

/// The torque that gives all different bodies of a joint this angular acceleration in sum.
static iso_wide measure_turn_torque(const iso_world *world, const iso__joint *joint, int64_t acceleration) {
    uint32_t bodies[4];
    iso_wide torque = 0;
    const uint32_t count = measure_bodies(joint, bodies);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__body_derived *body = &world->body_derived[bodies[i]];
        torque = measure_parallel(torque, body->gyration != 0 ? measure_torque(acceleration, body) : 0);
    }
    return torque;
}

iso_wide iso__joint_reduced_inertia(const iso_world *world, const iso__joint *joint) {
    return measure_turn_torque(world, joint, ISO_WIDE_ONE);
}

iso_wide iso__joint_torque_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int64_t ratio,
                                      int32_t rate) {
    const int64_t acceleration = impulse * rate;
    // 1 / (1/MA + r^2/MB) = MA MB / (MA + MB) for the torques that each alone would take, with MB of r^2/IB.
    const iso_wide of_a = a->gyration != 0 ? measure_torque(acceleration, a) : 0;
    const iso_wide alone = b->gyration != 0 ? measure_torque(acceleration, b) : 0;
    const iso_wide of_b = ratio == ISO_WIDE_ONE ? alone : iso_wide_div(iso_wide_div(alone, ratio), ratio);
    if (a->gyration == 0 || b->gyration == 0) {
        return a->gyration != 0 ? of_a : of_b;
    }
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

/// r times what B has, less what A has.
static iso_wide measure_difference(const iso__joint *joint, iso_wide of_a, iso_wide of_b) {
    const int64_t ratio = iso__joint_ratio(joint);
    return iso_wide_sub(ratio == ISO_WIDE_ONE ? of_b : iso_wide_mul(ratio, of_b), of_a);
}

iso_wide iso__joint_angle(const iso_world *world, const iso__joint *joint) {
    const int64_t of_a = joint->body_a == ISO__WORLD_BODY ? 0 : world->bodies[joint->body_a].angle;
    return iso_radians_from_turns(measure_difference(joint, of_a, world->bodies[joint->body_b].angle));
}

iso_wide iso__joint_omega(const iso_world *world, uint32_t body) {
    return body == ISO__WORLD_BODY ? 0
                                   : iso__angular_velocity_from_spin(world->bodies[body].spin,
                                                                     world->body_derived[body].radius_exponent);
}

iso_wide iso__joint_angular_speed(const iso_world *world, const iso__joint *joint) {
    return measure_difference(joint, iso__joint_omega(world, joint->body_a), iso__joint_omega(world, joint->body_b));
}

/// The velocity of an anchor.
static iso_vec2_wide measure_velocity(const iso_world *world, uint32_t index, const int32_t anchor[2]) {
    const iso__body *body = &world->bodies[index];
    const iso__body_derived *derived = &world->body_derived[index];
    const iso_vec2_wide lever = iso__rotate_to_wide(derived->rotation, iso__sub32(anchor[0], derived->local_centre[0]),
                                                    iso__sub32(anchor[1], derived->local_centre[1]));
    const iso_wide omega = iso__joint_omega(world, index);
    return (iso_vec2_wide){iso__shl64(body->velocity[0], 13) - iso_wide_mul(omega, lever.y),
                           iso__shl64(body->velocity[1], 13) + iso_wide_mul(omega, lever.x)};
}

iso_vec2_wide iso__joint_velocity(const iso_world *world, const iso__joint *joint) {
    const iso_vec2_wide a = measure_velocity(world, joint->body_a, joint->anchor_a);
    const iso_vec2_wide b = measure_velocity(world, joint->body_b, joint->anchor_b);
    return (iso_vec2_wide){b.x - a.x, b.y - a.y};
}

// ---- of one joint's bodies -----------------------------------------------------------------------

static int32_t measure_rate(const iso_world *world) {
    return (int32_t)world->def.tick_rate_hz * world->def.substep_count;
}

iso_wide iso__joint_force(const iso_world *world, const iso__joint *joint, int64_t impulse) {
    return iso_wide_mul(impulse * measure_rate(world), iso__joint_reduced_mass(world, joint));
}

iso_wide iso__joint_torque(const iso_world *world, const iso__joint *joint, int64_t impulse) {
    const int64_t ratio = iso__joint_ratio(joint);
    const iso_wide on_a = iso__joint_torque_of_impulse(impulse, iso__joint_body(world, joint->body_a),
                                                       iso__joint_body(world, joint->body_b), ratio, measure_rate(world));
    return ratio == ISO_WIDE_ONE ? on_a : iso_wide_mul(ratio, on_a);
}

iso_wide iso__joint_turn_torque(const iso_world *world, const iso__joint *joint, int64_t impulse) {
    return measure_turn_torque(world, joint, impulse * measure_rate(world));
}

void iso__point_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    const iso_vec2_wide apart = iso__joint_apart(world, joint);
    *measure = (iso__joint_measure){
        .force = {iso__joint_force(world, joint, joint->impulse[0]), iso__joint_force(world, joint, joint->impulse[1])},
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
    const iso__joint *record = &world->joints[joint.index];
    const iso_vec2_wide apart = iso__joint_apart(world, record);
    const bool has_axis = (iso_joint_kind_has(record->kind) & ISO_JOINT_HAS_AXIS) != 0;
    *length = has_axis ? iso__line_position(world, record) : iso_wide_hypot(apart.x, apart.y);
    return ISO_OK;
}
