/// Commands: what a member asks the world to do, at most once, in a tick.
///
/// A command is a plain struct with fixed-width arguments. Its canonical bytes (iso_command_encode)
/// are what recordings store, what hashes cover and what equality compares; the wire has its own
/// protobuf form. Forms and ranges are checked before a command is ordered into a tick
/// (iso_command_check); a command that the world's state does not allow when it is executed becomes a no-op with a
/// status. Check, encode and decode use no world: they may be called anywhere, from any thread.
#ifndef ISOSTEP_COMMAND_H
#define ISOSTEP_COMMAND_H

#include <stddef.h>

#include "isostep/body3.h"
#include "isostep/compound.h"
#include "isostep/joint.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CONTROL_SIZE_MAX 32
#define ISO_CUSTOM_SIZE_MAX  256

/// Largest canonical form of any command [bytes].
#define ISO_COMMAND_SIZE_MAX 768

/// Which worlds a kind is for: a bit for each number of dimensions.
#define ISO_COMMAND_IN_PLANE 4u // 1 << 2
#define ISO_COMMAND_IN_SPACE 8u // 1 << 3
#define ISO_COMMAND_IN_BOTH  12u

/// Shapes of a body in space, beyond which CREATE_SHAPE3 gives ISO_ERR_QUOTA; a hull counts as several.
#define ISO_COMMAND_BODY3_SHAPES_MAX 64
#define ISO_COMMAND_HULL_SHAPES      8

/// The kinds of commands. X(name, number, snake, worlds)
///   worlds  PLANE, SPACE or BOTH, of ISO_COMMAND_IN_
#define ISO_COMMAND_PLANE_KIND_LIST(X)                             \
    X(SET_CONTROL, 1, set_control, BOTH)                           \
    X(SPAWN_BODY, 2, spawn_body, PLANE)                            \
    X(DESTROY_BODY, 3, destroy_body, BOTH)                         \
    X(CREATE_SHAPE, 4, create_shape, PLANE)                        \
    X(DESTROY_SHAPE, 5, destroy_shape, BOTH)                       \
    X(CREATE_JOINT, 6, create_joint, PLANE)                        \
    X(DESTROY_JOINT, 7, destroy_joint, BOTH)                       \
    X(APPLY_FORCE, 8, apply_force, PLANE)                          \
    X(APPLY_IMPULSE, 9, apply_impulse, PLANE)                      \
    X(APPLY_TORQUE, 10, apply_torque, PLANE)                       \
    X(APPLY_ANGULAR_IMPULSE, 11, apply_angular_impulse, PLANE)     \
    X(SET_VELOCITY, 12, set_velocity, PLANE)                       \
    X(SET_TARGET, 13, set_target, PLANE)                           \
    X(SET_GRAVITY, 14, set_gravity, PLANE)                         \
    X(SET_FILTER, 15, set_filter, BOTH)                            \
    X(CUSTOM, 16, custom, BOTH)                                    \
    X(SET_BODY_TYPE, 17, set_body_type, BOTH)                      \
    X(SET_BODY_PARAMS, 18, set_body_params, PLANE)                 \
    X(SET_BODY_MASS, 19, set_body_mass, PLANE)                     \
    X(MOVE_KINEMATIC, 20, move_kinematic, PLANE)                   \
    X(SET_BODY_POSITION, 21, set_body_position, PLANE)             \
    X(SET_BODY_TAG, 22, set_body_tag, BOTH)                        \
    X(SET_SHAPE_FRICTION, 23, set_shape_friction, BOTH)            \
    X(SET_JOINT_MOTOR, 24, set_joint_motor, PLANE)                 \
    X(SET_JOINT_LIMITS, 25, set_joint_limits, PLANE)               \
    X(SET_JOINT_SPRING, 26, set_joint_spring, PLANE)               \
    X(SET_JOINT_BREAK, 27, set_joint_break, BOTH)                  \
    X(ENABLE_JOINT, 28, enable_joint, BOTH)                        \
    X(SET_JOINT, 29, set_joint, PLANE)                             \
    X(SET_SHAPE_RESTITUTION, 30, set_shape_restitution, BOTH)      \
    X(SET_SHAPE_DENSITY, 31, set_shape_density, BOTH)              \
    X(SPAWN_COMPOUND, 32, spawn_compound, PLANE)                   \
    X(DESTROY_COMPOUND, 33, destroy_compound, PLANE)               \
    X(SET_COMPOUND_POSITION, 34, set_compound_position, PLANE)     \
    X(SET_SHAPE_TAG, 35, set_shape_tag, BOTH)                      \
    X(SET_JOINT_TAG, 36, set_joint_tag, BOTH)                      \
    X(SET_SHAPE_SURFACE_SPEED, 37, set_shape_surface_speed, PLANE) \
    X(SET_JOINT_BODIES, 38, set_joint_bodies, PLANE)               \
    X(SET_JOINT_STIFFNESS, 39, set_joint_stiffness, PLANE)
