/// Rotations of space: those of users' code, and the angles of joints.
#include "math/quat.h"

#include "isostep/vec3.h"

#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"

// ---- angles --------------------------------------------------------------------------------------

iso_wide iso__quat_twist(const int32_t r[4]) {
    const int64_t x = r[0], w = r[3];
    return 2 * (w < 0 ? iso_wide_atan2(-x, -w) : iso_wide_atan2(x, w));
}

/// The root of a^2 + b^2 for a part of a unit quaternion, Q.31.5, rounded down.
static int64_t quat_root(int32_t a, int32_t b) {
    // At most 2^60 and a little: three more bits make half a quantum out of one and a half.
    const uint64_t squared = (uint64_t)iso__mul32(a, a) + (uint64_t)iso__mul32(b, b);
    return iso__isqrt64(squared << 3);
}

iso_wide iso__quat_swing(const int32_t r[4]) {
    ISO_VALIDATE_ASSERT(iso__quat_is_unit(r));
    return 2 * iso_wide_atan2(quat_root(r[1], r[2]), quat_root(r[0], r[3]));
}

/// The angle of a rotation in turns, Q31.32, 0 to 1/2, and the length of the vector part in the format of r.
static iso_wide quat_turns(const int64_t r[4], int64_t *length) {
    *length = iso__length3(r);
    return 2 * iso_wide_atan2(*length, r[3] < 0 ? -r[3] : r[3]);
}

void iso__quat_to_vector(const int32_t r[4], int64_t vector[3]) {
    const int64_t scale = r[3] < 0 ? -(INT64_C(1) << 30) : INT64_C(1) << 30; // more bits for the length
    const int64_t wide[4] = {r[0] * scale, r[1] * scale, r[2] * scale, r[3] * scale};
    int64_t length;
    const iso_wide angle = iso_radians_from_turns(quat_turns(wide, &length));
    for (int i = 0; i < 3; ++i) {
        vector[i] = length == 0 ? 0 : iso__mul_div(wide[i], angle, length);
    }
}

// ---- users' rotations ----------------------------------------------------------------------------

/// What users' functions work with: any components made a rotation, with either sign.
static void quat_take(iso_quat q, int32_t result[4]) {
    const int32_t components[4] = {q.x, q.y, q.z, q.w};
    if (iso__quat_is_unit(components)) {
        for (int i = 0; i < 4; ++i) {
            result[i] = components[i];
        }
    } else {
        iso__normalize4((const int64_t[4]){q.x, q.y, q.z, q.w}, result);
    }
}

/// What they return, with the state's sign.
static iso_quat quat_give(int32_t q[4]) {
    iso__quat_canonical(q);
    return (iso_quat){q[0], q[1], q[2], q[3]};
}

iso_quat iso_quat_normalize(iso_quat q) {
    int32_t result[4];
    quat_take(q, result);
    return quat_give(result);
}

iso_quat iso_quat_from_axis_angle(iso_vec3 axis, iso_wide radians) {
    int32_t n[3], q[4];
    if (iso__normalize3((const int64_t[3]){axis.x, axis.y, axis.z}, n) == 0) {
        return iso_quat_identity();
    }
    const iso_wide half = iso__round_shift(iso_turns_from_radians(radians), 1);
    const iso_rotation rotation = iso_rotation_make((uint32_t)(uint64_t)half);
    const int64_t exact[4] = {iso__mul32(rotation.s, n[0]), iso__mul32(rotation.s, n[1]), iso__mul32(rotation.s, n[2]),
                              (int64_t)rotation.c * ISO__UNIT_ONE};
    iso__normalize4(exact, q);
    return quat_give(q);
}

iso_quat iso_quat_mul(iso_quat a, iso_quat b) {
    int32_t p[4], q[4];
    quat_take(a, p);
    quat_take(b, q);
    iso__quat_mul(p, q, p);
    iso__quat_renormalise(p);
    return quat_give(p);
}

iso_quat iso_quat_conjugate(iso_quat q) {
    int32_t p[4];
    quat_take(q, p);
    for (int i = 0; i < 3; ++i) {
        p[i] = -p[i]; // of a unit quaternion, so that none is INT32_MIN
    }
    return quat_give(p);
}

iso_vec3_wide iso_quat_rotate(iso_quat q, iso_vec3_wide v) {
    int32_t p[4], R[9];
    int64_t result[3] = {v.x, v.y, v.z};
    quat_take(q, p);
    iso__quat_matrix(p, R);
    iso__rotate3_wide(R, result, result);
    return (iso_vec3_wide){result[0], result[1], result[2]};
}

iso_vec3_wide iso_quat_rotate_inverse(iso_quat q, iso_vec3_wide v) {
    int32_t p[4], R[9];
    int64_t result[3] = {v.x, v.y, v.z};
    quat_take(q, p);
    iso__quat_matrix(p, R);
    iso__rotate3_wide_inverse(R, result, result);
    return (iso_vec3_wide){result[0], result[1], result[2]};
}

iso_wide iso_quat_angle(iso_quat a, iso_quat b) {
    int32_t p[4], q[4];
    quat_take(a, p);
    quat_take(b, q);
    const int64_t conj[4] = {-(int64_t)p[0], -(int64_t)p[1], -(int64_t)p[2], p[3]};
    int64_t r[4], length;
    iso__quat_product(conj, q, r);
    return iso_radians_from_turns(quat_turns(r, &length));
}
