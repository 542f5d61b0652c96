/// Sections: the state as tables of records, each described by its list of fields.
///
/// Canonical bytes of a record are its fields in the order of the list, little endian, without padding; of a
/// field that a record uses in part (a polygon's vertices) the used elements only. Snapshot and hash are made
/// of them. On a little-endian machine a record's memory is its canonical form, so that whole arrays are
/// copied and hashed at once; every other machine goes through the tables.
#ifndef ISO_STATE_SECTION_H
#define ISO_STATE_SECTION_H

#include "world/kernel.h"
#include "world/world.h"

/// Bytes of the largest canonical form of a record, but for the game's.
#define ISO__CANONICAL_SIZE_MAX 4112u

/// Whether a record of these fields is its own canonical form on a little-endian machine: the fields follow
/// one another without a gap and make up `size` bytes.
bool iso__fields_are_dense(const iso_field *fields, uint32_t field_count, size_t size);

/// Canonical bytes of a record with these fields when all elements are used.
size_t iso__fields_size(const iso_field *fields, uint32_t field_count);

/// One element of a field as its bits, not sign-extended.
uint64_t iso__field_read(const iso_field *field, uint32_t element, const void *record);
void iso__field_write(const iso_field *field, uint32_t element, void *record, uint64_t bits);

/// Writes a record's canonical bytes field by field. @return the bytes written.
size_t iso__record_encode(const iso__kernel *kernel, iso_section section, const iso_field *fields, uint32_t field_count,
                          const void *record, uint8_t *bytes);

/// Canonical bytes of a world's definition: ISO__CANONICAL_SIZE_MAX at most. @return how many
size_t iso__def_encode(const iso_world *world, uint8_t *bytes);

/// Whether a section takes part in roots and schemas only where there is something of it: those that came after there
/// were roots of worlds without them.
static inline bool iso__section_is_optional(iso_section section) {
    return section == ISO_SECTION_HEIGHTS || section == ISO_SECTION_HEIGHT_SAMPLES || section == ISO_SECTION_OWN_MASSES;
}

/// Records that a section of such a world has with these counts; 0 for GAME.
uint32_t iso__section_count(const iso_world_def *def, const iso__globals *globals, iso_section section);

/// Whether counts that came from outside are within the capacities.
bool iso__counts_fit(const iso_world_def *def, const iso__globals *globals);

/// Reads a record of which all elements of all fields are in the bytes.
void iso__record_decode(const iso_field *fields, uint32_t field_count, const uint8_t *bytes, void *record);

/// What stands at `index` of the section: `count` records that lie behind one another in memory, at least one.
/// A section is one such run, but GENERATIONS are four.
typedef struct iso__record_run {
    const void *records;
    size_t record_size;
    uint32_t count;
} iso__record_run;

iso__record_run iso__section_run(const iso_world *world, iso_section section, uint32_t index);

#endif
