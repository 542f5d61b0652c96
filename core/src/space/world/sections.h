/// The sections of worlds in space: tables of persisted fields, made from the lists of records.h.
#ifndef ISO_SPACE_WORLD_SECTIONS_H
#define ISO_SPACE_WORLD_SECTIONS_H

#include "space/world/space.h"

extern const iso__section_table iso__space_sections[ISO_SECTION_COUNT];

/// See iso__kernel.
const void *iso__space_records(const iso_world *world, iso_section section);
uint32_t iso__space_used_count(iso_section section, const void *record, const iso_field *field);
size_t iso__space_gather(const iso_world *world, uint32_t first, uint32_t count, uint8_t *bytes);
size_t iso__space_variable_size(const iso_world *world);
iso_status iso__space_flip_bit(iso_world *world);

#endif
