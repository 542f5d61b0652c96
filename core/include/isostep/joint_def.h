/// A definition for each kind of joint, with only the fields that this kind reads.
///
/// iso_joint_def (joint.h) is the definition for all kinds, used by commands, scenes and iso_joint_get. It has some 400
/// bytes, and each kind reads only a few of them. For a kind KIND of ISO_JOINT_KIND_LIST, by its snake name, there are
///
///   iso_KIND_joint_def            a struct; fields have the names, units and ranges of iso_joint_def
///   iso_KIND_joint_def_default()  the values of iso_joint_def_default: enabled, rigid, no limit, motor or spring,
///                                 never breaks, damping ratios 1, the axis (1, 0), the ratio 1, no owner; bodies null,
///                                 the rest 0
///   iso_KIND_joint_create()       as iso_joint_create, with the same checks and errors
///   iso_joint_def_from_KIND()     the same as an iso_joint_def, for example for a command CREATE_JOINT
///
/// and for kinds that join points iso_KIND_joint_def_between(), which sets bodies and anchors by points of the world:
///
///   iso_revolute_joint_def hinge;
///   iso_status status = iso_revolute_joint_def_between(world, door, frame, corner, &hinge);
///   if (status == ISO_OK) {
///       hinge.limit_enabled = true;
///       hinge.lower = ISO_FIX16(-1.2);
///       hinge.upper = ISO_FIX16(1.2);
///       status = iso_revolute_joint_create(world, &hinge, &joint);
///   }
/// For threads, and for when a joint may be created in a networked world, see world.h.
#ifndef ISOSTEP_JOINT_DEF_H
#define ISOSTEP_JOINT_DEF_H

#include "isostep/joint.h"
#include "isostep/vec2.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- fields --------------------------------------------------------------------------------------

/// The fields that several kinds have, by part. X(type, name)
///   PAIR      the two bodies                               ANCHORS  a point of each, in its frame, and the force's
///             limit
///   HELD      softness of the held rows                    TORQUE   the torque's limit
///   REST      the held value, or where the spring rests    LIMIT, MOTOR, SPRING   on the joint's angle or length
///   BREAK     when it breaks by force or torque, and whether it is removed
///   APART     the separation at which it breaks            TURNED   the angle's error at which it breaks
///   WORKS     BREAK, and how fast errors are corrected
///   TOUCH     whether the bodies collide                   EVERY    its owner, its tag, and whether it is enabled
#define ISO_JOINT_PART_PAIR(X)    X(iso_body_id, body_a) X(iso_body_id, body_b)
#define ISO_JOINT_PART_ANCHORS(X) X(iso_vec2, anchor_a) X(iso_vec2, anchor_b) X(iso_wide, force_max)
#define ISO_JOINT_PART_HELD(X)    X(fix16_t, hertz) X(fix16_t, damping_ratio)
#define ISO_JOINT_PART_TORQUE(X)  X(iso_wide, torque_max)
#define ISO_JOINT_PART_REST(X)    X(fix16_t, rest)
#define ISO_JOINT_PART_LIMIT(X) \
    X(fix16_t, lower) X(fix16_t, upper) X(fix16_t, limit_hertz) X(fix16_t, limit_damping_ratio) X(bool, limit_enabled)
#define ISO_JOINT_PART_MOTOR(X) X(bool, motor_enabled) X(fix16_t, motor_speed) X(iso_wide, motor_max)
#define ISO_JOINT_PART_SPRING(X)  \
    X(iso_wide, spring_max)       \
    X(iso_wide, spring_stiffness) \
    X(iso_wide, spring_damping) X(fix16_t, spring_hertz) X(fix16_t, spring_damping_ratio) X(bool, spring_enabled)
#define ISO_JOINT_PART_BREAK(X)  X(bool, remove_on_break) X(iso_wide, break_force) X(iso_wide, break_torque)
#define ISO_JOINT_PART_APART(X)  X(iso_wide, break_error)
#define ISO_JOINT_PART_TURNED(X) X(iso_wide, break_angle)
#define ISO_JOINT_PART_WORKS(X)  ISO_JOINT_PART_BREAK(X) X(fix16_t, correction_max)
#define ISO_JOINT_PART_TOUCH(X)  X(bool, collide_connected)
#define ISO_JOINT_PART_EVERY(X)  X(iso_owner, owner) X(bool, enabled) X(uint32_t, tag)

