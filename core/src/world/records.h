/// The one list of persisted fields.
///
/// Each list below declares a record's struct and, in section.c, the table that drives snapshot, hash
/// and diff. A field that is not listed does not exist, so it cannot be forgotten. Order and widths
/// are chosen such that no record has padding (asserted below): on a little-endian machine the memory
/// of a record is its canonical form.
///
/// Invariant: the record of a dead slot, the unused points of a contact and the unused vertices of a
/// shape are all zero.
#ifndef ISO_WORLD_RECORDS_H
#define ISO_WORLD_RECORDS_H

#include <assert.h>
#include <stdint.h>

#include "isostep/command.h"
#include "isostep/compound.h"
#include "isostep/constraint.h"
#include "isostep/shape.h"

/// F(type, name, unit) declares a scalar, A(type, name, count, unit) an array.
#define ISO__GLOBALS_FIELDS(F, A)                                        \
    F(U64, tick, "ticks")                                                \
    A(U64, random, 2, "")                                                \
    F(U64, commands_applied, "")                                         \
    F(U64, commands_refused, "")                                         \
    F(U64, clamped_velocities, "")                                       \
    F(U64, clamped_impulses, "")                                         \
    F(U64, clamped_rows, "")                                             \
    F(U64, dropped_contacts, "")                                         \
    F(U64, dropped_events, "")                                           \
    F(U64, removed_bodies, "of members, by the limit of contact points") \
    F(U64, spawn_count, "bodies that steps created")                     \
    A(I32, gravity, 2, "m/s^2 Q15.16")                                   \
    F(U32, body_count, "slots ever used")                                \
    F(U32, shape_count, "slots ever used")                               \
    F(U32, joint_count, "slots ever used")                               \
    F(U32, contact_count, "")                                            \
    F(U32, program_count, "")                                            \
    F(U32, custom_joint_count, "slots ever used")                        \
    F(U32, blueprint_body_count, "of all blueprints")                    \
    F(U32, blueprint_shape_count, "of all blueprints")                   \
    F(U32, blueprint_joint_count, "of all blueprints")                   \
    F(U16, blueprint_count, "")                                          \
    F(U16, compound_count, "slots ever used")

/// What only the globals of a world in space have.
#define ISO__GLOBALS_SPACE_FIELDS(F, A)                    \
    F(I32, gravity_z, "m/s^2 Q15.16")                      \
    F(U32, height_count, "fields of heights")              \
    F(U32, height_block_count, "records of their samples") \
    F(U32, own_mass_count, "bodies with a mass or moments of their own")
#define ISO__GLOBALS_ALL_FIELDS(F, A) \
    ISO__GLOBALS_FIELDS(F, A)         \
    ISO__GLOBALS_SPACE_FIELDS(F, A)

#define ISO__SLOT_FIELDS(F, A)                  \
    F(U64, last_sequence, "")                   \
    F(U64, control_tick, "ticks")               \
    F(U32, generation, "")                      \
    F(U32, body_count, "bodies owned")          \
    F(U32, occupied, "0 free, 1 taken, 2 held") \
    F(U32, control_size, "bytes")               \
    A(U8, control, ISO_CONTROL_SIZE_MAX, "")

#define ISO__TYPE_U8  uint8_t
#define ISO__TYPE_U16 uint16_t
#define ISO__TYPE_U32 uint32_t
#define ISO__TYPE_U64 uint64_t
#define ISO__TYPE_I8  int8_t
#define ISO__TYPE_I16 int16_t
#define ISO__TYPE_I32 int32_t
#define ISO__TYPE_I64 int64_t

#define ISO__DECLARE_FIELD(type, name, unit)        ISO__TYPE_##type name;
#define ISO__DECLARE_ARRAY(type, name, count, unit) ISO__TYPE_##type name[count];
#define ISO__SUM_FIELD(type, name, unit)            +sizeof(ISO__TYPE_##type)
#define ISO__SUM_ARRAY(type, name, count, unit)     +sizeof(ISO__TYPE_##type) * (count)

#define ISO__DECLARE_RECORD(record, FIELDS)            \
    typedef struct record {                            \
        FIELDS(ISO__DECLARE_FIELD, ISO__DECLARE_ARRAY) \
    } record;                                          \
    static_assert(sizeof(record) == 0 FIELDS(ISO__SUM_FIELD, ISO__SUM_ARRAY), #record " has padding")

ISO__DECLARE_RECORD(iso__globals, ISO__GLOBALS_ALL_FIELDS);
ISO__DECLARE_RECORD(iso__slot, ISO__SLOT_FIELDS);

/// body_a of a joint with the world; body_c and body_d of one of two bodies.
#define ISO__WORLD_BODY UINT32_MAX

#endif
