/// See sections.h.
#include "space/world/sections.h"

#include <string.h>

#include "space/world/shape.h"
#include "world/section_tables.h"

#define TABLE_RECORD iso_world_def
static const iso_field TABLE_DEF[] = {ISO_WORLD_DEF_LIST(TABLE_DEF_COUNT, TABLE_DEF_NUMBER, TABLE_DEF_OTHER)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__globals
static const iso_field TABLE_GLOBALS[] = {ISO__GLOBALS_ALL_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_body
static const iso_field TABLE_BODIES[] = {ISO__SPACE_BODY_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_shape
static const iso_field TABLE_SHAPES[] = {ISO__SPACE_SHAPE_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_joint
static const iso_field TABLE_JOINTS[] = {ISO__SPACE_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_contact
static const iso_field TABLE_CONTACTS[] = {ISO__SPACE_CONTACT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_own_mass
static const iso_field TABLE_OWN_MASSES[] = {ISO__SPACE_OWN_MASS_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_height_field
static const iso_field TABLE_HEIGHTS[] = {ISO__SPACE_HEIGHTS_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_height_block
static const iso_field TABLE_HEIGHT_SAMPLES[] = {ISO__SPACE_HEIGHT_BLOCK_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__space_custom_joint
static const iso_field TABLE_CUSTOM_JOINTS[] = {ISO__SPACE_CUSTOM_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
static const iso_field TABLE_GENERATIONS[] = {{"generation", "", 0, 1, ISO_FIELD_U32}};

// A record of the variable section fits into what is gathered of it.
_Static_assert(sizeof(iso__space_shape) <= ISO__VARIABLE_SIZE_MAX, "a shape is larger than the border takes");

/// Worlds in space have no compounds.
const iso__section_table iso__space_sections[ISO_SECTION_COUNT] = {
    TABLE_OF(DEF, iso_world_def, false),
    TABLE_OF(GLOBALS, iso__globals, false),
    TABLE_OF(SLOTS, iso__slot, false),
    TABLE_OF(BODIES, iso__space_body, false),
    TABLE_OF(SHAPES, iso__space_shape, true),
    TABLE_OF(JOINTS, iso__space_joint, false),
    TABLE_OF(CONTACTS, iso__space_contact, false),
    TABLE_OF(GENERATIONS, uint32_t, false),
    TABLE_OF(HEIGHTS, iso__space_height_field, false),
    TABLE_OF(HEIGHT_SAMPLES, iso__space_height_block, false),
    TABLE_OF(PROGRAMS, iso_program, false),
    TABLE_OF(CUSTOM_JOINTS, iso__space_custom_joint, false),
    TABLE_OF(OWN_MASSES, iso__space_own_mass, false),
};

const void *iso__space_records(const iso_world *world, iso_section section) {
    const iso__space *space = iso__space_of_const(world);
    switch (section) {
    case ISO_SECTION_BODIES:
        return space->bodies;
    case ISO_SECTION_SHAPES:
        return space->shapes;
    case ISO_SECTION_JOINTS:
        return space->joints;
    case ISO_SECTION_CONTACTS:
        return space->contacts;
    case ISO_SECTION_HEIGHTS:
        return space->heights;
    case ISO_SECTION_HEIGHT_SAMPLES:
        return space->height_blocks;
    case ISO_SECTION_OWN_MASSES:
        return space->own_masses;
    case ISO_SECTION_PROGRAMS:
        return world->programs;
    case ISO_SECTION_CUSTOM_JOINTS:
        return space->custom_joints;
    default:
        return NULL;
    }
}

uint32_t iso__space_used_count(iso_section section, const void *record, const iso_field *field) {
    return section == ISO_SECTION_SHAPES && field->offset == ISO__SPACE_SHAPE_FIXED_SIZE
               ? iso__space_shape_words(record)
               : field->count;
}

size_t iso__space_gather(const iso_world *world, uint32_t first, uint32_t count, uint8_t *bytes) {
    const iso__space *space = iso__space_of_const(world);
    size_t size = 0;
    for (uint32_t i = first; i < first + count; ++i) {
        const size_t shape_size =
            ISO__SPACE_SHAPE_FIXED_SIZE + sizeof(int32_t) * iso__space_shape_words(&space->shapes[i]);
        memcpy(bytes + size, &space->shapes[i], shape_size);
        size += shape_size;
    }
    return size;
}

size_t iso__space_variable_size(const iso_world *world) {
    const iso__space *space = iso__space_of_const(world);
    size_t size = 0;
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        size += ISO__SPACE_SHAPE_FIXED_SIZE + sizeof(int32_t) * iso__space_shape_words(&space->shapes[i]);
    }
    return size;
}

iso_status iso__space_flip_bit(iso_world *world) {
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (iso__space_of(world)->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__space_of(world)->bodies[i].position[0] ^= 1;
            iso__mark_dirty(world, ISO_SECTION_BODIES, i);
            return ISO_OK;
        }
    }
    return ISO_ERR_STALE;
}
