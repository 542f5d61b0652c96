/// Joints in space: constraints between two bodies; TARGET, and constraints of one body, have B alone. What is to be
/// held in the world is joined to a static body, which needs no shape; scenes have one by the name `world`.
///
/// The functions are those of worlds with three dimensions; in the plane they return ISO_ERR_DIMENSION, as those of
/// joint.h do in space. Both kinds of worlds share handles and iso_joint_is_valid, iso_joint_next, iso_joint_is_awake,
/// iso_joint_destroy, iso_joint_enable, iso_joint_set_tag, iso_joint_set_break and iso_body_next_joint. For threads,
/// and for when a joint of a networked world may be changed, see world.h.
///
/// Each body has a frame: an anchor and a rotation. A's x axis a_A, y axis b_A and z axis c_A are where A is, those of
/// B where B is. Signs: an angle is that of B against A, right-handed about the axis; a length grows as B's anchor
/// moves along a_A; forces and torques are those on B.
#ifndef ISOSTEP_JOINT3_H
#define ISOSTEP_JOINT3_H

#include "isostep/body.h"
#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/joint.h"
#include "isostep/program.h"
#include "isostep/status.h"
#include "isostep/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_JOINT3_AXES 3

/// What an axis of a joint is: limits, a motor and a spring act on it.
typedef enum iso_joint3_axis_kind {
    ISO_JOINT3_AXIS_NONE,
    ISO_JOINT3_AXIS_LENGTH, // [m]
    ISO_JOINT3_AXIS_ANGLE,  // [rad], unwrapped: it counts whole turns
    ISO_JOINT3_AXIS_SWING,  // [rad] from 0 to pi; its upper limit is at most 2.96 (170 degrees)
} iso_joint3_axis_kind;

/// What a kind of joint has, beside its rows and axes. This determines which fields of the definition it reads.
enum {
    ISO_JOINT3_HAS_BODY_A = 1,       // body_a, frame_a and collide_connected; without it A is the world
    ISO_JOINT3_HAS_TARGET = 2,       // target
    ISO_JOINT3_HAS_POINT = 4,        // is made at a point that both bodies have: the anchors
    ISO_JOINT3_HAS_LENGTH = 8,       // axis 0 is the distance of the anchors; its rest and its limits are not negative
    ISO_JOINT3_HAS_LINE = 16,        // B's anchor is held, or measured, on the line of a_A
    ISO_JOINT3_HAS_FRAMES = 32,      // the frames' rotations, also while no limit, motor or spring is on
    ISO_JOINT3_HAS_AXIS = 64,        // a_A is what it holds, or what B slides along or turns about
    ISO_JOINT3_HAS_SECOND = 128,     // a_B is an axis of its own
    ISO_JOINT3_HAS_AXES_ANGLE = 256, // axes_angle
    ISO_JOINT3_HAS_RATIO = 512,      // ratio of two angles, its magnitude from 1/64
    ISO_JOINT3_HAS_RADIUS = 1024,    // ratio is a radius [m/rad], its magnitude from 1/1024
    ISO_JOINT3_IS_HELD = 2048,       // the rest of axis 0 is held even without a spring
    ISO_JOINT3_COUNTS_TURNS = 4096,  // axis 0 counts how far the bodies have turned since the joint was made
    ISO_JOINT3_IS_BRAKE = 8192,      // holds speeds at 0 but no place: hertz and correction_max do nothing
    ISO_JOINT3_IS_CUSTOM = 16384     // constraint, params; body_a if the constraint has two bodies
};

