/// See joint_mass.h.
#include "plane/world/joint_mass.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/mass.h"

const iso__plane_body_derived iso__plane_joint_of_world = {0};

/// j of an acceleration in a substep, rounded up.
static int64_t mass_impulse(iso_wide acceleration, int64_t h) {
    return iso_wide_add(iso__mul_shift(acceleration, h, ISO__STEP_FRACTION), 1);
}

int64_t iso__plane_joint_impulse_of_force(iso_wide force, const iso__plane_body_derived *a,
                                          const iso__plane_body_derived *b, int64_t h) {
    if (force == 0) {
        return INT64_MAX;
    }
    const iso_wide of_a = a->mass > 0 ? iso_wide_div(force, a->mass) : 0;
    const iso_wide of_b = b->mass > 0 ? iso_wide_div(force, b->mass) : 0;
    return mass_impulse(iso_wide_add(of_a, of_b), h);
}

/// A joint's different bodies, but for the world. @return how many
static uint32_t mass_bodies(const iso__plane_joint *joint, uint32_t bodies[4]) {
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

static iso_wide mass_custom_mass(const iso__plane *plane, const iso__plane_joint *joint) {
    uint32_t bodies[4];
    iso_wide reduced = 0;
    const uint32_t count = mass_bodies(joint, bodies);
    for (uint32_t i = 0; i < count; ++i) {
        reduced = iso__reduced_mass(reduced, plane->body_derived[bodies[i]].mass);
    }
    return reduced;
}

iso_wide iso__plane_joint_reduced_mass(const iso__plane *plane, const iso__plane_joint *joint) {
    if (iso_joint_kind_is_custom(joint->kind)) {
        return mass_custom_mass(plane, joint);
    }
    const iso_wide ab = iso__reduced_mass(iso__plane_joint_body(plane, joint->body_a)->mass,
                                          iso__plane_joint_body(plane, joint->body_b)->mass);
    if (joint->body_c == ISO__WORLD_BODY) {
        return ab;
    }
    const iso_wide cd = iso__reduced_mass(iso__plane_joint_body(plane, joint->body_c)->mass,
                                          iso__plane_joint_body(plane, joint->body_d)->mass);
    const int64_t ratio = iso__plane_joint_ratio(joint);
    return iso__reduced_mass(ab, iso_wide_div(iso_wide_div(cd, ratio), ratio));
}

/// M / I [rad/s^2] of one body.
static iso_wide mass_turn(iso_wide torque, const iso__plane_body_derived *body) {
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

int64_t iso__plane_joint_ratio(const iso__plane_joint *joint) {
    return (iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_RATIO) != 0 ? iso_wide_from_fix16(joint->ratio)
                                                                        : ISO_WIDE_ONE;
}

int64_t iso__plane_joint_impulse_of_torque(iso_wide torque, const iso__plane_body_derived *a,
                                           const iso__plane_body_derived *b, int64_t ratio, int64_t h) {
    if (torque == 0) {
        return INT64_MAX;
    }
    const iso_wide of_b = iso_wide_mul(iso_wide_mul(mass_turn(torque, b), ratio), ratio);
    return mass_impulse(iso_wide_add(mass_turn(torque, a), of_b), h);
}

/// j rate m L^2 / G: the torque that would give one body this angular impulse.
static iso_wide mass_torque(int64_t acceleration, const iso__plane_body_derived *body) {
    const int up = 2 * body->radius_exponent - 10; // from -26 to 2
    const iso__int128 product = iso__int128_mul(acceleration, body->mass);
    if (up > 0) {
        return iso__int128_div(product, (unsigned)up, (iso__int128){0, (uint64_t)body->gyration});
    }
    return iso__int128_div64(iso__int128_round_shift(product, (unsigned)-up), body->gyration);
}

/// 1 / (1/Ma + 1/Mb) for the torques that two alone would take; 0 is none.
static iso_wide mass_parallel(iso_wide a, iso_wide b) {
    const iso_wide half_sum = a / 2 + b / 2;
    return a == 0 || b == 0 ? a + b : half_sum == 0 ? (a + b) / 4 : iso__mul_div(a, b, half_sum) / 2;
}

iso_wide iso__plane_joint_torque_of_turn(const iso__plane *plane, const iso__plane_joint *joint, int64_t acceleration) {
    uint32_t bodies[4];
    iso_wide torque = 0;
    const uint32_t count = mass_bodies(joint, bodies);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_body_derived *body = &plane->body_derived[bodies[i]];
        torque = mass_parallel(torque, body->gyration != 0 ? mass_torque(acceleration, body) : 0);
    }
    return torque;
}

/// The reduced inertia 1/(sum of 1/I) [kg m^2] of a joint's different bodies.
static iso_wide joint_reduced_inertia(const iso__plane *plane, const iso__plane_joint *joint) {
    return iso__plane_joint_torque_of_turn(plane, joint, ISO_WIDE_ONE);
}

iso_wide iso__plane_joint_torque_of_impulse(int64_t impulse, const iso__plane_body_derived *a,
                                            const iso__plane_body_derived *b, int64_t ratio, int32_t rate) {
    const int64_t acceleration = impulse * rate;
    // 1 / (1/MA + r^2/MB) = MA MB / (MA + MB) for the torques that each alone would take, with MB of r^2/IB.
    const iso_wide of_a = a->gyration != 0 ? mass_torque(acceleration, a) : 0;
    const iso_wide alone = b->gyration != 0 ? mass_torque(acceleration, b) : 0;
    const iso_wide of_b = ratio == ISO_WIDE_ONE ? alone : iso_wide_div(iso_wide_div(alone, ratio), ratio);
    if (a->gyration == 0 || b->gyration == 0) {
        return a->gyration != 0 ? of_a : of_b;
    }
    const iso_wide half_sum = of_a / 2 + of_b / 2;
    return half_sum == 0 ? (of_a + of_b) / 4 : iso__mul_div(of_a, of_b, half_sum) / 2;
}

int64_t iso__plane_joint_angular_share(const iso__plane_body_derived *a, const iso__plane_body_derived *b,
                                       int64_t ratio) {
    if (a->gyration == 0 || b->gyration == 0) {
        return a->gyration == 0 ? 0 : ISO__UNIT_ONE;
    }
    // A's part is mB LB^2 GA: below 2^49 2^31, and 2^28 more for the radii. B's is mA LA^2 GB r^2.
    const int up = 2 * (b->radius_exponent - a->radius_exponent);
    const iso__int128 masses_b = iso__int128_mul(b->mass, a->gyration),
                      masses_a = iso__int128_mul(a->mass, b->gyration);
    const iso__uint128 of_a = iso__uint128_shl(iso__int128_abs(masses_b), up > 0 ? (unsigned)up : 0);
    const iso__uint128 of_b = iso__uint128_shl(iso__int128_abs(masses_a), up < 0 ? (unsigned)-up : 0);
    // Both are cut to 62 bits, so that they stay within 128 with r^2, which Q31.32 has exactly.
    const uint64_t high = of_a.hi | of_b.hi;
    const unsigned down = 2 + iso__bit_width64(high);
    const int64_t part = iso__int128_saturate(iso__int128_round_shift((iso__int128){(int64_t)of_a.hi, of_a.lo}, down));
    const int64_t rest = iso__int128_saturate(iso__int128_round_shift((iso__int128){(int64_t)of_b.hi, of_b.lo}, down));
    const iso__int128 scaled = iso__int128_mul(part, ISO_WIDE_ONE);
    return iso__int128_div(scaled, ISO__UNIT_FRACTION,
                           iso__int128_add(scaled, iso__int128_mul(rest, iso_wide_mul(ratio, ratio))));
}

static int64_t mass_rescale_turn(int64_t impulse, const iso__plane_joint *joint, bool is_a,
                                 const iso__plane_body_derived *before, const iso__plane_body_derived *after,
                                 const iso__plane_body_derived *other) {
    if (before->gyration == 0 || after->gyration == 0) {
        return 0; // without an impulse when the body begins or ceases to turn
    }
    // sigma'/sigma = (1 - s) + s I/I' with the share s of the body before, and I/I' = m G' L^2 / (m' G L'^2).
    const int64_t ratio = iso__plane_joint_ratio(joint);
    const int64_t share = is_a ? iso__plane_joint_angular_share(before, other, ratio)
                               : ISO__UNIT_ONE - iso__plane_joint_angular_share(other, before, ratio);
    const int64_t masses =
        iso__mul_div(iso__mul_div(before->mass, after->gyration, after->mass), ISO_WIDE_ONE, before->gyration);
    const int up = 2 * (before->radius_exponent - after->radius_exponent); // from -28 to 28
    const int64_t scaled = iso__mul_shift(masses, up > 0 ? INT64_C(1) << up : 1, up < 0 ? (unsigned)-up : 0);
    return iso__dot_shift(impulse, ISO__UNIT_ONE - share, iso_wide_mul(impulse, scaled), share, ISO__UNIT_FRACTION);
}

/// Whether an impulse acts on the angle of the bodies rather than on a length.
static bool mass_impulse_turns(const iso__plane_joint *joint, uint32_t n) {
    const uint32_t has = iso_joint_kind_has(joint->kind);
    return n >= ISO__PLANE_JOINT_AXIS_IMPULSE ? (has & ISO_JOINT_IS_ANGULAR) != 0
                                              : n == ISO__PLANE_JOINT_ANGLE_IMPULSE && (has & ISO_JOINT_HAS_AXIS) != 0;
}

/// Brings a joint's impulses to another mass of one of its bodies.
/// @param from  its reduced mass before
static void mass_rescale(const iso__plane *plane, iso__plane_joint *joint, uint32_t body,
                         const iso__plane_body_derived *before, iso_wide from) {
    const iso_wide to = iso__plane_joint_reduced_mass(plane, joint);
    const bool is_a = joint->body_a == body;
    const iso__plane_body_derived *after = &plane->body_derived[body];
    const iso__plane_body_derived *other = iso__plane_joint_body(plane, is_a ? joint->body_b : joint->body_a);
    for (uint32_t i = 0; i < ISO__PLANE_JOINT_IMPULSES; ++i) {
        const bool is_point =
            i < ISO__PLANE_JOINT_AXIS_IMPULSE && (iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_POINT) != 0;
        const int64_t limit = is_point ? ISO__JOINT_IMPULSE_MAX : ISO__AXIS_IMPULSE_MAX;
        const int64_t scaled = mass_impulse_turns(joint, i)
                                   ? mass_rescale_turn(joint->impulse[i], joint, is_a, before, after, other)
                               : to == 0 ? 0
                                         : iso__mul_div(joint->impulse[i], from, to);
        joint->impulse[i] = iso__clamp64(scaled, -limit, limit);
    }
}

/// From a joint's reduced mass and inertia before.
static void mass_rescale_custom(const iso__plane *plane, iso__plane_joint *joint, iso_wide mass, iso_wide inertia) {
    iso__plane_custom_joint *record = iso__plane_custom_of(plane, joint);
    const iso__custom_source source = iso__plane_custom_source(plane, record);
    const iso_wide to_mass = iso__plane_joint_reduced_mass(plane, joint),
                   to_inertia = joint_reduced_inertia(plane, joint);
    for (uint32_t n = 0; n < 2 * iso__custom_shape_of(source).row_count; ++n) {
        const bool is_linear = iso__custom_row_is_linear(source, n / 2);
        const iso_wide from = is_linear ? mass : inertia, to = is_linear ? to_mass : to_inertia;
        const int64_t scaled = to == 0 ? 0 : iso__mul_div(iso__plane_custom_impulse(joint, record, n), from, to);
        iso__plane_custom_set_impulse(joint, record, n,
                                      iso__clamp64(scaled, -ISO__AXIS_IMPULSE_MAX, ISO__AXIS_IMPULSE_MAX));
    }
}

void iso__plane_joints_rescale(iso__plane *plane, uint32_t body, const iso__plane_body_derived *before) {
    if (!iso__bit_is_set(plane->world.jointed, body)) {
        return; // as of a body that is being made, however many joints others have
    }
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        iso__plane_joint *joint = &plane->joints[i];
        if (joint->kind == 0 || !iso__plane_joint_has_body(joint, body)) {
            continue;
        }
        const iso__plane_body_derived after = plane->body_derived[body];
        plane->body_derived[body] = *before;
        const iso_wide from = iso__plane_joint_reduced_mass(plane, joint),
                       from_turn = joint_reduced_inertia(plane, joint);
        plane->body_derived[body] = after;
        if (iso_joint_kind_is_custom(joint->kind)) {
            mass_rescale_custom(plane, joint, from, from_turn);
            iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[i]);
        } else {
            mass_rescale(plane, joint, body, before, from);
        }
        iso__mark_dirty(&plane->world, ISO_SECTION_JOINTS, i);
    }
}