#define ISO_COMMAND_SPACE_KIND_LIST(X)                           \
    X(SPAWN_BODY3, 64, spawn_body3, SPACE)                       \
    X(CREATE_SHAPE3, 65, create_shape3, SPACE)                   \
    X(APPLY_FORCE3, 66, apply_force3, SPACE)                     \
    X(APPLY_IMPULSE3, 67, apply_impulse3, SPACE)                 \
    X(APPLY_TORQUE3, 68, apply_torque3, SPACE)                   \
    X(APPLY_ANGULAR_IMPULSE3, 69, apply_angular_impulse3, SPACE) \
    X(SET_VELOCITY3, 70, set_velocity3, SPACE)                   \
    X(SET_GRAVITY3, 71, set_gravity3, SPACE)                     \
    X(SET_BODY_PARAMS3, 72, set_body_params3, SPACE)             \
    X(SET_BODY_MASS3, 73, set_body_mass3, SPACE)                 \
    X(SET_BODY_POSITION3, 74, set_body_position3, SPACE)         \
    X(CREATE_JOINT3, 75, create_joint3, SPACE)                   \
    X(SET_JOINT3, 76, set_joint3, SPACE)                         \
    X(SET_JOINT_AXIS3, 77, set_joint_axis3, SPACE)               \
    X(SET_TARGET3, 78, set_target3, SPACE)
#define ISO_COMMAND_KIND_LIST(X)   \
    ISO_COMMAND_PLANE_KIND_LIST(X) \
    ISO_COMMAND_SPACE_KIND_LIST(X)

typedef enum iso_command_kind {
#define ISO_COMMAND_KIND_ENUM(name, number, snake, worlds) ISO_COMMAND_##name = (number),
    ISO_COMMAND_KIND_LIST(ISO_COMMAND_KIND_ENUM)
#undef ISO_COMMAND_KIND_ENUM
} iso_command_kind;

