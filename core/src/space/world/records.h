/// The persisted fields of worlds in space: see world/records.h, which declares what both kinds of worlds share and the
/// macros that make records and tables of these lists.
#ifndef ISO_SPACE_WORLD_RECORDS_H
#define ISO_SPACE_WORLD_RECORDS_H

#include "isostep/body3.h"
#include "isostep/heights.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"
#include "world/capacity.h"
#include "world/records.h"

#define ISO__SPACE_BODY_FIELDS(F, A)                                                                      \
    A(I64, position, 3, "m Q31.32, centre of mass")                                                       \
    A(I64, momentum, 3, "m/s Q23.40, angular momentum / (m L), L = 2^k; of what has no inertia the spin") \
    F(U64, spawn_number, "order of creation, 0: at tick 0")                                               \
    A(I32, rotation, 4, "Q2.30, unit quaternion x, y, z, w from the body to the world")                   \
    A(I32, velocity, 3, "m/s Q12.19")                                                                     \
    F(I32, linear_damping, "1/s Q15.16")                                                                  \
    F(I32, angular_damping, "1/s Q15.16")                                                                 \
    F(I32, gravity_scale, "Q15.16")                                                                       \
    A(I32, quiet_moved, 6, "m Q31.32, within 1 cm: x, y, z and turns times L in the present sleep time")  \
    F(I32, quiet_gain, "m^2/s^2 Q.34, of squared speeds in the last sleep time")                          \
    F(U32, quiet_ticks, "ticks for which it has been quiet; from twice the sleep time on, back to once")  \
    F(U32, owner_generation, "")                                                                          \
    F(U32, tag, "")                                                                                       \
    F(U16, owner_slot, "")                                                                                \
    F(U8, type, "iso_body_type, 0 when dead")                                                             \
    F(U8, flags, "bits: 0 to 2 lock x, y, z, 3 to 5 lock turning about them, 6 never sleeps, 7 asleep")   \
    F(U8, more_flags, "bits: 0 bullet")                                                                   \
    A(U8, reserved, 3, "0")

/// What a body has of its own in the place of its shapes' mass or moments: sorted by body, and not all 0. Few bodies
/// have any, so that it would be a waste in the record of each: space/world/own_mass.h.
#define ISO__SPACE_OWN_MASS_FIELDS(F, A)                                                        \
    F(I64, mass, "kg Q31.32, 0: of the shapes")                                                 \
    A(I64, moments, 3, "kg m^2 Q31.32, principal, 0: of the shapes, in proportion to the mass") \
    F(U32, body, "body index")                                                                  \
    F(U32, reserved, "0")

/// Words of a shape's vertices that its kind uses: a sphere's centre; a capsule's ends; a box's centre, half extents
/// and quaternion; a hull's vertices; a plane's normal (Q2.30) and offset (Q31.32, two words); of heights the middle
/// and which.
#define ISO__SPACE_SHAPE_WORDS_MAX (3 * ISO_HULL_VERTICES_MAX)

#define ISO__SPACE_SHAPE_FIELDS(F, A)                                                                            \
    F(U32, body, "body index")                                                                                   \
    F(I32, density, "kg/m^3 Q15.16")                                                                             \
    F(I32, friction, "Q4.28")                                                                                    \
    F(I32, restitution, "Q4.28")                                                                                 \
    F(U32, category, "")                                                                                         \
    F(U32, mask, "")                                                                                             \
    F(I32, group, "")                                                                                            \
    F(I32, radius, "m Q7.24")                                                                                    \
    F(U32, tag, "")                                                                                              \
    F(U32, owner_generation, "")                                                                                 \
    F(U16, owner_slot, "whose command added it, else nobody")                                                    \
    F(U8, kind, "iso_shape3_kind, 0 when dead")                                                                  \
    F(U8, vertex_count, "points: 1, 2, 2 of a box, 4 to 32 of a hull, 1 of a plane, 1 of heights")               \
    F(U32, flags, "bits: 0 sensor")                                                                              \
    A(I32, vertices, ISO__SPACE_SHAPE_WORDS_MAX,                                                                 \
      "m Q7.24, body frame: centre; ends; centre, half extents and Q2.30 quaternion; corners; Q2.30 normal and " \
      "Q31.32 offset in two words; middle and number of the heights")

/// A joint's accumulated impulses: of its linear and of its angular block, then those of its axes, four each: hold,
/// motor, lower, upper. Of USER and SYMBOLIC two of each row: hold, motor or lower; upper. In units of velocity:
/// space/joint/work.h.
#define ISO__SPACE_JOINT_IMPULSES        18
#define ISO__SPACE_JOINT_LINEAR_IMPULSE  0
#define ISO__SPACE_JOINT_ANGULAR_IMPULSE 3
#define ISO__SPACE_JOINT_AXIS_IMPULSE    6