/// The kinds of joints. X(name, number, snake, rows of the linear block, rows of the angular block, axes 0, 1, 2, what
/// it has); the snake name is that of scenes.
///   BALL         (the article's ball-in-socket) holds two anchors together. Axes: the swing of a_B from a_A, the twist
///                about both; with limits a shoulder
///   HINGE        (the article's) holds the anchors together and a_B along a_A. Axis: the angle about a_A
///   FIXED        holds the anchors together and the frames parallel; soft with hertz
///   SLIDER       holds the frames parallel and B's anchor on the line of a_A. Axis: the position on it
///   UNIVERSAL    holds the anchors together and the angle between a_A and a_B at `axes_angle`. Axes: the angle about
///                a_A, zero where a_B lies towards b_A; that about a_B, zero where b_B lies towards a_A
///   HINGE2       a wheel: holds B's anchor on the line of a_A and the angle between a_A and a_B. Axes: the position on
///                the line (suspension), the angle about a_A (steering), the angle about a_B (rolling)
///   DISTANCE     holds two anchors at the length `rest` of its axis: a rod; with limits a rope, with a spring a damped
///                one
///   CYLINDRICAL  holds a_B on the line of a_A. Axes: the position along it, the angle about it
///   PARALLEL     holds a_B along a_A. Axis: the angle about it
///   MOTOR        drives B to A's frame: as FIXED, meant with a softness, a force and a torque
///   TARGET       pulls B's anchor towards a point of the world; for dragging
///   FRICTION     brakes the sliding of B against A at B's anchor up to a force, and its turning up to a torque; it
///                holds no place, so hertz, correction_max and A's anchor do nothing
///   GEAR         holds `ratio` times the angle of B about a_B minus that of A about a_A at the axis' `rest`, both as
///                they have turned in the world since the joint was made
///   RACK         holds the position of B's anchor along a_A minus `ratio` times the angle of B against A about a_B, as
///                it has turned since the joint was made, at `rest`: B is a pinion of radius `ratio` that rolls on A
#define ISO_JOINT3_KIND_LIST(X)                                                                                       \
    X(BALL, 1, ball, 3, 0, SWING, ANGLE, NONE, ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT)                          \
    X(HINGE, 2, hinge, 3, 2, ANGLE, NONE, NONE,                                                                       \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_HAS_AXIS)                     \
    X(FIXED, 3, fixed, 3, 3, NONE, NONE, NONE, ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_FRAMES)  \
    X(SLIDER, 4, slider, 2, 3, LENGTH, NONE, NONE,                                                                    \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_LINE | ISO_JOINT3_HAS_FRAMES |                    \
          ISO_JOINT3_HAS_AXIS)                                                                                        \
    X(UNIVERSAL, 5, universal, 3, 1, ANGLE, ANGLE, NONE,                                                              \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_HAS_AXIS |                    \
          ISO_JOINT3_HAS_SECOND | ISO_JOINT3_HAS_AXES_ANGLE)                                                          \
    X(HINGE2, 6, hinge2, 2, 1, LENGTH, ANGLE, ANGLE,                                                                  \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_LINE | ISO_JOINT3_HAS_FRAMES |                    \
          ISO_JOINT3_HAS_AXIS | ISO_JOINT3_HAS_SECOND | ISO_JOINT3_HAS_AXES_ANGLE)                                    \
    X(DISTANCE, 7, distance, 0, 0, LENGTH, NONE, NONE,                                                                \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_LENGTH | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_IS_HELD)                     \
    X(CYLINDRICAL, 8, cylindrical, 2, 2, LENGTH, ANGLE, NONE,                                                         \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_LINE | ISO_JOINT3_HAS_FRAMES |                    \
          ISO_JOINT3_HAS_AXIS)                                                                                        \
    X(PARALLEL, 9, parallel, 0, 2, ANGLE, NONE, NONE,                                                                 \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_HAS_AXIS)                                            \
    X(MOTOR, 10, motor, 3, 3, NONE, NONE, NONE, ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_FRAMES) \
    X(TARGET, 11, target, 3, 0, NONE, NONE, NONE, ISO_JOINT3_HAS_TARGET)                                              \
    X(FRICTION, 12, friction, 3, 3, NONE, NONE, NONE,                                                                 \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_IS_BRAKE)                     \
    X(GEAR, 13, gear, 0, 0, ANGLE, NONE, NONE,                                                                        \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_FRAMES | ISO_JOINT3_HAS_AXIS | ISO_JOINT3_HAS_SECOND |                   \
          ISO_JOINT3_HAS_RATIO | ISO_JOINT3_IS_HELD | ISO_JOINT3_COUNTS_TURNS)                                        \
    X(RACK, 14, rack, 0, 0, LENGTH, NONE, NONE,                                                                       \
      ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_LINE | ISO_JOINT3_HAS_FRAMES |                    \
          ISO_JOINT3_HAS_AXIS | ISO_JOINT3_HAS_SECOND | ISO_JOINT3_HAS_RADIUS | ISO_JOINT3_IS_HELD |                  \
          ISO_JOINT3_COUNTS_TURNS)

