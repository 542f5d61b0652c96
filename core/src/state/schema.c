/// See schema.h.
#include "state/schema.h"

#include "base/hash.h"
#include "state/section.h"

static void schema_add(iso__hasher *hasher, const iso_field *fields, uint32_t field_count) {
    for (uint32_t i = 0; i < field_count; ++i) {
        iso__hasher_add_text(hasher, fields[i].name);
        iso__hasher_add_number(hasher, fields[i].type, 1);
        iso__hasher_add_number(hasher, fields[i].count, 2);
    }
}

uint64_t iso__schema_core(const iso__kernel *kernel) {
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    for (uint32_t section = 0; section < ISO_SECTION_GAME; ++section) {
        if (iso__section_is_optional((iso_section)section) && kernel->sections[section].field_count == 0) {
            continue;
        }
        iso__hasher_add_text(&hasher, iso_section_name((iso_section)section));
        schema_add(&hasher, kernel->sections[section].fields, kernel->sections[section].field_count);
    }
    return iso__hasher_get(&hasher);
}

uint64_t iso__schema_game(const iso_game *game) {
    if (game == NULL) {
        return 0;
    }
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    iso__hasher_add_text(&hasher, game->name);
    schema_add(&hasher, game->fields, game->field_count);
    for (uint32_t i = 0; i < game->constraint_count; ++i) {
        const iso_constraint *constraint = &game->constraints[i];
        iso__hasher_add_text(&hasher, constraint->name);
        const uint8_t shape[] = {constraint->body_count, constraint->vector_count, constraint->scalar_count,
                                 constraint->row_count, constraint->angular_rows};
        for (uint32_t k = 0; k < sizeof shape; ++k) {
            iso__hasher_add_number(&hasher, shape[k], 1);
        }
    }
    return iso__hasher_get(&hasher);
}
