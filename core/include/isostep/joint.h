/// Joints: constraints between two bodies, or a body and a point of the world.
/// For threads, and for when a joint of a networked world may be changed, see world.h.
///
/// Signs: an angle is that of body B minus that of body A, a speed is B's minus A's; a length grows as B moves away.
#ifndef ISOSTEP_JOINT_H
#define ISOSTEP_JOINT_H

#include "isostep/body.h"
#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/program.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a kind of joint has. This determines which fields of the definition it reads.
enum {
    ISO_JOINT_HAS_BODY_A = 1, // body_a, anchor_a and collide_connected; without it A is the world
    ISO_JOINT_HAS_TARGET = 2, // target
    ISO_JOINT_HAS_LENGTH =
        4, // rest is a length that the joint holds even without a spring; rest and limits are not negative
    ISO_JOINT_HAS_LIMIT = 8,  // lower, upper, limit_hertz, limit_damping_ratio
    ISO_JOINT_HAS_MOTOR = 16, // motor_speed, motor_max
    ISO_JOINT_HAS_SPRING =
        32, // spring_hertz and spring_damping_ratio, or spring_stiffness and spring_damping; spring_max, rest
    ISO_JOINT_IS_ANGULAR = 64,     // limit, motor and spring act on the angle [rad], [N m]; else on a length [m], [N]
    ISO_JOINT_HAS_POINT = 128,     // holds two points together
    ISO_JOINT_HAS_AXIS = 256,      // axis: holds B's anchor on a line of A
    ISO_JOINT_HAS_REFERENCE = 512, // reference: holds the angle in addition to what limit, motor and spring act on
    ISO_JOINT_IS_HELD = 1024,      // rest is the value that the joint holds even without a spring
    ISO_JOINT_HAS_RATIO = 2048,    // ratio: the angle is ratio times that of B minus that of A
    ISO_JOINT_HAS_RATCHET = 4096,  // ratchet
    ISO_JOINT_HAS_TORQUE = 8192,   // torque_max
    ISO_JOINT_MOTOR_TURNS = 16384, // the motor acts on the angle, limit and spring on the length
    ISO_JOINT_IS_PASSIVE = 32768,  // applies no forces; only keeps the two bodies from colliding
    ISO_JOINT_HAS_ANCHORS = 65536, // anchor_a and anchor_b
    ISO_JOINT_HAS_BODIES_CD = 131072, // body_c, body_d, anchor_c, anchor_d
    ISO_JOINT_IS_CUSTOM = 524288,     // constraint, params; body_a to body_d as many as the constraint has
    ISO_JOINT_IS_BRAKE = 262144       // holds speeds at 0 but no position: rest, hertz and correction_max do nothing
};