/// The arguments of each kind, in the order of their canonical bytes. Structs, canonical bytes, check, wire form and
/// dump are generated from these lists. X(type, name, wire, bound, unit)
///   type   one of ISO_ARG_ below
///   wire   the name in command.proto; of a vector or quaternion, the prefix of x, y, z and w
///   bound  the range that iso_command_check requires. ANY: any. OWN: that of its type. PUSH: ISO_IMPULSE_MAX, PLACE:
///          ISO_POSITION_MAX_M, SPEED: ISO_SPEED_MAX_M_S, in space ISO_SPEED3_MAX_M_S, SPIN: 512 rad/s, GRAVITY:
///          1,000 m/s^2 either way. MASS, INERTIA: as iso_body_set_mass, MOMENTS: as iso_body3_set_mass. AXIS: below
///          ISO_JOINT3_AXES. JOINT(number),
///          SHAPE(number): as that number of a joint's or shape's definition in the plane
///
/// A quaternion must be as a world holds it: the sum of its squares within 2^33 of 2^60, and its first component other
/// than zero, in the order w, x, y, z, positive. So no rotation has two forms. The same holds of those of definitions.
///
/// In games that check ownership (iso_game_authorize_owner) the first argument with an owner decides: a BODY, SHAPE,
/// JOINT or COMPOUND, or the bodies of a JOINT_DEF or JOINT3_DEF. BODY_DEF, BODY3_DEF, BLUEPRINT, CONTROL and PAYLOAD
/// belong to the sender. A command with none of these changes the world itself and is refused. SET_JOINT_BODIES is
/// allowed to whom the joint and all its new bodies belong, as CREATE_JOINT is.
///
/// SPAWN_BODY and SPAWN_BODY3 ignore owner and parameters of their body: a member owns what it spawns, and
/// SET_BODY_PARAMS and SET_BODY_PARAMS3 set parameters other than the defaults. A member owns a compound that it
/// spawns, with all its bodies and joints; SPAWN_COMPOUND, DESTROY_COMPOUND and SET_COMPOUND_POSITION do what the
/// functions of compound.h do. CREATE_JOINT, SET_JOINT, CREATE_JOINT3 and SET_JOINT3 ignore the owner of their joint.
/// The arguments of SET_JOINT_MOTOR, of SET_JOINT_AXIS3 and of the similar commands are those of iso_joint_set_motor,
/// iso_joint3_set_axis and the similar functions.
#define ISO_COMMAND_set_control_ARGS(X) X(CONTROL, bytes, block, OWN, "")
#define ISO_COMMAND_spawn_body_ARGS(X) \
    X(BODY_DEF, body, body, OWN, "")   \
    X(SHAPE_DEF, shape, shape, OWN, "")
#define ISO_COMMAND_destroy_body_ARGS(X) X(BODY, body, body, ANY, "")
#define ISO_COMMAND_create_shape_ARGS(X) \
    X(BODY, body, body, ANY, "")         \
    X(SHAPE_DEF, shape, shape, OWN, "")
#define ISO_COMMAND_destroy_shape_ARGS(X) X(SHAPE, shape, shape, ANY, "")
#define ISO_COMMAND_create_joint_ARGS(X)  X(JOINT_DEF, joint, joint, OWN, "")
#define ISO_COMMAND_destroy_joint_ARGS(X) X(JOINT, joint, joint, ANY, "")
#define ISO_COMMAND_apply_force_ARGS(X)    \
    X(BODY, body, body, ANY, "")           \
    X(VEC2_WIDE, force, force_, PUSH, "N") \
    X(VEC2_WIDE, point, point_, PLACE, "m, world frame")
#define ISO_COMMAND_apply_impulse_ARGS(X)        \
    X(BODY, body, body, ANY, "")                 \
    X(VEC2_WIDE, impulse, impulse_, PUSH, "N s") \
    X(VEC2_WIDE, point, point_, PLACE, "m, world frame")
#define ISO_COMMAND_apply_torque_ARGS(X) \
    X(BODY, body, body, ANY, "")         \
    X(WIDE, torque, torque, PUSH, "N m")
#define ISO_COMMAND_apply_angular_impulse_ARGS(X) \
    X(BODY, body, body, ANY, "")                  \
    X(WIDE, impulse, impulse, PUSH, "N m s")
#define ISO_COMMAND_set_velocity_ARGS(X)            \
    X(BODY, body, body, ANY, "")                    \
    X(VEC2_WIDE, velocity, velocity_, SPEED, "m/s") \
    X(WIDE, angular_velocity, angular_velocity, ANY, "rad/s")
#define ISO_COMMAND_set_target_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")    \
    X(VEC2_WIDE, target, target_, PLACE, "m, world frame")
#define ISO_COMMAND_set_gravity_ARGS(X) X(VEC2, gravity, , GRAVITY, "m/s^2")
#define ISO_COMMAND_set_filter_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")    \
    X(FILTER, filter, filter, ANY, "")
