/// The masses of one body and of two, whatever else they have.
#ifndef ISO_SOLVER_MASS_H
#define ISO_SOLVER_MASS_H

#include "isostep/fixed.h"
#include "math/fixed_ops.h"

#define ISO__BODY_MASS_MIN (INT64_C(1) << 16) // [kg] Q31.32: 2^-16 kg
#define ISO__BODY_MASS_MAX (INT64_C(1) << 49) // 2^17 kg

/// 1 / (1/a + 1/b) [kg]; a mass of 0 is infinite, and so is the result of two.
iso_wide iso__reduced_mass(iso_wide a, iso_wide b);

/// The smallest k from -8 with 2^k [m] at least the extent [m] Q7.24; 7 when there is none.
int8_t iso__radius_exponent(int32_t extent);

typedef struct iso__mass_shares {
    int32_t lo, hi; // of A and of B, Q2.30; their sum is one
} iso__mass_shares;

/// aA = mB / (mA + mB); a body that is not dynamic has a mass of 0, which stands for an infinite one. aB = 1 - aA
/// exactly.
static inline iso__mass_shares iso__mass_shares_make(iso_wide mass_a, iso_wide mass_b) {
    if (mass_a == 0) {
        return (iso__mass_shares){0, ISO__UNIT_ONE};
    }
    if (mass_b == 0) {
        return (iso__mass_shares){ISO__UNIT_ONE, 0};
    }
    if (mass_a == mass_b) {
        return (iso__mass_shares){ISO__UNIT_ONE / 2, ISO__UNIT_ONE / 2}; // as below, without the division
    }
    // Masses are below 2^50; 33 bits of their sum are kept so that the shifted numerator fits.
    const uint64_t sum = (uint64_t)mass_a + (uint64_t)mass_b;
    const unsigned bits = iso__bit_width64(sum);
    const unsigned shift = bits > 33 ? bits - 33 : 0;
    const uint64_t total = sum >> shift;
    const uint64_t share = ((((uint64_t)mass_b >> shift) << ISO__UNIT_FRACTION) + total / 2) / total;
    const int32_t alpha = share > ISO__UNIT_ONE ? ISO__UNIT_ONE : (int32_t)share;
    return (iso__mass_shares){alpha, ISO__UNIT_ONE - alpha};
}

/// (1/own) / (1/own + 1/other) as Q2.30; a mass of 0 is infinite.
int32_t iso__joint_share(iso_wide own, iso_wide other);

#endif
