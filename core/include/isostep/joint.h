/// Joints: constraints between two bodies, or a body and a point of the world.
///
/// Signs: an angle is that of body B less that of body A, a speed is B's less A's; a length grows as B moves away.
#ifndef ISOSTEP_JOINT_H
#define ISOSTEP_JOINT_H

#include "isostep/body.h"
#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a kind of joint has; says which fields of the definition it reads.
enum {
    ISO_JOINT_HAS_BODY_A = 1,  // body_a, anchor_a and collide_connected; without it A is the world
    ISO_JOINT_HAS_TARGET = 2,  // target
    ISO_JOINT_HAS_LENGTH = 4,  // rest is a length that the joint holds even without a spring; rest and limits are not negative
    ISO_JOINT_HAS_LIMIT = 8,   // lower, upper
    ISO_JOINT_HAS_MOTOR = 16,  // motor_speed, motor_max
    ISO_JOINT_HAS_SPRING = 32, // spring_hertz, spring_damping_ratio, rest
    ISO_JOINT_IS_ANGULAR = 64  // limit, motor and spring act on the angle [rad], [N m]; else on a length [m], [N]
};

/// The kinds of joints. X(name, number, snake, what it has); the snake name is that of scenes.
///   REVOLUTE  holds two anchor points together; its angle may have limits, a motor and a spring
///   TARGET    pulls an anchor of body B towards a point of the world; for dragging
///   DISTANCE  holds two anchor points at a length: a rod; with limits a rope, with a spring a damped spring
#define ISO_JOINT_KIND_LIST(X)                                                                                         \
    X(REVOLUTE, 1, revolute,                                                                                           \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_MOTOR | ISO_JOINT_HAS_SPRING | ISO_JOINT_IS_ANGULAR)  \
    X(TARGET, 2, target, ISO_JOINT_HAS_TARGET)                                                                         \
    X(DISTANCE, 3, distance,                                                                                           \
      ISO_JOINT_HAS_BODY_A | ISO_JOINT_HAS_LENGTH | ISO_JOINT_HAS_LIMIT | ISO_JOINT_HAS_SPRING)

typedef enum iso_joint_kind {
#define ISO_JOINT_KIND_ENUM(name, number, snake, has) ISO_JOINT_##name = (number),
    ISO_JOINT_KIND_LIST(ISO_JOINT_KIND_ENUM)
#undef ISO_JOINT_KIND_ENUM
} iso_joint_kind;

/// The numbers of a definition with their bounds, in the order of the canonical bytes. X(type, name, low, high):
/// FIX16 is Q15.16 in 32 bits, WIDE is Q31.32 in 64; the bounds are whole numbers and included.
#define ISO_JOINT_NUMBER_LIST(X)                                                                                       \
    X(FIX16, hertz, 0, 1000)                                                                                           \
    X(FIX16, damping_ratio, 0, 1000)                                                                                   \
    X(WIDE, force_max, 0, 2147483647)                                                                                  \
    X(WIDE, torque_max, 0, 2147483647)                                                                                 \
    X(FIX16, rest, -32767, 32767)                                                                                      \
    X(FIX16, lower, -32767, 32767)                                                                                     \
    X(FIX16, upper, -32767, 32767)                                                                                     \
    X(FIX16, motor_speed, -32767, 32767)                                                                               \
    X(WIDE, motor_max, 0, 2147483647)                                                                                  \
    X(FIX16, spring_hertz, 0, 1000)                                                                                    \
    X(FIX16, spring_damping_ratio, 0, 1000)                                                                            \
    X(WIDE, break_force, 0, 2147483647)                                                                                \
    X(WIDE, break_torque, 0, 2147483647)                                                                               \
    X(WIDE, break_error, 0, 2147483647)

/// The switches of a definition, in the order of the canonical bytes. X(name, bit of the record's flags)
#define ISO_JOINT_SWITCH_LIST(X)                                                                                       \
    X(collide_connected, 1)                                                                                            \
    X(enabled, 2)                                                                                                      \
    X(limit_enabled, 4)                                                                                                \
    X(motor_enabled, 8)                                                                                                \
    X(spring_enabled, 16)                                                                                              \
    X(remove_on_break, 32)

typedef struct iso_joint_def {
    uint8_t kind;                 // iso_joint_kind
    bool collide_connected;       // whether the two bodies' shapes collide
    bool enabled;                 // a joint that is not acts as if it were not there
    bool limit_enabled;
    bool motor_enabled;
    bool spring_enabled;
    bool remove_on_break;         // else a joint that breaks is disabled
    iso_body_id body_a;           // null for TARGET
    iso_body_id body_b;
    iso_vec2 anchor_a;            // [m] body A's frame
    iso_vec2 anchor_b;            // [m] body B's frame
    iso_vec2 target;              // [m] TARGET: the point of the world
    fix16_t hertz;                // softness of what holds the joint; 0: the world's joint hertz and ratio (rigid)
    fix16_t damping_ratio;        // 0 to 1000; read when hertz is above 0
    iso_wide force_max;           // [N] of what holds the joint, its motor left out; 0: unlimited
    iso_wide torque_max;          // [N m] likewise, of an angular spring and limits; 0: unlimited
    fix16_t rest;                 // [rad] or [m] where the spring rests; the length of a rod
    fix16_t lower, upper;         // [rad] or [m] limits; lower <= upper
    fix16_t motor_speed;          // [rad/s] or [m/s]
    iso_wide motor_max;           // [N m] or [N] the most that the motor applies
    fix16_t spring_hertz;         // 0: no spring
    fix16_t spring_damping_ratio;
    iso_wide break_force;         // [N] breaks above it; 0: never
    iso_wide break_torque;        // [N m] likewise
    iso_wide break_error;         // [m] likewise, of iso_joint_get_separation
    iso_owner owner;
} iso_joint_def;