#define ISO_COMMAND_custom_ARGS(X) X(PAYLOAD, bytes, payload, OWN, "")
#define ISO_COMMAND_set_body_type_ARGS(X) \
    X(BODY, body, body, ANY, "")          \
    X(BODY_TYPE, type, type, OWN, "")
#define ISO_COMMAND_set_body_params_ARGS(X) \
    X(BODY, body, body, ANY, "")            \
    X(BODY_PARAMS, params, params, OWN, "")
#define ISO_COMMAND_set_body_mass_ARGS(X)             \
    X(BODY, body, body, ANY, "")                      \
    X(WIDE, mass, mass, MASS, "kg, 0: of the shapes") \
    X(WIDE, inertia, inertia, INERTIA, "kg m^2, 0: of the shapes")
#define ISO_COMMAND_move_kinematic_ARGS(X)              \
    X(BODY, body, body, ANY, "")                        \
    X(VEC2_WIDE, position, , PLACE, "m, of the origin") \
    X(WIDE, angle, angle, ANY, "rad")
#define ISO_COMMAND_set_body_position_ARGS(X)           \
    X(BODY, body, body, ANY, "")                        \
    X(VEC2_WIDE, position, , PLACE, "m, of the origin") \
    X(WIDE, angle, angle, ANY, "rad")
#define ISO_COMMAND_set_body_tag_ARGS(X) \
    X(BODY, body, body, ANY, "")         \
    X(U32, tag, tag, ANY, "")
#define ISO_COMMAND_set_shape_friction_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")            \
    X(FIX16, friction, friction, SHAPE(friction), "")
#define ISO_COMMAND_set_shape_restitution_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")               \
    X(FIX16, restitution, restitution, SHAPE(restitution), "")
#define ISO_COMMAND_set_shape_density_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")           \
    X(FIX16, density, density, SHAPE(density), "kg/m^2, in space kg/m^3")
#define ISO_COMMAND_set_shape_surface_speed_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")                 \
    X(FIX16, speed, speed, SHAPE(surface_speed), "m/s")
#define ISO_COMMAND_set_shape_tag_ARGS(X) \
    X(SHAPE, shape, shape, ANY, "")       \
    X(U32, tag, tag, ANY, "")
#define ISO_COMMAND_set_joint_tag_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")       \
    X(U32, tag, tag, ANY, "")
#define ISO_COMMAND_set_joint_bodies_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")          \
    X(BODY, body_a, body_a, ANY, "")         \
    X(BODY, body_b, body_b, ANY, "")         \
    X(BODY, body_c, body_c, ANY, "")         \
    X(BODY, body_d, body_d, ANY, "")
#define ISO_COMMAND_set_joint_motor_ARGS(X)                    \
    X(JOINT, joint, joint, ANY, "")                            \
    X(BOOL, enabled, enabled, ANY, "")                         \
    X(FIX16, speed, speed, JOINT(motor_speed), "rad/s or m/s") \
    X(WIDE, max, max, JOINT(motor_max), "N m or N")
#define ISO_COMMAND_set_joint_limits_ARGS(X)         \
    X(JOINT, joint, joint, ANY, "")                  \
    X(BOOL, enabled, enabled, ANY, "")               \
    X(FIX16, lower, lower, JOINT(lower), "rad or m") \
    X(FIX16, upper, upper, JOINT(upper), "rad or m")
#define ISO_COMMAND_set_joint_spring_ARGS(X)                                \
    X(JOINT, joint, joint, ANY, "")                                         \
    X(BOOL, enabled, enabled, ANY, "")                                      \
    X(FIX16, hertz, hertz, JOINT(spring_hertz), "Hz")                       \
    X(FIX16, damping_ratio, damping_ratio, JOINT(spring_damping_ratio), "") \
    X(FIX16, rest, rest, JOINT(rest), "rad or m")
