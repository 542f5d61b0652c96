/// Sections and their records, by the tables of the world's kernel.
#include "state/section.h"

#include <string.h>

#include "base/bytes.h"
#include "world/capacity.h"

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

int64_t iso_field_read(const iso_field *field, uint32_t element, const void *record) {
    ISO_ASSERT(field != NULL && element < field->count && record != NULL);
    const uint64_t bits = iso__field_read(field, element, record);
    switch (field->type) {
    case ISO_FIELD_I8:
        return (int8_t)bits;
    case ISO_FIELD_I16:
        return (int16_t)bits;
    case ISO_FIELD_I32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
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

size_t iso__record_encode(const iso__kernel *kernel, iso_section section, const iso_field *fields, uint32_t field_count,
                          const void *record, uint8_t *bytes) {
    size_t size = 0;
    for (uint32_t i = 0; i < field_count; ++i) {
        const uint32_t width = iso_field_width(fields[i].type);
        const uint32_t count = kernel->used_count(section, record, &fields[i]);
        for (uint32_t element = 0; element < count; ++element) {
            iso__write_le(bytes + size, iso__field_read(&fields[i], element, record), width);
            size += width;
        }
    }
    return size;
}

size_t iso__def_encode(const iso_world *world, uint8_t *bytes) {
    const iso__section_table *table = &world->kernel->sections[ISO_SECTION_DEF];
    return iso__record_encode(world->kernel, ISO_SECTION_DEF, table->fields, table->field_count, &world->def, bytes);
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
    if ((unsigned)section >= ISO_SECTION_COUNT) {
        *field_count = 0;
        return NULL;
    }
    if (section == ISO_SECTION_GAME) {
        *field_count = section_has_game(world) ? world->game->field_count : 0;
        return section_has_game(world) ? world->game->fields : NULL;
    }
    const iso__section_table *table = &world->kernel->sections[section];
    *field_count = table->field_count;
    return table->fields;
}

uint32_t iso__section_count(const iso_world_def *def, const iso__globals *globals, iso_section section) {
    switch (section) {
    case ISO_SECTION_DEF:
    case ISO_SECTION_GLOBALS:
        return 1;
    case ISO_SECTION_SLOTS:
        return def->slot_capacity;
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
    case ISO_SECTION_COMPOUNDS:
        return globals->compound_count;
    case ISO_SECTION_BLUEPRINTS:
        return globals->blueprint_count;
    case ISO_SECTION_BLUEPRINT_BODIES:
        return globals->blueprint_body_count;
    case ISO_SECTION_BLUEPRINT_SHAPES:
        return globals->blueprint_shape_count;
    case ISO_SECTION_BLUEPRINT_JOINTS:
        return globals->blueprint_joint_count;
    case ISO_SECTION_GENERATIONS:
        return globals->body_count + globals->shape_count + globals->joint_count + globals->compound_count;
    case ISO_SECTION_HEIGHTS:
        return globals->height_count;
    case ISO_SECTION_HEIGHT_SAMPLES:
        return globals->height_block_count;
    case ISO_SECTION_OWN_MASSES:
        return globals->own_mass_count;
    case ISO_SECTION_GAME:
    case ISO_SECTION_COUNT:
        break;
    }
    return 0;
}

bool iso__counts_fit(const iso_world_def *def, const iso__globals *globals) {
    return globals->body_count <= def->body_capacity && globals->shape_count <= def->shape_capacity &&
           globals->joint_count <= def->joint_capacity && globals->contact_count <= def->contact_capacity &&
           globals->program_count <= def->program_capacity &&
           globals->custom_joint_count <= def->custom_joint_capacity &&
           globals->compound_count <= iso__compound_capacity(def) &&
           globals->blueprint_count <= iso__blueprint_capacity(def) &&
           globals->blueprint_body_count <= iso__blueprint_capacity(def) &&
           globals->blueprint_shape_count <= iso__blueprint_capacity(def) &&
           globals->blueprint_joint_count <= iso__blueprint_capacity(def) &&
           globals->height_count <= iso__heights_capacity(def) &&
           globals->height_block_count <= iso__height_block_capacity(def) &&
           globals->own_mass_count <= iso__own_mass_capacity(def);
}

uint32_t iso_section_record_count(const iso_world *world, iso_section section) {
    if (section == ISO_SECTION_GAME) {
        return section_has_game(world) ? 1 : 0;
    }
    return iso__section_count(&world->def, world->globals, section);
}

static iso__record_run section_generations_run(const iso_world *world, uint32_t index) {
    const uint32_t *const lists[4] = {world->body_generations, world->shape_generations, world->joint_generations,
                                      world->compound_generations};
    const uint32_t counts[4] = {world->globals->body_count, world->globals->shape_count, world->globals->joint_count,
                                world->globals->compound_count};
    for (int i = 0; i < 4; ++i) {
        if (index < counts[i]) {
            return (iso__record_run){lists[i] + index, sizeof(uint32_t), counts[i] - index};
        }
        index -= counts[i];
    }
    return (iso__record_run){NULL, sizeof(uint32_t), 0};
}

iso__record_run iso__section_run(const iso_world *world, iso_section section, uint32_t index) {
    if ((unsigned)section >= ISO_SECTION_COUNT) {
        return (iso__record_run){NULL, 0, 0};
    }
    const void *records;
    size_t size = world->kernel->sections[section].record_size;
    switch (section) {
    case ISO_SECTION_GENERATIONS:
        return section_generations_run(world, index);
    case ISO_SECTION_DEF:
        records = &world->def;
        break;
    case ISO_SECTION_GLOBALS:
        records = world->globals;
        break;
    case ISO_SECTION_SLOTS:
        records = world->slots;
        break;
    case ISO_SECTION_GAME:
        records = world->game_state;
        size = section_has_game(world) ? world->game->state_size : 0;
        break;
    default:
        records = world->kernel->records(world, section);
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

uint32_t iso_field_used_count(const iso_world *world, iso_section section, const void *record, const iso_field *field) {
    return world->kernel->used_count(section, record, field);
}
