/// The tables of persisted fields, made from the lists of records.h, and access by table.
#include <string.h>

#include "base/bytes.h"
#include "state/section.h"

/// The world's definition is a public struct, so its fields are listed here.
#define DEF_FIELDS(F, A)                         \
    F(U32, body_capacity, "")                    \
    F(U32, shape_capacity, "")                   \
    F(U32, joint_capacity, "")                   \
    F(U32, contact_capacity, "")                 \
    F(U32, event_capacity, "")                   \
    F(U32, program_capacity, "")                 \
    F(U32, custom_joint_capacity, "")            \
    F(U8, slot_capacity, "")                     \
    F(U8, substep_count, "")                     \
    F(U16, tick_rate_hz, "Hz")                   \
    F(U64, seed, "")                             \
    F(I32, gravity.x, "m/s^2 Q15.16")            \
    F(I32, gravity.y, "m/s^2 Q15.16")            \
    F(I32, contact_hertz, "Hz Q15.16")           \
    F(I32, contact_damping_ratio, "Q15.16")      \
    F(I32, contact_push_speed, "m/s Q15.16")     \
    F(I32, restitution_threshold, "m/s Q15.16")  \
    F(I32, joint_hertz, "Hz Q15.16")             \
    F(I32, joint_damping_ratio, "Q15.16")        \
    F(I32, slop, "m Q15.16")                     \
    F(I32, speculative_distance, "m Q15.16")     \
    F(I32, sleep_speed, "m/s Q15.16")            \
    F(I32, sleep_time, "s Q15.16")               \
    A(U8, game, ISO_GAME_NAME_MAX + 1, "text")   \
    A(I64, game_params, ISO_GAME_PARAMS_MAX, "Q31.32") \
    F(U32, contact_point_limit, "0: none")       \
    F(U32, kept_body_capacity, "")

// A new member of the definition that is not listed does not compile.
_Static_assert(sizeof(iso_world_def) == (0 DEF_FIELDS(ISO__SUM_FIELD, ISO__SUM_ARRAY)), "a field of the definition is not listed");

#define TABLE_FIELD(type, name, unit)        {#name, unit, (uint32_t)offsetof(TABLE_RECORD, name), 1, ISO_FIELD_##type},
#define TABLE_ARRAY(type, name, count, unit) {#name, unit, (uint32_t)offsetof(TABLE_RECORD, name), count, ISO_FIELD_##type},

