/// Definitions of joints in space: defaults, checks, and those between points of the world.
#include "isostep/body3.h"
#include "isostep/joint3.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "world/kernel.h"
#include "world/world.h"

#define DEF_ANCHOR_MAX   (ISO_SHAPE_EXTENT_MAX_M * (uint32_t)ISO_FIX16_ONE)
#define DEF_POSITION_MAX (ISO_POSITION_MAX_M * (uint64_t)ISO_WIDE_ONE)
#define DEF_SWING_MAX    ((fix16_t)194458) // 170 degrees
#define DEF_ANGLE_MIN    ((fix16_t)13107)  // 0.2 rad
#define DEF_ANGLE_MAX    ((fix16_t)190054) // 2.9 rad
#define DEF_RIGHT_ANGLE  ((fix16_t)102944)
#define DEF_RATIO_MIN    1024u // 1/64
#define DEF_RADIUS_MIN   64u   // 1/1024

iso_joint3_def iso_joint3_def_default(uint8_t kind) {
    iso_joint3_def def = {0};
    def.kind = kind;
    def.enabled = true;
    def.frame_a.rotation = def.frame_b.rotation = iso_quat_identity();
    def.damping_ratio = ISO_FIX16_ONE;
    def.axes_angle = DEF_RIGHT_ANGLE;
    def.ratio = ISO_FIX16_ONE;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        def.axes[n].spring_damping_ratio = def.axes[n].limit_damping_ratio = ISO_FIX16_ONE;
    }
    def.owner.slot = ISO_OWNER_NOBODY;
    return def;
}

// ---- check ---------------------------------------------------------------------------------------

/// The bounds of the lists; those of Q31.32 have a whole number's fraction within.
#define DEF_IN_FIX16(value, low, high) ((value) >= (low)*ISO_FIX16_ONE && (value) <= (high)*ISO_FIX16_ONE)
#define DEF_IN_WIDE(value, low, high)  ((value) >= (low)*ISO_WIDE_ONE && ((value) >> 32) <= (high))

static bool def_is_anchor(iso_vec3 anchor) {
    return iso__abs_u32(anchor.x) <= DEF_ANCHOR_MAX && iso__abs_u32(anchor.y) <= DEF_ANCHOR_MAX &&
           iso__abs_u32(anchor.z) <= DEF_ANCHOR_MAX;
}

static bool def_is_place(iso_vec3_wide place) {
    return iso__abs_u64(place.x) <= DEF_POSITION_MAX && iso__abs_u64(place.y) <= DEF_POSITION_MAX &&
           iso__abs_u64(place.z) <= DEF_POSITION_MAX;
}

iso_status iso_joint3_axis_check(const iso_joint3_axis *axis) {
    bool is_right = axis->lower <= axis->upper;
#define DEF_CHECK(type, name, low, high) is_right = is_right && DEF_IN_##type(axis->name, low, high);
    ISO_JOINT3_AXIS_NUMBER_LIST(DEF_CHECK)
#undef DEF_CHECK
    return is_right ? ISO_OK : ISO_ERR_RANGE;
}

static bool def_axis_is_right(const iso_joint3_def *def, uint32_t n) {
    const iso_joint3_axis *axis = &def->axes[n];
    const iso_joint3_axis_kind kind = iso_joint3_axis_of(def->kind, n);
    const bool is_on = axis->limit_enabled || axis->motor_enabled || axis->spring_enabled;
    return iso_joint3_axis_check(axis) == ISO_OK && (kind != ISO_JOINT3_AXIS_NONE || !is_on) &&
           (kind != ISO_JOINT3_AXIS_SWING || (axis->upper <= DEF_SWING_MAX && axis->lower >= 0)) &&
           ((iso_joint3_kind_has(def->kind) & ISO_JOINT3_HAS_LENGTH) == 0 || (axis->rest >= 0 && axis->lower >= 0));
}

static bool def_ratio_is_right(const iso_joint3_def *def) {
    const uint32_t has = iso_joint3_kind_has(def->kind), size = iso__abs_u32(def->ratio);
    return ((has & ISO_JOINT3_HAS_RATIO) == 0 || size >= DEF_RATIO_MIN) &&
           ((has & ISO_JOINT3_HAS_RADIUS) == 0 || size >= DEF_RADIUS_MIN);
}

iso_status iso_joint3_def_check(const iso_joint3_def *def) {
    const uint32_t has = iso_joint3_kind_has(def->kind);
    if (has == 0) {
        return ISO_ERR_BAD_ENUM;
    }
    const bool has_angle = (has & ISO_JOINT3_HAS_AXES_ANGLE) != 0;
    bool is_right = def_is_anchor(def->frame_a.anchor) && def_is_anchor(def->frame_b.anchor) &&
                    def_is_place(def->target) && def_ratio_is_right(def) &&
                    (!has_angle || (def->axes_angle >= DEF_ANGLE_MIN && def->axes_angle <= DEF_ANGLE_MAX));
#define DEF_CHECK(type, name, low, high) is_right = is_right && DEF_IN_##type(def->name, low, high);
    ISO_JOINT3_NUMBER_LIST(DEF_CHECK)
#undef DEF_CHECK
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        is_right = is_right && def_axis_is_right(def, n);
    }
    return is_right ? ISO_OK : ISO_ERR_RANGE;
}

// ---- between points of the world -----------------------------------------------------------------

