/// The records of worlds in the plane: what is persisted of them; see world/records.h.
#ifndef ISO_PLANE_WORLD_RECORDS_H
#define ISO_PLANE_WORLD_RECORDS_H

#include "isostep/command.h"
#include "isostep/compound.h"
#include "isostep/constraint.h"
#include "isostep/shape.h"
#include "world/records.h"

#define ISO__PLANE_BODY_FIELDS(F, A)                                                                     \
    A(I64, position, 2, "m Q31.32, centre of mass")                                                      \
    F(I64, angle, "turns Q31.32")                                                                        \
    F(I64, mass, "kg Q31.32, 0: of the shapes")                                                          \
    F(I64, inertia, "kg m^2 Q31.32, 0: of the shapes, in proportion to the mass")                        \
    F(U64, spawn_number, "order of creation, 0: at tick 0")                                              \
    A(I32, velocity, 2, "m/s Q12.19")                                                                    \
    F(I32, spin, "m/s Q12.19, angular velocity times the radius 2^k")                                    \
    F(I32, linear_damping, "1/s Q15.16")                                                                 \
    F(I32, angular_damping, "1/s Q15.16")                                                                \
    F(I32, gravity_scale, "Q15.16")                                                                      \
    F(U32, quiet_ticks, "ticks for which it has been quiet; from twice the sleep time on, back to once") \
    A(I32, quiet_moved, 3, "m Q31.32, within 1 cm: x, y and turn times 2^k in the present sleep time")   \
    F(I32, quiet_gain, "m^2/s^2 Q.34, of squared speeds in the last sleep time")                         \
    F(U32, owner_generation, "")                                                                         \
    F(U32, tag, "")                                                                                      \
    F(U32, compound, "compound index + 1, 0: none")                                                      \
    F(U32, part, "number among the bodies of the compound's blueprint")                                  \
    F(U16, owner_slot, "")                                                                               \
    F(U8, type, "iso_body_type, 0 when dead")                                                            \
    F(U8, flags, "bits: 0 fixed rotation, 1 lock x, 2 lock y, 3 never sleeps, 4 asleep, 5 bullet")

#define ISO__PLANE_SHAPE_FIELDS(F, A)                                                                                 \
    F(U32, body, "body index")                                                                                        \
    F(I32, density, "kg/m^2 Q15.16")                                                                                  \
    F(I32, friction, "Q4.28")                                                                                         \
    F(I32, restitution, "Q4.28")                                                                                      \
    F(U32, category, "")                                                                                              \
    F(U32, mask, "")                                                                                                  \
    F(I32, group, "")                                                                                                 \
    F(I32, radius, "m Q7.24")                                                                                         \
    F(I32, surface_speed, "m/s Q15.16")                                                                               \
    A(I32, one_way, 2, "Q15.16, body frame; 0, 0: no")                                                                \
    F(U32, flags, "bits: 0 sensor, 1 tapered")                                                                        \
    F(U32, tag, "")                                                                                                   \
    F(U32, owner_generation, "")                                                                                      \
    F(U16, owner_slot, "whose command added it, else nobody")                                                         \
    F(U8, kind, "iso_shape_kind, 0 when dead")                                                                        \
    F(U8, vertex_count, "")                                                                                           \
    A(I32, vertices, 2 * ISO_POLYGON_VERTICES_MAX,                                                                    \
      "m Q7.24, x and y, body frame; a tapered capsule's fifth: its second radius; a segment's 8: Q31.32, two words " \
      "each")

/// A joint's accumulated impulses: two of what holds it (a point row's x and y; or of a row across an axis and of one
/// on the angle), then those of its main axis.
#define ISO__PLANE_JOINT_IMPULSES       6
#define ISO__PLANE_JOINT_ACROSS_IMPULSE 0
#define ISO__PLANE_JOINT_ANGLE_IMPULSE  1
#define ISO__PLANE_JOINT_AXIS_IMPULSE   2 // index of the main axis' first: hold, motor, lower, upper

