/// Commands: what a member asks the world to do, at most once, in a tick.
///
/// A command is a plain struct with fixed-width arguments. Its canonical bytes (iso_command_encode)
/// are what recordings store, what hashes cover and what equality compares; the wire has its own
/// protobuf form. Forms and ranges are checked before a command is ordered into a tick
/// (iso_command_check); what depends on the world's state is found at its turn and becomes a no-op
/// with a status.
#ifndef ISOSTEP_COMMAND_H
#define ISOSTEP_COMMAND_H

#include <stddef.h>

#include "isostep/body.h"
#include "isostep/joint.h"
#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CONTROL_SIZE_MAX 32
#define ISO_CUSTOM_SIZE_MAX  256

/// Largest canonical form of any command [bytes].
#define ISO_COMMAND_SIZE_MAX 512

/// The kinds of commands. X(name, number, snake)
#define ISO_COMMAND_KIND_LIST(X)                      \
    X(SET_CONTROL, 1, set_control)                    \
    X(SPAWN_BODY, 2, spawn_body)                      \
    X(DESTROY_BODY, 3, destroy_body)                  \
    X(CREATE_SHAPE, 4, create_shape)                  \
    X(DESTROY_SHAPE, 5, destroy_shape)                \
    X(CREATE_JOINT, 6, create_joint)                  \
    X(DESTROY_JOINT, 7, destroy_joint)                \
    X(APPLY_FORCE, 8, apply_force)                    \
    X(APPLY_IMPULSE, 9, apply_impulse)                \
    X(APPLY_TORQUE, 10, apply_torque)                 \
    X(APPLY_ANGULAR_IMPULSE, 11, apply_angular_impulse) \
    X(SET_VELOCITY, 12, set_velocity)                 \
    X(SET_TARGET, 13, set_target)                     \
    X(SET_GRAVITY, 14, set_gravity)                   \
    X(SET_FILTER, 15, set_filter)                     \
    X(CUSTOM, 16, custom)                             \
    X(SET_BODY_TYPE, 17, set_body_type)               \
    X(SET_BODY_PARAMS, 18, set_body_params)           \
    X(SET_BODY_MASS, 19, set_body_mass)               \
    X(MOVE_KINEMATIC, 20, move_kinematic)             \
    X(SET_JOINT_MOTOR, 24, set_joint_motor)           \
    X(SET_JOINT_LIMITS, 25, set_joint_limits)         \
    X(SET_JOINT_SPRING, 26, set_joint_spring)         \
    X(SET_JOINT_BREAK, 27, set_joint_break)           \
    X(ENABLE_JOINT, 28, enable_joint)                 \
    X(SET_JOINT, 29, set_joint)

typedef enum iso_command_kind {
#define ISO_COMMAND_KIND_ENUM(name, number, snake) ISO_COMMAND_##name = (number),
    ISO_COMMAND_KIND_LIST(ISO_COMMAND_KIND_ENUM)
#undef ISO_COMMAND_KIND_ENUM
} iso_command_kind;

typedef struct iso_command_set_control {
    uint8_t size;  // 0 to 32
    uint8_t bytes[ISO_CONTROL_SIZE_MAX];
} iso_command_set_control;

/// Spawns a body with one shape. The owner and the parameters in `body` are ignored: what a member spawns is its own,
/// and SET_BODY_PARAMS sets what is not the default.
typedef struct iso_command_spawn_body {
    iso_body_def body;
    iso_shape_def shape;
} iso_command_spawn_body;

typedef struct iso_command_destroy_body {
    iso_body_id body;
} iso_command_destroy_body;

typedef struct iso_command_create_shape {
    iso_body_id body;
    iso_shape_def shape;
} iso_command_create_shape;

typedef struct iso_command_destroy_shape {
    iso_shape_id shape;
} iso_command_destroy_shape;

/// The owner in `joint` is ignored: what a member creates is its own.
typedef struct iso_command_create_joint {
    iso_joint_def joint;
} iso_command_create_joint;

typedef struct iso_command_destroy_joint {
    iso_joint_id joint;
} iso_command_destroy_joint;

typedef struct iso_command_apply_force {
    iso_body_id body;
    iso_vec2_wide force;  // [N]
    iso_vec2 point;       // [m] world frame
} iso_command_apply_force;

typedef struct iso_command_apply_impulse {
    iso_body_id body;
    iso_vec2_wide impulse;  // [N s]
    iso_vec2 point;         // [m] world frame
} iso_command_apply_impulse;

