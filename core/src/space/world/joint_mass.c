/// See mass.h.
#include "space/world/joint_mass.h"

#include "base/assert.h"
#include "isostep/joint3.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/world/custom.h"

#define MASS_RATE_MAX 2047

const iso__space_body_derived iso__space_joint_of_world = {0};

/// value / r^2 if r is above 1, else value.
static int64_t mass_divide_ratio(int64_t value, iso_wide ratio) {
    return ratio > ISO_WIDE_ONE ? iso__mul_div(iso__mul_div(value, ISO_WIDE_ONE, ratio), ISO_WIDE_ONE, ratio) : value;
}

/// value r^2 if r is below 1, else value.
static int64_t mass_multiply_ratio(int64_t value, iso_wide ratio) {
    return ratio < ISO_WIDE_ONE ? iso_wide_mul(iso_wide_mul(value, ratio), ratio) : value;
}

int32_t iso__space_joint_turn_share(const iso__space_body_derived *a, const iso__space_body_derived *b,
                                    iso_wide ratio) {
    ISO_ASSERT(ratio > 0);
    const int64_t turn_a = a->gyrations[2], turn_b = b->gyrations[2];
    if (turn_a == 0 || turn_b == 0) {
        return turn_a == 0 ? 0 : ISO__UNIT_ONE;
    }
    // A's part is GA mB LB^2, B's GB mA LA^2: below 2^48 2^49, and 2^28 more for the radii.
    const int up = 2 * (b->radius_exponent - a->radius_exponent);
    const iso__int128 masses_b = iso__int128_mul(b->mass, turn_a), masses_a = iso__int128_mul(a->mass, turn_b);
    const iso__uint128 of_a = iso__uint128_shl(iso__int128_abs(masses_b), up > 0 ? (unsigned)up : 0);
    const iso__uint128 of_b = iso__uint128_shl(iso__int128_abs(masses_a), up < 0 ? (unsigned)-up : 0);
    const unsigned down = 2 + iso__bit_width64(of_a.hi | of_b.hi);
    int64_t part = iso__int128_saturate(iso__int128_round_shift((iso__int128){(int64_t)of_a.hi, of_a.lo}, down));
    int64_t rest = iso__int128_saturate(iso__int128_round_shift((iso__int128){(int64_t)of_b.hi, of_b.lo}, down));
    part = mass_divide_ratio(part, ratio);
    rest = mass_multiply_ratio(rest, ratio);
    ISO_VALIDATE_ASSERT(part >= 0 && rest >= 0);
    return (int32_t)iso__div_shift(part, ISO__UNIT_FRACTION, iso_wide_add(part, rest));
}

/// j of an acceleration in a substep, rounded up.
static int64_t mass_impulse(iso_wide acceleration, int64_t h) {
    return iso_wide_add(iso__mul_shift(acceleration, h, ISO__STEP_FRACTION), 1);
}

int64_t iso__space_joint_impulse_of_force(iso_wide force, const iso__space_body_derived *a,
                                          const iso__space_body_derived *b, int64_t h) {
    ISO_ASSERT(force >= 0 && h > 0);
    if (force == 0) {
        return INT64_MAX;
    }
    const iso_wide of_a = a->mass > 0 ? iso_wide_div(force, a->mass) : 0;
    const iso_wide of_b = b->mass > 0 ? iso_wide_div(force, b->mass) : 0;
    return mass_impulse(iso_wide_add(of_a, of_b), h);
}

/// value 2^shift, saturating; or rounded where the shift is negative.
static int64_t mass_scale(int64_t value, int shift) {
    return shift >= 0 ? iso__mul_shift(value, INT64_C(1) << shift, 0) : iso__round_shift(value, (unsigned)-shift);
}

/// M / I [rad/s^2] of one body.
static iso_wide mass_turn(iso_wide torque, const iso__space_body_derived *body) {
    if (body->gyrations[2] == 0) {
        return 0;
    }
    // The quotient is cut so that rounding a shift cannot wrap.
    const int64_t turn = iso__mul_div(torque, body->gyrations[2], body->mass);
    return mass_scale(iso__clamp64(turn, 0, INT64_MAX / 2), -2 * body->radius_exponent);
}

int64_t iso__space_joint_impulse_of_torque(iso_wide torque, const iso__space_body_derived *a,
                                           const iso__space_body_derived *b, iso_wide ratio, int64_t h) {
    ISO_ASSERT(torque >= 0 && ratio > 0 && h > 0);
    if (torque == 0) {
        return INT64_MAX;
    }
    const iso_wide of_b = iso_wide_mul(iso_wide_mul(mass_turn(torque, b), ratio), ratio);
    return mass_impulse(iso_wide_add(mass_turn(torque, a), of_b), h);
}

iso_wide iso__space_joint_force_of(int64_t impulse, const iso__space_body_derived *a, const iso__space_body_derived *b,
                                   int32_t rate) {
    ISO_ASSERT(rate > 0 && rate <= MASS_RATE_MAX);
    return iso_wide_mul(iso__mul_shift(impulse, rate, 0), iso__reduced_mass(a->mass, b->mass));
}

/// The torque that gives one body an angular acceleration [rad/s^2].
static iso_wide mass_torque(int64_t acceleration, const iso__space_body_derived *body) {
    if (body->gyrations[2] == 0) {
        return 0;
    }
    const int64_t most = INT64_MAX / 2;
    const int64_t torque = iso__clamp64(iso__mul_div(acceleration, body->mass, body->gyrations[2]), -most, most);
    return mass_scale(torque, 2 * body->radius_exponent);
}