/// The kinds of joints. X(name, number, snake, what it has); the snake name is that of scenes.
///   REVOLUTE   holds two anchor points together; its angle may have limits, a motor and a spring (a servo)
///   TARGET     pulls an anchor of body B towards a point of the world; for dragging
///   DISTANCE   holds two anchor points at a length: a rod; with limits a rope or slide, with a spring a damped spring
///   WELD       holds two anchor points together and the angle at rest; a spring makes the angle soft
///   PRISMATIC  holds B's anchor on a line through A's anchor and the angle at its reference; the position on the line
///              may have limits, a motor and a spring
///   WHEEL      holds B's anchor on a line through A's; limits and a spring (a suspension) along it, a motor that turns
///              B
///   LINE       holds B's anchor on a line through A's, a groove with limits; the angle is free
///   ANGLE      limits, a motor and a spring on ratio times B's angle minus A's
///   GEAR       holds ratio times B's angle minus A's at rest
///   RATCHET    lets B turn against A one way only, in steps
///   FRICTION   brakes sliding up to a force and turning up to a torque; for worlds seen from above
///   MOTOR      drives B to a position and an angle in A's frame, up to a force and a torque
///   FILTER     only keeps two bodies from colliding
///   PULLEY     holds the length between A's and B's anchors plus ratio times that between C's and D's
#define ISO_JOINT_KIND_LIST(X)                                                                                         \
    X(REVOLUTE, 1, revolute,                                                                                           \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR | \
          ISO_JOINT_HAS_SPRING | ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_TORQUE)                                          \
    X(TARGET, 2, target, ISO_JOINT_HAS_TARGET | ISO_JOINT_HAS_POINT)                                                   \
    X(DISTANCE, 3, distance,                                                                                           \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_LENGTH | ISO_JOINT_HAS_LIMIT |                      \
          ISO_JOINT_HAS_SPRING)                                                                                        \
    X(WELD, 4, weld,                                                                                                   \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_SPRING |                      \
          ISO_JOINT_IS_ANGULAR | ISO_JOINT_IS_HELD | ISO_JOINT_HAS_TORQUE)                                             \
    X(PRISMATIC, 5, prismatic,                                                                                         \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_REFERENCE |                    \
          ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR | ISO_JOINT_HAS_SPRING | ISO_JOINT_HAS_TORQUE)                     \
    X(WHEEL, 6, wheel,                                                                                                 \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR |  \
          ISO_JOINT_MOTOR_TURNS | ISO_JOINT_HAS_SPRING)                                                                \
    X(LINE, 7, line,                                                                                                   \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR |  \
          ISO_JOINT_HAS_SPRING)                                                                                        \
    X(ANGLE, 8, angle,                                                                                                 \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_RATIO | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR | ISO_JOINT_HAS_SPRING |  \
          ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_TORQUE)                                                                 \
    X(GEAR, 9, gear,                                                                                                   \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_RATIO | ISO_JOINT_IS_ANGULAR | ISO_JOINT_IS_HELD | ISO_JOINT_HAS_TORQUE)    \
    X(RATCHET, 10, ratchet,                                                                                            \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_RATCHET | ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_TORQUE)                      \
    X(FRICTION, 11, friction,                                                                                          \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_POINT | ISO_JOINT_IS_ANGULAR | ISO_JOINT_IS_HELD |  \
          ISO_JOINT_HAS_TORQUE | ISO_JOINT_IS_BRAKE)                                                                   \
    X(MOTOR, 12, motor,                                                                                                \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_POINT | ISO_JOINT_IS_ANGULAR | ISO_JOINT_IS_HELD |  \
          ISO_JOINT_HAS_TORQUE)                                                                                        \
    X(FILTER, 13, filter, ISO_JOINT_HAS_BODY_A | ISO_JOINT_IS_PASSIVE)                                                 \
    X(PULLEY, 14, pulley,                                                                                              \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_BODIES_CD | ISO_JOINT_HAS_LENGTH |                  \
          ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_SPRING | ISO_JOINT_HAS_RATIO)                                            \
    X(USER, 15, user, ISO_JOINT_HAS_BODY_A | ISO_JOINT_IS_CUSTOM | ISO_JOINT_HAS_TORQUE)                               \
    X(SYMBOLIC, 16, symbolic, ISO_JOINT_HAS_BODY_A | ISO_JOINT_IS_CUSTOM | ISO_JOINT_HAS_TORQUE)

typedef enum iso_joint_kind {
#define ISO_JOINT_KIND_ENUM(name, number, snake, has) ISO_JOINT_##name = (number),
    ISO_JOINT_KIND_LIST(ISO_JOINT_KIND_ENUM)
#undef ISO_JOINT_KIND_ENUM
} iso_joint_kind;

/// Whether the rows of a kind are one's own: USER or SYMBOLIC, in the plane as in space, where they have the same
/// numbers.
static inline bool iso_joint_kind_is_custom(uint8_t kind) {
    return kind == ISO_JOINT_USER || kind == ISO_JOINT_SYMBOLIC;
}