/// The rotation whose x axis is `x` and whose y axis is as near as can be to `y`, both directions Q2.30. Of parallel
/// ones, or none, y is as near as can be to the axis of the world along which x is least: with x = x it is no rotation.
static iso_quat def_frame(const int32_t x[3], const int32_t y[3]) {
    int64_t cross[3];
    int32_t t[3], n[3];
    iso__cross3(x, y, cross);
    if (iso__normalize3(cross, n) < INT64_C(1) << 30) {
        unsigned least = iso__abs_u32(x[1]) <= iso__abs_u32(x[2]) ? 1 : 2;
        least = iso__abs_u32(x[0]) < iso__abs_u32(x[least]) ? 0 : least;
        int32_t other[3] = {0, 0, 0};
        other[least] = ISO__UNIT_ONE;
        iso__cross3(x, other, cross);
        iso__normalize3(cross, n);
    }
    iso__cross3_shift(n, x, ISO__UNIT_FRACTION, t);
    // The quaternion of the matrix with columns x, t, n: its largest component by the trace's four forms.
    const int64_t m[3][3] = {{x[0], t[0], n[0]}, {x[1], t[1], n[1]}, {x[2], t[2], n[2]}};
    const int64_t one = ISO__UNIT_ONE;
    const int64_t forms[4] = {one + m[0][0] - m[1][1] - m[2][2], one - m[0][0] + m[1][1] - m[2][2],
                              one - m[0][0] - m[1][1] + m[2][2], one + m[0][0] + m[1][1] + m[2][2]};
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        largest = forms[i] > forms[largest] ? i : largest;
    }
    // Four times the largest component times each of the four.
    const int64_t rows[4][4] = {
        {forms[0], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]},
        {m[0][1] + m[1][0], forms[1], m[1][2] + m[2][1], m[0][2] - m[2][0]},
        {m[0][2] + m[2][0], m[1][2] + m[2][1], forms[2], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], forms[3]},
    };
    int32_t q[4];
    iso__normalize4(rows[largest], q);
    return (iso_quat){q[0], q[1], q[2], q[3]};
}

/// A point and axes of the world as the frame of a body. @return ISO_OK; ISO_ERR_RANGE (more than 60 m away)
static iso_status def_place(const iso_body3_def *body, iso_vec3_wide point, iso_quat axes, iso_joint3_frame *frame) {
    const iso_vec3_wide from = iso_vec3_wide_sub(point, body->position);
    const iso_vec3_wide at = iso_quat_rotate_inverse(body->rotation, from);
    const iso_vec3 anchor = iso_vec3_from_wide(at);
    if (!def_is_anchor(anchor)) {
        return ISO_ERR_RANGE;
    }
    frame->anchor = anchor;
    frame->rotation = iso_quat_mul(iso_quat_conjugate(body->rotation), axes);
    return ISO_OK;
}

/// The directions of the axes; whether they are far enough from parallel where the kind needs it.
static bool def_axes(uint8_t kind, iso_vec3 axis, iso_vec3 second, int32_t x[3], int32_t y[3], fix16_t *angle) {
    const uint32_t has = iso_joint3_kind_has(kind);
    x[1] = x[2] = y[0] = y[1] = y[2] = 0;
    if (iso__normalize3((const int64_t[3]){axis.x, axis.y, axis.z}, x) == 0) {
        x[0] = ISO__UNIT_ONE;
    }
    if ((has & ISO_JOINT3_HAS_SECOND) == 0) {
        return true;
    }
    int64_t cross[3];
    iso__normalize3((const int64_t[3]){second.x, second.y, second.z}, y);
    if ((has & ISO_JOINT3_HAS_AXES_ANGLE) == 0) {
        return true;
    }
    iso__cross3(x, y, cross);
    const iso_wide between = iso_radians_from_turns(iso_wide_atan2(iso__length3(cross), iso__dot3(x, y)));
    *angle = iso_fix16_from_wide(between);
    return *angle >= DEF_ANGLE_MIN && *angle <= DEF_ANGLE_MAX;
}

iso_status iso_joint3_def_at(const iso_body3_def *body_a, const iso_body3_def *body_b, iso_vec3_wide point,
                             iso_vec3 axis, iso_vec3 second, iso_joint3_def *def) {
    iso_joint3_def made = *def;
    int32_t x[3], y[3];
    if (!def_axes(def->kind, axis, second, x, y, &made.axes_angle)) {
        return ISO_ERR_RANGE;
    }
    const bool has_second = (y[0] | y[1] | y[2]) != 0;
    const iso_quat axes = def_frame(x, y);
    iso_status status = def_place(body_a, point, axes, &made.frame_a);
    status = status == ISO_OK ? def_place(body_b, point, has_second ? def_frame(y, x) : axes, &made.frame_b) : status;
    if (status == ISO_OK) {
        *def = made;
    }
    return status;
}

iso_status iso_joint3_def_between(const iso_world *world, iso_body_id body_a, iso_body_id body_b, iso_vec3_wide point,
                                  iso_vec3 axis, iso_vec3 second, iso_joint3_def *def) {
    iso_body3_view a, b;
    iso_status status = iso_body3_get(world, body_a, &a);
    status = status == ISO_OK ? iso_body3_get(world, body_b, &b) : status;
    if (status != ISO_OK) {
        return status;
    }
    const iso_body3_def planned_a = {.position = a.position, .rotation = a.rotation};
    const iso_body3_def planned_b = {.position = b.position, .rotation = b.rotation};
    status = iso_joint3_def_at(&planned_a, &planned_b, point, axis, second, def);
    if (status == ISO_OK) {
        def->body_a = body_a;
        def->body_b = body_b;
    }
    return status;
}