/// The kinds whose rows are one's own, of one or two bodies, in the same form. Frames, target and axes do nothing.
///   USER         the rows of a constraint of the game: isostep/constraint.h
///   SYMBOLIC     the rows of a program that a text was compiled to: isostep/program.h
#define ISO_JOINT3_CUSTOM_LIST(X)                                                           \
    X(USER, 15, user, 0, 0, NONE, NONE, NONE, ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_IS_CUSTOM) \
    X(SYMBOLIC, 16, symbolic, 0, 0, NONE, NONE, NONE, ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_IS_CUSTOM)

typedef enum iso_joint3_kind {
#define ISO_JOINT3_KIND_ENUM(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    ISO_JOINT3_##name = (number),
    ISO_JOINT3_KIND_LIST(ISO_JOINT3_KIND_ENUM) ISO_JOINT3_CUSTOM_LIST(ISO_JOINT3_KIND_ENUM)
#undef ISO_JOINT3_KIND_ENUM
} iso_joint3_kind;

/// Whether the rows of a kind are one's own: USER or SYMBOLIC.
static inline bool iso_joint3_kind_is_custom(uint8_t kind) {
    return iso_joint_kind_is_custom(kind);
}

/// The numbers of a definition and of its axes with their bounds. X(type, name, low, high): FIX16 is Q15.16 in 32 bits,
/// WIDE is Q31.32 in 64; the bounds are whole numbers and included.
#define ISO_JOINT3_NUMBER_LIST(X)        \
    X(WIDE, force_max, 0, 2147483647)    \
    X(WIDE, torque_max, 0, 2147483647)   \
    X(WIDE, break_force, 0, 2147483647)  \
    X(WIDE, break_torque, 0, 2147483647) \
    X(WIDE, break_error, 0, 2147483647)  \
    X(WIDE, break_angle, 0, 2147483647)  \
    X(FIX16, hertz, 0, 1000)             \
    X(FIX16, damping_ratio, 0, 1000)     \
    X(FIX16, correction_max, 0, 32767)   \
    X(FIX16, axes_angle, 0, 3)           \
    X(FIX16, ratio, -64, 64)
#define ISO_JOINT3_AXIS_NUMBER_LIST(X)       \
    X(WIDE, motor_max, 0, 2147483647)        \
    X(WIDE, spring_max, 0, 2147483647)       \
    X(FIX16, lower, -32767, 32767)           \
    X(FIX16, upper, -32767, 32767)           \
    X(FIX16, motor_speed, -32767, 32767)     \
    X(FIX16, spring_hertz, 0, 1000)          \
    X(FIX16, spring_damping_ratio, 0, 1000)  \
    X(FIX16, rest, -32767, 32767)            \
    X(FIX16, limit_hertz, 0, 1000)           \
    X(FIX16, limit_damping_ratio, 0, 1000)   \
    X(WIDE, spring_stiffness, 0, 2147483647) \
    X(WIDE, spring_damping, 0, 2147483647)

/// The switches of a definition, and those of each axis. X(name, bit of the record's flags)
#define ISO_JOINT3_SWITCH_LIST(X) \
    X(collide_connected, 1)       \
    X(enabled, 2)                 \
    X(remove_on_break, 4)
#define ISO_JOINT3_AXIS_SWITCH_LIST(X) \
    X(limit_enabled, 1)                \
    X(motor_enabled, 2)                \
    X(spring_enabled, 4)