#define ISO__SPACE_JOINT_FIELDS(F, A)                                                                                 \
    A(I64, impulse, ISO__SPACE_JOINT_IMPULSES, "m/s or rad/s Q31.32, velocity units")                                 \
    A(I64, turns, ISO_JOINT3_AXES, "turns Q31.32, unwrapped: of an axis that is an angle, and of a RACK's B; else 0") \
    A(I64, target, 3, "m Q31.32")                                                                                     \
    F(I64, force_max, "N Q31.32, 0: unlimited")                                                                       \
    F(I64, torque_max, "N m Q31.32, 0: unlimited")                                                                    \
    F(I64, break_force, "N Q31.32, 0: never")                                                                         \
    F(I64, break_torque, "N m Q31.32, 0: never")                                                                      \
    F(I64, break_error, "m Q31.32, 0: never")                                                                         \
    F(I64, break_angle, "rad Q31.32, 0: never")                                                                       \
    A(I64, motor_max, ISO_JOINT3_AXES, "N m or N Q31.32")                                                             \
    A(I64, spring_max, ISO_JOINT3_AXES, "N m or N Q31.32, 0: unlimited")                                              \
    A(I64, spring_stiffness, ISO_JOINT3_AXES, "N m/rad or N/m Q31.32")                                                \
    A(I64, spring_damping, ISO_JOINT3_AXES, "N m s/rad or N s/m Q31.32")                                              \
    F(U32, body_a, "body index, UINT32_MAX: the world")                                                               \
    F(U32, body_b, "body index")                                                                                      \
    A(I32, anchor_a, 3, "m Q7.24, body frame")                                                                        \
    A(I32, anchor_b, 3, "m Q7.24, body frame")                                                                        \
    A(I32, frame_a, 4, "Q2.30, unit quaternion from the joint's axes to the body's frame")                            \
    A(I32, frame_b, 4, "Q2.30, likewise")                                                                             \
    A(I32, lower, ISO_JOINT3_AXES, "rad or m Q15.16")                                                                 \
    A(I32, upper, ISO_JOINT3_AXES, "rad or m Q15.16")                                                                 \
    A(I32, motor_speed, ISO_JOINT3_AXES, "rad/s or m/s Q15.16")                                                       \
    A(I32, spring_hertz, ISO_JOINT3_AXES, "Hz Q15.16")                                                                \
    A(I32, spring_damping_ratio, ISO_JOINT3_AXES, "Q15.16")                                                           \
    A(I32, rest, ISO_JOINT3_AXES, "rad or m Q15.16")                                                                  \
    A(I32, limit_hertz, ISO_JOINT3_AXES, "Hz Q15.16, 0: rigid")                                                       \
    A(I32, limit_damping_ratio, ISO_JOINT3_AXES, "Q15.16")                                                            \
    F(I32, hertz, "Hz Q15.16, 0: rigid")                                                                              \
    F(I32, damping_ratio, "Q15.16")                                                                                   \
    F(I32, correction_max, "m/s or rad/s Q15.16, 0: unlimited")                                                       \
    F(I32, axes_angle, "rad Q15.16, between the axes of A and B")                                                     \
    F(I32, ratio, "Q15.16, of GEAR; m/rad of RACK")                                                                   \
    F(U32, owner_generation, "")                                                                                      \
    F(U32, tag, "")                                                                                                   \
    F(U16, owner_slot, "")                                                                                            \
    F(U8, kind, "iso_joint3_kind, 0 when dead")                                                                       \
    F(U8, flags, "bits of ISO_JOINT3_SWITCH_LIST")                                                                    \
    A(U8, axis_flags, ISO_JOINT3_AXES, "bits of ISO_JOINT3_AXIS_SWITCH_LIST")                                         \
    A(U8, reserved, 5, "0")

/// Data of a joint of the kind USER or SYMBOLIC besides its record, which has the impulses: two of each row, as in the
/// plane.
#define ISO__SPACE_CUSTOM_JOINT_FIELDS(F, A)                                \
    A(I64, vectors, 3 * ISO_PROGRAM_VECTORS_MAX, "Q31.32, x, y and z")      \
    A(I64, scalars, ISO_PROGRAM_SCALARS_MAX, "Q31.32")                      \
    A(I64, state, ISO_CONSTRAINT_STATE_MAX, "USER: the constraint's own")   \
    F(U32, joint, "joint index")                                            \
    F(U16, constraint, "index of the program, or of the game's constraint") \
    F(U16, kind, "iso_joint3_kind, 0 when free")

#define ISO__SPACE_CONTACT_TOUCHES 1u