// clang-format off
/// The fields of each kind, by its snake name. X(type, name). A wheel's motor turns B; its limit and spring act along
/// the axis. A distance joint is a rod of length `rest`. With limit_enabled it is a rope no longer than `upper` (with
/// `lower` 0), and only its spring uses `rest`.
#define ISO_JOINT_DEF_revolute_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) \
    ISO_JOINT_PART_REST(X) ISO_JOINT_PART_LIMIT(X) ISO_JOINT_PART_MOTOR(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_target_FIELDS(X) \
    X(iso_body_id, body_b) X(iso_vec2, anchor_b) X(iso_vec2_wide, target) X(iso_wide, force_max) \
    ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_EVERY(X)
#define ISO_JOINT_DEF_distance_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_REST(X) \
    ISO_JOINT_PART_LIMIT(X) ISO_JOINT_PART_SPRING(X) ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_weld_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) \
    ISO_JOINT_PART_REST(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_prismatic_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) X(iso_vec2, axis) X(fix16_t, reference) \
    ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) ISO_JOINT_PART_REST(X) ISO_JOINT_PART_LIMIT(X) \
    ISO_JOINT_PART_MOTOR(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_line_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) X(iso_vec2, axis) ISO_JOINT_PART_HELD(X) \
    ISO_JOINT_PART_REST(X) ISO_JOINT_PART_LIMIT(X) ISO_JOINT_PART_MOTOR(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_wheel_FIELDS(X) ISO_JOINT_DEF_line_FIELDS(X)
#define ISO_JOINT_DEF_angle_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) X(fix16_t, ratio) ISO_JOINT_PART_TORQUE(X) ISO_JOINT_PART_REST(X) \
    ISO_JOINT_PART_LIMIT(X) ISO_JOINT_PART_MOTOR(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_gear_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) X(fix16_t, ratio) ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) \
    ISO_JOINT_PART_REST(X) ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_ratchet_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) X(fix16_t, ratchet) ISO_JOINT_PART_TORQUE(X) ISO_JOINT_PART_REST(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_TURNED(X) ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_friction_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) ISO_JOINT_PART_TORQUE(X) ISO_JOINT_PART_BREAK(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_motor_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) \
    ISO_JOINT_PART_REST(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_filter_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_EVERY(X)
#define ISO_JOINT_DEF_pulley_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) ISO_JOINT_PART_ANCHORS(X) X(iso_body_id, body_c) X(iso_body_id, body_d) \
    X(iso_vec2, anchor_c) X(iso_vec2, anchor_d) X(fix16_t, ratio) ISO_JOINT_PART_HELD(X) \
    ISO_JOINT_PART_REST(X) ISO_JOINT_PART_LIMIT(X) ISO_JOINT_PART_SPRING(X) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_user_FIELDS(X) \
    ISO_JOINT_PART_PAIR(X) X(iso_body_id, body_c) X(iso_body_id, body_d) X(iso_wide, force_max) \
    ISO_JOINT_PART_HELD(X) ISO_JOINT_PART_TORQUE(X) X(uint32_t, constraint) X(iso_program_params, params) \
    ISO_JOINT_PART_WORKS(X) ISO_JOINT_PART_APART(X) ISO_JOINT_PART_TURNED(X) \
    ISO_JOINT_PART_EVERY(X) ISO_JOINT_PART_TOUCH(X)
#define ISO_JOINT_DEF_symbolic_FIELDS(X) ISO_JOINT_DEF_user_FIELDS(X)
// clang-format on

struct iso_world;

/// iso_revolute_joint_def and so on, with the functions that the head of this file lists.
#define ISO_JOINT_DEF_FIELD(type, name) type name;
#define ISO_JOINT_DEF_KIND(NAME, number, snake, has)                                                   \
    typedef struct iso_##snake##_joint_def {                                                           \
        ISO_JOINT_DEF_##snake##_FIELDS(ISO_JOINT_DEF_FIELD)                                            \
    } iso_##snake##_joint_def;                                                                         \
    iso_##snake##_joint_def iso_##snake##_joint_def_default(void);                                     \
    iso_joint_def iso_joint_def_from_##snake(const iso_##snake##_joint_def *def);                      \
    iso_status iso_##snake##_joint_create(struct iso_world *world, const iso_##snake##_joint_def *def, \
                                          iso_joint_id *joint);
ISO_JOINT_KIND_LIST(ISO_JOINT_DEF_KIND)
#undef ISO_JOINT_DEF_KIND
#undef ISO_JOINT_DEF_FIELD

// ---- between points of the world -----------------------------------------------------------------

/// The kinds that hold or brake one point of B at one of A. X(snake)
#define ISO_JOINT_AT_POINT_LIST(X) X(revolute) X(weld) X(prismatic) X(wheel) X(line) X(friction) X(motor)

/// The default definition between two bodies whose anchors are both at the world point `point`: each is the nearest
/// point of the body's frame in Q15.16, within 0.51 * 2^-16 m per axis. A kind that holds an angle holds the present
/// one, to the nearest 2^-16 rad: `rest` of weld and motor, `reference` of prismatic, as in a scene that does not give
/// it.
/// @param point  [m] world frame
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_RANGE (an anchor would be more than 60 m from its body's origin
///         along an axis, the angles differ by more than 32,767 rad, or the points by more than 32,767 m). On error
///         *def is as it was.
#define ISO_JOINT_DEF_BETWEEN(snake)                                                                                  \
    iso_status iso_##snake##_joint_def_between(const struct iso_world *world, iso_body_id body_a, iso_body_id body_b, \
                                               iso_vec2_wide point, iso_##snake##_joint_def *def);
ISO_JOINT_AT_POINT_LIST(ISO_JOINT_DEF_BETWEEN)
#undef ISO_JOINT_DEF_BETWEEN

/// As above from a point of A to a point of B, both in the world frame; `rest`, the length of the rod, is the distance
/// of the rounded anchors, to the nearest 2^-16 m. For a rope set `upper` and limit_enabled.
iso_status iso_distance_joint_def_between(const struct iso_world *world, iso_body_id body_a, iso_body_id body_b,
                                          iso_vec2_wide point_a, iso_vec2_wide point_b, iso_distance_joint_def *def);

/// A target joint that holds a body by one of its points at its present position, for dragging with a pointer. The
/// anchor is rounded as above. It is rigid and its force unlimited until hertz and force_max are set.
/// @param point  [m] world frame, within ±30,000
/// @return as above
iso_status iso_target_joint_def_at(const struct iso_world *world, iso_body_id body, iso_vec2_wide point,
                                   iso_target_joint_def *def);

#ifdef __cplusplus
}
#endif

#endif