/// The order is that of use: what each step reads and writes of every joint comes first, in two lines of a cache.
#define ISO__PLANE_JOINT_FIELDS(F, A)                                                  \
    A(I64, impulse, ISO__PLANE_JOINT_IMPULSES, "m/s or rad/s Q31.32, velocity units")  \
    F(U32, body_a, "body index, UINT32_MAX: the world")                                \
    F(U32, body_b, "body index")                                                       \
    F(U32, body_c, "body index, UINT32_MAX: none")                                     \
    F(U32, body_d, "body index, UINT32_MAX: none")                                     \
    A(I32, anchor_a, 2, "m Q7.24, body frame")                                         \
    A(I32, anchor_b, 2, "m Q7.24, body frame")                                         \
    F(I64, force_max, "N Q31.32, 0: unlimited")                                        \
    F(I64, torque_max, "N m Q31.32, 0: unlimited")                                     \
    F(I32, hertz, "Hz Q15.16, 0: rigid")                                               \
    F(I32, damping_ratio, "Q15.16")                                                    \
    F(I32, correction_max, "m/s or rad/s Q15.16, 0: unlimited")                        \
    F(I32, rest, "rad or m Q15.16")                                                    \
    F(I32, lower, "rad or m Q15.16")                                                   \
    F(I32, upper, "rad or m Q15.16")                                                   \
    F(U32, owner_generation, "")                                                       \
    F(U16, owner_slot, "")                                                             \
    F(U8, kind, "iso_joint_kind, 0 when dead")                                         \
    F(U8, flags, "bits of ISO_JOINT_SWITCH_LIST")                                      \
    F(I64, break_force, "N Q31.32, 0: never")                                          \
    F(I64, break_torque, "N m Q31.32, 0: never")                                       \
    F(I64, break_error, "m Q31.32, 0: never")                                          \
    F(I64, break_angle, "rad Q31.32, 0: never")                                        \
    F(I64, motor_max, "N m or N Q31.32")                                               \
    F(I64, spring_max, "N m or N Q31.32, 0: as the maximum above")                     \
    F(I64, spring_stiffness, "N m/rad or N/m Q31.32; with the damping 0: by hertz")    \
    F(I64, spring_damping, "N m s/rad or N s/m Q31.32")                                \
    F(I32, motor_speed, "rad/s or m/s Q15.16")                                         \
    F(I32, spring_hertz, "Hz Q15.16")                                                  \
    F(I32, spring_damping_ratio, "Q15.16")                                             \
    F(I32, ratio, "Q15.16")                                                            \
    F(I32, reference, "rad Q15.16")                                                    \
    F(I32, ratchet, "rad Q15.16")                                                      \
    F(I32, limit_hertz, "Hz Q15.16, 0: rigid limits")                                  \
    F(I32, limit_damping_ratio, "Q15.16")                                              \
    F(I64, latch, "rad Q31.32, RATCHET: the angle that it holds")                      \
    A(I64, target, 2, "m Q31.32")                                                      \
    A(I32, direction, 2, "Q2.30, of a length: from A's anchor to B's when last apart") \
    A(I32, direction_cd, 2, "Q2.30, PULLEY: from C's anchor to D's when last apart")   \
    A(I32, axis, 2, "Q15.16, A's frame")                                               \
    A(I32, anchor_c, 2, "m Q7.24, body frame")                                         \
    A(I32, anchor_d, 2, "m Q7.24, body frame")                                         \
    F(U32, compound, "compound index + 1, 0: none")                                    \
    F(U32, part, "number among the joints of the compound's blueprint")                \
    F(U32, tag, "")                                                                    \
    F(U32, reserved, "0")

#define ISO__PLANE_CONTACT_FIELDS(F, A)                                                                     \
    F(U32, shape_a, "shape index, of the body with the lower index")                                        \
    F(U32, shape_b, "shape index")                                                                          \
    A(I32, normal_impulse, 2, "m/s Q12.19, velocity units")                                                 \
    A(I32, tangent_impulse, 2, "m/s Q12.19, velocity units")                                                \
    A(U32, feature, 2, "feature id of the point")                                                           \
    A(I32, pose_offset, 2, "m Q7.24, of B's origin from A's, when the manifold was made; 0: it keeps none") \
    A(U32, pose_angle, 2, "turns Q0.32, of A and of B then")                                                \
    F(U16, child, "of a compound shape, else 0")                                                            \
    F(U8, point_count, "")                                                                                  \
    F(U8, flags, "bits: 0 the shapes touch, 1 one passes the other from its open side")

/// Data of a joint of the kind USER or SYMBOLIC besides its record.
#define ISO__PLANE_CUSTOM_STATE    ISO_CONSTRAINT_STATE_MAX
#define ISO__PLANE_CUSTOM_IMPULSES (2 * ISO_CONSTRAINT_ROWS_MAX - ISO__PLANE_JOINT_IMPULSES)
#define ISO__PLANE_CUSTOM_JOINT_FIELDS(F, A)                                                                           \
    A(I64, vectors, 2 * ISO_PROGRAM_VECTORS_MAX, "Q31.32, x and y")                                                    \
    A(I64, scalars, ISO_PROGRAM_SCALARS_MAX, "Q31.32")                                                                 \
    A(I64, state, ISO__PLANE_CUSTOM_STATE, "USER: the constraint's own")                                               \
    A(I64, impulse, ISO__PLANE_CUSTOM_IMPULSES, "m/s or rad/s Q31.32, velocity units: of the rows from the fourth on") \
    F(U32, joint, "joint index")                                                                                       \
    F(U16, constraint, "index of the program, or of the game's constraint")                                            \
    F(U16, kind, "iso_joint_kind, 0 when free")