#define ISO__SPACE_CONTACT_POINTS 4
#define ISO__SPACE_CONTACT_FIELDS(F, A)                                                                         \
    F(U32, shape_a, "shape index, of the body with the lower index")                                            \
    F(U32, shape_b, "shape index")                                                                              \
    A(I32, normal_impulse, ISO__SPACE_CONTACT_POINTS, "m/s Q12.19, velocity units")                             \
    A(I32, friction_impulse, 3, "m/s Q12.19, velocity units, world frame")                                      \
    F(I32, twist_impulse, "m^2/s Q15.16, velocity units")                                                       \
    A(I32, pose_offset, 3, "m Q7.24, B's origin from A's when the manifold was made, modulo 256 m; 0: no pose") \
    A(I32, pose_rotation_a, 4, "Q2.30, A's rotation then; 0: no pose")                                          \
    A(I32, pose_rotation_b, 4, "Q2.30, likewise B's")                                                           \
    A(I16, place, 3 * ISO__SPACE_CONTACT_POINTS, "2^-14 L, of the points on the smaller body, in its frame")    \
    F(U16, child, "of several contacts of a pair with heights 0 to 3, the deepest first; else 0")               \
    F(U8, point_count, "")                                                                                      \
    F(U8, flags, "bits: 0 the shapes touch; of the first of a pair")

/// A field of heights; its samples are in the records of the next section from `first_block` on.
#define ISO__SPACE_HEIGHTS_FIELDS(F, A)                \
    F(I32, cell, "m Q15.16, from column to column")    \
    F(I32, scale, "m Q15.16, of a sample of 1")        \
    F(U32, first_block, "record of its first samples") \
    F(U16, columns, "samples along x")                 \
    F(U16, rows, "samples along z")

#define ISO__SPACE_HEIGHT_BLOCK_FIELDS(F, A) \
    A(I16, samples, ISO__HEIGHT_BLOCK_SAMPLES, "the field's scale, row by row; 0 behind the last")

ISO__DECLARE_RECORD(iso__space_body, ISO__SPACE_BODY_FIELDS);
ISO__DECLARE_RECORD(iso__space_own_mass, ISO__SPACE_OWN_MASS_FIELDS);
ISO__DECLARE_RECORD(iso__space_shape, ISO__SPACE_SHAPE_FIELDS);
ISO__DECLARE_RECORD(iso__space_joint, ISO__SPACE_JOINT_FIELDS);
ISO__DECLARE_RECORD(iso__space_contact, ISO__SPACE_CONTACT_FIELDS);
ISO__DECLARE_RECORD(iso__space_height_field, ISO__SPACE_HEIGHTS_FIELDS);
ISO__DECLARE_RECORD(iso__space_height_block, ISO__SPACE_HEIGHT_BLOCK_FIELDS);

/// Contacts of one pair of shapes, at most.
#define ISO__SPACE_CONTACT_CHILDREN 4
ISO__DECLARE_RECORD(iso__space_custom_joint, ISO__SPACE_CUSTOM_JOINT_FIELDS);

_Static_assert(2 * ISO_CONSTRAINT_ROWS_MAX <= ISO__SPACE_JOINT_IMPULSES,
               "a joint's record has the impulses of any rows");

/// Bits of a body's flags and, times 256, of the rest, as ISO_BODY3_SWITCH_LIST numbers them; for sleep_enabled the
/// record has the negation.
#define ISO__SPACE_BODY_LOCK_X              1u
#define ISO__SPACE_BODY_LOCKS               7u
#define ISO__SPACE_BODY_LOCK_TURN_X         8u
#define ISO__SPACE_BODY_LOCK_TURNS          56u
#define ISO__SPACE_BODY_SLEEPLESS           64u
#define ISO__SPACE_BODY_ASLEEP              128u
#define ISO__SPACE_BODY_BULLET              256u
#define ISO__SPACE_BODY_BIT(name, bit, key) | (bit)
#define ISO__SPACE_BODY_PARAM_FLAGS         (0u ISO_BODY3_SWITCH_LIST(ISO__SPACE_BODY_BIT))

static inline unsigned iso__space_body_flags(const iso__space_body *record) {
    return record->flags | (unsigned)record->more_flags << 8;
}

#define ISO__SPACE_SHAPE_SENSOR 1u

/// Bits of a joint's flags and of its axes'.
#define ISO__SPACE_JOINT_COLLIDE_CONNECTED 1u
#define ISO__SPACE_JOINT_ENABLED           2u
#define ISO__SPACE_JOINT_REMOVE_ON_BREAK   4u
#define ISO__SPACE_JOINT_BIT(name, bit)    | (bit)
#define ISO__SPACE_JOINT_FLAGS             (0u ISO_JOINT3_SWITCH_LIST(ISO__SPACE_JOINT_BIT))
#define ISO__SPACE_JOINT_LIMIT             1u
#define ISO__SPACE_JOINT_MOTOR             2u
#define ISO__SPACE_JOINT_SPRING            4u
#define ISO__SPACE_JOINT_AXIS_FLAGS        (0u ISO_JOINT3_AXIS_SWITCH_LIST(ISO__SPACE_JOINT_BIT))

#endif