/// The numbers of a definition with their bounds, in the order of the canonical bytes. X(type, name, low, high):
/// FIX16 is Q15.16 in 32 bits, WIDE is Q31.32 in 64; the bounds are whole numbers and included.
#define ISO_JOINT_NUMBER_LIST(X)             \
    X(FIX16, hertz, 0, 1000)                 \
    X(FIX16, damping_ratio, 0, 1000)         \
    X(WIDE, force_max, 0, 2147483647)        \
    X(WIDE, torque_max, 0, 2147483647)       \
    X(FIX16, rest, -32767, 32767)            \
    X(FIX16, lower, -32767, 32767)           \
    X(FIX16, upper, -32767, 32767)           \
    X(FIX16, motor_speed, -32767, 32767)     \
    X(WIDE, motor_max, 0, 2147483647)        \
    X(FIX16, spring_hertz, 0, 1000)          \
    X(FIX16, spring_damping_ratio, 0, 1000)  \
    X(WIDE, break_force, 0, 2147483647)      \
    X(WIDE, break_torque, 0, 2147483647)     \
    X(WIDE, break_error, 0, 2147483647)      \
    X(WIDE, break_angle, 0, 2147483647)      \
    X(FIX16, correction_max, 0, 32767)       \
    X(WIDE, spring_max, 0, 2147483647)       \
    X(FIX16, ratio, -64, 64)                 \
    X(FIX16, reference, -32767, 32767)       \
    X(FIX16, ratchet, -32767, 32767)         \
    X(FIX16, limit_hertz, 0, 1000)           \
    X(FIX16, limit_damping_ratio, 0, 1000)   \
    X(WIDE, spring_stiffness, 0, 2147483647) \
    X(WIDE, spring_damping, 0, 2147483647)

/// The switches of a definition, in the order of the canonical bytes. X(name, bit of the record's flags)
#define ISO_JOINT_SWITCH_LIST(X) \
    X(collide_connected, 1)      \
    X(enabled, 2)                \
    X(limit_enabled, 4)          \
    X(motor_enabled, 8)          \
    X(spring_enabled, 16)        \
    X(remove_on_break, 32)

typedef struct iso_joint_def {
    uint8_t kind;           // iso_joint_kind
    bool collide_connected; // whether the two bodies' shapes collide
    bool enabled;           // a disabled joint has no effect
    bool limit_enabled;
    bool motor_enabled;
    bool spring_enabled;
    bool remove_on_break; // otherwise a joint that breaks is disabled
    iso_body_id body_a;   // null for TARGET
    iso_body_id body_b;
    iso_vec2 anchor_a;  // [m] body A's frame
    iso_vec2 anchor_b;  // [m] body B's frame
    iso_body_id body_c; // PULLEY: the bodies of the other side; may be body_b and body_a again
    iso_body_id body_d;
    iso_vec2 anchor_c;     // [m] body C's frame
    iso_vec2 anchor_d;     // [m] body D's frame
    iso_vec2_wide target;  // [m] TARGET: the point of the world
    fix16_t hertz;         // softness of the held rows; 0: the world's joint hertz and ratio (rigid)
    fix16_t damping_ratio; // 0 to 1000; read when hertz is above 0
    iso_wide force_max;    // [N] of all rows except the motor; 0: unlimited
    iso_wide torque_max;   // [N m] likewise, of an angular spring and limits; 0: unlimited
    fix16_t rest;          // [rad] or [m] where the spring rests; the length of a rod, the angle that is held
    fix16_t lower, upper;  // [rad] or [m] limits; lower <= upper
    fix16_t motor_speed;   // [rad/s] or [m/s]; of an angle no more than iso_joint_get_speed_max is reached
    iso_wide motor_max;    // [N m] or [N] maximum that the motor applies
    fix16_t spring_hertz;  // 0: no spring, but for one by its stiffness or damping
    fix16_t spring_damping_ratio;
    iso_wide spring_stiffness; // [N m/rad] or [N/m] unless this and spring_damping are 0 the spring is of these two,
    iso_wide spring_damping;   // [N m s/rad] or [N s/m] and hertz and ratio are not read; without stiffness a damper
    iso_wide break_force;      // [N] breaks above it; 0: never
    iso_wide break_torque;     // [N m] likewise
    iso_wide break_error;      // [m] likewise, of iso_joint_get_separation
    iso_wide break_angle;      // [rad] likewise, of iso_joint_get_angle_error
    fix16_t correction_max;    // [m/s] or [rad/s] maximum speed of error correction; 0: unlimited
    iso_wide spring_max;       // [N m] or [N] maximum that the spring applies; 0: torque_max or force_max
    iso_vec2 axis;             // body A's frame: the line's direction, of a length between 1/64 and 32,767
    fix16_t ratio;             // of the angle; its magnitude is from 1/64 to 64
    fix16_t reference;         // [rad] the angle that a PRISMATIC joint holds
    fix16_t ratchet;           // [rad] RATCHET: the step, at least 1/64; its sign is the direction in which B may turn
    fix16_t limit_hertz;       // softness of the limits, a spring beyond each; 0: rigid
    fix16_t limit_damping_ratio; // 0 to 1000; read when limit_hertz is above 0
    uint32_t tag;                // the user's number; kept, hashed, never interpreted
    iso_owner owner;
    uint32_t constraint;       // USER: index among the game's constraints; SYMBOLIC: of the world's program
    iso_program_params params; // USER, SYMBOLIC: those that the constraint declares, the others 0
} iso_joint_def;