#define ISO_COMMAND_set_joint_stiffness_ARGS(X)                              \
    X(JOINT, joint, joint, ANY, "")                                          \
    X(BOOL, enabled, enabled, ANY, "")                                       \
    X(WIDE, stiffness, stiffness, JOINT(spring_stiffness), "N m/rad or N/m") \
    X(WIDE, damping, damping, JOINT(spring_damping), "N m s/rad or N s/m")   \
    X(FIX16, rest, rest, JOINT(rest), "rad or m")
#define ISO_COMMAND_set_joint_break_ARGS(X)                       \
    X(JOINT, joint, joint, ANY, "")                               \
    X(WIDE, force, force, JOINT(break_force), "N, 0: never")      \
    X(WIDE, torque, torque, JOINT(break_torque), "N m, 0: never") \
    X(WIDE, error, error, JOINT(break_error), "m, 0: never")      \
    X(WIDE, angle, angle, JOINT(break_angle), "rad, 0: never")    \
    X(BOOL, remove, remove, ANY, "")
#define ISO_COMMAND_enable_joint_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")      \
    X(BOOL, enabled, enabled, ANY, "")
#define ISO_COMMAND_set_joint_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")   \
    X(JOINT_DEF, definition, definition, OWN, "")
#define ISO_COMMAND_spawn_compound_ARGS(X)                          \
    X(BLUEPRINT, blueprint, blueprint, ANY, "index")                \
    X(VEC2_WIDE, position, , PLACE, "m, of the blueprint's origin") \
    X(WIDE, angle, angle, ANY, "rad")                               \
    X(VEC2_WIDE, velocity, velocity_, SPEED, "m/s, of the origin")  \
    X(WIDE, angular_velocity, angular_velocity, SPIN, "rad/s")      \
    X(U32, tag, tag, ANY, "")
#define ISO_COMMAND_destroy_compound_ARGS(X) X(COMPOUND, compound, compound, ANY, "")
#define ISO_COMMAND_set_compound_position_ARGS(X)                   \
    X(COMPOUND, compound, compound, ANY, "")                        \
    X(VEC2_WIDE, position, , PLACE, "m, of the blueprint's origin") \
    X(WIDE, angle, angle, ANY, "rad")
#define ISO_COMMAND_spawn_body3_ARGS(X) \
    X(BODY3_DEF, body, body, OWN, "")   \
    X(SHAPE3_DEF, shape, shape, OWN, "")
#define ISO_COMMAND_create_shape3_ARGS(X) \
    X(BODY, body, body, ANY, "")          \
    X(SHAPE3_DEF, shape, shape, OWN, "")
#define ISO_COMMAND_apply_force3_ARGS(X)   \
    X(BODY, body, body, ANY, "")           \
    X(VEC3_WIDE, force, force_, PUSH, "N") \
    X(VEC3_WIDE, point, point_, PLACE, "m, world frame")
#define ISO_COMMAND_apply_impulse3_ARGS(X)       \
    X(BODY, body, body, ANY, "")                 \
    X(VEC3_WIDE, impulse, impulse_, PUSH, "N s") \
    X(VEC3_WIDE, point, point_, PLACE, "m, world frame")
#define ISO_COMMAND_apply_torque3_ARGS(X) \
    X(BODY, body, body, ANY, "")          \
    X(VEC3_WIDE, torque, torque_, PUSH, "N m")
#define ISO_COMMAND_apply_angular_impulse3_ARGS(X) \
    X(BODY, body, body, ANY, "")                   \
    X(VEC3_WIDE, impulse, impulse_, PUSH, "N m s")
#define ISO_COMMAND_set_velocity3_ARGS(X)           \
    X(BODY, body, body, ANY, "")                    \
    X(VEC3_WIDE, velocity, velocity_, SPEED, "m/s") \
    X(VEC3_WIDE, angular_velocity, angular_velocity_, ANY, "rad/s, world frame")
