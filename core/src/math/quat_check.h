/// Which quaternions are rotations, and which the one form of theirs.
#ifndef ISO_MATH_QUAT_CHECK_H
#define ISO_MATH_QUAT_CHECK_H

#include "isostep/vec3.h"
#include "math/fixed_ops.h"

/// Whether the length is within 2^-28 of one: |2^60 - sum of squares| <= 2^33, since (1 + e)^2 - 1 is about 2 e. Four
/// squares of 2^62 are 2^64; that wraps to 0, which is no length of one either.
static inline bool iso__quat_is_unit(iso_quat q) {
    const uint64_t squares = (uint64_t)iso__mul32(q.x, q.x) + (uint64_t)iso__mul32(q.y, q.y) +
                             (uint64_t)iso__mul32(q.z, q.z) + (uint64_t)iso__mul32(q.w, q.w);
    const uint64_t slack = UINT64_C(1) << 33;
    return squares - ((UINT64_C(1) << 60) - slack) <= 2 * slack;
}

/// Whether it is also the one of q and -q that a world holds: the first component other than zero, in the order w, x, y,
/// z, is positive.
static inline bool iso__quat_is_canonical(iso_quat q) {
    const int32_t first = q.w != 0 ? q.w : q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
    return first > 0 && iso__quat_is_unit(q);
}

#endif