#define TABLE_RECORD iso_world_def
static const iso_field TABLE_DEF[] = {DEF_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__globals
static const iso_field TABLE_GLOBALS[] = {ISO__GLOBALS_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__slot
static const iso_field TABLE_SLOTS[] = {ISO__SLOT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__body
static const iso_field TABLE_BODIES[] = {ISO__BODY_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__shape
static const iso_field TABLE_SHAPES[] = {ISO__SHAPE_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__joint
static const iso_field TABLE_JOINTS[] = {ISO__JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__contact
static const iso_field TABLE_CONTACTS[] = {ISO__CONTACT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso_program
static const iso_field TABLE_PROGRAMS[] = {ISO_PROGRAM_FIELD_LIST(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__custom_joint
static const iso_field TABLE_CUSTOM_JOINTS[] = {ISO__CUSTOM_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
static const iso_field TABLE_GENERATIONS[] = {{"generation", "", 0, 1, ISO_FIELD_U32}};

#define TABLE_COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

const iso_field *iso__section_core_fields(iso_section section, uint32_t *field_count) {
    switch (section) {
#define FIELDS_OF(name)                         \
    case ISO_SECTION_##name:                    \
        *field_count = TABLE_COUNT(TABLE_##name); \
        return TABLE_##name;
        FIELDS_OF(DEF)
        FIELDS_OF(GLOBALS)
        FIELDS_OF(SLOTS)
        FIELDS_OF(BODIES)
        FIELDS_OF(SHAPES)
        FIELDS_OF(JOINTS)
        FIELDS_OF(CONTACTS)
        FIELDS_OF(PROGRAMS)
        FIELDS_OF(CUSTOM_JOINTS)
        FIELDS_OF(GENERATIONS)
#undef FIELDS_OF
        case ISO_SECTION_GAME:
        case ISO_SECTION_COUNT:
            break;
    }
    *field_count = 0;
    return NULL;
}

bool iso__fields_are_dense(const iso_field *fields, uint32_t field_count, size_t size) {
    size_t end = 0;
    for (uint32_t i = 0; i < field_count; ++i) {
        if (fields[i].offset != end) {
            return false;
        }
        end += (size_t)iso_field_width(fields[i].type) * fields[i].count;
    }
    return end == size;
}

size_t iso__fields_size(const iso_field *fields, uint32_t field_count) {
    size_t size = 0;
    for (uint32_t i = 0; i < field_count; ++i) {
        size += (size_t)iso_field_width(fields[i].type) * fields[i].count;
    }
    return size;
}

uint64_t iso__field_read(const iso_field *field, uint32_t element, const void *record) {
    const uint32_t width = iso_field_width(field->type);
    const uint8_t *at = (const uint8_t *)record + field->offset + (size_t)element * width;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (width) {
        case 1:
            return *at;
        case 2:
            memcpy(&u16, at, sizeof u16);
            return u16;
        case 4:
            memcpy(&u32, at, sizeof u32);
            return u32;
        default:
            memcpy(&u64, at, sizeof u64);
            return u64;
    }
}

void iso__field_write(const iso_field *field, uint32_t element, void *record, uint64_t bits) {
    const uint32_t width = iso_field_width(field->type);
    uint8_t *at = (uint8_t *)record + field->offset + (size_t)element * width;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    switch (width) {
        case 1:
            *at = (uint8_t)bits;
            break;
        case 2:
            memcpy(at, &u16, sizeof u16);
            break;
        case 4:
            memcpy(at, &u32, sizeof u32);
            break;
        default:
            memcpy(at, &bits, sizeof bits);
            break;
    }
}

size_t iso__record_encode(iso_section section, const iso_field *fields, uint32_t field_count, const void *record, uint8_t *bytes) {
    size_t size = 0;
    for (uint32_t i = 0; i < field_count; ++i) {
        const uint32_t width = iso_field_width(fields[i].type);
        const uint32_t count = iso_field_used_count(section, record, &fields[i]);
        for (uint32_t element = 0; element < count; ++element) {
            iso__write_le(bytes + size, iso__field_read(&fields[i], element, record), width);
            size += width;
        }
    }
    return size;
}

void iso__record_decode(const iso_field *fields, uint32_t field_count, const uint8_t *bytes, void *record) {
    for (uint32_t i = 0; i < field_count; ++i) {
        const uint32_t width = iso_field_width(fields[i].type);
        for (uint32_t element = 0; element < fields[i].count; ++element) {
            iso__field_write(&fields[i], element, record, iso__read_le(bytes, width));
            bytes += width;
        }
    }
}

// ---- sections of a world -------------------------------------------------------------------------

const char *iso_section_name(iso_section section) {
    switch (section) {
#define SECTION_NAME(name, snake) \
    case ISO_SECTION_##name:      \
        return #snake;
        ISO_SECTION_LIST(SECTION_NAME)
#undef SECTION_NAME
        case ISO_SECTION_COUNT:
            break;
    }
    return "unknown";
}

static bool section_has_game(const iso_world *world) {
    return world->game != NULL && world->game->state_size > 0;
}

const iso_field *iso_section_fields(const iso_world *world, iso_section section, uint32_t *field_count) {
    if (section == ISO_SECTION_GAME) {
        *field_count = section_has_game(world) ? world->game->field_count : 0;
        return section_has_game(world) ? world->game->fields : NULL;
    }
    return iso__section_core_fields(section, field_count);
}

uint32_t iso_section_record_count(const iso_world *world, iso_section section) {
    const iso__globals *globals = world->globals;
    switch (section) {
        case ISO_SECTION_DEF:
        case ISO_SECTION_GLOBALS:
            return 1;
        case ISO_SECTION_SLOTS:
            return world->def.slot_capacity;
        case ISO_SECTION_BODIES:
            return globals->body_count;
        case ISO_SECTION_SHAPES:
            return globals->shape_count;
        case ISO_SECTION_JOINTS:
            return globals->joint_count;
        case ISO_SECTION_CONTACTS:
            return globals->contact_count;
        case ISO_SECTION_PROGRAMS:
            return globals->program_count;
        case ISO_SECTION_CUSTOM_JOINTS:
            return globals->custom_joint_count;
        case ISO_SECTION_GENERATIONS:
            return globals->body_count + globals->shape_count + globals->joint_count;
        case ISO_SECTION_GAME:
            return section_has_game(world) ? 1 : 0;
        case ISO_SECTION_COUNT:
            break;
    }
    return 0;
}

static iso__record_run section_generations_run(const iso_world *world, uint32_t index) {
    const uint32_t *const lists[3] = {world->body_generations, world->shape_generations, world->joint_generations};
    const uint32_t counts[3] = {world->globals->body_count, world->globals->shape_count, world->globals->joint_count};
    for (int i = 0; i < 3; ++i) {
        if (index < counts[i]) {
            return (iso__record_run){lists[i] + index, sizeof(uint32_t), counts[i] - index};
        }
        index -= counts[i];
    }
    return (iso__record_run){NULL, sizeof(uint32_t), 0};
}

iso__record_run iso__section_run(const iso_world *world, iso_section section, uint32_t index) {
    if (section == ISO_SECTION_GENERATIONS) {
        return section_generations_run(world, index);
    }
    const void *records = NULL;
    size_t size = 0;
    switch (section) {
#define RUN_OF(name, array)         \
    case ISO_SECTION_##name:        \
        records = (array);          \
        size = sizeof(*(array));    \
        break;
        RUN_OF(DEF, &world->def)
        RUN_OF(GLOBALS, world->globals)
        RUN_OF(SLOTS, world->slots)
        RUN_OF(BODIES, world->bodies)
        RUN_OF(SHAPES, world->shapes)
        RUN_OF(JOINTS, world->joints)
        RUN_OF(CONTACTS, world->contacts)
        RUN_OF(PROGRAMS, world->programs)
        RUN_OF(CUSTOM_JOINTS, world->custom_joints)
#undef RUN_OF
        case ISO_SECTION_GAME:
            records = world->game_state;
            size = section_has_game(world) ? world->game->state_size : 0;
            break;
        case ISO_SECTION_GENERATIONS:
        case ISO_SECTION_COUNT:
            break;
    }
    const uint32_t count = iso_section_record_count(world, section);
    if (index >= count) {
        return (iso__record_run){NULL, size, 0};
    }
    return (iso__record_run){(const uint8_t *)records + index * size, size, count - index};
}

const void *iso_section_record(const iso_world *world, iso_section section, uint32_t index) {
    return iso__section_run(world, section, index).records;
}

uint32_t iso_field_used_count(iso_section section, const void *record, const iso_field *field) {
    if (section == ISO_SECTION_SHAPES && field->offset == ISO__SHAPE_FIXED_SIZE) {
        const uint32_t used = 2u * ((const iso__shape *)record)->vertex_count;
        return used < field->count ? used : field->count;
    }
    return field->count;
}
