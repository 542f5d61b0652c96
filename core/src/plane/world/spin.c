/// See spin.h.
#include "plane/world/spin.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"

#define SPEED_CHANGE_MAX (2 * (int64_t)ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define QUARTER_PI       411775 // pi / 4 in Q12.19: an eighth of a turn in radians

int64_t iso__plane_spin_from_angular_velocity(iso_wide angular_velocity, int8_t radius_exponent) {
    // Q.32 to Q.19 is a shift by 13; L = 2^k takes k of it back. k is at most 6.
    return iso__round_shift(iso__clamp64(angular_velocity, -(INT64_C(1) << 62), INT64_C(1) << 62),
                            (unsigned)(13 - radius_exponent));
}

iso_wide iso__plane_angular_velocity_from_spin(int32_t spin, int8_t radius_exponent) {
    return iso__shl64(spin, (unsigned)(13 - radius_exponent));
}

int32_t iso__plane_spin_max(const iso_world_def *def, int8_t radius_exponent) {
    const int64_t eighth = (int64_t)QUARTER_PI * def->tick_rate_hz * def->substep_count;
    const int64_t most = radius_exponent >= 0 ? eighth << radius_exponent : eighth >> -radius_exponent;
    return (int32_t)iso__min64(most, SPEED_CHANGE_MAX / 2);
}

iso_vec2_wide iso__plane_velocity_at(const int32_t velocity[3], int8_t radius_exponent, const int32_t arm[2]) {
    const iso_wide omega = iso__plane_angular_velocity_from_spin(velocity[2], radius_exponent);
    return (iso_vec2_wide){
        iso_wide_sub(iso__shl64(velocity[0], 13), iso_wide_mul(omega, iso__shl64(arm[1], 8))),
        iso_wide_add(iso__shl64(velocity[1], 13), iso_wide_mul(omega, iso__shl64(arm[0], 8))),
    };
}

int32_t iso__plane_body_spin_change(const iso__plane_body_derived *derived, iso_wide angular_impulse) {
    // dw L = M L / I = M G / (m L), with G = m L^2 / I in Q9.22.
    const int64_t change = iso__mul_div(angular_impulse, derived->gyration, derived->mass); // Q.22, times L
    const int8_t k = derived->radius_exponent;
    const int64_t spin =
        k > -3 ? iso__round_shift(iso__clamp64(change, -(INT64_C(1) << 62), INT64_C(1) << 62), (unsigned)(3 + k))
               : iso__mul_shift(change, INT64_C(1) << (-3 - k), 0);
    return (int32_t)iso__clamp64(spin, -SPEED_CHANGE_MAX, SPEED_CHANGE_MAX);
}

int32_t iso__plane_body_velocity_change(const iso__plane_body_derived *derived, iso_wide impulse) {
    const int64_t change = iso__div_shift(impulse, ISO__VEL_FRACTION, derived->mass);
    return (int32_t)iso__clamp64(change, -SPEED_CHANGE_MAX, SPEED_CHANGE_MAX);
}

bool iso__plane_body_can_turn(const iso__plane *plane, uint32_t body, iso_wide angular_velocity) {
    const int8_t k = plane->body_derived[body].radius_exponent;
    const int64_t spin = iso__plane_spin_from_angular_velocity(angular_velocity, k),
                  most = iso__plane_spin_max(&plane->world.def, k);
    return plane->bodies[body].type == ISO_BODY_STATIC || (spin <= most && spin >= -most);
}