/// A rigid revolute joint between null bodies; the caller sets the bodies and anchors.
iso_joint_def iso_joint_def_default(void);

/// What a kind has, as bits ISO_JOINT_HAS_…; 0 for a number that is no kind.
uint32_t iso_joint_kind_has(uint8_t kind);

struct iso_world;

/// Creates a joint. Between two bodies that are not dynamic it is allowed and does nothing.
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_CAPACITY; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE (a number, limits that
///         cross, a limit, motor or spring that the kind does not have);
///         ISO_ERR_WRONG_TYPE (both bodies are one; the body of a TARGET is not dynamic).
///         On error the world is unchanged.
iso_status iso_joint_create(struct iso_world *world, const iso_joint_def *def, iso_joint_id *joint);

/// @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_destroy(struct iso_world *world, iso_joint_id joint);

bool iso_joint_is_valid(const struct iso_world *world, iso_joint_id joint);

/// The lowest live joint index at or above `index`, as a handle; null when there is none.
iso_joint_id iso_joint_next(const struct iso_world *world, uint32_t index);

/// Reads a joint back as its definition. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_get(const struct iso_world *world, iso_joint_id joint, iso_joint_def *def);

// ---- changing ------------------------------------------------------------------------------------
// Each takes effect in the next step. On error the joint is unchanged.

/// Moves the target of a TARGET joint. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE; ISO_ERR_RANGE.
iso_status iso_joint_set_target(struct iso_world *world, iso_joint_id joint, iso_vec2 target);

/// @param speed  [rad/s] or [m/s], within ±32,767
/// @param max    [N m] or [N], at least 0
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no motor); ISO_ERR_RANGE.
iso_status iso_joint_set_motor(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t speed, iso_wide max);

/// @param lower, upper  [rad] or [m], lower <= upper, within ±32,767; lengths are not negative
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no limits); ISO_ERR_RANGE.
iso_status iso_joint_set_limits(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t lower, fix16_t upper);

/// @param hertz, damping_ratio  0 to 1000; 0 Hz pulls nothing
/// @param rest  [rad] or [m], within ±32,767; of a DISTANCE joint also the rod's length, not negative
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (the kind has no spring); ISO_ERR_RANGE.
iso_status iso_joint_set_spring(struct iso_world *world, iso_joint_id joint, bool enabled, fix16_t hertz,
                                fix16_t damping_ratio, fix16_t rest);

/// Thresholds beyond which the joint breaks at the end of a step, 0 for none: it is then destroyed when
/// `remove`, else disabled.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (negative).
iso_status iso_joint_set_break(struct iso_world *world, iso_joint_id joint, iso_wide force, iso_wide torque,
                               iso_wide error, bool remove);

/// A disabled joint acts as if it were not there, and its bodies collide. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_enable(struct iso_world *world, iso_joint_id joint, bool enabled);

// ---- reading -------------------------------------------------------------------------------------
// Each returns ISO_OK, or ISO_ERR_STALE.

/// The force [N] that the joint applied to body B in the last substep.
iso_status iso_joint_get_force(const struct iso_world *world, iso_joint_id joint, iso_vec2_wide *force);

/// The torque [N m] that the joint's limit, motor and spring applied to body B in the last substep, beside that of
/// the force at its anchor.
iso_status iso_joint_get_torque(const struct iso_world *world, iso_joint_id joint, iso_wide *torque);

/// The angle [rad] of body B less that of body A, unwrapped. Saturates.
iso_status iso_joint_get_angle(const struct iso_world *world, iso_joint_id joint, iso_wide *angle);

/// The distance [m] between the joint's two anchor points.
iso_status iso_joint_get_length(const struct iso_world *world, iso_joint_id joint, iso_wide *length);

/// How fast the angle [rad/s] of an angular kind changes, or the length [m/s] of another.
iso_status iso_joint_get_speed(const struct iso_world *world, iso_joint_id joint, iso_wide *speed);

/// The joint's position error [m]: how far apart the anchors are; of a DISTANCE joint how much its length is
/// away from the rod's, or beyond a limit.
iso_status iso_joint_get_separation(const struct iso_world *world, iso_joint_id joint, iso_wide *separation);

#ifdef __cplusplus
}
#endif

#endif