/// A rigid revolute joint between null bodies, the axis along x, the ratio 1; the caller sets the bodies and anchors.
/// joint_def.h has a smaller definition for each kind.
iso_joint_def iso_joint_def_default(void);

/// What a kind has, as bits ISO_JOINT_HAS_…; 0 when the number is not a kind.
uint32_t iso_joint_kind_has(uint8_t kind);

struct iso_world;

/// Creates a joint. Between two bodies that are not dynamic it is allowed and does nothing.
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_CAPACITY; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE (a number, lower above
///         upper, a limit, motor or spring that the kind does not have, a parameter that a constraint refuses);
///         ISO_ERR_UNKNOWN_NAME (no such constraint); ISO_ERR_WRONG_TYPE (both bodies are the same; more bodies than
///         the constraint has; the body of a TARGET is not dynamic). On error the world is unchanged.
iso_status iso_joint_create(struct iso_world *world, const iso_joint_def *def, iso_joint_id *joint);

/// Creates a joint with the definition of another one. Its rows begin without impulses. The state of a USER joint is
/// what its constraint makes of it (constraint.h, `copy`), else the same; on its own bodies a ratchet's latch is the
/// same, too.
/// @param bodies  A to D, null where the kind has none; NULL: those of `joint`
/// @param copy    the new joint
/// @return ISO_OK; ISO_ERR_STALE (the joint or a body); ISO_ERR_CAPACITY; ISO_ERR_WRONG_TYPE and ISO_ERR_RANGE as
///         iso_joint_create. On error the world is unchanged.
iso_status iso_joint_copy(struct iso_world *world, iso_joint_id joint, const iso_body_id *bodies, iso_joint_id *copy);

/// @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_destroy(struct iso_world *world, iso_joint_id joint);

/// Whether a handle names a joint that is alive in this world, enabled or not. Constant time.
bool iso_joint_is_valid(const struct iso_world *world, iso_joint_id joint);

/// Whether one of a joint's dynamic bodies is awake; false when it is stale. Constant time.
bool iso_joint_is_awake(const struct iso_world *world, iso_joint_id joint);

/// The lowest live joint index at or above `index`, as a handle; null when there is none.
iso_joint_id iso_joint_next(const struct iso_world *world, uint32_t index);

/// Reads a joint back as its definition. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_get(const struct iso_world *world, iso_joint_id joint, iso_joint_def *def);

// ---- changing ------------------------------------------------------------------------------------
// Each takes effect in the next step. On error the joint is unchanged. Each wakes the bodies unless it says otherwise,
// also when it changes nothing: what a game sets in every tick does not fall asleep. Rows that stay keep their impulses
// unless it says otherwise, so a joint that is set in every tick is as stiff as one that is left alone.

/// Replaces every number, switch, anchor, axis, the tag and the target of a joint; its kind, bodies
/// (iso_joint_set_bodies) and owner stay. A ratchet whose step or rest changes latches at the last step that its angle
/// has passed.
/// @param def  of the joint's own kind; its bodies are the joint's own or null; its owner is ignored
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (another kind, other bodies, another constraint); ISO_ERR_RANGE as
///         iso_joint_create.
iso_status iso_joint_set(struct iso_world *world, iso_joint_id joint, const iso_joint_def *def);

/// Gives a joint other bodies; everything else of its definition stays, also a USER joint's state and the compound that
/// it is of. Its rows begin without impulses, a ratchet latches anew. The bodies before and after are woken.
/// @param bodies  A to D, null where the kind has none
/// @return ISO_OK; ISO_ERR_STALE (the joint or a body); ISO_ERR_WRONG_TYPE as iso_joint_create.
iso_status iso_joint_set_bodies(struct iso_world *world, iso_joint_id joint, const iso_body_id bodies[4]);

/// Moves the target of a TARGET joint. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE; ISO_ERR_RANGE.
iso_status iso_joint_set_target(struct iso_world *world, iso_joint_id joint, iso_vec2_wide target);

/// @param speed  [rad/s] or [m/s], within ±32,767; beyond iso_joint_get_speed_max it is never reached, and the motor
///               applies its maximum. A command that asks for that is refused.
/// @param max    [N m] or [N], at least 0
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no motor); ISO_ERR_RANGE.
iso_status iso_joint_set_motor(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t speed, iso_wide max);

