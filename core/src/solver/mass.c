/// See mass.h.
#include "solver/mass.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"

iso_wide iso__reduced_mass(iso_wide a, iso_wide b) {
    return a == 0 ? b : b == 0 ? a : iso__mul_div(a, b, a + b);
}

int8_t iso__radius_exponent(int32_t extent) {
    int8_t k = -8;
    while (k < 7 && (INT64_C(1) << (24 + k)) < extent) {
        ++k;
    }
    return k;
}

int32_t iso__joint_share(iso_wide own, iso_wide other) {
    // (1/own) / (1/own + 1/other) = other / (own + other)
    if (own == other && own != 0) {
        return ISO__UNIT_ONE / 2;
    }
    return own == 0 ? 0 : other == 0 ? ISO__UNIT_ONE : (int32_t)iso__div_shift(other, ISO__UNIT_FRACTION, own + other);
}