/// What acts on one axis of a joint.
typedef struct iso_joint3_axis {
    bool limit_enabled, motor_enabled, spring_enabled;
    fix16_t lower, upper;         // [rad] or [m]; lower <= upper
    fix16_t motor_speed;          // [rad/s] or [m/s]
    iso_wide motor_max;           // [N m] or [N] the most that the motor applies; 0: nothing
    fix16_t spring_hertz;         // 0: no spring, but for one by its stiffness or damping
    fix16_t spring_damping_ratio; // 0 to 1000
    iso_wide spring_max;          // [N m] or [N]; 0: unlimited
    fix16_t rest;        // [rad] or [m] where the spring rests; of DISTANCE, GEAR, RACK what they hold without one
    fix16_t limit_hertz; // softness of the limits, a spring beyond each; 0: rigid
    fix16_t limit_damping_ratio; // 0 to 1000; read when limit_hertz is above 0
    iso_wide spring_stiffness;   // [N m/rad] or [N/m] unless this and spring_damping are 0 the spring is of these two,
    iso_wide spring_damping;     // [N m s/rad] or [N s/m] and hertz and ratio are not read; without stiffness a damper
} iso_joint3_axis;

/// Where a joint is on a body.
typedef struct iso_joint3_frame {
    iso_vec3 anchor; // [m] body's frame, each component within ±60
    // From the joint's axes to the body's frame; normalised, all zero: none. A command takes neither: its rotations are
    // as a world holds them (command.h), "none" is w = 1.
    iso_quat rotation;
} iso_joint3_frame;

typedef struct iso_joint3_def {
    uint8_t kind;           // iso_joint3_kind
    bool collide_connected; // whether the two bodies' shapes collide
    bool enabled;           // a disabled joint has no effect
    bool remove_on_break;   // otherwise a joint that breaks is disabled
    iso_body_id body_a;     // null for TARGET, and for a constraint of one body
    iso_body_id body_b;
    iso_joint3_frame frame_a, frame_b;
    iso_vec3_wide target;   // [m] TARGET: the point of the world, within ±30,000
    fix16_t hertz;          // softness of what is held; 0: the world's joint hertz and ratio (rigid)
    fix16_t damping_ratio;  // 0 to 1000; read when hertz is above 0
    fix16_t correction_max; // [m/s] and [rad/s] maximum speed of error correction; 0: unlimited
    fix16_t axes_angle;     // [rad] UNIVERSAL, HINGE2: between a_A and a_B, 0.2 to 2.9
    fix16_t ratio;          // of GEAR, its magnitude from 1/64 to 64; [m/rad] of RACK, from 1/1024 to 64
    iso_wide force_max;     // [N] of what is held, and of limits on lengths; 0: unlimited
    iso_wide torque_max;    // [N m] likewise, and of limits on angles
    iso_wide break_force;   // [N] breaks above it; 0: never
    iso_wide break_torque;  // [N m] likewise
    iso_wide break_error;   // [m] likewise, of iso_joint3_get_separation
    iso_wide break_angle;   // [rad] likewise, of iso_joint3_get_angle_error
    iso_joint3_axis axes[ISO_JOINT3_AXES];
    uint32_t constraint;       // USER: index among the game's constraints; SYMBOLIC: of the world's program
    iso_program_params params; // USER, SYMBOLIC: those that the constraint declares, the others 0
    uint32_t tag;              // the user's number; kept, hashed, never interpreted
    iso_owner owner;
} iso_joint3_def;

struct iso_world;
struct iso_body3_def;

/// What a kind has, as bits ISO_JOINT3_HAS_…; 0 when the number is not a kind.
uint32_t iso_joint3_kind_has(uint8_t kind);

/// What axis n of a kind is; NONE when the kind or n is not one.
iso_joint3_axis_kind iso_joint3_axis_of(uint8_t kind, uint32_t n);

/// A rigid joint of a kind between null bodies, with frames at their origins: enabled, no limit, motor or spring, never
/// breaks, damping ratios 1, axes_angle a right angle, no owner.
iso_joint3_def iso_joint3_def_default(uint8_t kind);

