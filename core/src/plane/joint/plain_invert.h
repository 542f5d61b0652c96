/// The inverse of a plain joint's K, which the kernels take one by one: no instruction set divides lanes.
#ifndef ISO_PLANE_JOINT_PLAIN_INVERT_H
#define ISO_PLANE_JOINT_PLAIN_INVERT_H

#include "base/inline.h"
#include "math/fixed_ops.h"

/// K^-1 = [k22, -k12; -k12, k11] / det. The determinant, Q.52, is from 1 to 33^2 < 2^63 / 2^52; its reciprocal is taken
/// with 32 significant bits.
ISO__ALWAYS_INLINE void iso__plane_plain_invert(const int64_t k[3], int32_t inverse[3]) {
    const uint64_t determinant = (uint64_t)(k[0] * k[2] - k[1] * k[1]);
    const unsigned bits = 64 - (unsigned)__builtin_clzll(determinant | 1);
    const int64_t reciprocal =
        (int64_t)((UINT64_C(1) << 62) / (determinant >> (bits - 32))); // 2^(30 + bits) / det, at most 2^31
    inverse[0] = (int32_t)iso__round_shift(k[2] * reciprocal, bits - 25);
    inverse[1] = (int32_t)iso__round_shift(-k[1] * reciprocal, bits - 25);
    inverse[2] = (int32_t)iso__round_shift(k[0] * reciprocal, bits - 25);
}

#endif