/// Bodies and joints that were created together from a blueprint. Their own records say to which compound they belong.
#define ISO__PLANE_COMPOUND_FIELDS(F, A)                  \
    F(U32, blueprint, "blueprint index + 1, 0 when dead") \
    F(U32, tag, "")                                       \
    F(U32, owner_generation, "")                          \
    F(U32, owner_slot, "")

/// Blueprints are only added, so their parts follow one another in the order of the blueprints.
#define ISO__PLANE_BLUEPRINT_FIELDS(F, A) \
    F(U32, body_first, "")                \
    F(U32, body_count, "")                \
    F(U32, shape_first, "")               \
    F(U32, shape_count, "")               \
    F(U32, joint_first, "")               \
    F(U32, joint_count, "")               \
    A(U8, name, ISO_BLUEPRINT_NAME_MAX + 1, "text")

/// Parts have the fields of what is made of them. A body's position is that of its origin in the blueprint's frame, its
/// spin is for a radius of 1 m. Indices of bodies are those of parts. What has no meaning in a part is 0.
#define ISO__PLANE_BLUEPRINT_JOINT_FIELDS(F, A)                             \
    ISO__PLANE_JOINT_FIELDS(F, A)                                           \
    A(I64, vectors, 2 * ISO_PROGRAM_VECTORS_MAX, "Q31.32, x and y")         \
    A(I64, scalars, ISO_PROGRAM_SCALARS_MAX, "Q31.32")                      \
    F(U32, constraint, "index of the program, or of the game's constraint") \
    F(U32, blueprint, "blueprint index")

ISO__DECLARE_RECORD(iso__plane_body, ISO__PLANE_BODY_FIELDS);
ISO__DECLARE_RECORD(iso__plane_shape, ISO__PLANE_SHAPE_FIELDS);
ISO__DECLARE_RECORD(iso__plane_joint, ISO__PLANE_JOINT_FIELDS);
ISO__DECLARE_RECORD(iso__plane_contact, ISO__PLANE_CONTACT_FIELDS);
ISO__DECLARE_RECORD(iso__plane_custom_joint, ISO__PLANE_CUSTOM_JOINT_FIELDS);
ISO__DECLARE_RECORD(iso__plane_compound, ISO__PLANE_COMPOUND_FIELDS);
ISO__DECLARE_RECORD(iso__plane_blueprint, ISO__PLANE_BLUEPRINT_FIELDS);
ISO__DECLARE_RECORD(iso__plane_blueprint_joint, ISO__PLANE_BLUEPRINT_JOINT_FIELDS);

/// Bits of a body's flags, as ISO_BODY_SWITCH_LIST numbers them; for sleep_enabled the record has the negation.
#define ISO__PLANE_BODY_FIXED_ROTATION 1u
#define ISO__PLANE_BODY_LOCK_X         2u
#define ISO__PLANE_BODY_LOCK_Y         4u
#define ISO__PLANE_BODY_SLEEPLESS      8u
#define ISO__PLANE_BODY_ASLEEP         16u
#define ISO__PLANE_BODY_BULLET         32u
#define ISO__PLANE_BODY_PARAM_FLAGS    47u

#define ISO__PLANE_SHAPE_SENSOR  1u
#define ISO__PLANE_SHAPE_TAPERED 2u // a capsule whose second radius, behind its two vertices, is not its first
/// The word of a tapered capsule's vertices that is its second radius [m] Q7.24.
#define ISO__PLANE_SHAPE_RADIUS_B 4

#define ISO__PLANE_CONTACT_TOUCHES 1u
#define ISO__PLANE_CONTACT_PASSES  2u
#define ISO__PLANE_CONTACT_FLAGS   3u

/// Bits of a joint's flags, as ISO_JOINT_SWITCH_LIST numbers them.
#define ISO__PLANE_JOINT_COLLIDE_CONNECTED 1u
#define ISO__PLANE_JOINT_ENABLED           2u
#define ISO__PLANE_JOINT_LIMIT             4u
#define ISO__PLANE_JOINT_MOTOR             8u
#define ISO__PLANE_JOINT_SPRING            16u
#define ISO__PLANE_JOINT_REMOVE_ON_BREAK   32u
#define ISO__PLANE_JOINT_FLAGS             63u

#endif
