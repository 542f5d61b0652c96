/// Macros that make tables of fields of the lists of records.h; for the files that have a kernel's sections.
/// TABLE_RECORD is the struct whose fields are listed.
#ifndef ISO_WORLD_SECTION_TABLES_H
#define ISO_WORLD_SECTION_TABLES_H

#include "world/kernel.h"

#define TABLE_FIELD(type, name, unit) {#name, unit, (uint32_t)offsetof(TABLE_RECORD, name), 1, ISO_FIELD_##type},
#define TABLE_ARRAY(type, name, count, unit) \
    {#name, unit, (uint32_t)offsetof(TABLE_RECORD, name), count, ISO_FIELD_##type},

#define TABLE_DEF_COUNT(type, name, low, high, otherwise, object, key, unit) TABLE_FIELD(type, name, unit)
#define TABLE_DEF_NUMBER(name, low, high, otherwise, unit)                   TABLE_FIELD(I32, name, unit)
#define TABLE_DEF_OTHER(name)                                                TABLE_DEF_OTHER_##name
#define TABLE_DEF_OTHER_gravity                                              TABLE_FIELD(I32, gravity.x, "m/s^2 Q15.16") TABLE_FIELD(I32, gravity.y, "m/s^2 Q15.16")
#define TABLE_DEF_OTHER_game                                                 TABLE_ARRAY(U8, game, ISO_GAME_NAME_MAX + 1, "text")
#define TABLE_DEF_OTHER_game_params                                          TABLE_ARRAY(I64, game_params, ISO_GAME_PARAMS_MAX, "Q31.32")
#define TABLE_DEF_OTHER_integrator                                           TABLE_FIELD(U16, integrator, "iso_integrator")
#define TABLE_DEF_OTHER_gravity_z                                            TABLE_FIELD(I32, gravity_z, "m/s^2 Q15.16")

// The records that both kinds of worlds have.
#define TABLE_RECORD iso__slot
static const iso_field TABLE_SLOTS[] = {ISO__SLOT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso_program
static const iso_field TABLE_PROGRAMS[] = {ISO_PROGRAM_FIELD_LIST(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD

#define TABLE_OF_SIZE(name, size, variable) \
    [ISO_SECTION_##name] = {TABLE_##name, (uint32_t)(sizeof(TABLE_##name) / sizeof(TABLE_##name[0])), size, variable}
#define TABLE_OF(name, record, variable) TABLE_OF_SIZE(name, sizeof(record), variable)

#endif
