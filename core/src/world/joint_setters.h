/// The setters of joints in both kinds of worlds: which numbers and switches of a definition each replaces. A new
/// setter is a line here and its declaration, which is its contract. The functions are made in plane/joint/joint.c and
/// space/joint/joint.c.
///
///   A(type, name)    an argument
///   F(field, value)  a field of the definition, or of an axis of it, and what it becomes
#ifndef ISO_WORLD_JOINT_SETTERS_H
#define ISO_WORLD_JOINT_SETTERS_H

#include "base/assert.h"
#include "isostep/joint.h"
#include "world/world.h"

/// Those of what acts on an axis: iso_joint_set_NAME in the plane, where a joint has one, and iso_joint3_set_NAME in
/// space. X(name, what a kind in the plane must have, arguments, fields)
#define ISO__JOINT_AXIS_SETTER_LIST(X, A, F)                                                                          \
    X(motor, MOTOR, A(bool, enabled) A(fix16_t, speed) A(iso_wide, max),                                              \
      F(motor_enabled, enabled) F(motor_speed, speed) F(motor_max, max))                                              \
    X(limits, LIMIT, A(bool, enabled) A(fix16_t, lower) A(fix16_t, upper),                                            \
      F(limit_enabled, enabled) F(lower, lower) F(upper, upper))                                                      \
    X(spring, SPRING, A(bool, enabled) A(fix16_t, hertz) A(fix16_t, damping_ratio) A(fix16_t, rest),                  \
      F(spring_enabled, enabled) F(spring_hertz, hertz) F(spring_damping_ratio, damping_ratio) F(spring_stiffness, 0) \
          F(spring_damping, 0) F(rest, rest))                                                                         \
    X(stiffness, SPRING, A(bool, enabled) A(iso_wide, stiffness) A(iso_wide, damping) A(fix16_t, rest),               \
      F(spring_enabled, enabled) F(spring_stiffness, stiffness) F(spring_damping, damping) F(rest, rest))

/// Those of the joint as a whole: iso_joint_NAME for both kinds of worlds, in handle.c.
/// X(name, arguments, fields)
#define ISO__JOINT_SETTER_LIST(X, A, F)                                                                        \
    X(enable, A(bool, enabled), F(enabled, enabled))                                                           \
    X(set_break, A(iso_wide, force) A(iso_wide, torque) A(iso_wide, error) A(iso_wide, angle) A(bool, remove), \
      F(break_force, force) F(break_torque, torque) F(break_error, error) F(break_angle, angle)                \
          F(remove_on_break, remove))

/// An argument as it stands after others; and of lists of which only the functions are needed.
#define ISO__JOINT_ARGUMENT(type, name) , type name
#define ISO__JOINT_NO_FIELD(field, value)

/// A field of the definition that ISO__JOINT_SETTER_BODY has read.
#define ISO__JOINT_FIELD(field, value) def.field = (value);

/// What each setter does: it reads the definition, changes fields of it, and the joint to it.
/// @param type    of the definition, which is `def`
/// @param read    reads it @param change  changes the joint: both are expressions of a status
#define ISO__JOINT_SETTER_BODY(type, read, fields, change) \
    type def;                                              \
    const iso_status status = (read);                      \
    if (status == ISO_OK) {                                \
        fields                                             \
    }                                                      \
    return status == ISO_OK ? (change) : status;

/// The second list's functions of one kind of worlds, of joints that are alive.
typedef struct iso__joint_setters {
#define ISO__JOINT_SETTER(name, arguments, fields) iso_status (*name)(iso_world * world, uint32_t joint arguments);
    ISO__JOINT_SETTER_LIST(ISO__JOINT_SETTER, ISO__JOINT_ARGUMENT, ISO__JOINT_NO_FIELD)
#undef ISO__JOINT_SETTER
} iso__joint_setters;

/// A function of the second list, of a live joint: get(world, id, &def), then change(world, id, &def). Its arguments
/// stand last, since they have commas.
#define ISO__JOINT_SETTER_FUNCTION(type, get, change, name, fields, ...)                    \
    static iso_status setter_##name(iso_world *world, uint32_t joint __VA_ARGS__) {         \
        const iso_joint_id id = {joint, world->joint_generations[joint]};                   \
        ISO_ASSERT(iso__joint_is_alive(world, id));                                         \
        ISO__JOINT_SETTER_BODY(type, get(world, id, &def), fields, change(world, id, &def)) \
    }
#define ISO__JOINT_SETTER_ENTRY(name, arguments, fields) .name = setter_##name,

#endif
