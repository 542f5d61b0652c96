/// Which quaternions of callers are rotations, and which the one form of theirs.
#ifndef ISO_MATH_QUAT_CHECK_H
#define ISO_MATH_QUAT_CHECK_H

#include "isostep/vec3.h"
#include "math/quat.h"

/// Whether the length is one, see iso__quat_is_unit. Any components.
static inline bool iso__rotation_is_unit(iso_quat q) {
    return iso__quat_is_unit((const int32_t[4]){q.x, q.y, q.z, q.w});
}

/// Whether it is also the one of q and -q that a world holds, see iso__quat_is_state.
static inline bool iso__rotation_is_state(iso_quat q) {
    return iso__quat_is_state((const int32_t[4]){q.x, q.y, q.z, q.w});
}

#endif