/// Sets bodies and frames so that both anchors are at a point of the world and the axes as they are now: every angle
/// and length is 0, and axes_angle that of the axes.
/// @param point     [m] world
/// @param axis      a_A in the world, any length; zero: x
/// @param second    a_B in the world, for UNIVERSAL, HINGE2, GEAR and RACK; zero takes `axis`, as other kinds do
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_RANGE (an anchor is more than 60 m from its body's origin along an
///         axis; the axes are less than 0.2 rad from being parallel); ISO_ERR_DIMENSION. On error *def is as it was.
iso_status iso_joint3_def_between(const struct iso_world *world, iso_body_id body_a, iso_body_id body_b,
                                  iso_vec3_wide point, iso_vec3 axis, iso_vec3 second, iso_joint3_def *def);

/// The same of bodies that are planned, by their positions and rotations: for what makes bodies and joints from a text.
/// The definition's bodies stay null. @return as there, except ISO_ERR_STALE and ISO_ERR_DIMENSION
iso_status iso_joint3_def_at(const struct iso_body3_def *body_a, const struct iso_body3_def *body_b,
                             iso_vec3_wide point, iso_vec3 axis, iso_vec3 second, iso_joint3_def *def);

/// Static check of a definition, as far as it depends on no world. @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE (a
///         number; lower above upper; a limit, motor or spring on an axis that the kind does not have).
iso_status iso_joint3_def_check(const iso_joint3_def *def);

/// The part of that check of one axis that needs no kind: its numbers, and that lower is not above upper.
/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_joint3_axis_check(const iso_joint3_axis *axis);

/// Creates a joint and wakes its bodies. Between two bodies that are not dynamic it is allowed and does nothing.
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_CAPACITY; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE; ISO_ERR_WRONG_TYPE (both
///         bodies are the same; the body of a TARGET is not dynamic; the constraint has another number of bodies);
///         ISO_ERR_UNKNOWN_NAME (there is no such constraint for worlds in space); ISO_ERR_DIMENSION. On error the
///         world is unchanged.
iso_status iso_joint3_create(struct iso_world *world, const iso_joint3_def *def, iso_joint_id *joint);

/// Reads a joint back as its definition. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION.
iso_status iso_joint3_get(const struct iso_world *world, iso_joint_id joint, iso_joint3_def *def);

// ---- changing ------------------------------------------------------------------------------------
// Each takes effect in the next step and wakes the bodies, also when it changes nothing: what a game sets in every tick
// does not fall asleep. Rows that stay keep their impulses, so a joint that is set in every tick is as stiff as one
// that is left alone. On error the joint is unchanged. Each returns ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE as
// iso_joint3_def_check; ISO_ERR_WRONG_TYPE (the kind has no axis n); ISO_ERR_DIMENSION.

/// Replaces every number, switch, frame, parameter, tag and the target; kind, constraint, bodies and owner stay.
/// @param def  of the joint's own kind and constraint, its bodies the joint's own or null; else ISO_ERR_WRONG_TYPE
iso_status iso_joint3_set(struct iso_world *world, iso_joint_id joint, const iso_joint3_def *def);

/// Replaces limits, motor and spring of axis n.
iso_status iso_joint3_set_axis(struct iso_world *world, iso_joint_id joint, uint32_t axis, const iso_joint3_axis *def);

/// @param speed  [rad/s] or [m/s], within ±32,767; beyond iso_joint3_get_axis_speed_max it is never reached, and the
///               motor applies its maximum. A command that asks for that is refused.
/// @param max    [N m] or [N], at least 0
iso_status iso_joint3_set_motor(struct iso_world *world, iso_joint_id joint, uint32_t axis, bool enabled, fix16_t speed,
                                iso_wide max);

/// @param lower, upper  [rad] or [m], lower <= upper, within ±32,767
iso_status iso_joint3_set_limits(struct iso_world *world, iso_joint_id joint, uint32_t axis, bool enabled,
                                 fix16_t lower, fix16_t upper);

/// The spring has this frequency whatever the masses; its stiffness and damping become 0.
/// @param hertz, damping_ratio  0 to 1000; 0 Hz pulls nothing
/// @param rest                  [rad] or [m]
iso_status iso_joint3_set_spring(struct iso_world *world, iso_joint_id joint, uint32_t axis, bool enabled,
                                 fix16_t hertz, fix16_t damping_ratio, fix16_t rest);

/// A spring by its stiffness and its damping: it applies -(stiffness (x - rest) + damping dx/dt) along axis n. Its
/// frequency follows from the masses: see iso_joint_set_stiffness.
/// @param stiffness  [N m/rad] or [N/m], 0 to 2,147,483,647; 0: a damper
/// @param damping    [N m s/rad] or [N s/m], likewise; when both are 0 the axis' hertz and ratio apply
/// @param rest       [rad] or [m]
iso_status iso_joint3_set_stiffness(struct iso_world *world, iso_joint_id joint, uint32_t axis, bool enabled,
                                    iso_wide stiffness, iso_wide damping, fix16_t rest);

/// @param force, torque  [N], [N m] of what is held and of limits; 0: unlimited
iso_status iso_joint3_set_maximum(struct iso_world *world, iso_joint_id joint, iso_wide force, iso_wide torque);

/// Moves the target of a TARGET joint. Also ISO_ERR_WRONG_TYPE: of another kind.
iso_status iso_joint3_set_target(struct iso_world *world, iso_joint_id joint, iso_vec3_wide target);

/// Sets the parameters of a USER or SYMBOLIC joint. Also ISO_ERR_WRONG_TYPE: of another kind; ISO_ERR_RANGE: the
/// constraint does not take them. @param wrong  may be NULL; SYMBOLIC: the first violated limit, as
/// iso_program_params_check returns it
iso_status iso_joint3_set_params(struct iso_world *world, iso_joint_id joint, const iso_program_params *params,
                                 uint32_t *wrong);

// ---- reading -------------------------------------------------------------------------------------
// Each returns ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION.

/// The force [N] on B in the last substep, in the world's frame. Saturates.
iso_status iso_joint3_get_force(const struct iso_world *world, iso_joint_id joint, iso_vec3_wide *force);

/// The torque [N m] on B in the last substep, without that of the force at its anchor, in the world's frame. Of a USER
/// or SYMBOLIC joint that of all its rows, about the centre of mass.
iso_status iso_joint3_get_torque(const struct iso_world *world, iso_joint_id joint, iso_vec3_wide *torque);

/// The angle [rad] or length [m] of axis n. Also ISO_ERR_WRONG_TYPE: the kind has no axis n.
iso_status iso_joint3_get_axis(const struct iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *value);

/// Its rate [rad/s] or [m/s]; 0 where it has none (a swing without a direction). Also ISO_ERR_WRONG_TYPE.
iso_status iso_joint3_get_axis_speed(const struct iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *speed);

/// The most [rad/s] that the angle of axis n can change: the sum of the caps on its bodies' spins
/// (iso_body3_set_velocity); a static body adds nothing. INT64_MAX for lengths and bodies that do not turn. Also
/// ISO_ERR_WRONG_TYPE.
iso_status iso_joint3_get_axis_speed_max(const struct iso_world *world, iso_joint_id joint, uint32_t axis,
                                         iso_wide *speed);

/// How far [m] B's anchor is from where it is held: the other anchor, or the line; of DISTANCE and RACK how far the
/// axis is from its rest or beyond a limit; 0 of PARALLEL, GEAR and FRICTION. Of a USER or SYMBOLIC joint the root of
/// the sum of squares of how far its rows that are lengths are beyond their bounds.
iso_status iso_joint3_get_separation(const struct iso_world *world, iso_joint_id joint, iso_wide *separation);

/// How far [rad] the angles that are held are off, twice the sine of half of it; of GEAR how far the axis is from its
/// rest or beyond a limit; 0 of kinds that hold none. Of a USER or SYMBOLIC joint as the separation, of its rows that
/// are angles.
iso_status iso_joint3_get_angle_error(const struct iso_world *world, iso_joint_id joint, iso_wide *error);

#ifdef __cplusplus
}
#endif

#endif