#define ISO_COMMAND_set_gravity3_ARGS(X) X(VEC3, gravity, , GRAVITY, "m/s^2")
#define ISO_COMMAND_set_body_params3_ARGS(X) \
    X(BODY, body, body, ANY, "")             \
    X(BODY3_PARAMS, params, params, OWN, "")
#define ISO_COMMAND_set_body_mass3_ARGS(X)            \
    X(BODY, body, body, ANY, "")                      \
    X(WIDE, mass, mass, MASS, "kg, 0: of the shapes") \
    X(VEC3_WIDE, moments, moments_, MOMENTS, "kg m^2, about the principal axes, ascending; all 0: of the shapes")
#define ISO_COMMAND_set_body_position3_ARGS(X)          \
    X(BODY, body, body, ANY, "")                        \
    X(VEC3_WIDE, position, , PLACE, "m, of the origin") \
    X(QUAT, rotation, rotation_, OWN, "")
#define ISO_COMMAND_create_joint3_ARGS(X) X(JOINT3_DEF, joint, joint, OWN, "")
#define ISO_COMMAND_set_joint3_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")    \
    X(JOINT3_DEF, definition, definition, OWN, "")
#define ISO_COMMAND_set_joint_axis3_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")         \
    X(U32, axis, axis, AXIS, "index")       \
    X(JOINT3_AXIS, definition, definition, OWN, "")
#define ISO_COMMAND_set_target3_ARGS(X) \
    X(JOINT, joint, joint, ANY, "")     \
    X(VEC3_WIDE, target, target_, PLACE, "m, world frame")

/// The C type of each type of argument. FIX16 is Q15.16, WIDE is Q31.32.
#define ISO_ARG_BODY(name)         iso_body_id name;
#define ISO_ARG_SHAPE(name)        iso_shape_id name;
#define ISO_ARG_JOINT(name)        iso_joint_id name;
#define ISO_ARG_COMPOUND(name)     iso_compound_id name;
#define ISO_ARG_BLUEPRINT(name)    uint32_t name; /* its index in the world */
#define ISO_ARG_BOOL(name)         bool name;
#define ISO_ARG_U32(name)          uint32_t name;
#define ISO_ARG_FIX16(name)        fix16_t name;
#define ISO_ARG_WIDE(name)         iso_wide name;
#define ISO_ARG_VEC2(name)         iso_vec2 name;
#define ISO_ARG_VEC2_WIDE(name)    iso_vec2_wide name;
#define ISO_ARG_VEC3(name)         iso_vec3 name;
#define ISO_ARG_VEC3_WIDE(name)    iso_vec3_wide name;
#define ISO_ARG_QUAT(name)         iso_quat name;
#define ISO_ARG_FILTER(name)       iso_filter name;
#define ISO_ARG_BODY_TYPE(name)    uint8_t name; /* iso_body_type */
#define ISO_ARG_BODY_PARAMS(name)  iso_body_params name;
#define ISO_ARG_BODY_DEF(name)     iso_body_def name;
#define ISO_ARG_SHAPE_DEF(name)    iso_shape_def name;
#define ISO_ARG_JOINT_DEF(name)    iso_joint_def name;
#define ISO_ARG_BODY3_PARAMS(name) iso_body3_params name;
#define ISO_ARG_BODY3_DEF(name)    iso_body3_def name;
#define ISO_ARG_SHAPE3_DEF(name)   iso_shape3_def name;
#define ISO_ARG_JOINT3_DEF(name)   iso_joint3_def name;
#define ISO_ARG_JOINT3_AXIS(name)  iso_joint3_axis name;
#define ISO_ARG_CONTROL(name) \
    uint8_t size;             \
    uint8_t name[ISO_CONTROL_SIZE_MAX];
#define ISO_ARG_PAYLOAD(name) \
    uint16_t size;            \
    uint8_t name[ISO_CUSTOM_SIZE_MAX];