typedef struct iso_command_apply_torque {
    iso_body_id body;
    iso_wide torque;  // [N m]
} iso_command_apply_torque;

typedef struct iso_command_apply_angular_impulse {
    iso_body_id body;
    iso_wide impulse;  // [N m s]
} iso_command_apply_angular_impulse;

typedef struct iso_command_set_velocity {
    iso_body_id body;
    iso_vec2 velocity;         // [m/s]
    fix16_t angular_velocity;  // [rad/s]
} iso_command_set_velocity;

typedef struct iso_command_set_target {
    iso_joint_id joint;
    iso_vec2 target;  // [m] world frame
} iso_command_set_target;

typedef struct iso_command_set_gravity {
    iso_vec2 gravity;  // [m/s^2]
} iso_command_set_gravity;

typedef struct iso_command_set_filter {
    iso_shape_id shape;
    iso_filter filter;
} iso_command_set_filter;

typedef struct iso_command_custom {
    uint16_t size;  // 0 to 256
    uint8_t bytes[ISO_CUSTOM_SIZE_MAX];
} iso_command_custom;

typedef struct iso_command_set_body_type {
    iso_body_id body;
    uint8_t type;  // iso_body_type
} iso_command_set_body_type;

typedef struct iso_command_set_body_params {
    iso_body_id body;
    iso_body_params params;
} iso_command_set_body_params;

typedef struct iso_command_set_body_mass {
    iso_body_id body;
    iso_wide mass;     // [kg] 0: of the shapes
    iso_wide inertia;  // [kg m^2] 0: of the shapes
} iso_command_set_body_mass;

typedef struct iso_command_move_kinematic {
    iso_body_id body;
    iso_vec2 position;  // [m] of the origin
    fix16_t angle;      // [rad]
} iso_command_move_kinematic;

// The arguments are those of iso_joint_set_motor and its neighbours.

typedef struct iso_command_set_joint_motor {
    iso_joint_id joint;
    bool enabled;
    fix16_t speed;  // [rad/s] or [m/s]
    iso_wide max;   // [N m] or [N]
} iso_command_set_joint_motor;

typedef struct iso_command_set_joint_limits {
    iso_joint_id joint;
    bool enabled;
    fix16_t lower, upper;  // [rad] or [m]
} iso_command_set_joint_limits;

typedef struct iso_command_set_joint_spring {
    iso_joint_id joint;
    bool enabled;
    fix16_t hertz;
    fix16_t damping_ratio;
    fix16_t rest;  // [rad] or [m]
} iso_command_set_joint_spring;

typedef struct iso_command_set_joint_break {
    iso_joint_id joint;
    iso_wide force;   // [N], 0: never
    iso_wide torque;  // [N m], 0: never
    iso_wide error;   // [m], 0: never
    bool remove;
} iso_command_set_joint_break;

typedef struct iso_command_enable_joint {
    iso_joint_id joint;
    bool enabled;
} iso_command_enable_joint;

/// Everything about a joint at once, as iso_joint_set has it. The owner in `definition` is ignored.
typedef struct iso_command_set_joint {
    iso_joint_id joint;
    iso_joint_def definition;
} iso_command_set_joint;

typedef struct iso_command {
    uint8_t kind;  // iso_command_kind
    union {
#define ISO_COMMAND_MEMBER(name, number, snake) iso_command_##snake snake;
        ISO_COMMAND_KIND_LIST(ISO_COMMAND_MEMBER)
#undef ISO_COMMAND_MEMBER
    } as;
} iso_command;

/// Static check: kind, form and ranges, without a world.
/// @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE; ISO_ERR_GEOMETRY; ISO_ERR_MALFORMED.
iso_status iso_command_check(const iso_command *command);

/// Writes the canonical bytes: the kind, then each argument little endian at its fixed width; a
/// polygon's points and a block's bytes as many as there are.
/// @param capacity  ISO_COMMAND_SIZE_MAX always suffices
/// @return the number of bytes, or 0 when the command does not pass iso_command_check or does not fit.
size_t iso_command_encode(const iso_command *command, uint8_t *bytes, size_t capacity);

/// Reads canonical bytes; exactly `size` bytes must make one command, else ISO_ERR_MALFORMED.
/// @return as iso_command_check. On error *command is unspecified.
iso_status iso_command_decode(const uint8_t *bytes, size_t size, iso_command *command);

/// "SPAWN_BODY", or "UNKNOWN".
const char *iso_command_kind_name(uint8_t kind);

#ifdef __cplusplus
}
#endif

#endif
