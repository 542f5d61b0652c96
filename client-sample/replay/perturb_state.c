/// Flipping one bit of a state. It is done in the portable snapshot, which is then read back: the reader checks every
/// value, so what comes out is a state that a world can have.
#include "perturb.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "place.h"

#define SNAPSHOT_HEAD_SIZE 40u
#define SNAPSHOT_TAIL_SIZE 8u

bool iso__replay_perturb_flip_parse(const char *text, perturb_flip *flip) {
    const char *at = text;
    if (!iso__replay_place_section("--flip", &at, &flip->section)) {
        return false;
    }
    bool ok = iso__replay_place_index(&at, &flip->record) && *at == '.';
    at += ok;
    const size_t size = ok ? strcspn(at, "[:") : 0;
    ok = ok && size > 0 && size < sizeof flip->field;
    if (ok) {
        memset(flip->field, 0, sizeof flip->field);
        memcpy(flip->field, at, size);
        at += size;
        ok = iso__replay_place_index(&at, &flip->element) && *at == ':' && isdigit((unsigned char)at[1]);
    }
    char *end = NULL;
    const unsigned long bit = ok ? strtoul(at + 1, &end, 10) : 64;
    if (bit > 63 || *end != 0) {
        iso_print(
            stderr,
            "isostep-replay: --flip %s: expected SECTION[RECORD].FIELD[ELEMENT]:BIT, as bodies[3].velocity[0]:12\n",
            text);
        return false;
    }
    flip->bit = (uint32_t)bit;
    return true;
}

/// Bytes of a record in a snapshot, up to the field `end`, or all of them.
static size_t record_size(const iso_world *world, iso_section section, uint32_t record, const iso_field *end) {
    uint32_t count;
    const iso_field *fields = iso_section_fields(world, section, &count);
    const void *at = iso_section_record(world, section, record);
    size_t size = 0;
    for (uint32_t i = 0; i < count && &fields[i] != end; ++i) {
        size += (size_t)iso_field_width(fields[i].type) * iso_field_used_count(world, section, at, &fields[i]);
    }
    return size;
}

/// Where the field's element stands in a snapshot of the world.
static size_t find_element(const iso_world *world, const perturb_flip *flip, const iso_field *field) {
    size_t offset = SNAPSHOT_HEAD_SIZE;
    for (uint32_t section = 0; section <= (uint32_t)flip->section; ++section) {
        const bool last = section == (uint32_t)flip->section;
        const uint32_t count = last ? flip->record : iso_section_record_count(world, (iso_section)section);
        for (uint32_t i = 0; i < count; ++i) {
            offset += record_size(world, (iso_section)section, i, NULL);
        }
    }
    return offset + record_size(world, flip->section, flip->record, field) +
           (size_t)flip->element * iso_field_width(field->type);
}

/// The field of the section, if the record, the element and the bit are there.
static const iso_field *find_field(const iso_world *world, const perturb_flip *flip) {
    const char *section = iso_section_name(flip->section);
    const uint32_t records = iso_section_record_count(world, flip->section);
    if (flip->record >= records) {
        iso_print(stderr, "isostep-replay: --flip: %s has %u record%s in this tick, from 0 on\n", section, records,
                  iso_text_plural(records));
        return NULL;
    }
    uint32_t count;
    const iso_field *fields = iso_section_fields(world, flip->section, &count);
    const void *record = iso_section_record(world, flip->section, flip->record);
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(fields[i].name, flip->field) != 0) {
            continue;
        }
        const uint32_t elements = iso_field_used_count(world, flip->section, record, &fields[i]);
        const uint32_t bits = 8 * iso_field_width(fields[i].type);
        if (flip->element < elements && flip->bit < bits) {
            return &fields[i];
        }
        iso_print(stderr, "isostep-replay: --flip: %s[%u].%s has %u element%s of %u bits, both from 0 on\n", section,
                  flip->record, flip->field, elements, iso_text_plural(elements), bits);
        return NULL;
    }
    iso_print(stderr, "isostep-replay: --flip: %s have no field %s; there are", section, flip->field);
    for (uint32_t i = 0; i < count; ++i) {
        iso_print(stderr, " %s", fields[i].name);
    }
    iso_print(stderr, "\n");
    return NULL;
}

static int64_t read_value(const uint8_t *bytes, const iso_field *field) {
    const uint32_t width = iso_field_width(field->type);
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    const bool is_negative = field->type >= ISO_FIELD_I8 && (value >> (8 * width - 1) & 1) != 0;
    return (int64_t)(is_negative && width < 8 ? value | UINT64_MAX << (8 * width) : value);
}

bool iso__replay_perturb_flip_apply(const perturb_flip *flip, iso_world *world, char *text) {
    const iso_field *field = find_field(world, flip);
    if (field == NULL) {
        return false;
    }
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL || iso_snapshot_encode(world, bytes, size) != size) {
        free(bytes);
        iso_print(stderr, "isostep-replay: %s\n", iso_status_text(ISO_ERR_MEMORY));
        return false;
    }
    uint8_t *at = bytes + find_element(world, flip, field);
    const int64_t before = read_value(at, field);
    at[flip->bit / 8] ^= (uint8_t)(1u << flip->bit % 8);
    const uint64_t check = XXH3_64bits(bytes, size - SNAPSHOT_TAIL_SIZE);
    for (size_t i = 0; i < SNAPSHOT_TAIL_SIZE; ++i) {
        bytes[size - SNAPSHOT_TAIL_SIZE + i] = (uint8_t)(check >> (8 * i));
    }
    char place[112];
    snprintf(place, sizeof place, "%s[%u].%s[%u]", iso_section_name(flip->section), flip->record, flip->field,
             flip->element);
    const iso_status status = iso_snapshot_decode(world, bytes, size);
    if (status == ISO_OK) {
        snprintf(text, PERTURB_TEXT_SIZE, "%s %lld -> %lld", place, (long long)before,
                 (long long)read_value(at, field));
    } else {
        iso_print(
            stderr,
            "isostep-replay: --flip: no world can have %s = %lld (what sleeps, for example, does not move); choose "
            "another field, bit or tick\n",
            place, (long long)read_value(at, field));
    }
    free(bytes);
    return status == ISO_OK;
}