/// iso_command_apply_force and so on: structs whose members are the arguments.
#define ISO_COMMAND_ARG(type, name, wire, bound, unit) ISO_ARG_##type(name)
#define ISO_COMMAND_STRUCT(NAME, number, snake, worlds) \
    typedef struct iso_command_##snake {                \
        ISO_COMMAND_##snake##_ARGS(ISO_COMMAND_ARG)     \
    } iso_command_##snake;
ISO_COMMAND_KIND_LIST(ISO_COMMAND_STRUCT)
#undef ISO_COMMAND_STRUCT
#undef ISO_COMMAND_ARG

typedef struct iso_command {
    uint8_t kind; // iso_command_kind
    union {
#define ISO_COMMAND_MEMBER(name, number, snake, worlds) iso_command_##snake snake;
        ISO_COMMAND_KIND_LIST(ISO_COMMAND_MEMBER)
#undef ISO_COMMAND_MEMBER
    } as;
} iso_command;

/// Static check: kind, form and ranges, without a world.
/// A constraint and parameters that the canonical bytes of the joint's kind do not have are ISO_ERR_RANGE: a recording
/// would not have them either.
/// @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE; ISO_ERR_GEOMETRY; ISO_ERR_MALFORMED.
iso_status iso_command_check(const iso_command *command);

/// Which worlds a kind is for: bits of ISO_COMMAND_IN_; 0 for what is no kind.
uint32_t iso_command_dimensions(uint8_t kind);

/// Whether a kind is for worlds with so many dimensions, 2 or 3. A command of another one is refused statically, with
/// ISO_ERR_DIMENSION: by client and session, and once more when a world checks its input.
static inline bool iso_command_has_dimensions(uint8_t kind, uint32_t dimensions) {
    return (iso_command_dimensions(kind) >> dimensions & 1u) != 0;
}

/// Writes the canonical bytes: the kind, then each argument little endian at its fixed width; of a shape's points and
/// a block's bytes only those that are used.
/// @param capacity  ISO_COMMAND_SIZE_MAX always suffices
/// @return the number of bytes, or 0 when the command does not pass iso_command_check or does not fit.
size_t iso_command_encode(const iso_command *command, uint8_t *bytes, size_t capacity);

/// The same of a command that iso_command_check has accepted: the check of a hull costs as much as making it.
/// @return the number of bytes, or 0 when it does not fit
size_t iso_command_encode_checked(const iso_command *command, uint8_t *bytes, size_t capacity);

/// Reads canonical bytes; exactly `size` bytes must make one command, else ISO_ERR_MALFORMED.
/// @return as iso_command_check. On error *command is unspecified.
iso_status iso_command_decode(const uint8_t *bytes, size_t size, iso_command *command);

/// What a command has to go through in a world as it is, for who bounds the work of a tick. It says nothing about
/// whether the command will be carried out.
typedef struct iso_command_weight {
    uint32_t corners; // of the shape that it brings
    uint32_t parts;   // shapes of the body, or of the compound, that it is about; of SPAWN_COMPOUND bodies and shapes
    uint32_t hulls;   // of these the hulls in space
    uint32_t ties;    // joints of the body or compound
    uint32_t crowd;   // bodies, shapes, joints and contacts of the world
    uint64_t pairs;   // of one of the parts and a contact or body of the world
} iso_command_weight;

struct iso_world;

/// Weighs a command. What it is about may have to be made by an earlier command first: then the parts are those of the
/// body of this slot's member that has the most. Only kinds that go through the parts of a body look at one.
///
/// @param command  what iso_command_check has accepted, for worlds of these dimensions
void iso_world_weigh_command(const struct iso_world *world, uint32_t slot, const iso_command *command,
                             iso_command_weight *weight);

/// "SPAWN_BODY", or "UNKNOWN".
const char *iso_command_kind_name(uint8_t kind);

#ifdef __cplusplus
}
#endif

#endif