/// @param lower, upper  [rad] or [m], lower <= upper, within ±32,767; lengths are not negative
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no limits); ISO_ERR_RANGE.
iso_status iso_joint_set_limits(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t lower,
                                fix16_t upper);

/// The spring has this frequency whatever the bodies' masses; spring_stiffness and spring_damping become 0.
/// @param hertz, damping_ratio  0 to 1000; 0 Hz pulls nothing
/// @param rest  [rad] or [m], within ±32,767; of a DISTANCE joint also the rod's length, not negative
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no spring); ISO_ERR_RANGE.
iso_status iso_joint_set_spring(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t hertz,
                                fix16_t damping_ratio, fix16_t rest);

/// A spring by its stiffness and its damping: it applies -(stiffness (x - rest) + damping dx/dt) along the joint's
/// length or angle x, on B times the ratio of an angle. Its frequency follows from the masses. Up to 0.7 of the
/// critical damping it takes the factor e^(-damping h / m) of dx/dt in a substep h, with the row's effective mass m.
/// @param stiffness  [N m/rad] or [N/m], 0 to 2,147,483,647; 0: a damper
/// @param damping    [N m s/rad] or [N s/m], likewise; when both are 0 the joint's hertz and ratio apply
/// @param rest       as above
/// @return as above
iso_status iso_joint_set_stiffness(struct iso_world *world, iso_joint_id joint, bool enabled, iso_wide stiffness,
                                   iso_wide damping, fix16_t rest);

/// Sets the thresholds beyond which the joint breaks at the end of a step, 0 for none: a force [N], a torque [N m], a
/// separation [m] and an error of its angle [rad]. A joint that breaks is destroyed if `remove`, otherwise disabled.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (negative).
iso_status iso_joint_set_break(struct iso_world *world, iso_joint_id joint, iso_wide force, iso_wide torque,
                               iso_wide error, iso_wide angle, bool remove);

