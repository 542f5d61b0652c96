/// See sections.h.
#include "plane/world/sections.h"

#include <string.h>

#include "world/section_tables.h"

/// The world's definition is a public struct with a list of its own, of which this is made.
#define SUM_COUNT(type, name, low, high, otherwise, object, key, unit) ISO__SUM_FIELD(type, name, "")
#define SUM_NUMBER(name, low, high, otherwise, unit)                   ISO__SUM_FIELD(I32, name, unit)
#define SUM_OTHER(name)                                                +sizeof(((iso_world_def *)NULL)->name)

// A new member of the definition that is not listed does not compile.
_Static_assert(sizeof(iso_world_def) == (0 ISO_WORLD_DEF_LIST(SUM_COUNT, SUM_NUMBER, SUM_OTHER)),
               "a field of the definition is not listed");

#define TABLE_RECORD iso_world_def
static const iso_field TABLE_DEF[] = {ISO_WORLD_DEF_PLANE_LIST(TABLE_DEF_COUNT, TABLE_DEF_NUMBER, TABLE_DEF_OTHER)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__globals
static const iso_field TABLE_GLOBALS[] = {ISO__GLOBALS_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_body
static const iso_field TABLE_BODIES[] = {ISO__PLANE_BODY_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_shape
static const iso_field TABLE_SHAPES[] = {ISO__PLANE_SHAPE_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_joint
static const iso_field TABLE_JOINTS[] = {ISO__PLANE_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_contact
static const iso_field TABLE_CONTACTS[] = {ISO__PLANE_CONTACT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_custom_joint
static const iso_field TABLE_CUSTOM_JOINTS[] = {ISO__PLANE_CUSTOM_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_compound
static const iso_field TABLE_COMPOUNDS[] = {ISO__PLANE_COMPOUND_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_blueprint
static const iso_field TABLE_BLUEPRINTS[] = {ISO__PLANE_BLUEPRINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_body
static const iso_field TABLE_BLUEPRINT_BODIES[] = {ISO__PLANE_BODY_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_shape
static const iso_field TABLE_BLUEPRINT_SHAPES[] = {ISO__PLANE_SHAPE_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
#define TABLE_RECORD iso__plane_blueprint_joint
static const iso_field TABLE_BLUEPRINT_JOINTS[] = {ISO__PLANE_BLUEPRINT_JOINT_FIELDS(TABLE_FIELD, TABLE_ARRAY)};
#undef TABLE_RECORD
static const iso_field TABLE_GENERATIONS[] = {{"generation", "", 0, 1, ISO_FIELD_U32}};

// A record of the variable section fits into what is gathered of it.
_Static_assert(sizeof(iso__plane_shape) <= ISO__VARIABLE_SIZE_MAX, "a shape is larger than the border takes");

const iso__section_table iso__plane_sections[ISO_SECTION_COUNT] = {
    // What only worlds in space have stands at the end of both.
    TABLE_OF_SIZE(DEF, offsetof(iso_world_def, dimensions), false),
    TABLE_OF_SIZE(GLOBALS, offsetof(iso__globals, gravity_z), false),
    TABLE_OF(SLOTS, iso__slot, false),
    TABLE_OF(BODIES, iso__plane_body, false),
    TABLE_OF(SHAPES, iso__plane_shape, true),
    TABLE_OF(JOINTS, iso__plane_joint, false),
    TABLE_OF(CONTACTS, iso__plane_contact, false),
    TABLE_OF(PROGRAMS, iso_program, false),
    TABLE_OF(CUSTOM_JOINTS, iso__plane_custom_joint, false),
    TABLE_OF(COMPOUNDS, iso__plane_compound, false),
    TABLE_OF(BLUEPRINTS, iso__plane_blueprint, false),
    TABLE_OF(BLUEPRINT_BODIES, iso__plane_body, false),
    TABLE_OF(BLUEPRINT_SHAPES, iso__plane_shape, false),
    TABLE_OF(BLUEPRINT_JOINTS, iso__plane_blueprint_joint, false),
    TABLE_OF(GENERATIONS, uint32_t, false),
};

const void *iso__plane_records(const iso_world *world, iso_section section) {
    const iso__plane *plane = iso__plane_of_const(world);
    switch (section) {
    case ISO_SECTION_BODIES:
        return plane->bodies;
    case ISO_SECTION_SHAPES:
        return plane->shapes;
    case ISO_SECTION_JOINTS:
        return plane->joints;
    case ISO_SECTION_CONTACTS:
        return plane->contacts;
    case ISO_SECTION_PROGRAMS:
        return world->programs;
    case ISO_SECTION_CUSTOM_JOINTS:
        return plane->custom_joints;
    case ISO_SECTION_COMPOUNDS:
        return plane->compounds;
    case ISO_SECTION_BLUEPRINTS:
        return plane->blueprints;
    case ISO_SECTION_BLUEPRINT_BODIES:
        return plane->blueprint_bodies;
    case ISO_SECTION_BLUEPRINT_SHAPES:
        return plane->blueprint_shapes;
    case ISO_SECTION_BLUEPRINT_JOINTS:
        return plane->blueprint_joints;
    default:
        return NULL;
    }
}

uint32_t iso__plane_used_count(iso_section section, const void *record, const iso_field *field) {
    if (section == ISO_SECTION_SHAPES && field->offset == ISO__PLANE_SHAPE_FIXED_SIZE) {
        const uint32_t used = iso__plane_shape_words(record);
        return used < field->count ? used : field->count;
    }
    return field->count;
}

size_t iso__plane_gather(const iso_world *world, uint32_t first, uint32_t count, uint8_t *bytes) {
    const iso__plane *plane = iso__plane_of_const(world);
    size_t size = 0;
    for (uint32_t i = first; i < first + count; ++i) {
        const size_t shape_size = iso__plane_shape_encoded_size(&plane->shapes[i]);
        memcpy(bytes + size, &plane->shapes[i], shape_size);
        size += shape_size;
    }
    return size;
}

size_t iso__plane_variable_size(const iso_world *world) {
    const iso__plane *plane = iso__plane_of_const(world);
    size_t size = 0;
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        size += iso__plane_shape_encoded_size(&plane->shapes[i]);
    }
    return size;
}

iso_status iso__plane_flip_bit(iso_world *world) {
    iso__plane *plane = iso__plane_of(world);
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (plane->bodies[i].type == ISO_BODY_DYNAMIC) {
            plane->bodies[i].position[0] ^= 1;
            iso__mark_dirty(world, ISO_SECTION_BODIES, i);
            return ISO_OK;
        }
    }
    return ISO_ERR_STALE;
}