iso_wide iso__space_joint_torque_of(int64_t impulse, const iso__space_body_derived *a, const iso__space_body_derived *b,
                                    iso_wide ratio, int32_t rate) {
    ISO_ASSERT(ratio > 0 && rate > 0 && rate <= MASS_RATE_MAX);
    const int64_t acceleration = iso__mul_shift(impulse, rate, 0), most = INT64_MAX / 2;
    const iso_wide of_a = mass_torque(acceleration, a);
    const iso_wide of_b =
        iso__clamp64(iso_wide_div(iso_wide_div(mass_torque(acceleration, b), ratio), ratio), -most, most);
    if (a->gyrations[2] == 0 || b->gyrations[2] == 0) {
        return of_a + of_b; // one of them is 0
    }
    // 1 / (1/MA + 1/MB) = MA MB / (MA + MB), both of one sign.
    const iso_wide half_sum = of_a / 2 + of_b / 2;
    return half_sum == 0 ? (of_a + of_b) / 4 : iso__mul_div(of_a, of_b, half_sum) / 2;
}

// ---- other masses --------------------------------------------------------------------------------

/// Of one pair of bodies: 1/sigma of lengths [kg], of angles [kg m^2] 2^shift.
typedef struct mass_pair {
    iso_wide mass, inertia;
} mass_pair;

static mass_pair mass_of(const iso__space_body_derived *a, const iso__space_body_derived *b, iso_wide ratio,
                         unsigned shift) {
    return (mass_pair){iso__reduced_mass(a->mass, b->mass),
                       iso__space_joint_torque_of(ISO_WIDE_ONE << shift, a, b, ratio, 1)};
}

/// j sigma'/sigma. Without an impulse when either is 0: the bodies begin or cease to move.
static int64_t mass_rescale(int64_t impulse, iso_wide before, iso_wide after, int64_t most) {
    return before == 0 || after == 0 ? 0 : iso__clamp64(iso__mul_div(impulse, before, after), -most, most);
}

static void mass_rescale_joint(iso__space_joint *joint, const mass_pair *from, const mass_pair *to) {
    for (uint32_t i = 0; i < 3; ++i) {
        int64_t *linear = &joint->impulse[ISO__SPACE_JOINT_LINEAR_IMPULSE + i];
        int64_t *angular = &joint->impulse[ISO__SPACE_JOINT_ANGULAR_IMPULSE + i];
        *linear = mass_rescale(*linear, from->mass, to->mass, ISO__SPACE_BLOCK_IMPULSE_MAX);
        *angular = mass_rescale(*angular, from->inertia, to->inertia, ISO__SPACE_BLOCK_IMPULSE_MAX);
    }
    for (uint32_t i = ISO__SPACE_JOINT_AXIS_IMPULSE; i < ISO__SPACE_JOINT_IMPULSES; ++i) {
        const uint32_t axis = (i - ISO__SPACE_JOINT_AXIS_IMPULSE) / 4;
        const bool is_length = iso_joint3_axis_of(joint->kind, axis) == ISO_JOINT3_AXIS_LENGTH;
        joint->impulse[i] = mass_rescale(joint->impulse[i], is_length ? from->mass : from->inertia,
                                         is_length ? to->mass : to->inertia, ISO__SPACE_AXIS_IMPULSE_MAX);
    }
}

/// The rows of functions and programs: two impulses each.
static void mass_rescale_custom(const iso__space *space, uint32_t index, const mass_pair *from, const mass_pair *to) {
    const iso__custom_source source = iso__space_custom_source(space, index);
    for (uint32_t n = 0; n < 2 * iso__custom_shape_of(source).row_count; ++n) {
        const bool is_length = iso__custom_row_is_linear(source, n / 2);
        int64_t *impulse = &space->joints[index].impulse[n];
        *impulse = mass_rescale(*impulse, is_length ? from->mass : from->inertia, is_length ? to->mass : to->inertia,
                                ISO__SPACE_AXIS_IMPULSE_MAX);
    }
}

void iso__space_joints_rescale(iso__space *space, uint32_t body, const iso__space_body_derived *before) {
    if (!iso__bit_is_set(space->world.jointed, body)) {
        return; // as of a body that is being made, however many joints others have
    }
    const iso__space_body_derived *after = &space->body_derived[body];
    for (uint32_t i = 0; i < space->world.globals->joint_count; ++i) {
        iso__space_joint *joint = &space->joints[i];
        if (joint->kind == 0 || (joint->body_a != body && joint->body_b != body)) {
            continue;
        }
        const uint32_t index = joint->body_a == body ? joint->body_b : joint->body_a;
        const iso__space_body_derived *other =
            index == ISO__WORLD_BODY ? &iso__space_joint_of_world : &space->body_derived[index];
        // Of a ratio the other body may be B as well.
        const bool is_a = joint->body_a == body;
        const iso_wide ratio = iso__space_joint_ratio(joint);
        mass_pair from = mass_of(is_a ? before : other, is_a ? other : before, ratio, 0);
        mass_pair to = mass_of(is_a ? after : other, is_a ? other : after, ratio, 0);
        // Small moments get more bits.
        if (from.inertia < INT64_C(1) << 40 && to.inertia < INT64_C(1) << 40) {
            from = mass_of(is_a ? before : other, is_a ? other : before, ratio, 20);
            to = mass_of(is_a ? after : other, is_a ? other : after, ratio, 20);
        }
        if (iso_joint3_kind_is_custom(joint->kind)) {
            mass_rescale_custom(space, i, &from, &to);
        } else {
            mass_rescale_joint(joint, &from, &to);
        }
        iso__mark_dirty(&space->world, ISO_SECTION_JOINTS, i);
    }
}