/// Sets the parameters of a USER or SYMBOLIC joint.
/// @param wrong  may be NULL; SYMBOLIC: the first violated limit, as iso_program_params_check returns it
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has none); ISO_ERR_RANGE (a limit is violated, a row
///         does not move, or a parameter that the constraint does not have is not 0).
iso_status iso_joint_set_params(struct iso_world *world, iso_joint_id joint, const iso_program_params *params,
                                uint32_t *wrong);

/// Changes a joint's tag. Wakes nobody. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_set_tag(struct iso_world *world, iso_joint_id joint, uint32_t tag);

/// A disabled joint has no effect, and its bodies collide. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_enable(struct iso_world *world, iso_joint_id joint, bool enabled);

// ---- reading -------------------------------------------------------------------------------------
// Each returns ISO_OK, or ISO_ERR_STALE.

/// The force [N] that the joint applied to body B in the last substep.
iso_status iso_joint_get_force(const struct iso_world *world, iso_joint_id joint, iso_vec2_wide *force);

/// The torque [N m] that the joint's limit, motor and spring applied to body B in the last substep, without that of the
/// force at its anchor. Of a SYMBOLIC or USER joint the total torque of its rows on B, about the centre of mass.
iso_status iso_joint_get_torque(const struct iso_world *world, iso_joint_id joint, iso_wide *torque);

/// What the joint did to one of its bodies in the last substep: an impulse [N s] and, about the body's centre of mass,
/// an angular impulse [N m s]. Several that the body has in a joint are added. Also ISO_ERR_WRONG_TYPE: not one of its
/// bodies.
iso_status iso_joint_get_body_impulse(const struct iso_world *world, iso_joint_id joint, iso_body_id body,
                                      iso_vec2_wide *impulse, iso_wide *angular_impulse);

/// The angle [rad] of body B minus that of body A, unwrapped. Saturates.
iso_status iso_joint_get_angle(const struct iso_world *world, iso_joint_id joint, iso_wide *angle);

/// The distance [m] between the joint's two anchor points.
iso_status iso_joint_get_length(const struct iso_world *world, iso_joint_id joint, iso_wide *length);

/// The rate of change of the angle [rad/s] of an angular kind, or of the length [m/s] of another kind; of a SYMBOLIC or
/// USER joint that of its first row's C, J v.
iso_status iso_joint_get_speed(const struct iso_world *world, iso_joint_id joint, iso_wide *speed);

/// The most [rad/s] that the angle on which a motor acts can change: the sum of the caps on its bodies' spins
/// (iso_body_set_velocity), that of B times the ratio's magnitude; a static body adds nothing. INT64_MAX for motors on
/// a length, kinds without one and bodies that do not turn.
iso_status iso_joint_get_speed_max(const struct iso_world *world, iso_joint_id joint, iso_wide *speed);

/// The joint's position error [m]: how far apart the anchors are; of PRISMATIC, WHEEL and LINE how far B's anchor is
/// from the line, or beyond a limit on it; of DISTANCE and PULLEY the difference between length and rod, or how far it
/// is beyond a limit. Of a SYMBOLIC or USER joint the root of the sum of squares of how far its rows are beyond their
/// bounds, of those that are lengths and no velocities. 0 of a joint that holds no length: ANGLE, GEAR, RATCHET,
/// FRICTION, FILTER.
iso_status iso_joint_get_separation(const struct iso_world *world, iso_joint_id joint, iso_wide *separation);

/// The error of the joint's angle [rad], not negative: how far it is beyond a limit (REVOLUTE, ANGLE, RATCHET), from
/// what is held (WELD, GEAR, MOTOR: the rest, PRISMATIC: the reference). Of a SYMBOLIC or USER joint the root of the
/// sum of squares of how far its rows that are angles are beyond their bounds. A spring has no error: 0, as of every
/// other kind.
iso_status iso_joint_get_angle_error(const struct iso_world *world, iso_joint_id joint, iso_wide *error);

#ifdef __cplusplus
}
#endif

#endif
